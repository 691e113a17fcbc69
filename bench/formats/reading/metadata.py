"""Facts that people write beside a result, key by key: metadata of a run, settings of a server, overrides of a sweep.

A fact is taken where its name and its value allow one reading only; all else tells deployments apart, as `variant`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bench import names

SPELLINGS: Mapping[str, str] = {
    "accelerator": "accelerator accelerator_type gpu gpu_type gpu_name gpu_model hardware hw chip chip_type",
    "accelerators": "accelerators num_accelerators accelerator_count chips num_chips gpus num_gpus n_gpus gpu_count",
    "nodes": "nodes num_nodes nnodes",
    "tp": "tp tp_size tensor_parallel tensor_parallel_size",
    "pp": "pp pp_size pipeline_parallel pipeline_parallel_size",
    "dp": "dp dp_size data_parallel data_parallel_size",
    "ep": "ep ep_size expert_parallel_size",
    "dp_attention": "dp_attention enable_dp_attention",
    "engine": "engine engine_name server_engine framework",
    "engine_version": "engine_version server_version",
    "precision": "precision quantization weight_precision",
    "kv_precision": "kv_precision kv_cache_dtype",
    "prefix_caching": "prefix_caching enable_prefix_caching",
    "speculation": "speculation speculative_algorithm",
    "isl_requested": "isl input_len random_input_len",
    "osl_requested": "osl output_len random_output_len",
    "max_model_len": "max_model_len context_length",
    "dataset": "dataset dataset_name",
}
FACT_OF = {spelling: fact for fact, spellings in SPELLINGS.items() for spelling in spellings.split()}
OF_CHIPS = {"accelerators", "chips", "num_chips"}
"""The names of that count which no tool uses for devices."""
WORKLOAD = {"isl_requested", "osl_requested", "max_model_len", "dataset"}

PRECISIONS = {"fp4", "nvfp4", "mxfp4", "int4", "fp8", "int8", "bf16", "fp16", "fp32"}
SAME_PRECISION = {"bfloat16": "bf16", "float16": "fp16", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8"}
SPECULATION = {"none", "mtp", "ngram", "eagle", "eagle3"}
MOST = 10_000_000
LONGEST = 200


@dataclass(frozen=True)
class Metadata:
    """What the pairs say: fields of Deployment, fields of Workload, and `rest`, what is neither, in one text."""

    deployment: Mapping[str, Any] = field(default_factory=dict)
    workload: Mapping[str, Any] = field(default_factory=dict)
    rest: str | None = None


def stated(pairs: Mapping[str, object]) -> Metadata:
    """The facts among these pairs; a fact that two of them state differently is none."""
    values: dict[str, Any] = {}
    by_fact: dict[str, list[str]] = {}
    for key in pairs:
        fact = FACT_OF.get(_plain(key), "")
        value = READERS[fact](pairs[key]) if fact else None
        if value is not None and values.setdefault(fact, value) == value:
            by_fact.setdefault(fact, []).append(key)
        elif value is not None:
            values[fact] = None
    _only_chips(values, by_fact.get("accelerators", []))
    taken = {key for fact, keys in by_fact.items() if values[fact] is not None for key in keys}
    rest = ", ".join(
        _shown(f"{key}={value if isinstance(value, str) else json.dumps(value, default=str)}")
        for key, value in pairs.items()
        if key not in taken and value not in (None, "")
    )
    facts = {fact: value for fact, value in values.items() if value is not None}
    return Metadata(
        {fact: value for fact, value in facts.items() if fact not in WORKLOAD},
        {fact: value for fact, value in facts.items() if fact in WORKLOAD},
        rest or None,
    )


def _plain(key: str) -> str:
    """The key as a name: `--tensor-parallel-size` is tensor_parallel_size."""
    return key.strip().lstrip("-").lower().replace("-", "_").replace(" ", "_")


def _only_chips(values: dict[str, Any], keys: list[str]) -> None:
    """Leave out a count of accelerators that may be one of devices, several to a chip."""
    row = names.accelerator(values.get("accelerator") or "")
    if row is not None and (row.devices_per_chip or 1) > 1 and not {_plain(key) for key in keys} <= OF_CHIPS:
        values["accelerators"] = None


def _count(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[1-9][0-9]{0,7}", value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1 <= value <= MOST:
        return None
    return int(value) if value == int(value) else None


def _text(value: object) -> str | None:
    return (_whole(value).strip() or None) if isinstance(value, str) and len(value) <= LONGEST else None


def _truth(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.strip().lower()) if isinstance(value, str) else None


def _accelerator(value: object) -> str | None:
    slug = names.accelerator_slug(_text(value) or "")
    return slug if names.accelerator(slug) else None


def _engine(value: object) -> str | None:
    slug = names.engine_slug(_text(value) or "")
    return slug if names.engine(slug) else None


def _precision(value: object) -> str | None:
    text = (_text(value) or "").lower()
    text = SAME_PRECISION.get(text, text)
    return text if text in PRECISIONS else None


def _speculation(value: object) -> str | None:
    text = (_text(value) or "").lower()
    return text if text in SPECULATION else None


READERS: Mapping[str, Callable[[object], Any]] = {
    **dict.fromkeys("accelerators nodes tp pp dp ep isl_requested osl_requested max_model_len".split(), _count),
    **dict.fromkeys("engine_version dataset".split(), _text),
    **dict.fromkeys("dp_attention prefix_caching".split(), _truth),
    **dict.fromkeys("precision kv_precision".split(), _precision),
    "accelerator": _accelerator,
    "engine": _engine,
    "speculation": _speculation,
}


def _shown(text: str) -> str:
    whole = _whole(text)
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 3]}..."


def _whole(text: str) -> str:
    """The text without what cannot be stored: NUL, and halves of characters."""
    return text.replace("\0", "").encode(errors="replace").decode()
