"""Public TPU serving results, and the MI355X curves InferenceX published for the same model and workload.

A TPU v7x chip has two TensorCores and its TP counts them: TP8 is four chips. A v6e chip has one.
"""

from __future__ import annotations

import re

from bench import names
from bench.records import Flag
from data.recipes.tables import Card, Row, Table, milliseconds, number, passports, read, times

APP = "https://github.com/SemiAnalysisAI/InferenceX-app"
BLOG = (
    "https://github.com/vngcloud/InferenceX-app/blob/7fe6d62ad57a3df061be692e86578c7111d880c7/packages/app/content/blog/"
    "mi355x-qwen3-5-sglang-v0-5-12-up-to-17x.mdx"
)
RECIPES = "https://github.com/AI-Hypercomputer/tpu-recipes"
COMPARISON = "qwen35_tpuv7_vs_mi355x.csv"
CORES_PER_CHIP = {"TPU v7x": 2, "TPU v6e": 1}
STATISTICS = {"mean": "mean", "median": "p50", "p99": "p99"}
PREVIEW = Flag(
    kind="unofficial",
    seen="An unofficial preview run of 2026-08-03, kept upstream as a test fixture; its workflow run is private.",
    why="Nobody outside can check how it was made, and the published snapshot of the same setup is up to 25 % faster.",
    do="Prefer the published snapshot.",
)
COLD = Flag(
    kind="cold-start",
    seen="The document calls the run warmed, yet mean TTFT includes about 50 s of graph loading; another run of the "
    "same workload reports 723.91 output tokens/s, this one 315.92.",
    why="The figures describe a start, not serving.",
    do="Do not compare it with warmed runs.",
)
LOST = Flag(
    kind="requests-unaccounted",
    seen="The document says 320 requests were submitted and 315 of 315 were successful.",
    why="Five requests are unaccounted for, so latencies may leave out the slowest.",
    do="Treat the latencies as a lower bound.",
)


def tables() -> tuple[Table, ...]:
    """Three tables: 13 points of TPU v7x, 21 of MI355X, 15 single points of TPU recipes."""
    comparison = [row for row in read("tpu-public", COMPARISON) if row["accelerator"] == "MI355X"]
    return (
        Table(
            "tpu-public-qwen3.5-v7x",
            CARD_V7X,
            [_v7x_point(row) for row in read("tpu-public", "inferencex_tpuv7_qwen35.csv")],
        ),
        Table("tpu-public-qwen3.5-mi355x", CARD_MI355X, [_mi355x_point(row) for row in comparison]),
        Table(
            "tpu-public-recipes",
            CARD_RECIPES,
            [_recipe_point(row) for row in read("tpu-public", "tpu_published_points.csv")],
        ),
    )


def _measured(**row: object) -> Row:
    return {**row, "evidence": "measured", "origin": "published"}


def _v7x_point(row: dict[str, str]) -> Row:
    chips = int(row["chips"])
    preview = "preview" in row["status"]
    point = _measured(
        model="qwen3.5-397b-a17b",
        precision=row["precision"],
        engine=row["engine"],
        accelerator="tpu-v7x",
        accelerators=chips,
        devices=chips * CORES_PER_CHIP["TPU v7x"],
        tp=int(row["tp"]),
        dp=int(row["dp"]),
        variant="preview run 2026-08-03" if preview else "snapshot 250052d4",
        isl=int(row["isl"]),
        osl=int(row["osl"]),
        dataset="random",
        load_kind="closed",
        concurrency=int(row["concurrency"]),
        harness="inferencex",
        date=row["date"] or None,
        source_url=f"{APP}/blob/{row['commit']}/{row['source_file']}",
        note=None if preview else "August 2026 by its commit; the day of the run is not stated.",
        restated_in=[COMPARISON],
        flags=[PREVIEW] if preview else [],
        output_tokens_per_s=times(number(row["output_tput_per_chip"]), chips),
        input_tokens_per_s=times(number(row["input_tput_per_chip"]), chips),
        total_tokens_per_s=times(number(row["total_tput_per_chip"]), chips),
        e2el_ms_p50=milliseconds(row["median_e2e_s"]),
        e2el_ms_p99=milliseconds(row["p99_e2e_s"]),
    )
    for printed, statistic in STATISTICS.items():
        point[f"ttft_ms_{statistic}"] = milliseconds(row[f"{printed}_ttft_s"])
        point[f"tpot_ms_{statistic}"] = milliseconds(row[f"{printed}_tpot_s"])
    return point


def _mi355x_point(row: dict[str, str]) -> Row:
    chips = int(row["accelerator_count"])
    return _measured(
        model=names.model_slug(row["model"]),
        precision=row["precision"],
        engine=row["engine"],
        engine_version=row["engine_version"].removeprefix("v"),
        accelerator="mi355x",
        accelerators=chips,
        nodes=1,
        tp=chips,
        disaggregated=False,
        isl=int(row["isl"]),
        osl=int(row["osl"]),
        dataset="random",
        load_kind="closed",
        concurrency=int(row["concurrency"]),
        harness="inferencex",
        date=row["date"],
        source_url=BLOG,
        total_tokens_per_s=times(number(row["total_tput_per_accel"]), chips),
        tpot_ms_p50=number(row["tpot_ms"]),
    )


def _recipe_point(row: dict[str, str]) -> Row:
    chips = int(row["chips"]) if row["chips"].isdigit() else None
    precision, _, speculation = row["precision"].lower().partition("+")
    engine, _, version = row["engine"].partition(" ")
    return _measured(
        model=names.model_slug(row["model"]),
        checkpoint=row["model"] if "/" in row["model"] else None,
        precision=precision.split()[0] if precision and not precision.startswith("default") else None,
        engine=engine,
        engine_version=version or None,
        accelerator=names.accelerator_slug(row["accelerator"]),
        accelerators=chips,
        devices=chips and chips * CORES_PER_CHIP[row["accelerator"]],
        tp=_tensor_parallel(row["parallelism"]),
        speculation=speculation or _no_speculation(row),
        harness="inferencex" if "ironwood" in row["url_or_path"] else "vllm-bench",
        date=row["date"] if len(row["date"]) == len("2026-04-28") else None,
        source_url=_recipe_url(row),
        note=_recipe_note(row),
        flags=_recipe_flags(row),
        requests_ok=int(row["num_prompts"]) if "successful" in row["note"] else None,
        **_recipe_load(row),
        **_recipe_metrics(row),
    )


def _recipe_flags(row: dict[str, str]) -> list[Flag]:
    flags = [COLD] if "50 s graph load" in row["note"] else []
    return [*flags, LOST] if "315/315" in row["note"] else flags


def _tensor_parallel(parallelism: str) -> int | None:
    stated = re.match(r"TP=(\d+)", parallelism)
    return int(stated.group(1)) if stated else None


def _no_speculation(row: dict[str, str]) -> str | None:
    return "none" if "non-speculative" in row["note"] else None


def _recipe_load(row: dict[str, str]) -> Row:
    """Lengths and load: a length in words is the data set's, `~6256` is what was counted."""
    load: Row = {}
    if row["isl"].isdigit():
        load |= {"isl": int(row["isl"]), "osl": int(row["osl"]), "dataset": "random"}
    elif row["isl"].startswith("~"):
        load |= {"isl_actual": int(row["isl"][1:]), "osl": int(row["osl"]), "dataset": "prefix-repetition"}
    else:
        load |= {"dataset": row["isl"].lower()}
    if row["concurrency"].isdigit():
        return {**load, "load_kind": "closed", "concurrency": int(row["concurrency"])}
    rate = re.match(r"rate (\d+) rps", row["concurrency"])
    if rate:
        return {**load, "load_kind": "open", "request_rate": int(rate.group(1))}
    return {**load, "load_kind": "saturated"}


def _recipe_metrics(row: dict[str, str]) -> Row:
    found: Row = {
        "output_tokens_per_s": number(row["output_tput_tok_s"]),
        "total_tokens_per_s": number(row["total_tput_tok_s"]),
        "peak_output_tokens_per_s": number(row["peak_output_tput_tok_s"]),
        "itl_ms_p50": number(row["median_itl_ms"]),
    }
    for printed, statistic in STATISTICS.items():
        found[f"ttft_ms_{statistic}"] = number(row[f"{printed}_ttft_ms"])
        found[f"tpot_ms_{statistic}"] = number(row[f"{printed}_tpot_ms"])
    return found


def _recipe_url(row: dict[str, str]) -> str:
    place = row["url_or_path"]
    return place if place.startswith("https://") else f"{RECIPES}/blob/{row['commit']}/{place.partition(' ')[0]}"


def _recipe_note(row: dict[str, str]) -> str:
    notes = [f"{row['num_prompts']} prompts.", f"{row['note'][:1].upper()}{row['note'][1:].rstrip('.')}."]
    if "default dtype" in row["precision"]:
        notes.append("Default dtype, no quantization flag.")
    if row["chips"] == "not stated":
        notes.append("Chips not stated; the author says TP=1 would run out of memory.")
    if "commit" in row["date"] or len(row["date"]) == len("2026-06"):
        notes.append(f"Dated {row['date']}.")
    if "unmerged" in row["url_or_path"]:
        notes.append("From a branch that was not merged.")
    return " ".join(notes)


GPL_FACTS = "facts re-encoded; no licence is stated for the figures (InferenceX-app is GPL-3.0)"
GPL_TEXT = f"{APP}/blob/master/LICENSE"
CARD_V7X = Card(
    slug="tpu-public",
    title="Qwen3.5-397B-A17B FP8 on TPU v7x, InferenceX, August 2026",
    url=APP,
    licence=GPL_FACTS,
    licence_url=GPL_TEXT,
    attribution="InferenceX-app by SemiAnalysis: TPU v7 snapshot (7 points) and preview fixture (6 points).",
    metrics={
        **passports(
            ["output_tokens_per_s", "input_tokens_per_s", "total_tokens_per_s"],
            definition="converted: tokens/s per chip x 4 chips; TP8 counts TensorCores, two per chip",
            unit_in_file="tokens/s/chip",
            denominator="all chips",
        ),
        **passports(
            [f"{name}_ms_{s}" for name in ("ttft", "tpot", "e2el") for s in STATISTICS.values()],
            definition="converted: seconds x 1000",
            unit_in_file="s",
        ),
    },
)
CARD_MI355X = Card(
    slug="tpu-public",
    title="Qwen3.5-397B-A17B FP8 on MI355X, InferenceX, February to May 2026",
    url=BLOG,
    licence=GPL_FACTS,
    licence_url=GPL_TEXT,
    attribution="InferenceX blog by SemiAnalysis, 2026-05-25.",
    metrics={
        "total_tokens_per_s": {
            "definition": "converted: total tokens/s per GPU x all GPUs",
            "unit_in_file": "tokens/s/GPU",
            "denominator": "all GPUs",
        },
        "tpot_ms_p50": {
            "definition": "as catalogue; the post names no statistic, the dashboard it quotes plots the median",
            "unit_in_file": "ms",
        },
    },
)
CARD_RECIPES = Card(
    slug="tpu-public",
    title="TPU recipes: single serving results on TPU v6e and v7x, 2026",
    licence="Apache-2.0",
    licence_url=f"{RECIPES}/blob/main/LICENSE",
    url=RECIPES,
    attribution="AI-Hypercomputer/tpu-recipes; README samples, two unmerged branches and pull request 243.",
    metrics={
        **passports(
            ["output_tokens_per_s", "total_tokens_per_s"],
            definition="as catalogue; Qwen3 figures printed per chip are the whole deployment's here",
            unit_in_file="tokens/s",
            denominator="whole deployment",
            window="whole run",
        ),
        "peak_output_tokens_per_s": {"definition": "as catalogue", "unit_in_file": "tokens/s"},
        **passports(
            [f"{name}_ms_{s}" for name in ("ttft", "tpot", "itl") for s in STATISTICS.values()],
            definition="as catalogue",
            unit_in_file="ms",
        ),
        **passports(["requests_ok", "requests_failed"], definition="as catalogue", unit_in_file="requests"),
    },
)
