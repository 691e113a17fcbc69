"""Whether the lengths that were counted are those that were asked for.

Tools make prompts with a tokenizer of their own, and the server counts them with the model's: 100 tokens asked for were
48 to 61 as a server counted them, in results of four tools.
"""

from __future__ import annotations

from bench.records import Flag, Workload
from bench.wording import number, share

LENGTH_SHARE = 0.05
"""How far the mean length may be from what was asked; our own sweeps calibrate their prompts, others' do not."""

WORDS = {
    "isl": ("Inputs", "Give the tool the model's own tokenizer, or compare at the actual length."),
    "osl": ("Outputs", "Let the endpoint take ignore_eos or min_tokens, or compare at the actual length."),
}


def are_one(workload: Workload) -> bool:
    """Whether every answer has about the length that was asked for, as far as is known."""
    requested, counted = workload.osl_requested, workload.osl_actual
    return requested is not None and (counted is None or abs(counted - requested) <= LENGTH_SHARE * requested)


def off_target(stated: Workload) -> list[Flag]:
    """The flags that a mean length is not the one asked for; none where it is."""
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
