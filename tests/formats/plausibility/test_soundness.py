"""Figures that cannot be true together are refused, and true ones never are."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.formats.plausibility.soundness import check, littles_law
from tests.formats.runs import ANY, PLAIN, Run, runs


def greedy(times: list[float], concurrency: int, pause: float) -> float:
    """How long a closed loop takes that fills each free place at once, or after a pause."""
    free = [0.0] * concurrency
    ends = []
    for time in times:
        ends.append(heapq.heappop(free) + pause + time)
        heapq.heappush(free, ends[-1])
    return max(ends)


def in_figures(good: list[float], window: float) -> dict[str, float]:
    return {
        "requests_ok": float(len(good)),
        "requests_per_s": len(good) / window * 1000,
        "e2el_ms_mean": float(np.mean(good)),
        "e2el_ms_max": max(good),
    }


@given(
    st.lists(st.tuples(st.floats(1, 1e4), st.booleans()), min_size=1, max_size=60).filter(
        lambda requests: any(ok for _, ok in requests)
    ),
    st.integers(1, 64),
)
def test_no_closed_loop_is_flagged_whatever_its_ramp_its_tail_and_its_failures(
    requests: list[tuple[float, bool]], concurrency: int
) -> None:
    """A failure takes at most as long as the slowest answer."""
    good = [time for time, ok in requests if ok]
    times = [min(time, max(good)) for time, _ in requests]
    metrics = in_figures(good, greedy(times, concurrency, 0.0))
    metrics["requests_failed"] = float(len(times) - len(good))
    assert littles_law(metrics, concurrency, None) == ()


@given(st.lists(st.floats(200, 400), min_size=30, max_size=60), st.integers(1, 8))
def test_a_client_that_pauses_four_times_as_long_as_a_request_is_flagged(times: list[float], concurrency: int) -> None:
    metrics = {**in_figures(times, greedy(times, concurrency, 1600.0)), "requests_failed": 0.0}
    (flag,) = littles_law(metrics, concurrency, None, because="it pauses")
    assert "it pauses" in flag.why


@pytest.mark.parametrize(
    ("failed", "said"),
    [
        ({"requests_failed": 3.0}, "the failed requests may have hung on"),
        ({}, "which the file does not count, may have hung on"),
        ({"requests_failed": 0.0}, "time in the system: it pauses."),
    ],
)
def test_failures_that_hung_on_are_named_before_a_client_s_pauses(failed: dict[str, float], said: str) -> None:
    # 64 answers of 0.79 s in 303 s are 0.17 in flight.
    metrics = {"requests_per_s": 0.211, "e2el_ms_mean": 794.5, "e2el_ms_max": 900.0, "requests_ok": 64.0, **failed}
    (flag,) = littles_law(metrics, 64, None, because="it pauses")
    assert said in flag.why
    # A failure that hung on leaves no more in flight than were kept under way.
    (more,) = littles_law({**metrics, "requests_per_s": 200.0}, 64, None, because="it pauses")
    assert more.why.endswith("time in the system: it pauses.")


def test_more_in_flight_than_were_kept_under_way_is_flagged() -> None:
    # 400 tokens/s in answers of 50 that take 1 s are 8 in flight.
    metrics = {"output_tokens_per_s": 400.0, "e2el_ms_mean": 1000.0, "requests_ok": 100.0}
    assert littles_law(metrics, 6, 50) == ()
    assert [flag.kind for flag in littles_law(metrics, 4, 50)] == ["littles-law"]


def check_run(run: Run, metrics: dict[str, float] | None = None) -> None:
    check(
        "f.json",
        "run 1",
        metrics or run.metrics,
        concurrency=run.concurrency,
        saturated=run.kind == "saturated",
        whole_run=True,
    )


@given(runs(ANY))
def test_no_true_run_is_refused(run: Run) -> None:
    """A closed loop, an open one or all at once; mixed lengths, requests that hang and fail, figures rounded or not."""
    check_run(run)


@given(runs(PLAIN), st.data())
def test_one_figure_off_by_a_thousand_is_refused(run: Run, data: st.DataObject) -> None:
    """All but a standard deviation, which may be 0, and a smallest value that is smaller still."""
    key = data.draw(st.sampled_from([k for k in run.metrics if k[-4:] != "_std" and k != "requests_failed"]))
    factor = 1000 if key.endswith("_min") else data.draw(st.sampled_from([1000, 0.001]))
    check_run(run)
    with pytest.raises(InputError):
        check_run(run, {**run.metrics, key: run.metrics[key] * factor})


@given(
    runs(PLAIN),
    st.sampled_from(["ttft_ms", "tpot_ms", "itl_ms", "ntpot_ms", "e2el_ms", ""]),
    st.sampled_from([1000, 0.001]),
)
def test_a_latency_in_another_unit_is_refused_whatever_the_load(run: Run, base: str, factor: float) -> None:
    off = {
        key: value * factor if "_ms_" in key and key.startswith(base) else value for key, value in run.metrics.items()
    }
    with pytest.raises(InputError, match=r"unit is not ms|cannot be above|no mean is further|would make it larger"):
        check_run(run, off)


SENT_AT_ONCE = {"duration_s": 3.6, "requests_ok": 24.0, "requests_failed": 0.0, "e2el_ms_mean": 1500.0}


@pytest.mark.parametrize("whole_run", [True, False])
def test_requests_sent_at_once_fill_the_run(whole_run: bool) -> None:
    check("f.json", "run 1", SENT_AT_ONCE, saturated=True, whole_run=whole_run)
    check("f.json", "run 1", {**SENT_AT_ONCE, "e2el_ms_mean": 0.6}, whole_run=whole_run)
    with pytest.raises(InputError, match=r"24 answers that fast, all asked for at once, take no 3.6 s"):
        check("f.json", "run 1", {**SENT_AT_ONCE, "e2el_ms_mean": 0.6}, saturated=True, whole_run=whole_run)


def test_a_failure_may_have_hung_on_after_all_others() -> None:
    hung = {**SENT_AT_ONCE, "e2el_ms_mean": 0.6, "requests_failed": 1.0}
    check("f.json", "run 1", hung, saturated=True, whole_run=True)


def test_failures_that_are_not_counted_may_have_hung_on() -> None:
    """64 answers of 0.8 s, and SGLang's file does not say that others ran into the timeout of 300 s."""
    metrics = {"duration_s": 303.2, "requests_ok": 64.0, "e2el_ms_mean": 794.5}
    check("f.json", "run 1", metrics, concurrency=64, whole_run=True)
    check("f.json", "run 1", {**metrics, "e2el_ms_mean": 1.04}, saturated=True, whole_run=True)
    for load in ({"concurrency": 64.0}, {"saturated": True}):
        with pytest.raises(InputError, match=r"64 answers that fast"):
            check("f.json", "run 1", {**metrics, "e2el_ms_mean": 1.04, "requests_failed": 0.0}, whole_run=True, **load)  # type: ignore[arg-type]


def test_one_answer_may_take_longer_than_all_others_together() -> None:
    """999 answers of 0.6 s and one of 880 s: the mean is (599.4 + 880) / 1,000 = 1.4794 s, the deviation 27.81 s."""
    run = {"duration_s": 900.0, "requests_ok": 1000.0, "requests_failed": 0.0, "e2el_ms_mean": 1479.4}
    for known in ({"e2el_ms_std": 27_808.0}, {"e2el_ms_max": 880_000.0}, {}):
        check("f.json", "run 1", {**run, **known}, saturated=True, whole_run=True)
    for wrong in ({"e2el_ms_std": 27.808}, {"e2el_ms_max": 880.0}, {}):
        seconds = {**run, **wrong, "e2el_ms_mean": 1.4794}
        with pytest.raises(InputError, match=r"1000 answers that fast, all asked for at once, take no 900 s"):
            check("f.json", "run 1", seconds, saturated=True, whole_run=True)
