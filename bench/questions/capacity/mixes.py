"""A mix of requests of several lengths, as a trace has them, and what deployments that were measured at each serve."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from bench.errors import UsageError
from bench.maths.capacity import Demand, RequestLengths
from bench.questions.capacity.measured import MeasuredCurves
from bench.questions.capacity.result import FleetPlan

MOST = 6
"""So many lengths at most: each is looked up among the measured ones by itself."""

PART = re.compile(r"(\d{1,9})/(\d{1,9})(?:\s*x\s*(\d{1,9}(?:\.\d{1,9})?))?", re.ASCII)


def read(text: str) -> tuple[RequestLengths, ...]:
    """The lengths of "900/300 x 3, 4000/500" with their shares, none of ""; UsageError for another text."""
    found = [PART.fullmatch(part.strip()) for part in text.split(",")] if text.strip() else []
    if len(found) > MOST or not all(one and int(one[1]) and int(one[2]) and float(one[3] or 1) for one in found):
        raise UsageError(
            f"mix={text[:40]!r} is no list of up to {MOST} lengths; write input/output tokens and how often each comes,"
            " as in mix=900/300 x 3, 4000/500 x 1."
        )
    parts = [(int(one[1]), int(one[2]), float(one[3] or 1)) for one in found if one]
    whole = sum(many for *_, many in parts)
    return tuple(RequestLengths(isl, osl, many / whole) for isl, osl, many in parts)


def unmeasured(demand: Demand, curves: Sequence[MeasuredCurves]) -> RequestLengths | None:
    """The first length of a mix at which no deployment was measured that was at all before it; None where one was."""
    for nth, one in enumerate(demand.mix if any(len(own.ids) for own in curves) else (), 1):
        if not set.intersection(*(set(own.deployments.tolist()) for own in curves[:nth])):
            return one
    return None


def covering(curves: Sequence[MeasuredCurves], by_length: Sequence[Sequence[FleetPlan]]) -> list[tuple[FleetPlan, ...]]:
    """Of each deployment with a plan for every length those plans, at each the one that serves most."""
    known: dict[int, dict[int, FleetPlan]] = defaultdict(dict)
    for place, plans in enumerate(by_length):
        of_curve = dict(zip(curves[place].points.curves.tolist(), curves[place].deployments.tolist(), strict=True))
        for plan in plans:
            own = known[of_curve[plan.curve]]
            if place not in own or plan.instance.rate > own[place].instance.rate:
                own[place] = plan
    return [
        tuple(own[place] for place in range(len(by_length))) for own in known.values() if len(own) == len(by_length)
    ]


def together(demand: Demand, plans: Sequence[FleetPlan]) -> tuple[FleetPlan, float] | None:
    """One plan for all lengths of a mix, and what it serves: an instance gives each length the time that its requests
    take. Its facts are of the length that takes most time, its power the most of any. None where nothing is served."""
    times = [one.share / plan.instance.rate for one, plan in zip(demand.mix, plans, strict=True)]
    rate = 1 / sum(times)
    in_flight = sum(
        time * rate * plan.instance.load
        for time, plan in zip(times, plans, strict=True)
        if plan.facts.load_kind == "closed"
    )
    isl, osl = (sum(one.share * getattr(one, key) for one in demand.mix) for key in ("isl", "osl"))
    served = replace(demand, isl=isl, osl=osl).served(rate, in_flight)
    longest = max(zip(times, plans, strict=True), key=lambda one: one[0])[1]
    instance = replace(longest.instance, rate=rate, values={}, error=None)
    powers = [plan.power for plan in plans if plan.power]
    power = max(powers, key=attrgetter("watts")) if len(powers) == len(plans) else None
    return (replace(longest, instance=instance, power=power), served) if served else None


def alone(demand: Demand) -> Iterator[Demand]:
    """The demand as of requests of each length of its mix alone; without a mix as it is."""
    if not demand.mix:
        yield demand
    for one in demand.mix:
        yield replace(demand, isl=one.isl, osl=one.osl, mix=())
