"""Every flag at a third of its line, where it must stay down, and at three times, where it must be up."""

from __future__ import annotations

from array import array
from dataclasses import replace

import numpy as np
import pytest

from bench.records import Load
from bench.sweep.measured.clock import ClockDrift, ClockReading
from bench.sweep.measured.honesty import ClientLoad, flags
from bench.sweep.measured.lateness import LatePercentile
from bench.sweep.measured.saturation import Rise, rise
from bench.sweep.measured.window import MeasuredPoint, Window, steady
from bench.sweep.wire.exchange import Limits, PointRun
from tests.sweep.made import MS, S, exchange, samples_of, slot

CLOSED = Load(load_kind="closed", concurrency=1)
OPEN = Load(load_kind="open", request_rate=10.0, arrivals="constant")
CALM = MeasuredPoint(
    Window(0, 10 * S),
    {"itl_ms_p50": 10.0, "itl_ms_mean": 10.0, "ttft_ms_p50": 200.0, "requests_ok": 1000.0},
    {},
    timed=1000,
    isl_actual=512.0,
    isl_asked=512.0,
    osl_actual=256.0,
    osl_asked=256.0,
    counted_by_server=1.0,
    tokens_per_chunk=1.0,
    send_delay_ms_p99=0.1,
)
IDLE = ClientLoad(lag_ms_p99=0.05, lag_ms_max=3.0, cpu_share=0.2)
STEADY = Rise(0.0, 0.5, 0.0, 0.5)


def kinds(found=CALM, load=CLOSED, client=IDLE, **more):
    return [flag.kind for flag in flags(found, load, client, **more)]


LINES = [
    ("client_limited", 10.0, lambda x: {"moved": [LatePercentile("ttft_ms", 50, 200.0, x)]}),
    ("client_limited", 1.0, lambda x: {"moved": [LatePercentile("tpot_ms", 99, 10.0, x)]}),
    ("rate_limited", 0.05, lambda x: {"client": replace(IDLE, refused=round(1000 * x))}),
    ("rate_limited", 0.05, lambda x: {"client": replace(IDLE, refused=1, rested_s=10 * x, seconds=10.0)}),
    ("outage", 0.05, lambda x: {"client": replace(IDLE, rested_s=10 * x, seconds=10.0)}),
    ("bursts", 0.2, lambda x: {"found": replace(CALM, together=x)}),
    ("osl_off_target", 0.02, lambda x: {"found": replace(CALM, osl_actual=256 * (1 - x))}),
    ("osl_off_target", 0.02, lambda x: {"found": replace(CALM, osl_actual=256 * (1 + x))}),
    ("isl_off_target", 0.02, lambda x: {"found": replace(CALM, isl_actual=512 * (1 + x))}),
    ("prefix_cache_warm", 0.05, lambda x: {"prefix_share": x}),
    ("prefix_cache_warm", 0.05, lambda x: {"prefix_share": 0.5 + x, "shared_prefix_share": 0.5}),
    ("over_saturated", 0.5, lambda x: {"load": OPEN, "rise": Rise(x, 0.001, 0.75, 0.001)}),
    ("over_saturated", 0.25, lambda x: {"load": OPEN, "rise": Rise(1.5, 0.001, x, 0.001)}),
    ("over_saturated", 1 / 0.05, lambda x: {"load": OPEN, "rise": Rise(1.5, 1 / x, 0.75, 0.001)}),
    ("too_few_requests", 1 / 100, lambda x: {"found": replace(CALM, timed=round(1 / x))}),
    ("clock_trouble", 10.0, lambda x: {"drift": ClockDrift(x, 0, 0)}),
    ("clock_trouble", 0.001, lambda x: {"drift": ClockDrift(0, -x, 0)}),
    ("clock_trouble", 50.0, lambda x: {"drift": ClockDrift(0, 0, -x)}),
    ("clock_trouble", 1000.0, lambda x: {"client": replace(IDLE, lag_ms_max=x)}),
    ("cut_short", 0.01, lambda x: {"found": replace(CALM, timed=10_000, cancelled=round(10_000 * x / (1 - x)))}),
    ("tokens_by_chunks", 0.01, lambda x: {"found": replace(CALM, counted_by_server=1 - x)}),
]


@pytest.mark.parametrize(("kind", "line", "point"), LINES, ids=[f"{row[0]} {row[1]}" for row in LINES])
def test_a_third_of_the_line_passes_and_three_times_the_line_is_told(kind, line, point):
    assert kinds(**point(line / 3)) == []
    assert kinds(**point(line * 3)) == [kind]


def test_failures_steady_state_and_packets_have_no_third_of_a_line():
    assert kinds(replace(CALM, failures={"stalled": 1})) == ["failures"]
    assert kinds(replace(CALM, window=Window(0, S, "three requests started"))) == ["not_steady"]
    assert kinds(replace(CALM, tokens_per_chunk=1.4)) == []
    assert kinds(replace(CALM, tokens_per_chunk=4.0)) == ["tokens_in_chunks"]
    assert kinds(replace(CALM, tokens_per_chunk=0.7)) == []
    assert kinds(replace(CALM, tokens_per_chunk=0.5)) == ["tokens_in_chunks"]


def test_the_worst_point_has_every_flag_once_with_its_figures():
    worst = replace(
        CALM,
        window=Window(0, S, "three requests started"),
        failures={"http_429": 3, "stalled": 2},
        cancelled=500,
        timed=20,
        isl_actual=600.0,
        osl_actual=87.0,
        counted_by_server=0.0,
        tokens_per_chunk=16.0,
        together=0.875,
        first_tokens=8.0,
        stopped=0.9,
        in_warmup=2,
    )
    told = flags(
        worst,
        OPEN,
        ClientLoad(2.0, 5000.0, 0.97, refused=300),
        moved=[LatePercentile("ttft_ms", 50, 200.0, 4.0), LatePercentile("ttft_ms", 99, 210.0, 41.0)],
        rise=Rise(1.9, 1e-9, 1.9, 0.01),
        drift=ClockDrift(90_000.0, 0.01, -3_600_000.0),
        prefix_share=0.93,
    )
    assert len({flag.kind for flag in told}) == len(told) == 13
    assert not [flag for flag in told if "None" in flag.seen + flag.why + flag.do]
    seen = {flag.kind: flag.seen for flag in told}
    for kind, figures in {
        "client_limited": ["TTFT at p99", "41 ms (20 %)", "5,000 ms"],
        "failures": ["5 of 1,005", "3 http_429 and 2 stalled", "2 of them in the warm-up"],
        "osl_off_target": ["87 tokens", "66 % less than the 256", "90 %"],
        "rate_limited": ["300 of 1,005"],
        "clock_trouble": ["90 s"],
    }.items():
        assert not [figure for figure in figures if figure not in seen[kind]], seen[kind]


@pytest.mark.parametrize(
    ("client", "concurrency", "do"),
    [
        (ClientLoad(cpu_share=0.3, waited_share=0.34), 8, "34 %"),
        (ClientLoad(cpu_share=0.95, waited_share=0.01), 8, "--workers"),
        (ClientLoad(cpu_share=0.95), 1, "faster machine"),
        (ClientLoad(cpu_share=0.3), 8, "paused"),
    ],
)
def test_what_to_do_about_a_late_load_generator_is_what_helps_there(client, concurrency, do):
    moved = [LatePercentile("ttft_ms", 50, 200.0, 40.0)]
    (flag,) = flags(CALM, Load(load_kind="closed", concurrency=concurrency), client, moved=moved)
    assert do in flag.do


def test_a_proxy_that_buffers_is_named_where_a_request_alone_came_in_bursts_too():
    """A late load generator reads several chunks at once; one that was idle before did not."""
    found = replace(CALM, together=0.97, metrics={**CALM.metrics, "tpot_ms_p50": 10.0})
    late = ClientLoad(lag_ms=np.full(1000, 1000.0))
    assert kinds(found=found, client=late) == ["itl_left_out"]
    assert kinds(found=found, client=late, together_alone=0.05) == ["itl_left_out"]
    (flag,) = flags(found, CLOSED, late, together_alone=0.95)
    assert flag.kind == "bursts"
    assert "95 %" in flag.seen
    assert "proxy" in flag.do


@pytest.mark.parametrize(
    ("more", "held", "why"),
    [
        ({"osl_actual": 400.0, "beyond": 0.9}, True, "beyond max_tokens"),
        ({"osl_actual": 100.0, "filled": 0.9}, True, "by a limit of the endpoint"),
        ({"osl_actual": 100.0, "stopped": 0.9}, True, "ignore_eos or min_tokens"),
        ({"osl_actual": 100.0, "stopped": 0.9}, False, "nothing holds it"),
    ],
)
def test_outputs_off_their_length_are_told_with_what_made_them_so(more, held, why):
    (flag,) = flags(replace(CALM, **more), CLOSED, IDLE, osl_held=held)
    assert flag.kind == "osl_off_target"
    assert why in flag.seen


def test_an_input_that_nobody_counts_is_flagged():
    nobody = replace(CALM, isl_actual=None, isl_asked=None)
    assert kinds(nobody, isl_known=False) == ["isl_unknown"]
    assert kinds(nobody) == kinds(isl_known=False) == []


def test_the_busiest_worker_counts_and_lags_are_pooled():
    quiet = PointRun(start_ns=0, end_ns=10 * S, lag_ns=array("q", [MS // 10] * 99), cpu_s=2.0)
    busy = PointRun(start_ns=0, end_ns=10 * S, lag_ns=array("q", [20 * MS] * 101), cpu_s=9.0)
    client = ClientLoad.of([quiet, busy])
    assert client == ClientLoad(lag_ms_p99=20.0, lag_ms_max=20.0, cpu_share=0.9, seconds=10.0)
    assert len(client.lag_ms) == 200
    assert ClientLoad.of([]) == ClientLoad()


def queue(rate, service_rate, seconds, ttft=50.0):
    """Requests at a constant rate to a server that takes them one by one: their first token comes `ttft` after that."""
    made, free = [], 0.0
    for number in range(int(rate * seconds)):
        at = 1000.0 * number / rate
        begun = max(at, free)
        free = begun + 1000.0 / service_rate
        made.append(exchange(number, at, [begun + ttft, begun + ttft + 10], intended=at))
    return samples_of(made)


def test_a_queue_that_grows_is_over_saturated_and_one_that_does_not_is_not():
    for rate, expected in [(100, []), (99, []), (130, ["over_saturated"])]:
        samples = queue(rate, 100, 10)
        window = steady(samples, OPEN, Limits(), 0)
        assert kinds(load=OPEN, rise=rise(samples, window)) == expected


def test_an_endpoint_that_fills_at_first_is_not_over_saturated():
    # Each request takes 5 s: the first five seconds are nothing but requests coming in.
    made = [exchange(n, 20 * n, [20 * n + 100, 20 * n + 5000], intended=20 * n) for n in range(500)]
    samples = samples_of(made)
    found = rise(samples, steady(samples, OPEN, Limits(), 0))
    assert found.in_flight == 0
    assert kinds(load=OPEN, rise=found) == []


def test_a_growing_queue_by_hand():
    # A TTFT of 1 ms more with each request, 10 ms apart, each answered with its first token: the wait doubles from 1 s.
    made = [exchange(n, 10 * n, [10 * n + 1000 + n], intended=10 * n) for n in range(1100)]
    samples = samples_of(made)
    found = rise(samples, Window(2000 * MS, 11_000 * MS))
    # Requests 200 to 1,099 in 20 groups of 45: medians 1222, 1267, … 2077, in the middle 1,649.5; 19 steps of 45.
    assert found.ttft == pytest.approx(19 * 45 / 1649.5, rel=1e-6)
    assert found.ttft_chance < 1e-6
    assert rise(samples, Window(10_990 * MS, 11_000 * MS)) is None
    assert rise(samples_of([]), Window(0, S)) is None


def test_a_closed_loop_is_never_over_saturated():
    samples = samples_of(slot(0, 50, 10, 5, 200))
    found = rise(samples, steady(samples, CLOSED, Limits(), 0))
    assert kinds(rise=found) == kinds(load=OPEN, rise=found) == []
    assert kinds(rise=Rise(9, 0, 9, 0)) == []


def test_clocks_by_hand():
    # 10 s by the clock measured with; a raw clock says 9.95; 3 s of sleep; the wall moved an hour on top.
    drift = ClockDrift.between(ClockReading(0, 0, 0, 0), ClockReading(10 * S, 9_950 * MS, 13 * S, 3613 * S))
    assert drift.slept_ms == 3000
    assert drift.rate == pytest.approx(10 / 9.95 - 1)
    assert drift.wall_ms == 3_600_000
