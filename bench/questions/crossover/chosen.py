"""The answer for a chosen pair: verdict, knots, the verdict under every normalisation, and the break-even prices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench.chart import value_label
from bench.library import Library
from bench.maths.crossover import Crossing, Knot
from bench.questions import Why
from bench.questions.crossover import asked as asking
from bench.questions.crossover import divisors, even, likeness, sentences, sides, versus
from bench.questions.crossover.asked import Asked
from bench.questions.crossover.curves import Curve
from bench.questions.crossover.divisors import Prices
from bench.questions.crossover.versus import Match, Outcome, Side, Verdict
from bench.view import View
from bench.wording import counted

SIDES = ("a", "b")
NEXT = {
    "not_comparable": "Choose sides of one model with the same stated lengths and kind of load.",
    "no_points": "Choose another axis or metric above the chart, or another side.",
    "no_overlap": "Nothing is extrapolated; measure both in one range, or choose another axis.",
}
COLUMNS = ("x", "a", "b", "a_measured", "b_measured", "ratio", "lead_percent", "lead_low", "lead_high", "leads", "tie",
           "member_a", "member_b", "point_id_a", "point_id_b")  # fmt: skip


@dataclass(frozen=True)
class Told:
    """What an answer says."""

    headline: str
    rows: pd.DataFrame
    findings: list[str]
    numbers: dict[str, Any]
    caveats: list[str]
    why: tuple[Why, ...]


def told(library: Library, view: View, asked: Asked) -> Told:
    """The answer for the chosen pair."""
    match = sides.matched(library, view, asked)
    labels = (match.a.label, match.b.label)
    prices = divisors.prices(library, view, asked, asking.either(view, asked.a, asked.b))
    outcome = versus.compared(match, asked, asked.per, prices)
    verdicts = versus.under_every(match, asked, prices)
    points = _points(library, outcome, match)
    knots = _knots(asked, outcome, points)
    prices_even = even.break_even(asked, match, prices)
    about = _about(match, asked)
    numbers: dict[str, Any] = {
        "mode": "pair",
        "kind": outcome.kind,
        "reason": outcome.reason,
        "along": asked.along,
        "metric": asked.metric.key,
        "per": asked.per,
        "unit": sentences.unit(asked),
        "better": asked.better,
        **_both(asked, labels, match, view),
        "overlap": list(outcome.found.overlap) if outcome.found and outcome.found.overlap else None,
        "knots": knots,
        "crossings": [_crossing(one) for one in outcome.found.crossings] if outcome.found else [],
        "lead": _lead(outcome),
        "curves": _drawn(outcome, points),
        "verdicts": [_verdict(asked, one, labels) for one in verdicts],
        "break_even": prices_even,
        "prices": {key: even.price(prices, key, side) for key, side in zip(SIDES, (match.a, match.b), strict=True)},
    }  # fmt: skip
    banner = likeness.unlike(labels, *points) if all(points) else []
    return Told(
        sentences.headline(asked, outcome, labels, about),
        pd.DataFrame(knots, columns=list(COLUMNS)),
        [
            *sentences.findings(asked, outcome, labels),
            *even.sentences_of(asked, prices_even, labels, numbers["prices"]),
            *_next(asked, outcome),
        ],
        numbers,
        [
            *banner,
            *(likeness.mixed(labels, *points) if all(points) else []),
            *_left_out(match, labels),
            *even.priced(numbers["prices"], labels, prices),
        ],
        why(asked, prices),
    )


def _about(match: Match, asked: Asked) -> str:
    rows = [*match.a.rows, *match.b.rows]
    models = {row.fixed[0] for row in rows}
    if len(models) != 1 or None in models:
        return ""
    workload = versus.workload_words(match, asked.along) if not match.reason else ""
    return f"{value_label('model', next(iter(models)))}{f' at {workload}' if workload else ''}"


def _next(asked: Asked, outcome: Outcome) -> list[str]:
    """What to do where there is no verdict."""
    if outcome.kind == "not_known" and asked.per == "dollar":
        return ["State price_a and price_b in USD for one chip and hour, or choose another price book."]
    if outcome.kind == "not_known":
        return ["Compare raw, per accelerator or per dollar instead."]
    return [NEXT[outcome.kind]] if outcome.kind in NEXT else []


def _points(
    library: Library, outcome: Outcome, match: Match
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What is told of the points of both curves; without curves of all that was measured."""
    ids = [
        list(one.point_ids) if one else [point for row in side.rows for point in row.point_ids]
        for one, side in ((outcome.a, match.a), (outcome.b, match.b))
    ]
    found = likeness.details(library, [*ids[0], *ids[1]])
    return [found[one] for one in ids[0] if one in found], [found[one] for one in ids[1] if one in found]


def _knots(asked: Asked, outcome: Outcome, points: tuple[list[dict[str, Any]], ...]) -> list[dict[str, Any]]:
    if outcome.found is None or outcome.a is None or outcome.b is None:
        return []
    told = {point["point_id"]: point for side in points for point in side}
    return [
        {
            "x": knot.x,
            "a": knot.y_a,
            "b": knot.y_b,
            "a_measured": knot.measured_a,
            "b_measured": knot.measured_b,
            "ratio": knot.y_a / knot.y_b,
            "lead_percent": knot.lead_percent,
            "lead_low": knot.lead_low,
            "lead_high": knot.lead_high,
            "leads": "tie" if knot.tie else "a" if knot.lead_percent > 0 else "b",
            "tie": knot.tie,
            **_member("a", outcome.a, knot.x, told),
            **_member("b", outcome.b, knot.x, told),
        }
        for knot in outcome.found.knots
    ]


def _member(side: str, line: Curve, x: float, told: Mapping[str, Any]) -> dict[str, Any]:
    member = line.members.get(x)
    if member is None:
        return {f"member_{side}": None, f"point_id_{side}": None}
    point = told[member.point_ids[0]]
    return {f"member_{side}": likeness.layout(point), f"point_id_{side}": member.point_ids[0]}


def _crossing(one: Crossing) -> dict[str, Any]:
    return {
        "x": one.x,
        "y": one.y,
        "leads_after": one.leads_after,
        "below": one.below.x,
        "above": one.above.x,
        "within_tie": one.within_tie,
        "interval": {
            "low": one.interval.low,
            "high": one.interval.high,
            "open_low": one.interval.open_low,
            "open_high": one.interval.open_high,
            "source": one.interval.source,
        },
    }


def _lead(outcome: Outcome) -> dict[str, Any] | None:
    found = outcome.found
    if found is None or found.smallest is None or found.largest is None:
        return None
    return {
        "leader": "a" if outcome.kind == "a_leads" else "b",
        "smallest": _at(found.smallest),
        "largest": _at(found.largest),
        "ties": [knot.x for knot in outcome.ties],
    }


def _at(knot: Knot) -> dict[str, float]:
    return {"x": knot.x, "lead_percent": knot.lead_percent}


def _drawn(outcome: Outcome, points: tuple[list[dict[str, Any]], ...]) -> dict[str, list[dict[str, Any]]]:
    told = {point["point_id"]: point for side in points for point in side}
    drawn: dict[str, list[dict[str, Any]]] = {}
    for key, line in (("a", outcome.a), ("b", outcome.b)):
        drawn[key] = [
            {"x": x, "y": value / line.divisors[x], "point": _plain(told[one])}
            for x, member in (line.members.items() if line else ())
            for value, one in zip(member.values, member.point_ids, strict=True)
            if line
        ]
    return drawn


def _plain(point: Mapping[str, Any]) -> dict[str, Any]:
    return {**point, "date": None if point["date"] is None else str(point["date"])[:10]}


def _both(asked: Asked, labels: tuple[str, str], match: Match, view: View) -> dict[str, Any]:
    sides = zip(SIDES, labels, (match.a, match.b), strict=True)
    return {key: _described(asked, key, words, side, view) for key, words, side in sides}


def _described(asked: Asked, key: str, words: str, side: Side, view: View) -> dict[str, Any]:
    own = asked.a if key == "a" else asked.b
    xs = [row.x for row in side.rows]
    chips = sorted({row.accelerators for row in side.rows if row.accelerators})
    kinds = sorted({row.accelerator for row in side.rows if row.accelerator})
    return {
        "label": words,
        "filters": view.option(key),
        "where": {name: list(values) for name, values in own.where} if own else {},
        "accelerators": chips,
        "accelerator": kinds[0] if len(kinds) == 1 else None,
        "range": [min(xs), max(xs)] if xs else None,
        "points": len(side.rows),
    }


def _verdict(asked: Asked, one: Verdict, labels: tuple[str, str]) -> dict[str, Any]:
    found = one.outcome.found
    return {
        "held_equal": sentences.verdict_words(asked, one),
        "along": one.along,
        "chips": one.chips,
        "per": one.per,
        "kind": one.outcome.kind,
        "verdict": sentences.brief(asked, one.outcome, sentences.short(labels)),
        "crossings": [crossing.x for crossing in found.crossings if not crossing.within_tie] if found else [],
        "leads": [{**_at(knot), "tie": knot.tie} for knot in (found.knots if found else ())],
        "asked": one.along == asked.along and one.chips is None and one.per == asked.per,
    }  # fmt: skip


def _left_out(match: Match, labels: tuple[str, str]) -> list[str]:
    return [
        f"{counted(count, 'place')} of {words} measured at other lengths or loads left out."
        for count, words in zip(match.left_out, labels, strict=True)
        if count
    ]


def why(asked: Asked, prices: Prices) -> tuple[Why, ...]:
    """Formula, inputs and source of what is told."""
    reasons = [
        Why(
            "Crossing",
            "each curve is straight between neighbouring measured points on log-log axes, so the logarithm of their"
            " ratio is straight between knots and its zero is exact; nothing is extrapolated",
            f"{asked.metric.label} along {asking.along_words(asked.along)}; at each place the newest run and the best"
            " layout, repeats by their geometric mean",
            "log-log interpolation, as between points of a power law",
        ),
        Why(
            "Interval",
            "with repeats every place at which the 95 % interval of the ratio holds 1 (Welch's t on logarithms);"
            " without, the two knots around the crossing",
            "points that number their repeats; other points at one load are no repeats",
            "E. C. Fieller, Biometrika 24 (1932); B. L. Welch, Biometrika 34 (1947)",
        ),
        Why("Tie", "a ratio within 1 % of 1, or whose 95 % interval holds 1", "each knot", "Kneepoint's definition"),
        Why(asked.metric.axis, asked.metric.formula, asked.metric.definition, asked.metric.source),
    ]  # fmt: skip
    if asking.is_throughput(asked.metric):
        terms = "the page of the points" if prices.terms == divisors.WITH_POINTS else prices.terms
        reasons += [
            Why(
                "Break-even price",
                "price of A's chip = price of B's chip x (A per chip / B per chip)",
                f"prices: {prices.book or 'none'}, {terms or 'none'}, unless stated by you",
                "both sides give the same tokens per dollar",
            ),
            Why(
                "Per watt",
                "throughput / (rated power of one chip x chips)",
                "rated power (TDP) of data/accelerators.csv; absent where none is published",
                "data sheets as cited there; no power was measured",
            ),
        ]
    return tuple(reasons)
