"""The checks of answers: each finds a fault that was planted in an answer, and nothing where answers are sound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench import audit
from bench.audit import answers
from bench.audit.reference_answers import read
from bench.library import Library
from bench.maths.envelope import Envelope
from bench.questions import (
    Answer,
    capacity,
    cost,
    crossover,
    heatmap,
    history,
    overview,
    pareto,
    questions,
    roofline,
    scaling,
)
from bench.questions.crossover.result import Compared, SideCurve
from bench.view import View
from tests.questions.crossover.results import library_of, points
from tests.thorough import some

CHECKS = ("one_figure", "superlatives", "dropped_points")
FAST = {1: 100.0, 8: 500.0, 64: 2000.0}
SLOW = {1: 80.0, 8: 450.0, 64: 2500.0}


@pytest.fixture
def held(tmp_path: Path) -> Library:
    """Two accelerators at three loads, H100 with 4 chips too and an older run that is twice as fast."""
    of = {"ttft_ms_p50": 300, "tpot_ms_p50": 25, "date": "2026-03-01"}
    return library_of(
        tmp_path,
        points("h100-sxm", FAST, **of),
        points("h200-sxm", SLOW, **of),
        points("h100-sxm", {x: 1.8 * y for x, y in FAST.items()}, **{**of, "accelerators": 4, "tpot_ms_p50": 20}),
        points("h100-sxm", {x: 2 * y for x, y in FAST.items()}, **{**of, "date": "2025-03-01"}),
    )


def found(check: str, library: Library) -> list[str]:
    return [finding.text for finding in audit.checks()[check].findings(library)]


@pytest.mark.parametrize("check", CHECKS)
def test_sound_answers_contradict_nothing(check: str, held: Library) -> None:
    assert found(check, held) == []
    (told,) = answers.of_stories(held)
    assert {one.name for one in told} == set(questions())
    assert sum(len(one.figures) for one in told) > 20
    assert sum("h200-sxm" in answers.prices(one.answer) for one in told) > 1


def cell(value: float) -> Callable[[Answer[Any]], Answer[Any]]:
    """The answer with this value in its best cell."""

    def of(answer: Answer[Any]) -> Answer[Any]:
        peak = answer.result.peak
        cells = tuple(replace(one, value=value) if one is peak else one for one in answer.result.cells)
        rows = answer.rows.assign(value=[one.value for one in cells])
        return replace(answer, result=replace(answer.result, cells=cells), rows=rows)

    return of


def without_a_cell(answer: Answer[Any]) -> Answer[Any]:
    return replace(answer, result=replace(answer.result, cells=answer.result.cells[1:]))


def shorter_frontier(answer: Answer[Any]) -> Answer[Any]:
    return replace(answer, result=replace(answer.result, overall=answer.result.overall[:-1]))


def hollow(answer: Answer[Any]) -> Answer[Any]:
    points = answer.result.points.assign(enters=[False, *[True] * (len(answer.rows) - 1)])
    return replace(answer, result=replace(answer.result, points=points))


def cheapest_left_out(answer: Answer[Any]) -> Answer[Any]:
    return replace(answer, result=replace(answer.result, deployments=answer.result.deployments[1:]))


def dearer(answer: Answer[Any]) -> Answer[Any]:
    first, *others = answer.result.deployments
    dear = replace(first, price=replace(first.price, usd=9.0))
    return replace(answer, result=replace(answer.result, deployments=(dear, *others)))


def farther(answer: Answer[Any]) -> Answer[Any]:
    """The answer with the point that is farthest from its ceiling as the closest."""
    last = min(answer.result.ranked, key=lambda one: one.use.share)
    return replace(answer, result=replace(answer.result, closest=(last,)))


def newest_run_left_out(answer: Answer[Any]) -> Answer[Any]:
    """The history without the rows of its last run."""
    return replace(answer, rows=answer.rows[answer.rows["run"] != answer.result.runs[-1].name])


def one_not_held(answer: Answer[Any]) -> Answer[Any]:
    return replace(answer, result=replace(answer.result, points=answer.result.points[1:]))


def dearer_plan(answer: Answer[Any]) -> Answer[Any]:
    first, *others = answer.result.plans
    first = replace(first, usd_per_month=2 * first.usd_per_month)
    return replace(answer, result=replace(answer.result, plans=(first, *others)))


def fewer_counted(answer: Answer[Any]) -> Answer[Any]:
    counts = {**answer.result.tally.counts, "older run": 0}
    return replace(answer, result=replace(answer.result, tally=replace(answer.result.tally, counts=counts)))


def less_for_one(answer: Answer[Any]) -> Answer[Any]:
    best = replace(answer.result.per_chip, value=answer.result.per_chip.value / 2)
    return replace(answer, result=replace(answer.result, per_chip=best))


def worse_place(answer: Answer[Any]) -> Answer[Any]:
    (line,) = answer.result.lines
    places = tuple(replace(one, throughput=one.throughput / 2, between=None) for one in line.places)
    return replace(answer, result=replace(answer.result, lines=(replace(line, places=places),)))


def lower_curve(answer: Answer[Any]) -> Answer[Any]:
    """The listing with the curves of its first pair at half of what was measured."""
    return _with_curves(answer, lambda places: [(one.x, one.y / 2) for one in places])


def shorter_curve(answer: Answer[Any]) -> Answer[Any]:
    """The listing with the curves of its first pair without their last place."""
    return _with_curves(answer, lambda places: [(one.x, one.y) for one in places[:-1]])


def _with_curves(answer: Answer[Any], drawn: Callable[[Any], list[tuple[float, float]]]) -> Answer[Any]:
    first, *others = answer.result.pairs
    assert isinstance(first.outcome, Compared)
    curves = {
        side: SideCurve(curve.members, Envelope(side, [drawn(member.places) for member in curve.members]))
        for side, curve in first.outcome.curves.items()
    }
    pair = replace(first, outcome=replace(first.outcome, curves=curves))
    return replace(answer, result=replace(answer.result, pairs=(pair, *others)))


def other_leader(answer: Answer[Any]) -> Answer[Any]:
    """The listing with the leads of its first pair turned round."""
    first, *others = answer.result.pairs
    knots = tuple(replace(one, lead_percent=-one.lead_percent) for one in first.outcome.found.knots)
    outcome = replace(first.outcome, found=replace(first.outcome.found, knots=knots))
    return replace(answer, result=replace(answer.result, pairs=(replace(first, outcome=outcome), *others)))


FAULTS = [
    ("one_figure", heatmap, cell(5000.0), "heatmap of", "output_tokens_per_s is 5,000, by the points 3,600"),
    ("one_figure", heatmap, cell(5000.0), "one deployment and load has output_tokens_per_s", "5,000 in heatmap"),
    ("one_figure", cost, dearer, "the price of h200-sxm in USD/h is 9", "by the points 3.99"),
    ("superlatives", heatmap, cell(2000.0), "the peak is", "by the points 3,600"),
    ("superlatives", pareto, shorter_frontier, "the overall frontier has", "by the points"),
    ("superlatives", cost, cheapest_left_out, "the cheapest is", "by the points"),
    ("superlatives", overview, less_for_one, "the best output_tokens_per_s_per_accelerator is 625", "1,250"),
    ("superlatives", scaling, worse_place, "on 2 chips is", "by the points"),
    ("superlatives", crossover, other_leader, "is led by", "by its figures by"),
    ("superlatives", roofline, farther, "the nearest of llama-3.1-70b is", "by the points"),
    ("superlatives", capacity, dearer_plan, "the cheapest plan costs", "by the points"),
    ("dropped_points", roofline, one_not_held, "points that are held against no ceiling", "1 point"),
    ("dropped_points", history, newest_run_left_out, "points of the deployment that its history leaves out", ""),
    ("dropped_points", heatmap, without_a_cell, "no cell at", "1 point"),
    ("dropped_points", pareto, hollow, "points that do not enter", "1 point"),
    ("dropped_points", cost, cheapest_left_out, "on h200-sxm has no cost", ""),
    ("dropped_points", pareto, fewer_counted, "0 points are counted as older run", "by the points 3"),
    ("dropped_points", crossover, lower_curve, "below a measured", ""),
    ("dropped_points", crossover, shorter_curve, "places missing from the curve", ""),
]


@pytest.mark.parametrize(("check", "module", "fault", "words", "more"), some(FAULTS, 3))
def test_a_planted_fault_is_found(
    check: str,
    module: Any,
    fault: Callable[[Answer[Any]], Answer[Any]],
    words: str,
    more: str,
    held: Library,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = module.answer
    monkeypatch.setattr(module, "answer", lambda library, view: fault(right(library, view)))
    told = found(check, held)
    assert any(words in text and more in text for text in told), told
    findings = list(audit.checks()[check].findings(held))
    assert {(one.flag, one.weight, one.source) for one in findings} == {("", "defect", None)}
    assert len({one.key(check) for one in findings}) == len(findings)


def test_the_stories_are_those_with_the_most_points(held: Library, shipped: Library) -> None:
    (story,) = answers.stories(held)
    assert story.query() == "model=llama-3.1-70b&precision=fp8&isl=1024&osl=256"
    many = [len(read(shipped, view).selected(view)) for view in answers.stories(shipped)]
    assert len(many) == answers.STORIES
    assert many[0] == max(many)


def test_points_of_an_older_run_are_set_aside_by_plain_reading(held: Library) -> None:
    reading = read(held)
    gone = [reading.by_id[id] for id, why in reading.aside.items() if why == "older run"]
    assert sorted(row["output_tokens_per_s"] for row in gone) == [200, 1000, 4000]
    assert len(reading.standing(View())) == 9


def test_a_limit_that_a_point_does_not_state_is_unknown(held: Library) -> None:
    reading = read(held)
    assert len(reading.ranked(View.of({}, slo=["tpot_ms_p50<=20"]))) == 3
    assert reading.ranked(View.of({}, slo=["tpot_ms_p99<=20"])) == []
