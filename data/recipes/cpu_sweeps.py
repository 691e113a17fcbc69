"""Two sweeps of our own: `transformers serve` on a 2-core CPU, each journal as it was written."""

from __future__ import annotations

from data.recipes.tables import TRANSCRIPTIONS, Card, Kept

FOLDER = TRANSCRIPTIONS / "cpu-sweeps"
MODELS = ("random-llama-0.2m", "random-llama-0.9m")


def kept() -> tuple[Kept, ...]:
    """Two journals of 60 points."""
    return tuple(Kept(FOLDER / f"{model}.jsonl", _card(model)) for model in MODELS)


def _card(model: str) -> Card:
    return Card(
        slug=f"cpu-sweep-{model}",
        title=f"Measured on a 2-core CPU: {model}",
        licence="Apache-2.0, our own measurement",
        url=None,
        attribution="Measured by Kneepoint itself on a machine shared with other work; the weights are random, so the "
        "speed is that of a model of this size and the words have no sense.",
        harness="kneepoint",
    )
