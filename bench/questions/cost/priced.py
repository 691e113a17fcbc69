"""What tokens cost: operating points at their chips' price and at each quote, a volume's bill, and an API beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

import numpy as np

from bench import selection
from bench.basis import evidence, likeness, prices
from bench.basis.evidence import Ranking
from bench.basis.likeness import Difference
from bench.basis.points import PointFacts
from bench.basis.prices import EVERY, ChipPrice, Choice, Quote
from bench.library import Library
from bench.maths import cost
from bench.questions import operating_points
from bench.questions.cost import result
from bench.questions.cost.result import Cost, CostOptions, PricedDeployment
from bench.questions.operating_points import Best, OperatingPoint, Search
from bench.selection import Clause

DEPLOYMENT = "deployment"
FIELDS = ("model", "precision", "engine", "accelerators", "variant", "speculation", "disaggregated", "source")
TELLS_APART = ("accelerator", *FIELDS, "isl", "osl", "load_kind")
"""What makes one deployment and workload another; layout, version and date are free, the best of them counts."""

STORY = ("model", "isl", "osl", "context_tokens", "load_kind")
"""Where deployments differ in one of STORY, none is called cheaper unless the reader put them side by side."""

MOST_DEPLOYMENTS = 100
"""So many deployments are read whole, the cheapest."""

UTILISATIONS = tuple(step / 10 for step in range(1, 11))
PRICES, ROOM = 7, 1.25
"""So many prices stand across the grid, which reaches ROOM times beyond the cheapest and the dearest quote."""


@dataclass(frozen=True)
class Inputs:
    """What costs are worked out from: a library's points under a ranking, what is asked, and whose prices count."""

    library: Library
    ranking: Ranking
    asked: CostOptions
    choice: Choice

    @cached_property
    def search(self) -> Search:
        """The operating points that are sought: of each group the most tokens/s per accelerator, and the smallest bill.

        Formula of the bill: `maths.cost.rented`, instances = ceil(volume / (tokens/s x utilisation x 86400)).
        """
        group = f"hash({', '.join(TELLS_APART)})" if self.asked.group == DEPLOYMENT else self.asked.group
        price, bound = prices.price_sql(self.chips)
        capacity = self.choice.utilisation * cost.SECONDS_PER_DAY
        instances = f"ceil(CAST(? AS DOUBLE) / (rate * {capacity!r}) * (1 - {cost.ROUNDING!r}))"
        bill = Clause(f"-({instances} * accelerators * ({price}))", (self.asked.volume, *bound))
        rate, words = (result.rate_sql(self.asked.tokens, self.library), f"a throughput of {self.asked.kind.words}")
        search = Search(rate, words, group, beside=bill, along=self.asked.latency)
        return operating_points.of_usual_kind(self.library, self.ranking, search)

    @cached_property
    def groups(self) -> tuple[Best, ...]:
        """Every group's best point."""
        return operating_points.best(self.library, self.ranking, self.search)

    @cached_property
    def quotes(self) -> tuple[Quote, ...]:
        """Every quote that counts."""
        return prices.quotes(self.library, self.choice, points=selection.clause(self.ranking.view))

    @cached_property
    def chips(self) -> dict[str, ChipPrice]:
        """The price of each accelerator that has one."""
        return prices.of_chips(self.quotes, self.choice)

    def charge(self, point: OperatingPoint, usd_per_accelerator_hour: float) -> result.Charge:
        """What a point costs at a price of its chips."""
        hour, used = usd_per_accelerator_hour * point.accelerators, self.choice.utilisation
        million = cost.usd_per_million(hour, point.rate, used)
        assert million, "price and rate are above 0"
        return result.Charge(hour, million, cost.rented(hour, point.rate, used, self.asked.volume))

    def deployments(self, groups: Mapping[str, str]) -> dict[str, PricedDeployment]:
        """The points with these ids, each of a group, read whole, at the price of their chips and at each quote."""
        own = [*(one.metric for one in self.ranking.limits), *([self.asked.latency] if self.asked.latency else [])]
        metrics = [*chain(*result.SPEEDS), *result.MEASURED[self.asked.tokens], *(one.key for one in own)]
        whole = operating_points.read(self.library, self.search, list(groups), metrics)
        return {key: self._deployment(group, whole[key]) for key, group in groups.items()}

    def _deployment(self, group: str, point: OperatingPoint) -> PricedDeployment:
        chip, derived = self.chips[point.accelerator], result.is_derived(self.asked.tokens, point.metrics)
        own = [one for one in self.quotes if one.accelerator == point.accelerator]
        quotes = (result.QuotedCost(**vars(self.charge(point, one.usd_per_accelerator_hour)), quote=one) for one in own)
        return PricedDeployment(group, point, chip, self.charge(point, chip.usd), tuple(quotes), derived)


def cheapest(groups: Iterable[Best], chips: Mapping[str, ChipPrice]) -> list[Best]:
    """The groups with a point within the limits and a price, the one with the cheapest tokens first."""
    priced = [one for one in groups if one.merit and one.accelerator in chips]
    return sorted(priced, key=lambda one: chips[one.accelerator].usd / (one.merit or 1.0))


def costs(of: Inputs) -> Cost:
    """What tokens cost."""
    ranked = cheapest(of.groups, of.chips)
    unpriced = tuple(sorted({one.accelerator for one in of.groups if one.merit} - set(of.chips)))
    elsewhere = prices.quotes(of.library, Choice(EVERY), unpriced) if unpriced and not ranked else ()
    *_, serving = max((one.beside for one in of.groups if one.beside), default=("",))
    ids = {one.point_id: one.group for one in ranked[:MOST_DEPLOYMENTS] if one.point_id}
    read = of.deployments({serving: "", **ids} if ranked else {})
    answered = Cost(
        asked=of.asked,
        choice=of.choice,
        limits=of.ranking.limits,
        deployments=tuple(read[key] for key in ids),
        groups=len(ranked),
        missed=tuple(o for o in of.groups if o.merit is None and o.accelerator in of.chips),
        unpriced=unpriced,
        priced_as=tuple({one.terms: 0 for one in elsewhere}),
        tally=evidence.tally(of.library, of.ranking, operating_points.reasons(of.search)),
        deciding=evidence.deciding(of.library, of.ranking, operating_points.usable(of.search)),
    )
    if not ranked:
        return answered
    first, lead = ranked[0], answered.lead
    at_one = lead.usd_per_million * (first.merit or 0.0)
    return replace(
        answered,
        unlike=unlike(of, answered.facts),
        serving=read[serving],
        peak=at_one / first.peak,
        ladder=tuple(result.LadderCost(limit, at_one / rate, first.peak / rate) for limit, rate in first.ladder),
        api=_api(of, lead),
        sensitivity=_sensitivity(lead),
    )


def unlike(of: Inputs, facts: Sequence[PointFacts]) -> tuple[Difference, ...]:
    """In what of model and workload the two cheapest differ, and in what load any, where no reader put it side by side.

    A length that one alone states is unlike; a model, a context or a load has to be stated of both.
    """
    keys = [key for key in STORY if key != of.asked.group and len(of.ranking.view.values(key)) < 2]
    rest = {"load_kind": facts[1:]}
    found = [one for key in keys for one in likeness.differences(facts[:1], rest.get(key, facts[1:2]), [key])]
    compared = found if len(facts) > 1 else []
    return tuple(one for one in compared if (one.a and one.b) or one.fact.key in ("isl", "osl"))


def _api(of: Inputs, lead: PricedDeployment) -> result.Api | None:
    """The API beside what beats it from the smallest volume on, or else beside what is cheapest per token.

    That is the smallest instance whose tokens, fully used, cost no more than the API's. None without a price it needs.
    """
    used, (usd, with_each) = of.choice.utilisation, _api_price(of.asked, lead.facts)
    if usd is None:
        return None
    price, bound = prices.price_sql(of.chips)
    beats = f"accelerators * ({price}) * {cost.MILLION} <= CAST(? AS DOUBLE) * rate * {used * cost.SECONDS_PER_HOUR!r}"
    merit = Clause(f"CASE WHEN {beats} THEN -accelerators * ({price}) END", (*bound, usd, *bound))
    beating = operating_points.best(of.library, of.ranking, replace(of.search, group="''", merit=merit))
    _, won = max(((one.merit, one.point_id or "") for one in beating if one.merit), default=(0.0, ""))
    own = of.deployments({won: ""})[won] if won else lead
    return result.Api(usd, own, with_each, cost.break_even(own.charge.usd_per_hour, own.point.rate, used, usd))


def _api_price(asked: CostOptions, facts: PointFacts) -> tuple[float | None, float]:
    """What the API takes in USD for a million tokens of the kind asked, and for how many others that come with each.

    None without a price it needs. Output tokens include their prompt tokens and input tokens the generated ones, where
    the reader states the price of those and the workload both lengths.
    """
    if asked.is_mixed:
        return cost.blended_price(asked.api_input, asked.api_output, facts.isl, facts.osl), 0.0
    (own, other), with_each = asked.api_sides, 0.0
    if facts.isl and facts.osl:
        with_each = facts.isl / facts.osl if asked.tokens == "output" else facts.osl / facts.isl
    return None if own is None else own + (other or 0.0) * with_each, with_each


def _sensitivity(lead: PricedDeployment) -> result.Sensitivity:
    """What the first deployment costs over utilisation and the price of its chips."""
    quoted = [one.quote.usd_per_accelerator_hour for one in lead.quotes]
    across = [float(f"{usd:.3g}") for usd in np.geomspace(min(quoted) / ROOM, max(quoted) * ROOM, PRICES)]
    hours = [usd * lead.point.accelerators for usd in across]
    grid = cost.sensitivity(lead.point.rate, hours, UTILISATIONS)
    return result.Sensitivity(UTILISATIONS, tuple(across), tuple(tuple(map(float, line)) for line in grid))
