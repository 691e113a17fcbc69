"""The words of a cost answer for deployments, groups and amounts, the same in sentences, bars and table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from bench import catalogue, flags
from bench.basis import likeness, prices, wording
from bench.basis.points import PointFacts
from bench.basis.prices import Quote, quoted
from bench.chart import setting, value_label
from bench.questions.cost.priced import DEPLOYMENT, SPEEDS
from bench.questions.cost.result import Cost, PricedDeployment
from bench.questions.operating_points import Best
from bench.wording import counted, inline, joined, number, quantity

API_PRICES = {"input": "API price, input", "output": "API price, output"}
"""What the boxes of an API's prices are called."""


ALIKE: tuple[Literal["model", "precision", "isl", "osl"], ...] = ("model", "precision", "isl", "osl")
"""What a deployment's name leaves out where all are alike in it."""

WORKLOAD: tuple[Literal["isl", "osl", "load_kind"], ...] = ("isl", "osl", "load_kind")
"""A deployment's name has its workload where these are unlike."""

NAMED_ANYWAY = ("accelerator", "accelerators", "model", "precision", DEPLOYMENT)
"""Groups whose value a deployment's own words say where it matters."""


def label(costs: Cost, one: PricedDeployment) -> str:
    """A deployment's name in chart and table: the value of the group, and the hardware where that does not say it."""
    group, facts, models = costs.asked.group, one.facts, several(costs, "model")
    if group == DEPLOYMENT:
        return facts.words([key for key in ALIKE if not several(costs, key)])
    words = [group_words(group, getattr(facts, group)), facts.hardware]
    if group in ("accelerator", "accelerators"):
        words = [value_label(group, facts.accelerator) if group == "accelerator" else facts.hardware]
    words += [value_label("model", facts.model)] if models and group != "model" else []
    return ", ".join([*words, *([facts.workload] if any(several(costs, key) for key in WORKLOAD) else [])])


def place(
    costs: Cost, one: PricedDeployment, *besides: str, among: Sequence[PointFacts] = (), variant: bool | None = None
) -> str:
    """What a cost is on, with what tells it from the others and every flag: "one H100 SXM (flagged: decode only)".

    The others are those `among` which a sentence speaks, else all. Unless it is asked for or not, the `variant` stands
    where there is a flag, which often is of it, or where it alone tells one from another.
    """
    facts, group, others = one.facts, costs.asked.group, among or costs.facts

    def several(*keys: str) -> bool:
        return any(len({getattr(other, key) for other in others}) > 1 for key in keys)

    about = [value_label("model", facts.model)] if several("model") and facts.model else []
    about += [facts.precision.upper()] if several("precision") and facts.precision else []
    about += [group_words(group, getattr(facts, group))] if group not in NAMED_ANYWAY else []
    about += [value_label("engine", facts.engine)] if group == DEPLOYMENT and facts.engine else []
    about += [facts.workload] if several("isl", "osl") else []
    alike = ("hardware", "model", "precision", "engine", "isl", "osl")
    twins = [other for other in others if all(getattr(other, key) == getattr(facts, key) for key in alike)]
    is_needed = bool(flags.printed(facts.flag_kinds)) if variant is None else variant
    if facts.variant and group != "variant" and (is_needed or len({other.variant for other in twins}) > 1):
        about.append(facts.variant)
    flagged = wording.flagged(facts.flag_kinds).removeprefix(" (").removesuffix(")")
    stated = "; ".join(filter(None, (", ".join(filter(None, (*about, *besides))), flagged)))
    return f"{chips(facts)} ({stated})" if stated else chips(facts)


def chips(facts: PointFacts) -> str:
    """The hardware of a deployment: "one H100 SXM", "8 x H200 SXM"."""
    name = value_label("accelerator", facts.accelerator)
    return f"one {name}" if facts.accelerators == 1 else facts.hardware


def of_best(group: str, one: Best) -> str:
    """A group on an accelerator, of which no point was read: "H200 SXM", "tp 8 on H200 SXM"."""
    chip = value_label("accelerator", one.accelerator)
    if group in ("accelerator", DEPLOYMENT):
        return chip
    value = {"true": True, "false": False, "": None}.get(one.group, one.group)
    return f"{group_words(group, value)} on {chip}"


def group_words(group: str, value: object) -> str:
    """The value of a group's field as a sentence names it: "tp 8", "no speculation", "aggregated"."""
    return likeness.fact_words(group, value) if group in likeness.DEPLOYED else setting(group, value)


def several(costs: Cost, key: Literal["model", "precision", "isl", "osl", "load_kind"]) -> bool:
    """Whether the operating points are unlike in a column that a sentence then has to name."""
    return len({getattr(one, key) for one in costs.facts}) > 1


def latencies(one: PricedDeployment) -> dict[str, float]:
    """The latencies and interactivities that it is told with, by metric."""
    stated = [catalogue.metric(key) for key in reversed(SPEEDS) if key in one.point.metrics]
    first = {metric.base: metric.key for metric in stated}
    return {key: one.point.metrics[key] for key in reversed(first.values())}


def speeds(one: PricedDeployment) -> str:
    """Its latencies in words: "median TTFT 1,388 ms and median interactivity 37.5 tokens/s/user"; "" without one."""
    every = [(catalogue.metric(key), value) for key, value in latencies(one).items()]
    return joined([f"{inline(metric)} {quantity(value, metric.key)}" for metric, value in every])


def modelled(one: PricedDeployment) -> str:
    """What stands behind a cost that nobody offers."""
    return " at modelled cost" if one.price.modelled else ""


def whose(one: Quote, among: list[Quote]) -> str:
    """A quote's provider, with what tells it from the same provider's others; a modelled cost is called that."""
    name, same = one.provider, [other for other in among if other.provider == one.provider]
    if one.is_modelled:
        name, same = terms(one.terms), [other for other in same if other.terms == one.terms]
    if len(one.regions) > 1 and len(same) > 1:
        return f"{name} ({_regions(one)} at {number(one.usd_per_accelerator_hour)} USD/h)"
    for key in ("provider", "terms", "instance", "region", "book"):
        if len({getattr(other, key) for other in same}) == len(same):
            own = terms(one.terms) if key == "terms" else getattr(one, key)
            return name if own is None or key == "provider" else f"{name} ({own})"
    return f"{name} (at {number(one.usd_per_accelerator_hour)} USD/h)"


def of_quote(one: Quote) -> str:
    """A quote as a bar's name: "GCP, on demand, 6 regions, 2.70 USD/h"; a modelled cost is called that."""
    words = prices.terms_in_words(one.terms)
    whose = [wording.opened(words)] if one.is_modelled else [one.provider, words]
    where = [_regions(one)] if len(one.regions) > 1 else []
    return ", ".join([*whose, *where, f"{number(one.usd_per_accelerator_hour)} USD/h"])


def _regions(one: Quote) -> str:
    return counted(len(one.regions), "region")


def terms(one: str) -> str:
    """Terms among others in a sentence: "on demand", "modelled cost (neocloud)"."""
    words, _, kind = prices.terms_in_words(one).partition(", ")
    return f"{words} ({kind})" if kind else words


def spoken(volume: float) -> str:
    """A count of tokens: "100 million", "1.5 billion"."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if volume >= size:
            return f"{number(volume / size)} {word}"
    return number(volume)


def span(low: float, high: float) -> str:
    """Two costs as a range: "0.549 to 1.19 USD"."""
    return f"{number(low)} USD" if number(low) == number(high) else f"{number(low)} to {number(high)} USD"


def used(ratio: float | None) -> str:
    """A utilisation in percent with one decimal: "91.9 %"."""
    return "not known" if ratio is None else f"{ratio * 100:.1f} %"


def cents(value: float) -> str:
    """An amount of a bill to the cent, without cents where it has none or is of five digits."""
    is_whole = value >= 10_000 or round(value, 2).is_integer()
    return f"{value:,.0f}" if is_whole else f"{value:,.2f}"


def costs_of_point(answer: Cost, point_id: str) -> tuple[tuple[str, str], ...]:
    """Labels with a point's cost, the price of its chip and its cheapest quote; nothing for a point without a cost."""
    one = next((one for one in answer.deployments if one.facts.point_id == point_id), None)
    if one is None:
        return ()
    usd = answer.asked.usd
    lines = [(usd.label, quantity(one.usd_per_million, usd.key)), ("Price of a chip", one.price.words)]
    if len(one.offers) > 1:
        cheapest = one.offers[0]
        words = f"{quantity(cheapest.usd_per_million, usd.key)} at {quoted(cheapest.quote)}"
        lines.append((f"Cheapest of {counted(len(one.offers), 'quote')}", words))
    return tuple(lines)
