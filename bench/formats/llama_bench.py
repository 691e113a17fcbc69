"""llama.cpp's `llama-bench`: prompt processing (pp), token generation (tg) and both (pg), as JSON, JSON lines or CSV.

Read: llama.cpp b2000 to b7000, with -o json, jsonl or csv; in CSV every number is in quotes.

Formulas, from tools/llama-bench/llama-bench.cpp:
    avg_ts      mean over the repetitions of (n_prompt + n_gen) / time, after a warm-up; pp has prompt tokens alone,
                tg generated ones alone
    avg_ns      mean time of one repetition; of tg, divided by n_gen, the time of one decode step
    n_depth     tokens that are in the KV cache before
One sequence in the engine's own loop: no server, no request, no queue. So none of it is TTFT, TPOT or a serving
throughput; each has a metric of its own, and the load is a batch of one.

The model is the name of its file, the precision its quantisation. The accelerator is the GPU that gpu_info names where
layers lie on it. How many chips that are is known where it names one, or several alike that share the layers, and it
is known to have one device to a chip.
"""

from __future__ import annotations

import re

from bench import names
from bench.errors import InputError
from bench.formats.reading import (
    Fields,
    KeyShape,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    csv_rows,
    day_of_text,
    document,
    finished,
)
from bench.records import Deployment, Load, Point, Refusal, Workload

NAME = "llama_bench"
TITLE = "llama-bench"
HARNESS = "llama-bench"

TEST = KeyShape(
    ("build_commit", "model_filename", "model_type", "n_prompt", "n_gen", "avg_ns", "avg_ts"),
    ("object", "list", "lines", "yaml", "csv"),
)
NUMBERS = "build_number n_prompt n_gen n_depth avg_ns stddev_ns avg_ts n_gpu_layers".split()
SETTINGS = "n_batch n_ubatch n_threads n_gpu_layers split_mode flash_attn no_kv_offload n_cpu_moe".split()
LEFT_OUT = (
    "backends cpu_info model_size model_n_params cpu_mask cpu_strict poll main_gpu use_mmap use_direct_io "
    "embeddings cuda opencl metal sycl vulkan kompute rpc gpu_blas blas no_op_offload no_host repack "
    "fit_target fit_min_ctx stddev_ts samples_ns samples_ts tensor_buft_overrides devices tensor_split "
    "load_mode moe_cache n_gen_warmup".split()
)
QUANTISED = re.compile(
    r"\b(?P<plain>BF16|F16|F32)\b|\b(?P<packed>I?Q\d\w*)\b(?: - (?P<size>Small|Medium|Large))?", re.I
)
PLAIN = {"bf16": "bf16", "f16": "fp16", "f32": "fp32"}
FILE_ENDING = re.compile(r"([-.](i?q\d\w*|bf16|f16|f32|fp16|\d{5}-of-\d{5}))*\.gguf$", re.I)
NAMELESS = {"ggml-model", "model", "ggml"}
AGREES = 2.0
"""avg_ts is a mean of rates and avg_ns a mean of times: they differ where repetitions do, but not by so much."""

recognises = by_keys(TEST)
"""Whether the first test, or the header of a CSV, has the keys that every version prints."""


def read(file: SourceFile) -> Reading:
    """One point for each test.

    Raises:
        InputError: a value is not what it must be, or the rate and the time of a test contradict each other.
    """
    refused: list[Refusal] = []
    if file.outline.kind == "csv":
        rows = csv_rows.rows(file)
        tests = [Fields(file.name, csv_rows.typed(row, row.keys() - NUMBERS), where) for where, row in rows]
    else:
        tests = document.records(file, refused)
    version = _version(tests[0]) if tests else None
    figures = MetricCollector(NAME, version, window="one repetition, the mean of several after a warm-up")
    points = [_point(test, figures.of_point()) for test in tests]
    return finished(file, points, figures, fields=tests, refusals=refused)


def _point(test: Fields, metrics: PointMetrics) -> Point:
    prompt, answer = test.whole("n_prompt") or 0, test.whole("n_gen") or 0
    if min(prompt, answer) < 0 or not prompt + answer:
        raise InputError(
            f"{test.file}: {test.where} has n_prompt {prompt} and n_gen {answer}; a test processes some tokens."
        )
    _file(test, metrics, prompt, answer)
    version = _version(test)
    test.passed_over(*LEFT_OUT)
    return Point(
        _deployment(test, version),
        Workload(isl_requested=prompt or None, osl_requested=answer or None, context_tokens=_depth(test)),
        Load("batch", batch=1),
        metrics,
        test.where,
        HARNESS,
        harness=HARNESS,
        harness_version=version,
        date=day_of_text(test.text("test_time")),
    )


def _file(test: Fields, metrics: PointMetrics, prompt: int, answer: int) -> None:
    rate, nanoseconds, spread = test.number("avg_ts"), test.number("avg_ns"), test.number("stddev_ns")
    if rate is None or nanoseconds is None or nanoseconds <= 0:
        raise InputError(f"A test in {test.file} has avg_ts {rate} and avg_ns {nanoseconds}; expected both above 0.")
    by_time = (prompt + answer) / (nanoseconds / 1e9)
    if not by_time / AGREES <= rate <= by_time * AGREES:
        raise InputError(
            f"In {test.file} avg_ts is {rate:g}, but {prompt + answer:,} tokens in avg_ns {nanoseconds:g} are "
            f"{by_time:g} tokens/s; correct the one that is wrong."
        )
    kind = "prefill_and_decode" if prompt and answer else "prefill" if prompt else "decode"
    metrics.file(f"{kind}_tokens_per_s", rate, definition="as catalogue, mean of the repetitions' rates")
    if kind == "decode":
        for statistic, value in (("mean", nanoseconds), ("std", spread)):
            metrics.file(
                f"decode_step_ms_{statistic}",
                None if value is None else value / answer,
                unit="ns",
                factor=1e-6,
                definition="converted: time of a repetition / n_gen, over the repetitions",
            )


def _depth(test: Fields) -> int | None:
    depth = test.whole("n_depth")
    if depth is not None and depth < 0:
        raise test.unfit("n_depth", depth, "a number of tokens")
    return depth


def _version(test: Fields) -> str | None:
    build, commit = test.whole("build_number"), test.text("build_commit")
    return " ".join(part for part in (f"b{build}" if build else None, commit) if part) or None


def _deployment(test: Fields, version: str | None) -> Deployment:
    kind = test.text("model_type") or ""
    file = (test.text("model_filename") or "").replace("\\", "/").rsplit("/", 1)[-1]
    stem = FILE_ENDING.sub("", file)
    named = stem if stem.lower() not in NAMELESS else QUANTISED.sub("", kind)
    keys, values = test.text("type_k"), test.text("type_v")
    settings = [(key, test.raw(key)) for key in SETTINGS if key in test]
    accelerator, count = _accelerator(test)
    return Deployment(
        model=names.model_slug(named) or None,
        checkpoint=file or None,
        precision=_precision(kind),
        kv_precision=PLAIN.get(keys.lower(), keys.lower()) if keys and keys == values else None,
        engine="llama.cpp",
        engine_version=version,
        accelerator=accelerator,
        accelerators=count,
        variant=", ".join(f"{key}={_setting(value)}" for key, value in settings) or None,
    )


def _setting(value: object) -> str:
    """A setting as both JSON and CSV write it: true is 1."""
    text = str(int(value) if isinstance(value, bool) else value).replace("\0", "")
    return text[:40].encode(errors="replace").decode()


def _precision(model_type: str) -> str | None:
    match = QUANTISED.search(model_type)
    if match is None:
        return None
    if match["plain"]:
        return PLAIN[match["plain"].lower()]
    size = f"_{match['size'][0]}" if match["size"] else ""
    return f"{match['packed']}{size}".lower()


def _accelerator(test: Fields) -> tuple[str | None, int | None]:
    """What computes, and how many of it; None where layers may lie on either of two things."""
    devices = [one.strip() for one in (test.text("gpu_info") or "").split(",") if one.strip()]
    layers = test.number("n_gpu_layers")
    if not devices:
        return ("cpu", None) if (test.text("backends") or "").upper() in ("CPU", "BLAS") else (None, None)
    if not layers or len(set(devices)) > 1:
        return None, None
    shared = len(devices) == 1 or (
        test.text("split_mode") != "none"
        and (test.text("devices") or "auto") == "auto"
        and not (test.text("tensor_split") or "0.00").strip("0./")
    )
    slug = names.accelerator_slug(devices[0])
    return slug, len(devices) if shared and names.one_device_a_chip(slug) else None
