"""Too many failed requests."""

from __future__ import annotations

from collections.abc import Sequence

from bench.sweep.planning.part import DAY, Part, Real, Seconds, bounded
from bench.sweep.planning.stop_rules import Finished, Judgement
from bench.wording import share

FIELD, ON_A_GRID = "error_rate", True


class FailureFields(Part):
    """How many requests may fail, and for how long all of them."""

    error_rate: Real | None = bounded(
        "the share of a point's requests that may fail: a ramp stops there, a grid ends as failed", "number", 1, least=0
    )
    patience_s: Seconds = bounded("how long a sweep goes on without one good answer", "time", DAY, 60.0, least=1)


FIELDS = FailureFields


def judged(stated: FailureFields, levels: Sequence[Finished]) -> Judgement:
    """Broken by a larger share of failures than may be."""
    level, may = levels[-1], stated.error_rate or 0.0
    failed = level.requests_failed / max(1, level.requests_ok + level.requests_failed)
    if failed <= may:
        return Judgement()
    return Judgement(False, f"{share(failed)} of the requests failed, and {share(may)} may")
