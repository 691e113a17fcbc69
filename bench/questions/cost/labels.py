"""What deployments, groups and quotes are called, the same in sentences, bars and table."""

from __future__ import annotations

from bench.basis import likeness
from bench.basis.points import PointFacts
from bench.basis.prices import quoted
from bench.chart import setting, value_label
from bench.questions.cost.priced import DEPLOYMENT
from bench.questions.cost.result import Cost, PricedDeployment
from bench.wording import counted, quantity

ALIKE = ("model", "precision", "isl", "osl")
"""What the label of a group by deployment leaves out where all are alike in it."""

CONFIGURED = ("precision", "kv_precision", "speculation", "disaggregated", "dataset", "load_kind")
"""What a deployment is named with where it is unlike all others in it."""

ON_CHIPS = ("accelerator", "accelerators", "model", "precision", DEPLOYMENT)
"""Groups whose value does not stand before a deployment's chips: they say it, or it is named where it differs."""


def label(costs: Cost, one: PricedDeployment) -> str:
    """A deployment's name in chart and table; grouped by deployment all that is known of it."""
    if costs.asked.group == DEPLOYMENT:
        return one.facts.words([key for key in ALIKE if not _several(costs, key)])
    return name(costs, one)


def name(costs: Cost, one: PricedDeployment) -> str:
    """A deployment's name, with what tells it from the others: "8 x H200 SXM (MTP speculation)", "tp 8 on 8 x L4"."""
    facts, group, about = one.facts, costs.asked.group, []
    about += [value_label("engine", facts.engine)] if group == DEPLOYMENT and facts.engine else []
    about += [facts.workload] if _several(costs, "isl") or _several(costs, "osl") else []
    others = [(facts, other) for other in costs.facts if other.point_id != facts.point_id]
    own = {difference.fact.key for difference in likeness.everywhere(others, CONFIGURED)} - {group}
    own |= {"precision"} if _several(costs, "precision") else set()
    about += [_configured(key, facts) for key in CONFIGURED if key in own]
    about += ["modelled price"] if one.price.modelled else []
    words = chips(facts) if group in ON_CHIPS else f"{_of_field(group, getattr(facts, group))} on {chips(facts)}"
    if costs.asked.many_models or _several(costs, "model"):
        words = f"{value_label('model', facts.model)} on {words}"
    return f"{words} ({', '.join(about)})" if about else words


def chips(facts: PointFacts) -> str:
    """The hardware of a deployment: "H100 SXM", "8 x H200 SXM"."""
    return value_label("accelerator", facts.accelerator) if facts.accelerators == 1 else facts.hardware


def of_group(group: str, value: str, accelerator: str) -> str:
    """A group, by its value as text, on an accelerator: "H200 SXM", "tp 8 on H200 SXM"."""
    chip = value_label("accelerator", accelerator)
    if group in ("accelerator", DEPLOYMENT):
        return chip
    return f"{_of_field(group, {'true': True, 'false': False, '': None}.get(value, value))} on {chip}"


def costs_of_point(answer: Cost, point_id: str) -> tuple[tuple[str, str], ...]:
    """Labels with a point's cost, the price of its chip and its cheapest quote; nothing for a point without a cost."""
    one = next((one for one in answer.deployments if one.facts.point_id == point_id), None)
    if one is None:
        return ()
    usd = answer.asked.usd
    lines = [(usd.label, quantity(one.usd_per_million, usd.key)), ("Price of a chip", one.price.words)]
    if len(one.offers) > 1:
        first = one.offers[0]
        words = f"{quantity(first.usd_per_million, usd.key)} at {quoted(first.quote)}"
        lines.append((f"Cheapest of {counted(len(one.offers), 'quote')}", words))
    return tuple(lines)


def _of_field(group: str, value: object) -> str:
    """The value of a group's field: "tp 8", "no speculation", "aggregated"."""
    return likeness.fact_words(group, value) if group in likeness.DEPLOYED else setting(group, value)


def _configured(key: str, facts: PointFacts) -> str:
    words = likeness.fact_words(key, getattr(facts, key))
    if key == "load_kind":
        return "static batches" if facts.load_kind == "batch" else f"{words} load"
    return f"KV {words}" if key == "kv_precision" else words


def _several(costs: Cost, key: str) -> bool:
    """Whether the operating points are unlike in a column that has to be named then."""
    return len({getattr(one, key) for one in costs.facts}) > 1
