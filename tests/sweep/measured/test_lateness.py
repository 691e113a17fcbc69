"""How far percentiles may be off for a late load generator: never less than they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.sweep.generator.samples import Samples
from bench.sweep.measured.lateness import PERCENTS, moved
from tests.sweep.made import exchange

TOKENS = 11


def late_samples(ttft, itl, first_late, last_late):
    """Answers of TOKENS tokens, of which the first and the last are stamped late by so many ms."""
    made = []
    for n, (first, gap, early, end) in enumerate(zip(ttft, itl, first_late, last_late, strict=True)):
        stamps = [first + gap * token for token in range(TOKENS)]
        stamps[-1] += end
        stamps[:-1] = [max(stamp, first + early) for stamp in stamps[:-1]]
        made.append(exchange(n, 0.0, stamps))
    return Samples.of(made)


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    many=st.integers(100, 400),
    scale=st.floats(0.1, 60.0),
    together=st.booleans(),
)
def test_no_percentile_is_further_off_than_is_stated(seed, many, scale, together):
    """Whether lateness comes by chance or where answers are slow anyway."""
    chance = np.random.default_rng(seed)
    ttft = chance.lognormal(4.0, 0.4, many)
    itl = chance.lognormal(2.3, 0.2, many)
    late = np.minimum(40.0, chance.exponential(scale, (2, many))) * (chance.random((2, many)) < 0.7)
    if together:
        late = np.sort(late, axis=1)
        ttft = np.sort(ttft)
    true = late_samples(ttft, itl, [0] * many, [0] * many)
    seen = late_samples(ttft, itl, late[0], late[1])
    everyone = np.ones(many, dtype=bool)
    found = moved(seen, everyone, late.ravel())
    at_first = {(one.key, one.percent): one.value for one in moved(true, everyone, np.zeros(1))}
    assert [(one.key, one.percent) for one in found] == list(at_first)
    for one in found:
        # Two samples of one lateness differ by chance: hence a tenth more, and the tail of so few is not known.
        if one.percent < 99:
            assert abs(one.value - at_first[one.key, one.percent]) <= 1.1 * one.by + 0.5


def test_a_load_generator_that_is_never_late_moves_nothing():
    seen = late_samples([50.0] * 200, [10.0] * 200, [0] * 200, [0] * 200)
    assert [one.by for one in moved(seen, np.ones(200, dtype=bool), np.zeros(100))] == [0.0] * 9


def test_rare_lateness_moves_the_tail_alone():
    """Three in a hundred moments 40 ms late, spread over answers of 100 to 299.5 ms: the median by 6 of these."""
    seen = late_samples([100 + n / 2 for n in range(400)], [10.0] * 400, [0] * 400, [0] * 400)
    lag = np.array([40.0] * 3 + [0.0] * 97)
    by = {(one.key, one.percent): one.by for one in moved(seen, np.ones(400, dtype=bool), lag)}
    assert by["ttft_ms", 50] == pytest.approx(0.03 * 199.5, rel=0.25)
    assert by["tpot_ms", 50] == pytest.approx(0.0, abs=1e-9)
    assert by["ttft_ms", 99] <= 40
    assert moved(seen, np.zeros(400, dtype=bool), lag) == moved(seen, np.ones(400, dtype=bool), lag[:0]) == ()


def test_what_an_open_loop_sent_late_is_known_exactly():
    made = [exchange(n, 10 * n + 7, [10 * n + 57, 10 * n + 67], intended=10 * n) for n in range(100)]
    by = {
        (one.key, one.percent): one.by
        for one in moved(Samples.of(made), np.ones(100, dtype=bool), np.zeros(9))
    }
    assert {by["ttft_ms", percent] for percent in PERCENTS} == {7.0}
    assert {by["tpot_ms", percent] for percent in PERCENTS} == {0.0}
