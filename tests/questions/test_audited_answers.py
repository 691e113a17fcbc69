"""Answers held against their points: nothing is contradicted in what ships, and each check finds a planted fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import pytest

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
from bench.questions.crossover.result import SideCurve
from tests.questions.audited import answers, dropped_points, one_figure, one_model, superlatives
from tests.questions.audited.answers import Contradiction
from tests.questions.crossover.results import library_of, points
from tests.thorough import some, times

CHECKS = {
    "dropped_points": dropped_points.findings,
    "one_figure": one_figure.findings,
    "one_model": one_model.findings,
    "superlatives": superlatives.findings,
}
every_check = pytest.mark.parametrize("check", CHECKS)

FAST = {1: 100.0, 8: 500.0, 64: 2000.0}
SLOW = {1: 80.0, 8: 450.0, 64: 2500.0}


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Two accelerators at three loads, H100 with 4 chips too and an older run that is twice as fast."""
    of = {"ttft_ms_p50": 300, "tpot_ms_p50": 25, "date": "2026-03-01"}
    return library_of(
        tmp_path_factory.mktemp("held"),
        points("h100-sxm", FAST, **of),
        points("h200-sxm", SLOW, **of),
        points("h100-sxm", {x: 1.8 * y for x, y in FAST.items()}, **{**of, "accelerators": 4, "tpot_ms_p50": 20}),
        points("h100-sxm", {x: 2 * y for x, y in FAST.items()}, **{**of, "tpot_ms_p50": 15, "date": "2025-03-01"}),
    )


def found(check: str, library: Library) -> list[Contradiction]:
    return list(CHECKS[check](library))


@pytest.mark.long
@every_check
def test_nothing_in_the_answers_about_the_shipped_library_is_contradicted(
    check: str, shipped: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In those about one story and one pair of models; in `make test-all` about all of them."""
    monkeypatch.setattr(answers, "STORIES", times(answers.STORIES, 1))
    monkeypatch.setattr(answers, "PAIRS", times(answers.PAIRS, 1))
    assert [one.text for one in found(check, shipped)] == []
    told = answers.of_stories(shipped)
    assert len(told) == answers.STORIES + answers.PAIRS
    assert all(len(of_story) > len(questions()) / 2 for of_story in told)


@every_check
def test_sound_answers_contradict_nothing(check: str, held: Library) -> None:
    assert found(check, held) == []
    (told,) = answers.of_stories(held)
    assert {one.name for one in told} == set(questions())
    assert sum(len(one.figures) for one in told) > 20
    assert sum("h200-sxm" in answers.prices(one.answer) for one in told) > 1


Fault = Callable[[Answer[Any]], Answer[Any]]


def result_with(**parts: Callable[[Any], Any]) -> Fault:
    """The answer with these parts of its result replaced by what they are made into."""

    def of(answer: Answer[Any]) -> Answer[Any]:
        made = {name: make(getattr(answer.result, name)) for name, make in parts.items()}
        return replace(answer, result=replace(answer.result, **made))

    return of


def without_the_first(parts: Any) -> Any:
    return parts[1:]


def first(**changed: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same parts with the first one changed."""

    def of(parts: Any) -> Any:
        made = {name: make(getattr(parts[0], name)) for name, make in changed.items()}
        return (replace(parts[0], **made), *parts[1:])

    return of


def cell(value: float) -> Fault:
    """The answer with this value in its best cell."""

    def of(answer: Answer[Any]) -> Answer[Any]:
        peak = answer.result.peak
        cells = tuple(replace(one, value=value) if one is peak else one for one in answer.result.cells)
        rows = answer.rows.assign(value=[one.value for one in cells])
        return replace(answer, result=replace(answer.result, cells=cells), rows=rows)

    return of


def farther(answer: Answer[Any]) -> Answer[Any]:
    """The answer with the point that is farthest from its ceiling as the closest."""
    last = min(answer.result.ranked, key=lambda one: one.use.share)
    return replace(answer, result=replace(answer.result, closest=(last,)))


def newest_run_left_out(answer: Answer[Any]) -> Answer[Any]:
    """The history without the rows of its last run."""
    return replace(answer, rows=answer.rows[answer.rows["run"] != answer.result.runs[-1].name])


def worse(places: Any) -> Any:
    return tuple(replace(one, throughput=one.throughput / 2, between=None) for one in places)


def curves(drawn: Callable[[Any], list[tuple[float, float]]]) -> Fault:
    """The listing with the curves of its first pair drawn so through their places."""

    def of(outcome: Any) -> Any:
        made = {
            side: SideCurve(curve.members, Envelope(side, [drawn(member.places) for member in curve.members]))
            for side, curve in outcome.curves.items()
        }
        return replace(outcome, curves=made)

    return result_with(pairs=first(outcome=of))


def turned_round(outcome: Any) -> Any:
    """The comparison with the other side in the lead everywhere."""
    knots = tuple(replace(one, lead_percent=-one.lead_percent) for one in outcome.found.knots)
    return replace(outcome, found=replace(outcome.found, knots=knots))


CHEAPEST_LEFT_OUT = result_with(deployments=without_the_first)
DEARER = result_with(deployments=first(price=lambda price: replace(price, usd=9.0)))
DEARER_PLAN = result_with(plans=first(usd_per_month=lambda usd: 2 * usd))
FEWER_COUNTED = result_with(tally=lambda tally: replace(tally, counts={**tally.counts, "older run": 0}))
HOLLOW = result_with(points=lambda points: points.assign(enters=[False, *[True] * (len(points) - 1)]))
LESS_FOR_ONE = result_with(per_chip=lambda best: replace(best, value=best.value / 2))
OTHER_LEADER = result_with(pairs=first(outcome=turned_round))
SHORTER_FRONTIER = result_with(overall=lambda spots: spots[:-1])
LOWER_CURVE = curves(lambda places: [(one.x, one.y / 2) for one in places])
SHORTER_CURVE = curves(lambda places: [(one.x, one.y) for one in places[:-1]])

FAULTS = [
    ("one_figure", heatmap, cell(5000.0), "heatmap of", "output_tokens_per_s is 5,000, by the points 3,600"),
    ("one_figure", heatmap, cell(5000.0), "one deployment and load has output_tokens_per_s", "5,000 in heatmap"),
    ("one_figure", cost, DEARER, "the price of h200-sxm in USD/h is 9", "by the points 3.99"),
    ("superlatives", heatmap, cell(2000.0), "the peak is", "by the points 3,600"),
    ("superlatives", pareto, SHORTER_FRONTIER, "the overall frontier has", "by the points"),
    ("superlatives", cost, CHEAPEST_LEFT_OUT, "the cheapest is", "by the points"),
    ("superlatives", overview, LESS_FOR_ONE, "the best output_tokens_per_s_per_accelerator is 625", "1,250"),
    ("superlatives", scaling, result_with(lines=first(places=worse)), "on 2 chips is", "by the points"),
    ("superlatives", crossover, OTHER_LEADER, "is led by", "by its figures by"),
    ("superlatives", roofline, farther, "the nearest of llama-3.1-70b is", "by the points"),
    ("superlatives", capacity, DEARER_PLAN, "the cheapest plan costs", "by the points"),
    ("dropped_points", roofline, result_with(points=without_the_first), "held against no ceiling", "1 point"),
    ("dropped_points", history, newest_run_left_out, "points of the deployment that its history leaves out", ""),
    ("dropped_points", heatmap, result_with(cells=without_the_first), "no cell at", "1 point"),
    ("dropped_points", pareto, HOLLOW, "not the points that may", "1 point"),
    ("dropped_points", cost, CHEAPEST_LEFT_OUT, "on h200-sxm has no cost", ""),
    ("dropped_points", pareto, FEWER_COUNTED, "0 points are counted as older run", "by the points 3"),
    ("dropped_points", crossover, LOWER_CURVE, "below a measured", ""),
    ("dropped_points", crossover, SHORTER_CURVE, "places missing from the curve", ""),
]


@pytest.mark.parametrize(("check", "module", "fault", "words", "more"), some(FAULTS, 3))
def test_a_planted_fault_is_found(
    check: str, module: Any, fault: Fault, words: str, more: str, held: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = module.answer
    monkeypatch.setattr(answers, "KNOWN", WeakKeyDictionary())
    monkeypatch.setattr(module, "answer", lambda library, view: fault(right(library, view)))
    told = found(check, held)
    assert any(words in one.text and more in one.text for one in told), told
    assert len({(one.about, *sorted(one.point_ids)) for one in told}) == len(told)
