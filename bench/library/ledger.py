"""The append-only ledgers of a library: facts, notes, refusals, retractions, sums and the audit of every change.

A sum is a file that only sums up what others hold, so that it is no source itself: its sha256, and one that it sums up.
"""

from __future__ import annotations

import contextlib
import datetime
import getpass
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from bench import access
from bench.access import Visitor
from bench.errors import BenchError, NotFound, UsageError
from bench.library.store import SHORT_ID, Root, append_lines, as_line, document, exclusive, is_source_id, short
from bench.records import Refusal
from bench.wording import is_or_are, joined

VISIBLE = ("facts", "notes", "refusals", "retractions", "sums")
"""The ledgers whose lines change what a reader sees, or what an import takes."""

NEEDED: Mapping[str, tuple[str, ...]] = {
    "facts": ("source_id",),
    "notes": ("id",),
    "refusals": ("file", "reason"),
    "retractions": ("id", "source_id", "action"),
    "sums": ("source_id", "sha256"),
    "accepted": ("id", "reason"),
    "audit": ("at", "who", "what"),
}
"""The texts that every entry of a ledger has."""

OF_SOURCES = ("facts", "retractions", "sums")
"""The ledgers each of whose entries is about a source."""

TEXTS = ("id", "source_id", "at", "who", "action", "text", "tag", "reason", "instead", "file", "column", "value",
         "expected", "what", "sweep", "endpoint")  # fmt: skip
"""What is a text in any ledger, where an entry has it."""

MEND = "Mend the line, or record again what it was about and leave the line empty."
PUT_BACK = "Put the file back as it was, or record again what they said and add an empty line for each."
LOST = "lost: `python -m bench verify` says what to do."
GONE = "{:,} of the {:,} lines that were written to it are gone."
TORN = "It is no whole line: a crash, a full disk or a failing one left it."
STAYS_HIDDEN = "Line {} of retractions.jsonl, which hid it, is damaged: hide it again, or bring it back."
READABLE = re.compile(rb'"(action|id|source_id)": "([^"]*)"')
"""What of a retraction can be read though the whole line cannot."""

COUNTS, COUNTS_LOCK = "ledgers.json", "ledgers.lock"
"""How many lines were written to each ledger, since one that has lost its last lines, or all, looks like a sound one.

It may say fewer than there are, where a writer died before it was counted or knew nothing of it, and never more."""

SUM = "sum"
"""Under it an entry holds the beginning of the SHA-256 of all else in it; lines of earlier versions have none."""

MOST_TEXT = 2000
"""So many characters of a reason or a note are kept: a page shows them whole."""

MOST_TAG = 40
"""So many characters of a tag: it stands in a column beside others."""

Entry = Mapping[str, Any]


class Fault(NamedTuple):
    """What is wrong with a line of a ledger, or with all of it where `row` is None, and what to do, in sentences."""

    row: int | None
    what: str
    do: str


@dataclass(frozen=True)
class Retraction:
    """Why a point, a score or a source is hidden; `purged` says that its bytes are gone as well.

    `source_id` is the source it is or lies in, "" where a damaged line does not say. `instead` is the source that
    stands in its place, where an import hid it; where that one is purged it is hidden no longer.
    """

    id: str
    kind: str
    source_id: str
    reason: str
    at: str
    who: str
    purged: bool
    instead: str = ""


@dataclass
class Ledgers:
    """What the ledgers of all roots say, in the order it was written.

    `ever` is all that was said of at any time, taken back or not: ("fact", source, key), ("note", id, text),
    ("tag", id, tag) and ("retract", id). `set_aside` are the lines that are damaged, or say nothing a ledger of their
    name can say.
    """

    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts_written: dict[str, int] = field(default_factory=dict)
    retractions: dict[str, Retraction] = field(default_factory=dict)
    notes: list[Entry] = field(default_factory=list)
    tags: dict[tuple[str, str], Entry] = field(default_factory=dict)
    refusals: list[Entry] = field(default_factory=list)
    sums: dict[str, str] = field(default_factory=dict)
    set_aside: list[Refusal] = field(default_factory=list)
    ever: set[tuple[str, ...]] = field(default_factory=set)

    def retraction(self, id: str) -> Retraction:
        """The retraction of this id, or of the one that begins so, which can be taken back.

        NotFound where there is none; UsageError where the source was purged.
        """
        begun = (row for key, row in self.retractions.items() if len(id) >= 8 and key.startswith(id))
        retraction = self.retractions.get(id) or next(begun, None)
        if retraction is None:
            raise NotFound(f"{id[:80]!r} is not retracted.")
        if retraction.purged:
            raise UsageError(
                f"The source {short(retraction.id)} was purged, its bytes are gone; import its file again with force."
            )
        return retraction


def now() -> str:
    """The moment as ISO 8601 in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def person() -> str:
    """The name of the account this process runs under; its number where it has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def who(visitor: Visitor) -> str:
    """How the ledgers name a visitor: by login or account, else by what let them in."""
    if visitor.user:
        return visitor.user
    return person() if visitor.shell else f"a reader ({access.mode()})"


def said(text: str, wanted: str) -> str:
    """The text as it is kept; UsageError, which says what was `wanted`, when there is none or too much of it."""
    text = text.strip()
    if not text:
        raise UsageError(wanted)
    if len(text) > MOST_TEXT:
        raise UsageError(f"The text has {len(text):,} characters; at most {MOST_TEXT:,} are kept.")
    return text


def tag(text: str) -> str:
    """A tag as it is kept: lower case, single spaces; UsageError when it is none."""
    found = " ".join(text.split()).lower()
    if not found or len(found) > MOST_TAG or "," in found or not found.isprintable():
        raise UsageError(f"A tag has 1 to {MOST_TAG} characters and no comma, such as 'rerun wanted'.")
    return found


def changes(roots: Sequence[Root], set_aside: list[Refusal]) -> list[Entry]:
    """Every change that was recorded, the oldest first; lines that are damaged are `set_aside`."""
    found = (entry for root in roots for entry in sound(root, "audit", set_aside))
    return sorted(found, key=lambda entry: str(entry["at"]))


def write(root: Root, name: str, *entries: Entry) -> None:
    """Append the entries to the root's ledger of this name, each with the sum by which a damaged one is known."""
    whole = ({key: value for key, value in entry.items() if key != SUM} for entry in entries)
    with exclusive(root.path / COUNTS_LOCK, wait=True):
        before = counts(root)
        if before is None:
            before = {one: _line_ends(root.ledger(one)) for one in NEEDED}
        append_lines(root.ledger(name), *({**entry, SUM: _sum(entry)} for entry in whole))
        now = {**before, name: max(before.get(name, 0) + len(entries), _line_ends(root.ledger(name)))}
        with contextlib.suppress(OSError):  # the lines are there, only their number is not
            fresh = root.path / f"{COUNTS}.new"
            fresh.write_bytes(as_line({**now, SUM: _sum(now)}))
            fresh.rename(root.path / COUNTS)


def counts(root: Root) -> dict[str, int] | None:
    """How many lines were written to each ledger of a root at least; None where that is damaged."""
    try:
        stated = document((root.path / COUNTS).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError):
        return None
    many = {name: count for name, count in stated.items() if isinstance(count, int)}
    return many if stated.get(SUM) == _sum(many) else None


def _line_ends(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except (FileNotFoundError, NotADirectoryError):
        return 0


def audit(root: Root, who: str, what: str, **detail: Any) -> None:
    """Record who changed what."""
    write(root, "audit", {"at": now(), "who": who, "what": what, **detail})


def lines(path: Path) -> list[Entry]:
    """Every entry of a ledger as it was written; a torn or damaged line is passed over."""
    return [entry for _, entry in numbered(path) if not isinstance(entry, bytes) and _is_as_written(entry)]


def numbered(path: Path) -> Iterator[tuple[int, Entry | bytes]]:
    """Every line of a ledger that holds anything, by its number; its bytes where it is torn or no entry."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.strip():
            yield number, _entry(line)


def size(path: Path) -> int:
    """The bytes of a ledger, 0 where there is none; it changes with every entry."""
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def read(roots: Sequence[Root], continued: Mapping[str, str] | None = None) -> Ledgers:
    """What all ledgers of these roots say; the later root's entries come later.

    `continued` has the source that continues another, by that one's id: what was said of it holds for the new one.
    """
    ledgers = Ledgers()
    for root in roots:
        said = {name: sound(root, name, ledgers.set_aside) for name in VISIBLE}
        if continued:
            said = {name: [_of_heir(entry, continued) for entry in entries] for name, entries in said.items()}
        _fold_facts(ledgers, said["facts"])
        _fold_retractions(ledgers, said["retractions"])
        _fold_notes(ledgers, said["notes"])
        ledgers.refusals.extend(said["refusals"])
        ledgers.sums.update({str(entry["sha256"]): str(entry["source_id"]) for entry in said["sums"]})
    return ledgers


def _of_heir(entry: Entry, continued: Mapping[str, str]) -> Entry:
    """An entry about a source that another one continues, as one about that."""
    heirs = {key: heir for key in ("id", "source_id") if (heir := continued.get(str(entry.get(key))))}
    return {**entry, **heirs} if heirs else entry


def sound(root: Root, name: str, set_aside: list[Refusal]) -> list[Entry]:
    """The entries of a root's ledger that are as they were written; every other line is `set_aside`, with why.

    A retraction that is damaged goes on hiding what it names.
    """
    entries, wrong = _judged(root, name)
    set_aside += (Refusal(root.ledger(name).name, f"{fault.what} {fault.do}", row=fault.row) for fault in wrong)
    return entries


def faults(root: Root, name: str) -> list[Fault]:
    """What is wrong with a root's ledger: its damaged lines, and that lines are gone."""
    return _judged(root, name)[1]


def _judged(root: Root, name: str) -> tuple[list[Entry], list[Fault]]:
    written = (counts(root) or {}).get(name, 0)  # first: more may come meanwhile
    entries: list[Entry] = []
    wrong: list[Fault] = []
    for number, entry in numbered(root.ledger(name)):
        what = wrong_in(name, entry)
        if what is not None:
            wrong.append(Fault(number, what, MEND))
            entries += _still_hidden(entry, number) if name == "retractions" else ()
        elif not isinstance(entry, bytes):
            entries.append({key: value for key, value in entry.items() if key != SUM})
    gone = written - _line_ends(root.ledger(name))
    if gone > len(wrong):  # a damaged line may be two that have lost the end between them
        wrong.append(Fault(None, GONE.format(gone, written), PUT_BACK))
    return entries, wrong


def _still_hidden(entry: Entry | bytes, number: int) -> list[Entry]:
    """The retraction that a damaged line leaves in force; none where it reads as one taken back, or names no id.

    Of lines whose end is damaged, so that they are one, each leaves its own.
    """
    if isinstance(entry, bytes):
        read = (READABLE.findall(part) for part in entry.split(b"}"))
        parts = ({key.decode(): value.decode(errors="replace") for key, value in pairs} for pairs in read)
        return [one for part in parts for one in _still_hidden(part, number)]
    id, source_id = (one if isinstance(one := entry.get(key), str) else "" for key in ("id", "source_id"))
    if entry.get("action") == "restore" or not (SHORT_ID.fullmatch(id) or is_source_id(id)):
        return []
    lies_in = next((one for one in (id, source_id) if is_source_id(one)), "")
    return [{"action": "retract", "id": id, "source_id": lies_in, "reason": STAYS_HIDDEN.format(number)}]


def in_words(set_aside: Iterable[Refusal]) -> list[str]:
    """A sentence for each ledger with damaged lines, which these are, and for each that has lost some."""
    by_file: dict[str, list[str]] = {}
    told = []
    for line in set_aside:
        if line.row is None:
            told.append(f"Lines of {line.file} are gone, and what was recorded there is {LOST}")
        else:
            by_file.setdefault(line.file, []).append(str(line.row))
    return told + [
        f"Line{'s' * (len(rows) > 1)} {joined(rows, at_most=3)} of {file} {is_or_are(len(rows))} damaged, and what was "
        f"recorded there may be {LOST}"
        for file, rows in by_file.items()
    ]


def wrong_in(name: str, entry: Entry | bytes) -> str | None:
    """Why a line cannot be an entry of a ledger of this name, in a sentence; None where it can."""
    if isinstance(entry, bytes):
        return TORN
    if not _is_as_written(entry):
        return "This line is not as it was written: its sum is another, or no line can hold what it does."
    unfit = next(_unfit(name, entry), None)
    return unfit and f"This line is no entry of {name}.jsonl: {unfit} is not what it has to be."


def _unfit(name: str, entry: Entry) -> Iterator[str]:
    """The keys that are none of an entry of a ledger of this name; what comes after one rests on it."""
    for key in (*NEEDED[name], *TEXTS):
        if not isinstance(entry.get(key), str) and (key in NEEDED[name] or entry.get(key) is not None):
            yield key
    if name in OF_SOURCES and not is_source_id(entry["source_id"]):
        yield "source_id"
    if name == "notes" and entry.get("text") is None and entry.get("tag") is None:
        yield "text"
    count = {"refusals": "row", "audit": "refused"}.get(name)
    if count is not None and not _is_whole(entry.get(count)):
        yield count
    if name == "retractions":
        of_a_source = entry["id"] == entry["source_id"]
        if entry["action"] not in ("retract", "restore", "purge"):
            yield "action"
        elif not of_a_source and (entry["action"] == "purge" or not SHORT_ID.fullmatch(entry["id"])):
            yield "id"
    if name == "facts" and not _are_facts(entry.get("facts")):
        yield "facts"


def _are_facts(stated: object) -> bool:
    from bench.library import facts  # which needs pyarrow, and a sweep tells its audit without

    with contextlib.suppress(BenchError):
        return isinstance(stated, dict) and facts.checked(stated) is not None
    return False


def _sum(entry: Entry) -> str:
    return hashlib.sha256(as_line(entry)).hexdigest()[:16]


def _is_as_written(entry: Entry) -> bool:
    """Whether it can be written, as half a surrogate pair cannot, and its sum is that of all else in it, if any."""
    try:
        summed = _sum({key: value for key, value in entry.items() if key != SUM})
    except (ValueError, RecursionError):
        return False
    return bool(entry.get(SUM, summed) == summed)


def _is_whole(value: object) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63)


def _entry(line: bytes) -> Entry | bytes:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return line
    return entry if isinstance(entry, dict) else line


def _fold_facts(ledgers: Ledgers, entries: Iterable[Entry]) -> None:
    for entry in entries:
        source, stated = entry["source_id"], entry["facts"]
        ledgers.ever.update(("fact", source, key) for key in stated)
        together = {**ledgers.facts.get(source, {}), **stated}
        ledgers.facts[source] = {key: value for key, value in together.items() if value is not None}
        ledgers.facts_written[source] = ledgers.facts_written.get(source, 0) + 1


def _fold_notes(ledgers: Ledgers, entries: Iterable[Entry]) -> None:
    """Apply a line, which is a note, or sets a tag, or takes one away."""
    for entry in entries:
        name, tag = entry.get("id"), entry.get("tag")
        said = ("note", str(entry.get("text"))) if tag is None else ("tag", str(tag))
        ledgers.ever.add((said[0], str(name), said[1]))
        if tag is None:
            ledgers.notes.append(entry)
        elif entry.get("action") == "untag":
            ledgers.tags.pop((str(name), str(tag)), None)
        else:
            ledgers.tags[str(name), str(tag)] = entry


def _give_back(ledgers: Ledgers, purged: str) -> None:
    """Show again what an import hid for a source that is purged now, or hide it for that one's heir."""
    own = ledgers.retractions.get(purged)
    for id, retraction in list(ledgers.retractions.items()):
        if retraction.instead == purged and own is not None and own.instead:
            ledgers.retractions[id] = replace(retraction, instead=own.instead)
        elif retraction.instead == purged:
            del ledgers.retractions[id]


def _fold_retractions(ledgers: Ledgers, entries: Iterable[Entry]) -> None:
    for entry in entries:
        name, action, source_id = entry["id"], entry["action"], entry["source_id"]
        ledgers.ever.add(("retract", name))
        if action == "restore":
            ledgers.retractions.pop(name, None)
        else:
            if action == "purge":
                _give_back(ledgers, name)
            ledgers.retractions[name] = Retraction(
                name,
                "point" if SHORT_ID.fullmatch(name) else "source",
                source_id,
                str(entry.get("reason", "")),
                str(entry.get("at", "")),
                str(entry.get("who", "")),
                purged=action == "purge",
                instead=str(entry.get("instead", "")),
            )
