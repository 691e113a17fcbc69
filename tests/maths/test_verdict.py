"""Verdicts: small cases by hand, and over simulated runs how often they are right, wrong and undecided."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths import verdict
from bench.maths.statistics import student_t_95
from bench.maths.verdict import LogRatios
from tests.maths.latencies_made import MODELS, latencies
from tests.thorough import some, times

MARGIN = 0.02
EFFECTS = (0.0, 0.02, 0.05, 0.1, 0.3)
METRICS = {"tpot": 0.03, "throughput": 0.03, "ttft p99": 0.1}
"""What is simulated, and how far its requests scatter, as a share."""


def ratios(candidate, baseline):
    """The ratios of runs given as an array (pairs, repeats) for each side."""
    sides = []
    for one in (candidate, baseline):
        places = np.repeat(np.arange(len(one)), one.shape[1])
        sides.append(verdict.runs_of(one.ravel(), places, len(one)))
    return verdict.of_repeats(*sides)


def known(logs, deviation, df=10.0, runs=3.0):
    """Ratios with these logarithms, all known as well."""
    full = np.full(len(logs), 1.0)
    return LogRatios(np.array(logs, dtype=float), full * deviation**2, full * df, full * deviation**2 * runs / 2,
                     full * runs)  # fmt: skip


def figures(metric, requests):
    """A run's figure from its requests' latencies."""
    if metric == "ttft p99":
        return np.percentile(requests, 99, axis=-1)
    return requests.mean(-1) if metric == "tpot" else 1 / requests.mean(-1)


def simulated(model, metric, many, repeats=3, requests=200, seed=20):
    """Both sides' figures over many pairs of runs between which nothing differs."""
    draw = np.random.default_rng([seed, MODELS.index(model), list(METRICS).index(metric)])
    return [figures(metric, latencies(model, draw, (many, repeats, requests), METRICS[metric])) for _ in range(2)]


def of_effect(sides, metric, effect):
    """The ratios once the candidate's requests take longer by so much, and the true logarithm."""
    true = math.log1p(effect) * (-1 if metric == "throughput" else 1)
    return ratios(sides[0] * math.exp(true), sides[1]), true


def found(pairs):
    """Which pairs would be told higher or lower, each by itself."""
    return np.array([verdict.verdicts(one, MARGIN)[0] in ("higher", "lower") for one in each(pairs)])


def each(pairs):
    """Every pair as a list of its own."""
    return [LogRatios(*(part[[place]] for part in vars(pairs).values())) for place in range(len(pairs))]


def test_two_sides_of_repeats_by_hand():
    # Logarithms 0, 1, 2 against 3, 4, 5: a run's variance is 1, so 1/3 + 1/3 for the ratio, at 4 degrees of freedom.
    one = ratios(np.exp([[0.0, 1, 2]]), np.exp([[3.0, 4, 5]]))
    assert one.log[0] == pytest.approx(-3)
    assert one.variance[0] == pytest.approx(2 / 3)
    assert (one.df[0], one.runs[0], one.of_a_run[0]) == (4, 3, pytest.approx(1))
    low, high = one.interval
    reach = student_t_95(4) * math.sqrt(2 / 3)
    assert (low[0], high[0]) == (pytest.approx(math.exp(-3 - reach)), pytest.approx(math.exp(-3 + reach)))


def test_one_side_that_has_repeats_stands_for_the_other():
    one = ratios(np.exp([[1.0]]), np.exp([[0.0, 1, 2]]))
    assert (one.variance[0], one.df[0], one.runs[0]) == (pytest.approx(1 + 1 / 3), 2, 1)


def test_without_repeats_nothing_is_known_and_nothing_said():
    one = ratios(np.array([[2.0]]), np.array([[1.0]]))
    assert one.log[0] == pytest.approx(math.log(2))
    assert np.isnan([one.variance[0], one.df[0], one.half_width[0], one.p_different[0]]).all()
    assert verdict.verdicts(one, MARGIN) == ["unknown"]
    assert np.isnan(verdict.repeats_to_decide(one, MARGIN)[0])


def test_repeats_that_agree_to_the_last_digit_are_not_taken_for_certain():
    one = ratios(np.full((1, 2), 100.1), np.full((1, 2), 100.0))
    assert one.variance[0] == pytest.approx(verdict.LEAST_SCATTER**2)
    assert verdict.verdicts(one, MARGIN) == ["same"]


def test_parts_add_up():
    one = verdict.of_parts(np.array([0.1]), [(np.array([0.01]), np.array([4.0]))] * 2, np.array([1.0]))
    assert (one.variance[0], one.df[0], one.of_a_run[0]) == (pytest.approx(0.02), pytest.approx(8), pytest.approx(0.01))


def test_the_geometric_mean_by_hand():
    both = verdict.overall(known([0.1, 0.3], 0.1, df=5.0))
    assert (both.log[0], both.variance[0]) == (pytest.approx(0.2), pytest.approx(0.01 / 2))
    assert both.df[0] == pytest.approx(10)
    # What moved one may have moved the other.
    assert verdict.overall(known([0.1, 0.3], 0.1, df=5.0), together=True).variance[0] == pytest.approx(0.01)
    # What is not known is not in it; where nothing is known there is none.
    mixed = LogRatios(*(np.append(part, np.nan) for part in vars(known([0.1, 0.3], 0.1, df=5.0)).values()))
    assert verdict.overall(mixed).log[0] == both.log[0]
    assert np.isnan(verdict.overall(known([0.1], math.nan)).log[0])


@pytest.mark.parametrize(
    ("log", "deviation", "said"),
    [
        (0.2, 0.01, "higher"),
        (-0.2, 0.01, "lower"),
        (0.0, 0.003, "same"),
        (0.0, 0.05, "unknown"),
        (0.05, 0.1, "unknown"),
    ],
)
def test_four_verdicts(log, deviation, said):
    assert verdict.verdicts(known([log], deviation), MARGIN) == [said]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_p_are_larger_keep_their_order_and_are_scipys(p):
    from scipy import stats

    told = verdict.adjusted(np.array(p))
    assert told == pytest.approx(stats.false_discovery_control(p))
    assert (told >= np.array(p) - 1e-12).all()


def test_a_p_that_is_not_known_is_none_of_those_that_are_adjusted():
    assert verdict.adjusted(np.array([0.01, math.nan, 0.04])) == pytest.approx([0.02, math.nan, 0.04], nan_ok=True)


def test_repeats_to_decide_by_hand():
    # A run scatters by 0.1, the ratio is exp(0.3): with n of each, (t + t of 80 %) 0.1 sqrt(2 / n) must come below 0.3.
    from scipy import special

    def reach(count):
        df = 2 * count - 2
        return (special.stdtrit(df, 0.975) + special.stdtrit(df, 0.8)) * 0.1 * math.sqrt(2 / count)

    wanted = next(count for count in range(2, 50) if reach(count) <= 0.3)
    one = LogRatios(*(np.array([part]) for part in (0.3, 0.02, 2.0, 0.01, 2.0)))
    assert verdict.verdicts(one, MARGIN) == ["unknown"]
    assert verdict.repeats_to_decide(one, MARGIN)[0] == wanted - 2
    assert verdict.repeats_to_decide(known([0.2], 0.01), MARGIN)[0] == 0
    assert np.isnan(verdict.repeats_to_decide(known([0.011], 0.5), MARGIN)[0])


def test_the_repeats_that_were_asked_for_mostly_decide():
    draw = np.random.default_rng(21)
    many, asked, decided = times(400, 100), [], []
    for effect in (0.0, 0.1):
        first = ratios(np.exp(draw.normal(effect, 0.04, (many, 3))), np.exp(draw.normal(0, 0.04, (many, 3))))
        needed = verdict.repeats_to_decide(first, 0.1 if not effect else MARGIN)
        for more in needed[np.isfinite(needed) & (needed > 0)]:
            count = 3 + int(more)
            then = ratios(np.exp(draw.normal(effect, 0.04, (1, count))), np.exp(draw.normal(0, 0.04, (1, count))))
            asked.append(more)
            decided.append(verdict.verdicts(then, 0.1 if not effect else MARGIN) != ["unknown"])
    assert len(asked) > 20
    assert np.mean(decided) > 0.5


@pytest.fixture(scope="module")
def trials():
    """Both sides of each model and metric."""
    many = times(1000, 100, often=400)
    return {(model, metric): simulated(model, metric, many) for model in MODELS for metric in METRICS}


def test_intervals_hold_the_truth_93_to_97_times_in_100(trials):
    for effect in EFFECTS:
        held = []
        for (_, metric), sides in trials.items():
            pairs, true = of_effect(sides, metric, effect)
            held.append(np.mean(np.abs(pairs.log - true) <= pairs.half_width))
        assert 0.93 <= np.mean(held) <= 0.97
        assert 0.93 - times(0.0, 0.05, 0.03) <= min(held)
        assert max(held) <= 0.97 + times(0.005, 0.03, 0.02)


def test_where_nothing_changed_at_most_5_in_100_are_told_to_have(trials):
    shares = [np.mean(found(of_effect(sides, metric, 0.0)[0])) for (_, metric), sides in trials.items()]
    assert np.mean(shares) <= 0.05
    assert max(shares) <= 0.05 + times(0.015, 0.05, 0.03)


@pytest.mark.parametrize(("metric", "effect", "least"), [("tpot", 0.1, 0.95), ("throughput", 0.1, 0.95),
                                                          ("ttft p99", 0.3, 0.8)])  # fmt: skip
@pytest.mark.parametrize("model", some(MODELS, 2))
def test_changes_that_matter_are_found_with_three_repeats_of_200_requests(trials, model, metric, effect, least):
    pairs, true = of_effect(trials[model, metric], metric, effect)
    said = found(pairs)
    assert np.mean(said) >= least
    assert (np.sign(pairs.log[said]) == np.sign(true)).all()


def test_of_many_pairs_between_which_nothing_differs_rarely_is_even_one_told():
    draw = np.random.default_rng(22)
    lists = [ratios(*np.exp(draw.normal(0, 0.1, (2, 20, 3)))) for _ in range(times(1000, 150, often=400))]
    false = np.mean([any(one in ("higher", "lower") for one in verdict.verdicts(pairs, MARGIN)) for pairs in lists])
    assert false <= 0.05 + times(0.015, 0.05, 0.03)
