"""IBM LLM-Pilot: closed-loop users with actual lengths only."""

from __future__ import annotations

import pytest

from tests.data.published import only, rows


def test_ibm_users_are_a_closed_loop_with_actual_lengths_only() -> None:
    row = only("ibm-llm-pilot", model="llama-7b", accelerator="h100-sxm", accelerators="4", concurrency="64")
    assert (row["output_tokens_per_s"], row["output_tokens_per_s_active"]) == ("1296.358", "1243.072")
    assert (row["ttft_ms_p50"], row["first_event_ms_p50"], row["first_token_gap_ms_p50"]) == ("225", "12", "213")
    assert (row["isl_actual"], row["osl_actual"], row["date"]) == ("120.7", "18.5", "2023-10-12")
    assert "isl" not in row
    failed = only(
        "ibm-llm-pilot", model="gpt-neox-20b", accelerator="a100-pcie-40gb", accelerators="4", concurrency="128"
    )
    assert (failed["requests_ok"], failed["requests_failed"], failed["flags"]) == ("3001", "13", "")
    assert sum("failures" in row["flags"] for row in rows("ibm-llm-pilot")) == 39
    assert {row["engine"] for row in rows("ibm-llm-pilot")} == {"tgis"}
    for row in rows("ibm-llm-pilot"):  # the authors' definition: tokens / 120 s
        assert float(row["output_tokens_per_s"]) == pytest.approx(float(row["output_tokens"]) / 120, abs=1e-3)
