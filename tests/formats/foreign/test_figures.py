"""Figures filed by formula: one unit in the library, the file's own in the passport, nothing filed twice."""

from __future__ import annotations

import pytest

from bench.formats.foreign.fields import Fields
from bench.formats.foreign.figures import Figures


def test_the_statistics_of_a_latency_are_filed_in_milliseconds_and_none_over_one_that_is_known() -> None:
    figures, metrics = Figures("a_tool", "1.0"), {"ttft_ms_p99": 80.0}
    stated = Fields("result.json", {"mean": 0.04, "median": 0.035, "p99": 0.09, "min": 0, "mode": 0.03})
    words = {"mean": "mean", "median": "p50", "p99": "p99", "min": "min", "stddev": "std"}
    figures.file_statistics(
        metrics, "ttft_ms", stated, words, unit="s", factor=1000, definition="first chunk - request sent"
    )
    assert metrics == pytest.approx({"ttft_ms_p99": 80, "ttft_ms_mean": 40, "ttft_ms_p50": 35})
    table = figures.passports()
    assert table is not None
    rows = {
        row["metric"]: (row["unit_in_file"], row["definition"], row["tool_version"])
        for row in table.to_pylist()
    }
    assert rows == dict.fromkeys(("ttft_ms_mean", "ttft_ms_p50"), ("s", "first chunk - request sent", "1.0"))
    assert stated.not_understood() == ("p99", "mode")
