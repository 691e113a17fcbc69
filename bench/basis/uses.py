"""The uses that limits are offered for, by data/uses.csv: chat, an API, batch, high traffic."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from bench import names
from bench.basis import limits
from bench.basis.limits import Limit
from bench.view import View

OWN = "own"
"""No use: the reader's own limits alone."""


@dataclass(frozen=True)
class UseCase:
    """A use: its name, its title, what its requests have to keep, and who says so."""

    use: str
    title: str
    limits: tuple[Limit, ...]
    source: str


@cache
def every() -> dict[str, UseCase]:
    """Every use by name, in the order of the table."""
    rows = names.table("uses.csv")
    return {
        row["use"]: UseCase(row["use"], row["title"], limits.read(View.of(slo=row["limits"].split())), row["source"])
        for row in rows
    }


def together(use: str, own: tuple[Limit, ...]) -> tuple[Limit, ...]:
    """The limits of a use and the reader's own, which replace those of the use on the same metric."""
    stated = {(one.metric.key, one.at_most) for one in own}
    of_use = every()[use].limits if use in every() else ()
    return (*(one for one in of_use if (one.metric.key, one.at_most) not in stated), *own)
