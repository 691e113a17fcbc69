"""The answer for a chosen pair: verdict, knots, the verdict under every normalisation, and the break-even prices."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench.chart import value_label
from bench.library import Library
from bench.maths.crossover import Crossing, Knot
from bench.maths.leads import Break
from bench.questions import Why
from bench.questions.crossover import asked as asking
from bench.questions.crossover import (
    divisors,
    even,
    likeness,
    passing,
    reasons,
    sentences,
    sides,
    tables,
    versus,
)
from bench.questions.crossover.asked import SIDES, Asked
from bench.questions.crossover.curves import Curve
from bench.questions.crossover.versus import Match, Outcome, Side, Verdict
from bench.view import View
from bench.wording import counted

NEXT = {
    "not_comparable": "Choose sides of one model with the same stated lengths and kind of load.",
    "no_points": "Choose another axis or metric above the chart, or another side.",
    "no_overlap": "Nothing is extrapolated; measure both in one range, or choose another axis.",
}


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
    points = _points(library, outcome, match)
    told_of = {point["point_id"]: point for side in points for point in side}
    knots = _knots(outcome, told_of)
    prices_even = even.break_even(asked, match, prices)
    turns = _turns(outcome, told_of)
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
        "crossings": [_crossing(one, outcome, told_of) for one in outcome.found.crossings] if outcome.found else [],
        "breaks": [_break(one, outcome, told_of) for one in outcome.found.breaks] if outcome.found else [],
        "lacking": _lacking(outcome, told_of),
        "turns": turns,
        "lead": _lead(outcome),
        "curves": _drawn(outcome, told_of),
        "lines": {key: _line(line) for key, line in zip(SIDES, (outcome.a, outcome.b), strict=True)},
        "verdicts": [_verdict(asked, one, labels) for one in versus.under_every(match, asked, prices)],
        "break_even": prices_even,
        "prices": {key: even.price(prices, key, side) for key, side in zip(SIDES, (match.a, match.b), strict=True)},
    }  # fmt: skip
    banner = likeness.unlike(labels, *points) if all(points) else []
    if _same(match):
        banner = ["Both sides are the same points."]
    numbers["banner"] = banner
    return Told(
        sentences.headline(asked, outcome, labels, _about(match, asked), turns),
        tables.of_knots(asked, knots),
        [
            *sentences.findings(asked, outcome, labels),
            *sentences.changes(
                asked, numbers["crossings"], numbers["breaks"], numbers["lacking"], labels, turns
            ),
            *even.sentences_of(asked, prices_even, labels, numbers["prices"]),
            *_next(asked, outcome),
        ],
        numbers,
        [
            *banner,
            *(likeness.mixed(labels, *points) if all(points) else []),
            *_ranges(outcome, labels, told_of),
            *_left_out(match, labels),
            *even.priced(numbers["prices"], labels, prices),
        ],
        reasons.why(asked, prices),
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


def _same(match: Match) -> bool:
    """Whether both sides are made of the same points."""
    a, b = ({point for row in side.rows for point in row.point_ids} for side in (match.a, match.b))
    return bool(a) and a == b


def _knots(outcome: Outcome, told: Mapping[str, Any]) -> list[dict[str, Any]]:
    if outcome.found is None or outcome.a is None or outcome.b is None:
        return []
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
            "settled": knot.settled,
            **_member("a", outcome.a, knot.member_a, knot.x, told),
            **_member("b", outcome.b, knot.member_b, knot.x, told),
        }
        for knot in outcome.found.knots
    ]


def _member(side: str, line: Curve, place: int, x: float, told: Mapping[str, Any]) -> dict[str, Any]:
    """The series that is best at an x, in words, and its point where it was measured there."""
    row = line.row(place, x)
    return {
        f"member_{side}": _words(line, place, told),
        f"point_id_{side}": row.point_ids[0] if row else None,
    }


def _words(line: Curve, place: int, told: Mapping[str, Any]) -> str:
    """A series of a side in words, by its newest point's layout."""
    points = [told[one] for row in line.members[place].values() for one in row.point_ids if one in told]
    return likeness.layout(points[-1]) if points else ""


def _crossing(one: Crossing, outcome: Outcome, told: Mapping[str, Any]) -> dict[str, Any]:
    changes = {}
    for key, line, places in (
        ("a", outcome.a, (one.below.member_a, one.above.member_a)),
        ("b", outcome.b, (one.below.member_b, one.above.member_b)),
    ):
        if line and places[0] != places[1]:
            changes[key] = [_words(line, place, told) for place in places]
    return {
        "x": one.x,
        "y": one.y,
        "leads_after": one.leads_after,
        "below": one.below.x,
        "above": one.above.x,
        "within_tie": one.within_tie,
        "below_tie": one.below.tie,
        "above_tie": one.above.tie,
        "changes": changes,
        "interval": {
            "low": one.interval.low,
            "high": one.interval.high,
            "open_low": one.interval.open_low,
            "open_high": one.interval.open_high,
            "source": one.interval.source,
        },
    }


def _break(one: Break, outcome: Outcome, told: Mapping[str, Any]) -> dict[str, Any]:
    line = outcome.a if one.side == "a" else outcome.b
    assert line is not None
    words = _words(line, one.member, told)
    return {"x": one.x, "until": one.until, "side": one.side, "beyond": one.beyond, "member": words}


def _lacking(outcome: Outcome, told: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = []
    for one in outcome.found.lacking if outcome.found else ():
        low, high = sorted((one.x, one.until))
        knots = [knot for knot in outcome.found.knots if low <= knot.x <= high] if outcome.found else []
        leads = [knot.lead_percent for knot in knots if not knot.tie and knot.x != one.x]
        found.append({**_break(one, outcome, told), "lead_percents": leads})
    return found


def _turns(outcome: Outcome, told: Mapping[str, Any]) -> list[dict[str, Any]]:
    if outcome.found is None or outcome.a is None or outcome.b is None:
        return []
    return passing.numbers(outcome.found, {"a": outcome.a, "b": outcome.b}, told)


def _ranges(outcome: Outcome, labels: tuple[str, str], told: Mapping[str, Any]) -> list[str]:
    lines = zip(labels, (outcome.a, outcome.b), strict=True)
    return [sentence for label, line in lines if line for sentence in passing.ranges(label, line, told)]


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


def _drawn(outcome: Outcome, told: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """The measured points of each side's series; `best` where the side's curve runs through it."""
    drawn: dict[str, list[dict[str, Any]]] = {}
    for key, line in zip(SIDES, (outcome.a, outcome.b), strict=True):
        drawn[key] = []
        for place in line.winning if line else ():
            assert line is not None
            for x, row in line.members[place].items():
                best = line.envelope.at(x).member == place
                drawn[key] += [
                    {"x": x, "y": value / line.divisors[place], "best": best, "point": _plain(told[one])}
                    for value, one in zip(row.values, row.point_ids, strict=True)
                ]
        drawn[key].sort(key=lambda point: (point["x"], point["y"]))
    return drawn


def _line(line: Curve | None) -> list[list[list[float]]]:
    """A side's curve as [x, y], in pieces between gaps and jumps."""
    if line is None:
        return []
    sign = line.envelope.sign
    return [[[one.x, math.exp(sign * one.height)] for one in part] for part in line.envelope.stretches]


def _plain(point: Mapping[str, Any]) -> dict[str, Any]:
    return {**point, "date": None if point["date"] is None else point["date"].isoformat()}


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
        "turns": [[turn.below.x, turn.above.x] for turn in found.turns] if found else [],
        "leads": [{**_at(knot), "tie": knot.tie, "settled": knot.settled} for knot in (found.knots if found else ())],
        "asked": one.along == asked.along and one.chips is None and one.per == asked.per,
    }  # fmt: skip


def _left_out(match: Match, labels: tuple[str, str]) -> list[str]:
    return [
        f"{counted(count, 'place')} of {words} measured at other lengths or loads left out."
        for count, words in zip(match.left_out, labels, strict=True)
        if count
    ]
