"""Two articles without a measurement of their own: Google's cloud against local machines, and a hardware overview."""

from __future__ import annotations

from typing import Any

from bench.names import accelerator_slug
from bench.records import Flag
from data.recipes.articles.filing import (
    API_PRICE,
    CEILING,
    DERIVED,
    MARKET,
    NO_NUMBER,
    SPECIFICATION,
    Cell,
    Figure,
    Filing,
    LeftOut,
)
from data.recipes.tables import Card

NOT_STATED = "not stated; figures only, no text"
CLOUD = Card(
    slug="google-cloud-vs-local",
    title="Gemma 4 31B in Google's cloud and on local machines",
    licence=NOT_STATED,
    url=None,
    attribution="article without author or address",
    metrics={
        "output_tokens_per_s": {
            "definition": "tokens per second; one stream or all of them, output or total: not stated",
            "unit_in_file": "tokens per second",
        }
    },
)
OVERVIEW = Card(
    slug="inference-hardware-overview",
    title="Inference hardware: GPUs, LPUs, wafers and custom chips",
    licence=NOT_STATED,
    url=None,
    attribution="AINews",
    metrics={
        "output_tokens_per_s": {"definition": "throughput at batch size 1", "unit_in_file": "tokens/s"},
        "tpot_ms_mean": {
            "definition": "latency per token at batch size 1, with or without the first token: not stated; its "
            "inverse is the printed throughput",
            "unit_in_file": "ms/token",
        },
    },
)

UNDEFINED = Flag(
    kind="undefined-throughput",
    seen="1,500 tokens per second without hardware, engine, precision, batch, or whether it is one stream.",
    why="As one stream it is 27 times what an H100 can read in BF16, as the sum of many it is one H100.",
    do="Do not compare it with anything.",
)
SOURCELESS = Flag(
    kind="no-source",
    seen="The table names no source, engine, precision or date.",
    why="Nobody can check how the figures came about.",
    do="Use a measured figure of the same accelerator instead.",
)
IMPLAUSIBLE = {
    "h100-sxm": Flag(
        kind="roofline",
        seen="45 ms per token on eight H100, which read 140 GB of weights in 5.2 ms.",
        why="Published runs of 70B models on four H100 take 18 to 21 ms.",
        do="Do not take it for what the hardware can do.",
    ),
    "groq-lpu": Flag(
        kind="capacity",
        seen="One LPU for 140 GB of weights; its memory is SRAM.",
        why="The model cannot lie on one chip, so the count of accelerators is wrong.",
        do="Do not divide by the count.",
    ),
    "cerebras-wse-3": Flag(
        kind="capacity",
        seen="One wafer with 44 GB of SRAM for 140 GB of weights.",
        why="The model cannot lie on one wafer in 16 bits, so the count or the precision is wrong.",
        do="Do not divide by the count.",
    ),
}


def file_cloud(cell: Cell) -> Filing:
    """What becomes of one figure of the cloud article: one point nobody can place, and three ranges."""
    if cell["metric"] != "throughput":
        return LeftOut(NO_NUMBER)
    point = {"model": "gemma-4-31b", "load_kind": "unknown"}
    return Figure(point, "output_tokens_per_s", "in Google's cloud", (UNDEFINED,))


def file_overview(cell: Cell) -> Filing:
    """What becomes of one figure of the overview: four points of two metrics, the rest is no measurement."""
    metrics = {"latency_per_token": "tpot_ms_mean", "throughput": "output_tokens_per_s"}
    if cell["section"] == "Benchmark Data" and cell["metric"] in metrics:
        return _batch_one(cell, metrics[cell["metric"]])
    return LeftOut(_reason(cell["metric"]))


def _batch_one(cell: Cell, metric: str) -> Figure:
    accelerator, count = accelerator_slug(cell["accelerator"]), cell["accelerator_count"]
    point: dict[str, Any] = {
        "model": "llama-3-70b",
        "accelerator": accelerator,
        "accelerators": int(count) if count.isdigit() else None,
        "load_kind": "batch",
        "batch": 1,
    }
    implausible = (IMPLAUSIBLE[accelerator],) if accelerator in IMPLAUSIBLE else ()
    note = None if count.isdigit() else "number of accelerators not stated"
    return Figure(point, metric, note, (SOURCELESS, *implausible))


def _reason(metric: str) -> str:
    if metric in ("api_price", "cost_per_1M_tokens"):
        return API_PRICE
    if metric in ("weight_bytes", "weight_load_time"):
        return CEILING
    if metric in ("latency_advantage", "cost_reduction"):
        return DERIVED
    if metric == "price_per_hour":
        return NO_NUMBER
    if metric.startswith("market_") or metric in ("funding_revenue", "github_stars"):
        return MARKET
    return SPECIFICATION
