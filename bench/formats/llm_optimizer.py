"""BentoML's llm-optimizer: one JSON line for each combination of server and client arguments that it ran.

Read: the `.jsonl` beside --output-json, as of late 2025. `results` has SGLang's keys and formulas (its client is a
copy of SGLang's bench_serving), `config` the arguments of that run, `cmd` the server's command, `metadata` the machine.
The `.json` written at the end (`metadata, best_configurations, test_results`) repeats the lines and is no result.

Not in the file: how many chips served. gpu_count is what the machine has, of which a server with tp 1 uses one.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from bench import names
from bench.formats import sglang
from bench.formats.reading import (
    Fields,
    KeyShape,
    Metadata,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    document,
    finished,
    stated,
)
from bench.records import Point, Refusal

NAME = "llm_optimizer"
TITLE = "llm-optimizer"
HARNESS = "llm-optimizer"

LINE = KeyShape(
    (
        "config.client_args",
        "config.server_args",
        "config.server_cmd_args",
        "results.completed",
        "results.output_throughput",
        "results.mean_e2e_latency_ms",
    )
)
ENGINE_COMMANDS = {"vllm serve": "vllm", "python -m sglang.launch_server": "sglang"}

recognises = by_keys(LINE)
"""Whether the first line has arguments and results."""


def read(file: SourceFile) -> Reading:
    """One point for each line; InputError where a value is not what it must be."""
    figures = sglang.passports_of(NAME)
    refused: list[Refusal] = []
    lines = document.records(file, refused)
    points = [_point(line, figures.of_point()) for line in lines]
    return finished(file, points, figures, fields=lines, refusals=refused, whole_run=True, numbered=True)


def _point(line: Fields, metrics: PointMetrics) -> Point:
    machine, results = line.fields("metadata"), line.fields("results")
    line.passed_over("constraints")
    machine.passed_over("gpu_count", "input_tokens", "output_tokens")
    point = sglang.point(results, metrics, _said(line, machine), HARNESS)
    checkpoint = machine.text("model_tag")
    own: dict[str, Any] = {"model": names.model_slug(checkpoint), "checkpoint": checkpoint} if checkpoint else {}
    return dataclasses.replace(point, locator=line.where, deployment=dataclasses.replace(point.deployment, **own))


def _said(line: Fields, machine: Fields) -> Metadata:
    """The server's arguments, the engine its command starts and the accelerator of the machine."""
    config, command = line.fields("config"), line.text("cmd") or ""
    config.passed_over("client_args", "server_cmd_args")  # the results have the first, server_args the second
    server = config.fields("server_args")
    facts = server.values(server.keys())
    engine = next((one for start, one in ENGINE_COMMANDS.items() if command.startswith(start)), None)
    gpu = machine.text("gpu_type")
    return stated(facts | {"engine": engine, "gpu_type": None if gpu == "unknown" else gpu})
