"""Arrivals are the schedule asked for, the same for the same seed; what holds for every process runs for every one."""

from __future__ import annotations

import argparse
import re
from functools import cache
from itertools import islice, pairwise, takewhile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bench.errors import UsageError
from bench.records import Load
from bench.sweep.arrivals import described, processes, times
from bench.sweep.measured.honesty import ClientLoad, load_remarks
from bench.sweep.measured.saturation import Rise, grows
from bench.sweep.planning import form
from bench.sweep.planning.arguments import add_to

SECOND = 1_000_000_000
RATE, BURST = 50, 8
EVERY = pytest.mark.parametrize("name", list(processes()))


SEEDS, WINDOWS = 20, 20
EDGES = np.arange(20, 221, 10) * SECOND
AN_EDGE = 1 / (10 * RATE)
"""The variance over the mean where counts differ by the one arrival at an edge."""


@cache
def counted(name: str) -> NDArray[np.float64]:
    """How many of the arrivals by each seed fall in each 20th of the 200 s that follow a warm-up of 20 s."""
    counts = np.zeros((SEEDS, WINDOWS))
    for seed in range(SEEDS):
        coming = takewhile(lambda at: at < 220 * SECOND, times(name, RATE, seed, BURST))
        counts[seed] = np.diff(np.searchsorted(np.fromiter(coming, np.int64), EDGES))
    return counts


def strays(counts: NDArray[np.float64]) -> list[str]:
    """Where counts are not those of 50/s throughout: in which part, in all of it, or from its first to its last.

    By more than five standard errors of the process's own, by how its seeds differ, and one arrival at an edge: what
    seeds do not change has to be exact.
    """
    away = np.arange(WINDOWS) - (WINDOWS - 1) / 2
    trend = counts @ away / (away @ away) * (WINDOWS - 1)
    looked_at = {f"part {part}": counts[:, part] - 10 * RATE for part in range(WINDOWS)}
    looked_at |= {"all of it": counts.mean(axis=1) - 10 * RATE, "first to last": trend}
    error = {name: 5 * off.std(ddof=1) / SEEDS**0.5 + 1 for name, off in looked_at.items()}
    return [name for name, off in looked_at.items() if abs(off.mean()) > error[name]]


@EVERY
@given(rate=st.floats(0.01, 10_000), seed=st.integers(0, 2**63))
def test_the_same_seed_gives_the_same_arrivals_in_order(name: str, rate: float, seed: int) -> None:
    first = list(islice(times(name, rate, seed, BURST), 50))
    assert first == list(islice(times(name, rate, seed, BURST), 50))
    assert first == sorted(first)
    assert first[0] >= 0


@EVERY
def test_a_steady_process_has_its_rate_in_the_window_and_any_other_says_that_it_has_not(name: str) -> None:
    is_steady = processes()[name].STEADY
    assert (strays(counted(name)) == []) == is_steady
    assert [flag.kind for flag in load_remarks(Load("open", request_rate=RATE, arrivals=name), ClientLoad())] == (
        [] if is_steady else ["rate_changes"]
    )


@pytest.mark.parametrize(("name", "expected"), [("constant", 0), ("poisson", 1), ("burst", BURST)])
def test_counts_vary_in_the_window_as_the_process_has_it(name: str, expected: float) -> None:
    """Poisson counts have their mean as variance; b at once at a b-th of the rate have b * b of that at a b-th."""
    assert counted(name).var(ddof=1) / (10 * RATE) == pytest.approx(expected, rel=0.15, abs=AN_EDGE)


@EVERY
def test_even_gaps_are_all_alike(name: str) -> None:
    gaps = [later - earlier for earlier, later in pairwise(islice(times(name, RATE, 1, BURST), 100))]
    assert (max(gaps) - min(gaps) <= 1) == processes()[name].EVEN
    a_swing = Rise(0.0, 0.5, 0.3, 0.001, under_way=4.0)
    assert bool(grows(a_swing, name)) == processes()[name].EVEN


@EVERY
def test_a_process_is_offered_wherever_arrivals_are_chosen(name: str) -> None:
    field = form.fields()["loads.arrivals"]
    assert name in field.choices
    assert name in field.allowed
    assert f"{name}: {described(processes()[name])}" in field.help
    parser = argparse.ArgumentParser()
    add_to(parser)
    assert re.search(rf"--arrivals KIND\s[^-]*\b{name}\b", parser.format_help())


def test_constant_arrivals_do_not_drift() -> None:
    """The thousandth of three a second is meant for 333 s, to the nanosecond, however the gaps round."""
    first = list(islice(times("constant", 3, 0), 1000))
    assert first[:4] == [0, 333_333_333, 666_666_667, SECOND]
    assert first[999] == 333 * SECOND


@pytest.mark.parametrize("name", ["poisson", "burst"])
def test_what_comes_by_chance_comes_otherwise_by_another_seed(name: str) -> None:
    assert len({tuple(islice(times(name, RATE, seed, BURST), 50)) for seed in range(100)}) == 100


def test_the_first_poisson_arrivals_of_seed_1_are_these() -> None:
    """Python's generator draws 0.13436424411240122 and 0.8474337369372327; -ln(1 - draw) / 2 with Decimal's own ln."""
    assert list(islice(times("poisson", 2, seed=1), 2)) == [72_145_532, 1_012_223_665]


@EVERY
@pytest.mark.parametrize("rate", [0, float("nan"), float("inf")])
def test_a_rate_that_sends_nothing_is_refused(name: str, rate: float) -> None:
    with pytest.raises(UsageError, match="above 0"):
        times(name, rate, 1)


def test_an_unknown_process_and_a_burst_of_none_are_refused() -> None:
    with pytest.raises(UsageError, match="named 'gamma'; choose one of burst"):
        times("gamma", 1, 1)
    with pytest.raises(UsageError, match="burst of 0"):
        times("burst", 1, 1, 0)
