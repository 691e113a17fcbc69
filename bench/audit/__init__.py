"""The figures of a library held against each other.

Each check is one module of `checks`, found by listing it: it states TITLE and RULE and has `findings(library)`. What a
reader already knows is no news: points that carry the flag they deserve, and what somebody has looked at and accepted.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, cast

import pandas as pd

from bench import flags
from bench.audit import checks as folder
from bench.audit.finding import Audited, Finding, Status, accepted
from bench.basis import interpolated
from bench.basis.document import document
from bench.basis.interpolated import PredictionError
from bench.basis.wording import opened
from bench.library import Library
from bench.progress import steps
from bench.wording import counted, is_or_are, share

MOST = 500
"""So many findings of one check are listed; the rest is counted."""

ORDER: tuple[Status, ...] = ("new", "flagged", "known")


class Check(Protocol):
    """What every module of `checks` has."""

    TITLE: str
    RULE: str

    def findings(self, library: Library) -> Iterator[Finding]:
        """What breaks the rule, the worst first."""


@dataclass(frozen=True)
class Audit:
    """What all checks found, new findings first; `unlisted` counts by check what is beyond MOST.

    `errors` are how wrong interpolation between the library's own points has been.
    """

    points: int
    rows: tuple[Audited, ...]
    unlisted: Mapping[str, int]
    errors: tuple[PredictionError, ...]

    def many(self, status: Status) -> int:
        """How many listed findings have this status."""
        return sum(row.status == status for row in self.rows)

    @property
    def headline(self) -> str:
        """How much was checked and what of it is new, in one sentence."""
        about = f"{counted(len(checks()), 'check')} of {counted(self.points, 'point')}"
        new, older = self.many("new"), self.many("flagged") + self.many("known")
        before = f"; {older:,} {is_or_are(older)} flagged or accepted already" if older else ""
        return f"{about} found {counted(new, 'new contradiction') if new else 'nothing new'}{before}."

    @property
    def interpolation(self) -> str:
        """How wrong throughput at a load has been where most points could be left out; "" where too few could."""
        of_throughput = [
            one for one in self.errors if (one.metric, one.at, one.source) == (interpolated.RATE, None, None)
        ]
        if not of_throughput:
            return ""
        most = max(of_throughput, key=lambda one: one.points)
        within = f"throughput was predicted within {share(most.median)}, nine of ten within {share(most.p90)}"
        return f"{opened(interpolated.rests_on(most))}: {within}."

    def table(self) -> pd.DataFrame:
        """A row for each finding: its status, check, source, arithmetic, the flag it deserves and what that weighs."""
        return pd.DataFrame(
            [
                {
                    "status": row.status,
                    "check": checks()[row.check].TITLE,
                    "finding": row.finding.text,
                    "deserves": row.finding.deserves,
                    "source": row.finding.source,
                    "points": len(row.finding.point_ids),
                    "reason": row.reason or None,
                    "key": row.key,
                }
                for row in self.rows
            ]
        )

    def document(self) -> dict[str, Any]:
        """The audit as JSON's own types: the headline, the checks with their rules, and every finding."""
        return {
            "headline": self.headline,
            "new": self.many("new"),
            "checks": [
                {"check": name, "title": check.TITLE, "rule": check.RULE, "unlisted": self.unlisted.get(name, 0)}
                for name, check in checks().items()
            ],
            "findings": [
                {
                    "status": row.status,
                    "key": row.key,
                    "check": row.check,
                    "source": row.finding.source,
                    "text": row.finding.text,
                    "flag": row.finding.flag,
                    "weight": row.finding.weight,
                    "point_ids": list(row.finding.point_ids),
                    "values": dict(row.finding.values),
                    "reason": row.reason,
                }
                for row in self.rows
            ],
            "interpolation": document(self.errors),
        }


@cache
def checks() -> dict[str, Check]:
    """Every check by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    return {name: cast(Check, importlib.import_module(f"{folder.__name__}.{name}")) for name in names}


def run(library: Library) -> Audit:
    """What every check finds in a library."""
    known = accepted(library)
    rows: list[Audited] = []
    unlisted = {}
    for name, check in steps(checks().items(), lambda one: one[1].TITLE):
        found = list(check.findings(library))
        if len(found) > MOST:
            unlisted[name] = len(found) - MOST
        for finding, flagged in zip(found, _flagged(library, found[:MOST]), strict=False):
            key = finding.key(name)
            status: Status = "known" if key in known else "flagged" if flagged else "new"
            rows.append(Audited(name, key, status, finding, known.get(key, "")))
    (points,) = library.fetch("SELECT count(*) FROM points")[0]
    rows.sort(key=lambda row: ORDER.index(row.status))
    return Audit(points, tuple(rows), unlisted, interpolated.errors(library))


def _flagged(library: Library, findings: Sequence[Finding]) -> list[bool]:
    """Of each finding whether one of its points carries the flag: the others contradict what is in doubt."""
    ids = sorted({id for finding in findings for id in finding.point_ids})
    stated = dict(
        library.fetch(
            "SELECT point_id, flags FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))", (ids,)
        )
    )
    return [any(finding.flag in flags.kinds_of(stated.get(id)) for id in finding.point_ids) for finding in findings]
