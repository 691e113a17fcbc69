"""Superlatives: what an answer calls the most, the best or the cheapest is so among all points the rules let in."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bench import catalogue
from bench.audit import answers
from bench.audit.answers import Told, apart, contradiction, is_close
from bench.audit.finding import Finding
from bench.audit.plain import Row, keeps, value
from bench.audit.sides import sides
from bench.library import Library
from bench.questions.cost.result import Cost
from bench.questions.crossover.result import Compared, Listing, Pair
from bench.questions.heatmap.result import Heatmap
from bench.questions.overview.result import Overview
from bench.questions.pareto.result import Pareto, Spot
from bench.questions.scaling.result import Place, Scaling
from bench.records import DEPLOYMENT_FIELDS, LOAD_AXES

TITLE = "Superlatives"
RULE = "the best of an answer is the maximum over the selected points that the rules let in"

MILLION, SECONDS_PER_HOUR = 1e6, 3600
TIE = 0.01

RUN = ("source", "source_url", "date", "isl", "osl", "workload_id", "load_kind", "harness", "scenario", "accelerators",
       *(name for name in DEPLOYMENT_FIELDS if name in ("model", "precision", "kv_precision", "engine", "accelerator",
         "engine_version", "speculation", "disaggregated", "variant", "checkpoint")))  # fmt: skip
"""What points of one run have in common that differ in layout and load alone."""


def findings(library: Library) -> Iterator[Finding]:
    """The superlatives of answers that a brute-force search of the points contradicts."""
    yield from answers.contradictions(library, of_answer)


def of_answer(told: Told) -> Iterator[Finding]:
    """What of an answer is no maximum."""
    checked = KINDS.get(type(told.answer.result))
    if checked:
        yield from checked(told)


def of_overview(told: Told) -> Iterator[Finding]:
    """The bests of the story that are behind a point of it."""
    found: Overview = told.answer.result
    views = {link.kind: link.view for link in found.links}
    for kind, best in (("per_chip", found.per_chip), ("stream", found.stream)):
        if best is not None:
            rows = told.reading.ranked(views[kind])
            yield from _most(
                told, best.value, [value(row, best.metric) for row in rows], f"the best {best.metric}"
            )


def of_heatmap(told: Told) -> Iterator[Finding]:
    """The cells that do not hold their best point, and a peak that is not the best of all."""
    found: Heatmap = told.answer.result
    if found.ratio is not None:
        return
    in_cells = cells(told)
    shown = {(one.panel, one.x, one.y): one for one in found.cells if one.is_measured}
    lower = found.better == "lower"
    for place, one in shown.items():
        held = [value(row, found.metric) for row in in_cells.get(place, ())]
        yield from _most(told, one.value or 0.0, held, f"cell {one.place}", lower=lower)
    if found.peak is not None:
        held = [value(row, found.metric) for rows in in_cells.values() for row in rows]
        yield from _most(told, found.peak.value or 0.0, held, "the peak", lower=lower)


def cells(told: Told) -> dict[tuple[Any, ...], list[Row]]:
    """The ranked points with the metric in each cell of a heatmap, by panel, x and y."""
    found: Heatmap = told.answer.result
    load, _, level = found.level.partition("=")
    placed: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in told.reading.ranked(told.view):
        x, y = (_along(row, axis, found) for axis in (found.x, found.y))
        is_of_kind = found.load_kind is None or row["load_kind"] == found.load_kind
        is_at_load = not level or row[load] == float(level)
        if None not in (x, y, value(row, found.metric)) and is_of_kind and is_at_load:
            placed[row[found.panel] if found.panel else None, x, y].append(row)
    return placed


def _along(row: Row, axis: str, found: Heatmap) -> Any:
    """Where a point lies along an axis, in doublings where the heatmap counts in those."""
    at = row[axis]
    return 2.0 ** math.floor(math.log2(at)) if at is not None and at > 0 and axis in found.doublings else at


def of_pareto(told: Told) -> Iterator[Finding]:
    """Frontiers that are not those of the points, and a best within the limits that is none."""
    found: Pareto = told.answer.result
    entering = on_axes(told)
    owners: dict[str, list[tuple[float, float, Row]]] = defaultdict(list)
    for one in entering:
        owners[_text(one[2][found.group]) if found.group else ""].append(one)
    yield from _frontier(told, "the overall frontier", [(one.x, one.y) for one in found.overall], entering)
    for group in found.groups:
        yield from _frontier(told, f"the frontier of {group.label}", group.line, owners[group.owner])
        yield from _best_within(told, f"the best of {group.label}", group.best, owners[group.owner])
    if found.best is not None:
        yield from _best_within(told, "the best within the limits", found.best, entering)


def on_axes(told: Told) -> list[tuple[float, float, Row]]:
    """The points of an answer's rules with both metrics of a Pareto chart, within its limits: x, y and the row."""
    found: Pareto = told.answer.result
    if found.y in catalogue.PRICED and told.reading.usd(told.view) is None:
        return []
    told_of = ((value(row, found.x), _up(told, row), row) for row in told.reading.standing(told.view))
    both = [(x, y, row) for x, y, row in told_of if x is not None and y is not None]
    priced = found.y in catalogue.PRICED
    return [one for one in both if keeps(one[2], told.view.slo, {found.y: one[1]} if priced else None)]


def _up(told: Told, row: Row) -> float | None:
    """What stands along a Pareto chart's vertical axis, a cost at the price of the point's chip."""
    metric = told.answer.result.y
    rate = catalogue.PRICED.get(metric)
    return value(row, metric) if rate is None else cost(told, row, value(row, rate))


def cost(told: Told, row: Row, rate: float | None) -> float | None:
    """USD for a million tokens of a point that serves so many a second; None without a price, chips or a rate."""
    usd = (told.reading.usd(told.view) or {}).get(row["accelerator"])
    if not rate or not usd or not row["accelerators"]:
        return None
    chips, used = float(row["accelerators"]), float(told.view.option("utilisation", "1"))
    return usd * chips / (rate * used * SECONDS_PER_HOUR) * MILLION


def _frontier(told: Told, what: str, shown: Sequence[tuple[float, float]],
              entering: Sequence[tuple[float, float, Row]]) -> Iterator[Finding]:  # fmt: skip
    """A frontier that lacks a point which no other dominates, or holds one that another does."""
    x_sign, y_sign = (-1 if one.direction == "lower" else 1 for one in told.answer.result.metrics)
    ordered = sorted(((x_sign * x, y_sign * y, row["point_id"]) for x, y, row in entering), reverse=True)
    held, best = [], -math.inf
    for x, y, id in ordered:
        if y > best:
            held.append((x, y, id))
            best = y
    signed = [(x_sign * x, y_sign * y) for x, y in shown]
    pairs = zip(signed, held, strict=False)
    is_same = len(signed) == len(held) and all(
        is_close(a, c) and is_close(b, d) for (a, b), (c, d, _) in pairs
    )
    if not is_same:
        ids = [id for *_, id in held]
        text = f"{what} has {len(signed)} points, by the points {len(held)}, or others"
        yield contradiction(told, text, *ids, about=what, shown=len(signed), held=len(held))


def _best_within(
    told: Told, what: str, best: Spot | None, entering: Sequence[tuple[float, float, Row]]
) -> Iterator[Finding]:
    """A best within the limits that another point is ahead of, or a group's that is said to be none."""
    found: Pareto = told.answer.result
    if not found.limits:
        return
    at, metric = (0, found.metrics[0]) if found.is_x_best else (1, found.metrics[1])
    lower = metric.direction == "lower"
    if best is not None:
        yield from _most(told, found.value(best), [(x, y)[at] for x, y, _ in entering], what, lower=lower)
    elif entering:
        yield contradiction(told, f"{what} is none, and {len(entering)} points keep the limits", about=what)


def of_cost(told: Told) -> Iterator[Finding]:
    """The groups that do not stand at their cheapest point, and a cheapest of all that is not."""
    found: Cost = told.answer.result
    held = cheapest(told)
    if not held:
        return
    for one in found.deployments:
        own = held.get((one.group, one.facts.accelerator), [])
        if found.asked.group != "deployment":
            what = f"the cost of {one.group or 'what states no group'} on {one.facts.accelerator}"
            yield from _most(told, one.usd_per_million, own, what, lower=True)
    if found.deployments:
        every = [usd for own in held.values() for usd in own]
        yield from _most(told, found.deployments[0].usd_per_million, every, "the cheapest", lower=True)


def cheapest(told: Told) -> dict[tuple[str, Any], list[float]]:
    """What a million tokens cost at each ranked point with a price, by group and accelerator."""
    found: Cost = told.answer.result
    costs: dict[tuple[str, Any], list[float]] = defaultdict(list)
    for row in told.reading.ranked(told.view) if told.reading.usd(told.view) is not None else ():
        usd = cost(told, row, _rate(row, found.asked.tokens))
        if usd is not None:
            group = "" if found.asked.group == "deployment" else _text(row[found.asked.group])
            costs[group, row["accelerator"]].append(usd)
    return costs


def _rate(row: Row, tokens: str) -> float | None:
    """A point's tokens per second of a kind, worked out from the lengths where the kind allows it."""
    out, into, total = (value(row, f"{one}_tokens_per_s") or 0.0 for one in ("output", "input", "total"))
    share = row["isl"] / row["osl"] if row["isl"] is not None and row["osl"] else 0.0
    derived = {"output": (out,), "input": (into, out * share), "total": (total, into and out and into + out)}
    derived["blended"] = (*derived["total"], out * (1 + share) if share else 0.0)
    return next((one for one in derived[tokens] if one > 0), None)


def of_crossover(told: Told) -> Iterator[Finding]:
    """The leaders at measured places that are behind the other side's best point there."""
    for side in sides(told):
        for outcome in (side.outcome,) if isinstance(side.outcome, Compared) else ():
            for knot in outcome.found.knots:
                own, measured = (
                    (knot.y_a, knot.measured_a) if side.key == "a" else (knot.y_b, knot.measured_b)
                )
                held = [y for x, y, _ in side.points if x == knot.x]
                if measured:
                    what = f"pair {side.pair}, {side.key} at {knot.x:g}"
                    yield from _most(told, own, held, what, lower=side.lower)
            yield from _leaders(told, side.pair, outcome, lower=side.lower) if side.key == "a" else ()


def _leaders(told: Told, pair: int, outcome: Compared, *, lower: bool) -> Iterator[Finding]:
    """The knots whose leader is not the side with the better figure there."""
    for knot in outcome.found.knots:
        ahead = "a" if (knot.y_a < knot.y_b) == lower else "b"
        lead, is_repeated = max(knot.y_a, knot.y_b) / min(knot.y_a, knot.y_b) - 1, knot.lead_low is not None
        if knot.leader not in (None, ahead) or (
            knot.leader is None and lead > TIE + 1e-9 and not is_repeated
        ):
            text = (
                f"pair {pair} at {knot.x:g} is led by {knot.leader or 'neither'}, by its figures by {ahead}"
            )
            yield contradiction(told, text, about=f"leader {pair} {knot.x}", a=knot.y_a, b=knot.y_b)


def of_scaling(told: Told) -> Iterator[Finding]:
    """The places at one load that do not stand at the best layout of their run."""
    found: Scaling = told.answer.result
    if found.way not in LOAD_AXES:
        return
    runs: dict[tuple[Any, ...], list[float | None]] = defaultdict(list)
    for row in told.reading.ranked(told.view):
        if row[found.way] == found.level:
            runs[tuple(row[name] for name in RUN)].append(value(row, found.metric))
    for line in found.lines:
        for place in line.places:
            yield from _of_place(told, place, runs, line.label)


def _of_place(
    told: Told, place: Place, runs: dict[tuple[Any, ...], list[float | None]], label: str
) -> Iterator[Finding]:
    row = told.reading.by_id.get(place.point.facts.point_id)
    if place.between is None and row is not None:
        held = runs[tuple(row[name] for name in RUN)]
        best = max((one for one in held if one is not None), default=None)
        if best is None or best > place.throughput * (1 + answers.SLACK):
            text = apart(place.throughput, best or 0.0, f"{label} on {place.accelerators} chips")
            yield contradiction(told, text, place.point.facts.point_id, about=f"{label} {place.accelerators}")


def _most(
    told: Told, shown: float, held: Sequence[float | None], what: str, *, lower: bool = False
) -> Iterator[Finding]:
    """A finding where a figure is not the best of those held."""
    stated = [one for one in held if one is not None]
    best = (min if lower else max)(stated, default=None)
    if best is None or not is_close(shown, best):
        text = f"{what} is of no point that is ranked" if best is None else apart(shown, best, what)
        yield contradiction(told, text, about=what, shown=shown, held=best or 0.0)


def _text(held: Any) -> str:
    """A group's value as text, "" where it is not stated."""
    return "" if held is None else str(held).lower() if isinstance(held, bool) else str(held)


KINDS: dict[type, Callable[[Told], Iterator[Finding]]] = {
    Overview: of_overview, Heatmap: of_heatmap, Pareto: of_pareto, Cost: of_cost, Pair: of_crossover,
    Listing: of_crossover, Scaling: of_scaling,
}  # fmt: skip
"""What is the most in each kind of answer."""
