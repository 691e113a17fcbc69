"""Efficiency, scaling laws and replicas: published figures by hand, known laws recovered, bounds held on any data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bench.maths import scaling
from tests.thorough import some, times

# Gemma 4 31B on 1, 2, 4 and 8 H100, ISL 512, OSL 256, concurrency 128: output tokens/s.
GEMMA = [1, 2, 4, 8], [1_260.0, 1_675.0, 1_996.0, 2_208.0]
# TensorRT-LLM 0.17, Llama 3.1 70B FP8 on H100, ISL 1000, OSL 1000: output tokens/s.
LLAMA = [1, 2, 4, 8], [839.97, 4_390.53, 7_430.99, 11_451.2]

COUNTS = st.sets(st.integers(1, 128), min_size=4, max_size=9).map(sorted)
THROUGHPUT = st.floats(0.1, 1e6)


def law(n, unit, contention, coherency):
    return unit * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


@st.composite
def measured(draw):
    counts = draw(COUNTS)
    return counts, draw(st.lists(THROUGHPUT, min_size=len(counts), max_size=len(counts)))


@st.composite
def laws(draw, least=-0.1):
    """Counts, and a law that is positive on all of them."""
    counts = draw(COUNTS)
    unit, contention = draw(st.floats(1, 1e5)), draw(st.floats(least, 0.95))
    coherency = draw(st.one_of(st.just(0.0), st.floats(1e-5, 0.1)))
    lowest = min(1 + contention * (n - 1) + coherency * n * (n - 1) for n in range(1, counts[-1] + 1))
    assume(lowest > 0.05)
    return counts, (unit, contention, coherency)


def test_the_efficiencies_of_gemma_on_h100():
    percent = [round(100 * value, 1) for value in scaling.efficiencies(*GEMMA)]
    assert percent == [100.0, 66.5, 39.6, 21.9]
    # Above 1 it is not clipped.
    assert scaling.efficiencies(*LLAMA)[:2] == [1.0, pytest.approx(2.6135, abs=1e-4)]


@given(laws())
def test_a_universal_law_is_recovered_from_its_own_throughputs(drawn):
    counts, (unit, contention, coherency) = drawn
    found = scaling.usl(counts, [law(n, unit, contention, coherency) for n in counts])
    assert found is not None
    assert found.error < 1e-6
    assert found.degrees_of_freedom == len(counts) - 3
    for n in counts:
        assert found.throughput_at(n) == pytest.approx(law(n, unit, contention, coherency), rel=1e-5)
    span = counts[-1] / counts[0]
    if counts[0] == 1 and span >= 8:
        assert found.unit_throughput == pytest.approx(unit, rel=1e-4)
        assert found.contention == pytest.approx(contention, abs=1e-4)
        assert found.coherency == pytest.approx(coherency, abs=1e-4)


@given(laws(least=0.0))
def test_amdahls_law_is_the_universal_law_without_coherency(drawn):
    counts, (unit, serial, _) = drawn
    throughputs = [unit / (serial + (1 - serial) / n) for n in counts]
    amdahl, usl = scaling.amdahl(counts, throughputs), scaling.usl(counts, throughputs)
    assert amdahl is not None
    assert usl is not None
    assert amdahl.coherency == 0
    assert amdahl.peak is None
    assert amdahl.degrees_of_freedom == usl.degrees_of_freedom + 1
    for n in counts:
        assert amdahl.throughput_at(n) == pytest.approx(unit / (serial + (1 - serial) / n), rel=1e-5)
        assert usl.throughput_at(n) == pytest.approx(amdahl.throughput_at(n), rel=1e-5)


@given(COUNTS, st.floats(1, 1e5), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.sampled_from([0.0, 0.001, 0.02]))
def test_rounding_is_no_contention_no_coherency_and_no_peak_far_away(counts, unit, contention, coherency):
    found = scaling.usl(counts, [law(n, unit, contention, coherency) for n in counts])
    if contention in (0.0, 1.0):
        assert found.contention == contention
    if coherency == 0:
        assert found.coherency == 0
        assert found.peak is None
    assert found.contention >= 0


def spread(fit, truth, counts, noise=0.02):
    """σ and κ fitted to throughputs that scatter around a law, with a fixed seed."""
    generator = np.random.default_rng(20_251_120)
    exact = np.array([law(n, *truth) for n in counts])
    fits = [fit(counts, list(exact * generator.normal(1, noise, len(counts)))) for _ in range(times(1_000, 200))]
    return np.array([one.contention for one in fits]), np.array([one.coherency for one in fits])


def test_a_universal_law_is_recovered_from_throughputs_that_scatter_by_2_percent():
    contention, coherency = spread(scaling.usl, (500.0, 0.10, 0.005), [1, 2, 4, 8, 16, 32])
    assert np.mean(np.abs(contention - 0.10) < 0.02) > 0.95
    assert np.mean(np.abs(coherency - 0.005) < 0.001) > 0.95
    assert np.mean(contention) == pytest.approx(0.10, abs=times(0.002, 0.004))
    assert np.mean(coherency) == pytest.approx(0.005, abs=times(0.0001, 0.0002))


@pytest.mark.parametrize("counts", some([[1, 2, 4, 8], [1, 2, 3, 4, 6, 8, 12, 16]], 1))
def test_the_interval_of_a_peak_holds_it_95_times_in_100(counts):
    runs = times(800, 200)
    noise = np.random.default_rng(20_251_121)
    exact = np.array([law(n, 500, 0.05, 0.004) for n in counts])
    peak, held = math.sqrt(0.95 / 0.004), 0
    for _ in range(runs):
        low, high = scaling.usl(counts, list(exact * noise.normal(1, 0.01, len(counts)))).peak_interval
        held += low <= peak and (high is None or peak <= high)
    assert held / runs == pytest.approx(0.95, abs=0.02 if runs == 800 else 0.04)


def squares(counts, throughputs, unit, contention, coherency):
    fitted = [law(n, unit, contention, coherency) for n in counts]
    return sum((t / f - 1) ** 2 for t, f in zip(throughputs, fitted, strict=True))


@given(measured(), st.integers(0, 2**32))
def test_no_other_law_within_bounds_fits_better(points, seed):
    generator = np.random.default_rng(seed)
    counts, throughputs = points
    for fit in (scaling.amdahl, scaling.usl):
        found = fit(counts, throughputs)
        if found is None:
            continue
        parameters = found.unit_throughput, found.contention, found.coherency
        least = squares(counts, throughputs, *parameters)
        assert found.error == pytest.approx(math.sqrt(least / len(counts)), rel=1e-6, abs=1e-9)
        for _ in range(30):
            step = 10 ** generator.uniform(-4, 0)
            unit = found.unit_throughput * math.exp(generator.normal(0, step))
            contention = min(found.contention + generator.normal(0, step), 1.0)
            coherency = max(found.coherency + generator.normal(0, step) / counts[-1], 0.0)
            if fit is scaling.amdahl:
                contention, coherency = max(contention, 0.0), 0.0
            if all(1 + contention * (n - 1) + coherency * n * (n - 1) > 0 for n in counts):
                assert squares(counts, throughputs, unit, contention, coherency) >= least * (1 - 1e-9) - 1e-8


def test_a_peak_worked_out_by_hand():
    # σ = 0.19, κ = 0.01: n* = sqrt(0.81 / 0.01) = 9; T = 100 x 9 / (1 + 0.19 x 8 + 0.01 x 72) = 900 / 3.24.
    counts = [1, 4, 8, 16]
    found = scaling.usl(counts, [law(n, 100, 0.19, 0.01) for n in counts]).peak
    assert found.count == pytest.approx(9)
    assert found.throughput == pytest.approx(277.78, abs=0.01)
    assert (found.measured, found.observed) == (True, True)
    beyond = scaling.usl([1, 2, 4, 8], [law(n, 100, 0.19, 0.01) for n in (1, 2, 4, 8)]).peak
    assert beyond.count == pytest.approx(9)
    assert (beyond.measured, beyond.observed) == (False, False)
    before = scaling.usl([12, 16, 24, 32], [law(n, 100, 0.19, 0.01) for n in (12, 16, 24, 32)]).peak
    assert before.count == pytest.approx(9)
    assert not before.measured


def test_a_law_needs_four_counts_with_a_throughput():
    for fit in (scaling.amdahl, scaling.usl):
        assert fit([1, 2, 4], [1.0, 2.0, 3.0]) is None
        found = fit([1, 4, 2, 8], [100.0, 300.0, 180.0, 400.0])
        assert (found.smallest, found.largest, found.counts) == (1, 8, (1, 2, 4, 8))
        assert found.best_count == 8


def test_a_law_that_grows_without_limit_says_nothing_beyond_it():
    # σ = -0.1: 1 - 0.1 (n - 1) reaches 0 at 11.
    found = scaling.usl([1, 2, 4, 8], [law(n, 100, -0.1, 0) for n in (1, 2, 4, 8)])
    assert found.contention < 0
    assert found.throughput_at(10) == pytest.approx(10_000, rel=1e-6)
    assert found.throughput_at(12) is None
    assert found.peak is None


def test_no_law_where_the_best_fit_would_be_infinite_within_the_measured_counts():
    # Throughput that grows with the sixth power of the count: n / T = 1 / n^5 bends more sharply than a parabola can.
    counts = [1, 2, 4, 8, 16, 32]
    assert scaling.usl(counts, [float(n**6) for n in counts]) is None


def test_what_is_unknown_of_two_instances_stays_unknown():
    wide, small = scaling.Instance(4, 300.0, ttft_ms=90.0), scaling.Instance(2, 100.0, 20.0, 80.0)
    found = scaling.against_replicas(wide, small)
    assert (found.tpot_saved_ms, found.ttft_saved_ms) == (None, -10)
    assert (found.usd_per_million, found.replicas_usd_per_million) == (None, None)
    priced = scaling.against_replicas(wide, small, 3.6)
    # Super-linear: 75 against 50 tokens/s each, so a million tokens cost 13.33 instead of 20 USD.
    assert priced.usd_per_million - priced.replicas_usd_per_million == pytest.approx(-6.67, abs=0.01)
    assert scaling.against_replicas(scaling.Instance(3, 300.0), small) is None
    assert scaling.against_replicas(scaling.Instance(2, 300.0), scaling.Instance(4, 300.0)) is None


def test_points_that_do_not_tell_the_coefficients_apart_give_no_end_to_the_peak():
    law = scaling.amdahl([1, 98, 111, 112], [1.0, 0.1015625, 800115.0, 0.5])
    assert law is not None
    assert law.peak_interval == (0.0, None)
