"""What of a model fits into the memory of some devices: weights, a reserve and the cache of requests. Bytes in and out.

    room of a device = utilisation x memory - reserve - its weights
    requests         = data-parallel groups x floor(room of a device / what a device keeps of a request)

A GiB is 2^30 bytes, a GB 10^9: the same H100 has "80 GB" in its name, 80 GiB = 85.9e9 bytes on its modules and 81,559
MiB = 85.5e9 bytes that a driver hands out. Reckoned with 80e9 bytes, a third of the room beside 70e9 bytes of weights
is lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bench.maths.model_shape import ModelShape, longest

GIB = 2**30
GB = 10**9
SIXTEEN_BIT = 2.0

WEIGHT_BYTES: Mapping[str, float] = {
    "fp32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1 + 4 / 128**2,
    "int8": 1.0,
    "fp4": 0.5 + 1 / 32,
    "nvfp4": 0.5 + 1 / 16,
    "mxfp4": 0.5 + 1 / 32,
    "int4": 0.5 + 2.5 / 128,
}
"""Bytes of a quantised weight with its share of the scales, as the formats define them, so an estimate of a checkpoint.

FP8 with an FP32 scale for each block of 128 x 128 (DeepSeek-V3, arXiv 2412.19437; a scale for each channel takes less);
NVFP4 with an FP8 scale for each 16 values (NVIDIA's description of the format), MXFP4 with one of 8 bit for each 32
(OCP Microscaling Formats 1.0); INT4 as GPTQ and AWQ store it, an FP16 scale and a 4-bit zero for each 128. "fp4" does
not say which of the two it is, so the smaller counts: what is said not to fit does not. NVFP4's FP32 scale of each
tensor is less than a millionth, and left out.
"""

FP4_FORMATS = ("nvfp4", "mxfp4")
"""The formats that FP4 may be."""

CACHE_BYTES: Mapping[str, float] = {"bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0}
"""Bytes of a cached value; scales of an FP8 cache are one for each layer."""

UTILISATION = 0.9
"""The share of the memory an engine uses: vLLM's gpu_memory_utilization is 0.9 unless it is set."""


@dataclass(frozen=True)
class ReserveRange:
    """What an engine was measured to take of each device beside weights and cache, in GiB, and by whom."""

    least_gib: float
    most_gib: float
    source: str


LOGS = "llm-d/llm-d-benchmark config_explorer/empirical-vllm-memory-results.md, commit 25933486: vLLM on H100"
DENSE_RESERVE = ReserveRange(4.9, 6.2, LOGS)
MOE_RESERVE = ReserveRange(7.5, 7.9, LOGS)
"""Peak activations (dense 4.76 to 5.64, mixture of experts 7.38 GiB) plus memory outside of PyTorch (0.13 to 0.55), as
vLLM logged them at a longest model length of 16,000 and 32,000 tokens; another engine, or a smaller batch of prefill,
takes less."""


@dataclass(frozen=True)
class DeviceLayout:
    """How a model lies on devices: `tp` share each layer, `dp` groups serve requests of their own.

    Experts divide over all devices where `is_expert_parallel`, else each group holds them all.
    """

    tp: int
    dp: int = 1
    is_expert_parallel: bool = False

    @property
    def devices(self) -> int:
        """Every device of the deployment."""
        return self.tp * self.dp


def reserve(shape: ModelShape) -> ReserveRange:
    """What vLLM was measured to reserve for a model of this kind."""
    return MOE_RESERVE if shape.is_moe else DENSE_RESERVE


def weight_bytes(shape: ModelShape, precision: str) -> float | None:
    """All weights: those that stay at 16 bit, the rest as the precision has them; None where either is not known."""
    each = WEIGHT_BYTES.get(precision.lower())
    if shape.total_params is None or each is None:
        return None
    kept = min(shape.sixteen_bit_params, shape.total_params)
    return kept * max(each, SIXTEEN_BIT) + (shape.total_params - kept) * each


def is_lower_bound(precision: str) -> bool:
    """Whether `weight_bytes` counts weights of this precision at least: of FP4 it is not published how much stays at
    16 bit, nor always which scales."""
    return precision.lower() in ("fp4", *FP4_FORMATS)


def device_weight_bytes(shape: ModelShape, precision: str, layout: DeviceLayout) -> float | None:
    """The weights on one device: experts over all devices where they are divided so, the rest over tp.

    None where a size is not known, as that of the experts where they would be divided.
    """
    whole, each = weight_bytes(shape, precision), WEIGHT_BYTES.get(precision.lower())
    if whole is None or each is None:
        return None
    if not layout.is_expert_parallel:
        return whole / layout.tp
    if shape.routed_params is None:
        return None
    routed = shape.routed_params * each
    return (whole - routed) / layout.tp + routed / layout.devices


@dataclass(frozen=True)
class DeviceRoom:
    """One device of a deployment, in bytes: its memory, its weights and what is left for cache, below 0 where the
    weights do not fit."""

    memory: float
    weights: float
    room: float
    layout: DeviceLayout

    def requests(self, shape: ModelShape, tokens: float, value_bytes: float) -> int | None:
        """How many requests of so many tokens the deployment holds at once; None where their cache is not known."""
        if not shape.groups:
            return None
        each = shape.cache_bytes(tokens, value_bytes, self.layout.tp)
        if self.room < 0 or each <= 0:
            return 0
        return self.layout.dp * math.floor(self.room / each)

    def longest(self, shape: ModelShape, requests: int, value_bytes: float) -> int | None:
        """The most tokens each of so many requests can have at once, at most the model's own limit; 0 where not one
        fits, None where the cache is not known."""
        if not shape.groups:
            return None
        on_one = math.ceil(requests / self.layout.dp)
        if self.room < 0 or on_one < 1:
            return 0
        tokens = longest(shape.groups, self.room / on_one, value_bytes, self.layout.tp)
        if shape.context is not None:
            tokens = min(tokens, shape.context)
        return int(tokens) if math.isfinite(tokens) else None


def device_room(
    shape: ModelShape,
    precision: str,
    memory: float,
    layout: DeviceLayout,
    utilisation: float = UTILISATION,
    reserved: float = 0.0,
) -> DeviceRoom | None:
    """What a device of so many bytes has left for cache; None where the weights' size is not known."""
    weights = device_weight_bytes(shape, precision, layout)
    if weights is None:
        return None
    return DeviceRoom(memory, weights, utilisation * memory - reserved - weights, layout)
