"""What a Pareto answer comes to: the kinds of its statements with their values, one small table for each form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from bench.library import Library
from bench.questions import pareto
from bench.questions.pareto import verdict
from bench.view import View
from tests.questions.heatmap.results import flag
from tests.questions.pareto.results import COST, LIMIT_X, LIMIT_Y, SMALL, Row, X, Y, asked, at, library_of_tables, point
from tests.questions.saying import Told, kinds, said, statement, tells

LIMIT = f"{X}>=60"
TTFT = ["ttft_ms_p99<=2000"]
H200 = {"accelerator": "h200-sxm"}
PRICED = {"y": COST, "price_book": "made"}
TWO_MODELS = [
    *(at(y, x, "l40s", model="llama-3.1-8b") for y, x in ((900, 100), (1200, 50))),
    *(at(y, x, "b200-sxm") for y, x in ((300, 80), (2000, 20))),
]
BOTH_MODELS = {"model": ["llama-3.1-8b", "llama-3.1-70b"]}
TAIL = [
    point(200, 20, ttft_ms_p99=900),
    *(point(200, 20, accelerator=chip, ttft_ms_p99=3000) for chip in ("h200-sxm", "mi300x")),
    *(point(200, 20, accelerator=chip) for chip in ("b200-sxm", "mi355x")),
    point(200, 25, accelerator="mi300x", concurrency=16),
]
FLAGGED = [
    point(200, 20, flags=flag("undefined-throughput")),
    point(260, 25),
    *(point(y, x, **H200) for y, x in ((20, 30), (800, 50))),
]
STEPS = [point(100, None, ttft_ms_p50=10), point(118, None, ttft_ms_p50=10.004), point(130, None, ttft_ms_p50=12)]


def leads(leader: str, beyond: float | None, to: float, **more: object) -> Mapping[str, object]:
    """The values of a headline on who leads between which requirements."""
    return {"leader": leader, "beyond": beyond, "to": to, **more}


CASES: Mapping[str, tuple[Sequence[Row], View, str, Told]] = {
    "two-accelerators": (
        SMALL,
        View(),
        "leads",
        {
            "leads": leads("H100 SXM", 20, 100, range="between", elsewhere="one_other"),
            "who_leads": {"leads": 2},
            "knees": {"knees": 1},
            "counts": {"points": 6, "overall": 4},
            "left_out": {"used": 6, "other_evidence": 1, "no_x": 2, "no_y": 1},
            "mixed": {"unlike": 1},
        },
    ),
    "one-leads-everywhere": (
        [at(100, 50, "h100-sxm"), at(50, 100, "h100-sxm"), at(40, 90, "h200-sxm")],
        View(),
        "leads",
        {"leads": leads("H100 SXM", None, 100, range="from_easiest", elsewhere="everywhere"), "who_leads": []},
    ),
    "level-with-the-next": (
        [at(100, 50, "h100-sxm"), at(99.5, 100, "h200-sxm"), at(10, 200, "h100-sxm")],
        View(),
        "leads",
        {"leads": leads("H200 SXM", 50, 100, elsewhere="one_other"), "who_leads": {"leads": 3}},
    ),
    "along-a-latency": (
        [point(280, None, ttft_ms_p50=10), point(20, None, ttft_ms_p50=5, **H200), point(900, None, ttft_ms_p50=40)],
        View.of(options={"x": "ttft_ms_p50"}),
        "leads",
        {"leads": leads("H100 SXM", None, 10)},
    ),
    "by-count-of-chips": (
        [point(200, 20, accelerators=1), point(900, 25, accelerators=2), point(100, 10, accelerators=2)],
        View.of(options={"group": "accelerators"}),
        "leads",
        {"leads": leads("2 chips", 50, 100, many=2), "counts": {"points": 3, "overall": 3}},
    ),
    "other-evidence": (
        SMALL,
        View.of({"evidence": ["measured", "projected"]}),
        "leads",
        {"leads": leads("H200 SXM", None, 200), "evidence": {"evidence": ["measured", "projected"]}},
    ),
    "a-cost": (
        [*SMALL, point(900, 25, accelerators=4, engine="sglang")],
        View.of(options={**PRICED, "group": "engine"}),
        "leads",
        {
            "leads": leads("vLLM", 40, 100, measure="in_metric"),
            "prices": {"h100-sxm": 3.6},
            "unpriced": {"unpriced": 1},
        },
    ),
    "one-accelerator": (
        SMALL,
        View.of({"accelerator": ["h100"]}),
        "one_frontier",
        {
            "one_frontier": {"points": 5, "on_frontier": 4, "on": [{"name": "H100 SXM"}]},
            "ends": {},
            "knees": {"knees": 1},
            "counts": {"points": 5, "overall": 4},
        },
    ),
    "one-point": (
        SMALL,
        View.of({"accelerator": ["h200"], "evidence": ["measured"]}),
        "one_point",
        {"one_point": {"points": 1, "on_frontier": 1}, "point": {}},
    ),
    "few-state-the-axis": (
        [point(200, 20), *(point(100 + n, None, ttft_ms_p50=n + 1) for n in range(4))],
        View.of(options={"x": X}),
        "one_point",
        {"instead": {"choose": [{"metric": "ttft_ms_p50", "axis": "horizontal"}]}, "left_out": {"used": 1, "no_x": 4}},
    ),
    "older-runs": (
        [
            point(900, 10, date="2026-01-01", engine_version="0.1", concurrency=4),
            point(200, 20, date="2026-06-01", engine_version="0.2", concurrency=8),
            point(260, 25, date="2026-06-01", engine_version="0.2", concurrency=16),
        ],
        View(),
        "one_frontier",
        {"one_frontier": {"points": 2, "on_frontier": 2}, "left_out": {"used": 2, "older run": 1}},
    ),
    "a-limit": (
        SMALL,
        View.of(slo=[LIMIT_X]),
        "best_within",
        {
            "best_within": {"x": 50, "y": 100, "level": 1, "stating": 7, "of": 9},
            "reached": {"groups": 1},
            "never": {"groups": 1, "names": ["H200 SXM"]},
        },
    ),
    "two-level-within-a-limit": (
        [at(100, 70, "h100-sxm"), at(99.5, 80, "h200-sxm"), at(20, 90, "b200-sxm")],
        View.of(slo=[LIMIT]),
        "level_within",
        {"level_within": {"x": 70, "y": 100, "level": 2}, "reached": {"groups": 3}},
    ),
    "a-limit-that-few-state": (
        TAIL,
        View.of(slo=TTFT),
        "best_within",
        {
            "best_within": {"x": 50, "y": 100, "level": 1, "stating": 3, "of": 6},
            "never": {"groups": 1},
            "silent": {"groups": 3},
        },
    ),
    "a-limit-that-too-few-accelerators-state": (
        [point(200, 20, ttft_ms_p99=9), *(point(9, 9, accelerator=chip) for chip in ("h200-sxm", "b200-sxm"))],
        View.of(slo=TTFT),
        "no_best",
        {"no_best": {"known": 1, "points": 3, "accelerators": 1, "of_accelerators": 3}},
    ),
    "limits-that-nothing-keeps": (
        SMALL,
        View.of(slo=[LIMIT_X, LIMIT_Y]),
        "none_within",
        {"none_within": {"known": 6, "points": 6}},
    ),
    "a-limit-that-no-point-states": (
        SMALL,
        View.of(slo=["e2el_ms_p99<=2000"]),
        "unknown_limits",
        {"unknown_limits": {"known": 0, "points": 6}},
    ),
    "two-models": (
        TWO_MODELS,
        View.of(BOTH_MODELS),
        "leads",
        {"leads": leads("Llama 3.1 8B", 20, 100, who="Llama 3.1 8B on L40S"), "who_leads": {"leads": 2}},
    ),
    "two-models-and-a-limit": (
        TWO_MODELS,
        View.of(BOTH_MODELS, slo=[LIMIT]),
        "best_within",
        {"best_within": {"x": 100, "y": 900, "level": 1, "who": ["Llama 3.1 8B on L40S"]}},
    ),
    "what-nobody-put-side-by-side": (
        [*TWO_MODELS, point(100, 20, isl=8192)],
        View.of(whole=True),
        "unasked",
        {"unasked": {"fields": ["models", "input lengths"]}, "mixed": {"unlike": 2}, "who_leads": []},
    ),
    "leaders-unlike-in-how-they-are-deployed": (
        [
            point(100, 10, disaggregated=True, speculation="mtp"),
            point(900, 20, disaggregated=False, speculation="none", **H200),
        ],
        View(),
        "leads",
        {"leaders": [{"fact": "disaggregated"}, {"fact": "speculation"}], "mixed": {"unlike": 2}},
    ),
    "several-days": (
        [point(200, 20, date="2026-01-01"), point(100, 10, date="2026-03-01", **H200)],
        View(),
        "leads",
        {"dates": {"days": 59}},
    ),
    "more-groups-than-lines": (
        [point(100 + n, 10 + n, variant=f"v{n}") for n in range(18)],
        View.of(options={"group": "variant"}),
        "leads",
        {"undrawn": {"groups": 2}},
    ),
    "nothing-selected": (
        SMALL,
        View.of({"model": ["gpt-9"]}),
        "nothing_selected",
        {"nothing_selected": {"selected": 0}, "not_loaded": {}},
    ),
    "neither-metric": (SMALL, View.of({"concurrency": ["3"]}), "no_frontier", {"no_frontier": {"selected": 1}}),
    "nothing-measured": (
        [point(100, 10, evidence="projected")],
        View(),
        "not_measured",
        {"not_measured": {"selected": 1}, "left_out": {"other_evidence": 1}},
    ),
    "nothing-priced": (
        [point(100, 10, **H200)],
        View.of(options=PRICED),
        "no_price",
        {"no_price": {"selected": 1}, "left_out": {"unpriced": 1}},
    ),
    "another-metric-was-published": (
        [point(200, 20), point(100, 10), point(None, None, ttft_ms_mean=5)],
        View.of(options={"x": "ttft_ms_mean"}),
        "no_axes",
        {
            "no_axes": {"selected": 3, "across": "ttft_ms_mean"},
            "instead": {"choose": [{"metric": X, "axis": "horizontal"}]},
        },
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    tables = {name: rows for name, (rows, *_) in CASES.items()} | {"flagged": FLAGGED, "steps": STEPS}
    return library_of_tables(tmp_path_factory.mktemp("said"), tables)


@pytest.mark.parametrize("name", CASES)
def test_what_an_answer_comes_to(made: Library, name: str) -> None:
    _, view, kind, told = CASES[name]
    answer = asked(made, name, view)
    assert kinds(answer, "headline") == [kind]
    assert len(kinds(answer, "finding")) <= verdict.FINDINGS
    tells(answer, told, 1e-3)


def test_the_readers_limits_lead_the_answer(made: Library) -> None:
    answer = asked(made, "two-level-within-a-limit", CASES["two-level-within-a-limit"][1])
    assert kinds(answer)[:4] == ["level_within", "point", "reached", "who_leads"]
    level = {one.best.point.point_id for one in answer.result.groups if one.label in ("H100 SXM", "H200 SXM")}
    assert {*statement(answer, "level_within").point_ids} == level


def test_where_another_metric_was_published_it_is_named_and_gives_a_frontier(made: Library) -> None:
    view = CASES["another-metric-was-published"][1]
    answer = asked(made, "another-metric-was-published", view)
    x, y = answer.result.instead
    assert (x.key, y.key) == (X, Y)
    assert not asked(made, "another-metric-was-published", view.with_options(x=x.key, y=y.key)).rows.empty
    assert asked(made, "neither-metric", CASES["neither-metric"][1]).result.instead is None


@pytest.mark.parametrize("name", ["a-limit-that-too-few-accelerators-state", "what-nobody-put-side-by-side"])
def test_where_no_leader_is_named_nothing_is_said_to_hold(made: Library, name: str) -> None:
    view = CASES[name][1].with_where(source=[name])
    answer = pareto.answer(made, view)
    assert answer.result.best is None
    assert pareto.robustness(made, view) is None


def test_what_rests_on_a_flagged_point_says_so(made: Library) -> None:
    views = [View(), View.of(slo=[LIMIT_X]), View.of({"accelerator": ["h100"]}), View.of(options=PRICED)]
    for answer in (asked(made, "flagged", view) for view in views):
        assert [one.flags for one in answer.statements if one.role == "headline"] == [("undefined throughput",)]
        assert kinds(answer).count("flagged") == 1
    assert said(asked(made, "flagged"), "flags") == {"flagged": 1, "kinds": ["undefined throughput"]}
    assert "flagged" not in kinds(asked(made, "flagged", View.of({"accelerator": ["h200"]})))
    out = asked(made, "flagged", View.of(options={"flagged": "out"}))
    assert (len(out.rows), out.result.tally.of("flagged")) == (4, 1)


def test_what_each_step_of_a_frontier_gives_and_costs(made: Library) -> None:
    answer = asked(made, "one-accelerator", View.of({"accelerator": ["h100"]}))
    assert answer.rows[answer.rows["on_frontier"]]["step"].tolist() == [
        None,
        "10 times the throughput for +10 ms TPOT",
        "30 % more throughput for +5 ms TPOT",
        "7.7 % more throughput for +75 ms TPOT",
    ]
    assert asked(made, "steps", View.of(options={"x": "ttft_ms_p50"})).rows["step"].tolist() == [
        None,
        "18 % more throughput for under 0.01 ms more TTFT",
        "10 % more throughput for +2.00 ms TTFT",
    ]


def test_groups_are_named_in_words() -> None:
    named = {("accelerators", "8"): "8 chips", ("disaggregated", "true"): "disaggregated", ("precision", "fp8"): "FP8"}
    assert {key: verdict.label(*key) for key in named} == named
