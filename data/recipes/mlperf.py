"""MLPerf Inference v5.0, v5.1 and v6.0, closed division: results of the language-model benchmarks.

MLPerf's figures stay metrics of their own. Figures per accelerator are not MLPerf results and are not made here.
"""

from __future__ import annotations

import re

from bench import names
from bench.records import Flag
from data.recipes.tables import Card, Row, Table, number, read

EXPORTS = (
    "https://github.com/openshift-psap/performance-dashboard/tree/71007029fb5bced1d79808e7e64dc4c2af82ea55/mlperf-data"
)
PUBLISHED = {"5.0": "2025-04-02", "5.1": "2025-09-09", "6.0": "2026-04-01"}
METRICS = {"Tokens/s": "mlperf_tokens_per_s", "Samples/s": "mlperf_samples_per_s", "Queries/s": "mlperf_queries_per_s"}
MODELS = {"vlm": "qwen3-vl-235b-a22b"}
CHIPS_PER_CARD = 2
SLOWEST_SERVER_TOKENS_PER_S = 100
"""Below this a v6.0 Llama 3.1 8B figure cannot be tokens: the same systems made 130 times as many a round earlier."""


def tables() -> tuple[Table, ...]:
    """The 1,310 results."""
    rows = read("mlperf", "mlperf_llm_v5.0_v5.1_v6.0.csv")
    seen: dict[tuple[str, ...], int] = {}
    points = []
    for row in rows:
        key = tuple(row[column] for column in ("round", "public_id", "system", "model", "scenario"))
        seen[key] = seen.get(key, 0) + 1
        points.append(_point(row, *_benchmark(row, seen[key])))
    return (Table("mlperf-inference", CARD, points),)


def _benchmark(row: dict[str, str], place: int) -> tuple[str, str]:
    """The benchmark and scenario as MLCommons files them.

    In v5.0 interactive Llama 2 is a benchmark of its own with an Offline and a Server result; the transcription
    calls both Interactive and keeps their order.
    """
    scenario = row["scenario"].lower()
    if row["round"] == "5.0" and scenario == "interactive":
        return row["model"].replace("-70b-", "-70b-interactive-"), ("offline", "interactive")[place - 1]
    return row["model"], scenario


def _point(row: dict[str, str], benchmark: str, scenario: str) -> Row:
    chips, notes = _chips(row)
    if benchmark != row["model"]:
        notes.append(f"Benchmark {benchmark}, MLPerf scenario {'Offline' if scenario == 'offline' else 'Server'}.")
    if row["availability"].lower() != "available":
        notes.append(f"Availability: {row['availability'].lower()}.")
    return {
        "model": MODELS.get(row["model"]) or names.model_slug(row["model"]),
        "accelerator": _accelerator(row),
        "accelerators": chips,
        "nodes": int(row["nodes"]),
        "variant": " | ".join((row["organization"], row["system"], row["public_id"])),
        "dataset": f"mlperf {benchmark}",
        "load_kind": "scenario",
        "scenario": scenario,
        "harness_version": row["round"],
        "evidence": "measured",
        "origin": "published",
        "date": PUBLISHED[row["round"]],
        "source_url": _results(row),
        "note": " ".join(notes) or None,
        "flags": _doubtful_unit(row),
        METRICS[row["unit"]]: number(row["result"]),
    }


def _accelerator(row: dict[str, str]) -> str | None:
    """The accelerator's slug; `cpu` where the system has none, None where it mixes several kinds."""
    stated = row["accelerator"]
    if stated in ("", "N/A"):
        return "cpu"
    kinds = set(re.findall(r"MI\d+X", stated))
    if len(kinds) > 1:
        return None
    if "B60 Dual" in stated:
        return "arc-pro-b60"
    return names.accelerator_slug(re.sub(r" \((?:x\d+|Power Cap.*)\)$", "", stated))


def _chips(row: dict[str, str]) -> tuple[int | None, list[str]]:
    """How many physical chips ran, and how the count was read; None where the export states none."""
    if not row["accelerator_count"]:
        return None, []
    count, nodes = int(row["accelerator_count"]), int(row["nodes"])
    notes = []
    if row["round"] != "6.0" and nodes > 1:
        notes.append(f"The export counts accelerators per node: {nodes} nodes of {count}.")
        count *= nodes
    if "B60 Dual" in row["accelerator"]:
        notes.append(f"{count} cards of {CHIPS_PER_CARD} chips.")
        count *= CHIPS_PER_CARD
    if (
        row["accelerator"].startswith("Virtualized")
        or "Power Cap" in row["accelerator"]
        or " and " in row["accelerator"]
    ):
        notes.append(f"{row['accelerator']}.")
    return count, notes


def _results(row: dict[str, str]) -> str:
    """Where MLCommons publishes the round; v5.1 and v6.0 exports also name the submitter's folder."""
    repository = f"https://github.com/mlcommons/inference_results_v{row['round']}"
    return repository if row["round"] == "5.0" else f"{repository}/tree/main/closed/{row['organization']}"


def _doubtful_unit(row: dict[str, str]) -> list[Flag]:
    """A flag where the export's unit cannot be what the figure counts, judged by the same benchmark's other rounds."""
    labelled_requests = row["unit"] != "Tokens/s" and row["model"] != "vlm"
    small = (
        row["round"] == "6.0" and row["model"] == "llama3.1-8b" and float(row["result"]) < SLOWEST_SERVER_TOKENS_PER_S
    )
    if not labelled_requests and not small:
        return []
    other = "tokens per second" if labelled_requests else "samples or queries per second"
    return [
        Flag(
            kind="unit-doubtful",
            seen=f"The export labels {row['result']} as {row['unit']}; the same benchmark in other rounds gives "
            f"figures of this size only in {other}.",
            why="A result in samples and one in tokens differ by the answer's length, a factor of a hundred or more.",
            do="Compare it only with results of the same round and unit; look the unit up in MLCommons' result table.",
        )
    ]


CARD = Card(
    slug="mlperf",
    title="MLPerf Inference v5.0, v5.1 and v6.0, closed division: language models",
    licence="Apache-2.0 (the repository that holds the exports); results by MLCommons under its messaging rules",
    licence_url="https://github.com/mlcommons/policies/blob/master/MLPerf_Results_Messaging_Guidelines.adoc",
    url=EXPORTS,
    attribution="MLPerf Inference v5.0, v5.1, v6.0, closed division; each row carries its entry's public id. The "
    "MLPerf name and logo are trademarks of MLCommons Association. Figures per accelerator or per dollar that "
    "Kneepoint derives are not MLPerf results and were not verified by MLCommons.",
    harness="mlperf-inference",
    metrics={
        key: {
            "definition": "a metric of its own: as published, unit as the export labels it",
            "unit_in_file": unit,
            "denominator": "whole system",
            "window": "as the scenario's rules say",
        }
        for unit, key in METRICS.items()
    },
)
