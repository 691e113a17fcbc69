"""What the weights leave of the accelerators' memory: why two chips can give more than twice as much as one."""

from __future__ import annotations

from dataclasses import dataclass

from bench import names

BYTES = {"fp32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5, "int4": 0.5}
"""Bytes of a weight or a cached value; 4-bit formats store their scales beside it, so theirs is a lower bound."""

LINEAR_CACHE = ("GQA", "MHA", "MLA")
"""Attention whose cache grows by the same bytes with every token; windows and linear attention stop growing."""

GB = 1e9
BEYOND_ROOM = 1.1
"""Throughput that grows up to this many times as much as the room for cache may grow because of it."""


@dataclass(frozen=True)
class Room:
    """The memory of some chips and what the weights leave of it, in GB (1e9 bytes).

    `tokens` is how many tokens of KV cache fit into the room at most, None where the cache's size is not published.
    An engine keeps some of the room for activations and its own buffers.
    """

    accelerators: int
    memory_gb: float
    weights_gb: float
    tokens: float | None

    @property
    def room_gb(self) -> float:
        """What the weights leave; below 0 where they do not fit."""
        return self.memory_gb - self.weights_gb


def room(model: str | None, precision: str | None, kv_precision: str | None, accelerator: str | None,
         accelerators: int) -> Room | None:  # fmt: skip
    """The room of a model on so many chips; None where its size, precision or the chip's memory is not known."""
    known = names.model(model) if model else None
    chip = names.accelerator(accelerator) if accelerator else None
    size = BYTES.get((precision or "").lower())
    if known is None or chip is None or size is None or not known.total_params_b or not chip.memory_gb:
        return None
    memory, weights = chip.memory_gb * accelerators, known.total_params_b * size
    cached = BYTES.get((kv_precision or "").lower())
    tokens = None
    if cached and known.kv_bytes_per_token_bf16 and known.attention in LINEAR_CACHE and memory > weights:
        tokens = (memory - weights) * GB / (known.kv_bytes_per_token_bf16 * cached / BYTES["bf16"])
    return Room(accelerators, memory, weights, tokens)


def explains(small: Room | None, wide: Room | None, speedup: float) -> bool:
    """Whether memory may explain a speedup: the room for cache, and so the requests at once, grows as much."""
    if small is None or wide is None or small.room_gb <= 0:
        return False
    return speedup <= wide.room_gb / small.room_gb * BEYOND_ROOM
