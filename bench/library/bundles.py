"""Bundles: sources of one library with all that people said of them, in one zip that another library takes in whole.

`bundle.json` at the archive's root lists the sources, each in a folder of its own with its file and companions as they
came, and the facts, notes, tags and retractions, and the sha256 of files that only sum some of them up. A source's id
follows from its bytes and so is the same in every library; a sweep read in place becomes a source like any other, whose
id follows from its journal.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from bench.errors import BenchError, InputError
from bench.formats.foreign.document import parsed
from bench.formats.foreign.fields import Fields
from bench.library import facts as stated
from bench.library import ledger
from bench.library.store import SHORT_ID, SOURCE_ID, Root

NAME = "bundle.json"
MARK, VERSION = "kneepoint_bundle", 1
MAX_BYTES = 64_000_000
ACTIONS = ("annotate", "tag", "retract")


@dataclass(frozen=True)
class Said:
    """What somebody said of a source, a point or a score: a note, a tag or a retraction with its reason.

    `id` is of what it was said of, `source_id` of the source it is or lies in.
    """

    action: str
    id: str
    source_id: str
    text: str


@dataclass(frozen=True)
class Bundle:
    """What a bundle holds: the places of its sources' main files, facts by source id, and what was said of them.

    `sums` are files that only sum up its sources and others: their sha256, and one of these sources.
    """

    shown: str
    mains: frozenset[str]
    facts: Mapping[str, Mapping[str, Any]]
    said: tuple[Said, ...]
    sums: Mapping[str, str] = field(default_factory=dict)

    def encoded(self) -> bytes:
        """The bundle's own file."""
        document = {
            MARK: VERSION,
            "sources": sorted(self.mains),
            "facts": {key: dict(value) for key, value in self.facts.items()},
            "said": [one.__dict__ for one in self.said],
            "sums": dict(self.sums),
        }
        return json.dumps(document, indent=1, ensure_ascii=False, default=str).encode()


def opened(path: Path, shown: str) -> Bundle:
    """What a bundle's file says; InputError when it is damaged or of a later version."""
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{NAME} in {shown} is larger than {MAX_BYTES:,} bytes.")
    document = Fields(NAME, parsed(path.read_bytes(), NAME))
    version = document.whole(MARK)
    if version != VERSION:
        raise InputError(f"{shown} is a bundle of version {version}; this Kneepoint reads version {VERSION}.")
    mains = document.list("sources")
    if not all(isinstance(place, str) and _inside(place) for place in mains):
        raise InputError(f"{NAME} in {shown} names a source that is not in it.")
    return Bundle(
        shown,
        frozenset(mains),
        {key: _facts(document.fields("facts").fields(key)) for key in document.fields("facts").keys()},  # noqa: SIM118
        tuple(_said(one) for one in document.each("said")),
        _sums(document.fields("sums")),
    )


def take_over(
    root: Root, bundles: Sequence[Bundle], ledgers: ledger.Ledgers, known: Collection[str], who: str
) -> None:
    """Nothing; the notes, tags and retractions that nobody has made here before are in the root's ledgers.

    `known` are the sources that are in the library now; what was said of others is passed over.
    """
    written = {(str(note.get("id")), str(note.get("text"))) for note in ledgers.notes}
    made = 0
    for said in (one for bundle in bundles for one in bundle.said if one.source_id in known):
        entry = {
            "at": ledger.now(),
            "who": who,
            "id": said.id,
            "source_id": said.source_id,
            "action": said.action,
        }
        if said.action == "annotate" and (said.id, said.text) not in written:
            ledger.write(root, "notes", {**entry, "text": said.text})
        elif said.action == "tag" and (said.id, said.text) not in ledgers.tags:
            ledger.write(root, "notes", {**entry, "tag": said.text})
        elif said.action == "retract" and said.id not in ledgers.retractions:
            ledger.write(root, "retractions", {**entry, "reason": said.text})
        else:
            continue
        made += 1
    if made:
        ledger.audit(root, who, "bundle", files=[Path(bundle.shown).name for bundle in bundles], notes=made)


def _inside(place: str) -> bool:
    parts = PurePosixPath(place).parts
    return bool(parts) and not place.startswith("/") and ".." not in parts


def _facts(given: Fields) -> dict[str, Any]:
    try:
        return stated.checked({key: given.raw(key) for key in given.keys()})  # noqa: SIM118
    except BenchError as problem:
        raise InputError(f"{NAME} states a fact that is none: {problem}") from problem


def _sums(given: Fields) -> dict[str, str]:
    said = {key: given.raw(key) for key in given.keys()}  # noqa: SIM118
    if not all(isinstance(id, str) and SOURCE_ID.fullmatch(id) for pair in said.items() for id in pair):
        raise InputError(f"{given.path} in {NAME} are not files and sources by their sha256.")
    return said


def _said(one: Fields) -> Said:
    action, id, source_id, text = (one.raw(key) for key in ("action", "id", "source_id", "text"))
    known = isinstance(source_id, str) and SOURCE_ID.fullmatch(source_id)
    of_point = isinstance(id, str) and SHORT_ID.fullmatch(id)
    if action not in ACTIONS or not known or not (of_point or id == source_id) or not isinstance(text, str):
        raise InputError(f"{one.path} in {NAME} is no note, tag or retraction of a source.")
    try:
        text = ledger.tag(text) if action == "tag" else ledger.said(text, "")
    except BenchError as problem:
        raise InputError(f"{one.path} in {NAME}: {problem}") from problem
    return Said(action, id, source_id, text)
