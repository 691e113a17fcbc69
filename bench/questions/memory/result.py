"""What a memory answer found: how much of a model fits on every count of every accelerator."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bench.chart import value_label
from bench.maths import model_memory
from bench.wording import joined

CHIPS = (1, 2, 4, 8, 16, 32, 64)
LISTED = 8
DRAWN = 10
"""More lines than this are not told apart; the rows have every accelerator."""


@dataclass(frozen=True)
class Fit:
    """A count of chips: their memory, the weights, what an engine has left for KV cache, and the requests it holds.

    GiB, of all chips together; `room_gib` is below 0 where the weights do not fit, `requests` None where the cache's
    size is not published. `requests_reserved` is how many there are beside the most that an engine was logged to
    reserve, `longest` the tokens of a request that has the deployment to itself; `tp` and `dp` are the layout that
    holds the most. `at_least` says that the weights may be more, and all that fits less.
    """

    accelerator: str
    accelerators: int
    memory_gib: float
    weights_gib: float
    room_gib: float
    requests: int | None
    requests_reserved: int | None = None
    longest: int | None = None
    tp: int | None = None
    dp: int | None = None
    at_least: bool = False


@dataclass(frozen=True)
class MemoryCell:
    """A cell of a heatmap: `across` chips and `up`, tokens of a request or requests at once; `value` is how many
    requests fit, or how many tokens each can have; 0 where none fits, None where that is not known."""

    across: int
    up: int
    value: int | None


@dataclass(frozen=True)
class Allocation:
    """What an engine's log says it allocated on each device, in GiB, and what is predicted less that.

    The cache is predicted with the least and with the most that engines were logged to reserve; `cache_gib` is None
    where the log has none.
    """

    accelerator: str
    accelerators: int
    engine: str
    weights_gib: float
    cache_gib: float | None
    weights_off_gib: float
    cache_off_gib: tuple[float, float] | None
    source: str


@dataclass(frozen=True)
class Memory:
    """What of a model fits where: every count of every accelerator whose facts are published.

    `requests_by` has for the accelerator `on` the requests that fit by chips and tokens of a request, `longest_by` the
    longest request by chips and requests at once; `chart` says which is drawn. `by_precision` has, where the reader
    chose no precision, what the fewest chips hold at each, and `ranges` how many each accelerator of a known memory
    takes by precision, None where the most of CHIPS are too few. `beside` is the same of each further model that the
    reader put side by side with it. `name` is the model's as people read it.
    """

    model: str | None
    precision: str | None
    kv_precision: str
    tokens: float
    fits: tuple[Fit, ...]
    unknown: tuple[str, ...]
    beside: tuple[Memory, ...] = ()
    total_params: float | None = None
    has_computed_params: bool = False
    is_latent: bool = False
    utilisation: float = 0.9
    reserve_gib: float = 0.0
    reserve_range_gib: tuple[float, float] | None = None
    layout: str = "best"
    chart: str = "chips"
    on: str | None = None
    requests_by: tuple[MemoryCell, ...] = ()
    longest_by: tuple[MemoryCell, ...] = ()
    allocations: tuple[Allocation, ...] = ()
    by_precision: tuple[tuple[str, Fit], ...] = ()
    ranges: Mapping[str, Mapping[str, int | None]] = field(default_factory=dict)
    name: str | None = None

    @property
    def is_lower_bound(self) -> bool:
        """Whether the weights are counted at least, so that what fits is told at most."""
        return model_memory.is_lower_bound(self.precision or "")

    def fewest(self) -> list[Fit]:
        """For each accelerator the fewest chips with room for a request, those with the fewest first."""
        return self._first([one for one in self.fits if one.room_gib > 0 and one.requests != 0])

    def fewest_reserved(self) -> list[Fit]:
        """The same beside the most that an engine was logged to reserve."""
        return self._first([one for one in self.fits if one.requests_reserved])

    def _first(self, held: list[Fit]) -> list[Fit]:
        found = {one.accelerator: one for one in reversed(held)}
        return sorted(found.values(), key=lambda one: (one.accelerators, -one.room_gib))


def drawn_first(memory: Memory) -> list[str]:
    """The accelerators whose lines are drawn: those that need the fewest chips, at most DRAWN."""
    first = (one.accelerator for one in (*memory.fewest(), *memory.fits))
    return list(dict.fromkeys(first))[:DRAWN]


def named(slugs: Iterable[str]) -> str:
    """The accelerators in words: "MI355X, GB300 and B300 SXM"."""
    return joined([value_label("accelerator", slug) for slug in slugs], at_most=LISTED)
