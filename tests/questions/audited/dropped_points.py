"""Dropped points: a measured point of a newest run stands in its answer, and on or below the best that it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bench import names
from bench.basis.evidence import PointTally
from bench.basis.memory import BYTES as SIZES
from bench.library import Library
from bench.questions.cost.priced import MOST_DEPLOYMENTS
from bench.questions.cost.result import Cost
from bench.questions.crossover.result import Pair, PairList
from bench.questions.heatmap.result import Heatmap
from bench.questions.history.lines import DEPLOYED
from bench.questions.history.result import History
from bench.questions.pareto.result import Pareto
from bench.questions.roofline.result import Roofline
from bench.wording import counted, number
from tests.questions.audited import answers, superlatives
from tests.questions.audited.answers import SLACK, AuditedAnswer, Contradiction, contradiction
from tests.questions.audited.reference_answers import FLAGGED, OLDER, OTHER_EVIDENCE, REPEAT, PlainRow, value
from tests.questions.audited.sides_of_pair import AuditedSide, sides

OUT = (OTHER_EVIDENCE, FLAGGED, OLDER, REPEAT)
NAMED = 40
"""So many points of a finding are named."""


def findings(library: Library) -> Iterator[Contradiction]:
    """The points that answers lost, miscounted or lie below."""
    yield from answers.contradictions(library, of_answer)


def of_answer(case: AuditedAnswer) -> Iterator[Contradiction]:
    """What an answer lost of the points it may rest on."""
    result = case.answer.result
    one_load = isinstance(result, Heatmap) and result.level != "best"
    if not (one_load or isinstance(result, Pair)):
        yield from of_tally(case)
    if isinstance(result, Heatmap) and result.ratio is None:
        yield from of_heatmap(case, result)
    elif isinstance(result, Pareto) and result.grid is None:
        yield from of_pareto(case, result)
    elif isinstance(result, Cost):
        yield from of_cost(case, result)
    elif isinstance(result, History):
        yield from of_history(case, result)
    elif isinstance(result, Roofline) and result.phase == "served":
        yield from of_roofline(case, result)
    elif isinstance(result, Pair | PairList):
        for side in sides(case):
            yield from of_side(case, side)


def of_tally(case: AuditedAnswer) -> Iterator[Contradiction]:
    """A count of selected points, or of those left out for one reason, that is not the points' own."""
    tally = getattr(case.answer.result, "tally", None)
    if not isinstance(tally, PointTally):
        return
    codes = Counter(case.reading.codes(case.view).values())
    pairs = {"selected": (tally.selected, codes.total()), **{one: (tally.of(one), codes[one]) for one in OUT}}
    for what, (shown, held) in pairs.items() if tally.counts else ():
        if shown != held:
            text = f"{shown:,} points are counted as {what}, by the points {held:,}"
            yield contradiction(case, text, about=f"tally {what}")


def of_heatmap(case: AuditedAnswer, heatmap: Heatmap) -> Iterator[Contradiction]:
    """The places of ranked points that have no cell with a value."""
    shown = {(one.panel, one.x, one.y) for one in heatmap.cells if one.is_measured}
    for place, rows in superlatives.cells(case).items():
        if place not in shown:
            yield _lost(case, [row["point_id"] for row in rows], f"no cell at {place}")


def of_pareto(case: AuditedAnswer, pareto: Pareto) -> Iterator[Contradiction]:
    """The ranked points with both metrics that do not enter."""
    points = pareto.points
    entering = set(points.loc[points["enters"].astype(bool), "point_id"]) if len(points) else set()
    held = {row["point_id"] for *_, row in superlatives.on_axes(case)}
    if case.reading.usd(case.view) is not None and held != entering:
        yield _lost(case, sorted(held ^ entering), "not the points that may")


def of_cost(case: AuditedAnswer, costs: Cost) -> Iterator[Contradiction]:
    """The groups with a priced point within the limits that are told no cost."""
    if costs.asked.group == "deployment" or len(costs.deployments) >= MOST_DEPLOYMENTS:
        return
    shown = {(one.group, one.facts.accelerator) for one in costs.deployments}
    for group, chip in superlatives.cheapest(case).keys() - shown:
        yield contradiction(case, f"{group or 'what states no group'} on {chip} has no cost", about=f"{group} {chip}")


def of_history(case: AuditedAnswer, found: History) -> Iterator[Contradiction]:
    """The ranked points of the deployment that is shown, at the loads that are followed, without a value there."""
    own = case.reading.by_id.get(found.facts.point_id) if found.facts else None
    if own is None:
        return
    loads = {(one.axis, one.load) for one in found.loads}
    held = {
        row["point_id"]
        for row in case.reading.ranked(case.view)
        if row["date"] is not None
        and value(row, found.metric) is not None
        and any(row[axis] == load for axis, load in loads if axis in row)
        and all(row[name] == own[name] for name in DEPLOYED)
    }
    if lost := held - set(case.answer.rows["point_id"]):
        yield _lost(case, sorted(lost), "points of the deployment that its history leaves out")


def of_roofline(case: AuditedAnswer, found: Roofline) -> Iterator[Contradiction]:
    """The ranked points with all that a ceiling takes that are held against none."""
    entering = {one.facts.point_id for one in found.ranked}
    held = {row["point_id"] for row in case.reading.ranked(case.view) if _has_a_ceiling(row)}
    if held - entering:
        yield _lost(case, sorted(held - entering), "points that are held against no ceiling")


def _has_a_ceiling(row: PlainRow) -> bool:
    """Whether a point states what a ceiling takes, by published facts alone, and puts out a token a step."""
    model, chip = names.model(row["model"] or ""), names.accelerator(row["accelerator"] or "")
    stated = value(row, "output_tokens_per_s") and row["accelerators"] and (row["precision"] or "").lower() in SIZES
    several = row["speculation"] not in (None, "none") or row["disaggregated"] or (row["turns"] or 1) > 1
    reused = row["prefix_caching"] or row["shared_prefix_share"]
    known = model and chip and model.total_params_b and model.active_params_b and chip.hbm_tb_s
    return bool(stated and known and not several and not reused)


def of_side(case: AuditedAnswer, side: AuditedSide) -> Iterator[Contradiction]:
    """The points that a curve misses, or lies below."""
    envelope, sign = side.curve.envelope, -1 if side.lower else 1
    held = set(envelope.xs)
    missed = [id for x, _, id in side.points if x not in held]
    if missed:
        yield _lost(case, missed, f"pair {side.pair}, {side.key}: places missing from the curve")
    for x, y, id in side.points:
        if x in held and sign * envelope.y(x) < sign * y - SLACK * abs(y):
            text = f"pair {side.pair}, {side.key} at {x:g} is {number(envelope.y(x))}, below a measured {number(y)}"
            yield contradiction(case, text, id, about=f"{side.pair} {side.key} {x}")


def _lost(told: AuditedAnswer, ids: list[str], what: str) -> Contradiction:
    return contradiction(told, f"{what} ({counted(len(ids), 'point')})", *ids[:NAMED], about=what)
