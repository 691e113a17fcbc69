"""dstack's table of prefill and decode ratios: a CSV of `vllm bench serve` results with what was asked for before each.

Read: comparison/pd_ratio/csv_data/results.csv of dstackai/benchmarks (06c957a); any table with its columns is read.

    prefill, decode         workers of each role: the deployment is disaggregated
    conc                    --max-concurrency, which the result repeats
    isl, osl                --random-input-len and --random-output-len: what was asked for
    source_file             the JSON file that the row was made from
    all others              one result of vLLM's client in its keys and units, ms and tokens/s: see vllm.py

Answers may end early: in the table that dstack published most are far shorter than what was asked for.

Not in the file: engine, accelerator, chips, tp and precision of a worker. The day is the client's.
"""

from __future__ import annotations

import dataclasses
import re

from bench.errors import InputError
from bench.formats import Recognition, vllm
from bench.formats.foreign import bench_serving, csv_rows
from bench.formats.foreign.fields import Fields, not_understood_in
from bench.formats.foreign.figures import Figures
from bench.formats.foreign.lengths import judged
from bench.formats.foreign.recognition import Shape, recognised_by
from bench.formats.reading import Reading, SourceFile, points_table
from bench.records import Point

NAME = "dstack"
TITLE = "dstack results table"
SOURCE = "dstack"

TABLE = Shape(
    (
        "prefill",
        "decode",
        "conc",
        "isl",
        "osl",
        "model_id",
        "completed",
        "total_output_tokens",
        "output_throughput",
    ),
    ("csv",),
)
TEXTS = frozenset("date endpoint_type backend label model_id tokenizer_id request_rate source_file".split())
WHOLE = re.compile(r"-?\d{1,18}")
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d{1,3})?")


def recognises(file: SourceFile) -> Recognition:
    """Whether the header has the columns of the ratio beside those of a vLLM result."""
    return recognised_by(file.outline, [TABLE])


def read(file: SourceFile) -> Reading:
    """One point for each row.

    Raises:
        InputError: there is no row, or a value is not what it must be.
    """
    figures = vllm.passports_of(NAME)
    results = [
        (where, Fields(file.name, {key: _value(key, text) for key, text in row.items()}, where))
        for where, row in csv_rows.rows(file)
    ]
    if not results:
        raise InputError(f"{file.name} has a header and no rows.")
    points = [_point(where, result, figures) for where, result in results]
    unread = not_understood_in(result for _, result in results)
    return Reading(
        NAME,
        points_table(judged(bench_serving.numbered(points))),
        passports=figures.passports(),
        not_understood=tuple(dict.fromkeys(key.split(".", 1)[1] for key in unread)),
    )


def _value(key: str, text: str) -> object:
    """A cell as JSON would have it; what is no number stays the text that an error shows."""
    if key in TEXTS and not (key == "request_rate" and NUMBER.fullmatch(text)):
        return text
    if WHOLE.fullmatch(text):
        return int(text)
    return float(text) if NUMBER.fullmatch(text) else text


def _point(where: str, result: Fields, figures: Figures) -> Point:
    found = vllm.point(where, result, figures)
    concurrency = result.count("conc")
    if found.load.concurrency is not None and concurrency != found.load.concurrency:
        raise result.unfit("conc", concurrency, f"{found.load.concurrency:,}, as max_concurrency has it")
    prefill, decode = result.count("prefill"), result.count("decode")
    result.passed_over("source_file")
    return dataclasses.replace(
        found,
        deployment=dataclasses.replace(
            found.deployment,
            disaggregated=True if prefill and decode else None,
            prefill_workers=prefill,
            decode_workers=decode,
        ),
        workload=dataclasses.replace(
            found.workload, isl_requested=result.count("isl"), osl_requested=result.count("osl")
        ),
        source=SOURCE,
    )
