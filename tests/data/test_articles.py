"""The four articles: every printed figure accounted for, every measurement once, the values as the texts print them."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal

from bench.library.prices import read_book
from data.recipes.articles import RULES, filings, tables, transcription
from data.recipes.articles.filing import Figure, Judged, LeftOut, Paid, value
from data.recipes.tables import TRANSCRIPTIONS
from tests.data.published import only, rows

H100_ARTICLE, RVLLM = "inferencebench-gemma4-h100", "rvllm-tpu-v6e-vs-h100"
FIGURE = "output_tokens_per_s"
STEP = "decode_step_ms_mean"


def sweep(metric: str, axis: str = "batch", stem: str = RVLLM, **where: str) -> dict[int, float]:
    """One metric along an axis, for the rows where every named column holds the named text."""
    found = [row for row in rows(stem) if row[metric] and row[axis]]
    found = [row for row in found if all(row[column] == text for column, text in where.items())]
    series = {int(row[axis]): float(row[metric]) for row in found}
    assert len(series) == len(found), f"{len(found) - len(series)} points twice in {where}"
    return series


def kinds(row: dict[str, str]) -> set[str]:
    return {flag["kind"] for flag in json.loads(row["flags"] or "[]")}


TPU = {"accelerator": "tpu-v6e", "variant": "JAX, single scan", "max_model_len": "2048"}


def test_all_496_rows_are_a_point_a_score_a_price_or_left_out_with_a_reason() -> None:
    filed = [filing for article in RULES for _, filing in filings(article)]
    assert len(filed) == len(transcription()) == 496
    assert Counter(type(filing) for filing in filed) == {Figure: 233, Judged: 35, Paid: 18, LeftOut: 210}
    assert {row["article"] for row in transcription()} == set(RULES)


def test_the_source_note_counts_what_was_left_out_and_why() -> None:
    note = (TRANSCRIPTIONS / "articles" / "SOURCE.md").read_text(encoding="utf-8")
    reasons = Counter(
        filing.reason for article in RULES for _, filing in filings(article) if isinstance(filing, LeftOut)
    )
    for reason, count in reasons.items():
        assert f"| left out: {reason} | {count} | |" in note
    points = sum(len(table.rows) for table in tables() if not table.stem.endswith("-scores"))
    scores = sum(len(table.rows) for table in tables() if table.stem.endswith("-scores"))
    assert f"| 233 | {points} points |" in note
    assert f"| 35 | {scores} scores |" in note


def test_the_tpu_sweeps_are_the_printed_ones() -> None:
    printed = {1: 44.2, 8: 318, 64: 2112, 128: 3853, 256: 6246, 512: 8550, 768: 9600}
    assert sweep(FIGURE, model="gemma-4-31b", **TPU) == printed
    steps = {1: 22.6, 8: 25.1, 64: 30.3, 128: 33.2, 256: 41.0, 512: 59.7, 768: 80.3}
    assert sweep(STEP, model="gemma-4-31b", **TPU) == steps


def test_a_v6e_4_is_four_chips() -> None:
    found = [row for row in rows(RVLLM) if row["accelerator"] == "tpu-v6e"]
    assert {(row["accelerators"], row["devices"], row["tp"]) for row in found} == {("4", "4", "4")}


def test_the_two_vllm_columns_are_two_variants_of_one_label() -> None:
    a = {"engine": "vllm", "variant": "column A, 50-token completions", "osl": "50"}
    b = {"engine": "vllm", "variant": "column B, server defaults", "osl": ""}
    assert sweep(FIGURE, **a) == {1: 69, 8: 515, 32: 1748, 64: 3130, 128: 4689, 256: 7077, 512: 8243}
    assert sweep(FIGURE, **b) == {1: 66.9, 8: 511.7, 64: 2794, 128: 3848, 256: 3709, 512: 3788, 768: 3671}
    assert not [row for row in rows(RVLLM) if row["engine"] == "vllm" and row[STEP]]
    assert {row["max_model_len"] for row in rows(RVLLM) if row["engine"] == "vllm"} == {"2048"}
    assert all("server-figure" in kinds(row) for row in rows(RVLLM) if row["engine"] == "vllm")


def test_april_and_june_are_two_sweeps_of_rvllm_on_the_h100() -> None:
    april = {"variant": "CUDA graph, forward only, April 2026", "date": "2026-04-19"}
    june = {"variant": "CUDA graph, default routes, June 2026", "date": "2026-06-10"}
    assert sweep(STEP, **april).keys() == sweep(FIGURE, **april).keys() == {1, 4, 8, 16, 32, 64, 128, 256, 512}
    assert sweep(STEP, **june).keys() == sweep(FIGURE, **june).keys() == {1, 2, 4, 8, 16, 32, 64, 128, 256}
    assert (sweep(FIGURE, **april)[512], sweep(FIGURE, **june)[256]) == (8786, 7607)
    noisy = {row["batch"] for row in rows(RVLLM) if "methodology" in kinds(row)}
    assert noisy == {"64", "128", "256", "512"}


def test_context_figures_keep_their_path_and_their_doubt() -> None:
    one = {"model": "gemma-4-31b", "accelerator": "tpu-v6e", "batch": "1", "harness": "rvllm jax decode loop"}
    assert sweep(FIGURE, "context_tokens", **one) == {512: 78.2, 2048: 44.2, 32768: 15, 65536: 11, 131072: 24.7}
    assert sweep(STEP, "context_tokens", **one) == {512: 12.79, 2048: 22.6, 32768: 66, 65536: 91, 131072: 40.56}
    doubted = {row["context_tokens"] for row in rows(RVLLM) if "implausible" in kinds(row)}
    assert doubted == {"32768", "65536", "131072"}
    assert only(RVLLM, context_tokens="131072")["kv_precision"] == "int8"
    assert only(RVLLM, harness="xprof")[STEP] == "12.3"


def test_projections_keep_their_grade() -> None:
    projected = {
        row[FIGURE]: row for stem in (RVLLM, H100_ARTICLE) for row in rows(stem) if row["evidence"] == "projected"
    }
    assert set(projected) == {"145", "50000", "400", "10080"}
    assert projected["145"]["speculation"] == "eagle3"


def test_the_maxima_of_gemma_4_31b_on_h100() -> None:
    ramp = {"isl": "512", "osl": "256", "concurrency": "128", "stem": H100_ARTICLE}
    assert sweep(FIGURE, "accelerators", **ramp) == {1: 1260, 2: 1675, 4: 1996, 8: 2208}
    found = [row for row in rows(H100_ARTICLE) if row["concurrency"] == "128"]
    assert all(row["tp"] == row["accelerators"] == row["devices"] for row in found)
    assert {row["engine"] for row in found} == {"vllm"}
    assert "engine_version" not in rows(H100_ARTICLE)[0]  # the container was not pinned
    assert all("undefined-throughput" in kinds(row) for row in rows(H100_ARTICLE) if row[FIGURE])
    over = {row[FIGURE] for row in rows(H100_ARTICLE) if "roofline" in kinds(row)}
    assert over == {"1260", "855"}


def test_the_articles_without_measurements_are_unverified() -> None:
    cloud = only("google-cloud-vs-local")
    assert (cloud[FIGURE], cloud["evidence"], cloud["load_kind"]) == ("1500", "unverified", "unknown")
    assert "accelerator" not in cloud
    assert {row["evidence"] for row in rows("inference-hardware-overview")} == {"unverified"}


def test_mt_bench_is_marked_as_judged_by_the_model_itself() -> None:
    own = [row for row in rows(f"{H100_ARTICLE}-scores") if row["judge"] == "gemma-4-31b"]
    assert {row["self_judged"] for row in own} == {"true"}
    quoted = [row for row in rows(f"{H100_ARTICLE}-scores") if row["judge"] == "gpt-4"]
    assert [row["evidence"] for row in quoted] == ["unverified"] * 3


def test_perplexity_is_a_score_where_lower_is_better() -> None:
    found = rows(f"{RVLLM}-scores")
    assert {(row["benchmark"], row["direction"]) for row in found} == {("perplexity", "lower")}
    assert only(f"{RVLLM}-scores", value="14.75")["evidence"] == "unverified"


def test_every_printed_price_is_in_the_book_of_the_articles() -> None:
    prices, _ = read_book(TRANSCRIPTIONS.parent / "prices" / "articles.csv")
    booked = {(price.accelerator, price.accelerators, Decimal(str(price.usd_per_hour))) for price in prices}
    printed = {
        (filing.accelerator, filing.accelerators, value(cell))
        for article in RULES
        for cell, filing in filings(article)
        if isinstance(filing, Paid)
    }
    assert printed == booked
    assert ("tpu-v6e", 4, Decimal("5.2")) in booked
