"""Sweeps are sources from their first point on: seen at once, counted once, with the same ids whatever happens."""

from __future__ import annotations

import fcntl
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.errors import NotFound, UsageError
from bench.formats.journal import EndLine
from bench.holdings.originals import original
from bench.holdings.tables import passports_of
from bench.library import Library
from bench.library.ids import point_ids
from bench.library.packs import listed
from tests.library.files import sweep as table_of
from tests.library.sweeps import ID, OTHER, Sweep, point, session
from tests.thorough import some, times

pytestmark = pytest.mark.long

EVERYTHING = "SELECT * FROM points ORDER BY source_id, locator"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    opened = Library.open(tmp_path / "library", shipped=False)
    yield opened
    opened.close()


def shown(library: Library) -> list[tuple[Any, ...]]:
    library.refresh()
    return library.fetch("SELECT source_id, concurrency FROM points ORDER BY ALL")


def rows(library: Library) -> list[tuple[Any, ...]]:
    library.refresh()
    return library.fetch(EVERYTHING)


def packs(library: Library) -> list[str]:
    return listed(library.path / "points")


def test_a_point_is_there_as_soon_as_its_line_is(library: Library) -> None:
    versions = [library.version]
    made = Sweep(library.path)
    assert shown(library) == []
    assert list(library.sources()["source_id"]) == []
    for number in (1, 2, 3):
        made.tear(point(number))
        assert len(shown(library)) == number - 1
        made.measure(number)
        assert shown(library) == [(ID, level) for level in range(1, number + 1)]
        versions.append(library.version)
    assert len(set(versions)) == 4
    assert not packs(library)
    expected = point_ids(ID, ["point 1", "point 2", "point 3"]).to_pylist()
    assert [row[0] for row in library.fetch("SELECT point_id FROM points ORDER BY locator")] == expected
    source = library.sources().to_dict("records")[0]
    assert (source["source_id"], source["file"], source["format"]) == (ID, f"sweeps/{ID}/journal.jsonl", "journal")
    assert (source["points"], source["title"]) == (3, "A night at the lab")
    assert source["imported"] == "2026-11-21T12:00:00+00:00"
    assert library.refusals().empty
    assert original(library, ID) == ("journal.jsonl", made.journal.read_bytes())
    other = Library.open(library.path, shipped=False)
    assert (rows(other), other.version) == (rows(library), library.version)
    other.close()


def test_once_it_has_ended_a_pack_holds_the_same(library: Library) -> None:
    made = Sweep(library.path)
    made.measure(1, 2)
    made.say(EndLine("done", "Every point is measured.", "2026-11-21T12:10:00+00:00"))
    before, version, told = rows(library), library.version, passports_of(library, point_id(library))
    library.settle()
    assert len(packs(library)) == 1
    assert (rows(library), library.version) == (before, version)
    assert passports_of(library, point_id(library)).equals(told)
    assert len(told) == 2
    made.journal.chmod(0o000)
    made.journal.rename(made.journal.with_suffix(".away"))
    later = Library.open(library.path, shipped=False)  # what a pack holds is not read from the journal again
    assert rows(later) == before
    later.close()
    library.settle()
    assert len(packs(library)) == 1


def point_id(library: Library) -> str:
    return str(library.fetch("SELECT point_id FROM points ORDER BY locator LIMIT 1")[0][0])


def test_a_running_sweep_gets_no_pack(library: Library) -> None:
    made = Sweep(library.path)
    made.measure(1)
    with (made.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        library.settle()
        library.add([table_of(library.path.parent / "files", 1, 3)])
        assert len(packs(library)) == 1  # that of the file
        assert len(shown(library)) == 4
        with pytest.raises(UsageError, match=f"The sweep {ID} is running: cancel it, then purge it"):
            library.purge(ID, "a slip")
    library.settle()
    assert len(packs(library)) == 2
    assert len(shown(library)) == 4


@pytest.mark.parametrize("seed", some(range(6), 1))
def test_whatever_happens_in_whatever_order_every_point_counts_once(library: Library, seed: int) -> None:
    """Measuring, tearing, settling, stating facts, rebuilding and losing packs, against a plain set."""
    draw, ids = random.Random(seed), dict[tuple[str, int], str]()
    sweeps = [Sweep(library.path), Sweep(library.path, OTHER)]
    measured: set[tuple[str, int]] = set()
    variants: dict[str, str] = {}
    for _ in range(times(20, 12)):
        made = draw.choice(sweeps)
        number = 1 + sum(id == made.id for id, _ in measured)
        match draw.choice("measure measure tear resume settle state rebuild lose take".split()):
            case "measure":
                made.measure(number)
                measured.add((made.id, number))
            case "tear":
                made.tear(point(number), draw.randint(1, 60))
            case "resume":
                made.say(session(made.id))
            case "settle":
                library.settle()
            case "state" if number > 1:
                variants[made.id] = f"variant {draw.random()}"
                library.set_facts(made.id, {"variant": variants[made.id]})
            case "rebuild":
                library.rebuild()
            case "lose":
                shutil.rmtree(library.path / "points", ignore_errors=True)
            case "take":
                library.add([table_of(library.path.parent / "files", draw.randrange(3), 2)])
        seen = Library.open(library.path, shipped=False) if draw.random() < 0.3 else library
        seen.refresh()
        found = seen.fetch("SELECT source_id, concurrency, point_id, variant FROM points WHERE harness = 'kneepoint'")
        assert sorted((id, level) for id, level, _, _ in found) == sorted(measured)
        for id, level, name, variant in found:
            assert ids.setdefault((id, level), name) == name
            assert variant == variants.get(id)
        if seen is not library:
            seen.close()


def test_facts_and_prices_hold_at_once_while_it_runs(library: Library) -> None:
    made = Sweep(library.path, usd_per_accelerator_hour=2.5)
    made.measure(1)
    prices = "SELECT accelerator, usd_per_accelerator_hour FROM prices WHERE book = 'stated'"
    library.refresh()
    assert library.fetch(prices) == [("h100-sxm", 2.5)]
    with (made.folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        library.set_facts(ID[:8], {"accelerator": "h200", "usd_per_accelerator_hour": 3})
        made.measure(2)
        assert not packs(library)
        for _ in range(2):
            library.refresh()
            assert library.fetch("SELECT DISTINCT accelerator FROM points") == [("h200-sxm",)]
            assert library.fetch(prices) == [("h200-sxm", 3.0)]
            library.settle()
    library.set_facts(ID, {"accelerator": None, "usd_per_accelerator_hour": None})
    assert len(packs(library)) == 1
    assert library.fetch("SELECT DISTINCT accelerator FROM points") == [("h100-sxm",)]
    assert library.fetch(prices) == [("h100-sxm", 2.5)]


def test_points_and_sweeps_are_hidden_and_noted_like_any_other(library: Library) -> None:
    made = Sweep(library.path)
    made.measure(1, 2)
    second = point_ids(ID, ["point 2"]).to_pylist()[0]
    library.annotate(second, "the fan failed")
    library.retract(second, "too hot")
    assert shown(library) == [(ID, 1)]
    made.measure(3)
    assert shown(library) == [(ID, 1), (ID, 3)]
    library.settle()
    assert shown(library) == [(ID, 1), (ID, 3)]
    library.restore(second)
    library.retract(ID, "the wrong machine")
    made.measure(4)
    assert shown(library) == []
    library.restore(ID)
    assert len(shown(library)) == 4
    assert library.fetch("SELECT source_id, text FROM notes") == [(ID, "the fan failed")]


@pytest.mark.parametrize("settled", [False, True])
def test_a_purged_sweep_is_gone_with_its_folder(library: Library, settled: bool) -> None:
    made, other = Sweep(library.path), Sweep(library.path, OTHER)
    made.measure(1, 2)
    other.measure(1)
    if settled:
        library.settle()
    library.purge(ID, "it was a secret")
    assert not made.folder.exists()
    assert shown(library) == [(OTHER, 1)]
    assert library.rebuild().sources == 1
    assert shown(library) == [(OTHER, 1)]
    Sweep(library.path).measure(1)  # a copy put back by hand
    assert shown(library) == [(OTHER, 1)]
    nothing = Sweep(library.path, "20261119-080000-654321")
    with pytest.raises(NotFound):
        library.retract(nothing.id, "nothing there")
    library.purge(nothing.id, "tidying up")
    assert not nothing.folder.exists()


@pytest.mark.parametrize(
    ("line", "said"), [(b"{oops\n", "not valid JSON"), (b'{"kneepoint_journal":9}\n', "version 9")]
)
def test_a_damaged_journal_is_told_and_harms_no_other(library: Library, line: bytes, said: str) -> None:
    made, other = Sweep(library.path), Sweep(library.path, OTHER)
    other.measure(1)
    made.measure(1)
    with made.journal.open("ab") as stream:
        stream.write(line)
    assert shown(library) == [(OTHER, 1)]
    told = library.refusals().to_dict("records")
    assert [row["file"] for row in told] == [f"sweeps/{ID}/journal.jsonl"]
    assert said in told[0]["reason"]
    assert "line 3" in told[0]["reason"]
    made.measure(2)  # cuts it off
    assert len(shown(library)) == 3
    assert library.refusals().empty


def test_what_a_pack_holds_of_it_stays_when_its_journal_is_damaged(library: Library) -> None:
    made = Sweep(library.path)
    made.measure(1)
    library.settle()
    with made.journal.open("ab") as stream:
        stream.write(b"oops\n")
    assert shown(library) == [(ID, 1)]
    assert len(library.refusals()) == 1
    assert library.rebuild().sources == 0
    assert shown(library) == [(ID, 1)]


def test_its_own_journal_is_not_imported_and_a_copy_counts_once(library: Library, tmp_path: Path) -> None:
    made = Sweep(library.path)
    made.measure(1)
    report = library.add([made.journal])
    assert "read in place" in report.refused[0].reason
    copy = tmp_path / "copied.jsonl"
    shutil.copy(made.journal, copy)
    library.refresh()
    report = library.add([copy])
    assert [row.sha256 for row in report.already] == [ID]
    assert shown(library) == [(ID, 1)]


def test_an_imported_journal_gives_way_to_its_sweep(library: Library, tmp_path: Path) -> None:
    elsewhere = Sweep(tmp_path / "elsewhere")
    elsewhere.measure(1, 2)
    (imported,) = library.add([elsewhere.journal]).imported
    assert shown(library) == [(imported.sha256, 1), (imported.sha256, 2)]
    shutil.copytree(elsewhere.folder, library.path / "sweeps" / ID)
    assert shown(library) == [(ID, 1), (ID, 2)]
    library.settle()
    assert shown(library) == [(ID, 1), (ID, 2)]


@pytest.mark.parametrize("together", [False, True])
def test_of_two_imports_of_a_journal_the_longer_counts(library: Library, tmp_path: Path, together: bool) -> None:
    """A sweep imported half-way and again when it was whole, in either order, is one source with its points once."""
    elsewhere = Sweep(tmp_path / "elsewhere")
    elsewhere.measure(1, 2)
    (tmp_path / "copies").mkdir()
    half, whole = tmp_path / "copies" / "half.jsonl", tmp_path / "copies" / "whole.jsonl"
    shutil.copy(elsewhere.journal, half)
    elsewhere.say(session())
    elsewhere.measure(3)
    shutil.copy(elsewhere.journal, whole)
    if together:
        library.add([tmp_path / "copies"])
    else:
        library.add([half])
        assert len(shown(library)) == 2
        assert len(library.add([whole]).imported) == 1
    (source,) = library.sources()["source_id"]
    assert shown(library) == [(source, 1), (source, 2), (source, 3)]
    again = library.add([half, whole])
    assert (again.imported, [row.sha256 for row in again.already]) == ([], [source, source])
    library.rebuild()
    assert shown(library) == [(source, 1), (source, 2), (source, 3)]


def test_what_is_no_sweep_among_the_sweeps_is_passed_over(library: Library) -> None:
    (library.path / "sweeps" / "notes").mkdir(parents=True)
    (library.path / "sweeps" / "README").write_text("hello")
    (library.path / "sweeps" / OTHER).write_text("a file where a folder belongs")
    Sweep(library.path).measure(1)
    assert shown(library) == [(ID, 1)]
    assert library.refusals().empty
