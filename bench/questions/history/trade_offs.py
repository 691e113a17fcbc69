"""What each run gives at which speed: its frontier, and how two of them compare where both reach."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from bench.maths import interpolation, pareto
from bench.questions.history import method
from bench.questions.history.method import Passports
from bench.questions.history.result import FrontierGain, Measurement, MethodChange, Run, TradeOff

PER_CHIP = "output_tokens_per_s_per_accelerator"


def frontiers(runs: Sequence[Run]) -> tuple[TradeOff, ...]:
    """The frontiers of the runs that have two places on theirs, in the order of the runs."""
    found = ((place, *_frontier(run)) for place, run in enumerate(runs))
    return tuple(TradeOff(*one) for one in found if len(one[1]) > 1)


def pair(runs: Sequence[Run], drawn: Sequence[TradeOff], known: Passports) -> tuple[int, int] | None:
    """The runs that are compared where the reader names none: the newest, and the oldest that was measured alike.

    Where none was, the oldest; None where fewer than two runs have a frontier.
    """
    if len(drawn) < 2:
        return None
    now = drawn[-1].run
    alike = (one.run for one in drawn[:-1] if not unlike(runs[one.run], runs[now], known))
    return next(alike, drawn[0].run), now


def unlike(then: Run, now: Run, known: Passports) -> tuple[MethodChange, ...]:
    """In what two runs were measured unlike, each kind once."""
    loads = sorted(then.points.keys() & now.points.keys())
    both = [(then.points[load], now.points[load]) for load in loads] or [(_any(then), _any(now))]
    kinds = {one.kind: one for before, after in reversed(both) for one in method.changes(before, after, known)}
    return tuple(kinds[kind] for kind in method.WORDS if kind in kinds)


def gain(then: TradeOff, now: TradeOff) -> FrontierGain | None:
    """How many times as much the later frontier gives at equal tokens/s per user; None where they do not overlap."""
    start, end = max(then.per_user[0], now.per_user[0]), min(then.per_user[-1], now.per_user[-1])
    if start > end:
        return None
    places = sorted({start, end, *(x for x in (*then.per_user, *now.per_user) if start < x < end)})
    ratios = [math.log(_at(now, x) / _at(then, x)) for x in places]
    mean = ratios[0]
    if len(places) > 1:
        steps = [math.log(right / left) for left, right in pairwise(places)]
        mean = sum(step * sum(two) / 2 for step, two in zip(steps, pairwise(ratios), strict=True)) / sum(steps)
    return FrontierGain(math.exp(min(ratios)), math.exp(max(ratios)), math.exp(mean), start, end)


def _at(one: TradeOff, per_user: float) -> float:
    value = interpolation.at(one.per_user, one.per_chip, per_user)
    if value is None:
        raise ValueError(f"{per_user} lies outside the frontier of {one.per_user[0]} to {one.per_user[-1]}")
    return value


def _frontier(run: Run) -> tuple[tuple[float, ...], tuple[float, ...], tuple[str, ...]]:
    places = sorted(_places(run.points.values()))
    if not places:
        return (), (), ()
    xs, ys, ids = zip(*places, strict=True)
    best = sorted(pareto.frontier(xs, ys), key=lambda place: xs[place])
    return tuple(xs[one] for one in best), tuple(ys[one] for one in best), tuple(ids[one] for one in best)


def _places(measured: Iterable[Measurement]) -> Iterator[tuple[float, float, str]]:
    for one in measured:
        if one.per_user and PER_CHIP in one.metrics:
            yield one.per_user, one.metrics[PER_CHIP], one.facts.point_id


def _any(run: Run) -> Measurement:
    return next(iter(run.points.values()))
