"""BentoML's llm-optimizer: one JSON line for each combination of server and client arguments that it ran.

Read: the `.jsonl` beside --output-json, as of late 2025. `results` has SGLang's keys and formulas (its client is a
copy of SGLang's bench_serving), `config` the arguments of that run, `cmd` the server's command, `metadata` the machine.
The `.json` written at the end (`metadata, best_configurations, test_results`) repeats the lines and is no result.

Not in the file: how many chips served. gpu_count is what the machine has, of which a server with tp 1 uses one.
"""

from __future__ import annotations

import dataclasses

from bench import names
from bench.formats import Recognition, sglang
from bench.formats.foreign import document
from bench.formats.foreign.fields import Fields, not_understood_in
from bench.formats.foreign.figures import Figures
from bench.formats.foreign.lengths import judged
from bench.formats.foreign.recognition import Shape, recognised_by
from bench.formats.foreign.stated import Stated, stated
from bench.formats.reading import Reading, SourceFile, points_table
from bench.records import Point, Refusal

NAME = "llm_optimizer"
TITLE = "llm-optimizer"
HARNESS = "llm-optimizer"

LINE = Shape(
    ("config.client_args", "config.server_args", "config.server_cmd_args", "results.completed",
     "results.output_throughput", "results.mean_e2e_latency_ms")
)  # fmt: skip
ENGINE_COMMANDS = {"vllm serve": "vllm", "python -m sglang.launch_server": "sglang"}


def recognises(file: SourceFile) -> Recognition:
    """Whether the first line has arguments and results."""
    return recognised_by(file.outline, [LINE])


def read(file: SourceFile) -> Reading:
    """One point for each line; InputError where a value is not what it must be."""
    figures = sglang.passports_of(NAME)
    refused: list[Refusal] = []
    lines = [(where, Fields(file.name, value)) for where, value in document.records(file, refused)]
    return Reading(
        NAME,
        points_table(judged(_point(where, line, figures) for where, line in lines)),
        passports=figures.passports(),
        refusals=refused,
        not_understood=not_understood_in(line for _, line in lines),
    )


def _point(where: str, line: Fields, figures: Figures) -> Point:
    machine, results = line.fields("metadata"), line.fields("results")
    line.passed_over("constraints")
    machine.passed_over("gpu_count", "input_tokens", "output_tokens")
    found = sglang.point(where, results, figures, _said(line, machine), HARNESS)
    checkpoint = machine.text("model_tag")
    if checkpoint is None:
        return found
    deployment = dataclasses.replace(
        found.deployment, model=names.model_slug(checkpoint), checkpoint=checkpoint
    )
    return dataclasses.replace(found, deployment=deployment)


def _said(line: Fields, machine: Fields) -> Stated:
    """The server's arguments, the engine its command starts and the accelerator of the machine."""
    config, command = line.fields("config"), line.text("cmd") or ""
    config.passed_over("client_args", "server_cmd_args")  # the results have the first, server_args the second
    server = config.fields("server_args")
    facts = server.values(server.keys())
    engine = next((one for start, one in ENGINE_COMMANDS.items() if command.startswith(start)), None)
    gpu = machine.text("gpu_type")
    return stated(facts | {"engine": engine, "gpu_type": None if gpu == "unknown" else gpu})
