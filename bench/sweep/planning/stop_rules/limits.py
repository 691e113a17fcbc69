"""A metric beyond its limit."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import field_validator

from bench.catalogue import metric
from bench.sweep.planning.part import Part, Real, plan_field
from bench.sweep.planning.stop_rules import Finished, Judgement
from bench.wording import quantity

FIELD, ON_A_GRID = "limits", False


class LimitFields(Part):
    """Metrics with their limits."""

    limits: dict[str, Real] = plan_field(
        "for a ramp or a context search: metrics and the values they may not pass",
        "a table of metrics of `python -m bench metrics`, such as ttft_ms_p99 = 2000",
        {},
    )

    @field_validator("limits")
    @classmethod
    def _metrics(cls, limits: dict[str, float]) -> dict[str, float]:
        return {metric(key).key: limits[key] for key in sorted(limits)}


FIELDS = LimitFields


def judged(stated: LimitFields, levels: Sequence[Finished]) -> Judgement:
    """Broken by the first metric on the wrong side of its limit; one that is not measured breaks none."""
    for key, limit in stated.limits.items():
        value, known = levels[-1].metrics.get(key), metric(key)
        if value is None:
            continue
        if (value < limit) if known.direction == "higher" else (value > limit):
            side = "under" if known.direction == "higher" else "over"
            why = f"{known.label} is {quantity(value, key)}, {side} the limit of {quantity(limit, key)}"
            return Judgement(False, why)
    return Judgement()
