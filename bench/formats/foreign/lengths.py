"""Whether the lengths that were counted are those that were asked for.

Tools make prompts with a tokenizer of their own, and the server counts them with the model's: 100 tokens asked for were
48 to 61 as a server counted them, in results of four tools.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from bench.records import Flag, Point
from bench.wording import number, share

LENGTH_SHARE = 0.05
"""How far the mean length may be from what was asked; our own sweeps calibrate their prompts, others' do not."""

WORDS = {
    "isl": ("Inputs", "Give the tool the model's own tokenizer, or compare at the actual length."),
    "osl": (
        "Outputs",
        "Let the endpoint take ignore_eos or min_tokens, or compare at the actual length.",
    ),
}


def judged(points: Iterable[Point]) -> list[Point]:
    """The points, each with a flag more for a mean length that is not the one asked for."""
    return [
        dataclasses.replace(point, flags=(*point.flags, *found)) if (found := _off_target(point)) else point
        for point in points
    ]


def _off_target(point: Point) -> list[Flag]:
    stated = point.workload
    pairs = {
        "osl": (stated.osl_actual, stated.osl_requested),
        "isl": (stated.isl_actual, stated.isl_requested),
    }
    found = []
    for which, (actual, asked) in pairs.items():
        if actual is None or not asked or abs(actual - asked) <= LENGTH_SHARE * asked:
            continue
        word, todo = WORDS[which]
        found.append(
            Flag(
                f"{which}_off_target",
                f"{word} had {number(actual)} tokens on average where {number(asked)} were asked for "
                f"({share(actual / asked - 1)} off).",
                "Throughput and latency both depend on length, so the point does not stand for the workload it is "
                "filed under.",
                todo,
            )
        )
    return found
