"""What a model's weights leave of the accelerators' memory for KV cache, from published facts."""

from __future__ import annotations

from dataclasses import dataclass

from bench import names

BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5, "int4": 0.5}
"""Bytes of a weight or a cached value; 4-bit formats store their scales beside it, so theirs is a lower bound."""

LINEAR_CACHE = ("GQA", "MHA", "MLA")
"""Attention whose cache grows by the same bytes with every token; windows and linear attention stop growing."""

GIB = 2**30
BILLION = 1e9
KEPT = 0.1
"""The share of the memory that an engine leaves alone: vLLM's gpu_memory_utilization is 0.9 unless it is set."""

BEYOND_ROOM = 1.1
"""Throughput that grows up to this many times as much as the room for cache may grow because of it."""


@dataclass(frozen=True)
class Room:
    """The memory of some chips and what the weights take of it, in GiB.

    What is left, and `tokens`, how many tokens of KV cache fit into it, are upper bounds: an engine keeps some for
    activations and its own buffers. `tokens` is None where the size of the cache is not published.
    """

    accelerators: int
    memory_gib: float
    weights_gib: float
    tokens: float | None

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


def room(model: str | None, precision: str | None, kv_precision: str | None, accelerator: str | None,
         accelerators: int) -> Room | None:  # fmt: skip
    """The room of a model on so many chips; None where its size, precision or the chip's memory is not known."""
    known = names.model(model) if model else None
    chip = names.accelerator(accelerator) if accelerator else None
    size = BYTES.get((precision or "").lower())
    if known is None or chip is None or size is None or not known.total_params_b or not chip.memory_gb:
        return None
    memory, weights = chip.memory_gb * accelerators, known.total_params_b * BILLION * size / GIB
    each = None if known.kv_window_tokens else cache_gib(model, kv_precision, 1)
    tokens = (memory - weights) / each if each and memory > weights else None
    return Room(accelerators, memory, weights, tokens)


def cache_gib(model: str | None, kv_precision: str | None, tokens: float) -> float | None:
    """The KV cache of a request of so many tokens in GiB; None where the bytes of a token are not published.

    Layers with a window keep its tokens alone.
    """
    known = names.model(model) if model else None
    size = BYTES.get((kv_precision or "").lower())
    if known is None or size is None or not known.kv_bytes_per_token_bf16:
        return None
    if known.kv_window_tokens is None and known.attention not in LINEAR_CACHE:
        return None
    within = min(tokens, known.kv_window_tokens or tokens)
    beyond = (known.kv_bytes_per_token_bf16_beyond_window or 0) * (tokens - within)
    return (known.kv_bytes_per_token_bf16 * within + beyond) * size / BYTES["bf16"] / GIB


def explains(small: Room | None, wide: Room | None, speedup: float) -> bool:
    """Whether memory may explain a speedup: the room for cache, and so the requests at once, grows as much."""
    if small is None or wide is None or small.room_gib <= 0:
        return False
    return small.served_gib <= 0 or speedup <= wide.served_gib / small.served_gib * BEYOND_ROOM
