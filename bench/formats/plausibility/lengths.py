"""Whether what was counted is what was asked for: the lengths, and in a closed loop the requests in flight.

Tools make prompts with a tokenizer of their own, and the server counts them with the model's: 100 tokens asked for were
48 to 61 as a server counted them, in results of four tools. Little's law tells the requests in flight: a client that
pauses has fewer of them than it was asked to keep, and its throughput is not the endpoint's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from bench.formats.plausibility.latency_parts import too_fast
from bench.formats.plausibility.rates import differing
from bench.formats.plausibility.soundness import littles_law, mostly_idle
from bench.records import Flag, Load, Point, Workload
from bench.wording import number, share

LENGTH_SHARE = 0.05
"""How far the mean length may be from what was asked; our own sweeps calibrate their prompts, others' do not."""

PER_CHIP = "output_tokens_per_s_per_accelerator"

NOT_ONLY_SERVING = (
    "the window holds more than serving, such as a client's pauses, or one of the three is not what it says"
)

WORDS = {
    "isl": ("Inputs", "Give the tool the model's own tokenizer, or compare at the actual length."),
    "osl": ("Outputs", "Let the endpoint take ignore_eos or min_tokens, or compare at the actual length."),
}


def judged(points: Iterable[Point], because: str = NOT_ONLY_SERVING) -> list[Point]:
    """The points, each with the flags of its figures whose kind it does not have; `because` says why other requests
    than asked for may have been under way."""
    taken = []
    for point in points:
        kinds = {flag.kind for flag in point.flags}
        chips = point.deployment.accelerators
        every = doubts(point.metrics, point.workload, point.load, because, accelerators=chips)
        found = (flag for flag in every if flag.kind not in kinds)
        taken.append(dataclasses.replace(point, flags=(*point.flags, *found)))
    return taken


def doubts(
    metrics: Mapping[str, float],
    workload: Workload,
    load: Load,
    because: str = NOT_ONLY_SERVING,
    *,
    accelerators: float | None = None,
) -> tuple[Flag, ...]:
    """The flags of a point's figures: a mean length that is not the one asked for, requests in flight that are not, a
    throughput that is not its sums', a TPOT too fast, an idle run.

    Where a kind of load is not known, a concurrency is how many were let in at most. A throughput of each of so many
    `accelerators` stands for that of all where this is not stated.
    """
    is_cap = load.load_kind == "unknown"
    closed = load.concurrency if load.load_kind == "closed" or is_cap else None
    if (each := metrics.get(PER_CHIP)) is not None and accelerators:
        metrics = {"output_tokens_per_s": each * accelerators, **metrics}
    osl = workload.osl_actual
    idle = mostly_idle(metrics) if load.load_kind == "saturated" else ()
    return (
        *_off_target(workload),
        *littles_law(metrics, closed, osl or workload.osl_requested, because=because, is_cap=is_cap),
        *differing(metrics, osl, (workload.isl_requested, workload.osl_requested)),
        *too_fast(metrics),
        *idle,
    )


def _off_target(stated: Workload) -> list[Flag]:
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
