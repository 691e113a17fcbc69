"""Tables of results for the heatmap's tests, and the questions asked of them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from bench.basis.statement import Statement
from bench.library import Library
from bench.questions import Answer
from bench.questions.heatmap.result import Cell, Heatmap
from bench.view import View


def table(path: Path, rows: list[dict[str, object]]) -> Path:
    """A published table of these rows."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def point(isl: int, osl: int, throughput: float | None = None, **facts: object) -> dict[str, object]:
    return {
        "model": "llama-3.1-70b", "precision": "fp8", "engine": "vllm", "engine_version": "0.17",
        "accelerator": "h100-sxm", "accelerators": 4, "tp": 4, "isl": isl, "osl": osl, "load_kind": "closed",
        "concurrency": 16, "evidence": "measured", "date": "2026-03-01", "output_tokens_per_s": throughput, **facts,
    }  # fmt: skip


def flag(*kinds: str) -> str:
    """Flags as a table holds them."""
    return json.dumps([{"kind": kind, "seen": "seen", "why": "why", "do": "do"} for kind in kinds])


def library_of(folder: Path, rows: list[dict[str, object]]) -> Library:
    folder.mkdir(exist_ok=True)
    library = Library.open(folder / "library", shipped=False)
    report = library.add([table(folder / "results.csv", rows)])
    assert not report.refused
    return library


def asked(*, slo: tuple[str, ...] = (), **options: str) -> View:
    return View.of({"model": ["llama-3.1-70b"]}, {"x": "isl", "y": "osl", **options}, slo=slo)


def by_place(answer: Answer[Heatmap]) -> dict[tuple[Any, float, float], Cell]:
    return {(cell.panel, cell.x, cell.y): cell for cell in answer.result.cells}


def said(answer: Answer[Any], kind: str) -> Statement:
    """The one statement of this kind."""
    (found,) = [one for one in answer.statements if one.kind == kind]
    return found


def kinds(answer: Answer[Any]) -> list[str]:
    """The kinds of all statements."""
    return [one.kind for one in answer.statements]
