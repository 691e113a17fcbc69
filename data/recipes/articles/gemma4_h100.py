"""Gemma 4 31B on one to eight H100 with vLLM: four sweep peaks, four maxima, TTFT, MT-Bench (inferencebench.io)."""

from __future__ import annotations

from typing import Any

from bench.names import model_slug
from bench.records import Flag
from data.recipes.articles.filing import (
    API_PRICE,
    COMPONENT,
    DERIVED,
    NO_NUMBER,
    SPECIFICATION,
    Cell,
    Figure,
    Filing,
    Judged,
    LeftOut,
    Paid,
)
from data.recipes.tables import Card

URL = "https://inferencebench.io"
CARD = Card(
    slug="inferencebench-gemma4-h100",
    title="Gemma 4 31B on H100: the complete inference benchmark",
    licence="not stated; figures only, no text",
    url=URL,
    attribution="inferencebench.io",
    metrics={
        "output_tokens_per_s": {
            "definition": "not stated whether output or total tokens; filed as output, as the article's cost per "
            "million output tokens does",
            "unit_in_file": "tok/s",
            "window": "not stated",
            "token_source": "server-side timestamps by its setup table, client arrivals by its methodology",
        },
        "ttft_ms_mean": {
            "definition": "TTFT at concurrency 1 whose statistic is not stated; filed as the mean",
            "unit_in_file": "ms",
            "token_source": "server-side timestamps by its setup table, client arrivals by its methodology",
        },
    },
)

SWEEP = "inferencebench bench_throughput.py"
RAMP = "inferencebench bench_inferencemax.py"
PEAK = "the highest of 60 combinations; the others are not printed"
TEASER = "More articles (teaser)"

UNDEFINED = Flag(
    kind="undefined-throughput",
    seen="The article prints tok/s and never says whether prompt tokens count.",
    why="At 2048/128 output and total differ by a factor of 17; read as output, the 1,472 of two accelerators make "
    "25,024 tokens/s in total and 78 % of the BF16 peak, read as total the cost per output token is wrong.",
    do="Take it as output tokens with this doubt, and do not rank it against a defined figure.",
)
OVER_ROOFLINE = {
    ("512", "256"): "At most 1,030 to 1,230 output tokens/s fit: 12.6 to 15.6 GB of KV room hold 23 to 28 requests.",
    ("2048", "1024"): "At most 642 output tokens/s fit: the KV room holds 14 requests of this length.",
}
NOT_THE_MAXIMUM = {
    "4": "The sweep of the same article prints 2,355 tok/s at concurrency 32, 18 % above this maximum.",
    "8": "The sweep of the same article prints 3,050 tok/s at concurrency 32, 38 % above this maximum.",
}
STATISTIC = Flag(
    kind="unstated-statistic",
    seen="TTFT is printed without its statistic.",
    why="A mean, a median and a single request differ.",
    do="Read it as typical, not as a percentile.",
)
SLOW_FIRST_TOKEN = Flag(
    kind="implausible",
    seen="279 ms for 128 prompt tokens; the weights are read in 18.3 ms.",
    why="The time is not spent in the model, so scaling it by accelerators says little.",
    do="Do not size a deployment on it.",
)


def file(cell: Cell) -> Filing:
    """What becomes of one figure of this article."""
    metric, section = cell["metric"], cell["section"]
    if section == TEASER:
        return _teaser(cell)
    if metric in ("peak_throughput", "max_sustained_throughput", "throughput", "combined_throughput"):
        return _throughput(cell)
    if metric == "ttft":
        return _ttft(cell)
    if metric.startswith("mt_bench_") and metric != "mt_bench_questions":
        return _mt_bench(cell)
    if metric == "price_per_hour":
        return Paid("h100-sxm", 1)
    return LeftOut(_reason(metric))


def _reason(metric: str) -> str:
    if metric in ("recommended_operating_point", "monthly_savings", "concurrent_conversations", "api_advantage"):
        return NO_NUMBER
    if metric in ("weight_memory", "headroom"):
        return COMPONENT
    if metric == "api_price_output":
        return API_PRICE
    setting = (
        metric.startswith("grid_")
        or metric
        in (
            "hbm_capacity interconnect_bw max_model_len context_window release_date ramp_concurrency mt_bench_questions"
        ).split()
    )
    return SPECIFICATION if setting else DERIVED


def _server(accelerators: int, **more: object) -> dict[str, Any]:
    return {
        "model": "gemma-4-31b",
        "checkpoint": "google/gemma-4-31B-it",
        "precision": "bf16",
        "engine": "vllm",
        "accelerator": "h100-sxm",
        "accelerators": accelerators,
        "devices": accelerators,
        "tp": accelerators,
        "max_model_len": 8192,
        "load_kind": "closed",
        "source_url": URL,
        **more,
    }


def _throughput(cell: Cell) -> Figure:
    if cell["parallelism"] == "8xTP1":
        return _replicas()
    chips, swept = cell["accelerator_count"], cell["metric"] == "peak_throughput"
    # "The right way" repeats the eight-GPU maximum without its workload.
    isl, osl, users = (cell["isl"], cell["osl"], 32) if swept else ("512", "256", 128)
    point = _server(int(chips), isl=int(isl), osl=int(osl), concurrency=users, harness=SWEEP if swept else RAMP)
    flags = [UNDEFINED]
    if chips == "1":
        flags.append(_over_roofline(cell["value"], OVER_ROOFLINE[isl, osl]))
    if not swept and chips in NOT_THE_MAXIMUM:
        flags.append(_not_the_maximum(NOT_THE_MAXIMUM[chips]))
    return Figure(point, "output_tokens_per_s", PEAK if swept else None, tuple(flags))


def _over_roofline(value: str, limit: str) -> Flag:
    return Flag(
        kind="roofline",
        seen=f"{int(value):,} tok/s on one H100 in BF16. {limit}",
        why="As output tokens in BF16 with the printed command the figure exceeds what the memory can deliver.",
        do="Ask for the definition of the figure before using it.",
    )


def _not_the_maximum(seen: str) -> Flag:
    return Flag(
        kind="not-the-maximum",
        seen=seen,
        why="Scaling computed from the maxima and from the peaks differ (21.9 and 44.6 % at eight).",
        do="Name the table a scaling figure rests on.",
    )


def _replicas() -> Figure:
    point = _server(8, tp=1, dp=8, isl=512, osl=256, load_kind="unknown", harness=RAMP)
    point["variant"] = "eight replicas of TP1 behind a load balancer"
    note = "eight times the figure of one accelerator, not run"
    return Figure(point, "output_tokens_per_s", note, (UNDEFINED,))


def _ttft(cell: Cell) -> Figure:
    chips = int(cell["accelerator_count"])
    isl = int(cell["isl"]) if cell["isl"] else None
    flags = (STATISTIC, SLOW_FIRST_TOKEN) if isl else (STATISTIC,)
    note = None if isl else "input length not stated for this row"
    return Figure(_server(chips, isl=isl, concurrency=1, harness=SWEEP), "ttft_ms_mean", note, flags)


def _mt_bench(cell: Cell) -> Judged:
    category = cell["metric"].removeprefix("mt_bench_")
    own = cell["engine"] == "vLLM"
    score: dict[str, Any] = {
        "model": model_slug(cell["model"]),
        "benchmark": "MT-Bench",
        "category": None if category == "overall" else category,
        "metric": "score",
        "unit": "of 10",
        "direction": "higher",
        "source_url": URL,
    }
    if not own:
        score |= {"judge": "gpt-4", "self_judged": cell["model"] == "GPT-4"}
        note = "quoted as about this value from the MT-Bench paper, which is older than two of the quoted models"
        return Judged(score, note, "unverified")
    score |= {
        "checkpoint": "google/gemma-4-31B-it",
        "precision": "bf16",
        "engine": "vllm",
        "accelerator": "h100-sxm",
        "judge": "gemma-4-31b",
        "self_judged": True,
        "n": 15 if category == "overall" else None,
        "harness": "inferencebench bench_mtbench.py",
    }
    note = "the model judged itself; 15 questions where MT-Bench has 80; the same on 1, 2, 4 and 8 accelerators"
    if category == "overall":
        note += "; the eight printed categories average 9.75"
    return Judged(score, note)


def _teaser(cell: Cell) -> Filing:
    note = "a teaser of another article: no workload, engine or precision stated"
    server = {"model": "minimax-m2.5", "accelerator": "h100-sxm", "accelerators": 8, "source_url": URL}
    if cell["metric"] == "peak_throughput":
        return Figure(server, "output_tokens_per_s", note, (UNDEFINED,), "unverified")
    benchmark, metric, unit = {
        "mt_bench_overall": ("MT-Bench", "score", "of 10"),
        "needle_in_haystack": ("needle in a haystack", "accuracy", "%"),
        "tool_use": ("tool use", "accuracy", "%"),
    }[cell["metric"]]
    score = {**server, "benchmark": benchmark, "metric": metric, "unit": unit, "direction": "higher"}
    return Judged(score, note, "unverified")
