"""A live endpoint with set latencies, measured whole: load, window, flags and stop rule together."""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest

from bench.endpoint import Settings, running
from bench.records import Load
from bench.sweep.generator.load import run_point
from bench.sweep.generator.samples import Samples
from bench.sweep.generator.stopping import Precision
from bench.sweep.measured.honesty import ClientLoad, flags
from bench.sweep.measured.lateness import lateness, moved
from bench.sweep.measured.saturation import rise
from bench.sweep.measured.window import measured, started_well
from bench.sweep.wire.bodies import RequestStyle, body
from bench.sweep.wire.exchange import Limits, PreparedRequest, Target

pytestmark = pytest.mark.long

MANNER = RequestStyle("fake-model", ignore_eos=True)


def run(*args, **kwargs):
    """The point, and the kinds of its flags."""
    found, kinds, _ = run_beside(*args, **kwargs)
    return found, kinds


def run_beside(settings, load, limits, osl=20, every_ms=None, precision=None, held_ms=0.0):
    """The point, the kinds of its flags, and how far percentiles may be off."""
    asks = [
        PreparedRequest(
            n,
            body(MANNER, f"How far is the sea from {n}?", osl),
            None,
            osl,
            None if every_ms is None else round(n * every_ms * 1e6),
        )
        for n in range(limits.requests or 100_000 if every_ms is None else limits.requests)
    ]
    heard = []

    def hear(one):
        heard.append(one)
        if precision is not None:
            precision.add(one)

    with running(settings) as url:
        enough = (lambda _: precision.enough()) if precision is not None else None
        loaded = run_point(Target.at(url), iter(asks), load, limits, hear, enough=enough)
        point = asyncio.run(held(loaded, held_ms / 1e3))
    samples = Samples.of(heard, {ask.number: ask for ask in asks})
    found = measured(samples, load, limits, point.start_ns)
    client = ClientLoad.of([point])
    late = lateness(samples, np.array([one.number for one in heard]), [point])
    off = moved(samples, started_well(samples, found.window), late)
    raised = flags(found, load, client, moved=off, rise=rise(samples, found.window))
    return found, [flag.kind for flag in raised], off


async def held(loaded, seconds):
    """What the load gives on a loop that is held up for so long, again and again with as long a rest."""
    loop = asyncio.get_running_loop()

    def hold():
        time.sleep(seconds)
        loop.call_later(seconds, hold)

    if seconds:
        loop.call_soon(hold)
    return await loaded


@pytest.mark.timed
def test_a_load_generator_that_is_held_up_says_which_figures_it_has_moved():
    """Held for 30 ms and free for as long, over and over: what the endpoint set is within what is stated.

    What the endpoint is late itself is not stated: a load generator that nobody holds up sees that.
    """
    set_to = Settings(ttft_ms=80, itl_ms=10), Load(load_kind="closed", concurrency=4), Limits(requests=60)
    found, kinds, moved = run_beside(*set_to, osl=5, held_ms=30)
    free, _, _ = run_beside(*set_to, osl=5, held_ms=0)
    assert found.metrics["requests_ok"] == 60
    assert "client_limited" in kinds
    assert max(one.by for one in moved) > 1
    least = [one.value - one.by for one in moved if one.key == "ttft_ms" and one.percent in (50, 90)]
    assert len(least) == 2
    assert max(least) <= max(80.0, free.metrics["ttft_ms_p90"]) + 1


EIGHT = Load(load_kind="closed", concurrency=8), Limits(requests=112, warmup_requests=8)


def test_a_closed_loop_is_measured_whole_and_never_faster_than_its_endpoint():
    found, kinds = run(Settings(ttft_ms=25, itl_ms=5), *EIGHT)
    assert found.metrics["ttft_ms_p50"] > 24
    assert found.metrics["output_tokens_per_s"] < 1.005 * 8 * 20 / 0.12
    assert found.window.steady
    assert found.metrics["requests_ok"] == 104
    assert found.whole["requests_ok"] == 112
    assert found.osl_actual == found.osl_asked == 20
    assert not {"failures", "osl_off_target", "not_steady", "too_few_requests", "over_saturated"} & set(kinds)


@pytest.mark.timed
def test_a_closed_loop_by_its_set_latencies():
    # 25 ms, then 19 gaps of 5: eight places give 8 x 20 tokens each 120 ms and what a new request takes.
    set_to = {
        "ttft_ms_p50": pytest.approx(30, abs=6),
        "itl_ms_p50": pytest.approx(5, abs=0.5),
        "tpot_ms_p50": pytest.approx(5, abs=0.5),
        "output_tokens_per_s": pytest.approx(1167, abs=167),
    }
    found, _ = run(Settings(ttft_ms=25, itl_ms=5), *EIGHT)
    assert {key: found.metrics[key] for key in set_to} == set_to


@pytest.mark.timed
@pytest.mark.parametrize(("every_ms", "expected"), [(30, False), (8, True)])
def test_an_open_loop_beyond_what_the_endpoint_gives_is_over_saturated(every_ms, expected):
    """Two at once, 30 ms each, are 66 a second: 33 a second is steady, 125 a second is not."""
    slow = Settings(ttft_ms=20, itl_ms=2.5, max_running=2)
    load = Load(load_kind="open", request_rate=1000 / every_ms, arrivals="constant")
    found, kinds = run(slow, load, Limits(requests=80), osl=5, every_ms=every_ms)
    assert found.window.steady
    assert ("over_saturated" in kinds) is expected


def test_failures_in_the_load_are_counted_by_their_kind():
    settings = Settings(ttft_ms=5, itl_ms=1, fail={"500": 0.1, "cut": 0.1})
    found, kinds = run(settings, Load(load_kind="closed", concurrency=4), Limits(requests=120))
    assert set(found.failures) == {"broken_stream", "http_5xx"}
    assert found.metrics["requests_ok"] + found.metrics["requests_failed"] == 120
    assert sum(found.failures.values()) == found.metrics["requests_failed"]
    assert "failures" in kinds


LONG = Limits(duration_s=60, warmup_requests=4, drain_s=0)


def test_a_point_that_is_known_well_enough_ends_early():
    """Within nine tenths of its value a figure is known after ten batches, whatever the machine does."""
    precision = Precision(0.9, round_of=4, warmup_requests=4)
    found, _ = run(Settings(ttft_ms=5, itl_ms=1), Load("closed", concurrency=4), LONG, osl=5, precision=precision)
    assert precision.enough()
    assert found.window.duration_s < 60
    # What was under way when it ended is no failure.
    assert found.cancelled <= 4
    assert found.failures == {}


@pytest.mark.timed
def test_what_a_point_that_ends_early_measures_is_near_what_its_endpoint_is_set_to():
    precision = Precision(0.1, round_of=4, warmup_requests=4)
    found, _ = run(Settings(ttft_ms=20, itl_ms=2), Load("closed", concurrency=4), LONG, precision=precision)
    assert found.window.duration_s < 15
    assert 0.7 < found.metrics["output_tokens_per_s"] / (4 * 20 / 0.058) < 1.01
    assert precision.throughput()[0] == pytest.approx(found.metrics["output_tokens_per_s"], rel=0.1)
