"""What an audit finds: the points, the arithmetic in a sentence, and the flag that it deserves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bench import flags

Status = Literal["new", "flagged", "known"]

DEFECT = "defect"
"""The weight of a finding about Kneepoint's own answers; no flag of a point mends it."""


@dataclass(frozen=True)
class Finding:
    """Figures that cannot all be right, or an answer that its points contradict.

    `text` is the arithmetic in a sentence, with its figures in `values`; `source` is where the figures come from, None
    for an answer of Kneepoint's own. `flag` is the kind of flag that the points deserve, "" where no flag mends it.
    `about` tells findings without points from each other.
    """

    text: str
    flag: str = ""
    source: str | None = None
    point_ids: tuple[str, ...] = ()
    about: str = ""
    values: Mapping[str, float] = field(default_factory=dict)

    @property
    def weight(self) -> str:
        """How much its flag weighs: excludes, warns, notes, or DEFECT."""
        return flags.weight(self.flag) if self.flag else DEFECT

    @property
    def deserves(self) -> str:
        """The flag that its points deserve and how much that weighs, in words."""
        return f"{self.weight}: {flags.words(self.flag)}" if self.flag else self.weight

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
