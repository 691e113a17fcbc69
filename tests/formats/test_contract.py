"""What every result format promises, asked of each module the folder lists and of every sample there is."""

from __future__ import annotations

import csv
import json
import math
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from bench import formats
from bench.catalogue import is_metric, is_part
from bench.errors import InputError
from bench.formats import Format
from bench.formats.reading import SourceFile
from bench.formats.reading.metric_collector import WELL
from bench.formats.reading.point_table import POINT_COLUMNS, WHOLE
from bench.library.library import Library
from tests.formats import expected
from tests.formats.damage import SAMPLES, damaged_results, main_files
from tests.formats.reading_of import passports_of, reading
from tests.thorough import some, times

COUNT, SEED = times(50, 10), 20261122
OUR_OWN = {"journal", "published"}
"""Their samples are what the program writes itself, and what ships."""

OF_SUCCESSES = frozenset("aiperf genai_bench genai_perf guidellm inference_perf llmperf sglang vllm".split())
"""Tools whose latencies are of the requests that ended well, which every passport says in one wording."""

FORMATS = {module.NAME: module for module in formats.modules()}
FOLDERS = sorted(folder.name for folder in SAMPLES.iterdir() if folder.is_dir())
COUNTS = {key for key, kind in POINT_COLUMNS.items() if kind == WHOLE} - {"context_tokens"}
every_format = pytest.mark.parametrize("name", sorted(FORMATS))
every_folder = pytest.mark.parametrize("name", FOLDERS)
a_few_folders = pytest.mark.parametrize("name", some(FOLDERS, 2))


def test_every_format_has_samples_and_every_sample_a_format() -> None:
    assert set(FOLDERS) == FORMATS.keys() - OUR_OWN


@every_format
def test_it_states_what_it_is(name: str) -> None:
    module = FORMATS[name]
    assert isinstance(module, Format)
    assert module.__name__ == f"bench.formats.{name}"  # type: ignore[attr-defined]
    assert module.TITLE
    assert len({one.TITLE for one in FORMATS.values()}) == len(FORMATS)


@every_format
def test_it_says_what_it_looked_for_in_a_file_that_is_another_s(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    for content in (b"x", b"{}", b"[]", b"a,b\n1,2\n", b"a: 1\n", b'{"a": 1}\n{"a": 2}\n', b"\xff\xfe\x00"):
        path.write_bytes(content)
        known = FORMATS[name].recognises(SourceFile(path))
        assert known.specificity == 0, content
        assert known.why, content
        assert "\n" not in known.why


@every_folder
def test_its_samples_are_its_own_and_no_other_format_s(name: str) -> None:
    """A published table is any table with a column model, so that may know them too, and never as well."""
    assert (SAMPLES / name / "SOURCE.md").read_text().startswith("# ")
    assert main_files(name)
    for path in main_files(name):
        file = SourceFile(path)
        found = {module.NAME: module.recognises(file).specificity for module in FORMATS.values()}
        assert {other for other, specificity in found.items() if specificity} - {"published"} == {name}, path
        assert formats.recognise(file) is FORMATS[name]


@a_few_folders
def test_its_samples_are_known_whatever_stands_before_their_keys(name: str, tmp_path: Path) -> None:
    """Sorted by name, detail lists of any length come first; the figures stay the same, and the new key is told.

    A new key of llmperf's is what somebody wrote beside the result.
    """
    for path in some((path for path in main_files(name) if path.suffix != ".csv"), 2):
        shutil.copytree(path.parent, tmp_path / path.stem, dirs_exist_ok=True)
        copy = tmp_path / path.stem / path.name
        copy.write_text(_with_a_long_list_first(path.read_text()))
        assert formats.recognise(SourceFile(copy)) is FORMATS[name], path
        assert _figures(copy) == _figures(path)
        assert ("aaa" in reading(copy).not_understood) == (name != "llmperf")


def _figures(path: Path) -> dict[str, list[Any]]:
    columns = pa.Table.from_batches(list(reading(path).batches())).to_pydict()
    return {key: column for key, column in columns.items() if is_metric(key)}


def _with_a_long_list_first(text: str) -> str:
    numbers = [0.25] * 20_000
    if not text.startswith(("{", "[")):
        return f"aaa: {numbers}\n{text}"
    try:
        document = json.loads(text)
    except ValueError:
        first, rest = text.split("\n", 1)
        return f"{json.dumps({'aaa': numbers, **json.loads(first)})}\n{rest}"
    if isinstance(document, list):
        return json.dumps([{"aaa": numbers, **document[0]}, *document[1:]])
    return json.dumps({"aaa": numbers, **document})


@a_few_folders
def test_its_samples_are_imported_once_however_often_they_are_given(name: str, tmp_path: Path) -> None:
    """Companions, summaries and warm-ups lie among them: none of them is a source, of this format or another."""
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([SAMPLES / name])
    assert {Path(source.file) for source in report.imported} == set(main_files(name))
    assert all(source.format == name and source.points for source in report.imported)
    again = library.add([SAMPLES / name])
    assert again.imported == []
    assert len(again.already) == len(report.imported)


@every_folder
def test_what_it_reads_is_in_the_one_vocabulary(name: str) -> None:
    for path in main_files(name):
        found = reading(path)
        assert found.format == name
        rows = [row for batch in found.batches() for row in batch.to_pylist()]
        assert rows
        assert found.not_understood == ()
        held = passports_of(found)
        if name in OF_SUCCESSES:
            assert [key for key, said in held.items() if "_ms_" in key and WELL not in said["definition"]] == [], path
        for row in rows:
            check_row(row)
            assert row["origin"] == "imported"
            assert row["load_kind"]
            metrics = {key for key, value in row.items() if value is not None and key not in POINT_COLUMNS}
            assert metrics
            assert metrics <= held.keys(), path
        assert all(row["format"] == name and row["definition"] for row in held.values())


@pytest.mark.parametrize("path", sorted(SAMPLES.rglob("*.jsonl")), ids=lambda path: path.parent.name)
def test_a_last_line_of_any_tool_s_that_was_cut_off_is_told_and_the_others_are_taken(
    path: Path, tmp_path: Path
) -> None:
    copy = Path(shutil.copytree(path.parent, tmp_path / "cut")) / path.name
    lines = path.read_bytes().splitlines()
    copy.write_bytes(b"\n".join([*lines, lines[-1][: len(lines[-1]) // 2]]))
    assert [(one.file, one.row) for one in reading(copy).refusals] == [(path.name, len(lines) + 1)]
    assert _figures(copy) == _figures(path)


@pytest.mark.parametrize("name", ["dstack", "llama_bench", "psap_consolidated"])
def test_a_column_that_nobody_reads_is_told(name: str, tmp_path: Path) -> None:
    path = next(path for path in main_files(name) if path.suffix == ".csv")
    with path.open(newline="") as stream, (tmp_path / path.name).open("w", newline="") as wider:
        csv.writer(wider).writerows(
            [*row, "red" if number else "colour"] for number, row in enumerate(csv.reader(stream))
        )
    assert reading(tmp_path / path.name).not_understood == ("colour",)


@every_folder
def test_its_samples_hold_what_they_held(name: str) -> None:
    """What is meant to read them otherwise writes it anew: python -m tests.formats.expected."""
    found, kept = expected.as_read(name), expected.kept(name)
    assert {path: one["points"] for path, one in found.items()} == {path: one["points"] for path, one in kept.items()}
    for path, one in kept.items():
        for read, point in zip(found[path]["first"], one["first"], strict=True):
            reals = {key: value for key, value in point.items() if isinstance(value, float)}
            assert {key: read.get(key) for key in reals} == pytest.approx(reals, rel=1e-9, abs=0), path
            assert read | reals == point, path


@pytest.mark.long
@every_folder
def test_a_damaged_result_is_read_or_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    read = 0
    for damaged in damaged_results(name, COUNT, SEED):
        folder = Path(shutil.copytree(damaged.sample.parent, tmp_path / damaged.name))
        path = folder / damaged.sample.name
        path.write_bytes(damaged.content)
        try:
            found = reading(path)
            rows = [row for batch in found.batches() for row in batch.to_pylist()]
        except InputError as problem:
            rows, told = [], str(problem)
        else:
            read, told = read + 1, "read"
        assert len(told.splitlines()) == 1, damaged.story
        assert len({row["locator"] for row in rows}) == len(rows), damaged.story
        for row in rows:
            check_row(row)
        shutil.rmtree(folder)
    assert read < COUNT


def check_row(row: dict[str, Any]) -> None:
    """Every number of a row is possible, and every word can be shown."""
    for key, value in row.items():
        if isinstance(value, str):
            value.encode()
            assert "\0" not in value
        if key not in POINT_COLUMNS and value is not None:
            assert is_metric(key), key
            assert math.isfinite(value)
            assert 0 <= value <= (1 if is_part(key) else math.inf), key
        elif key in COUNTS and value is not None:
            assert value >= 1, key
    if row.get("flags"):
        assert json.loads(row["flags"])
