"""TPU results and the MI355X curves beside them: chips, variants, what is not stated."""

from __future__ import annotations

from tests.data.published import only, rows


def test_tpu_v7x_counts_chips_not_tensor_cores_and_loads_its_points_once() -> None:
    assert {(row["accelerators"], row["devices"]) for row in rows("tpu-public-qwen3.5-v7x")} == {("4", "8")}
    row = only("tpu-public-qwen3.5-v7x", concurrency="4", variant="snapshot 250052d4")
    # 1106.0144 x 4; 0.0075959624 s
    assert (row["total_tokens_per_s"], row["tpot_ms_p50"], row["tp"]) == ("4424.0576", "7.5959624", "8")
    assert (row["restated_in"], row["date"]) == ('["qwen35_tpuv7_vs_mi355x.csv"]', "")
    preview = [row for row in rows("tpu-public-qwen3.5-v7x") if "unofficial" in row["flags"]]
    assert {(row["date"], row["variant"]) for row in preview} == {("2026-08-03", "preview run 2026-08-03")}
    assert len(preview) == 6
    wide = only("tpu-public-qwen3.5-v7x", concurrency="256")
    assert (wide["tp"], wide["dp"], wide["total_tokens_per_s"]) == ("1", "8", "37455.3")


def test_tpu_recipes_state_only_what_is_stated() -> None:
    first = only("tpu-public-recipes", model="llama-3.3-70b", concurrency="64")
    assert (first["precision"], first["accelerators"], first["devices"]) == ("", "8", "8")
    assert (first["output_tokens_per_s"], first["peak_output_tokens_per_s"], first["itl_ms_p50"]) == (
        "2494.8",
        "2872",
        "23.11",
    )
    unknown_chips = only("tpu-public-recipes", precision="bf16", accelerator="tpu-v7x")
    assert (unknown_chips["accelerators"], unknown_chips["output_tokens_per_s"]) == ("", "1727.14")
    one_chip = only("tpu-public-recipes", model="qwen3-32b", osl="8192")
    assert (one_chip["accelerators"], one_chip["devices"], one_chip["tp"]) == ("1", "2", "2")
    warm = only("tpu-public-recipes", output_tokens_per_s="723.91")
    cold = only("tpu-public-recipes", output_tokens_per_s="315.92")
    assert (warm["speculation"], cold["speculation"], warm["request_rate"]) == ("mtp", "mtp", "10")
    assert not warm["flags"]
    assert "cold-start" in cold["flags"]
    assert "64 GB" in cold["note"]
