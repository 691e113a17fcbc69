"""The command that starts an instance of a plan, for vLLM and SGLang: what the data states, and what it leaves open."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import names
from bench.basis import model_shape
from bench.library import Library
from bench.maths.capacity import RequestLengths
from bench.questions.capacity.result import FleetPlan, StartCommand
from bench.wording import number

CHECKPOINT = re.compile(r"(\w[\w.-]*/)?\w[\w.-]*", re.ASCII)
"""A checkpoint as the hub names it, with or without its owner; what else there is,
a text that begins as a flag does too, is no argument of a command here."""


@dataclass(frozen=True)
class EngineFlags:
    """How an engine is started, and what it calls what a deployment states (vLLM's documentation, Engine Arguments;
    SGLang's, Server Arguments)."""

    start: str
    sizes: Mapping[str, str]
    """Flags of what is a number, by the column of a point."""
    experts: str
    attention: str
    """What makes attention data-parallel; "" where that is the data-parallel size alone."""
    cached: tuple[str, str]
    """What switches the prefix cache on and off; "" where it is so without a flag."""
    fp8_cache: str
    speculation: str
    at_once: str
    memory: str


ENGINES = {
    "vllm": EngineFlags(
        "vllm serve",
        {"tp": "--tensor-parallel-size", "pp": "--pipeline-parallel-size", "dp": "--data-parallel-size",
         "max_model_len": "--max-model-len"},
        "--enable-expert-parallel", "", ("--enable-prefix-caching", "--no-enable-prefix-caching"), "fp8",
        "--speculative-config", "--max-num-seqs", "--gpu-memory-utilization",
    ),
    "sglang": EngineFlags(
        "python -m sglang.launch_server --model-path",
        {"tp": "--tp-size", "pp": "--pp-size", "dp": "--dp-size", "max_model_len": "--context-length"},
        "--ep-size", "--enable-dp-attention", ("", "--disable-radix-cache"), "fp8_e4m3",
        "--speculative-algorithm", "--max-running-requests", "--mem-fraction-static",
    ),
}  # fmt: skip

COLUMNS = ("checkpoint", "nodes", "dp_attention", "prefix_caching")
"""What of a deployment its facts leave out."""


def command(library: Library, plan: FleetPlan, mix: Sequence[RequestLengths] = ()) -> StartCommand | None:
    """How an instance of the plan starts; None where its engine is none of ENGINES or serves in several parts."""
    facts = plan.facts
    if facts.engine not in ENGINES or facts.disaggregated:
        return None
    (more,) = library.fetch(f"SELECT {', '.join(COLUMNS)} FROM points WHERE point_id = ?", (facts.point_id,))
    row = {**facts.row, **dict(zip(COLUMNS, more, strict=True)), "load": plan.instance.load}
    row["needed"] = (row["isl"] or 0) + (row["osl"] or 0)
    if mix:  # What one length states of context and load holds for no other.
        row |= {"max_model_len": None, "load": None, "needed": max(one.isl + one.osl for one in mix)}
    engine, flags, left = ENGINES[facts.engine], [], []
    named = CHECKPOINT.fullmatch(row["checkpoint"] or "CHECKPOINT") or ("CHECKPOINT", None)
    if not named[1]:
        left.append(f"{named[0]} (with its owner or folder)")
    for flag, value in (*_layout(row, engine), *_settings(row, engine)):
        if value is None or value.startswith("("):
            left.append(f"{flag} {value or ''}".strip())
        else:
            flags.append(f"{flag} {shlex.quote(value)}" if value else flag)
    started = " ".join([engine.start, named[0], *flags])
    return StartCommand(
        facts.point_id, facts.model, facts.hardware, facts.engine, facts.engine_version, started, tuple(left)
    )


def _layout(row: Mapping[str, Any], engine: EngineFlags) -> Iterator[tuple[str, str | None]]:
    """The flags of the layout with their values, None where the data does not state one and it is not all the rest; in
    brackets where what is stated does not make up the devices."""
    sizes, chip = engine.sizes, names.accelerator(row["accelerator"] or "")
    devices = (row["accelerators"] or 1) * ((chip and chip.devices_per_chip) or 1)
    is_shared = bool(row["dp_attention"])
    stated = {key: row[key] for key in ("tp", "pp", "dp") if row[key]}
    product = 1
    for key, value in stated.items():
        product *= 1 if key == "dp" and is_shared and engine.attention else value
    across = stated.get("tp") or devices
    # SGLang divides its tensor-parallel devices among the attention's copies; vLLM counts these by dp alone.
    is_uneven = is_shared and (bool(across % (stated.get("dp") or 1)) if engine.attention else "dp" not in stated)
    is_open = bool(devices % product) or (len(stated) == 3 and product != devices) or is_uneven
    for key in ("tp", "pp", "dp"):
        if key in stated and (is_open or stated[key] > 1):
            yield sizes[key], f"({stated[key]})" if is_open else str(stated[key])
        elif key not in stated and (product != devices or (key == "dp" and is_shared)):
            yield sizes[key], None
    if is_shared and engine.attention:
        yield engine.attention, ""
    shape = model_shape.known(row["model"])
    if (row["ep"] or 1) > 1:
        is_sized = engine.experts.endswith("size")
        # SGLang's size divides the tensor-parallel one; vLLM's flag is for all devices of a pipeline's stage.
        is_right = across % row["ep"] == 0 if is_sized else row["ep"] * (stated.get("pp") or 1) == devices
        size = str(row["ep"]) if is_sized else ""
        yield engine.experts, size if is_right and not is_open else f"({row['ep']})"
    elif row["ep"] is None and (shape is None or shape.is_moe):
        yield engine.experts, None
    if (row["nodes"] or 1) > 1:
        yield "--nnodes", f"({row['nodes']}, with the address of the first)"


def _settings(row: Mapping[str, Any], engine: EngineFlags) -> Iterator[tuple[str, str | None]]:
    """The other flags that decide how fast it is, in the same way; in brackets what an open one has to allow."""
    precision, kept = (row["precision"] or "").lower(), (row["kv_precision"] or "").lower()
    if precision not in ("bf16", "fp16") and (not precision or precision not in (row["checkpoint"] or "").lower()):
        yield "--quantization", f"({precision.upper()}, where the checkpoint is not)" if precision else None
    caches = {"fp8": engine.fp8_cache, "bf16": "bfloat16"}
    yield "--kv-cache-dtype", caches.get(kept, f"({kept.upper()})") if kept else None
    least = f"(at least {number(row['needed'])})" if row["needed"] else None
    yield engine.sizes["max_model_len"], str(row["max_model_len"]) if row["max_model_len"] else least
    is_cached = row["prefix_caching"]
    if is_cached is None:
        yield engine.cached[1], None
    elif flag := engine.cached[not is_cached]:
        yield flag, ""
    if row["speculation"] != "none":
        yield engine.speculation, f"({row['speculation']})" if row["speculation"] else None
    is_counted = row["load"] and row["load_kind"] in ("closed", "batch")
    yield engine.at_once, f"(at least {number(row['load'])})" if is_counted else None
    yield engine.memory, None
