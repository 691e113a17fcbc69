"""The shipped sources: how many rows, every name known, every row read, the same bytes every time."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench import formats, names
from bench.catalogue import is_metric
from bench.formats.reading import SourceFile
from bench.formats.reading.source_card import card_path
from data.recipes.tables import TRANSCRIPTIONS, read
from tests.data.published import rows, shipped

ROOT = TRANSCRIPTIONS.parent.parent

COUNTS = {
    "inferencex-deepseek-r1": 1667,
    "inferencex-gsm8k": 531,
    "inferencex-token-position": 169,
    "inferencex-gaudi": 8,
    "tensorrt-llm-0.17": 373,
    "tensorrt-llm-1.0": 328,
    "tensorrt-llm-latest": 130,
    "tensorrt-llm-online-0.14": 72,
    "tpu-public-qwen3.5-v7x": 13,
    "tpu-public-qwen3.5-mi355x": 21,
    "tpu-public-recipes": 15,
    "ibm-llm-pilot": 526,
    "mlperf-inference": 1310,
}
TRANSCRIBED = {
    "inferencex/benchmarks_latest.csv": 435,
    "inferencex/benchmarks_history.csv": 1462,
    "inferencex/evaluations_gsm8k.csv": 531,
    "inferencex/token_position_decode_slo.csv": 169,
    "inferencex/glm47_gaudi3_bf16_1k1k.csv": 8,
    "tensorrt-llm/max_throughput_v0.17.csv": 373,
    "tensorrt-llm/max_throughput_v1.0.csv": 328,
    "tensorrt-llm/max_throughput_per_gpu_latest.csv": 130,
    "tensorrt-llm/online_serving_v0.14_bf16.csv": 72,
    "tpu-public/inferencex_tpuv7_qwen35.csv": 13,
    "tpu-public/qwen35_tpuv7_vs_mi355x.csv": 34,
    "tpu-public/tpu_published_points.csv": 15,
    "ibm-llm-pilot/llm_pilot_aggregated.csv": 526,
    "mlperf/mlperf_llm_v5.0_v5.1_v6.0.csv": 1310,
}


@pytest.mark.parametrize(("stem", "count"), COUNTS.items())
def test_every_source_has_as_many_rows_as_it_holds(stem: str, count: int) -> None:
    assert len(shipped()[stem].rows) == count


@pytest.mark.parametrize(("file", "count"), TRANSCRIBED.items())
def test_transcriptions_are_whole(file: str, count: int) -> None:
    assert len(read(*file.split("/"))) == count


@pytest.mark.parametrize("stem", COUNTS)
def test_every_name_is_known(stem: str) -> None:
    found = shipped()[stem].rows
    models = {row["model"] for row in found}
    accelerators = {row.get("accelerator") for row in found} - {None}
    engines = {row.get("engine") for row in found} - {None}
    assert models <= {model.slug for model in names.models()}
    assert accelerators <= {accelerator.slug for accelerator in names.accelerators()}
    assert engines <= {engine.slug for engine in names.engines()}


@pytest.mark.parametrize("stem", COUNTS)
def test_every_row_is_read_and_every_metric_has_a_passport(stem: str, tmp_path: Path) -> None:
    path = shipped()[stem].write(tmp_path)
    file = SourceFile(path, (card_path(path),))
    reading = formats.recognise(file).read(file)
    points = sum(batch.num_rows for batch in reading.batches())
    assert reading.refusals == []
    assert points + (reading.scores.num_rows if reading.scores else 0) == COUNTS[stem]
    card = shipped()[stem].card
    measured = {key for key in shipped()[stem].columns() if is_metric(key)}
    assert measured <= set(card.metrics)


def test_every_number_is_finite_and_plain() -> None:
    for stem in COUNTS:
        for row in rows(stem):
            for key, cell in row.items():
                if "_per_s" in key or "_ms_" in key:
                    assert not cell or (math.isfinite(float(cell)) and "e" not in cell.lower())


@pytest.mark.long
def test_recipes_write_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    written = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        subprocess.run(
            [sys.executable, "-m", "data.recipes", "--out", str(folder)],
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        written.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert written[0] == written[1]
    assert {f"{stem}.csv" for stem in COUNTS} <= written[0].keys()
    assert {f"{stem}.source.toml" for stem in COUNTS} <= written[0].keys()


def test_every_source_says_where_it_comes_from() -> None:
    for folder in TRANSCRIPTIONS.iterdir():
        assert (folder / "SOURCE.md").is_file(), f"{folder.name} has no SOURCE.md"
