"""Sweeps of our own: `transformers serve` on one H100, a Llama of random weights; see their SOURCE.md."""

from __future__ import annotations

from data.recipes.tables import TRANSCRIPTIONS, Card, Kept

FOLDER = TRANSCRIPTIONS / "h100-sweeps"
PARTS = {"short": "128 tokens in", "long": "1,024 tokens in", "open": "1,024 tokens in, open loop"}


def kept() -> tuple[Kept, ...]:
    """Three journals: short prompts, long ones, and long ones at a rate."""
    return tuple(Kept(FOLDER / f"random-llama-8b-{part}.jsonl", _card(part)) for part in PARTS)


def _card(part: str) -> Card:
    return Card(
        slug=f"h100-sweep-random-llama-8b-{part}",
        title=f"Measured on one H100: random-llama-8b, {PARTS[part]}",
        licence="Apache-2.0, our own measurement",
        url=None,
        attribution="Measured by Kneepoint itself in a virtual machine with one H100; the weights are random, so the "
        "speed is that of a model of this size in this engine and the words have no sense.",
        harness="kneepoint",
    )
