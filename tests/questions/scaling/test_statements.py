"""What scaling says of small results, by kinds and values, and what each count of chips of their first line gives."""

from __future__ import annotations

import math

import pytest

from bench.questions import scaling
from bench.view import View
from tests.questions.heatmap.results import flag, library_of_cases
from tests.questions.saying import kinds, tells
from tests.questions.scaling.asking import FOUR, MONTHS, by_count, run

EARLY, LATE = MONTHS
OLD, NEW = ({**day, "engine_version": "0.7", "source_url": f"https://example.org/{day['date']}"} for day in MONTHS)
OTHER = {"source_url": "https://example.org/runs/1"}
AT_16 = View.of({}, {"at": "concurrency", "level": "16"})
BEST = View.of({}, {"at": "best"})
AT_71 = View.of({}, {"at": "interactivity", "level": str(math.sqrt(5000))})
LIMITED = View.of({}, slo=["tpot_ms_p50<=50"])
HARD = View.of({}, slo=["tpot_ms_p50<=5"])
APART = {"disaggregated": True}
FAILING = {"requests_ok": 10, "requests_failed": 90}


def growth(accelerators, base, speedup):
    """What is said of a count of chips that gives so many times the base's throughput."""
    efficiency = speedup * base / accelerators
    return {"efficiency": efficiency, "speedup": speedup, "accelerators": accelerators, "base": base}


def nothing(why, **values):
    return {f"nothing_{why}": values}


SAID = {
    # At sqrt(50 x 100) tokens/s per user: one chip sqrt(100 x 400) = 200, two chips sqrt(150 x 600) = 300.
    "equal-interactivity": (
        [run(*one) for one in FOUR],
        AT_71,
        {1: 200, 2: 300},
        {"efficiency": growth(2, 1, 1.5), "interpolated": {}, "interpolation": {}},
    ),
    # Three counts at one load come before four of which two were run at each.
    "most-counts-at-one-load": (
        [run(*one, variant="a") for one in ((1, 100), (2, 200), (3, 300, 8), (4, 400, 8))]
        + [run(n, 90 * n, variant="b") for n in (1, 2, 4)],
        AT_16,
        {1: 90, 2: 180, 4: 360},
        {},
    ),
    "a-level-nobody-reaches": (
        [run(*one) for one in FOUR],
        AT_71.with_options(level="68000"),
        {},
        {**nothing("other_level", used=4), "absent_level": {}},
    ),
    "a-load-that-replicas-share": (
        [run(1, 300, 8, 20), run(1, 400, 16, 30, ttft_ms_p50=80), run(2, 640, 16, 15, ttft_ms_p50=100)],
        AT_16,
        {1: 400, 2: 640},
        {
            "replicas_loaded": {"ratio": 1.25, "throughput": 640, "replicas_throughput": 800, "total": 32},
            "shared_tpot": {"throughput": 600, "ratio": 600 / 640, "replicas_tpot_ms": 20, "tpot_ms": 15},
            "projected": {},
        },
    ),
    "the-best-layout-of-the-newest-run": (
        [
            run(1, 100),
            run(2, 150),
            run(2, 190, tp=1, pp=2),
            run(2, 900, pp=1, date="2025-01-01", **OTHER),
            run(2, 120, pp=1),
        ],
        AT_16,
        {1: 100, 2: 190},
        {"left_out": {"used": 4, "older run": 1}},
    ),
    "other-versions-and-precisions": (
        [run(1, 100), run(2, 180), run(4, 9000, engine_version="0.7"), run(8, 9000, precision="fp8")],
        AT_16,
        {1: 100, 2: 180},
        {"efficiency": growth(2, 1, 1.8)},
    ),
    "most-requests-failed": (
        [run(1, 1, **FAILING), run(2, 200), run(4, 300, requests_failed=1, requests_ok=99)],
        AT_16,
        {2: 200, 4: 300},
        {"efficiency": growth(4, 2, 1.5), "left_out": {"used": 2, "failed": 1}},
    ),
    "disaggregated": (
        [run(4, 100, **APART), run(8, 190, **APART)],
        View.of({"disaggregated": ["true"]}),
        {4: 100, 8: 190},
        {"efficiency": growth(8, 4, 1.9), "designs": {"lines": ["H100 SXM"]}},
    ),
    "a-peak-inside-the-sweep": (
        [run(1, 100, 8), run(1, 90, 16), run(2, 150, 64), run(2, 140, 128), run(4, 500, 512), run(4, 80, 4)],
        BEST,
        {1: 100, 2: 150},
        {"efficiency": growth(2, 1, 1.5), "absent_rising": {}},
    ),
    "pushed-alike": (
        [run(1, 100, 8), run(1, 180, 16), run(2, 150, 8), run(2, 300, 32), run(4, 200, 8), run(4, 360, 32)],
        BEST,
        {1: 180, 2: 300, 4: 360},
        {"may_rise": {}},
    ),
    "no-best-load": (
        [run(1, 100, 8), run(1, 180, 64), run(2, 150, 8), run(2, 300, 32), run(4, 500)],
        BEST,
        {},
        {**nothing("best", used=5), "absent_rising": {}, "absent_once": {}},
    ),
    # A lower throughput at a higher load in another layout shows no peak.
    "a-peak-of-another-layout": (
        [run(1, 100, 8), run(1, 90, 16), run(2, 150, 64), run(2, 20, 32), run(2, 60, 512, tp=1, pp=2)],
        BEST,
        {1: 100},
        {"absent_rising": {}},
    ),
    "a-single-load": ([run(1, 900, 64), run(1, 300, 16), run(2, 100, 4)], BEST, {}, nothing("shared_load", used=3)),
    "one-run-has-two-counts": (
        [run(1, 100, **EARLY), run(2, 150, **EARLY), run(4, 900, **LATE)],
        AT_16,
        {1: 100, 2: 150},
        {"efficiency": growth(2, 1, 1.5)},
    ),
    "the-later-run-has-two-counts-too": (
        [run(1, 100, **EARLY), run(2, 150, **EARLY), run(2, 300, **LATE), run(4, 900, **LATE)],
        AT_16,
        {2: 300, 4: 900},
        {"left_out": {"used": 3, "older run": 1}, "beyond_linear": growth(4, 2, 3)},
    ),
    # A stated version joins runs. 900 is of an older run of the deployment that gave 150, 170 of its layout's newest.
    "one-version": (
        [
            run(1, 100, **OLD),
            run(2, 150, **NEW),
            run(2, 900, **OLD),
            run(2, 170, tp=1, dp=2, **OLD),
            run(4, 300, **NEW),
        ],
        AT_16,
        {1: 100, 2: 170, 4: 300},
        {"left_out": {"used": 4, "older run": 1}},
    ),
    # The best within a limit is known where a higher load breaks it.
    "a-limit": (
        [run(1, 100, 8, 10), run(1, 180, 64, 90), run(2, 150, 8, 10), run(2, 250, 32, 30), run(2, 300, 64, 95)],
        LIMITED.with_options(at="best"),
        {1: 100, 2: 250},
        {"left_out": {"used": 3, "beyond_limit": 2}},
    ),
    "a-limit-few-points-state": (
        [run(1, 100, 8, 10), run(2, 150, 8, 10), run(4, 300, 8)],
        LIMITED,
        {1: 100, 2: 150},
        {"efficiency": {**growth(2, 1, 1.5), "stating": 2, "of": 3}},
    ),
    "excluded": (
        [run(1, 100), run(2, 150), *(run(2, 9000, at, tp=1, dp=2, flags=flag("implausible")) for at in (16, 32))],
        AT_16,
        {1: 100, 2: 150},
        {"hollow": {"many": 1}, "left_out": {"used": 2, "flagged": 2}},
    ),
    "a-limit-nobody-keeps": ([run(1, 100, 8, 10), run(2, 150, 8, 10)], HARD, {}, nothing("beyond_limit", limits=1)),
    "a-limit-nobody-states": ([run(1, 100, 8), run(2, 150, 8)], HARD, {}, nothing("unknown_limit", limits=1)),
    "one-point": ([run(1, 100)], AT_16, {}, nothing("counts", used=1)),
    "no-throughput": (
        [*(run(chips, None, tpot=10, precision="fp8") for chips in (1, 2)), run(1, 100, precision="bf16")],
        View.of({"precision": ["fp8"]}, {"metric": "output_tokens_per_s"}),
        {},
        nothing("unmeasured", metric="output_tokens_per_s"),
    ),
    "nothing-selected": ([run(1, 100)], View.of({"engine": ["trt"]}), {}, nothing("selected")),
}
"""The results, what is asked of them, the throughput of the first line by count of chips, and what is said."""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return library_of_cases(tmp_path_factory.mktemp("said"), {name: rows for name, (rows, *_) in SAID.items()})


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(made, name):
    _, view, throughput, told = SAID[name]
    answer = scaling.answer(made, view.with_where(source=[name]))
    found = [by_count(line, "throughput") for line in answer.result.lines]
    assert (found[0] if found else {}) == pytest.approx(throughput, rel=0.001)
    tells(answer, told)
    assert len(kinds(answer, "finding")) <= 5
