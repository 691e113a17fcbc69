"""What a file is by its first value to the end: the same whatever its encoding, its blanks and what follows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import formats
from bench.errors import InputError
from bench.formats.reading import SourceFile, whole_value
from bench.formats.reading.outline import Outline, outline_of
from bench.formats.reading.whole_value import outline_of_whole
from tests.formats.documents import OBJECTS

SAMPLES = Path(__file__).parents[2] / "samples"


def outline(text: bytes, folder: Path) -> Outline:
    path = folder / "file"
    path.write_bytes(text)
    return outline_of_whole(path)


@given(value=OBJECTS, indent=st.sampled_from([None, 1]), encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_it_is_what_a_beginning_that_holds_it_all_tells(
    value: dict[str, object], indent: int | None, encoding: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp()
    text = json.dumps(value, indent=indent)
    for whole in (text, f"\n {text}\n\n", f"[{text}, {text}]"):
        found, begun = outline(whole.encode(encoding), folder), outline_of(whole.encode(encoding))
        assert (found.kind, list(found.first)) == (begun.kind, list(begun.first))
    if indent is None:
        lines = outline(f"{text}\n{text}\n".encode(encoding), folder)
        assert (lines.kind, list(lines.first)) == ("lines", list(value))


def test_lists_keep_one_entry_and_numbers_that_json_has_not_are_taken(tmp_path: Path) -> None:
    found = outline(b'{"a": [[1, 2], [3]], "b": {"c": [{"d": NaN}, 1]}, "e": [], "f": 1}', tmp_path)
    assert found.at("a") == [[1]]
    assert list(found.at("b.c")[0]) == ["d"]
    assert (len(found.at("b.c")), found.at("e"), found.at("f")) == (1, [], 1)


def test_of_lines_only_the_first_is_looked_at(tmp_path: Path) -> None:
    found = outline(b'{"a": 1}\n{"broken', tmp_path)
    assert (found.kind, found.value) == ("lines", {"a": 1})


def test_keys_of_yaml_behind_its_beginning_are_known(tmp_path: Path) -> None:
    text = "first:\n" + "- 0.25\n" * 20_000 + "last: 1\n"
    assert not outline_of(text.encode()[:65536]).has("last")
    assert outline(text.encode(), tmp_path).has("last")


def test_a_result_is_told_from_its_sorted_keys_and_what_it_lacks_only_when_all_were_looked_at(tmp_path: Path) -> None:
    result = json.loads((SAMPLES / "vllm" / "concurrency-4.json").read_text())
    path = tmp_path / "sorted.json"
    lists = {"errors": ["x" * 70_000]}
    path.write_text(json.dumps({**lists, **result}))
    assert formats.recognise(SourceFile(path)).NAME == "vllm"
    del result["model_id"]
    path.write_text(json.dumps({**lists, **result}))
    with pytest.raises(InputError, match=r"vLLM bench serve \(4 of 5 keys, it lacks model_id\)"):
        formats.recognise(SourceFile(path))


def test_of_a_file_that_was_not_looked_through_nothing_is_said_to_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"errors": ["x" * 70_000], "num_prompts": 1, "completed": 1})[:-5])
    with pytest.raises(InputError, match=r"^result\.json ends in the middle of its JSON"):
        formats.recognise(SourceFile(path))
    monkeypatch.setattr(whole_value, "MOST_BYTES", 66_000)
    with pytest.raises(InputError, match="is too large to be looked through for them; put its lists behind") as said:
        formats.recognise(SourceFile(path))
    assert "lacks" not in str(said.value)


def test_a_value_of_so_many_parts_that_they_would_fill_the_memory_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"a": [{}] * 2_600_000}))
    with pytest.raises(InputError, match="too large to be looked through"):
        outline_of_whole(path)


def test_what_is_told_from_what_lies_beside_results_does_not_hang_on_the_order_either(tmp_path: Path) -> None:
    path = tmp_path / "records.json"
    path.write_text(json.dumps({"a": [0.5] * 30_000, "avg_latency": 1, "latencies": [1], "percentiles": {}}))
    with pytest.raises(InputError, match="is of vllm bench throughput or latency"):
        formats.recognise(SourceFile(path))
