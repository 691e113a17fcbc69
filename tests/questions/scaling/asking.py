"""What the tests of scaling ask, and results made up for them."""

from __future__ import annotations

from bench.view import View
from tests.library.files import ROW

GEMMA = View.of({"model": ["gemma-4-31b"], "isl": ["512"], "osl": ["256"]})
LLAMA = View.of(
    {
        "model": ["llama-3.1-70b"],
        "accelerator": ["h100-sxm"],
        "engine_version": ["0.17"],
        "isl": ["1000"],
        "osl": ["1000"],
    }
)
BOTH = View.of({"model": ["llama-3.1-70b"], "precision": ["fp8"], "isl": ["1000"], "osl": ["1000"]})
MONTHS = {"date": "2025-12-19", "engine_version": ""}, {"date": "2026-03-23", "engine_version": ""}
FOUR = ((1, 100, 2, 10), (1, 400, 8, 20), (2, 150, 2, 10), (2, 600, 8, 20))
"""Chips, throughput, concurrency and TPOT of four runs: two counts at two loads each."""


def run(chips, throughput, concurrency=16, tpot=None, **facts):
    return {
        **ROW,
        "accelerators": chips,
        "tp": chips,
        "isl": 1000,
        "osl": 500,
        "concurrency": concurrency,
        "output_tokens_per_s": throughput,
        "tpot_ms_p50": tpot,
        **facts,
    }


def line_of(answer, place=0):
    return answer.result.lines[place]


def by_count(line, name):
    return {place.accelerators: getattr(place, name) for place in line.places}
