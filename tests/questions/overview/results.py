"""Tables of results for the tests of the overview."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bench.library import Library
from tests.library.files import published

Row = dict[str, object]


def point(throughput: float, tpot: float, chip: str = "h100-sxm", **facts: object) -> Row:
    return {
        "model": "llama-3.1-70b",
        "precision": "fp8",
        "engine": "vllm",
        "accelerator": chip,
        "accelerators": 2,
        "isl": 1024,
        "osl": 256,
        "concurrency": 8,
        "evidence": "measured",
        "date": "2026-01-31",
        "output_tokens_per_s": throughput,
        "tpot_ms_p50": tpot,
        **facts,
    }


SMALL = [
    point(200, 20),
    point(180, 20, engine_version="0.9"),
    point(500, 10, "h200-sxm", date="2026-02-21"),
    point(300, 40, concurrency=16),
    point(400, 25, "h200-sxm", concurrency=16, date="2026-02-28"),
    point(9000, 1, "h200-sxm", evidence="projected"),
    point(60, 50, "tpu-v6e", model="gemma-4-31b"),
    point(5000, 8, "b200-sxm", engine="sglang"),
]
"""H100 gives 100 per chip at concurrency 8 and H200 250; at 16 they are 150 and 200; a projection beats all."""


def library_of(folder: Path, rows: Sequence[Row]) -> Library:
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([published(folder / "made.csv", [*rows])]).refused
    return library
