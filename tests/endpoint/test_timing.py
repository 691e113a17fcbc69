"""Waits and steps: exact without jitter, the distribution asked for with it, the same from the same seed."""

from __future__ import annotations

import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.endpoint import Settings
from bench.endpoint.timing import output_tokens, step_ns, varied, waits_ns

pytestmark = pytest.mark.long


def test_without_jitter_the_waits_are_the_settings() -> None:
    settings = Settings(ttft_ms=200, itl_ms=10, prefill_us_per_token=50, chunks_per_write=2)
    # 200 ms + 100 tokens x 50 us; two chunks a write are 20 ms apart
    assert list(waits_ns(settings, 3, prefilled=100, writes=4)) == [205_000_000, *[20_000_000] * 3]


@pytest.mark.parametrize("jitter", ["normal", "lognormal"])
def test_jitter_keeps_mean_and_deviation(jitter: str) -> None:
    draw = random.Random(5)
    drawn = [varied(draw, 10.0, jitter, 0.2) for _ in range(20_000)]
    assert statistics.fmean(drawn) == pytest.approx(10, rel=0.01)
    assert statistics.stdev(drawn) == pytest.approx(2, rel=0.03)
    assert (statistics.median(drawn) < 9.9) == (jitter == "lognormal")


@given(st.sampled_from(["normal", "lognormal"]), st.floats(0, 3), st.floats(0, 1000), st.integers(), st.integers(1, 30))
def test_waits_never_go_back_and_come_again_from_the_same_seed(
    jitter: str, share: float, itl: float, seed: int, writes: int
) -> None:
    settings = Settings(jitter=jitter, jitter_share=share, itl_ms=itl, seed=abs(seed))
    waits = waits_ns(settings, 7, 0, writes)
    assert len(waits) == writes
    assert min(waits) >= 0
    assert waits == waits_ns(settings, 7, 0, writes)


def test_a_step_grows_with_the_batch_and_with_what_it_prefills() -> None:
    settings = Settings(step_ms=8, step_us_per_request=60, step_us_per_request_squared=2, prefill_us_per_token=20)
    # 8 ms + 60 us x 10 + 2 us x 100 + 20 us x 500
    assert step_ns(settings, 10, 500, random.Random(0)) == 8_000_000 + 600_000 + 200_000 + 10_000_000


@given(st.integers(1, 300), st.integers(0, 300), st.floats(0, 1), st.integers(0, 50))
def test_lengths_stay_within_what_was_asked(most: int, least: int, share: float, number: int) -> None:
    settings = Settings(stops_early=share)
    length, stopped = output_tokens(settings, number, most, least, ignore_eos=False)
    assert min(least, most) <= length <= most
    assert length >= 1
    assert stopped == (length < most)
    assert output_tokens(settings, number, most, least, ignore_eos=True) == (most, False)
