"""When a point may end early: intervals by hand, and how often the truth lies where a stopped point says."""

from __future__ import annotations

import math
import random
import statistics

import pytest

from bench.sweep.generator.stopping import Precision
from tests.sweep.made import exchange
from tests.thorough import times


def one(number, end, tokens=10, ttft=100.0, **more):
    sent = end - 200
    return exchange(number, sent, [sent + ttft] if ttft else [], end=end, output=tokens, tokens=None, **more)


def fed(precision, exchanges):
    """How many exchanges it took; None when they did not suffice."""
    for count, each in enumerate(exchanges, start=1):
        precision.add(each)
        if precision.enough():
            return count
    return None


def test_both_intervals_by_hand():
    precision = Precision(0.5)
    # Time begins with the first; then ten batches of one request, 100 ms each, of 8 and 12 tokens in turn.
    precision.add(one(0, 1000))
    for n in range(10):
        assert precision.throughput() is None
        precision.add(one(n + 1, 1100 + 100 * n, tokens=8 + 4 * (n % 2), ttft=90 + 20 * (n % 2)))
    # 100 tokens in 1 s. Each batch is 2 tokens off: variance 40 / 9, t of 9 is 2.262, mean batch 0.1 s.
    rate, half = precision.throughput()
    assert rate == pytest.approx(100)
    assert half == pytest.approx(2.2622 * math.sqrt(40 / 9 / 10) / 0.1, rel=1e-4)
    # Medians of 90 and 110 ms: mean 100, variance 1000 / 9.
    middle, half = precision.ttft_ms()
    assert middle == pytest.approx(100)
    assert half == pytest.approx(2.2622 * math.sqrt(1000 / 9 / 10), rel=1e-4)


def test_with_the_twentieth_batch_they_are_joined_in_pairs():
    precision = Precision(0.001)
    for n in range(1 + 20):
        precision.add(one(n, 1000 + 100 * n, tokens=8 + 4 * (n % 2)))
    # Ten batches of two requests, 8 and 12 tokens each: now none differs from another.
    assert precision.throughput() == (pytest.approx(100), pytest.approx(0, abs=1e-9))


def test_a_steady_stream_ends_as_soon_as_it_may():
    # One says when time begins, ten batches, and two more to be sure.
    assert fed(Precision(0.01), (one(n, 1000 + 100 * n) for n in range(100))) == 1 + 10 + 2
    assert fed(Precision(0.01, round_of=8), (one(n, 1000 + 100 * n) for n in range(1000))) == 1 + 8 * 12


def test_the_warm_up_is_not_heard():
    stream = [one(n, 1000 + 100 * n) for n in range(100)]
    assert fed(Precision(0.01, warmup_requests=20), stream) == 20 + 13
    assert fed(Precision(0.01, from_ns=stream[30].sent_ns), stream) == 30 + 13
    cut = [one(n, 1000, outcome="cancelled") for n in range(50)]
    assert fed(Precision(0.01), cut) is None


def test_either_interval_keeps_a_point_running():
    drawn = random.Random(3)
    uneven = [one(n, 1000 + 100 * n, tokens=drawn.choice([1, 400])) for n in range(60)]
    assert fed(Precision(0.05), uneven) is None
    unsteady = [one(n, 1000 + 100 * n, ttft=drawn.choice([1, 199])) for n in range(60)]
    assert fed(Precision(0.05), unsteady) is None


def test_answers_in_one_piece_go_by_throughput_alone():
    assert fed(Precision(0.01), (one(n, 1000 + 100 * n, ttft=None) for n in range(100))) == 13


def test_an_endpoint_that_fails_everything_is_never_known():
    assert fed(Precision(0.2), (exchange(n, 100 * n, end=100 * n + 1, outcome="http_5xx") for n in range(500))) is None


@pytest.mark.parametrize("share", [0, -0.1, 1, math.nan])
def test_a_share_is_between_nothing_and_everything(share):
    with pytest.raises(ValueError, match="between 0 and 1"):
        Precision(share)


def served(seed, count=20_000):
    """One at a time, lognormal service, Poisson arrivals at 60 % of it: TTFTs hang together as in any queue."""
    drawn, at, free = random.Random(seed), 0.0, 0.0
    for number in range(count):
        at += drawn.expovariate(0.6 / 50)
        begun = max(at, free)
        free = begun + drawn.lognormvariate(math.log(50) - 0.125, 0.5)
        stamp = begun + 20
        yield exchange(number, at, [stamp], end=max(free, stamp), output=10, tokens=[10])


def test_a_stopped_point_is_as_near_the_truth_as_it_says():
    share, runs = 0.2, times(60, 40)
    rate = 10 * 0.6 / 50 * 1000  # tokens per second that come, and so that leave
    middle = statistics.median((one.first_ns - one.sent_ns) / 1e6 for one in served(1000, 60_000))
    near_rate = near_middle = 0
    lengths = []
    for seed in range(runs):
        precision = Precision(share, warmup_requests=100)
        lengths.append(fed(precision, served(seed)))
        near_rate += abs(precision.throughput()[0] / rate - 1) <= share
        near_middle += abs(precision.ttft_ms()[0] / middle - 1) <= share
    assert None not in lengths
    # 95 % of 60 is 57; chance alone takes it below 51 less than once in a hundred times.
    assert near_rate >= 0.85 * runs
    assert near_middle >= 0.85 * runs
    assert sorted(lengths)[runs // 2] > 200  # a queue like this cannot be known from a handful of requests
