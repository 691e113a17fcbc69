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

from bench.formats import vllm
from bench.formats.reading import Fields, KeyShape, PointMetrics, Reading, SourceFile, by_keys, csv_rows, finished
from bench.records import Point

NAME = "dstack"
TITLE = "dstack results table"
SOURCE = "dstack"

TABLE = KeyShape(
    ("prefill", "decode", "conc", "isl", "osl", "model_id", "completed", "total_output_tokens", "output_throughput"),
    ("csv",),
)
TEXTS = frozenset("date endpoint_type backend label model_id tokenizer_id source_file".split())

recognises = by_keys(TABLE)
"""Whether the header has the columns of the ratio beside those of a vLLM result."""


def read(file: SourceFile) -> Reading:
    """One point for each row.

    Raises:
        InputError: there is no row, or a value is not what it must be.
    """
    figures = vllm.passports_of(NAME)
    rows = [Fields(file.name, csv_rows.typed(row, TEXTS), where) for where, row in csv_rows.rows(file)]
    points = [_point(row, figures.of_point()) for row in rows]
    return finished(file, points, figures, fields=rows, whole_run=True, numbered=True)


def _point(result: Fields, metrics: PointMetrics) -> Point:
    point = vllm.point(result, metrics)
    concurrency = result.count("conc")
    if point.load.concurrency is not None and concurrency != point.load.concurrency:
        raise result.unfit("conc", concurrency, f"{point.load.concurrency:,}, as max_concurrency has it")
    prefill, decode = result.count("prefill"), result.count("decode")
    result.passed_over("source_file")
    return dataclasses.replace(
        point,
        deployment=dataclasses.replace(
            point.deployment,
            disaggregated=True if prefill and decode else None,
            prefill_workers=prefill,
            decode_workers=decode,
        ),
        workload=dataclasses.replace(
            point.workload, isl_requested=result.count("isl"), osl_requested=result.count("osl")
        ),
        source=SOURCE,
    )
