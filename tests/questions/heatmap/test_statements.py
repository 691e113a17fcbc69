"""What a heatmap says of small libraries: each kind of statement by its values, in every form it has."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bench.library import Library
from bench.questions import heatmap
from bench.view import View
from tests.questions.heatmap.results import LEVELS, SMALL, Row, asked, flag, ids, lengths, library_of_cases, point
from tests.questions.saying import Told, kinds, tells

LLAMA = {"model": ["llama-3.1-70b"]}
BY_LOAD = View.of(LLAMA, {"x": "concurrency", "y": "tp"})
BY_TTFT = asked(metric="ttft_ms_p50")
LIMITED = asked(slo=("ttft_ms_p50<=100",))
LATENCIES = [point(128 * 4**place, 128, ttft_ms_p50=ms) for place, ms in enumerate((20, 80))]
OPEN = {"load_kind": "open", "concurrency": None, "request_rate": 2}
PANELS = [
    point(128 * cell, 128, 10 * chips, accelerators=chips)
    for chips in range(1, 15)
    for cell in range(1, 3 + (chips > 2))
]

SAID: Mapping[str, tuple[list[Row], View, Told]] = {
    "two-panels": (
        SMALL,
        asked(),
        {
            "peak": {"value": 180, "x": 128, "y": 128},
            "alone": {"at": ["128 in / 128 out"]},
            "panels": {"panel": "accelerators", "panels": 2},
            # From 120 at 128 to 60 at 1,024, three doublings.
            "slope": {"axis": "isl", "per_doubling": 2 ** (1 / 3), "start": 128, "end": 1024},
            "cells": {"measured": 3, "cells": 8},
            "load_kind": {"kind": "closed"},
            "other_kind": {"value": 9000, "kind": "saturated"},
            "left_out": {
                "used": 4,
                "other_evidence": 1,
                "repeat": 2,
                "failed": 1,
                "no_metric": 1,
                "no_axis": 1,
                "other_kind": 2,
            },
        },
    ),
    "levels": (
        [point(128, 128, 10 * level, tp=1, concurrency=level) for level in (1, 8, 64)],
        BY_LOAD,
        {
            "peak": {"value": 640, "x": 64, "y": 1},
            "falls_off": {"worst": 10},
            "never_falls": {"axis": "concurrency", "per_doubling": 0.5, "start": 1, "end": 8},
            "cells": {"measured": 3, "cells": 3},
        },
    ),
    "one-cell": (lengths(5), asked(), {"peak": {"value": 5, "x": 128, "y": 128}, "alone": {}}),
    "alike": (
        lengths(100, 100.5),
        asked(),
        {"never_falls": {"axis": "isl", "per_doubling": 100 / 100.5, "start": 128, "end": 256}},
    ),
    "down-to-nothing": (lengths(100, 0), asked(), {"peak": {"value": 100}, "falls_off": {"worst": 0}}),
    "a-panel-falls-off": (
        [*lengths(50, 10, accelerators=8), *lengths(5)],
        asked(),
        {"peak": {"value": 50, "x": 128, "y": 128}, "falls_off": {"worst": 10}},
    ),
    "a-latency": (
        [*LATENCIES, point(128, 128, ttft_ms_p50=90, concurrency=64)],
        BY_TTFT,
        {
            "lowest": {"value": 20, "x": 128, "y": 128},
            "rises": {"worst": 80},
            "slope_rises": {"axis": "isl", "per_doubling": 2, "start": 128, "end": 512},
        },
    ),
    "lower-under-another-load": (
        [
            *LATENCIES,
            point(128, 128, ttft_ms_p50=5, **OPEN),
            point(128, 128, ttft_ms_p50=90, load_kind="saturated", concurrency=None),
        ],
        BY_TTFT,
        {"lowest": {"value": 20, "x": 128, "y": 128}, "other_kind": {"value": 5, "kind": "open"}},
    ),
    "a-limit": (
        [point(128, 128, 10, ttft_ms_p50=50), point(512, 128, 90, ttft_ms_p50=900)],
        LIMITED,
        {"peak": {"value": 10, "x": 128, "y": 128}, "left_out": {"used": 1, "beyond_limit": 1}},
    ),
    "a-limit-few-points-state": (
        LEVELS,
        View.of(LLAMA, {"x": "concurrency", "y": "osl"}, slo=["ttft_ms_p50<=5"]),
        {"peak": {"value": 40, "x": 4, "y": 128, "stating": 4, "of": 6}},
    ),
    "flags": (
        [point(128, 128, 10, flags=flag("client_limited", "too_few_requests"))],
        asked(),
        {"flags": {"cells": 1}, "flagged": {}},
    ),
    "excluded": (
        [point(128, 128, 90, flags=flag("littles-law")), *lengths(0, 30, 20)[1:]],
        asked(),
        {"peak": {"value": 30, "x": 256, "y": 128}, "falls_off": {"worst": 20}, "left_out": {"used": 2, "flagged": 1}},
    ),
    "doublings": (
        [point(length, 128, 10_000 / length) for length in range(100, 150)],
        asked(),
        {
            # The best of 64 to 128 is the shortest, 100 tokens: 100 tokens/s.
            "peak": {"value": 100, "x": 64, "y": 128},
            "doublings": {"axis": "isl"},
            "slope": {"axis": "isl", "per_doubling": 1.28, "start": 64, "end": 128},
        },
    ),
    "too-many-panels": (PANELS, asked(), {"undrawn": {"panels": 2}, "panels": {"panel": "accelerators", "panels": 14}}),
    "best-points-unlike": (
        [point(128, 128, 10), point(256, 128, 20, engine="sglang", speculation="mtp")],
        asked(),
        {"mixed": {"facts": "engine and speculation"}},
    ),
    "two-models": (
        [*lengths(10), *lengths(20, model="llama-3.1-8b")],
        asked().with_where(model=["llama-3.1-70b", "llama-3.1-8b"]),
        {"peaks": {"value": 20, "x": 128, "y": 128}},
    ),
    "not-measured": (lengths(5, evidence="estimated"), asked(), {"left_out": {"other_evidence": 1}}),
}

UNTOLD: Mapping[str, tuple[list[Row], View, str]] = {
    "nothing-selected": (SMALL, asked().with_where(engine=["trt"]), "no_point"),
    "nothing-measured": (lengths(5, 6, evidence="estimated"), asked(), "none_measured"),
    "axes-nobody-states": (SMALL, asked(x="batch", y="request_rate"), "no_axes"),
    "a-metric-nobody-states": (SMALL, asked(metric="goodput_requests_per_s"), "no_metric"),
    "a-limit-not-on-the-grid": (SMALL, asked(slo=("ttft_ms_p50<=10",)), "unknown_limit"),
    "a-limit-nobody-states": (lengths(5, 6), LIMITED, "unknown_limit"),
    "a-limit-nobody-keeps": (lengths(5, 6, ttft_ms_p50=900), LIMITED, "beyond_limit"),
    "nothing-may-be-ranked": (lengths(5, 6, flags=flag("implausible")), asked(), "none_ranked"),
}
"""Where no cell has a value: the kind of sentence that says what to do."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    cases = {name: rows for name, (rows, *_) in [*SAID.items(), *UNTOLD.items()]}
    return library_of_cases(tmp_path_factory.mktemp("said"), cases)


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(made: Library, name: str) -> None:
    _, view, told = SAID[name]
    answer = heatmap.answer(made, view.with_where(source=[name]))
    tells(answer, told)


@pytest.mark.parametrize("name", UNTOLD)
def test_where_no_cell_has_a_value_it_is_said_what_to_do(made: Library, name: str) -> None:
    _, view, kind = UNTOLD[name]
    answer = heatmap.answer(made, view.with_where(source=[name]))
    assert kinds(answer, "headline") == [kind]
    assert not answer.result.measured
    assert not answer.is_told


def test_where_no_point_states_both_axes_the_columns_that_can_be_are_known(made: Library) -> None:
    name = "axes-nobody-states"
    stated = heatmap.answer(made, UNTOLD[name][1].with_where(source=[name])).result.stated
    assert stated == ("isl", "osl", "concurrency", "batch", "accelerators", "tp")


def test_the_findings_name_the_points_they_rest_on(made: Library) -> None:
    answer = heatmap.answer(made, asked().with_where(source=["a-panel-falls-off"]))
    cells = {(cell.panel, cell.x): cell for cell in answer.result.cells}
    named = {one.kind: one.point_ids for one in answer.statements}
    assert named["peak"] == ids(cells[8, 128])
    assert named["falls_off"] == named["slope"] == ids(cells[8, 128], cells[8, 256])
    assert named["panels"] == ids(cells[8, 128], cells[4, 128])
