"""A side's curve: which runs, layouts and repeats it is of, and how high it is at each place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bench.library import Library
from bench.questions import crossover
from bench.view import View
from tests.questions.audited import dropped_points, one_figure, reference_answers
from tests.questions.audited.answers import AuditedAnswer
from tests.questions.crossover.results import Rows, asked, knots, library_of, outcome, points, with_sources
from tests.questions.saying import said
from tests.thorough import some

RUN = "https://example.org/runs/"
OLD = {"date": "2026-01-05", "engine_version": "0.9"}
NEW = {"date": "2026-03-05", "engine_version": "0.10"}
MARCH = {"date": "2026-03-05"}


def repeated(accelerator: str, *values: tuple[float, float], tpot: Sequence[float] = ()) -> Rows:
    """Repeats of a deployment at 1 and 4, with a latency each where some are given."""
    return [
        {**row, "tpot_ms_p50": tpot[n]} if tpot else row
        for n, (first, last) in enumerate(values)
        for row in points(accelerator, {1: first, 4: last}, repeat=n)
    ]


Knots = Mapping[float, float]
CURVES: Mapping[str, tuple[Sequence[Rows], Mapping[str, Any], Knots, Sequence[tuple[float, float]]]] = {
    "an-undated-run-is-the-oldest": (
        (
            points("h100-sxm", {1: 100, 4: 900}, **OLD),
            points("h100-sxm", {4: 400}, **NEW),
            points("h100-sxm", {1: 500, 4: 5000}),
            points("h200-sxm", {1: 50, 4: 200}, **MARCH),
        ),
        {},
        {4: 400},
        [(4, 4)],
    ),
    "all-runs-are-a-line-each": (
        (
            points("h100-sxm", {1: 100, 16: 1600}, **OLD),
            points("h100-sxm", {4: 100}, **{**OLD, **MARCH}),
            points("h200-sxm", {1: 50, 4: 60, 16: 70}, **MARCH),
        ),
        {"runs": "all"},
        {1: 100, 4: 400, 16: 1600},
        [(4, 4), (1, 16)],
    ),
    "two-addresses-of-one-day": (
        (
            points("h100-sxm", {1: 100, 4: 450}, source_url=f"{RUN}1", **NEW),
            points("h100-sxm", {4: 400, 16: 1600}, source_url=f"{RUN}2", **NEW),
            points("h200-sxm", {1: 90, 16: 900}, **NEW),
        ),
        {},
        {1: 100, 4: 450, 16: 1600},
        [(1, 16)],
    ),
    "a-side-of-an-engine-version": (
        (points("h100-sxm", {1: 100, 4: 300}, **OLD), points("h100-sxm", {1: 200, 4: 400}, **NEW)),
        {"a": "engine_version=0.9", "b": "engine_version=0.10"},
        {1: 100, 4: 300},
        [(1, 4)],
    ),
    "the-best-of-two-layouts": (
        (
            points("h100-sxm", {1: 100, 4: 300}, tp=2),
            points("h100-sxm", {1: 90, 4: 400}, tp=1, dp=2),
            points("h200-sxm", {1: 50, 4: 200}, tp=2),
        ),
        {},
        {1: 100, 4: 400},
        [(1, 4), (1, 4)],
    ),
    # The mean of 90, 100 and 140 is 108; the point that stands for them says 100, and 10 ms.
    "the-middle-repeat": (
        (repeated("h100-sxm", (90, 360), (140, 560), (100, 400)), points("h200-sxm", {1: 50, 4: 150})),
        {},
        {1: 100, 4: 400},
        [(1, 4)],
    ),
    "the-latency-of-the-middle-repeat": (
        (
            repeated("h100-sxm", (90, 360), (140, 560), (100, 400), tpot=(5, 15, 10)),
            points("h200-sxm", {1: 50, 4: 150}, tpot_ms_p50=25),
        ),
        {"metric": "tpot_ms_p50"},
        {1: 10, 4: 10},
        [(1, 4)],
    ),
    "points-beyond-a-limit": (
        (
            points("h100-sxm", {1: 100, 4: 400}, ttft_ms_p99=100),
            points("h100-sxm", {16: 900}, ttft_ms_p99=3000),
            points("h200-sxm", {1: 150, 4: 500, 16: 800}, ttft_ms_p99=300),
        ),
        {"slo": ["ttft_ms_p99<=1000"]},
        {1: 100, 4: 400},
        [(1, 4)],
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    tables = {name: rows for name, (rows, *_) in CURVES.items()}
    return library_of(tmp_path_factory.mktemp("curves"), *with_sources(tables))


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_is_of_these_runs_and_so_high(made: Library, name: str) -> None:
    _, options, heights, spans = CURVES[name]
    answer = asked(made, name, **options)
    assert {knot.x: knot.y_a for knot in knots(answer)} == pytest.approx(dict(heights))
    assert sorted(
        (member.places[0].x, member.places[-1].x) for member in outcome(answer).curves["a"].members
    ) == sorted(spans)


def test_what_no_curve_is_of_is_counted(made: Library) -> None:
    assert said(asked(made, "an-undated-run-is-the-oldest"), "left_out")["older run"] == 4
    limited = asked(made, "points-beyond-a-limit", slo=["ttft_ms_p99<=1000"])
    assert said(limited, "left_out")["beyond_limit"] == 1


def test_the_repeats_of_a_place_are_kept_beside_the_one_that_stands(made: Library) -> None:
    place = asked(made, "the-middle-repeat").result.a.curve.members[0].places[0]
    assert sorted(place.repeats) == [90, 100, 140]
    standing = made.fetch("SELECT output_tokens_per_s FROM points WHERE point_id = ?", (place.point.point_id,))
    assert standing == [(100,)]


PAIRS = """
WITH place AS (
    SELECT DISTINCT model, precision, isl, osl, accelerator, concurrency FROM points
    WHERE source = 'inferencex' AND concurrency IS NOT NULL
)
SELECT model, precision, CAST(isl AS INTEGER), CAST(osl AS INTEGER), x.accelerator, y.accelerator
FROM place x JOIN place y USING (model, precision, isl, osl, concurrency)
WHERE x.accelerator < y.accelerator GROUP BY ALL HAVING count(*) >= 3 ORDER BY ALL
"""


def test_no_curve_of_inferencex_lacks_or_understates_a_measured_point(shipped: Library) -> None:
    """Every two accelerators with three or more concurrencies in common, held against a plain reading of the points;
    the answer is the same when narrowed to both sides."""
    pairs = shipped.fetch(PAIRS)
    assert len(pairs) > 50
    for model, precision, isl, osl, a, b in some(pairs, 4, 12):
        where = {"model": [model], "precision": [precision], "isl": [isl], "osl": [osl]}
        options = {"a": f"accelerator={a}", "b": f"accelerator={b}", "along": "concurrency", "per": "accelerator"}
        answer = crossover.answer(shipped, View.of(where, options))
        told = AuditedAnswer("crossover", answer, reference_answers.read(shipped))
        assert [one.text for check in (dropped_points.of_answer, one_figure.of_figures) for one in check(told)] == []
        narrow = crossover.answer(shipped, answer.view.with_where(accelerator=[a, b]))
        assert narrow.rows.equals(answer.rows), (precision, isl, osl, a, b)
        assert narrow.result.prices == answer.result.prices
