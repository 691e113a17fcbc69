"""The append-only ledgers of a library: facts, notes, refusals, retractions and the audit of every change."""

from __future__ import annotations

import datetime
import getpass
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.library.store import Root, append_lines

VISIBLE = ("facts", "notes", "refusals", "retractions")
"""The ledgers whose lines change what a reader sees."""

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class Retraction:
    """Why a point, a score or a source is hidden; `purged` says that its bytes are gone as well.

    `source_id` is the source it is or lies in.
    """

    id: str
    kind: str
    source_id: str
    reason: str
    at: str
    who: str
    purged: bool


@dataclass
class Ledgers:
    """What the ledgers of all roots say, in the order it was written."""

    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts_written: dict[str, int] = field(default_factory=dict)
    retractions: dict[str, Retraction] = field(default_factory=dict)
    notes: list[Entry] = field(default_factory=list)
    refusals: list[Entry] = field(default_factory=list)


def now() -> str:
    """The moment as ISO 8601 in UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def person() -> str:
    """The name of the account this process runs under; its number where it has no name."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def write(root: Root, name: str, *entries: Entry) -> None:
    """Nothing; appends the entries to the root's ledger of this name."""
    append_lines(root.ledger(name), *entries)


def audit(root: Root, who: str, what: str, **detail: Any) -> None:
    """Nothing; records who changed what."""
    write(root, "audit", {"at": now(), "who": who, "what": what, **detail})


def lines(path: Path) -> list[Entry]:
    """Every whole entry of a ledger; a torn line, as a crash or a full disk leaves it, is passed over."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [entry for line in content.split(b"\n") if (entry := _entry(line)) is not None]


def size(path: Path) -> int:
    """The bytes of a ledger, 0 where there is none; it changes with every entry."""
    try:
        return path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return 0


def read(roots: Sequence[Root]) -> Ledgers:
    """What all ledgers of these roots say; the later root's entries come later."""
    ledgers = Ledgers()
    for root in roots:
        _fold_facts(ledgers, lines(root.ledger("facts")))
        _fold_retractions(ledgers, lines(root.ledger("retractions")))
        ledgers.notes.extend(lines(root.ledger("notes")))
        ledgers.refusals.extend(lines(root.ledger("refusals")))
    return ledgers


def _entry(line: bytes) -> Entry | None:
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def _fold_facts(ledgers: Ledgers, entries: Iterable[Entry]) -> None:
    for entry in entries:
        source, stated = entry.get("source_id"), entry.get("facts")
        if not isinstance(source, str) or not isinstance(stated, dict):
            continue
        facts = {**ledgers.facts.get(source, {}), **stated}
        ledgers.facts[source] = {key: value for key, value in facts.items() if value is not None}
        ledgers.facts_written[source] = ledgers.facts_written.get(source, 0) + 1


def _fold_retractions(ledgers: Ledgers, entries: Iterable[Entry]) -> None:
    for entry in entries:
        name, action, source_id = entry.get("id"), entry.get("action"), entry.get("source_id")
        if not isinstance(name, str) or not isinstance(source_id, str):
            continue
        if action == "restore":
            ledgers.retractions.pop(name, None)
        elif action in ("retract", "purge"):
            ledgers.retractions[name] = Retraction(
                name,
                "source" if name == source_id else "point",
                source_id,
                str(entry.get("reason", "")),
                str(entry.get("at", "")),
                str(entry.get("who", "")),
                purged=action == "purge",
            )
