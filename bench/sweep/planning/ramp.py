"""Climbing one level after another until a rule is broken: what was sustained, and what broke."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.catalogue import metric
from bench.sweep.planning.shapes import PlannedPoint
from bench.wording import number, quantity, share

if TYPE_CHECKING:
    from bench.formats.journal import PointLine
    from bench.sweep.planning.plan_parts import StopRules

THROUGHPUT = "output_tokens_per_s"
ROUNDING = 1e-9


@dataclass(frozen=True)
class Finished:
    """What the journal says about a measured point: its key, how its requests ended, its metrics."""

    key: str
    requests_ok: int
    requests_failed: int
    metrics: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, line: PointLine) -> Finished:
        """What a search is told of a point, its warm-up included; where it has no figure nothing ended well."""
        well = line.requests_ok + line.warmup_ok if line.measured else 0
        return cls(line.key, well, line.requests_failed + line.warmup_failed, line.metrics)


@dataclass(frozen=True)
class Sustained:
    """The highest level before the break, with its throughput (the median of its repeats)."""

    point: PlannedPoint
    output_tokens_per_s: float


@dataclass(frozen=True)
class Walk:
    """Where a climb is: the point to measure next, or None with the reason it is over."""

    next: PlannedPoint | None
    reason: str = ""
    sustained: Sustained | None = None


@dataclass(frozen=True)
class _Level:
    """A level with all its repeats measured."""

    point: PlannedPoint
    ok: int
    failed: int
    metrics: Mapping[str, float]


def climbed(points: Sequence[PlannedPoint], finished: Mapping[str, Finished], rules: StopRules | None,
            repeats: int) -> Walk:  # fmt: skip
    """How far the climb through these points has come; `points` are in ascending order, each level's repeats together.

    A level is judged once all its repeats are measured: by their failures together and by the median of each metric.
    What was measured beyond the break does not count.
    """
    best = 0.0
    fallen: list[_Level] = []
    sustained: Sustained | None = None
    at = ""
    for start in range(0, len(points), repeats):
        repeated = points[start : start + repeats]
        missing = next((point for point in repeated if point.key not in finished), None)
        if missing is not None:
            return Walk(missing, sustained=sustained)
        level = _level(repeated, finished)
        at = level.point.words
        broken = next(_broken(level, rules), None)
        if broken:
            return Walk(None, f"Stopped at {at}: {broken}.", sustained)
        throughput = level.metrics.get(THROUGHPUT, 0.0)
        best = max(best, throughput)
        fallen = [*fallen, level] if _falls(throughput, best, rules) else []
        if rules is not None and 0 < rules.falling_levels <= len(fallen):
            return Walk(None, _fell(fallen, best, rules), sustained)
        if not fallen:
            sustained = Sustained(level.point, throughput)
    return Walk(
        None,
        f"Nothing broke up to {at}, the last level." if at else "No level fits into the model's context.",
        sustained,
    )


def highest(told: Mapping[str, Any]) -> str:
    """The highest level a climb sustained, as journal and status tell it, in a sentence."""
    return (
        f"The highest level sustained was {told.get('level')}, "
        f"with {quantity(float(told.get('output_tokens_per_s', 0)), THROUGHPUT)}."
    )


def _level(repeated: Sequence[PlannedPoint], finished: Mapping[str, Finished]) -> _Level:
    measured = [finished[point.key] for point in repeated]
    keys = dict.fromkeys(key for point in measured for key in point.metrics)
    return _Level(
        repeated[0],
        sum(point.requests_ok for point in measured),
        sum(point.requests_failed for point in measured),
        {key: median(point.metrics[key] for point in measured if key in point.metrics) for key in keys},
    )


def _broken(level: _Level, rules: StopRules | None) -> Iterator[str]:
    if not level.ok:
        yield "no request succeeded"
    if rules is None:
        return
    failed = level.failed / max(1, level.ok + level.failed)
    if rules.error_rate is not None and failed > rules.error_rate:
        yield f"{share(failed)} of the requests failed, and {share(rules.error_rate)} may"
    for key, limit in rules.limits.items():
        value = level.metrics.get(key)
        if value is None:
            continue
        known = metric(key)
        if (value < limit) if known.direction == "higher" else (value > limit):
            side = "under" if known.direction == "higher" else "over"
            yield f"{known.label} is {quantity(value, key)}, {side} the limit of {quantity(limit, key)}"


def _falls(throughput: float, best: float, rules: StopRules | None) -> bool:
    """Whether a level counts as fallen; never without that rule: longer inputs have less throughput by nature."""
    if rules is None or not rules.falling_levels:
        return False
    return throughput < best * (1 - rules.falling_share) * (1 - ROUNDING)


def _fell(fallen: Sequence[_Level], best: float, rules: StopRules) -> str:
    figures = ", then ".join(f"{number(level.metrics.get(THROUGHPUT))}" for level in fallen)
    return (
        f"Stopped at {fallen[-1].point.words}: {len(fallen)} levels in a row fell more than "
        f"{share(rules.falling_share)} under the best, {number(best)} tokens/s ({figures})."
    )
