"""Lines of a ledger that another hand wrote: each is set aside and told, and the library opens with all the others."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import pytest

from bench.cli import main
from bench.holdings import history
from bench.holdings.tables import counts
from bench.library import Library, ledger
from bench.library.store import Root, append_lines
from bench.questions import question
from bench.records import Refusal
from bench.view import View
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
    counts(again)
    assert again.fetch("SELECT count(*) FROM points") == [(3,)]
    assert again.fetch("SELECT text FROM notes") == [("a sound line",)]
    told = again.fetch('SELECT file, "row" FROM refusals ORDER BY ALL')
    assert told == [(f"{name}.jsonl", before + number) for number in range(1, len(ODD[name]) + 1)]
    assert all(reason.endswith(ledger.MEND) for reason in again.refusals()["reason"])
    assert len(again.verify().wrong) == len(ODD[name])
    again.retract(source, "still works")
    assert again.fetch("SELECT count(*) FROM points") == [(0,)]


WRITTEN: dict[str, dict[str, object]] = {
    "facts": {"source_id": "0" * 64, "facts": {"accelerator": "h100-sxm"}},
    "notes": {"id": "0" * 64, "source_id": "0" * 64, "action": "annotate", "text": "a warm {room}"},
    "refusals": {"file": "a.csv", "reason": "no number", "row": 3},
    "retractions": {"id": "1" * 16, "source_id": "0" * 64, "action": "retract", "reason": "wrong clock"},
    "sums": {"source_id": "0" * 64, "sha256": "2" * 64},
    "audit": {"what": "retract", "id": "1" * 16},
}
"""An entry of each ledger."""


def says(root: Root, name: str) -> tuple[object, list[Refusal]]:
    """What a root's ledgers say, of each entry what it was written with; and the lines that are set aside."""
    keys, aside = {*WRITTEN[name], "at", "who"}, list[Refusal]()
    entries = [{key: entry.get(key) for key in keys} for entry in ledger.sound(root, name, aside)]
    return (entries, ledger.read([root]).retractions.keys()), aside


@pytest.mark.parametrize("name", WRITTEN)
def test_no_flipped_bit_of_a_ledger_changes_what_it_says_in_silence(tmp_path: Path, name: str) -> None:
    """Of two lines, whose line ends may be flipped as well. A flip in the name of a sum changes nothing else."""
    root = Root(tmp_path, writable=True)
    ledger.write(root, name, *({"at": ledger.now(), "who": who, **WRITTEN[name]} for who in ("ada", "bob")))
    path, (before, _) = root.ledger(name), says(root, name)
    whole, first = path.read_bytes(), path.read_bytes().index(b"\n")
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        now, aside = says(root, name)
        assert now == before or 1 + (place > first) in [one.row for one in aside], place
        assert all(f"of {name}.jsonl" in one and "verify" in one for one in ledger.in_words(aside))
    path.write_bytes(whole.replace(b'"ada"', b'"adb"'))
    library = Library.of([(tmp_path, True)])
    assert next(one.where for one in library.verify().wrong) == f"{name}.jsonl, line 1"
    told = history.incomplete(library) if name == "audit" else library.incomplete()
    assert [one.partition(",")[0] for one in told] == [f"Line 1 of {name}.jsonl is damaged"]


def written(root: Root, name: str, many: int) -> Path:
    """A ledger once so many entries more were written."""
    ledger.write(root, name, *({"at": ledger.now(), "who": "ada", **WRITTEN[name]} for _ in range(many)))
    return root.ledger(name)


@pytest.mark.parametrize("name", WRITTEN)
def test_lines_that_are_gone_are_told_until_they_are_made_good(tmp_path: Path, name: str) -> None:
    """A ledger is deleted, emptied, or cut behind a line or within one; and goes on."""
    root = Root(tmp_path, writable=True)
    path = written(root, name, 3)
    whole = path.read_bytes()
    first, second, third = whole.splitlines(keepends=True)
    assert ledger.faults(root, name) == []
    path.unlink()
    assert ledger.faults(root, name) == [(None, ledger.GONE.format(3, 3), ledger.PUT_BACK)]
    for left, gone in ((b"", 3), (first + third, 1), (first, 2), (first + second[:9], 2), (b"\n\n\n", 0)):
        path.write_bytes(left)
        assert [fault.what for fault in ledger.faults(root, name) if fault.row is None] == (
            [ledger.GONE.format(gone, 3)] if gone else []
        )
    path.write_bytes(first)
    written(root, name, 2)
    aside = list[Refusal]()
    assert len(ledger.sound(root, name, aside)) == 3
    assert [(one.file, one.row) for one in aside] == [(f"{name}.jsonl", None)]
    assert ledger.in_words(aside) == [f"Lines of {name}.jsonl are gone, and what was recorded there is {ledger.LOST}"]
    path.write_bytes(path.read_bytes() + b"\n\n")
    assert ledger.faults(root, name) == []


def test_an_emptied_ledger_is_told_by_verify_and_with_answers(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    (source,) = (row.sha256 for row in library.add([sweep(tmp_path, 1)]).imported)
    library.retract(source, "wrong clock")
    (library.path / "retractions.jsonl").write_bytes(b"")
    (library.path / "audit.jsonl").unlink()
    again = Library.open(library.path, shipped=False)
    assert [one.where for one in again.verify().wrong] == ["retractions.jsonl", "audit.jsonl"]
    assert [one.split()[2] for one in (*again.incomplete(), *history.incomplete(again))] == [
        "retractions.jsonl", "audit.jsonl"
    ]  # fmt: skip


def test_lines_that_were_written_and_not_counted_are_no_fault_and_counted_with_the_next(tmp_path: Path) -> None:
    """By an earlier version, by a writer that died, and on a disk that takes no more."""
    root = Root(tmp_path, writable=True)
    append_lines(root.ledger("notes"), WRITTEN["notes"])
    assert (ledger.counts(root), ledger.faults(root, "notes")) == ({}, [])
    written(root, "notes", 1)
    append_lines(root.ledger("notes"), WRITTEN["notes"])
    assert (ledger.counts(root), ledger.faults(root, "notes")) == ({"notes": 2}, [])
    written(root, "notes", 1)
    assert ledger.counts(root) == {"notes": 4}
    (tmp_path / f"{ledger.COUNTS}.new").mkdir()
    written(root, "notes", 1)
    assert (ledger.counts(root), len(ledger.lines(root.ledger("notes")))) == ({"notes": 4}, 5)


def test_damaged_counts_are_told_as_that_and_belie_no_ledger(tmp_path: Path) -> None:
    root = Root(tmp_path, writable=True)
    written(root, "notes", 1)
    counts = tmp_path / ledger.COUNTS
    counts.write_bytes(counts.read_bytes().replace(b'"notes": 1', b'"notes": 9'))
    assert [one.where for one in Library.of([(tmp_path, True)]).verify().wrong] == [ledger.COUNTS]
    written(root, "audit", 1)
    assert {name: many for name, many in (ledger.counts(root) or {}).items() if many} == {"notes": 1, "audit": 1}


def test_whoever_looks_while_others_write_misses_no_line(tmp_path: Path) -> None:
    root = Root(tmp_path, writable=True)
    with ThreadPoolExecutor(max_workers=3) as writers:
        ways = [writers.submit(lambda: [written(root, name, 2) for name in ("notes", "audit") * 6]) for _ in range(3)]
        writing = True
        while writing:
            writing = not all(way.done() for way in ways)
            assert ledger.faults(root, "notes") == ledger.faults(root, "audit") == []
        for way in ways:
            way.result()
    assert ledger.counts(root) == {"notes": 36, "audit": 36}


def damaged(library: Library, old: bytes, new: bytes) -> Library:
    """The library once these bytes of its retractions have become others, opened anew."""
    path = Root(library.path, writable=True).ledger("retractions")
    content = path.read_bytes()
    assert content.count(old) >= 1
    path.write_bytes(content.replace(old, new, 1))
    return Library.open(library.path, shipped=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"wrong clock", b"wrong block"),
        (b'{"action"', b'z"action"'),
        (b'"retract"', b'"retrabt"'),
        (b'"source_id": "', b'"source_if": "'),
        (b'"sum": "', b'"sum": ""'),
        (b"}\n{", b"}\x0b{"),
    ],
    ids=["its reason", "no JSON", "its action", "its source", "its sum", "the end of its line"],
)
def test_a_damaged_retraction_goes_on_hiding_what_it_names_and_can_be_taken_back(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1)])
    ids = [id for (id,) in library.fetch("SELECT point_id FROM points ORDER BY 1")]
    for id in ids[:2]:
        library.retract(id, "wrong clock")
    again = damaged(library, old, new)
    assert again.fetch("SELECT point_id FROM points") == [(ids[2],)]
    (told,) = again.incomplete()
    assert told.startswith("Line 1 of retractions.jsonl is damaged")
    assert "verify" in told
    reasons = dict(again.fetch("SELECT id, reason FROM retractions"))
    assert reasons[ids[0]] == ledger.STAYS_HIDDEN.format(1)
    again.restore(ids[0])
    assert again.fetch("SELECT count(*) FROM points") == [(2,)]
    assert again.incomplete() == [told]


def test_a_damaged_line_that_shows_again_shows_nothing_and_one_whose_id_is_lost_is_told(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    (source,) = (row.sha256 for row in library.add([sweep(tmp_path, 1)]).imported)
    library.retract(source, "wrong clock")
    library.restore(source)
    again = damaged(library, b'"restore"', b'"restose"')
    assert again.fetch("SELECT count(*) FROM points") == [(0,)]
    assert again.incomplete()[0].startswith("Line 2 of retractions.jsonl is damaged")
    lost = damaged(library, source[:8].encode(), b"not hex ")
    assert lost.incomplete()[0].startswith("Lines 1 and 2 of retractions.jsonl are damaged")


def test_a_damaged_line_deletes_nothing(tmp_path: Path) -> None:
    """It reads as a purge and its sum is wrong: the source is hidden, and its files and rows stay."""
    library = Library.open(tmp_path / "library", shipped=False)
    (source,) = (row.sha256 for row in library.add([sweep(tmp_path, 1)]).imported)
    library.retract(source, "wrong clock")
    again = damaged(library, b'"retract"', b'"purge"')
    assert again.fetch("SELECT count(*) FROM points") == [(0,)]
    again.restore(source)
    assert again.fetch("SELECT count(*) FROM points") == [(3,)]


@pytest.mark.long
def test_every_way_to_an_answer_tells_of_a_damaged_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Six commands, each of which opens the library anew."""
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1)])
    for name in ("retractions", "audit"):
        with Root(library.path, writable=True).ledger(name).open("a") as stream:
            stream.write('{"id": "cut off\n')
    ways = {
        ("query", "SELECT 1", "--json"): "retractions",
        ("sources", "--json"): "retractions",
        ("ask", "heatmap", "--csv"): "retractions",
        ("export", "published-csv", "-o", str(tmp_path / "out.csv"), "--json"): "retractions",
        ("audit", "--json"): "retractions",
        ("history", "--json"): "audit",
    }
    for way, name in ways.items():
        main([*way, "--library", str(library.path), "--no-shipped"])
        printed = capsys.readouterr()
        assert f"of {name}.jsonl is damaged" in printed.err, way
        assert "damaged" not in printed.out, way
        assert "--json" not in way or json.loads(printed.out), way
    answer = question("heatmap").answer(Library.open(library.path, shipped=False), View())
    assert any("of retractions.jsonl is damaged" in one for one in answer.said("caveat"))


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


SUMMED = '{{"id": "x", "source_id": "x", "action": "retract", "text": "t", "sum": "x", {}: {}}}'


@pytest.fixture(scope="module")
def one_sweep(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of one sweep."""
    folder = tmp_path_factory.mktemp("one")
    library = Library.open(folder / "library", shipped=False)
    library.add([sweep(folder, 1)])
    return library.path


LINES = [
    "[" * 20_000,
    json.dumps({"action": "purge", "id": "../../x", "source_id": "../../x"}),
    json.dumps({"action": "retract", "id": "x", "source_id": "not a source"}),
    json.dumps({"action": "purge", "id": "../../x", "source_id": "0" * 64}),
    json.dumps({"action": "purge", "id": "0" * 16, "source_id": "0" * 64}),
    json.dumps({"action": "retract", "id": "../../x", "source_id": "0" * 64}),
    SUMMED.format('"q"', "NaN"),
    SUMMED.format('"q"', "-Infinity"),
    SUMMED.format('"q"', "1e999"),
    SUMMED.format('"q"', '"\\ud800"'),
    SUMMED.format('"\\udfff"', "1"),
    SUMMED.format('"q"', "1" * 5_000),
    SUMMED.format('"q"', "[" * 900 + "]" * 900),
    SUMMED.format('"q"', "[" * 20_000 + "]" * 20_000),
    SUMMED.format('"id"', "[" * 900 + "]" * 900),
]


@pytest.mark.parametrize(
    ("name", "line"), [*product(["retractions"], LINES), *product(["notes", "accepted", "audit"], some(LINES, 2))]
)
def test_a_line_that_no_library_writes_closes_nothing(one_sweep: Path, tmp_path: Path, name: str, line: str) -> None:
    path = Root(Path(shutil.copytree(one_sweep, tmp_path / "library")), writable=True).ledger(name)
    with path.open("a") as stream:
        stream.write(f"{line}\n")
    again = Library.open(path.parent, shipped=False)
    assert again.fetch("SELECT count(*) FROM points") == [(3,)]
    (damage,) = again.verify().wrong
    assert damage.where == f"{name}.jsonl, line {2 if name == 'audit' else 1}"
    assert len(history.changes(again)) == 1
