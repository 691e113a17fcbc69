"""From a closed loop's curve to arrivals: closed forms by hand, and a simulation written apart, event by event."""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bench.maths.queueing import MEAN, ServiceCurve, largest_rate, simulated, stationary
from tests.thorough import some, times

EXPONENTIAL = -np.log(1 - (np.arange(5_000) + 0.5) / 5_000)
"""Lengths of requests as exponential service has them."""


LAWS = some(range(20), 1, 6)
EVENTS = times(60_000, 4_000, 20_000)


def server(places: int, ms: float) -> ServiceCurve:
    """So many places that serve a request in so many ms each, however many are taken."""
    return ServiceCurve.of([1, places], {MEAN: [ms, ms]})


def test_one_place_is_m_m_1():
    # 10 requests/s of one place at 5 arrivals/s: 0.5 / (1 - 0.5) = 1 in flight, 1 / (10 - 5) = 200 ms each.
    state = stationary(server(1, 100.0), 5.0)
    assert (state.utilisation, state.waits) == pytest.approx((0.5, 0.5))
    assert (state.in_flight, state.e2el_ms) == pytest.approx((1.0, 200.0))
    assert (state.ttft_ms, state.tpot_ms, state.unmeasured) == (None, None, 0.0)


def test_places_of_equal_speed_are_m_m_c():
    # Erlang C of 3 places at 2 erlang: (8 / 6) x 3 / (1 + 2 + 2 + (8 / 6) x 3) = 4 / 9 wait; 100 / (3 - 2) ms if so.
    state = stationary(server(3, 100.0), 20.0)
    assert state.waits == pytest.approx(4 / 9)
    assert state.e2el_ms == pytest.approx(100 + 4 / 9 * 100)
    assert state.in_flight == pytest.approx(2 + 8 / 9)


def test_a_shared_server_is_m_m_1_whatever_the_curve_is_called():
    # 100 ms of work for each in flight: 10 requests/s at any concurrency. Odds halve with each request: 1 in flight.
    state = stationary(ServiceCurve.of([1, 2, 3, 4], {MEAN: [100.0, 200.0, 300.0, 400.0]}), 5.0)
    assert (state.in_flight, state.e2el_ms) == pytest.approx((1.0, 200.0))
    assert state.waits == pytest.approx(0.5**4)


def test_ttft_is_what_is_met_on_arrival_and_the_wait():
    # M/M/1 as above: half find the place free and take 10 ms, half wait 200 ms on average before that.
    curve = ServiceCurve.of([1], {MEAN: [100.0], "ttft_ms_mean": [10.0], "tpot_ms_mean": [4.0]})
    state = stationary(curve, 5.0)
    assert (state.ttft_ms, state.tpot_ms) == pytest.approx((10 + 0.5 * 200, 4.0))


def test_no_long_run_at_the_capacity():
    curve = server(3, 100.0)
    assert curve.capacity == pytest.approx(30)
    for rate in (30.0, 31.0, 0.0):
        assert stationary(curve, rate) is None
        assert simulated(curve, rate) is None


def test_below_the_smallest_measured_concurrency_a_request_takes_as_long_as_at_it():
    curve = ServiceCurve.of([4, 8], {MEAN: [100.0, 120.0]})
    assert curve.along(MEAN)[:4] == pytest.approx([100.0] * 4)
    assert stationary(curve, 0.01).unmeasured == pytest.approx(1)
    assert stationary(curve, 60.0).unmeasured < 0.5


def test_a_time_never_falls_among_more():
    curve = ServiceCurve.of([1, 2, 3], {MEAN: [100.0, 90.0, 120.0]})
    assert curve.along(MEAN) == pytest.approx([100.0, 100.0, 120.0])


def test_where_rates_fall_fewer_at_once_serve_more():
    curve = ServiceCurve.of([1, 2, 4], {MEAN: [100.0, 125.0, 400.0]})
    assert curve.capacity == pytest.approx(10)
    assert curve.best == 2
    assert curve.upto(curve.best).capacity == pytest.approx(16)


def test_what_no_curve_is_made_of():
    for loads, metrics in (
        ([1], {"ttft_ms_mean": [1.0]}),
        ([1], {MEAN: [None]}),
        ([0.5], {MEAN: [1.0]}),
        ([1], {MEAN: [1.0], "e2el_ms_p10": [1.0]}),
        ([1, 1], {MEAN: [1.0, 2.0]}),
        ([1], {MEAN: [1.0], "itl_ms_mean": [1.0]}),
    ):
        with pytest.raises(ValueError, match=r"service curve|two values"):
            ServiceCurve.of(loads, metrics)
    curve = ServiceCurve.of([1, 2, None], {MEAN: [1.0, 2.0, 3.0], "ttft_ms_p99": [None, 1.0, 1.0]})
    assert (curve.most, set(curve.curves)) == (2, {MEAN})
    assert not curve.knows("ttft_ms")
    with pytest.raises(KeyError):
        largest_rate(curve, {"ttft_ms_p99": 1.0})


def test_the_largest_rate_worked_out_by_hand():
    # M/M/1 of 10 requests/s: 1 / (10 - rate) within 200 ms up to 5/s. A wait and 100 ms of service within 150 ms for
    # 90 % of them: rate / 10 x exp(-(10 - rate) x 0.05) = 0.1 at 1.5/s, 0.0981; 1.53/s: 0.1002.
    curve = server(1, 100.0)
    assert largest_rate(curve, {MEAN: 200.0}) == pytest.approx(5, rel=1e-3)
    assert 1.5 < largest_rate(curve, {"e2el_ms_p90": 150.0}) < 1.53
    assert largest_rate(curve, {MEAN: 99.0}) is None
    assert largest_rate(curve, {}) == pytest.approx(10, rel=1e-3)


CURVES = st.lists(
    st.tuples(st.integers(1, 64), st.floats(1, 1e5)), min_size=1, max_size=6, unique_by=lambda one: one[0]
)


@st.composite
def curves(draw):
    points = draw(CURVES)
    times = [time for _, time in points]
    metrics = {MEAN: times, "ttft_ms_p50": [time / 10 for time in times], "ttft_ms_p99": [time / 5 for time in times]}
    return ServiceCurve.of([load for load, _ in points], metrics)


@given(curves(), st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_more_arrivals_never_wait_less(curve, one, other):
    low, high = (stationary(curve, share * curve.capacity) for share in sorted((one, other)))
    assert low.e2el_ms <= high.e2el_ms * (1 + 1e-9)
    assert low.in_flight <= high.in_flight * (1 + 1e-9)
    assert low.waits <= high.waits + 1e-9
    assert curve.along(MEAN)[0] <= low.e2el_ms * (1 + 1e-9)
    assert low.in_flight == pytest.approx(low.rate * low.e2el_ms / 1000)


@given(curves(), st.floats(1, 1e6))
def test_the_largest_rate_keeps_the_limit_and_a_larger_one_does_not(curve, limit):
    rate = largest_rate(curve, {MEAN: limit})
    if rate is None:
        assert stationary(curve, curve.capacity * 1e-3).e2el_ms >= limit * (1 - 1e-9)
        return
    assert stationary(curve, rate).e2el_ms <= limit * (1 + 1e-9)
    beyond = stationary(curve, rate + curve.capacity * 1e-3)
    assert beyond is None or beyond.e2el_ms >= limit * (1 - 1e-9)


@given(curves(), st.floats(0.05, 0.8), st.integers(0, 1_000))
def test_a_promise_is_the_same_again_and_its_percentiles_are_in_order(curve, share, seed):
    assume(curve.most < 65)
    rate = share * curve.capacity
    promise, again = (simulated(curve, rate, seed, requests=200) for _ in range(2))
    assert promise == again
    for metric in ("e2el_ms", "ttft_ms"):
        values = [promise.estimates[f"{metric}_p{percentile}"] for percentile in (50, 90, 95, 99)]
        assert values == sorted(values, key=lambda one: one.value)
        assert all(0 <= one.low <= one.value <= one.high for one in values)


class Law:
    """An instance whose times follow what is assumed between measured loads, so that each is known by itself."""

    def __init__(self, number: int) -> None:
        draw = random.Random(f"law {number}")
        self.most = draw.choice([1, 2, 6, 16, 40])
        self.fixed, self.grown = draw.uniform(200, 2_000), draw.uniform(0, 120)
        self.first, self.prefill = draw.uniform(5, 60), draw.uniform(0, 8)
        self.length, self.jitter = draw.choice([0.0, 0.0, 0.3, 0.7]), draw.choice([0.0, 0.2, 0.5])
        self.share = draw.choice([0.2, 0.4, 0.6, 0.7, 0.8, 0.9])

    def e2el(self, count: int) -> float:
        return self.fixed + self.grown * count**0.8

    def ttft(self, count: int) -> float:
        return self.first + self.prefill * count

    def tpot(self, count: int) -> float:
        return self.e2el(count) / 200

    @property
    def rate(self) -> float:
        return self.share * self.most / self.e2el(self.most) * 1000

    def measured(self) -> ServiceCurve:
        """The curve through some of its points, with the percentiles of log-normal spreads."""
        loads = sorted({1, self.most, max(1, self.most // 3)})
        metrics = {MEAN: [self.e2el(load) for load in loads]}
        for name, median, sigma in (
            ("e2el_ms", lambda load: self.e2el(load) * math.exp(-(self.length**2) / 2), self.length),
            ("ttft_ms", self.ttft, self.jitter),
            ("tpot_ms", self.tpot, self.jitter / 4),
        ):
            for key, score in (("p50", 0.0), ("p90", 1.281552), ("p99", 2.326348)):
                metrics[f"{name}_{key}"] = [median(load) * math.exp(sigma * score) for load in loads]
        return ServiceCurve.of(loads, metrics)


@dataclass
class Guest:
    """A request of the simulation that is written apart."""

    came: float
    work: float
    began: float = 0.0
    ttft: float = 0.0
    tokens: float = 0.0


class EventByEvent:
    """A law under arrivals: every request's work is worn down from one event to the next. It begins empty."""

    def __init__(self, number: int) -> None:
        self.law, self.draw = Law(number), random.Random(f"events {number}")
        self.now = self.coming = 0.0
        self.waiting: deque[Guest] = deque()
        self.served: list[Guest] = []

    def gone(self) -> Iterator[tuple[float, float, float]]:
        """E2EL, TTFT and TPOT of each request as it is done, without end."""
        while True:
            first = min(self.served, key=lambda guest: guest.work, default=None)
            slow = self.law.e2el(len(self.served))
            if first is None or first.work * slow > self.coming - self.now:
                self._pass(self.coming - self.now)
                work = self._varied(1, self.law.length) * math.exp(-(self.law.length**2) / 2)
                self.waiting.append(Guest(self.now, work))
                self.coming = self.now + self.draw.expovariate(self.law.rate) * 1000
            else:
                self._pass(first.work * slow)
                self.served.remove(first)
                tpot = (self.now - first.began) / first.tokens
                yield self.now - first.came, first.ttft, self._varied(tpot, self.law.jitter / 4)
            while self.waiting and len(self.served) < self.law.most:
                guest = self.waiting.popleft()
                self.served.append(guest)
                guest.began = self.now
                guest.ttft = self.now - guest.came + self._varied(self.law.ttft(len(self.served)), self.law.jitter)

    def _pass(self, time: float) -> None:
        self.now += time
        for guest in self.served:
            guest.work -= time / self.law.e2el(len(self.served))
            guest.tokens += time / self.law.tpot(len(self.served))

    def _varied(self, median: float, sigma: float) -> float:
        return median * math.exp(sigma * self.draw.gauss(0, 1))


@cache
def event_by_event(number: int) -> dict[str, float]:
    """The mean and the percentiles of a law under arrivals, the first tenth left out."""
    done = np.array(list(islice(EventByEvent(number).gone(), EVENTS)))[EVENTS // 10 :]
    values = {MEAN: float(done[:, 0].mean())}
    for name, column in zip(("e2el_ms", "ttft_ms", "tpot_ms"), done.T, strict=True):
        values |= {f"{name}_p{one}": float(np.percentile(column, one)) for one in (50, 90, 95, 99)}
    return values


def test_promises_lie_within_their_intervals_of_another_simulation():
    """Each of a promise's 13 estimates, in 95 of 100 cases: 20 laws under 5 seeds each."""
    missed = []
    for number, seed in product(LAWS, range(5)):
        promise = simulated(Law(number).measured(), Law(number).rate, 100 * seed + number)
        truth = event_by_event(number)
        assert promise.estimates.keys() == truth.keys()
        beyond = {
            key: (value, promise.estimates[key])
            for key, value in truth.items()
            if not promise.estimates[key].low <= value * (1 + 1e-9)
            or not value <= promise.estimates[key].high * (1 + 1e-9)
        }
        missed += [(number, seed, beyond)] * bool(beyond)
    assert len(missed) <= 0.05 * 5 * len(LAWS), missed


def test_exponential_lengths_meet_what_the_long_run_says():
    for curve, rate in ((server(1, 100.0), 5.0), (server(3, 100.0), 20.0), (Law(3).measured(), Law(3).rate)):
        mean = simulated(curve, rate, work=EXPONENTIAL).estimates[MEAN]
        assert mean.low < stationary(curve, rate).e2el_ms < mean.high


def test_equal_requests_wait_half_as_long_in_a_queue():
    # M/D/1 at half of its capacity: 0.5 / (2 x (1 - 0.5)) x 100 ms = 50 ms of waiting, where exponential ones have 100.
    mean = simulated(server(1, 100.0), 5.0, requests=20_000).estimates[MEAN]
    assert mean.low < 150 < mean.high < 200
