"""The gate: what follows for a release from a comparison of two sets of result files."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some

from bench.errors import InputError, UsageError
from bench.gate import GateVerdict, judged, line, report
from bench.questions.compare.result import CompareVerdict, MetricRatio
from tests.gate.files import REAL, run, runs
from tests.thorough import times


def ratio(metric: str, value: float, low: float | None, high: float | None, verdict: CompareVerdict) -> MetricRatio:
    return MetricRatio(metric, 3, value, low, high, verdict, "repeats", 0 if verdict != "unknown" else 2, {})


@pytest.mark.parametrize(
    ("metric", "value", "low", "high", "said", "allowed", "verdict"),
    [
        ("output_tokens_per_s", 0.9, 0.88, 0.92, "slower", 0.02, "worse"),
        ("output_tokens_per_s", 0.9, 0.88, 0.92, "slower", 0.15, "same"),  # 12 % at most, and 15 % are allowed
        ("output_tokens_per_s", 1.1, 1.05, 1.15, "faster", 0.02, "better"),
        ("output_tokens_per_s", 0.99, 0.9, 1.09, "unknown", 0.02, "unknown"),
        ("output_tokens_per_s", 0.99, 0.985, 0.995, "slower", 0.02, "same"),
        ("output_tokens_per_s", 0.985, 0.975, 0.995, "slower", 0.02, "unknown"),
        ("ttft_ms_p99", 1.3, 1.2, 1.4, "slower", 0.05, "worse"),
        ("ttft_ms_p99", 0.7, 0.6, 0.8, "faster", 0.05, "better"),
        ("ttft_ms_p99", 1.02, 0.99, 1.04, "unknown", 0.05, "same"),
        ("ttft_ms_p99", 1.02, None, None, "unknown", 0.05, "unknown"),
    ],
)
def test_a_metric_is_judged_by_its_interval_and_what_is_allowed(
    metric: str,
    value: float,
    low: float | None,
    high: float | None,
    said: CompareVerdict,
    allowed: float,
    verdict: GateVerdict,
) -> None:
    assert line(ratio(metric, value, low, high, said), allowed).verdict == verdict


@given(some.floats(0.5, 2), some.floats(0, 0.3), some.floats(0, 0.5), some.floats(0, 0.5))
def test_who_allows_more_never_turns_worse(value: float, width: float, less: float, more: float) -> None:
    less, more = sorted((less, more))
    low, high = value * (1 - width), value * (1 + width)
    said: CompareVerdict = "unknown" if low <= 1 <= high else "faster" if value > 1 else "slower"
    order = ("worse", "unknown", "same", "better")
    before, after = (line(ratio("output_tokens_per_s", value, low, high, said), one).verdict for one in (less, more))
    assert order.index(after) >= order.index(before)


def test_runs_that_are_a_tenth_slower_are_worse_for_people_and_machines(tmp_path: Path) -> None:
    now, then = runs(tmp_path / "now", 1.1, seed=1), runs(tmp_path / "then", 1.0, seed=2)
    with judged(then, now, {"output_tokens_per_s": 0.02, "tpot_ms_p50": 0.02, "ttft_ms_p99": 0.5}) as found:
        told = {one.ratio.metric: one.verdict for one in found.lines}
        text, document = report.markdown(found), json.loads(json.dumps(report.document(found)))
        suite = ElementTree.fromstring(report.junit(found))
    assert found.verdict == "worse"
    assert told == {"output_tokens_per_s": "worse", "tpot_ms_p50": "worse", "ttft_ms_p99": "same"}
    loss = next(one.loss for one in found.lines if one.ratio.metric == "output_tokens_per_s")
    assert loss == pytest.approx(1 - 1 / 1.1, abs=0.01)
    assert text.startswith("❌ **The candidate is worse: ")
    assert text.count("\n| ") == 4  # the heading, and a row for each metric
    assert (document["verdict"], len(document["metrics"])) == ("worse", 3)
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "2", "0")
    failed = {case.get("name") for case in suite if case.find("failure") is not None}
    assert failed == {"output_tokens_per_s", "tpot_ms_p50"}
    with judged(now, then, {}) as faster:
        assert faster.verdict == "better"


@pytest.mark.exhaustive
def test_runs_that_are_alike_are_never_worse(tmp_path: Path) -> None:
    for seed in range(times(6, 1)):
        then = runs(tmp_path / f"then{seed}", 1.0, scatter=0.01, seed=seed)
        now = runs(tmp_path / f"now{seed}", 1.0, scatter=0.01, seed=100 + seed)
        with judged(then, now, {"output_tokens_per_s": 0.02}) as found:
            assert found.verdict in ("same", "unknown", "better")


def test_sides_without_a_figure_or_of_one_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.json").write_text("{}")
    for baseline, candidate, words in (
        (tmp_path / "empty.json", REAL, "empty.json of the baseline is not read"),
        (REAL, REAL, "is on both sides"),
    ):
        with pytest.raises(InputError, match=words), judged([baseline], [candidate], {}):
            pass


def test_a_metric_that_nobody_tells_is_refused(tmp_path: Path) -> None:
    now = run(tmp_path / "now.json", 1.05, day=2)
    with pytest.raises(UsageError, match="is not compared here"), judged([REAL], [now], {"goodput_requests_per_s": 0}):
        pass
