"""Lines of a ledger that another hand wrote: each is set aside and told, and the library opens with all the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import holdings
from bench.holdings import history
from bench.library import Library, ledger
from bench.library.store import Root
from tests.library.files import sweep
from tests.thorough import some

ODD = {
    "notes": [
        {"id": 5},
        {"id": "x", "text": 5},
        {"id": "x", "text": "a", "at": []},
        {"id": "x"},
        {"id": "x", "tag": 1},
        {"id": "x", "text": "\ud800"},
        {"id": "x", "text": "a", "source_id": 3},
    ],
    "facts": [
        {"id": 5},
        {"source_id": "x", "facts": {"accelerators": "many"}},
        {"source_id": "x", "facts": [1]},
        {"source_id": "x", "facts": {"no_such": "fact"}},
        {"source_id": "x", "facts": {"variant": "\udfff"}},
        {"source_id": "x", "facts": {"usd_per_accelerator_hour": float("nan")}},
    ],
    "refusals": [
        {"id": 5},
        {"file": "a", "reason": 1},
        {"file": "a", "reason": "b", "row": "c"},
        {"file": "a", "reason": "b", "row": 10**30},
        {"file": "a", "reason": "b", "row": True},
        {"file": "a", "reason": "b", "value": {}},
    ],
    "retractions": [
        {"id": 5},
        {"id": "x", "source_id": "x", "action": "explode"},
        {"id": "x", "source_id": "x"},
        {"id": "x", "source_id": "x", "action": "retract", "reason": {}},
    ],
    "sums": [{"id": 5}, {"source_id": 5, "sha256": "x"}],
}


ODD_CHANGES: tuple[dict[str, object], ...] = (
    {"imported": 5},
    {"imported": [{"source_id": 5, "file": 5}]},
    {"at": 5},
    {"who": []},
    {"what": {}},
    {"id": 5},
    {"refused": "many"},
    {"what": "facts", "facts": [5]},
    {"what": "rebuild", "sources": "all"},
    {"endpoint": []},
)


def test_an_odd_line_of_the_audit_does_not_hide_the_others(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    (source,) = (row.sha256 for row in library.add([sweep(tmp_path, 1)]).imported)
    with (library.path / "audit.jsonl").open("a") as stream:
        for said in ODD_CHANGES:
            stream.write(json.dumps({"at": ledger.now(), "who": "ada", "what": "import", **said}) + "\n")
    whole = history.changes(library)
    assert len(whole) + len(library.verify().wrong) == 1 + len(ODD_CHANGES)
    assert len(history.changes(library, source)) == 1
    assert history.brought(library, source) is not None


@pytest.mark.parametrize("name", ODD)
def test_a_line_that_says_nothing_is_set_aside_and_told(tmp_path: Path, name: str) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    (source,) = (row.sha256 for row in library.add([sweep(tmp_path, 1)]).imported)
    library.annotate(source, "a sound line")
    path = Root(library.path, writable=True).ledger(name)
    before = len(path.read_text().splitlines()) if path.exists() else 0
    with path.open("a") as stream:
        for entry in ODD[name]:
            stream.write(json.dumps(entry) + "\n")
    again = Library.open(library.path, shipped=False)
    holdings.counts(again)
    assert again.fetch("SELECT count(*) FROM points") == [(3,)]
    assert again.fetch("SELECT text FROM notes") == [("a sound line",)]
    told = again.fetch('SELECT file, "row" FROM refusals ORDER BY ALL')
    assert told == [(f"{name}.jsonl", before + number) for number in range(1, len(ODD[name]) + 1)]
    assert all(reason.endswith(ledger.MEND) for reason in again.refusals()["reason"])
    assert len(again.verify().wrong) == len(ODD[name])
    again.retract(source, "still works")
    assert again.fetch("SELECT count(*) FROM points") == [(0,)]


def test_every_flipped_bit_of_a_retraction_is_named(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    (source,) = (row.sha256 for row in library.add([sweep(tmp_path, 1)]).imported)
    library.retract(source, "wrong clock")
    path = Root(library.path, writable=True).ledger("retractions")
    whole = path.read_bytes()
    written = {key: value for key, value in json.loads(whole).items() if key != ledger.SUM}
    assert library.verify().wrong == ()
    for place in some(range(len(whole) - 1), 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        entries = [entry for _, entry in ledger.numbered(path)]
        sound = [entry for entry in entries if entry is not None and ledger.wrong_in("retractions", entry) is None]
        # Only a flip in the sum's own name is not seen, which changes nothing that the line says.
        assert all(one[key] == value for one in sound for key, value in written.items()), place
    path.write_bytes(whole.replace(b"wrong clock", b"wrong block"))
    (damage,) = Library.open(library.path, shipped=False).verify().wrong
    assert damage.where == "retractions.jsonl, line 1"


def test_a_line_without_a_sum_about_nothing_that_is_known_is_named(tmp_path: Path) -> None:
    """As an earlier version wrote it: one digit of an id is another, and what it hid is shown again."""
    library = Library.open(tmp_path / "library", shipped=False)
    (source,) = (row.sha256 for row in library.add([sweep(tmp_path, 1)]).imported)
    line = {"action": "retract", "id": source, "source_id": source, "reason": "wrong clock"}
    other = f"{'1' if source[0] == '0' else '0'}{source[1:]}"
    with Root(library.path, writable=True).ledger("retractions").open("a") as stream:
        stream.writelines(json.dumps({**line, "id": id, "source_id": id}) + "\n" for id in (source, other))
    (damage,) = Library.open(library.path, shipped=False).verify().wrong
    assert damage.where == "retractions.jsonl, line 2"


@pytest.mark.parametrize(
    "line",
    [
        "[" * 20_000,
        json.dumps({"action": "purge", "id": "../../x", "source_id": "../../x"}),
        json.dumps({"action": "retract", "id": "x", "source_id": "not a source"}),
        json.dumps({"action": "purge", "id": "../../x", "source_id": "0" * 64}),
        json.dumps({"action": "purge", "id": "0" * 16, "source_id": "0" * 64}),
        json.dumps({"action": "retract", "id": "../../x", "source_id": "0" * 64}),
    ],
    ids=["deep", "a path", "no source", "a path as id", "a purged point", "a path as point"],
)
def test_a_line_that_no_library_writes_closes_nothing(tmp_path: Path, line: str) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1)])
    with Root(library.path, writable=True).ledger("retractions").open("a") as stream:
        stream.write(f"{line}\n")
    again = Library.open(library.path, shipped=False)
    assert again.fetch("SELECT count(*) FROM points") == [(3,)]
    (damage,) = again.verify().wrong
    assert damage.where == "retractions.jsonl, line 1"
