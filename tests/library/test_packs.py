"""Packs: rows with other metrics share one, small ones become large ones, and superseded ones go."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.errors import InputError
from bench.library import Library, merging
from bench.library.columns import pack_schema
from bench.library.packs import PENDING_TABLES, HeldSource, PackWriter, listed, read_sheet
from tests.library.files import SCORE, sweep, table
from tests.thorough import some

METRICS = ("ttft_ms_p50", "tpot_ms_p50", "e2el_ms_mean")


def rows(count: int, *metrics: str, start: int = 0) -> pa.Table:
    return pa.table(
        {
            "locator": [f"row {start + n}" for n in range(count)],
            **{name: [float(start + n) for n in range(count)] for name in metrics},
        }
    )


def held(source: str, points: int = 1) -> HeldSource:
    return HeldSource(source, f"{source}.csv", "published", "2026-01-01T00:00:00+00:00", points=points)


def in_library(library: Library) -> list[tuple[object, ...]]:
    return library.fetch("SELECT point_id, source_id, concurrency, output_tokens_per_s FROM points ORDER BY ALL")


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 5), st.sets(st.sampled_from(METRICS))), max_size=6), st.booleans())
def test_a_pack_holds_every_row_with_its_own_metrics(
    tmp_path_factory: pytest.TempPathFactory, parts: list[tuple[int, set[str]]], absorbed: bool
) -> None:
    folder = tmp_path_factory.mktemp("pack")
    writer, expected = PackWriter(folder), []
    for number, (count, metrics) in enumerate(parts):
        part = PackWriter(folder / str(number)) if absorbed else writer
        part.write(rows(count, *sorted(metrics), start=number * 10))
        if absorbed:
            writer.absorb(part)
        for row in rows(count, *sorted(metrics), start=number * 10).to_pylist():
            expected.append({"locator": row["locator"], **{name: row.get(name) for name in METRICS}})
    pack = writer.close([held("a")])
    found = pq.read_table(pack)
    assert [{name: row.get(name) for name in ("locator", *METRICS)} for row in found.to_pylist()] == expected
    assert found.schema.names == pack_schema(frozenset(read_sheet(pack).metrics)).names


def test_many_tables_of_one_row_are_one_pack_in_their_order(tmp_path: Path) -> None:
    count = 3 * PENDING_TABLES + 5
    writer = PackWriter(tmp_path / "all")
    for number in range(count):
        part = PackWriter(tmp_path / str(number))
        part.write(rows(1, METRICS[number % 3], start=number))
        writer.absorb(part)
    found = pq.read_table(writer.close([held("a", count)]))
    assert found.column("locator").to_pylist() == [f"row {number}" for number in range(count)]
    for place, name in enumerate(METRICS):
        values = [float(number) if number % 3 == place else None for number in range(count)]
        assert found.column(name).to_pylist() == values


def test_a_sheet_reads_back_and_passes_over_what_is_new(tmp_path: Path) -> None:
    writer = PackWriter(tmp_path)
    source = HeldSource(
        "a", "a.csv", "published", "now", slugs=("x",), about={"licence": "CC0"}, first_date="2026-01-01"
    )
    pack = writer.close([source], generation=3)
    sheet = read_sheet(pack)
    assert (sheet.sources, sheet.generation) == ((source,), 3)
    stated = json.loads(pack.with_suffix(".json").read_text())
    del stated["seal"]  # a later version's is over what it states itself
    stated["sources"][0]["from_the_future"] = 1
    pack.with_suffix(".json").write_text(json.dumps(stated))
    assert read_sheet(pack) == sheet


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"sources": [{}]}', b"\xff", b"[" * 200_000])
def test_a_pack_without_a_readable_sheet_is_told(tmp_path: Path, content: bytes | None) -> None:
    pack = tmp_path / "a.parquet"
    if content is not None:
        pack.with_suffix(".json").write_bytes(content)
    with pytest.raises(InputError, match="no readable sheet"):
        read_sheet(pack)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Merges begin at four packs already."""
    monkeypatch.setattr(merging, "FAN", 4)


class Killed(BaseException):
    """What ends a process in the middle of its work."""


def killed_before(step: int, change: Callable[[], object]) -> int:
    """Make a change that ends before so many renames and deletions are done, and return how many were."""
    done: list[Path] = []

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def next_step(path: Path, *rest: object, **options: Any) -> Any:
            if len(done) == step:
                raise Killed
            done.append(path)
            return act(path, *rest, **options)

        return next_step

    with pytest.MonkeyPatch.context() as patched, contextlib.suppress(Killed):
        for holder, name in ((Path, "rename"), (Path, "unlink"), (shutil, "rmtree")):
            patched.setattr(holder, name, counted(getattr(holder, name)))
        change()
    return len(done)


def test_an_import_that_ends_before_any_of_its_renames_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    files = [sweep(tmp_path, 1), table(tmp_path / "scores.csv", {}, base=SCORE)]
    whole = killed_before(99, lambda: Library.open(tmp_path / "whole", shipped=False).add(files))
    outcomes: list[tuple[int, ...]] = []
    for step in range(whole + 1):
        place = tmp_path / f"killed before {step}"
        killed_before(step, partial(Library.open(place, shipped=False).add, files))
        library = Library.open(place, shipped=False)
        counted = "SELECT (SELECT count(*) FROM sources), (SELECT count(*) FROM points), (SELECT count(*) FROM scores)"
        outcomes += library.fetch(counted)
        assert library.verify().wrong == ()
    assert outcomes[0] == (0, 0, 0)
    assert outcomes[-1] == (2, 3, 1)
    assert set(outcomes) == {(0, 0, 0), (2, 3, 1)}


CHANGES: dict[str, Callable[[Library, str, Path], object]] = {
    "facts": lambda library, source, folder: library.set_facts(source, {"variant": "x"}),
    "rebuild": lambda library, source, folder: library.rebuild(),
    "purge": lambda library, source, folder: library.purge(source, "personal data"),
    "merge": lambda library, source, folder: library.add([sweep(folder, 3)]),
}


@pytest.mark.parametrize("name", some(CHANGES, 1))
def test_a_change_that_ends_before_any_of_its_steps_harms_no_source(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "FAN", 3)
    monkeypatch.setattr(merging, "GRACE_S", 0.0)
    library = Library.open(tmp_path / "library", shipped=False)
    first, second = (library.add([sweep(tmp_path, number)]).imported[0].sha256 for number in (1, 2))
    library.close()

    def changed(place: Path, step: int) -> int:
        shutil.copytree(tmp_path / "library", place)
        return killed_before(step, lambda: CHANGES[name](Library.open(place, shipped=False), first, tmp_path))

    for step in some(range(changed(tmp_path / "whole", 99) + 1), 3):
        place = tmp_path / f"killed before {step}"
        changed(place, step)
        again = Library.open(place, shipped=False)
        again.add([sweep(tmp_path, 9)])
        found = again.fetch("SELECT source_id, count(*), count(DISTINCT point_id) FROM points GROUP BY 1")
        assert {(points, distinct) for _, points, distinct in found} == {(3, 3)}
        assert ({first, second} if name != "purge" else {second}) <= {source for source, _, _ in found}
        assert again.verify().wrong == ()
        left = [path for path in place.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
        assert name != "purge" or not [path for path in left if first.encode() in path.read_bytes()]


@pytest.mark.usefixtures("few")
def test_many_small_imports_become_few_packs_with_the_same_points(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    reader = Library.open(tmp_path / "library", shipped=False)
    folder = tmp_path / "library" / "points"
    for number in range(merging.FAN):
        library.add([sweep(tmp_path, number)])
        assert len(in_library(library)) == 3 * (number + 1)
    after, version = in_library(library), library.version
    assert len(listed(folder)) == merging.FAN + 1  # readers may still be at the old ones
    assert reader.fetch("SELECT * FROM points") == []
    reader.refresh()
    assert (in_library(reader), reader.version) == (after, version)
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    library.add([sweep(tmp_path, 99)])
    assert len(listed(folder)) == 2
    assert len(in_library(reader)) == 3 * merging.FAN  # reads on, although its packs are gone
    reader.refresh()
    assert in_library(reader) == in_library(library)


@pytest.mark.usefixtures("few")
def test_a_merge_that_another_process_does_is_left_to_it(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    with merging.exclusive(tmp_path / "library" / "merge.lock", wait=False):
        for number in range(merging.FAN):
            library.add([sweep(tmp_path, number)])
    assert len(listed(tmp_path / "library" / "points")) == merging.FAN
    library.add([sweep(tmp_path, 99)])
    assert len(in_library(library)) == 3 * (merging.FAN + 1)


def test_a_source_in_two_packs_counts_once(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1), sweep(tmp_path, 2)])
    pack = next(path for path in (tmp_path / "library" / "points").glob("*.json"))
    for path in (tmp_path / "library" / "points").glob(f"{pack.stem}.*"):
        path.with_name(f"a{path.name}").write_bytes(path.read_bytes())
    both = Library.open(tmp_path / "library", shipped=False)
    assert in_library(both) == in_library(library)
    assert both.fetch("SELECT count(*) FROM passports") == library.fetch("SELECT count(*) FROM passports")
    alone = library.add([sweep(tmp_path, 3)]).imported[0]
    library.set_facts(alone.sha256, {"variant": "x"})
    assert library.fetch("SELECT count(*) FROM points") == [(9,)]
