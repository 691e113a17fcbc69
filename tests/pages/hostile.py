"""A result file whose names would act, if a page did not show them as text."""

from __future__ import annotations

import csv
from pathlib import Path

MODEL = "<b>Model</b> **x**"
FORMULA = "=cmd|' /C calc'!A0 <img src=x onerror=alert(1)>"
LINK = "[a](javascript:alert(1))"
BACKWARDS = "ev\u202eil"
VERSION = "$x$ :red[v]"
TITLE = "<script>alert(1)</script> *bold* :smile: $y$"

ALIKE = {
    "model": MODEL,
    "precision": "fp8",
    "engine": "vllm",
    "engine_version": VERSION,
    "load_kind": "closed",
    "evidence": "measured",
    "date": "2026-03-02",
    "source": BACKWARDS,
    "note": "_n_",
}
VARYING = (
    "accelerator",
    "accelerators",
    "variant",
    "isl",
    "osl",
    "concurrency",
    "output_tokens_per_s",
    "ttft_ms_p50",
    "tpot_ms_p50",
)
POINTS = (
    ("H100", 4, FORMULA, 1024, 256, 1, 70, 38, 14),
    ("H100", 4, FORMULA, 1024, 256, 16, 840, 96, 18),
    ("H200", 8, LINK, 2048, 256, 16, 1840, 80, 16),
    ("H200", 8, LINK, 2048, 512, 64, 2840, 180, 26),
)
CARD = f"""\
title = "{TITLE}"
licence = "[free](javascript:alert(1))"
attribution = "# not a heading"
"""


def write(folder: Path) -> Path:
    """The table, with its source card beside it."""
    table = folder / "hostile.csv"
    with table.open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, [*ALIKE, *VARYING])
        rows.writeheader()
        rows.writerows({**ALIKE, **dict(zip(VARYING, point, strict=True))} for point in POINTS)
    table.with_suffix(".source.toml").write_text(CARD, encoding="utf-8")
    return table
