"""Dropped points: a measured point of a newest run stands in its answer, and on or below the best that it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bench.audit import answers
from bench.audit.answers import SLACK, Told, contradiction
from bench.audit.checks import superlatives
from bench.audit.finding import Finding
from bench.audit.plain import FLAGGED, OLDER, OTHER_EVIDENCE, REPEAT
from bench.audit.sides import Side, sides
from bench.basis.evidence import Tally
from bench.library import Library
from bench.questions.cost.priced import MOST_DEPLOYMENTS
from bench.questions.cost.result import Cost
from bench.questions.crossover.result import Listing, Pair
from bench.questions.heatmap.result import Heatmap
from bench.questions.pareto.result import Pareto
from bench.wording import counted, number

TITLE = "Dropped points"
RULE = "every measured point of a newest run stands in its answer, and no envelope lies below one at its load"

OUT = (OTHER_EVIDENCE, FLAGGED, OLDER, REPEAT)
NAMED = 40
"""So many points of a finding are named."""


def findings(library: Library) -> Iterator[Finding]:
    """The points that answers lost, miscounted or lie below."""
    yield from answers.contradictions(library, of_answer)


def of_answer(told: Told) -> Iterator[Finding]:
    """What an answer lost of the points it may rest on."""
    found = told.answer.result
    one_load = isinstance(found, Heatmap) and found.level != "best"
    if not (one_load or isinstance(found, Pair)):
        yield from of_tally(told)
    if isinstance(found, Heatmap) and found.ratio is None:
        yield from of_heatmap(told, found)
    elif isinstance(found, Pareto) and found.grid is None:
        yield from of_pareto(told, found)
    elif isinstance(found, Cost):
        yield from of_cost(told, found)
    elif isinstance(found, Pair | Listing):
        for side in sides(told):
            yield from of_side(told, side)


def of_tally(told: Told) -> Iterator[Finding]:
    """A count of selected points, or of those left out for one reason, that is not the points' own."""
    tally = getattr(told.answer.result, "tally", None)
    if not isinstance(tally, Tally):
        return
    codes = Counter(told.reading.codes(told.view).values())
    pairs = {"selected": (tally.selected, codes.total()), **{one: (tally.of(one), codes[one]) for one in OUT}}
    for what, (shown, held) in pairs.items() if tally.counts else ():
        if shown != held:
            text = f"{shown:,} points are counted as {what}, by the points {held:,}"
            yield contradiction(told, text, about=f"tally {what}", shown=shown, held=held)


def of_heatmap(told: Told, found: Heatmap) -> Iterator[Finding]:
    """The places of ranked points that have no cell with a value."""
    shown = {(one.panel, one.x, one.y) for one in found.cells if one.is_measured}
    for place, rows in superlatives.cells(told).items():
        if place not in shown:
            yield _lost(told, [row["point_id"] for row in rows], f"no cell at {place}")


def of_pareto(told: Told, found: Pareto) -> Iterator[Finding]:
    """The ranked points with both metrics that do not enter."""
    points = found.points
    entering = set(points.loc[points["enters"].astype(bool), "point_id"]) if len(points) else set()
    held = {row["point_id"] for *_, row in superlatives.on_axes(told)}
    if told.reading.usd(told.view) is not None and held != entering:
        yield _lost(told, sorted(held ^ entering), "points that do not enter, or enter and may not")


def of_cost(told: Told, found: Cost) -> Iterator[Finding]:
    """The groups with a priced point within the limits that are told no cost."""
    if found.asked.group == "deployment" or len(found.deployments) >= MOST_DEPLOYMENTS:
        return
    shown = {(one.group, one.facts.accelerator) for one in found.deployments}
    for group, chip in superlatives.cheapest(told).keys() - shown:
        yield contradiction(
            told, f"{group or 'what states no group'} on {chip} has no cost", about=f"{group} {chip}"
        )


def of_side(told: Told, side: Side) -> Iterator[Finding]:
    """The points that a curve misses, or lies below."""
    envelope, sign = side.curve.envelope, -1 if side.lower else 1
    held = set(envelope.xs)
    missed = [id for x, _, id in side.points if x not in held]
    if missed:
        yield _lost(told, missed, f"pair {side.pair}, {side.key}: places missing from the curve")
    for x, y, id in side.points:
        if x in held and sign * envelope.y(x) < sign * y - SLACK * abs(y):
            text = f"pair {side.pair}, {side.key} at {x:g} is {number(envelope.y(x))}, below a measured {number(y)}"
            yield contradiction(
                told, text, id, about=f"{side.pair} {side.key} {x}", shown=envelope.y(x), held=y
            )


def _lost(told: Told, ids: list[str], what: str) -> Finding:
    return contradiction(told, f"{what} ({counted(len(ids), 'point')})", *ids[:NAMED], about=what)
