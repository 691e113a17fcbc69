"""The best operating points of groups, against a loop over every ranked point."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench import catalogue
from bench.basis import evidence
from bench.library import Library
from bench.questions import operating_points
from bench.questions.operating_points import LEVELS, Search
from bench.selection import Clause
from bench.view import View
from tests.questions.cost.asking import SPEED, STORY, TTFT
from tests.thorough import times

RATE = "output_tokens_per_s"
GROUPS = ("accelerator", "engine", "disaggregated", "tp", "coalesce(speculation, 'none')", "''")


def every(library: Library, view: View, group: str) -> list[tuple[str, str, float, float | None, float | None]]:
    """Group, accelerator, rate per accelerator, speed and TTFT of every point that can be an operating point."""
    condition = evidence.ranked(library, evidence.read(view).unlimited)
    rows = library.fetch(
        f'SELECT CAST({group} AS VARCHAR), accelerator, {RATE}, accelerators, "{SPEED}", "{TTFT}" FROM points'
        f" WHERE {condition.sql}",
        condition.params,
    )
    return [
        (own or "", chip, rate / many, speed, ttft)
        for own, chip, rate, many, speed, ttft in rows
        if chip and many and rate is not None
    ]


@settings(max_examples=times(20, 5), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(GROUPS), st.integers(1, 200), st.integers(10, 20_000))
def test_the_best_of_each_group_within_any_limits_is_the_most_of_all_its_points(
    shipped: Library, group: str, speed: int, ttft: int
) -> None:
    view = View.of(STORY, slo=[f"{SPEED}>={speed}", f"{TTFT}<={ttft}"])
    best: dict[tuple[str, str], float | None] = {}
    peak: dict[tuple[str, str], float] = {}
    stated: dict[tuple[str, str], bool] = {}
    for own, chip, each, fast, wait in every(shipped, view, group):
        key = (own, chip)
        peak[key] = max(peak.get(key, 0.0), each)
        stated[key] = stated.get(key, False) or (fast is not None and wait is not None)
        kept = fast is not None and wait is not None and fast >= speed and wait <= ttft
        best[key] = max(best.get(key) or 0.0, each) if kept else best.get(key)
    found = operating_points.best(shipped, evidence.read(view), Search(RATE, "output throughput", group))
    assert {(one.group, one.accelerator): one.merit for one in found} == pytest.approx(best)
    assert {(one.group, one.accelerator): one.peak for one in found} == pytest.approx(peak)
    for one in found:
        known = stated[one.group, one.accelerator]
        # A point that breaks one limit is known to break them both, whatever it leaves out.
        assert one.stated or not known
    read = operating_points.read(
        shipped, Search(RATE, "", group), [one.point_id for one in found if one.point_id], [SPEED, TTFT]
    )
    for one in found:
        if one.point_id is not None:
            point = read[one.point_id]
            assert point.rate / point.accelerators == one.merit
            assert point.metrics[SPEED] >= speed
            assert point.metrics[TTFT] <= ttft


def test_the_best_by_another_merit_is_the_most_of_that(shipped: Library) -> None:
    view = View.of(STORY)
    by_speed = Search(RATE, "", "''", Clause(f'"{SPEED}" / ?', (2.0,)))
    fastest: dict[str, float] = {}
    for _, chip, _, speed, _ in every(shipped, view, "''"):
        if speed is not None:
            fastest[chip] = max(fastest.get(chip, 0.0), speed / 2)
    found = operating_points.best(shipped, evidence.read(view), by_speed)
    assert {one.accelerator: one.merit for one in found} == pytest.approx(fastest)
    beside = Search(RATE, "", "''", beside=Clause(f'"{SPEED}" / ?', (2.0,)))
    both = [one.beside for one in operating_points.best(shipped, evidence.read(view), beside) if one.beside]
    assert sorted(most for most, _, _ in both) == pytest.approx(sorted(fastest.values()))
    assert {one.point_id for one in found} == {point_id for *_, point_id in both}


@pytest.mark.parametrize("metric", [SPEED, TTFT])
def test_a_ladder_has_the_best_of_a_group_within_each_level_that_it_keeps(shipped: Library, metric: str) -> None:
    ranking, row = evidence.read(View.of(STORY, slo=[f"{SPEED}>=20"])), catalogue.metric(metric)
    points = every(shipped, ranking.view, "accelerator")
    for one in operating_points.best(shipped, ranking, Search(RATE, "", "accelerator", along=row)):
        rungs = dict(one.ladder)
        for level in LEVELS[row.direction]:
            kept = [
                each
                for _, chip, each, speed, ttft in points
                if chip == one.accelerator
                and (value := speed if metric == SPEED else ttft) is not None
                and (value <= level if row.direction == "lower" else value >= level)
            ]
            assert rungs.get(level) == (pytest.approx(max(kept)) if kept else None)
        assert all(rate <= one.peak for rate in rungs.values())
        assert list(rungs.values()) == sorted(rungs.values(), reverse=True)
