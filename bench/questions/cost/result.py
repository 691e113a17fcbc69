"""What a cost answer is made of: what tokens cost on each deployment, a volume's smallest bill, an API beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from bench import catalogue
from bench.basis.evidence import Deciding, PointTally
from bench.basis.likeness import Difference
from bench.basis.limits import Limit
from bench.basis.points import PointFacts
from bench.basis.prices import ChipPrice, Choice, Quote
from bench.catalogue import Metric
from bench.library import Library
from bench.maths.cost import BreakEvenVolume, Rental
from bench.questions.operating_points import Best, OperatingPoint


@dataclass(frozen=True)
class TokenKind:
    """One kind of token: its words, its label, and the catalogue's cost metric."""

    words: str
    label: str
    usd: str


KINDS = {
    "output": TokenKind("output tokens", "Output tokens", "usd_per_million_output_tokens"),
    "input": TokenKind("input tokens", "Input tokens", "usd_per_million_input_tokens"),
    "blended": TokenKind("total tokens", "Input and output tokens", "usd_per_million_total_tokens"),
    "total": TokenKind("total tokens", "Input and output tokens, measured only", "usd_per_million_total_tokens"),
}
"""`blended` takes the prompt tokens from the workload's lengths where no prompt throughput was measured; `total` never
does."""

_INPUT, _OUTPUT, _TOTAL = "input_tokens_per_s", "output_tokens_per_s", "total_tokens_per_s"
_SUM = f"({_INPUT} + {_OUTPUT})"
RATES = {
    "output": (_OUTPUT,),
    "input": (_INPUT, f"({_OUTPUT} * isl / nullif(osl, 0))"),
    "blended": (_TOTAL, _SUM, f"({_OUTPUT} * (1 + isl / nullif(osl, 0)))"),
    "total": (_TOTAL, _SUM),
}
"""What a throughput of each kind is read from, the first that a point states."""

MEASURED = {"output": (), "input": (_INPUT,), "blended": (_TOTAL, _INPUT), "total": ()}
"""Metrics beside which nothing is worked out from the workload's lengths."""

_INTERACTIVITY = "interactivity_tokens_per_s_per_user"
SPEEDS = (("ttft_ms_p50", "ttft_ms_mean"), (f"{_INTERACTIVITY}_p50", f"{_INTERACTIVITY}_mean"))
"""An operating point is told with its median latencies, with the means where no median is stated."""


def rate_sql(kind: str, library: Library) -> str:
    """The DuckDB expression of a point's tokens per second of this kind; NULL where it serves nothing or is absent."""
    usable = [f"CASE WHEN isfinite({one}) AND {one} > 0 THEN {one} END" for one in _loaded(kind, library)]
    return f"coalesce({', '.join(usable)}, NULL)" if usable else "CAST(NULL AS DOUBLE)"


def kinds(library: Library) -> list[str]:
    """The kinds of token that some loaded point may have a throughput of."""
    return [kind for kind in KINDS if _loaded(kind, library)]


def is_derived(kind: str, metrics: Mapping[str, float]) -> bool:
    """Whether a point's throughput of this kind is worked out from the workload's lengths, by the metrics it states."""
    return bool(MEASURED[kind]) and not any(metrics.get(key) for key in MEASURED[kind])


def _loaded(kind: str, library: Library) -> list[str]:
    """Those of a kind's expressions whose metrics are loaded."""
    absent = [column for column in (_INPUT, _OUTPUT, _TOTAL) if not library.has(column)]
    return [one for one in RATES[kind] if not any(column in one for column in absent)]


@dataclass(frozen=True)
class CostOptions:
    """What a reader asks of a cost besides limits and prices.

    `group` is the field of which each value has a bar, `latency` the metric that the price of latency is told of;
    `volume` is in tokens a day, the prices of an API in USD per million tokens, None where not stated; `every_bar`
    draws all bars, `many_models` is that the reader chose several.
    """

    tokens: str
    group: str
    latency: Metric | None
    volume: float
    api_input: float | None
    api_output: float | None
    every_bar: bool = False
    many_models: bool = False

    @property
    def kind(self) -> TokenKind:
        """The tokens that a cost is of."""
        return KINDS[self.tokens]

    @property
    def usd(self) -> Metric:
        """The catalogue's metric of that cost."""
        return catalogue.metric(self.kind.usd)

    @property
    def is_mixed(self) -> bool:
        """Whether the tokens are those of prompt and output together."""
        return self.tokens in ("blended", "total")

    @property
    def api_sides(self) -> tuple[float | None, float | None]:
        """The API's prices of the tokens asked and of those that come with them; of mixed ones output, then input."""
        sides = (self.api_output, self.api_input)
        return sides[::-1] if self.tokens == "input" else sides


@dataclass(frozen=True)
class Charge:
    """What a deployment costs at one price of its chips.

    `usd_per_hour` is of all its chips, `usd_per_million` of the tokens asked at the utilisation asked, and the volume's
    bill is `rented` on instances around the clock.
    """

    usd_per_hour: float
    usd_per_million: float
    rented: Rental


@dataclass(frozen=True)
class QuotedCost(Charge):
    """What a deployment costs at one quote."""

    quote: Quote


@dataclass(frozen=True)
class PricedDeployment:
    """A group's operating point, the price of its chips, and what it costs at that price and at each quote behind it.

    The cheapest quote is first. `is_derived` says that the throughput was worked out from the workload's lengths.
    """

    group: str
    point: OperatingPoint
    price: ChipPrice
    charge: Charge
    quotes: tuple[QuotedCost, ...]
    is_derived: bool

    @property
    def facts(self) -> PointFacts:
        """What its operating point is."""
        return self.point.facts

    @property
    def usd_per_million(self) -> float:
        """What a million tokens cost there."""
        return self.charge.usd_per_million

    @cached_property
    def offers(self) -> tuple[QuotedCost, ...]:
        """Its quotes without modelled costs, unless it has no other."""
        return tuple(one for one in self.quotes if not one.quote.is_modelled) or self.quotes

    @property
    def speeds(self) -> dict[str, float]:
        """The latencies and interactivities that it is told with, by metric."""
        stated = self.point.metrics
        first = (next((key for key in keys if key in stated), None) for keys in SPEEDS)
        return {key: stated[key] for key in first if key}


@dataclass(frozen=True)
class LadderCost:
    """What a million tokens cost within one limit of a ladder, in USD, and how many times the peak's cost that is."""

    limit: float
    usd_per_million: float
    times: float


@dataclass(frozen=True)
class Api:
    """An API, in USD per million tokens of the kind asked, beside what beats it from the least volume on.

    `with_each` is how many tokens of the other side come with each of these, 0 where that is not known or not counted;
    `even` is None where the API is cheaper at every volume.
    """

    usd_per_million: float
    own: PricedDeployment
    with_each: float
    even: BreakEvenVolume | None


@dataclass(frozen=True)
class Sensitivity:
    """USD per million tokens on the first deployment over utilisations (rows) and prices per chip-hour (columns)."""

    utilisations: tuple[float, ...]
    usd_per_accelerator_hour: tuple[float, ...]
    usd_per_million: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Cost:
    """What tokens cost, the cheapest deployment first.

    `groups` counts all with a price, of which `deployments` are the cheapest. `missed` are those that no limit lets in,
    `unpriced` accelerators without a price under `choice`, `priced_as` the terms under which those have one. `serving`
    is what serves the volume at the smallest bill. Of the first deployment are `peak`, its cost without the limits,
    `ladder` and `sensitivity`; `unlike` is in what of model and workload the second, and of load any, differs unasked.
    """

    asked: CostOptions
    choice: Choice
    limits: tuple[Limit, ...]
    deployments: tuple[PricedDeployment, ...]
    groups: int
    missed: tuple[Best, ...]
    unpriced: tuple[str, ...]
    priced_as: tuple[str, ...]
    tally: PointTally
    deciding: Deciding
    unlike: tuple[Difference, ...] = ()
    serving: PricedDeployment | None = None
    peak: float | None = None
    ladder: tuple[LadderCost, ...] = ()
    api: Api | None = None
    sensitivity: Sensitivity | None = None

    @property
    def lead(self) -> PricedDeployment:
        """The cheapest deployment."""
        return self.deployments[0]

    @property
    def is_decided(self) -> bool:
        """Whether one deployment is the cheapest: the only one, or that of like ones where enough state the limits."""
        return len(self.deployments) == 1 or (bool(self.deployments) and not self.unlike and self.deciding.names_a_best)

    @property
    def facts(self) -> list[PointFacts]:
        """Every deployment's operating point."""
        return [one.facts for one in self.deployments]
