"""A synthetic library, larger than any real one; every point says in its source and note that it is synthetic.

Made with the library's own writer, so it lies on disk as imports would have left it; nothing was merged. It lives in
a temporary folder while the measurements run and never ships.
"""

from __future__ import annotations

import atexit
import datetime
import hashlib
import math
import os
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

from bench.catalogue import COMMON_STATISTICS
from bench.formats.reading import Reading
from bench.formats.reading.point_table import POINT_COLUMNS, passports_table
from bench.library.importing.batch import publish_pack
from bench.library.packs import HeldSource, PackWriter
from bench.library.rows import SourceRows
from bench.library.runs import Runs
from bench.library.store import Root
from bench.records import Passport

PACKS, PACK_ROWS = 200, 5_000
FILLED_METRICS, ALL_METRICS = 20, 90
NOTE = "Synthetic: made up to measure Kneepoint with, not a result of anything."
FORMAT = "synthetic"
QUESTIONS = ("heatmap", "pareto", "scaling", "crossover", "cost")
"""What it is asked, of all of its points."""

LENGTHS = (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)
OUTPUTS = (64, 128, 256, 512, 1024, 2048, 4096, 8192)
LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
DEPLOYMENTS = PACK_ROWS // (50 * len(LOADS))

MODELS = (
    "deepseek-r1",
    "llama-3.1-8b",
    "llama-3.1-70b",
    "llama-3.1-405b",
    "llama-3.3-70b",
    "gpt-oss-120b",
    "qwen3-235b-a22b",
    "mixtral-8x7b",
)
ACCELERATORS = {"h100-sxm": 1.0, "h200-sxm": 1.2, "b200-sxm": 2.3, "mi300x": 1.1, "mi355x": 2.1, "tpu-v6e": 0.7}
ENGINES = {"vllm": ("0.8.5", "0.9.2", "0.10.1"), "sglang": ("0.4.9", "0.5.1"), "tensorrt-llm": ("0.17", "0.21", "1.0")}
PRECISIONS = ("bf16", "fp8", "fp4")

IN_EVERY_ROW = (
    "output_tokens_per_s",
    "total_tokens_per_s",
    "requests_per_s",
    "ttft_ms_p50",
    "tpot_ms_p50",
    "e2el_ms_p50",
)
FIGURES = (
    "input_tokens_per_s output_tokens_per_s_active peak_output_tokens_per_s goodput_requests_per_s"
    " output_tokens_per_s_per_accelerator input_tokens_per_s_per_accelerator total_tokens_per_s_per_accelerator"
    " ttft_cold_ms ttft_cached_ms duration_s requests_ok requests_failed input_tokens output_tokens"
    " power_w_per_accelerator joules_per_output_token joules_per_total_token"
).split()
DISTRIBUTIONS = ("ttft_ms", "tpot_ms", "itl_ms", "e2el_ms", "ntpot_ms", "first_event_ms", "decode_step_ms")
SPREAD = {
    "mean": 1.08,
    "std": 0.2,
    "min": 0.6,
    "p25": 0.85,
    "p50": 1.0,
    "p75": 1.15,
    "p90": 1.4,
    "p95": 1.6,
    "p99": 2.3,
    "p99_9": 3.1,
    "max": 3.4,
}


@cache
def _home() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="kneepoint-synthetic-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def library_of_a_million() -> Path:
    """A copy of the synthetic library, by hard links: 1,000,000 points in 200 packs. Made once in each run."""
    made = _made()
    copy = Path(tempfile.mkdtemp(prefix="copy-", dir=_home())) / "library"
    shutil.copytree(made, copy, copy_function=os.link)
    return copy


@cache
def _made() -> Path:
    root = Root(_home() / "million", writable=True)
    for number in range(PACKS):
        staging = root.staging / str(number)
        staging.mkdir(parents=True)
        writer = PackWriter(staging)
        held = HeldSource(source_id(number), f"synthetic-{number:03}.csv", FORMAT, "2026-01-01T00:00:00+00:00")
        reading = Reading(FORMAT, points(number), passports=_passports(), about={"title": NOTE})
        held = SourceRows(held, {}, Runs()).write(reading, writer)
        publish_pack(writer.close([held]), root)
    shutil.rmtree(root.staging)
    return root.path


def source_id(number: int) -> str:
    """The source id of a made-up file."""
    return hashlib.sha256(f"synthetic {number}".encode()).hexdigest()


def metric_keys() -> tuple[str, ...]:
    """The ninety metrics, the six of every row first."""
    statistics = [f"{base}_{name}" for base in DISTRIBUTIONS for name in SPREAD]
    rest = [key for key in (*FIGURES, *statistics) if key not in IN_EVERY_ROW]
    return (*IN_EVERY_ROW, *rest[: ALL_METRICS - len(IN_EVERY_ROW)])


def points(number: int, rows: int = PACK_ROWS) -> pa.Table:
    """The points of one made-up file: ten deployments, fifty workloads, ten loads, as a format would hand them over.

    24 dimension columns are filled, and 20 metrics of each row: six always, fourteen more by turns of workloads.
    """
    chance = np.random.default_rng(number)
    row = np.arange(rows)
    deployment, workload, load = row // 500 % DEPLOYMENTS, row // len(LOADS) % 50, row % len(LOADS)
    columns = _dimensions(number, deployment, workload, load, chance)
    measured = _metrics(columns, workload, chance)
    stated = {key: pa.array(values, type=POINT_COLUMNS[key]) for key, values in columns.items()}
    labels = {"locator": pa.array([f"row {place + 2}" for place in range(rows)])}
    labels |= {"source": pa.repeat(pa.scalar("synthetic"), rows), "note": pa.repeat(pa.scalar(NOTE), rows)}
    return pa.table({**stated, **labels, **measured})


def _dimensions(number: int, deployment: Any, workload: Any, load: Any, chance: Any) -> dict[str, Any]:
    def drawn(choices: Any) -> Any:
        return np.asarray(choices)[chance.integers(len(choices), size=DEPLOYMENTS)][deployment]

    engine = drawn(sorted(ENGINES))
    versions = {name: chance.choice(ENGINES[name]) for name in ENGINES}
    chips, precision, lengths = drawn((1, 2, 4, 8, 16)), drawn(PRECISIONS), chance.permutation(9 * 8)[:50]
    model = drawn(MODELS)
    rows = len(deployment)
    return {
        "model": model,
        "checkpoint": np.char.add("synthetic/", model),
        "precision": precision,
        "kv_precision": np.where(precision == "bf16", "bf16", "fp8"),
        "engine": engine,
        "engine_version": np.vectorize(versions.__getitem__)(engine),
        "accelerator": drawn(sorted(ACCELERATORS)),
        "accelerators": chips,
        "devices": chips,
        "nodes": np.maximum(chips // 8, 1),
        "tp": np.minimum(chips, 8),
        "pp": np.maximum(chips // 8, 1),
        "dp": np.ones(rows, int),
        "ep": np.where(model == "deepseek-r1", chips, 1),
        "variant": np.char.add("layout ", deployment.astype(str)),
        "isl_requested": np.asarray(LENGTHS)[lengths[workload] % 9],
        "osl_requested": np.asarray(OUTPUTS)[lengths[workload] // 9],
        "dataset": ["random"] * rows,
        "load_kind": ["closed"] * rows,
        "concurrency": np.asarray(LOADS)[load],
        "harness": ["synthetic"] * rows,
        "evidence": np.where(deployment == 9, "simulated", "measured"),
        "origin": ["published"] * rows,
        "date": [datetime.date(2025, 1, 1) + datetime.timedelta(days=3 * number)] * rows,
    }


def _metrics(columns: Mapping[str, Any], workload: Any, chance: Any) -> dict[str, pa.Array]:
    rows = len(workload)
    speed = np.vectorize(ACCELERATORS.__getitem__)(columns["accelerator"]) * columns["accelerators"] ** 0.9
    users, isl, osl = columns["concurrency"], columns["isl_requested"], columns["osl_requested"]
    tpot = (6 + 0.4 * users + isl / 4000) / speed * chance.uniform(0.9, 1.1, rows)
    ttft = (20 + isl * (1 + users / 16) / 20) / speed * chance.uniform(0.9, 1.1, rows)
    e2el = ttft + tpot * (osl - 1)
    output = 1000 * users * osl / e2el
    levels = {
        "output_tokens_per_s": output,
        "total_tokens_per_s": output * (isl + osl) / osl,
        "requests_per_s": output / osl,
        "ttft_ms": ttft,
        "tpot_ms": tpot,
        "itl_ms": tpot,
        "e2el_ms": e2el,
        "ntpot_ms": e2el / osl,
        "first_event_ms": ttft * 0.9,
        "decode_step_ms": tpot * 0.95,
    }
    turn = workload % 6
    made = {}
    for place, key in enumerate(metric_keys()):
        values = _level(key, levels, output / columns["accelerators"], chance)
        if place >= len(IN_EVERY_ROW):
            values = np.where(turn == (place - len(IN_EVERY_ROW)) % 6, values, math.nan)
        made[key] = pa.array(values, from_pandas=True)
    return made


def _level(key: str, levels: Mapping[str, Any], otherwise: NDArray[np.float64], chance: Any) -> NDArray[np.float64]:
    if key in levels:
        return np.asarray(levels[key])
    base = next((base for base in DISTRIBUTIONS if key.startswith(f"{base}_")), None)
    if base is None:
        return otherwise * chance.uniform(0.5, 2.0, len(otherwise))
    return np.asarray(levels[base] * SPREAD[key.removeprefix(f"{base}_")])


def _passports() -> pa.Table:
    common = [f"{base}_{name}" for base in ("ttft_ms", "tpot_ms") for name in COMMON_STATISTICS]
    return passports_table([Passport(key, FORMAT, unit_in_file="ms") for key in common])


def published_csv(path: Path, rows: int, number: int) -> Path:
    """Some synthetic points as a table in the published format, as a person would write it down."""
    table = points(PACKS + number, rows).drop_columns(["locator"])
    names = [{"isl_requested": "isl", "osl_requested": "osl"}.get(name, name) for name in table.column_names]
    csv.write_csv(table.rename_columns(names), path)
    return path
