"""GenAI-Perf results, profile_export_genai_perf.json (triton-inference-server/perf_analyzer, until 2025).

AIPerf's forerunner: the same metric blocks with the same formulas (aiperf/blocks.py), without counts of failed
requests, start time or version. inter_token_latency is (request_latency - time_to_first_token) / (n - 1), so tpot_ms;
gaps between chunks are not in the file. Connections are perf_analyzer's, open before the first request. Rates are over
the time from the first request to the last answer.

`input_config` is nested (from 0.0.13 on) or the flat list of the command line's options (before).
Schema: genai_perf/export_data/json_exporter.py, metrics/statistics.py and config/input/ at 263c5f6e.
"""

from __future__ import annotations

import dataclasses

from bench import names
from bench.errors import InputError
from bench.formats.aiperf.blocks import Blocks, file_blocks
from bench.formats.reading import Fields, KeyShape, MetricCollector, Reading, SourceFile, by_keys, document, finished
from bench.records import Deployment, Load, Point, Workload

NAME = "genai_perf"
TITLE = "GenAI-Perf result"
SOURCE = "genai-perf"

SHAPES = (
    KeyShape(
        ("input_config.perf_analyzer", "input_config.subcommand", "request_latency.unit"), ("object",), specificity=4
    ),
    KeyShape(
        ("input_config.service_kind", "input_config.endpoint_type", "request_latency.unit"), ("object",), specificity=4
    ),
)
"""Nested settings, and flat ones."""

BACKENDS = {"tensorrtllm": "tensorrt-llm", "vllm": "vllm"}
"""Of a Triton server; of an OpenAI one the backend is a default that says nothing about what serves."""

recognises = by_keys(*SHAPES)
"""Whether the file has metric blocks beside the settings of a perf_analyzer run."""


def read(file: SourceFile) -> Reading:
    """The run as one point; InputError where it holds no figure."""
    root = Fields(file.name, document.loaded(file))
    config = root.fields("input_config")
    figures = MetricCollector(
        NAME, None, window="from the first request to the last answer", token_source="the tool's tokenizer"
    )
    blocks = Blocks(root)
    metrics = file_blocks(figures.of_point(), blocks)
    if not metrics:
        raise InputError(f"{file.name} holds no figure; import the file of a run that had answers.")
    model = _model(config)
    workload = dataclasses.replace(
        _workload(config),
        isl_actual=blocks.number("input_sequence_length"),
        osl_actual=blocks.number("output_sequence_length"),
    )
    deployment = Deployment(model=names.model_slug(model) if model else None, checkpoint=model, engine=_engine(config))
    point = Point(deployment, workload, _load(config), metrics, "run", SOURCE, harness=SOURCE)
    root.passed_over("input_config", "telemetry_stats", "sessions")
    return finished(file, [point], figures, fields=[root], ignore=("input_config.",))


def _model(config: Fields) -> str | None:
    """The model as it was asked for; None where there were several."""
    listed = config.raw("model_names") or config.raw("model") or []
    named = [listed] if isinstance(listed, str) else listed
    return named[0] if isinstance(named, list) and len(named) == 1 and isinstance(named[0], str) else None


def _engine(config: Fields) -> str | None:
    stated = config.fields("endpoint") if isinstance(config.raw("endpoint"), dict) else config
    backend = stated.raw("backend") if stated.raw("service_kind") == "triton" else None
    return BACKENDS.get(backend) if isinstance(backend, str) else None


def _workload(config: Fields) -> Workload:
    if isinstance(config.raw("input"), dict):
        stated = config.fields("input")
        isl, osl = (_number(stated.fields(key), "mean") for key in ("synthetic_tokens", "output_tokens"))
        prefix = _number(stated.fields("prefix_prompt"), "num")
        turns = _number(stated.fields("sessions").fields("turns"), "mean")
        source = stated.raw("file") or stated.raw("payload_file")
    else:
        isl, osl = (_number(config, f"{kind}_tokens_mean") for kind in ("synthetic_input", "output"))
        prefix, turns = _number(config, "num_prefix_prompts"), _number(config, "session_turns_mean")
        source = config.raw("input_file") or config.raw("input_dataset")
    if source or prefix or (turns or 1) > 1:
        return Workload()
    return Workload(isl_requested=_length(isl), osl_requested=_length(osl), dataset="synthetic" if isl else None)


def _number(stated: Fields, key: str) -> float | None:
    """A number; the tool writes an empty text for none."""
    return None if stated.raw(key) == "" else stated.number(key)


def _length(mean: float | None) -> int | None:
    return round(mean) if mean is not None and 1 <= mean < 2**31 else None


def _load(config: Fields) -> Load:
    """perf_analyzer keeps so many requests under way, or sends at a constant rate unless asked otherwise."""
    stated = config
    if isinstance(config.raw("perf_analyzer"), dict):
        stated = config.fields("perf_analyzer").fields("stimulus")
    rate, concurrency = _number(stated, "request_rate"), _number(stated, "concurrency")
    if rate is not None and rate > 0:
        return Load("open", request_rate=rate)
    if concurrency is not None and 1 <= concurrency < 2**31:
        return Load("closed", concurrency=int(concurrency))
    return Load("unknown")
