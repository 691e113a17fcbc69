"""What a model's weights leave of the accelerators' memory for KV cache, from published facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bench import names
from bench.basis import model_shape
from bench.maths import model_memory
from bench.maths.model_memory import FP4_FORMATS

BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5, "int4": 0.5}
"""Bytes of a cached value, and of a weight at least: scales beside it and what stays at 16 bit are not counted."""

GIB = 2**30
KEPT = 0.1
"""The share of the memory that an engine leaves alone: vLLM's gpu_memory_utilization is 0.9 unless it is set."""

BEYOND_ROOM = 1.1
"""Throughput that grows up to this many times as much as the room for cache may grow because of it."""


def weight_format(precision: str, checkpoints: Iterable[str | None]) -> str:
    """The precision of weights, of FP4 the format that the name of each of these checkpoints states: "nvfp4"."""
    formats = {next((one for one in FP4_FORMATS if one in (name or "").lower()), None) for name in checkpoints}
    named = formats.pop() if precision.lower() == "fp4" and len(formats) == 1 else None
    return named or precision


@dataclass(frozen=True)
class MemoryRoom:
    """The memory of some chips and what the weights take of it, in GiB; of weights that are a lower bound at least.

    What is left, and `tokens`, how many tokens of KV cache fit into it, are upper bounds: an engine keeps some for
    activations and its own buffers. `tokens` is None where the size of the cache is not published.
    """

    accelerators: int
    memory_gib: float
    weights_gib: float
    tokens: float | None
    is_lower_bound: bool = False

    @property
    def room_gib(self) -> float:
        """What the weights leave; below 0 where they do not fit."""
        return self.memory_gib - self.weights_gib

    @property
    def served_gib(self) -> float:
        """What they leave of the share an engine uses; below 0 where they leave next to nothing."""
        return (1 - KEPT) * self.memory_gib - self.weights_gib

    def holds(self, each_gib: float | None) -> int | None:
        """How many requests fit whose cache is so large; None where that is not known."""
        return None if each_gib is None else max(0, int(self.served_gib / each_gib))


def room(
    model: str | None, precision: str | None, kv_precision: str | None, accelerator: str | None, accelerators: int
) -> MemoryRoom | None:
    """The room of a model on so many chips; None where its size, precision or the chip's memory is not known."""
    shape = model_shape.known(model)
    chip = names.accelerator(accelerator) if accelerator else None
    bytes_of_weights = None if shape is None else model_memory.weight_bytes(shape, precision or "")
    if shape is None or chip is None or bytes_of_weights is None or not chip.memory_gb:
        return None
    memory, weights = chip.memory_gb * accelerators, bytes_of_weights / GIB
    grows_evenly = all(group.window is None and not group.state_bytes for group in shape.groups)
    each = cache_gib(model, kv_precision, 1) if grows_evenly else None
    tokens = (memory - weights) / each if each and memory > weights else None
    return MemoryRoom(accelerators, memory, weights, tokens, model_memory.is_lower_bound(precision or ""))


def cache_gib(model: str | None, kv_precision: str | None, tokens: float) -> float | None:
    """The KV cache of a request of so many tokens in GiB; None where the bytes of a token are not published.

    Layers with a window keep its tokens alone.
    """
    shape = model_shape.known(model)
    size = BYTES.get((kv_precision or "").lower())
    return None if shape is None or size is None or not shape.groups else shape.cache_bytes(tokens, size) / GIB


def explains(small: MemoryRoom | None, wide: MemoryRoom | None, speedup: float) -> bool:
    """Whether memory may explain a speedup: the room for cache, and so the requests at once, grows as much."""
    if small is None or wide is None or small.room_gib <= 0:
        return False
    return small.served_gib <= 0 or speedup <= wide.served_gib / small.served_gib * BEYOND_ROOM
