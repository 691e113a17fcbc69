"""What a memory answer found: how much of a model fits on every count of every accelerator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bench.chart import value_label
from bench.wording import joined

CHIPS = (1, 2, 4, 8, 16, 32, 64)
LISTED = 8


@dataclass(frozen=True)
class Fit:
    """A count of chips: their memory, the weights, what an engine has left for KV cache, and the requests it holds.

    GiB; `room_gib` is below 0 where the weights do not fit, `requests` None where the cache's size is not published.
    """

    accelerator: str
    accelerators: int
    memory_gib: float
    weights_gib: float
    room_gib: float
    requests: int | None


@dataclass(frozen=True)
class Memory:
    """What of a model fits where: every count of every accelerator whose facts are published.

    `beside` is the same of each further model that the reader put side by side with it.
    """

    model: str | None
    precision: str | None
    kv_precision: str
    tokens: float
    fits: tuple[Fit, ...]
    unknown: tuple[str, ...]
    beside: tuple[Memory, ...] = ()

    def fewest(self) -> list[Fit]:
        """For each accelerator the fewest chips with room for a request, those with the fewest first."""
        held = (one for one in reversed(self.fits) if one.room_gib > 0 and one.requests != 0)
        found = {one.accelerator: one for one in held}
        return sorted(found.values(), key=lambda one: (one.accelerators, -one.room_gib))


def named(slugs: Iterable[str]) -> str:
    """The accelerators in words: "MI355X, GB300 and B300 SXM"."""
    return joined([value_label("accelerator", slug) for slug in slugs], at_most=LISTED)
