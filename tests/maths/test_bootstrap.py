"""What requests say of their run's figures: against independent formulas by hand, and against simulated truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bench.maths import bootstrap
from bench.maths.statistics import half_width
from tests.maths.latencies_made import MODELS, SERVED_TOGETHER, alike, latencies
from tests.thorough import times


def covered(first, second):
    """Whether the interval of the ratio of two runs' figures holds 1."""
    reach = half_width([(one.variance, one.df) for one in (first, second)])
    return abs(first.log - second.log) <= reach


def test_of_independent_requests_the_variance_is_that_of_a_mean():
    values = np.random.default_rng(1).normal(10, 1, 4000)
    found = bootstrap.mean(values)
    assert found.value == pytest.approx(values.mean())
    assert found.block <= 3 * 4
    assert found.variance == pytest.approx(values.var(ddof=1) / 4000 / values.mean() ** 2, rel=0.1)


def test_of_requests_that_are_alike_it_is_that_of_fewer():
    # An AR(1) of 0.8 tells as much as (1 - 0.8) / (1 + 0.8), a ninth, of as many independent ones.
    draw = np.random.default_rng(2)
    runs = 10 + alike(draw, (20, 5000), 0.8, 1.0)
    told = np.mean([bootstrap.mean(run).variance for run in runs])
    assert told == pytest.approx(9 / 5000 / 100, rel=0.2)


def test_a_rate_is_all_tokens_over_all_seconds():
    tokens, seconds = np.tile([100.0, 300.0], 50), np.tile([1.0, 1.0], 50)
    found = bootstrap.rate(tokens, seconds)
    assert found.value == pytest.approx(200)
    # Requests whose time grows with their tokens have one rate, whichever are drawn.
    assert bootstrap.rate(tokens, tokens / 50).variance == pytest.approx(0, abs=1e-20)


def test_requests_that_end_together_are_one_block():
    # Four end at once, then nothing for a second: their gaps alone look like noise of a whole second.
    seconds = np.tile([1.0, 0.0, 0.0, 0.0], 100)
    found = bootstrap.rate(np.full(400, 10.0), seconds, least=4)
    assert found.value == pytest.approx(40)
    assert found.block >= 4
    # Were the gaps independent, it would be 3 / 400.
    assert found.variance < 3 / 400 / 50


@pytest.mark.parametrize("percent", [50, 90])
def test_of_independent_requests_a_percentile_is_known_as_order_statistics_say(percent):
    # p (1 - p) / (n f^2) for a percentile of a normal distribution with density f there.
    draw = np.random.default_rng(3)
    told = [bootstrap.percentile(draw.normal(10, 1, 1000), percent) for _ in range(12)]
    place = {50: 0.0, 90: 1.2816}[percent]
    density = math.exp(-(place**2) / 2) / math.sqrt(2 * math.pi)
    variance = percent / 100 * (1 - percent / 100) / 1000 / density**2 / (10 + place) ** 2
    assert np.mean([one.variance for one in told]) == pytest.approx(variance, rel=0.25)


def test_a_percentile_needs_requests_beyond_it_at_several_moments():
    draw = np.random.default_rng(4)
    assert bootstrap.percentile(draw.normal(10, 1, 200), 99) is None
    assert bootstrap.percentile(draw.normal(10, 1, 2000), 99) is not None
    # Two stalls of ten requests each are two moments, however many requests they are.
    stalled = draw.normal(10, 1, 1000)
    stalled[100:110] = stalled[600:610] = 50.0
    assert bootstrap.percentile(stalled, 99) is None


def test_too_few_requests_and_figures_without_a_logarithm_tell_nothing():
    few = np.full(29, 2.0)
    assert bootstrap.mean(few) is bootstrap.rate(few, few) is bootstrap.percentile(few, 50) is None
    nothing = np.zeros(100)
    assert bootstrap.mean(nothing) is bootstrap.percentile(nothing, 50) is None
    assert bootstrap.rate(nothing, nothing + 1) is bootstrap.rate(nothing + 1, nothing) is None


@pytest.mark.parametrize("model", MODELS)
def test_intervals_of_a_mean_hold_the_truth_as_often_as_they_say(model):
    many = times(1000, 100, often=500)
    draw = np.random.default_rng(8)
    runs = latencies(model, draw, (2, many, 200), 0.05)
    if model == "drifting":
        # What differs from run to run is no run's own knowledge: only the rise within it is left here.
        runs = np.linspace(0.95, 1.05, 200) * draw.lognormal(0, 0.05, runs.shape)
    least = SERVED_TOGETHER if model == "batching" else 1
    held = np.mean([covered(bootstrap.mean(a, least), bootstrap.mean(b, least)) for a, b in zip(*runs, strict=True)])
    # A rise is taken for scatter, so that the interval errs to the wide side.
    slack = 3 * math.sqrt(0.95 * 0.05 / many) if many < 1000 else 0
    assert 0.93 - slack <= held <= (1 if model == "drifting" else 0.97 + slack)


@pytest.mark.parametrize(("model", "percent", "requests"), [("stationary", 50, 200), ("heavy tail", 90, 400)])
def test_intervals_of_a_percentile_hold_the_truth_as_often_as_they_say(model, percent, requests):
    many = times(500, 40, often=150)
    runs = latencies(model, np.random.default_rng(9), (2, many, requests))
    told = [[bootstrap.percentile(run, percent) for run in pair] for pair in zip(*runs, strict=True)]
    whole = [pair for pair in told if None not in pair]
    assert len(whole) > many / 2
    held = np.mean([covered(*pair) for pair in whole])
    slack = 3 * math.sqrt(0.95 * 0.05 / len(whole)) if many < 500 else 0
    assert 0.93 - slack <= held <= 0.975 + slack
