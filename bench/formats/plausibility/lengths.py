"""Whether what was counted is what was asked for: the lengths, and in a closed loop the requests in flight.

Tools make prompts with a tokenizer of their own, and the server counts them with the model's: 100 tokens asked for were
48 to 61 as a server counted them, in results of four tools. Little's law tells the requests in flight: a client that
pauses has fewer of them than it was asked to keep, and its throughput is not the endpoint's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from bench.formats.plausibility.latency_parts import too_fast
from bench.formats.plausibility.rates import differing
from bench.formats.plausibility.soundness import littles_law, mostly_idle
from bench.records import Flag, Point
from bench.wording import number, share

LENGTH_SHARE = 0.05
"""How far the mean length may be from what was asked; our own sweeps calibrate their prompts, others' do not."""

NOT_ONLY_SERVING = (
    "the window holds more than serving, such as a client's pauses, or one of the three is not what it says"
)

WORDS = {
    "isl": ("Inputs", "Give the tool the model's own tokenizer, or compare at the actual length."),
    "osl": ("Outputs", "Let the endpoint take ignore_eos or min_tokens, or compare at the actual length."),
}


def judged(points: Iterable[Point], because: str = NOT_ONLY_SERVING) -> list[Point]:
    """The points, each with a flag more for a mean length that is not the one asked for, for requests in flight that
    are not (`because` says why those may be others), for a throughput that is not its sums', for a TPOT too fast and
    for an idle run.
    """
    return [
        dataclasses.replace(point, flags=(*point.flags, *found))
        if (found := [*_off_target(point), *_in_flight(point, because), *_strange(point)])
        else point
        for point in points
    ]


def _in_flight(point: Point, because: str) -> tuple[Flag, ...]:
    closed = point.load.concurrency if point.load.load_kind == "closed" else None
    return littles_law(point.metrics, closed, point.workload.osl_actual, because=because)


def _strange(point: Point) -> tuple[Flag, ...]:
    """The flags of figures that another window, a request that hung or a mock server may still explain."""
    idle = mostly_idle(point.metrics) if point.load.load_kind == "saturated" else ()
    return (*differing(point.metrics, point.workload.osl_actual), *too_fast(point.metrics), *idle)


def _off_target(point: Point) -> list[Flag]:
    stated = point.workload
    pairs = {"osl": (stated.osl_actual, stated.osl_requested), "isl": (stated.isl_actual, stated.isl_requested)}
    flagged = []
    for which, (actual, requested) in pairs.items():
        if actual is None or not requested or abs(actual - requested) <= LENGTH_SHARE * requested:
            continue
        word, todo = WORDS[which]
        flagged.append(
            Flag(
                f"{which}_off_target",
                f"{word} had {number(actual)} tokens on average where {number(requested)} were asked for "
                f"({share(actual / requested - 1)} off).",
                "Throughput and latency both depend on length, so the point does not stand for the workload it is "
                "filed under.",
                todo,
            )
        )
    return flagged
