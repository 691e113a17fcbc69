"""InferenceX: short answers after prompts of 1K to 32K tokens on eight GPUs of unknown type."""

from __future__ import annotations

from bench import names
from data.recipes.tables import Card, Row, Table, milliseconds, number, passports, read

FOLDER = "https://github.com/SemiAnalysisAI/InferenceX/tree/843c6254ff69b567f772f6a5fd97675af3d04431/experimental/token_position_decode_slo"

LAYOUTS: dict[str, Row] = {
    "tp8": {"tp": 8},
    "tep8": {"tp": 8, "ep": 8},
    "dep8": {"dp": 8, "ep": 8, "dp_attention": True},
}
LATENCIES = {"ttft_s": "ttft_ms", "tpot_s": "tpot_ms", "e2e_s": "e2el_ms"}
STATISTICS = {"median": "p50", "p99": "p99"}


def tables() -> tuple[Table, ...]:
    """The 169 points, a file upstream for each."""
    rows = read("inferencex", "token_position_decode_slo.csv")
    return (Table("inferencex-token-position", CARD, [_point(row) for row in rows]),)


def _point(row: dict[str, str]) -> Row:
    day = row["date"]
    return {
        "model": names.model_slug(row["model_id"]),
        "checkpoint": row["model_id"],
        "precision": "fp8" if row["model_id"].endswith("-FP8") else None,
        "engine": row["engine"],
        "accelerators": 8,
        "nodes": 1,
        **LAYOUTS[row["parallelism"]],
        "variant": row["parallelism"],
        "isl": int(row["isl"]),
        "osl": int(row["osl"]),
        "dataset": "random",
        "load_kind": "closed",
        "concurrency": int(row["concurrency"]),
        "evidence": "measured",
        "origin": "published",
        "date": f"{day[:4]}-{day[4:6]}-{day[6:8]}",
        "source_url": f"{FOLDER}/{row['folder']}",
        "note": f"{row['file']}; the GPU type is not in the file.",
        "output_tokens_per_s": number(row["output_tput_tok_s"]),
        "input_tokens_per_s": number(row["input_tput_tok_s"]),
        "requests_per_s": number(row["request_tput_rps"]),
        **{
            f"{key}_{statistic}": milliseconds(row[f"{printed}_{name}"])
            for name, key in LATENCIES.items()
            for printed, statistic in STATISTICS.items()
        },
        "duration_s": number(row["duration_s"]),
        "requests_ok": int(row["completed"]),
        "requests_failed": int(row["num_prompts"]) - int(row["completed"]),
        "input_tokens": int(row["total_input_tokens"]),
        "output_tokens": int(row["total_output_tokens"]),
    }


CARD = Card(
    slug="inferencex-token-position",
    title="InferenceX: decode speed by token position, vLLM on eight GPUs, February 2026",
    licence="Apache-2.0",
    licence_url="https://github.com/SemiAnalysisAI/InferenceX/blob/main/LICENSE",
    url=FOLDER,
    attribution="InferenceX by SemiAnalysis, experimental/token_position_decode_slo.",
    harness="vllm-bench",
    metrics={
        **passports(
            ["output_tokens_per_s", "input_tokens_per_s"],
            definition="as catalogue",
            unit_in_file="tokens/s",
            denominator="whole run",
            window="whole run, warm-up requests before it",
            token_source="the server's usage field for output, the client's tokenizer for input",
        ),
        **passports(["requests_per_s"], definition="as catalogue", unit_in_file="requests/s", window="whole run"),
        **passports(
            ["ttft_ms_p50", "ttft_ms_p99"],
            definition="converted: seconds x 1000; the first chunk counts even if its text is empty",
            unit_in_file="s",
        ),
        **passports(
            ["tpot_ms_p50", "tpot_ms_p99", "e2el_ms_p50", "e2el_ms_p99"],
            definition="converted: seconds x 1000",
            unit_in_file="s",
        ),
        **passports(["duration_s"], definition="as catalogue", unit_in_file="s"),
        **passports(["requests_ok"], definition="as catalogue", unit_in_file="requests"),
        **passports(["requests_failed"], definition="converted: prompts sent - completed", unit_in_file="requests"),
        **passports(["input_tokens", "output_tokens"], definition="as catalogue", unit_in_file="tokens"),
    },
)
