"""Superlatives: what an answer calls the most, the best or the cheapest is so among all points the rules let in."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bench import catalogue
from bench.basis.document import records
from bench.library import Library
from bench.maths.capacity import HOURS_PER_MONTH
from bench.questions.capacity.result import Capacity
from bench.questions.cost.result import Cost
from bench.questions.crossover.result import Compared, Pair, PairList
from bench.questions.heatmap.result import Heatmap
from bench.questions.overview.result import Overview
from bench.questions.pareto.result import Pareto, Spot
from bench.questions.roofline.result import Roofline
from bench.questions.scaling.result import ChipCount, Scaling
from bench.records import DEPLOYMENT_FIELDS, LOAD_AXES
from tests.questions.audited import answers
from tests.questions.audited.answers import AuditedAnswer, Contradiction, apart, contradiction, is_close
from tests.questions.audited.reference_answers import PlainRow, keeps, value
from tests.questions.audited.sides_of_pair import sides

MILLION, SECONDS_PER_HOUR = 1e6, 3600
TIE, TIGHT = 0.01, 1e-9

RUN = ("source", "source_url", "date", "isl", "osl", "workload_id", "load_kind", "harness", "scenario", "accelerators",
       *(name for name in DEPLOYMENT_FIELDS if name in ("model", "precision", "kv_precision", "engine", "accelerator",
         "engine_version", "speculation", "disaggregated", "variant", "checkpoint")))  # fmt: skip
"""What points of one run have in common that differ in layout and load alone."""


def findings(library: Library) -> Iterator[Contradiction]:
    """The superlatives of answers that a brute-force search of the points contradicts."""
    yield from answers.contradictions(library, of_answer)


def of_answer(case: AuditedAnswer) -> Iterator[Contradiction]:
    """What of an answer is no maximum."""
    checked = KINDS.get(type(case.answer.result))
    if checked:
        yield from checked(case)


def of_overview(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The bests of the story that are behind a point of it."""
    found: Overview = case.answer.result
    views = {link.kind: link.view for link in found.links}
    for kind, best in (("per_chip", found.per_chip), ("stream", found.stream)):
        if best is not None:
            rows = case.reading.ranked(views[kind])
            yield from _most(case, best.value, [value(row, best.metric) for row in rows], f"the best {best.metric}")


def of_heatmap(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The cells that do not hold their best point, and a peak that is not the best of all."""
    heatmap: Heatmap = case.answer.result
    if heatmap.ratio is not None:
        return
    in_cells = cells(case)
    shown = {(one.panel, one.x, one.y): one for one in heatmap.cells if one.is_measured}
    lower = heatmap.row.better == "lower"
    for place, one in shown.items():
        held = [value(row, heatmap.metric) for row in in_cells.get(place, ())]
        yield from _most(case, one.value or 0.0, held, f"cell {one.place}", lower=lower)
    if heatmap.peak is not None:
        held = [value(row, heatmap.metric) for rows in in_cells.values() for row in rows]
        yield from _most(case, heatmap.peak.value or 0.0, held, "the peak", lower=lower)


def cells(case: AuditedAnswer) -> dict[tuple[Any, ...], list[PlainRow]]:
    """The ranked points with the metric in each cell of a heatmap, by panel, x and y."""
    heatmap: Heatmap = case.answer.result
    load, _, level = heatmap.level.partition("=")
    placed: dict[tuple[Any, ...], list[PlainRow]] = defaultdict(list)
    for row in case.reading.ranked(case.view):
        x, y = (_along(row, axis, heatmap) for axis in (heatmap.x, heatmap.y))
        is_of_kind = heatmap.load_kind is None or row["load_kind"] == heatmap.load_kind
        is_at_load = not level or row[load] == float(level)
        if None not in (x, y, value(row, heatmap.metric)) and is_of_kind and is_at_load:
            placed[row[heatmap.panel] if heatmap.panel else None, x, y].append(row)
    return placed


def _along(row: PlainRow, axis: str, found: Heatmap) -> Any:
    """Where a point lies along an axis, in doublings where the heatmap counts in those."""
    at = row[axis]
    return 2.0 ** math.floor(math.log2(at)) if at is not None and at > 0 and axis in found.doublings else at


def of_pareto(case: AuditedAnswer) -> Iterator[Contradiction]:
    """Frontiers that are not those of the points, and a best within the limits that is none."""
    pareto: Pareto = case.answer.result
    entering = on_axes(case)
    owners: dict[str, list[tuple[float, float, PlainRow]]] = defaultdict(list)
    for one in entering:
        owners[_text(one[2][pareto.group]) if pareto.group else ""].append(one)
    yield from _frontier(case, "the overall frontier", [(one.x, one.y) for one in pareto.overall], entering)
    for group in pareto.groups:
        yield from _frontier(case, f"the frontier of {group.label}", group.line, owners[group.owner])
        yield from _best_within(case, f"the best of {group.label}", group.best, owners[group.owner])
    if pareto.best is not None:
        yield from _best_within(case, "the best within the limits", pareto.best, entering)


def on_axes(case: AuditedAnswer) -> list[tuple[float, float, PlainRow]]:
    """The points of an answer's rules with both metrics of a Pareto chart, within its limits: x, y and the row."""
    pareto: Pareto = case.answer.result
    if pareto.y in catalogue.PRICED and case.reading.usd(case.view) is None:
        return []
    told_of = ((value(row, pareto.x), _up(case, row), row) for row in case.reading.standing(case.view))
    both = [(x, y, row) for x, y, row in told_of if x is not None and y is not None]
    priced = pareto.y in catalogue.PRICED
    return [one for one in both if keeps(one[2], case.view.slo, {pareto.y: one[1]} if priced else None)]


def _up(case: AuditedAnswer, row: PlainRow) -> float | None:
    """What stands along a Pareto chart's vertical axis, a cost at the price of the point's chip."""
    metric = case.answer.result.y
    rate = catalogue.PRICED.get(metric)
    return value(row, metric) if rate is None else cost(case, row, value(row, rate))


def cost(case: AuditedAnswer, row: PlainRow, rate: float | None) -> float | None:
    """USD for a million tokens of a point that serves so many a second; None without a price, chips or a rate."""
    usd = (case.reading.usd(case.view) or {}).get(row["accelerator"])
    if not rate or not usd or not row["accelerators"]:
        return None
    chips, used = float(row["accelerators"]), float(case.view.option("utilisation", "1"))
    return usd * chips / (rate * used * SECONDS_PER_HOUR) * MILLION


def _frontier(
    case: AuditedAnswer,
    what: str,
    shown: Sequence[tuple[float, float]],
    entering: Sequence[tuple[float, float, PlainRow]],
) -> Iterator[Contradiction]:
    """A frontier that lacks a point which no other dominates, or holds one that another does."""
    x_sign, y_sign = (-1 if one.direction == "lower" else 1 for one in case.answer.result.metrics)
    ordered = sorted(((x_sign * x, y_sign * y, row["point_id"]) for x, y, row in entering), reverse=True)
    held, best = [], -math.inf
    for x, y, id in ordered:
        if y > best:
            held.append((x, y, id))
            best = y
    signed = [(x_sign * x, y_sign * y) for x, y in shown]
    pairs = zip(signed, held, strict=False)
    is_same = len(signed) == len(held) and all(is_close(a, c) and is_close(b, d) for (a, b), (c, d, _) in pairs)
    if not is_same:
        ids = [id for *_, id in held]
        text = f"{what} has {len(signed)} points, by the points {len(held)}, or others"
        yield contradiction(case, text, *ids, about=what)


def _best_within(
    case: AuditedAnswer, what: str, best: Spot | None, entering: Sequence[tuple[float, float, PlainRow]]
) -> Iterator[Contradiction]:
    """A best within the limits that another point is ahead of, or a group's that is said to be none."""
    pareto: Pareto = case.answer.result
    if not pareto.limits:
        return
    at, metric = (0, pareto.metrics[0]) if pareto.is_x_best else (1, pareto.metrics[1])
    lower = metric.direction == "lower"
    if best is not None:
        yield from _most(case, pareto.value(best), [(x, y)[at] for x, y, _ in entering], what, lower=lower)
    elif entering:
        yield contradiction(case, f"{what} is none, and {len(entering)} points keep the limits", about=what)


def of_cost(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The groups that do not stand at their cheapest point, and a cheapest of all that is not."""
    costs: Cost = case.answer.result
    held = cheapest(case)
    if not held:
        return
    for one in costs.deployments:
        own = held.get((one.group, one.facts.accelerator), [])
        if costs.asked.group != "deployment":
            what = f"the cost of {one.group or 'what states no group'} on {one.facts.accelerator}"
            yield from _most(case, one.usd_per_million, own, what, lower=True)
    if costs.deployments:
        every = [usd for own in held.values() for usd in own]
        yield from _most(case, costs.deployments[0].usd_per_million, every, "the cheapest", lower=True)


def cheapest(case: AuditedAnswer) -> dict[tuple[str, Any], list[float]]:
    """What a million tokens cost at each ranked point with a price, by group and accelerator."""
    priced: Cost = case.answer.result
    costs: dict[tuple[str, Any], list[float]] = defaultdict(list)
    ranked = case.reading.ranked(case.view) if case.reading.usd(case.view) is not None else []
    for row in _of_usual_kind(case, ranked):
        usd = cost(case, row, _rate(row, priced.asked.tokens))
        if usd is not None:
            group = "" if priced.asked.group == "deployment" else _text(row[priced.asked.group])
            costs[group, row["accelerator"]].append(usd)
    return costs


def _of_usual_kind(case: AuditedAnswer, rows: Sequence[PlainRow]) -> list[PlainRow]:
    """The rows of the kind of load that over half and most of the accelerators were measured under, if there is one.

    Of several the one with the most throughput per accelerator; a reader who filters kinds of load compares those.
    """
    of_kind: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows if not case.view.values("load_kind") else ():
        rate, chips = _rate(row, case.answer.result.asked.tokens), row["accelerators"]
        if rate and chips and row["accelerator"]:
            best = of_kind[row["load_kind"] or "unknown"]
            best[row["accelerator"]] = max(best.get(row["accelerator"], 0.0), rate / chips)
    first = max(of_kind, key=lambda kind: (len(of_kind[kind]), max(of_kind[kind].values())), default=None)
    every = {chip for best in of_kind.values() for chip in best}
    if first is None or 2 * len(of_kind[first]) <= len(every):
        return list(rows)
    return [row for row in rows if (row["load_kind"] or "unknown") == first]


def _rate(row: PlainRow, tokens: str) -> float | None:
    """A point's tokens per second of a kind, worked out from the lengths where the kind allows it."""
    out, into, total = (value(row, f"{one}_tokens_per_s") or 0.0 for one in ("output", "input", "total"))
    share = row["isl"] / row["osl"] if row["isl"] is not None and row["osl"] else 0.0
    derived = {"output": (out,), "input": (into, out * share), "total": (total, into and out and into + out)}
    derived["blended"] = (*derived["total"], out * (1 + share) if share else 0.0)
    return next((one for one in derived[tokens] if one > 0), None)


def of_crossover(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The leaders at measured places that are behind the other side's best point there."""
    for side in sides(case):
        for outcome in (side.outcome,) if isinstance(side.outcome, Compared) else ():
            for knot in outcome.found.knots:
                own, measured = (knot.y_a, knot.measured_a) if side.key == "a" else (knot.y_b, knot.measured_b)
                held = [y for x, y, _ in side.points if x == knot.x]
                if measured:
                    what = f"pair {side.pair}, {side.key} at {knot.x:g}"
                    yield from _most(case, own, held, what, lower=side.lower)
            yield from _leaders(case, side.pair, outcome, lower=side.lower) if side.key == "a" else ()


def _leaders(case: AuditedAnswer, pair: int, outcome: Compared, *, lower: bool) -> Iterator[Contradiction]:
    """The knots whose leader is not the side with the better figure there."""
    for knot in outcome.found.knots:
        ahead = "a" if (knot.y_a < knot.y_b) == lower else "b"
        lead, is_repeated = max(knot.y_a, knot.y_b) / min(knot.y_a, knot.y_b) - 1, knot.lead_low is not None
        if knot.leader not in (None, ahead) or (knot.leader is None and lead > TIE + 1e-9 and not is_repeated):
            text = f"pair {pair} at {knot.x:g} is led by {knot.leader or 'neither'}, by its figures by {ahead}"
            yield contradiction(case, text, about=f"leader {pair} {knot.x}")


def of_scaling(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The places at one load that do not stand at the best layout of their run."""
    scaling: Scaling = case.answer.result
    if scaling.way not in LOAD_AXES:
        return
    runs: dict[tuple[Any, ...], list[float | None]] = defaultdict(list)
    for row in case.reading.ranked(case.view):
        if row[scaling.way] == scaling.level:
            runs[tuple(row[name] for name in RUN)].append(value(row, scaling.metric))
    for line in scaling.lines:
        for place in line.places:
            yield from _of_place(case, place, runs, line.label)


def _of_place(
    case: AuditedAnswer, place: ChipCount, runs: dict[tuple[Any, ...], list[float | None]], label: str
) -> Iterator[Contradiction]:
    row = case.reading.by_id.get(place.point.facts.point_id)
    if place.between is None and row is not None:
        held = runs[tuple(row[name] for name in RUN)]
        best = max((one for one in held if one is not None), default=None)
        if best is None or best > place.throughput * (1 + answers.SLACK):
            text = apart(place.throughput, best or 0.0, f"{label} on {place.accelerators} chips")
            yield contradiction(case, text, place.point.facts.point_id, about=f"{label} {place.accelerators}")


def _most(
    case: AuditedAnswer, shown: float, held: Sequence[float | None], what: str, *, lower: bool = False
) -> Iterator[Contradiction]:
    """A finding where a figure is not the best of those held."""
    stated = [one for one in held if one is not None]
    best = (min if lower else max)(stated, default=None)
    if best is None or not is_close(shown, best):
        text = f"{what} is of no point that is ranked" if best is None else apart(shown, best, what)
        yield contradiction(case, text, about=what)


def _text(held: Any) -> str:
    """A group's value as text, "" where it is not stated."""
    return "" if held is None else str(held).lower() if isinstance(held, bool) else str(held)


def of_roofline(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The point said to be nearest to its ceiling, of each model, that another one below its own is ahead of."""
    shares: dict[Any, list[float | None]] = defaultdict(list)
    for row in records(case.answer.rows):
        if row["enters"] and row["ceiling_share"] <= 1:
            shares[row["model"]].append(row["ceiling_share"])
    found: Roofline = case.answer.result
    for one in found.closest:
        yield from _most(case, one.use.share, shares[one.rig.model], f"the nearest of {one.rig.model}")


def of_capacity(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The plan said to cost least, where a measured point within the limits would serve the demand for less."""
    found: Capacity = case.answer.result
    usd, demand = case.reading.usd(case.view) or {}, found.asked.demand
    if not found.plans or found.lead.usd_per_month is None:
        return
    for row in case.reading.standing(case.view):
        rate, price, load = _requests(row), usd.get(row["accelerator"]), row["concurrency"] or 0
        if rate is None or price is None or not keeps(row, [one.text for one in found.limits]):
            continue
        served = demand.served(rate, load, value(row, "isl"), value(row, "osl"))
        if not served or _is_without_load(row):
            continue
        needed = math.ceil(demand.amount * demand.peak / (served * (1 - demand.headroom)) * (1 - TIGHT)) or 1
        cost = (needed + demand.spare) * row["accelerators"] * price * HOURS_PER_MONTH
        if cost < found.lead.usd_per_month * (1 - TIGHT):
            text = f"the cheapest plan costs {found.lead.usd_per_month:,.0f}, by the points {cost:,.0f}"
            yield contradiction(case, text, row["point_id"])
            return


def _requests(row: PlainRow) -> float | None:
    """The requests a second of a point, as stated or by its tokens and lengths; None where they are not known."""
    isl, osl = row["isl_actual"] or row["isl"], row["osl_actual"] or row["osl"]
    tokens, every = value(row, "output_tokens_per_s"), value(row, "total_tokens_per_s")
    served = value(row, "requests_per_s") or (tokens / osl if tokens and osl else None)
    return served or (every / (isl + osl) if every and isl and osl else None)


def _is_without_load(row: PlainRow) -> bool:
    kind = row["load_kind"]
    axis = {"closed": "concurrency", "open": "request_rate", "batch": "batch"}.get(kind)
    return not row["accelerators"] or (kind != "saturated" and not (axis and row[axis]))


KINDS: dict[type, Callable[[AuditedAnswer], Iterator[Contradiction]]] = {
    Overview: of_overview,
    Heatmap: of_heatmap,
    Pareto: of_pareto,
    Cost: of_cost,
    Pair: of_crossover,
    PairList: of_crossover,
    Scaling: of_scaling,
    Roofline: of_roofline,
    Capacity: of_capacity,
}
"""What is the most in each kind of answer."""
