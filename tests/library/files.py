"""Result files that the tests of the library import."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

ROW = {
    "model": "llama-3.1-70b",
    "engine": "vllm",
    "engine_version": "0.6",
    "accelerator": "h100-sxm",
    "accelerators": 8,
    "tp": 8,
    "isl": 1024,
    "osl": 512,
    "load_kind": "closed",
    "concurrency": 4,
    "output_tokens_per_s": 800.0,
    "evidence": "measured",
    "source": "made",
    "date": "2026-01-01",
}
SCORE = {
    "model": "llama-3.1-70b",
    "benchmark": "gsm8k",
    "metric": "exact_match",
    "value": 0.9,
    "direction": "higher",
    "source": "made",
}


def table(path: Path, *rows: dict[str, object], base: dict[str, object] = ROW) -> Path:
    """A published table of these rows, each laid over `base`; None leaves a cell empty."""
    return published(path, [{**base, **row} for row in rows])


def published(path: Path, rows: Sequence[dict[str, object]]) -> Path:
    """A published table of these rows as they are; None, and what a row does not name, leaves a cell empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, names, restval="")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(out.getvalue())
    return path


def sweep(path: Path, number: int, points: int = 3) -> Path:
    """A table of one deployment at several loads; another number is another table."""
    rows = [{"concurrency": 2**n, "output_tokens_per_s": 100.0 * number + n + 1} for n in range(points)]
    return table(path / f"sweep{number}.csv", *rows)


def entries(path: Path) -> list[dict[str, object]]:
    """The entries of a ledger."""
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
