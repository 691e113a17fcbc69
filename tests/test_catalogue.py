"""One row makes a metric: label, unit, direction, statistics and derived expressions all come from it."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import catalogue
from bench.errors import UnknownName

DISTRIBUTIONS = [row.key for row in catalogue.METRICS if row.distribution]


def test_every_row_says_everything():
    for row in catalogue.METRICS:
        assert all((row.label, row.definition, row.formula, row.source)), row.key
        assert row.direction in {"higher", "lower", "neutral"}
    keys = [row.key for row in catalogue.METRICS]
    assert len(keys) == len(set(keys))
    assert all(catalogue.is_metric(key) and catalogue.is_metric(value) for key, value in catalogue.PRICED.items())


@given(st.sampled_from(DISTRIBUTIONS), st.integers(0, 99), st.none() | st.integers(1, 999))
def test_percentiles_are_generated(base, percent, fraction):
    statistic = f"p{percent}" if fraction is None else f"p{percent}_{fraction}"
    found = catalogue.metric(f"{base}_{statistic}")
    assert (found.base, found.statistic) == (base, statistic)
    assert found.unit == catalogue.metric(f"{base}_mean").unit


@pytest.mark.parametrize("key", ["ttft_ms", "latency_p99", "ttft_p99", "ttft_ms_p100", "ttft_ms_median", "", "p99"])
def test_what_is_no_metric_is_refused(key):
    assert not catalogue.is_metric(key)
    with pytest.raises(UnknownName, match="ttft_ms_p99" if key == "ttft_p99" else None):
        catalogue.metric(key)


def test_the_median_is_called_the_median():
    assert catalogue.metric("ttft_ms_p50").label == "TTFT, median"
    assert catalogue.metric("ttft_ms_p99_9").label == "TTFT, p99.9"
    assert catalogue.metric("ttft_ms_p99").axis == "TTFT, p99 (ms)"


def test_the_smallest_interactivity_is_of_the_largest_tpot_and_a_deviation_of_none():
    """TPOTs of 5, 8 and 20 ms are 200, 125 and 50 tokens/s per user; 1000 / their deviation would be no deviation."""
    base = "interactivity_tokens_per_s_per_user"
    made = catalogue.derivable({"tpot_ms_min", "tpot_ms_max", "tpot_ms_std", "tpot_ms_p50"})
    assert set(made) == {f"{base}_min", f"{base}_max", f"{base}_p50"}
    with duckdb.connect() as database:
        row = "SELECT 5.0 AS tpot_ms_min, 8.0 AS tpot_ms_p50, 20.0 AS tpot_ms_max, 6.5 AS tpot_ms_std"
        found = {key: database.execute(f"SELECT {sql} FROM ({row})").fetchall()[0][0] for key, sql in made.items()}
    assert found == {f"{base}_min": 50, f"{base}_p50": 125, f"{base}_max": 200}
    assert catalogue.metric(f"{base}_std").sql is None
    assert catalogue.metric(f"{base}_std").inputs == ()
    assert set(catalogue.derivable({"tpot_ms_min"})) == {f"{base}_max"}


def test_derived_expressions_worked_out_by_hand():
    """13,181.24 tokens/s on 8 chips are 1,647.655 each; a TPOT of 8 ms is 125 tokens/s per user; 5 of 100 fail."""
    row = "SELECT 13181.24 AS output_tokens_per_s, 8 AS accelerators, 8.0 AS tpot_ms_p50, 95.0 AS requests_ok, 5.0 AS"
    assert "output_tokens_per_s_per_accelerator" not in catalogue.derivable({"output_tokens_per_s"})
    made = catalogue.derivable({"output_tokens_per_s", "accelerators", "tpot_ms_p50", "requests_ok", "requests_failed"})
    with duckdb.connect() as database:
        for key, expected in {
            "output_tokens_per_s_per_accelerator": 1647.655,
            "interactivity_tokens_per_s_per_user_p50": 125.0,
            "failed_share": 0.05,
        }.items():
            value = database.execute(f"SELECT {made[key]} FROM ({row} requests_failed)").fetchall()[0][0]
            assert float(value) == pytest.approx(expected)


def test_statistics_come_mean_first_then_percentiles_upwards():
    keys = ["ttft_ms_p99", "ttft_ms_p5", "ttft_ms_mean", "ttft_ms_p99_9", "ttft_ms_p50", "tpot_ms_p1", "source"]
    assert catalogue.statistics_of("ttft_ms", keys) == ("mean", "p5", "p50", "p99", "p99_9")
