"""InferenceX: chips, roles, latencies, doubts, scores, each worked out by hand from the transcription."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.library import Library
from tests.data.published import only, rows


def test_latest_and_history_share_230_of_their_1897_rows() -> None:
    restated = [row for row in rows("inferencex-deepseek-r1") if row["restated_in"]]
    assert len(restated) == 230 == 435 + 1462 - 1667
    assert {row["restated_in"] for row in restated} == {'["benchmarks-history.json"]'}


def test_inferencex_figures_per_gpu_become_the_deployment_s() -> None:
    # 4 GPUs: 98.9884 x 4, 99.9564 x 4, 198.945 x 4; 0.102174 s, 0.00961868 s
    row = only(
        "inferencex-deepseek-r1",
        accelerator="mi355x",
        tp="4",
        concurrency="4",
        date="2026-06-11",
        isl="1024",
        precision="fp4",
    )
    assert (row["output_tokens_per_s"], row["input_tokens_per_s"], row["total_tokens_per_s"]) == (
        "395.9536",
        "399.8256",
        "795.78",
    )
    assert (row["ttft_ms_p50"], row["tpot_ms_mean"], row["itl_ms_p50"]) == ("102.174", "9.61868", "9.40686")
    assert (row["load_kind"], row["evidence"], row["speculation"]) == ("closed", "measured", "none")


def test_inferencex_counts_chips_by_tp_where_the_export_counts_tp_times_ep() -> None:
    # the export says 64 GPUs; 8 x 365.373 = 2922.984
    row = only(
        "inferencex-deepseek-r1",
        accelerator="b200-sxm",
        engine="sglang",
        tp="8",
        ep="8",
        concurrency="32",
        date="2025-12-11",
        isl="1024",
        osl="1024",
        precision="fp4",
    )
    assert (row["accelerators"], row["total_tokens_per_s"], row["output_tokens_per_s"]) == ("8", "2922.984", "1463.808")
    assert "64 GPUs" in row["note"]
    corrected = [row for row in rows("inferencex-deepseek-r1") if "TP x EP" in row["note"]]
    assert len(corrected) == 363
    assert {row["disaggregated"] for row in corrected} == {"false"}


def test_inferencex_disaggregated_figures_have_their_own_divisors() -> None:
    # 4 prefill and 32 decode GPUs: 94.8916 x 32, 762.506 x 4, 169.071 x 36
    row = only(
        "inferencex-deepseek-r1",
        accelerator="gb200",
        engine="dynamo-trt",
        concurrency="24",
        date="2026-03-23",
        decode_accelerators="32",
        precision="fp4",
        isl="1024",
    )
    assert (row["accelerators"], row["prefill_accelerators"]) == ("36", "4")
    assert (row["output_tokens_per_s"], row["input_tokens_per_s"]) == ("3036.5312", "3050.024")
    assert row["total_tokens_per_s"] == "6086.556"
    assert (row["prefill_workers"], row["decode_workers"]) == ("1", "4")


def test_inferencex_roles_are_absent_where_the_counts_hold_the_total() -> None:
    unknown = [row for row in rows("inferencex-deepseek-r1") if "role-chips-unknown" in row["flags"]]
    assert len(unknown) == 8
    for row in unknown:
        assert row["accelerator"] == "gb200"
        for absent in ("output_tokens_per_s", "input_tokens_per_s", "prefill_accelerators", "decode_accelerators"):
            assert not row[absent]
    # 32.6674 x 36
    first = next(row for row in unknown if row["concurrency"] == "4")
    assert (first["accelerators"], first["total_tokens_per_s"]) == ("36", "1176.0264")


def test_inferencex_output_and_input_make_the_total_wherever_they_are_stated() -> None:
    for row in rows("inferencex-deepseek-r1"):
        if row["output_tokens_per_s"]:
            both = float(row["output_tokens_per_s"]) + float(row["input_tokens_per_s"])
            assert both == pytest.approx(float(row["total_tokens_per_s"]), rel=0.02)


def test_inferencex_rows_off_little_s_law_are_flagged_and_kept(shipped: Library) -> None:
    """By the mean E2EL where a row states it: by its median alone H100 at concurrency 231 would be off."""
    kept = shipped.query(
        "SELECT engine, accelerator, concurrency, e2el_ms_mean, flags FROM points"
        " WHERE source = 'inferencex' AND regexp_matches(flags, 'littles-law|few-in-flight')"
    )
    warned = kept["flags"].str.contains("littles-law-by-median|few-in-flight")
    assert (len(kept[~warned]), len(kept[warned])) == (1, 24)
    assert kept[warned]["e2el_ms_mean"].isna().all()
    # 25.2798 x 8 / 1024 x 55.6 = 11; 512 / 11 = 47
    (worst,) = kept[(kept["concurrency"] == 512) & (kept["engine"] == "atom")]["flags"]
    assert "47 times off" in worst


def test_gsm8k_scores_are_strict_matches_with_their_error() -> None:
    first = rows("inferencex-gsm8k")[0]
    assert (first["model"], first["value"], first["n"]) == ("minimax-m3", "0.9575435936315391", "1319")
    assert (first["metric"], first["standard_error"]) == ("exact_match_strict", "0.005553837749990046")
    over_nodes = [row for row in rows("inferencex-gsm8k") if row["disaggregated"] == "true"]
    assert len(over_nodes) == 53
    assert {row["accelerators"] for row in over_nodes} == {""}
    by_expert = [row for row in rows("inferencex-gsm8k") if (row["tp"], row["ep"]) == ("8", "8")]
    assert {row["accelerators"] for row in by_expert} == {"8", ""}  # 64 in the export; absent over several nodes


def test_token_position_is_in_milliseconds_on_eight_unknown_gpus() -> None:
    row = only("inferencex-token-position", model="glm-5", isl="1024", concurrency="4")
    assert (row["ttft_ms_p50"], row["tpot_ms_p99"]) == ("264.99967742711306", "26.454948791720733")
    assert (row["accelerators"], row["tp"]) == ("8", "8")
    assert "accelerator" not in row
    layouts = Counter((row["variant"], row["tp"], row["dp"], row["ep"]) for row in rows("inferencex-token-position"))
    assert layouts == {("tp8", "8", "", ""): 97, ("tep8", "8", "", "8"): 65, ("dep8", "", "8", "8"): 7}


def test_gaudi_answers_were_shorter_than_asked() -> None:
    row = only("inferencex-gaudi", concurrency="128")
    # 916,621 tokens / 1,280 requests
    assert (row["osl"], row["osl_actual"], row["isl_actual"]) == ("1024", "716.11", "1024.0")
    assert (row["output_tokens_per_s"], row["ttft_ms_p99"]) == ("760.78", "29537.04")
    assert (row["accelerator"], row["accelerators"], row["engine_version"]) == ("gaudi-3", "8", "0.17.1rc1")
