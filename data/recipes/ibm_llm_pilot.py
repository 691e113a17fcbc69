"""IBM LLM-Pilot: ten models on T4, V100, A10, A100 and H100 under one to 128 closed-loop users, October 2023."""

from __future__ import annotations

from bench import names
from bench.records import Flag
from data.recipes.tables import Card, Row, Table, number, passports, read

COMMIT = "3c66483f55d7a55e03410880c33c098c6233f892"
URL = f"https://github.com/IBM/LLM-performance-prediction/tree/{COMMIT}"

ACCELERATORS = {"T4": "t4", "V100": "v100-pcie-16gb", "A10": "a10", "A100": "a100-pcie-40gb", "H100": "h100-sxm"}
"""By the authors' GPU table: A100 of 40 GB and V100 of 16 GB, both not SXM; H100 SXM of 80 GB."""

COPIED = {
    "output_tput_tok_s": "output_tokens_per_s",
    "output_tput_tok_s_windowed": "output_tokens_per_s_active",
    "first_msg_ms_p50": "first_event_ms_p50",
    "ttft_interval_ms_p50": "first_token_gap_ms_p50",
    "ttft_ms_p50": "ttft_ms_p50",
    "ttft_ms_p90": "ttft_ms_p90",
    "ttft_ms_p99": "ttft_ms_p99",
    "itl_ms_p50": "itl_ms_p50",
    "itl_ms_p90": "itl_ms_p90",
    "itl_ms_p99": "itl_ms_p99",
    "tpot_ms_mean": "tpot_ms_mean",
    "e2e_ms_p50": "e2el_ms_p50",
    "e2e_ms_p99": "e2el_ms_p99",
    "experiment_duration_s": "duration_s",
    "requests_ok": "requests_ok",
    "requests_failed": "requests_failed",
    "output_tokens_total": "output_tokens",
}
MANY_FAILURES = 0.05


def tables() -> tuple[Table, ...]:
    """The 526 experiments that are in the authors' snapshot."""
    rows = read("ibm-llm-pilot", "llm_pilot_aggregated.csv")
    return (Table("ibm-llm-pilot", CARD, [_point(row) for row in rows]),)


def _point(row: dict[str, str]) -> Row:
    return {
        "model": names.model_slug(row["model"]),
        "checkpoint": row["model"],
        "engine": "tgis",
        "accelerator": ACCELERATORS[row["gpu_type"]],
        "accelerators": int(row["n_gpus"]),
        "isl_actual": number(row["mean_input_tokens"]),
        "osl_actual": number(row["mean_output_tokens"]),
        "dataset": "production-like mix",
        "load_kind": "closed",
        "concurrency": int(row["num_users"]),
        "evidence": "measured",
        "origin": "published",
        "date": row["experiment_start_utc"][:10],
        "source_url": URL,
        "flags": _failures(row),
        **{key: number(row[printed]) for printed, key in COPIED.items()},
    }


def _failures(row: dict[str, str]) -> list[Flag]:
    failed, sent = int(row["requests_failed"]), int(row["requests_total"])
    if failed <= MANY_FAILURES * sent:
        return []
    return [
        Flag(
            kind="failures",
            seen=f"{failed:,} of {sent:,} requests failed.",
            why="Latencies describe the requests that ended well, so an overloaded deployment looks faster than it is.",
            do="Read the point as overload; size for fewer users.",
        )
    ]


CARD = Card(
    slug="ibm-llm-pilot",
    title="IBM LLM-Pilot: characterization of LLM inference services, SC24",
    licence="CDLA-Permissive-2.0",
    licence_url="https://cdla.dev/permissive-2-0/",
    url=URL,
    attribution="IBM, LLM-Pilot characterization data (SC24), aggregated from its per-token timings; the licence is in "
    "data/transcriptions/ibm-llm-pilot/LICENSE-DATA.md.",
    harness="llm-pilot",
    metrics={
        "output_tokens_per_s": {
            "definition": "output tokens of successful requests / duration of the experiment",
            "unit_in_file": "tokens/s",
            "denominator": "whole deployment",
            "window": "120 s, ramp-up and drain included",
        },
        "output_tokens_per_s_active": {
            "definition": "output tokens of successful requests / (last end - first start)",
            "unit_in_file": "tokens/s",
            "denominator": "whole deployment",
        },
        "first_event_ms_p50": {"definition": "first stream event, which may carry no token", "unit_in_file": "ms"},
        "first_token_gap_ms_p50": {
            "definition": "second stream event after the first; the paper's TTFT",
            "unit_in_file": "ms",
        },
        **passports(
            ["ttft_ms_p50", "ttft_ms_p90", "ttft_ms_p99"],
            definition="converted: first stream event + the gap to the second, per request",
            unit_in_file="ms",
        ),
        **passports(
            ["itl_ms_p50", "itl_ms_p90", "itl_ms_p99"],
            definition="as catalogue; the first two stream events are not among the gaps",
            unit_in_file="ms",
        ),
        "tpot_ms_mean": {"definition": "as catalogue, mean over requests", "unit_in_file": "ms"},
        **passports(["e2el_ms_p50", "e2el_ms_p99"], definition="as catalogue", unit_in_file="ms"),
        "duration_s": {"definition": "as catalogue", "unit_in_file": "s"},
        **passports(["requests_ok", "requests_failed"], definition="as catalogue", unit_in_file="requests"),
        "output_tokens": {"definition": "as catalogue, of successful requests", "unit_in_file": "tokens"},
    },
)
