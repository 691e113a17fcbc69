"""InferenceX: GLM-4.7 on eight Gaudi 3, from a preview branch of InferenceX-app."""

from __future__ import annotations

from data.recipes.tables import Card, Row, Table, number, passports, read

FOLDER = "https://github.com/SemiAnalysisAI/InferenceX-app/tree/806f0013f91b2baaff55872900fefaf563b62e01/glm-4.7"
STATISTICS = {"mean": "mean", "median": "p50", "p99": "p99"}


def tables() -> tuple[Table, ...]:
    """The 8 points, one for each concurrency."""
    rows = read("inferencex", "glm47_gaudi3_bf16_1k1k.csv")
    return (Table("inferencex-gaudi", CARD, [_point(row) for row in rows]),)


def _point(row: dict[str, str]) -> Row:
    completed = int(row["completed"])
    return {
        "model": "glm-4.7",
        "checkpoint": "zai-org/GLM-4.7",
        "precision": "bf16",
        "engine": "vllm-gaudi",
        "engine_version": "0.17.1rc1",
        "accelerator": "gaudi-3",
        "accelerators": int(row["num_accel"]),
        "nodes": 1,
        "tp": 8,
        "isl": 1024,
        "isl_actual": _share(row["total_in"], completed),
        "osl": 1024,
        "osl_actual": _share(row["total_out"], completed),
        "max_model_len": 8192,
        "dataset": "random",
        "load_kind": "closed",
        "concurrency": int(row["concurrency"]),
        "evidence": "measured",
        "origin": "published",
        "date": "2026-03-14",
        "source_url": f"{FOLDER}/results/glm47_conc{row['concurrency']}.json",
        "output_tokens_per_s": number(row["output_tput"]),
        "total_tokens_per_s": number(row["total_tput"]),
        **{
            f"{name}_ms_{statistic}": number(row[f"{printed}_{name}_ms"])
            for name in ("ttft", "tpot")
            for printed, statistic in STATISTICS.items()
        },
        "duration_s": number(row["duration_s"]),
        "requests_ok": completed,
        "input_tokens": int(row["total_in"]),
        "output_tokens": int(row["total_out"]),
    }


def _share(tokens: str, requests: int) -> float:
    return round(int(tokens) / requests, 3)


CARD = Card(
    slug="inferencex-gaudi",
    title="InferenceX: GLM-4.7 on eight Gaudi 3, March 2026",
    licence="facts re-encoded; no licence is stated for the figures (InferenceX-app is GPL-3.0)",
    licence_url="https://github.com/SemiAnalysisAI/InferenceX-app/blob/master/LICENSE",
    url=FOLDER,
    attribution="InferenceX-app, gaudi3 preview branch (FarmGPU, SemiAnalysis); not an official InferenceX result.",
    harness="inferencex",
    metrics={
        **passports(
            ["output_tokens_per_s", "total_tokens_per_s"],
            definition="as catalogue",
            unit_in_file="tokens/s",
            denominator="whole deployment",
            window="whole run",
        ),
        **passports(
            [f"{name}_ms_{statistic}" for name in ("ttft", "tpot") for statistic in STATISTICS.values()],
            definition="as catalogue",
            unit_in_file="ms",
        ),
        **passports(["duration_s"], definition="as catalogue", unit_in_file="s"),
        **passports(["requests_ok"], definition="as catalogue", unit_in_file="requests"),
        **passports(["input_tokens", "output_tokens"], definition="as catalogue", unit_in_file="tokens"),
    },
)
