"""InferenceX: DeepSeek-R1 serving points of nine accelerators, the latest run of each configuration and its history.

Per-GPU figures of the export become figures of the whole deployment; see data/transcriptions/inferencex/SOURCE.md.
"""

from __future__ import annotations

from decimal import Decimal

from bench import names
from bench.records import Flag
from data.recipes.tables import Card, Row, Table, milliseconds, number, passports, read, times

HARNESS = "inferencex"
URL = "https://github.com/SemiAnalysisAI/InferenceX-app"
LICENCE = "facts re-encoded; no licence is stated for the figures (InferenceX is Apache-2.0, InferenceX-app GPL-3.0)"
ATTRIBUTION = "InferenceX (formerly InferenceMAX) by SemiAnalysis; every row links to its public workflow run."

IDENTITY = (
    "hardware framework model precision spec_method disagg is_multinode prefill_tp prefill_ep prefill_dp_attention "
    "prefill_num_workers decode_tp decode_ep decode_dp_attention decode_num_workers num_prefill_gpu num_decode_gpu "
    "isl osl conc date run_url"
).split()
STATISTICS = {"mean": "mean", "median": "p50", "p90": "p90", "p99": "p99"}
LATENCIES = {"ttft": "ttft_ms", "tpot": "tpot_ms", "itl": "itl_ms", "e2el": "e2el_ms"}

INVARIANT_TOLERANCE = Decimal("0.02")


def tables() -> tuple[Table, ...]:
    """The 1,667 distinct points: the latest ones, then those only the history has."""
    latest, history = (read("inferencex", "benchmarks_latest.csv"), read("inferencex", "benchmarks_history.csv"))
    known = {_identity(row) for row in latest}
    also_in_history = {_identity(row) for row in history}
    rows = [_point(row, restated=_identity(row) in also_in_history) for row in latest]
    rows += [_point(row, restated=False) for row in history if _identity(row) not in known]
    return (Table("inferencex-deepseek-r1", CARD, rows),)


def _identity(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(row[column] for column in IDENTITY)


def _point(row: dict[str, str], *, restated: bool) -> Row:
    layout = _disaggregated(row) if row["disagg"] == "True" else _aggregated(row)
    flags = [*layout.pop("flags"), *_energy_flag(row, layout)]
    point = {
        "model": "deepseek-r1",
        "checkpoint": "DeepSeek-R1-0528",
        "precision": row["precision"],
        "engine": names.engine_slug(row["framework"]),
        "engine_version": engine_version(row["image"]),
        "accelerator": names.accelerator_slug(row["hardware"]),
        "speculation": row["spec_method"],
        "isl": int(row["isl"]),
        "osl": int(row["osl"]),
        "dataset": "random",
        "load_kind": "closed",
        "concurrency": int(row["conc"]),
        "evidence": "measured",
        "origin": "published",
        "date": row["date"],
        "source_url": row["run_url"],
        "restated_in": ["benchmarks-history.json"] if restated else None,
        **layout,
        **_latencies(row),
        **_energy(row),
    }
    return {**point, "flags": flags}


def engine_version(image: str) -> str | None:
    """The tag of a container image without the v in front; None when no image is stated."""
    tag = image.rpartition(":")[2]
    return (tag[1:] if tag[:1] == "v" and tag[1:2].isdigit() else tag) or None


def _aggregated(row: dict[str, str]) -> Row:
    """Layout and throughput where the same chips prefill and decode: TP counts the chips."""
    chips = int(row["decode_tp"])
    exported = int(row["num_decode_gpu"])
    note = f"The export counts {exported} GPUs (TP x EP); the chips are TP = {chips}." if exported != chips else None
    return {
        "accelerators": chips,
        "nodes": 1,
        "tp": chips,
        "ep": int(row["decode_ep"]),
        "dp_attention": row["decode_dp_attention"] == "True",
        "disaggregated": False,
        "note": note,
        "flags": [],
        "output_tokens_per_s": times(number(row["output_tput_per_gpu"]), chips),
        "input_tokens_per_s": times(number(row["input_tput_per_gpu"]), chips),
        "total_tokens_per_s": times(number(row["tput_per_gpu"]), chips),
    }


def _disaggregated(row: dict[str, str]) -> Row:
    """Layout and throughput where some chips prefill and others decode, each figure divided by its own."""
    prefill, decode = int(row["num_prefill_gpu"]), int(row["num_decode_gpu"])
    per_gpu = [Decimal(row[column]) for column in ("output_tput_per_gpu", "input_tput_per_gpu", "tput_per_gpu")]
    output, taken_in, total = per_gpu[0] * decode, per_gpu[1] * prefill, per_gpu[2] * (prefill + decode)
    if abs((output + taken_in) / total - 1) > INVARIANT_TOLERANCE:
        return _roles_unknown(row, *per_gpu)
    return {
        "accelerators": prefill + decode,
        "tp": int(row["decode_tp"]),
        "ep": int(row["decode_ep"]),
        "dp_attention": row["decode_dp_attention"] == "True",
        "disaggregated": True,
        "prefill_accelerators": prefill,
        "decode_accelerators": decode,
        "prefill_tp": int(row["prefill_tp"]),
        "prefill_ep": int(row["prefill_ep"]),
        "prefill_dp_attention": row["prefill_dp_attention"] == "True",
        "prefill_workers": int(row["prefill_num_workers"]),
        "decode_workers": int(row["decode_num_workers"]),
        "flags": [],
        "output_tokens_per_s": output,
        "input_tokens_per_s": taken_in,
        "total_tokens_per_s": total,
    }


def _roles_unknown(row: dict[str, str], output: Decimal, taken_in: Decimal, total: Decimal) -> Row:
    """A disaggregated row whose GPU counts per role hold the total instead, so only the total can be used."""
    chips = int(row["num_decode_gpu"])
    ratio = (output * chips + taken_in * chips) / (total * 2 * chips)
    decode = chips * (taken_in - total) / (taken_in - output)
    flag = Flag(
        kind="role-chips-unknown",
        seen=f"The export counts {chips} prefill and {chips} decode GPUs, but output x decode + input x prefill is "
        f"{ratio:.2f} times total x all; the three figures agree with {decode:.1f} decode GPUs of {chips} in all.",
        why="Both columns hold the total, so output and input throughput of the deployment are not known.",
        do="Use the total throughput; look up the split of the GPUs in the workflow run.",
    )
    return {"accelerators": chips, "disaggregated": True, "flags": [flag], "total_tokens_per_s": total * chips}


def _latencies(row: dict[str, str]) -> Row:
    found: Row = {}
    for name, key in LATENCIES.items():
        for printed, statistic in STATISTICS.items():
            found[f"{key}_{statistic}"] = milliseconds(row.get(f"{printed}_{name}", ""))
    return found


def _energy(row: dict[str, str]) -> Row:
    return {
        "power_w_per_accelerator": number(row["avg_power_w"]),
        "joules_per_output_token": number(row["joules_per_output_token"]),
        "joules_per_total_token": number(row["joules_per_total_token"]),
    }


def _energy_flag(row: dict[str, str], layout: Row) -> list[Flag]:
    """A flag where power per GPU and throughput per GPU do not give the stated energy per token."""
    power, energy = number(row["avg_power_w"]), number(row["joules_per_total_token"])
    if power is None or energy is None:
        return []
    implied = power / Decimal(row["tput_per_gpu"])
    if abs(implied / energy - 1) <= INVARIANT_TOLERANCE:
        return []
    return [
        Flag(
            kind="energy-mismatch",
            seen=f"{power} W per GPU at {row['tput_per_gpu']} tokens/s per GPU is {implied:.3f} J per token; the "
            f"export states {energy:.3f} J.",
            why=f"The energy was counted over other GPUs than the {layout['accelerators']} of the deployment.",
            do="Do not compare this point's energy with others.",
        )
    ]


CARD = Card(
    slug="inferencex",
    title="InferenceX: DeepSeek-R1-0528 on nine accelerators, October 2025 to June 2026",
    licence=LICENCE,
    licence_url="https://github.com/SemiAnalysisAI/InferenceX/blob/main/LICENSE",
    url=URL,
    attribution=ATTRIBUTION,
    harness=HARNESS,
    metrics={
        "output_tokens_per_s": {
            "definition": "converted: output tokens/s per GPU x the GPUs that decode (all, TP, when aggregated)",
            "unit_in_file": "tokens/s/GPU",
            "denominator": "decode GPUs when disaggregated, else all GPUs",
        },
        "input_tokens_per_s": {
            "definition": "converted: input tokens/s per GPU x the GPUs that prefill (all, TP, when aggregated)",
            "unit_in_file": "tokens/s/GPU",
            "denominator": "prefill GPUs when disaggregated, else all GPUs",
        },
        "total_tokens_per_s": {
            "definition": "converted: total tokens/s per GPU x all GPUs of the deployment",
            "unit_in_file": "tokens/s/GPU",
            "denominator": "all GPUs",
        },
        **passports(
            [f"{key}_{statistic}" for key in LATENCIES.values() for statistic in STATISTICS.values()],
            definition="converted: seconds x 1000",
            unit_in_file="s",
        ),
        "power_w_per_accelerator": {"definition": "as catalogue", "unit_in_file": "W"},
        "joules_per_output_token": {
            "definition": "as catalogue; of the decode GPUs when disaggregated",
            "unit_in_file": "J/token",
        },
        "joules_per_total_token": {"definition": "as catalogue", "unit_in_file": "J/token"},
    },
)
