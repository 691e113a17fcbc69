"""MLPerf: metrics, chips, scenarios and units of its own."""

from __future__ import annotations

from collections import Counter

from tests.data.published import rows


def test_mlperf_results_are_metrics_of_their_own() -> None:
    every = rows("mlperf-inference")
    assert Counter(row["harness_version"] for row in every) == {"5.0": 502, "5.1": 382, "6.0": 426}
    figures = [key for key in every[0] if key.startswith("mlperf_")]
    assert {row["load_kind"] for row in every} == {"scenario"}
    assert all(sum(bool(row[key]) for key in figures) == 1 for row in every)
    assert Counter(key for row in every for key in figures if row[key]) == {
        "mlperf_tokens_per_s": 1192,
        "mlperf_samples_per_s": 55,
        "mlperf_queries_per_s": 63,
    }
    assert not any(key.startswith("output_tokens") for key in every[0])
    first = every[0]
    assert (first["variant"], first["mlperf_tokens_per_s"]) == ("AMD | QuantaGrid D74A-7U | 5.0-0001", "33928.1")


def test_mlperf_chips_are_the_whole_system_s() -> None:
    assert {row["accelerator"] for row in rows("mlperf-inference") if not row["accelerators"]} == {"cpu"}
    assert sum(not row["accelerators"] for row in rows("mlperf-inference")) == 36
    by_entry = {row["variant"].rpartition(" | ")[2]: row for row in rows("mlperf-inference")}
    chips = {entry: row["accelerators"] for entry, row in by_entry.items()}
    assert chips["5.0-0058"] == "72"  # 18 nodes of 4
    assert chips["5.1-0016"] == "32"  # 4 nodes of 8
    assert chips["5.1-0065"] == "48"  # 6 nodes of 8, two kinds
    assert chips["v6.0-0076"] == "288"  # v6.0 counts all
    assert chips["v6.0-0017"] == "8"
    assert chips["v6.0-0060"] == "8"  # 4 cards of two chips
    assert by_entry["5.1-0065"]["accelerator"] == ""
    assert by_entry["v6.0-0001"]["accelerator"] == "mi355x"
    assert by_entry["v6.0-0093"]["accelerator"] == "h200-sxm"


def test_mlperf_interactive_of_50_is_a_benchmark_with_two_scenarios() -> None:
    one = {
        row["scenario"]: row["mlperf_tokens_per_s"]
        for row in rows("mlperf-inference")
        if row["variant"].endswith("5.0-0006") and row["dataset"] == "mlperf llama2-70b-interactive-99"
    }
    assert one == {"offline": "34809.3", "interactive": "19418.5"}
    assert (
        len({tuple(row[key] for key in ("variant", "dataset", "scenario")) for row in rows("mlperf-inference")}) == 1310
    )


def test_mlperf_units_that_cannot_be_right_are_flagged() -> None:
    doubtful = [row for row in rows("mlperf-inference") if "unit-doubtful" in row["flags"]]
    assert Counter((row["harness_version"], row["model"]) for row in doubtful) == {
        ("5.0", "llama-3.1-405b"): 30,
        ("5.1", "deepseek-r1"): 16,
        ("5.1", "llama-3.1-8b"): 56,
        ("6.0", "llama-3.1-8b"): 20,
    }
