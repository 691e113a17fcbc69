"""What the tokens of one point cost, for its card."""

from __future__ import annotations

from bench.basis.prices import quoted
from bench.questions.cost.result import Cost
from bench.wording import counted, quantity


def costs(found: Cost, point_id: str) -> tuple[tuple[str, str], ...]:
    """Labels with a point's cost, the price of its chip and its cheapest quote; nothing for a point without a cost."""
    one = next((one for one in found.deployments if one.facts.point_id == point_id), None)
    if one is None:
        return ()
    usd = found.asked.usd
    told = [(usd.label, quantity(one.usd_per_million, usd.key)), ("Price of a chip", one.price.words)]
    if len(one.offers) > 1:
        cheapest = one.offers[0]
        words = f"{quantity(cheapest.usd_per_million, usd.key)} at {quoted(cheapest.quote)}"
        told.append((f"Cheapest of {counted(len(one.offers), 'quote')}", words))
    return tuple(told)
