"""The shipped library, asked in SQL; and that it is the one made from the recipes."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from bench.catalogue import derivable
from bench.holdings import opened
from bench.library import Library
from data.recipes.__main__ import SHIPPED, add_licences, continue_sources, write_tables
from tests.library.files import table as table_of
from tests.thorough import some

POINTS = {
    "inferencex": 1667,
    "inferencex-token-position": 169,
    "inferencex-gaudi": 8,
    "tensorrt-llm": 373 + 328 + 130 + 72,
    "tpu-public": 13 + 21 + 15,
    "ibm-llm-pilot": 526,
    "mlperf": 1310,
    "sweep-20261121-234814-0fce4d": 60,
    "sweep-20261122-001447-ceed91": 60,
    "sweep-20261126-124752-9483f1": 9,
    "sweep-20261126-125348-f5d1a9": 7,
    "sweep-20261126-125112-461b26": 2,
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What the recipes write."""
    return write_tables(tmp_path_factory.mktemp("made"))


def test_points_of_every_source(shipped: Library) -> None:
    counted = dict(shipped.fetch("SELECT source, count(*) FROM points GROUP BY source"))
    assert {source: counted.get(source) for source in POINTS} == POINTS
    assert shipped.fetch("SELECT count(*), min(n) FROM scores WHERE source = 'inferencex'") == [(531, 1319)]


def test_every_metric_of_every_source_has_a_passport(shipped: Library) -> None:
    columns = sorted(shipped.metric_columns())
    worked_out = derivable(shipped.metric_columns())  # from a figure that has a passport of its own
    held = {(source, metric) for source, metric in shipped.fetch("SELECT source_id, metric FROM passports")}
    counts = ", ".join(f"count({column})" for column in columns)
    for source, *numbers in shipped.fetch(f"SELECT source_id, {counts} FROM points GROUP BY source_id"):
        for column, number in zip(columns, numbers, strict=True):
            assert not number or (source, column) in held or column in worked_out


def test_the_licence_lies_in_the_library_with_the_data(tmp_path: Path) -> None:
    add_licences(tmp_path)
    assert "Permissive - Version 2.0" in (tmp_path / "licences" / "ibm-llm-pilot.md").read_text(encoding="utf-8")


def test_the_shipped_sources_are_what_the_recipes_write(written: list[Path]) -> None:
    """Byte for byte, whatever the seed of this process's hashes."""
    mains = [path for kind in ("csv", "jsonl") for path in SHIPPED.glob(f"sources/*/*.{kind}")]
    assert {path.name: _digest(path) for path in mains} == {path.name: _digest(path) for path in written}


def test_the_shipped_packs_hold_what_importing_the_sources_gives(written: list[Path], tmp_path: Path) -> None:
    held, made = Library.open(SHIPPED, shipped=False), Library.open(tmp_path / "library", shipped=False)
    chosen = some(written, 4)
    report = made.add(chosen)
    assert (len(report.imported), report.refused) == (len(chosen), [])
    if continue_sources(SHIPPED, tmp_path / "library"):
        made.rebuild()
    sources = [source.sha256 for source in report.imported]
    for table in ("points", "scores", "passports"):
        asked = f"SELECT * FROM {table} WHERE source_id IN {(*sources, '')} ORDER BY ALL"
        shipped, again = held.query(asked), made.query(asked)
        beyond = shipped.columns.difference(again.columns)
        assert shipped[beyond].isna().all(axis=None)
        assert shipped.drop(columns=beyond).equals(again[shipped.columns.drop(beyond)])
    held.close()


def test_points_keep_their_ids_when_the_bytes_of_a_shipped_source_change(tmp_path: Path) -> None:
    """The id of a link to a point, and of one to its source, is that of the first library it was in."""
    libraries, first = [tmp_path / name for name in "abc"], ""
    for rate, place in enumerate(libraries):
        rows = [{"concurrency": load, "output_tokens_per_s": 100.0 * load + rate} for load in (1, 2, 4)]
        library = Library.open(place, shipped=False)
        (source,) = library.add([table_of(tmp_path / "made.csv", *rows)]).imported
        assert continue_sources(libraries[rate - 1], place) is (rate > 0)
        library.rebuild()
        first = first or source.sha256
        assert library.continued(first) == source.sha256
        assert opened.source(library, first).id == source.sha256
    ids = [set(Library.open(place, shipped=False).query("SELECT point_id FROM points").point_id) for place in libraries]
    assert ids[0] == ids[1] == ids[2]
    assert len(ids[0]) == 3


def test_what_a_reader_said_of_a_shipped_source_holds_for_the_one_that_continues_it(tmp_path: Path) -> None:
    """A hidden point stays hidden and a stated fact stated, and no point is there twice."""
    first, second, own = (tmp_path / name for name in ("first", "second", "own"))
    for note, place in (("", first), ("as read again", second)):
        rows = [{"concurrency": load, "output_tokens_per_s": 100.0 * load, "note": note} for load in (1, 2, 4)]
        Library.open(place, shipped=False).add([table_of(tmp_path / "made.csv", *rows)])
    before = Library.of([(first, False), (own, True)])
    hidden, *_ = before.query("SELECT point_id FROM points ORDER BY concurrency").point_id
    (source,) = before.query("SELECT source_id FROM sources").source_id
    before.retract(hidden, "a wrong clock")
    before.set_facts(source, {"engine_version": "9.9"})
    assert continue_sources(first, second)
    Library.open(second, shipped=False).rebuild()
    after = Library.of([(second, False), (own, True)])
    assert after.fetch("SELECT count(*), count(DISTINCT point_id) FROM points") == [(2, 2)]
    assert after.fetch("SELECT count(*) FROM sources") == [(1,)]
    after.restore(hidden)
    assert after.fetch("SELECT count(*) FROM points") == [(3,)]
    assert json.loads(after.query("SELECT facts FROM sources").facts[0]) == {"engine_version": "9.9"}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
