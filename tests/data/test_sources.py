"""The shipped sources: how many rows, every name known, every metric with its passport."""

from __future__ import annotations

import math

from bench import names
from data.recipes.tables import TRANSCRIPTIONS
from tests.data.published import rows, shipped

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


def test_every_source_has_as_many_rows_as_it_holds() -> None:
    assert {stem: len(shipped()[stem].rows) for stem in COUNTS} == COUNTS


def test_every_name_is_known() -> None:
    found = [row for stem in COUNTS for row in shipped()[stem].rows]
    models = {row["model"] for row in found}
    accelerators = {row.get("accelerator") for row in found} - {None}
    engines = {row.get("engine") for row in found} - {None}
    assert models <= {model.slug for model in names.models()}
    assert accelerators <= {accelerator.slug for accelerator in names.accelerators()}
    assert engines <= {engine.slug for engine in names.engines()}


def test_every_number_is_finite_and_plain() -> None:
    for stem in COUNTS:
        for row in rows(stem):
            for key, cell in row.items():
                if "_per_s" in key or "_ms_" in key:
                    assert not cell or (math.isfinite(float(cell)) and "e" not in cell.lower())


def test_every_source_says_where_it_comes_from() -> None:
    for folder in TRANSCRIPTIONS.iterdir():
        assert (folder / "SOURCE.md").is_file(), f"{folder.name} has no SOURCE.md"
