"""What an audit finds: the points, the arithmetic in a sentence, and the flag that it deserves.

Findings that somebody has looked at and leaves as they are, each with the reason, are a ledger beside the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bench import flags
from bench.errors import BenchError
from bench.library import Library, ledger
from bench.library.store import Root
from bench.names import DATA

Status = Literal["new", "flagged", "known"]

ACCEPTED = "accepted"
"""The name of the ledger of accepted findings."""


@dataclass(frozen=True)
class Finding:
    """Figures that cannot all be right.

    `text` is the arithmetic in a sentence, with its figures in `values`; `source` is where they come from, and `flag`
    the kind of flag that the points deserve. `about` tells findings without points from each other.
    """

    text: str
    flag: str
    source: str | None
    point_ids: tuple[str, ...] = ()
    about: str = ""
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def weight(self) -> str:
        """How much its flag weighs: excludes, warns or notes."""
        return flags.weight(self.flag)

    @property
    def deserves(self) -> str:
        """The flag that its points deserve and how much that weighs, in words."""
        return f"{self.weight}: {flags.words(self.flag)}"

    def key(self, check: str) -> str:
        """What names it in the list of known findings: the same for the same check of the same points."""
        told = "\n".join((check, self.about, *sorted(self.point_ids)))
        return hashlib.sha256(told.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Audited:
    """A finding of a check, and whether anybody knows of it already.

    `flagged`: its points carry the flag; `known`: somebody has looked at it and said `reason`.
    """

    check: str
    key: str
    status: Status
    finding: Finding
    reason: str = ""


def accepted(library: Library) -> dict[str, str]:
    """The reason by key of every accepted finding: of the shipped library, then of one's own; the later word counts."""
    paths = (DATA / f"{ACCEPTED}.jsonl", Root(library.path, writable=True).ledger(ACCEPTED))
    entries = (entry for path in paths for entry in ledger.lines(path) if "id" in entry)
    return {str(entry["id"]): str(entry.get("reason", "")) for entry in entries}


def accept(library: Library, key: str, reason: str, *, who: str | None = None) -> None:
    """Accept the finding of this key from now on, for this reason."""
    root, name = Root(library.path, writable=True), who or ledger.person()
    said = ledger.said(reason, "Say why the finding is accepted.")
    try:
        ledger.write(root, ACCEPTED, {"at": ledger.now(), "who": name, "id": key, "reason": said})
        ledger.audit(root, name, "accept", id=key, reason=said)
    except OSError as problem:
        raise BenchError(f"The library {root.path} cannot be written: {problem.strerror or problem}.") from problem
