"""Bundles as strangers make them: they have a say only of their own sources, and only where nobody else had one."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.export import bundle
from bench.library import Library
from bench.library.importing import bundles
from bench.library.importing.bundles import MARK
from bench.library.importing.report import HiddenByBundle, ImportReport
from bench.view import View
from tests.library.files import SCORE, table


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def packed(path: Path, *files: Path, **document: Any) -> Path:
    """A bundle of these files under their own ids, that says all this."""
    places = {f"sources/{sha(file)}/{file.name}": file for file in files}
    said = {MARK: 1, "sources": sorted(places), "facts": {}, "said": [], **document}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("bundle.json", json.dumps(said))
        for place, file in places.items():
            archive.write(file, place)
    return path


def said(action: str, id: str, source_id: str, text: str) -> dict[str, str]:
    return {"action": action, "id": id, "source_id": source_id, "text": text}


def ledgers(held: Library) -> Mapping[str, bytes]:
    """All that a library's ledgers say."""
    return {path.name: path.read_bytes() for path in held.path.glob("*.jsonl")}


def ids(held: Library) -> list[str]:
    return [point for (point,) in held.fetch("SELECT point_id FROM points ORDER BY 1")]


@pytest.fixture
def own(tmp_path: Path) -> Library:
    """A library with two points and a score of its own."""
    held = Library.open(tmp_path / "library", shipped=False)
    held.add([table(tmp_path / "own.csv", {}, {"concurrency": 16}), table(tmp_path / "s.csv", {}, base=SCORE)])
    return held


def test_a_bundle_has_no_say_of_sources_points_and_scores_that_are_not_in_it(own: Library, tmp_path: Path) -> None:
    theirs = table(tmp_path / "theirs.csv", {"model": "theirs"})
    own_id, their_id = own.fetch("SELECT source_id FROM points")[0][0], sha(theirs)
    (score,) = own.fetch("SELECT score_id FROM scores")[0]
    one_of_own = ids(own)[0]
    words = [
        said(action, id, of, "bye")
        for action in ("retract", "tag", "annotate")
        for id, of in ((own_id, own_id), (one_of_own, own_id), (one_of_own, their_id), (score, their_id))
    ]
    path = packed(tmp_path / "evil.zip", theirs, said=words, facts={own_id: {"accelerators": 999}})
    before = own.fetch("SELECT * FROM points ORDER BY point_id")
    for dry_run in (True, False):
        report = own.add([path], dry_run=dry_run)
        assert (len(report.imported), report.taken_over) == (1, [])
        (refused,) = report.refused
        assert refused.file.endswith("evil.zip/bundle.json")
        assert refused.reason.startswith("13 facts")
    assert own.fetch("SELECT * FROM points WHERE model <> 'theirs' ORDER BY point_id") == before
    assert own.fetch("SELECT count(*) FROM scores") == [(1,)]
    assert {name for name in ledgers(own) if name in ("retractions.jsonl", "notes.jsonl", "facts.jsonl")} == set()


def test_what_is_taken_over_is_told_before_and_after(tmp_path: Path) -> None:
    first = Library.open(tmp_path / "first", shipped=False)
    first.add([table(tmp_path / "a.csv", *({"concurrency": 2**n} for n in range(3)))], {"precision": "fp8"})
    source, (one, two, three) = first.fetch("SELECT source_id FROM points")[0][0], ids(first)
    first.set_facts(source, {"accelerators": 8})
    first.annotate(source, "at night")
    first.tag(one, "mine")
    first.retract(two, "the fan was off")
    first.retract(three, "the fan was off")
    path = tmp_path / "told.zip"
    path.write_bytes(bundle.written(first, View()))
    held = Library.open(tmp_path / "held", shipped=False)
    for dry_run in (True, False):
        report = held.add([path], {"precision": "fp4"}, dry_run=dry_run)
        (told,) = report.taken_over
        assert (told.facts, told.notes, told.tags) == (1, 1, 1)
        assert told.hidden == tuple(HiddenByBundle(id, source, "the fan was off") for id in (two, three))
        taken, hidden = report.said_of_taken_over(dry_run=dry_run, shown=lambda file: Path(file).name)
        assert "told.zip: 1 fact, 1 note and 1 tag" in taken
        assert hidden.startswith("told.zip: 2 points")
        assert "the fan was off" in hidden
        assert ImportReport.of(json.loads(json.dumps(report.document()))) == report
    assert ids(held) == [one]
    assert held.fetch("SELECT accelerators, precision FROM points") == [(8, "fp4")]


def test_the_same_bundle_again_changes_nothing_whatever_was_said_since(tmp_path: Path) -> None:
    first = Library.open(tmp_path / "first", shipped=False)
    first.add([table(tmp_path / "a.csv", {}, {"concurrency": 16})])
    source, (one, two) = first.fetch("SELECT source_id FROM points")[0][0], ids(first)
    first.set_facts(source, {"accelerators": 8, "precision": "fp8"})
    first.tag(one, "mine")
    first.retract(two, "the fan was off")
    path = tmp_path / "again.zip"
    path.write_bytes(bundle.written(first, View()))
    held = Library.open(tmp_path / "held", shipped=False)
    held.add([path])
    held.restore(two)
    held.tag(one, "mine", remove=True)
    held.set_facts(source, {"accelerators": 16, "precision": None})
    told, before = ledgers(held), held.fetch("SELECT * FROM points ORDER BY point_id")
    for _ in range(2):
        report = held.add([path])
        assert (report.imported, report.refused, report.taken_over) == ([], [], [])
        assert ledgers(held) == told
    assert held.fetch("SELECT * FROM points ORDER BY point_id") == before
    assert held.fetch("SELECT accelerators, precision, count(*) FROM points GROUP BY ALL") == [(16, None, 2)]
    assert held.fetch("SELECT tag FROM tags") == []
    first.annotate(one, "at night")
    path.write_bytes(bundle.written(first, View()))
    assert [told.notes for told in held.add([path]).taken_over] == [1]
    assert held.fetch("SELECT text FROM notes") == [("at night",)]


def test_other_bytes_than_the_id_says_and_missing_ones_are_refused(tmp_path: Path) -> None:
    good, bad = table(tmp_path / "good.csv", {}), table(tmp_path / "bad.csv", {"model": "bad"})
    wrong, none = f"sources/{'1' * 64}/bad.csv", f"sources/{'2' * 64}/none.csv"
    right = f"sources/{sha(good)}/good.csv"
    path = tmp_path / "x.zip"
    words = [said("retract", "1" * 64, "1" * 64, "bye"), said("annotate", sha(bad), sha(bad), "hello")]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "bundle.json", json.dumps({MARK: 1, "sources": [right, wrong, none], "facts": {}, "said": words})
        )
        archive.write(good, right)
        archive.write(bad, wrong)
    for dry_run in (True, False):
        held = Library.open(tmp_path / "held", shipped=False)
        report = held.add([path], dry_run=dry_run)
        assert [row.sha256 for row in report.imported] == [sha(good)]
        reasons = {Path(row.file).name: row.reason for row in report.refused}
        assert reasons.keys() == {"bad.csv", "none.csv", "bundle.json"}
        assert "2 facts, notes, tags and retractions" in reasons["bundle.json"]
    assert not (tmp_path / "held" / "notes.jsonl").exists()


@pytest.mark.long
def test_a_bundle_that_reaches_out_of_itself_or_states_nonsense_is_refused(tmp_path: Path) -> None:
    file = table(tmp_path / "a.csv", {})
    place = f"sources/{sha(file)}/a.csv"
    bad: list[dict[str, Any]] = [
        {"sources": ["../../etc/passwd"]},
        {"sources": ["a.csv"]},
        {"sources": [f"sources/{'0' * 64}/../a.csv"]},
        {"sources": [place, f"sources/{sha(file)}/b.csv"]},
        {"sources": []},
        {MARK: 2},
        {"facts": {"0" * 64: {"accelerators": "many"}}},
        {"said": [said("purge", "0" * 64, "0" * 64, "x")]},
        {"said": [said("annotate", "../x", "0" * 64, "x")]},
        {"said": [said("annotate", "0" * 64, "0" * 64, "x" * 5000)]},
        {"said": [said("annotate", "0" * 64, "0" * 64, f"{n}") for n in range(bundles.MOST_SAID + 1)]},
        {"sums": {"0" * 64: "../x"}},
        {"sums": {"x": "0" * 64}},
        {"sums": ["0" * 64]},
        {"sums": {f"{n:064x}": "0" * 64 for n in range(bundles.MOST_SAID + 1)}},
    ]
    held = Library.open(tmp_path / "library", shipped=False)
    for number, change in enumerate(bad):
        report = held.add([packed(tmp_path / f"bad{number}.zip", file, **change)])
        assert report.imported == [], change
        assert len(report.refused) == 1, change


def test_many_notes_of_a_bundle_are_one_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = table(tmp_path / "a.csv", {})
    words = [said("annotate", sha(file), sha(file), f"note {number % 300}") for number in range(400)]
    held = Library.open(tmp_path / "held", shipped=False)
    synced, fsync = [], os.fsync
    monkeypatch.setattr("os.fsync", lambda handle: (synced.append(handle), fsync(handle))[1])
    held.add([packed(tmp_path / "many.zip", file, said=words)])
    assert held.fetch("SELECT count(*) FROM notes") == [(300,)]
    assert len(synced) < 30


def test_what_only_a_bundle_calls_a_sum_is_none(own: Library, tmp_path: Path) -> None:
    """Neither is what the library holds hidden for it, nor is what comes later turned away."""
    theirs, later = (table(tmp_path / "theirs.csv", {"model": "x"}), table(tmp_path / "later.csv", {"model": "y"}))
    source = own.fetch("SELECT source_id FROM points")[0][0]
    report = own.add([packed(tmp_path / "sums.zip", theirs, sums={source: sha(theirs), sha(later): sha(theirs)})])
    assert (len(report.imported), report.taken_over) == (1, [])
    assert [sha(theirs)[:12] in row.reason for row in report.refused] == [True]
    assert len(ids(own)) == 3
    assert len(own.add([later]).imported) == 1
