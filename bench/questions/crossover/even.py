"""The break-even prices of a pair: what a chip of each side may cost for both to give the same per dollar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.chart import value_label
from bench.maths.crossover import break_even_price
from bench.questions.crossover import asked as asking
from bench.questions.crossover import sentences, versus
from bench.questions.crossover.asked import SIDES, Asked
from bench.questions.crossover.divisors import Prices
from bench.questions.crossover.versus import Match, Side


def break_even(asked: Asked, match: Match, prices: Prices) -> dict[str, list[dict[str, Any]]]:
    """For each side, at each settled knot, the price of one of its chips at which both give the same per dollar.

    The best place of the side, where it may cost the most, comes first; empty without the other side's price.
    """
    found: dict[str, list[dict[str, Any]]] = {"a": [], "b": []}
    if match.reason or not asking.is_throughput(asked.metric):
        return found
    outcome = versus.compared(match, asked, "accelerator", prices)
    if outcome.found is None or outcome.a is None or outcome.b is None:
        return found
    for side, other, line, rows in (("a", "b", outcome.a, match.b.rows), ("b", "a", outcome.b, match.a.rows)):
        usd = {one.usd for row in rows if (one := prices.of(other, row.accelerator))}
        if len(usd) != 1:
            continue
        usd_other = usd.pop()
        for knot in (one for one in outcome.found.knots if one.settled):
            ys = (knot.y_b, knot.y_a) if side == "a" else (knot.y_a, knot.y_b)
            each = break_even_price(ys[0], ys[1], 1, 1, usd_other)
            best = line.members[knot.member_a if side == "a" else knot.member_b]
            chips = next(iter(best.values())).accelerators
            found[side].append({
                "x": knot.x, "usd_per_accelerator_hour": each, "accelerators": chips,
                "usd_per_hour": each * chips if chips else None,
                "measured": knot.measured_a and knot.measured_b,
                "places_left_out": sum(not one.settled for one in outcome.found.knots),
            })  # fmt: skip
        found[side].sort(key=lambda row: -row["usd_per_accelerator_hour"])
    return found


def sentences_of(asked: Asked, even: Mapping[str, list[dict[str, Any]]], labels: tuple[str, str],
                    prices: Mapping[str, Any]) -> list[str]:  # fmt: skip
    """Below which price each side wins per dollar, where it may cost the most."""
    told = []
    for place, key in enumerate(SIDES):
        if even[key]:
            now = prices[key]["usd_per_accelerator_hour"]
            told.append(sentences.price_sentence(labels[place], even[key][0], now, asked, labels[1 - place]))
    return told


def price(prices: Prices, key: str, side: Side) -> dict[str, Any]:
    """What a chip of a side costs now, in USD for an hour, and where that is from; None when not known."""
    kinds = sorted({row.accelerator for row in side.rows if row.accelerator})
    found = [one for kind in kinds if (one := prices.of(key, kind))]
    one = found[0] if len({each.usd for each in found}) == 1 and len(found) == len(kinds) else None
    return {
        "usd_per_accelerator_hour": one.usd if one else None,
        "words": one.words if one else None,
        "accelerators": [value_label("accelerator", kind) for kind in kinds],
        "book": prices.book or None,
        "terms": prices.terms or None,
        "stated": bool(one and one.stated),
    }


def priced(found: Mapping[str, Any], labels: tuple[str, str], prices: Prices) -> list[str]:
    """The prices that stand behind a dollar, in a sentence; nothing without any."""
    known = [
        f"{labels[place]} {found[key]['words']}" for place, key in enumerate(SIDES) if found[key]["words"]
    ]
    if not known:
        return []
    source = f" from {prices.book}" if not all(found[key]["stated"] for key in SIDES) and prices.book else ""
    return [f"Prices per chip{source}: {', '.join(known)}."]
