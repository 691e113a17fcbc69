"""What every answer stands on, decided once: story, runs, evidence, limits, prices, likeness, ratios and variations.

Its choices are options of every question, so they follow the reader from page to page and stand in every link.
"""

from __future__ import annotations

from collections.abc import Iterable

from bench.basis import evidence, limits, prices
from bench.basis.options import Option, check
from bench.view import View

OPTIONS: tuple[Option, ...] = (*prices.OPTIONS, evidence.RUNS, evidence.FLAGGED)
"""What a reader chooses once for all answers; the limits are a View's own (`slo`)."""


def check_every(view: View, own: Iterable[Option]) -> None:
    """Raise UsageError or UnknownName for the first thing a View asks for, by its options or limits, that cannot be."""
    check(view, (*own, *OPTIONS))
    limits.read(view)


def written_out(view: View) -> View:
    """The View whole, with the runs and flagged points that it ranks written out: no link depends on a default."""
    stated = {row.key: view.option(row.key, row.values[0]) for row in (evidence.RUNS, evidence.FLAGGED)}
    return view.with_options(**stated).made_whole()
