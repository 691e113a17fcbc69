"""Several levels in a row under the best throughput."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, takewhile

from bench.sweep.planning.part import Part, Real, Whole, bounded, plan_field
from bench.sweep.planning.stop_rules import THROUGHPUT, Finished, Judgement
from bench.wording import number, share

FIELD, ON_A_GRID = "falling_levels", False
ROUNDING = 1e-9


class FallingFields(Part):
    """How many levels may fall, and what counts as fallen."""

    falling_levels: Whole = bounded(
        "levels in a row under the best after which a ramp stops; 0 for never", "whole", 20, 0, least=0
    )
    falling_share: Real = plan_field(
        "how far under the best throughput a level counts as fallen", "a number from 0 to 1", 0.03, ge=0, lt=1
    )


FIELDS = FallingFields


def judged(stated: FallingFields, levels: Sequence[Finished]) -> Judgement:
    """Broken by so many levels in a row that each lie under the best so far; one such level is not sustained.

    Without a number of levels nothing falls: longer inputs have less throughput by nature.
    """
    throughputs = [level.metrics.get(THROUGHPUT, 0.0) for level in levels]
    best = list(accumulate(throughputs, max))
    least = (1 - stated.falling_share) * (1 - ROUNDING)
    falls = [one < most * least for one, most in zip(throughputs, best, strict=True)]
    many = sum(takewhile(bool, reversed(falls)))
    if many < stated.falling_levels:
        return Judgement(sustained=not many)
    figures = ", then ".join(number(level.metrics.get(THROUGHPUT)) for level in levels[-many:])
    under = f"{share(stated.falling_share)} under the best, {number(best[-1])} tokens/s ({figures})"
    return Judgement(False, f"{many} levels in a row fell more than {under}")
