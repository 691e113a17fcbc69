"""A mix of requests of several lengths, as a trace has them, and what deployments that were measured at each serve."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.errors import UsageError
from bench.maths.capacity import Demand, RequestLengths
from bench.questions.capacity.result import FleetPlan

MOST = 12
"""So many lengths at most: each is looked up among the measured ones by itself."""

PART = re.compile(r"(\d{1,9})/(\d{1,9})(?:\s*x\s*(\d{1,9}(?:\.\d{1,9})?))?", re.ASCII)
SAME = tuple(
    "model precision kv_precision engine engine_version accelerator accelerators tp pp dp ep speculation disaggregated"
    " variant source load_kind".split()
)
"""What the curves of one deployment have in common, whatever the lengths they were measured at."""


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


def covering(by_length: Sequence[Sequence[FleetPlan]]) -> list[tuple[FleetPlan, ...]]:
    """Of each deployment with a plan for every length those plans, at each the one that serves most."""
    known: dict[tuple[object, ...], dict[int, FleetPlan]] = defaultdict(dict)
    for place, plans in enumerate(by_length):
        for plan in plans:
            own = known[tuple(getattr(plan.facts, key) for key in SAME)]
            if place not in own or plan.instance.rate > own[place].instance.rate:
                own[place] = plan
    return [
        tuple(own[place] for place in range(len(by_length))) for own in known.values() if len(own) == len(by_length)
    ]


def together(demand: Demand, plans: Sequence[FleetPlan]) -> tuple[FleetPlan, float] | None:
    """One plan for all lengths of a mix, and what it serves: an instance gives each length the time that its requests
    take. It is told by the length that takes most time. None where nothing is served."""
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
    return (replace(longest, instance=replace(longest.instance, rate=rate)), served) if served else None


def alone(demand: Demand) -> Iterator[Demand]:
    """The demand as of requests of each length of its mix alone; without a mix as it is."""
    if not demand.mix:
        yield demand
    for one in demand.mix:
        yield replace(demand, isl=one.isl, osl=one.osl, mix=())
