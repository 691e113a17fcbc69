"""Who did what when: the audit of every change, in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

import pandas as pd

from bench.chart import title
from bench.library import Library, ledger
from bench.library.facts import PRICE
from bench.library.ledger import Entry
from bench.library.store import short
from bench.records import Refusal
from bench.wording import counted, joined

DONE = {
    "import": "imported",
    "facts": "stated facts",
    "retract": "hid",
    "restore": "brought back",
    "annotate": "noted",
    "tag": "tagged",
    "untag": "took a tag off",
    "purge": "deleted for good",
    "rebuild": "read every file again",
    "launch": "started a sweep",
    "cancel": "cancelled a sweep",
    "resume": "went on with a sweep",
}
"""The word for each kind of change; one that is not listed here is told by its own."""

COLUMNS = ("at", "who", "what", "about", "detail", "id")
DETAILS: Mapping[str, Callable[[Any], str]] = {
    "reason": str,
    "text": str,
    "tag": str,
    "facts": lambda stated: facts_in_words(stated) if isinstance(stated, dict) else "",
    "refused": lambda count: counted(count, "row or file", "rows and files") + " refused" if count else "",
    "sources": lambda count: counted(count, "source") if isinstance(count, int) else "",
    "endpoint": str,
}


def size(library: Library) -> tuple[int, ...]:
    """What changes with every change that is recorded."""
    return tuple(ledger.size(root.ledger("audit")) for root in library.roots)


def changes(library: Library, source_id: str = "") -> pd.DataFrame:
    """Every change, the newest first: when (UTC), who, what, about which result, and the reason or what was stated.

    Of one source, and of the points in it, where its id or the beginning of it is named.
    """
    titles = dict(library.fetch("SELECT source_id, coalesce(title, file) FROM sources"))
    entries = ledger.changes(library.roots, [])
    for entry in entries:
        for one in _imported(entry):
            titles.setdefault(str(one.get("source_id")), _name(one))
    rows = [
        {
            "at": entry.get("at"),
            "who": entry.get("who"),
            "what": DONE.get(str(entry.get("what")), entry.get("what")),
            "about": _about(entry, titles),
            "detail": "; ".join(filter(None, (tell(entry[key]) for key, tell in DETAILS.items() if entry.get(key)))),
            "id": entry.get("id") or entry.get("source_id") or entry.get("sweep"),
        }
        for entry in reversed(entries)
        if not source_id or _touches(entry, source_id)
    ]
    found = pd.DataFrame(rows, columns=COLUMNS, dtype=object)
    return found.assign(at=moments(found["at"]))


def incomplete(library: Library) -> list[str]:
    """A sentence for each audit ledger of which lines are damaged: the changes they tell of are in no table."""
    set_aside: list[Refusal] = []
    ledger.changes(library.roots, set_aside)
    return ledger.in_words(set_aside)


def moments(texts: pd.Series[Any]) -> pd.Series[Any]:
    """ISO 8601 texts as times in UTC; absent where a text is none."""
    return pd.to_datetime(texts, utc=True, errors="coerce", format="ISO8601").dt.tz_localize(None)


def brought(library: Library, source_id: str) -> tuple[str, str] | None:
    """Who brought a source in and when, by import or by sweep; None where no line of the audit says so."""
    for entry in ledger.changes(library.roots, []):
        of_import = any(one.get("source_id") == source_id for one in _imported(entry))
        if of_import or (entry.get("what") == "launch" and entry.get("sweep") == source_id):
            return str(entry.get("who")), str(entry.get("at"))
    return None


def stated(library: Library, source_id: str) -> pd.DataFrame:
    """The facts people stated about a source that hold now: the fact, its value, who stated it and when."""
    held: dict[str, dict[str, Any]] = {}
    for root in library.roots:
        for entry in ledger.sound(root, "facts", []):
            facts = entry.get("facts")
            if entry.get("source_id") == source_id and isinstance(facts, dict):
                for fact, value in facts.items():
                    held[fact] = {"fact": fact, "value": value, "who": entry.get("who"), "at": entry.get("at")}
    rows = [row for row in held.values() if row["value"] is not None]
    return pd.DataFrame(rows, columns=["fact", "value", "who", "at"], dtype=object)


def fact_label(fact: str) -> str:
    """A fact's name as a page writes it."""
    return "Price of one chip (USD/h)" if fact == PRICE else title(fact)


def facts_in_words(facts: Mapping[str, Any]) -> str:
    """Facts as a sentence lists them; one that was taken back says so."""
    words = [
        f"{fact_label(key)}: {value}" if value is not None else f"{fact_label(key)} taken back"
        for key, value in facts.items()
    ]
    return ", ".join(words)


def _imported(entry: Entry) -> list[Mapping[str, Any]]:
    listed = entry.get("imported")
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _name(imported: Mapping[str, Any]) -> str:
    """A file's name, without the folders of the machine it came from."""
    return PurePath(str(imported.get("file"))).name


def _touches(entry: Entry, source_id: str) -> bool:
    named = (entry.get("id"), entry.get("source_id"), entry.get("sweep"))
    touched = (*named, *(one.get("source_id") for one in _imported(entry)))
    return any(str(name).startswith(source_id) for name in touched if name)


def _about(entry: Entry, titles: Mapping[str, str]) -> str | None:
    """What was changed: the files of an import, a source by its title, a point by the source it lies in."""
    files = [_name(one) for one in _imported(entry)]
    if files:
        return joined(files, at_most=3)
    if sweep := entry.get("sweep"):
        return str(sweep)
    name, source_id = entry.get("id"), entry.get("source_id") or entry.get("id")
    if not source_id:
        return None
    told = titles.get(str(source_id), short(str(source_id)))
    return told if name in (None, source_id) else f"{name}, in {told}"
