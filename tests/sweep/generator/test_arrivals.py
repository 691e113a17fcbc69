"""Arrivals are the schedule asked for, the same for the same seed."""

from __future__ import annotations

from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import UsageError
from bench.sweep.generator import arrivals

SECOND = 1_000_000_000


def test_constant_arrivals_do_not_drift() -> None:
    """The thousandth of three a second is meant for 333 s, to the nanosecond, however the gaps round."""
    times = list(islice(arrivals.constant(3), 1000))
    assert times[:4] == [0, 333_333_333, 666_666_667, SECOND]
    assert times[999] == 333 * SECOND


def test_poisson_gaps_are_exponential() -> None:
    times = [0, *islice(arrivals.poisson(50, seed=7), 40_000)]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert sum(gaps) / len(gaps) == pytest.approx(SECOND / 50, rel=0.02)
    # Of an exponential distribution 1 - 1/e lies below the mean, and 1/e^2 above twice it.
    assert sum(gap < SECOND / 50 for gap in gaps) / len(gaps) == pytest.approx(0.632, abs=0.01)
    assert sum(gap > SECOND / 25 for gap in gaps) / len(gaps) == pytest.approx(0.135, abs=0.01)


@given(st.floats(0.01, 10_000), st.integers(0, 2**63))
def test_the_same_seed_gives_the_same_arrivals_in_order(rate: float, seed: int) -> None:
    times = list(islice(arrivals.poisson(rate, seed), 50))
    assert times == list(islice(arrivals.poisson(rate, seed), 50))
    assert times == sorted(times)
    assert times[0] >= 0
    assert times != list(islice(arrivals.poisson(rate, seed + 1), 50))


def test_the_first_poisson_arrivals_of_seed_1_are_these() -> None:
    """Python's generator draws 0.13436424411240122 and 0.8474337369372327; -ln(1 - draw) / 2 with Decimal's own ln."""
    assert list(islice(arrivals.poisson(2, seed=1), 2)) == [72_145_532, 1_012_223_665]


def test_bursts_come_together_at_the_rate_asked() -> None:
    times = list(islice(arrivals.burst(100, size=8, seed=3), 16_000))
    assert all(len(set(times[at : at + 8])) == 1 for at in range(0, 16_000, 8))
    assert len(set(times)) == 2000
    assert times[-1] / SECOND == pytest.approx(160, rel=0.06)


def test_a_trace_starts_at_its_first_arrival_and_is_put_in_order() -> None:
    assert list(arrivals.trace([12.5, 10.0, 10.25])) == [0, SECOND // 4, 5 * SECOND // 2]
    assert list(arrivals.trace([])) == []


@pytest.mark.parametrize("rate", [0, -1, float("nan"), float("inf")])
def test_a_rate_that_sends_nothing_is_refused(rate: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        next(arrivals.poisson(rate, 1))
    with pytest.raises(UsageError, match="above 0"):
        next(arrivals.constant(rate))


def test_a_burst_of_none_and_a_trace_without_numbers_are_refused() -> None:
    with pytest.raises(UsageError, match="burst of 0"):
        next(arrivals.burst(1, 0, 1))
    with pytest.raises(UsageError, match="Arrival"):
        list(arrivals.trace([0.0, float("nan")]))
