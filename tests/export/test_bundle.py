"""Bundles: another library that takes one in holds the same points under the same ids, with all that was said."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.errors import UsageError
from bench.export import bundle, format_named
from bench.library import Library
from bench.view import View
from tests.export.test_exports import ROWS, library, stated
from tests.library.files import SCORE, table
from tests.library.sweeps import Sweep
from tests.thorough import times

SAMPLES = Path(__file__).parents[1] / "samples"


def taken_in(tmp_path: Path, content: bytes, name: str = "bundle.zip") -> Library:
    path = tmp_path / name
    path.write_bytes(content)
    held = Library.open(tmp_path / "other", shipped=False)
    report = held.add([path])
    assert report.refused == []
    return held


def ids(held: Library) -> list[str]:
    return [point for (point,) in held.fetch("SELECT point_id FROM points ORDER BY 1")]


@pytest.mark.long
@settings(max_examples=times(15, 2))
@given(rows=st.lists(ROWS, min_size=1, max_size=4))
def test_a_bundle_taken_in_gives_equal_points(
    rows: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bundle")
    path = folder / "made.json"
    path.write_text(json.dumps([{**row, "repeat": number} for number, row in enumerate(rows)]))
    first = library(folder, path)
    second = taken_in(folder, bundle.written(first, View()))
    assert ids(second) == ids(first)
    assert stated(second) == stated(first)


def test_sources_of_scores_alone_come_along_where_all_is_selected(tmp_path: Path) -> None:
    scores = table(tmp_path / "s.csv", {}, {"value": 0.8, "category": "x"}, base=SCORE)
    first = library(tmp_path, table(tmp_path / "a.csv", {}), scores)
    values = "SELECT score_id, value FROM scores ORDER BY 1"
    assert len(first.fetch(values)) == 2
    second = taken_in(tmp_path, bundle.written(first, View()))
    assert (ids(second), second.fetch(values)) == (ids(first), first.fetch(values))
    some = View.of({"model": [first.fetch("SELECT model FROM points")[0][0]]})
    for view, count in ((View(), 1), (some, 0)):
        with zipfile.ZipFile(io.BytesIO(bundle.written(first, view))) as archive:
            assert sum(name.endswith("/s.csv") for name in archive.namelist()) == count


def test_a_bundle_holds_no_more_than_one_import_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = [table(tmp_path / f"{name}.csv", {"model": name}) for name in ("qwen3-8b", "deepseek-r1")]
    held = library(tmp_path, *files)
    both, one = sum(file.stat().st_size for file in files), files[0].stat().st_size
    monkeypatch.setattr(bundle, "MOST_BYTES", both)
    assert bundle.written(held, View())
    monkeypatch.setattr(bundle, "MOST_BYTES", both - 1)
    for ask in (bundle.demand, bundle.written):
        with pytest.raises(UsageError, match="narrow"):
            ask(held, View())
    monkeypatch.setattr(bundle, "MOST_BYTES", one)
    chosen = View.of({"model": ["qwen3-8b"]})
    assert bundle.written(held, chosen)
    monkeypatch.setattr(bundle, "MOST_SAID", 1)
    (point,) = held.fetch("SELECT point_id FROM points WHERE model = 'qwen3-8b'")[0]
    held.annotate(point, "one")
    assert bundle.written(held, chosen)
    held.tag(point, "two")
    with pytest.raises(UsageError, match="2 notes"):
        bundle.demand(held, chosen)


def test_facts_notes_tags_and_retractions_come_along_once(tmp_path: Path) -> None:
    first = library(tmp_path, table(tmp_path / "a.csv", *({"concurrency": 2**n} for n in range(3))))
    source = first.sources()["source_id"][0]
    first.set_facts(source, {"accelerator": "b200", "usd_per_accelerator_hour": 3.5})
    noted, tagged, hidden = ids(first)
    first.annotate(noted, "measured at night")
    first.annotate(source, "a night shift")
    first.tag(tagged, "rerun wanted")
    first.retract(hidden, "the fan was off")
    content = bundle.written(first, View())
    assert content == bundle.written(first, View())
    second = taken_in(tmp_path, content)
    for held in (second, taken_in(tmp_path, content, "again.zip")):
        assert ids(held) == [noted, tagged]
        assert stated(held) == stated(first)
        assert held.fetch("SELECT id, text FROM notes ORDER BY text DESC") == [
            (noted, "measured at night"),
            (source, "a night shift"),
        ]
        assert held.fetch("SELECT id, tag FROM tags") == [(tagged, "rerun wanted")]
    second.restore(hidden)
    assert len(ids(second)) == 3


def test_a_source_with_companions_keeps_its_id(tmp_path: Path) -> None:
    first = Library.open(tmp_path / "library", shipped=False)
    first.add([SAMPLES / "genai_bench" / "levels", SAMPLES / "inference_perf" / "concurrency-4"])
    second = taken_in(tmp_path, bundle.written(first, View.of({"source": ["genai-bench", "inference-perf"]})))
    assert len(ids(second)) == 5
    assert ids(second) == ids(first)
    chosen = bundle.written(first, View.of({"concurrency": ["64"]}))
    with zipfile.ZipFile(io.BytesIO(chosen)) as archive:
        assert sum(name.endswith("_time_2s.json") for name in archive.namelist()) == 1


def test_what_is_hidden_comes_along_hidden_where_all_is_selected(tmp_path: Path) -> None:
    """A source hidden whole and one whose only point is hidden come with their facts; a purged one is gone."""
    files = [table(tmp_path / f"{name}.csv", {"model": name}) for name in ("a", "b", "c", "d")]
    first = library(tmp_path, *files)
    by_model = dict(first.fetch("SELECT model, source_id FROM points"))
    (point,) = first.fetch("SELECT point_id FROM points WHERE model = 'b'")[0]
    first.set_facts(by_model["a"], {"accelerator": "b200"})
    first.retract(by_model["a"], "the wrong driver")
    first.retract(point, "the fan was off")
    first.purge(by_model["c"], "not ours")
    second = taken_in(tmp_path, bundle.written(first, View()))
    assert second.fetch("SELECT model FROM points") == [("d",)]
    assert second.fetch("SELECT id, reason FROM retractions ORDER BY reason") == [
        (point, "the fan was off"),
        (by_model["a"], "the wrong driver"),
    ]
    second.restore(by_model["a"])
    second.restore(point)
    assert second.fetch("SELECT model, accelerator = 'b200-sxm' FROM points ORDER BY 1") == [
        ("a", True),
        ("b", False),
        ("d", False),
    ]
    some = bundle.written(first, View.of({"model": ["d"]}))
    with zipfile.ZipFile(io.BytesIO(some)) as archive:
        assert sum(name.startswith("sources/") for name in archive.namelist()) == 1


def test_a_sweep_read_in_place_becomes_a_source_with_its_notes(tmp_path: Path) -> None:
    Sweep(tmp_path / "library").measure(1, 2, 3)
    first = Library.open(tmp_path / "library", shipped=False)
    noted = ids(first)[0]
    first.annotate(noted, "the first")
    second = taken_in(tmp_path, format_named("bundle").write(first, View()))
    assert len(ids(second)) == len(ids(first)) == 3
    locator = "SELECT locator FROM points WHERE point_id = ?"
    ((there,),) = second.fetch("SELECT id FROM notes")
    assert second.fetch(locator, [there]) == first.fetch(locator, [noted])
