"""Figures filed by formula: one unit in the library, the file's own in the passport, nothing filed twice."""

from __future__ import annotations

import numpy as np
import pytest

from bench.formats.reading.fields import Fields
from bench.formats.reading.metric_collector import MetricCollector


def test_the_statistics_of_a_latency_are_filed_in_milliseconds_and_none_over_one_that_is_known() -> None:
    figures = MetricCollector("a_tool", "1.0")
    metrics = figures.of_point()
    metrics["ttft_ms_p99"] = 80.0
    stated = Fields("result.json", {"mean": 0.04, "median": 0.035, "p99": 0.09, "min": 0, "mode": 0.03})
    words = {"mean": "mean", "median": "p50", "p99": "p99", "min": "min", "stddev": "std"}
    metrics.file_statistics("ttft_ms", stated, words, unit="s", factor=1000, definition="first chunk - request sent")
    assert metrics == pytest.approx({"ttft_ms_p99": 80, "ttft_ms_mean": 40, "ttft_ms_p50": 35})
    table = figures.passports()
    assert table is not None
    rows = {row["metric"]: (row["unit_in_file"], row["definition"], row["tool_version"]) for row in table.to_pylist()}
    assert rows == dict.fromkeys(("ttft_ms_mean", "ttft_ms_p50"), ("s", "first chunk - request sent", "1.0"))
    assert stated.not_understood() == ("p99", "mode")


def test_a_latency_of_0_is_left_out_and_told_once_with_its_point() -> None:
    figures = MetricCollector("a_tool", None)
    first, second = figures.of_point(), figures.of_point()
    for statistic, value in {"p50": 0.0, "p99": 4.0, "min": 0.0, "max": 0.0, "std": 0.0}.items():
        first.file(f"itl_ms_{statistic}", value)
    first.file("itl_ms_max", 9.0)  # computed anew from the requests
    assert first == {"itl_ms_p99": 4.0, "itl_ms_max": 9.0}
    assert "itl_ms_p50, itl_ms_min." in str(first.zeros_left_out())
    second.file("requests_failed", 0.0)
    assert second.zeros_left_out() is None


def test_a_metric_may_be_over_another_window_than_the_others() -> None:
    figures = MetricCollector("a_tool", None, window="the whole run")
    metrics = figures.of_point()
    metrics.file("requests_per_s", 2.0)
    metrics.file("output_tokens_per_s", 9.0, window="from the first token to the last")
    table = figures.passports()
    assert table is not None
    assert [row["window"] for row in table.to_pylist()] == ["the whole run", "from the first token to the last"]


def test_samples_fill_what_the_file_lacks_and_leave_what_it_has() -> None:
    # 10, 20, 30, 40, 50 and one without a value: p90 is 40 + 0.6 x 10.
    figures = MetricCollector("vllm", "1.0", window="whole run")
    metrics = figures.of_point()
    metrics["ttft_ms_p50"] = 31.0
    samples = np.array([10, 20, 30, 40, 50, np.nan]) / 1000
    metrics.file_samples("ttft_ms", samples, unit="s", factor=1000, definition="from the requests")
    assert metrics["ttft_ms_p50"] == 31.0
    assert metrics["ttft_ms_mean"] == pytest.approx(30)
    assert metrics["ttft_ms_p90"] == pytest.approx(46)
    passports = figures.passports()
    assert passports is not None
    (mean,) = (row for row in passports.to_pylist() if row["metric"] == "ttft_ms_mean")
    assert (mean["unit_in_file"], mean["definition"], mean["window"]) == ("s", "from the requests", "whole run")
