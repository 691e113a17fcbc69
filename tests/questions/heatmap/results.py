"""Tables of results for the heatmap's tests, and the questions asked of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.library import Library
from bench.questions import Answer
from bench.questions.heatmap.result import Cell, Heatmap
from bench.view import View
from tests.library.files import published

Row = dict[str, object]


def point(isl: int, osl: int, throughput: float | None = None, **facts: object) -> Row:
    return {
        "model": "llama-3.1-70b",
        "precision": "fp8",
        "engine": "vllm",
        "engine_version": "0.17",
        "accelerator": "h100-sxm",
        "accelerators": 4,
        "tp": 4,
        "isl": isl,
        "osl": osl,
        "load_kind": "closed",
        "concurrency": 16,
        "evidence": "measured",
        "date": "2026-03-01",
        "output_tokens_per_s": throughput,
        **facts,
    }


SMALL = [
    point(128, 128, 90, repeat=1),
    point(128, 128, 400, repeat=2),
    point(128, 128, 100, repeat=3),
    point(128, 128, 120, concurrency=64),
    point(1024, 128, 60),
    point(128, 1024, requests_ok=0, requests_failed=32),
    point(1024, 1024, ttft_ms_p50=50),
    point(128, 128, 180, accelerators=8, tp=8),
    point(128, 128, 9000, load_kind="saturated", concurrency=None),
    point(128, 128, 8000, evidence="projected"),
    point(128, 128, 7000, load_kind="batch", concurrency=None, batch=8),
    {**point(128, 128, 6000), "isl": None},
]
"""One panel of 4 chips and one of 8, worked out by hand.

At 4 chips: 128/128 was run three times at concurrency 16 (90, 100, 400: the middle one stands) and once at 64 (120, the
best); 1024/128 gave 60; 128/1024 failed; 1024/1024 has a latency and no throughput. At 8 chips only 128/128.
"""

LEVELS = [
    point(128, 128, 10 * level, concurrency=level, ttft_ms_p50=level if level < 16 else None)
    for level in (1, 2, 4, 8, 16, 32)
]
"""Six levels of load, of which the lower four state their TTFT."""

SIDES = {"ratio_by": "accelerator", "ratio_a": "h200-sxm", "ratio_b": "h100-sxm"}


def flag(*kinds: str) -> str:
    """Flags as a table holds them."""
    return json.dumps([{"kind": kind, "seen": "seen", "why": "why", "do": "do"} for kind in kinds])


def library_of(folder: Path, rows: list[Row]) -> Library:
    folder.mkdir(exist_ok=True)
    library = Library.open(folder / "library", shipped=False)
    report = library.add([published(folder / "results.csv", rows)])
    assert not report.refused
    return library


def library_of_cases(folder: Path, cases: Mapping[str, Sequence[Row]]) -> Library:
    """One library of many small cases: each is a source of its own, so that what is asked of it hears of no other."""
    return library_of(folder, [{**row, "source": name} for name, rows in cases.items() for row in rows])


def asked(*, slo: tuple[str, ...] = (), **options: str) -> View:
    return View.of({"model": ["llama-3.1-70b"]}, {"x": "isl", "y": "osl", **options}, slo=slo)


def lengths(*throughputs: float, **facts: object) -> list[Row]:
    """One point after the other with these throughputs, at 128, 256, 512 … tokens in and 128 out."""
    return [point(128 * 2**place, 128, one, **facts) for place, one in enumerate(throughputs)]


def beside(*throughputs: float, **facts: object) -> list[Row]:
    """Points of H100 with 100 tokens/s each, and of H200 with these throughputs at the same places."""
    return [*lengths(*[100] * len(throughputs)), *lengths(*throughputs, **{"accelerator": "h200-sxm", **facts})]


def ids(*cells: Cell) -> tuple[str, ...]:
    """The ids of the points that the values of these cells come from."""
    return tuple(one.point_id for cell in cells for one in cell.facts)


def by_place(answer: Answer[Heatmap]) -> dict[tuple[Any, float, float], Cell]:
    return {(cell.panel, cell.x, cell.y): cell for cell in answer.result.cells}
