"""Bundles: sources of one library with all that people said of them, in one zip that another library takes in whole.

`bundle.json` at the archive's root lists the sources, each in a folder of its own with its file and companions as they
came, and the facts, notes, tags and retractions, and the sha256 of files that only sum some of them up. A source's id
follows from its bytes and so is the same in every library; a sweep read in place becomes a source like any other, whose
id follows from its journal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.errors import BenchError, InputError
from bench.formats.reading.fields import Fields
from bench.formats.reading.json_text import parsed
from bench.library import facts as stated
from bench.library import ledger
from bench.library.importing.archives import Unpacked
from bench.library.store import SHORT_ID, SOURCE_ID, short

NAME = "bundle.json"
MARK, VERSION = "kneepoint_bundle", 1
MAX_BYTES = 64_000_000
ACTIONS = ("annotate", "tag", "retract")
PLACE = re.compile(r"(sources/([0-9a-f]{64})/)[^/]+")
"""Where a source's main file lies, in the folder that its id names."""

MOST_SAID = 20_000
"""So many notes, tags and retractions are in one bundle: every start of a library reads them all."""


@dataclass(frozen=True)
class Remark:
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

    `sums` are files that only sum up its sources and others: their sha256, and one of these sources. `lacking` are the
    places among `mains` where it has no file.
    """

    shown: str
    mains: frozenset[str]
    facts: Mapping[str, Mapping[str, Any]]
    said: tuple[Remark, ...]
    sums: Mapping[str, str] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()

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


@dataclass(frozen=True)
class Bundled:
    """A source as it lies in a bundle: the id that its folder is named by, and the folder's other files."""

    bundle: Bundle
    id: str
    beside: tuple[Path, ...]

    def demand(self, source_id: str, name: str) -> None:
        """Check that its bytes give this id; InputError where they are others than the bundle was made of."""
        if source_id != self.id:
            raise InputError(
                f"{name} is not the file that the bundle was made of: its bytes give the id {short(source_id)}, and it"
                f" lies in the folder of {short(self.id)}; ask for the bundle again, or import the file by itself."
            )


def opened(path: Path, shown: str, files: Sequence[Unpacked]) -> Bundle:
    """What a bundle's file says beside these files; InputError when it is damaged or of a later version."""
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{NAME} in {shown} is larger than {MAX_BYTES:,} bytes.")
    document = Fields(NAME, parsed(path.read_bytes(), NAME))
    version = document.whole(MARK)
    if version != VERSION:
        raise InputError(f"{shown} is a bundle of version {version}; this Kneepoint reads version {VERSION}.")
    mains = _mains(document.list("sources"), Path(shown).name)
    for many, what in (
        (len(document.list("said")), "notes, tags and retractions"),
        (len(document.fields("sums").keys()), "files that sum others up"),
    ):
        if many > MOST_SAID:
            raise InputError(
                f"{NAME} in {Path(shown).name} has {many:,} {what}; at most {MOST_SAID:,} are taken, so divide it."
            )
    held = {file.place for file in files}
    return Bundle(
        shown,
        mains,
        {key: _facts(document.fields("facts").fields(key)) for key in document.fields("facts").keys()},  # noqa: SIM118
        tuple(_said(one) for one in document.each("said")),
        _sums(document.fields("sums")),
        tuple(sorted(mains - held)),
    )


def sources(bundle: Bundle, files: Sequence[Unpacked]) -> Iterator[tuple[Unpacked, Bundled]]:
    """The main file of each source that lies in a bundle, and what goes with it."""
    folders: dict[str, list[Unpacked]] = {}
    for file in files:
        folders.setdefault("/".join(file.place.split("/")[:2]), []).append(file)
    for inside in folders.values():
        for file in inside:
            if file.place in bundle.mains:
                beside = tuple(other.path for other in inside if other is not file)
                yield file, Bundled(bundle, file.place.split("/")[1], beside)


def _mains(places: Sequence[object], archive: str) -> frozenset[str]:
    """The places of the main files; InputError where there is none, or one is no file in the folder of a source."""
    if not places:
        raise InputError(f"{archive} is a bundle without a source, so there is nothing that it could say of one.")
    matches = [PLACE.fullmatch(place) if isinstance(place, str) else None for place in places]
    wrong = next((place for place, match in zip(places, matches, strict=True) if match is None), None)
    if wrong is not None:
        raise InputError(
            f"{NAME} in {archive} names a source at {ascii(wrong)[:80]}; each lies in a folder sources/ID."
        )
    if len({match[2] for match in matches if match}) < len(places):
        raise InputError(f"{NAME} in {archive} names two files for one source.")
    return frozenset(match[0] for match in matches if match)


def _facts(given: Fields) -> dict[str, Any]:
    try:
        found = stated.checked({key: given.raw(key) for key in given.keys()})  # noqa: SIM118
    except BenchError as problem:
        raise InputError(f"{NAME} states a fact that is none: {problem}") from problem
    return {key: value for key, value in found.items() if value is not None}


def _sums(given: Fields) -> dict[str, str]:
    said = {key: given.raw(key) for key in given.keys()}  # noqa: SIM118
    if not all(isinstance(id, str) and SOURCE_ID.fullmatch(id) for pair in said.items() for id in pair):
        raise InputError(f"{given.path} in {NAME} are not files and sources by their sha256.")
    return said


def _said(one: Fields) -> Remark:
    action, id, source_id, text = (one.raw(key) for key in ("action", "id", "source_id", "text"))
    known = isinstance(source_id, str) and SOURCE_ID.fullmatch(source_id)
    of_point = isinstance(id, str) and SHORT_ID.fullmatch(id)
    if action not in ACTIONS or not known or not (of_point or id == source_id) or not isinstance(text, str):
        raise InputError(f"{one.path} in {NAME} is no note, tag or retraction of a source.")
    try:
        text = ledger.tag(text) if action == "tag" else ledger.said(text, "")
    except BenchError as problem:
        raise InputError(f"{one.path} in {NAME}: {problem}") from problem
    return Remark(action, id, source_id, text)
