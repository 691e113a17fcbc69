"""Latencies of many runs at once, as the fake endpoint's models make them, in numpy: (runs..., requests) arrays."""

from __future__ import annotations

import numpy as np

MODELS = ("stationary", "drifting", "batching", "heavy tail")
SERVED_TOGETHER = 8
BETWEEN = 0.01
"""By how much runs of one engine differ, where they do."""


def latencies(model: str, draw: np.random.Generator, shape: tuple[int, ...], share: float = 0.1) -> np.ndarray:
    """Latencies around 1 with `share` as the standard deviation, about, in time order.

    stationary is normal jitter; drifting is lognormal, rises by a tenth over the run and differs from run to run;
    batching has eight requests in a step and steps that are like the one before; the heavy tail is three times as wide.
    """
    wide = np.sqrt(np.log1p(share**2))
    many = shape[-1]
    if model == "stationary":
        return np.maximum(0.01, draw.normal(1, share, shape))
    if model == "drifting":
        of_run = draw.normal(0, BETWEEN, (*shape[:-1], 1))
        return np.exp(of_run + draw.normal(0, wide, shape)) * np.linspace(0.95, 1.05, many)
    if model == "batching":
        steps = alike(draw, (*shape[:-1], -(-many // SERVED_TOGETHER)), 0.5, wide)
        own = draw.normal(0, wide / 2, shape)
        return np.exp(np.repeat(steps, SERVED_TOGETHER, axis=-1)[..., :many] + own)
    if model == "heavy tail":
        return np.exp(draw.normal(0, np.sqrt(np.log1p((3 * share) ** 2)), shape))
    raise ValueError(f"{model} is none of {MODELS}")


def alike(draw: np.random.Generator, shape: tuple[int, ...], share: float, wide: float) -> np.ndarray:
    """Normal values of which each has this correlation with the one before: an AR(1)."""
    found = draw.normal(0, wide, shape)
    for place in range(1, shape[-1]):
        found[..., place] = share * found[..., place - 1] + np.sqrt(1 - share**2) * found[..., place]
    return found
