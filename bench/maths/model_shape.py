"""What a model is made of as far as memory and bandwidth ask: parameters, layers by what they cache, experts.

A cache of n tokens, by what a layer keeps:
    MHA, GQA, MQA     2 (K and V) x KV heads x head size, for each token        (Shazeer 2019; Ainslie et al. 2023)
    K = V             the same once, where an engine stores it once             (Gemma 4's global layers)
    MLA               kv_lora_rank + rope size, for each token, for all heads   (DeepSeek-V2, arXiv 2405.04434)
    sliding window    as above for the last `window` tokens alone               (Mistral 7B, arXiv 2310.06825)
    shared KV         none: the layer reads the cache of an earlier one         (Gemma 3n, Gemma 4 E2B and E4B)
    linear attention  a state of fixed size for each request                    (Mamba-2, arXiv 2405.21060; DeltaNet)
    sparse attention  as its kind has it, and an indexer's keys for each token, by which a step chooses so many tokens
                      to read                                                   (DeepSeek-V3.2, GLM-5, MiniMax M3)
    compressed        an entry for each so many tokens, beside a window and a state of what becomes the next entry
                                                                                (DeepSeek-V4)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

FULL, WINDOW, LATENT, STATE, SHARED, BESIDE = "full", "window", "latent", "state", "shared", "beside"
"""The kinds of a group; BESIDE is what layers of another group keep as well: an indexer's keys, compressed entries."""


@dataclass(frozen=True)
class LayerGroup:
    """Layers of one kind of attention, and what each of them keeps of a request.

    Attributes:
        values: cached values of a token in a layer, of all KV heads, K and V together.
        heads: over how many devices the cache divides at most: KV heads, heads of a state, 1 of a latent cache.
        window: the tokens that are kept; None where all are.
        state_bytes: what a layer keeps of a request however long it is, in bytes of the type the state has.
        attention_width: multiply-adds for each query token and cached token in a layer: query heads x (size of K plus
            size of V), of a latent cache query heads x (2 x kv_lora_rank + rope size); 0 where that is not known.
        prompt_width: the same in a prompt, where K and V of a latent are unfolded: query heads x (size of K plus size
            of V); None where it is the `attention_width`.
        every: the tokens that an entry is for.
        read: the most entries that a step reads; None where all, 0 also of a state that it adds to.
    """

    kind: str
    layers: int
    values: int = 0
    heads: int = 1
    window: int | None = None
    state_bytes: float = 0.0
    attention_width: int = 0
    prompt_width: int | None = None
    every: int = 1
    read: int | None = None

    def held(self, tokens: float) -> float:
        """How many entries are kept of so many tokens."""
        return (min(tokens, self.window) if self.window is not None else tokens) / self.every

    def looked_at(self, tokens: float) -> float:
        """How many of these entries a step reads."""
        return self.held(tokens) if self.read is None else min(self.held(tokens), self.read)


@dataclass(frozen=True)
class ModelShape:
    """A model's shape; what is not known is None, and `groups` empty where what it caches is not.

    Attributes:
        name: the model's slug.
        total_params: parameters that lie in memory; active_params: those a token passes.
        routed_params: of all experts of all layers of which a token is routed to some; 0 of a dense model, None of a
            mixture of experts of which that is not known.
        sixteen_bit_params: those a quantised checkpoint usually leaves at 16 bit: embeddings and head.
        lookup_params: those of the table that tokens are looked up in, of which a step reads a row for each token; 0
            where the head is the same table, or that is not known.
        has_computed_params: the parameters were worked out from the shapes, since nobody states their number.
    """

    name: str
    total_params: float | None = None
    active_params: float | None = None
    groups: tuple[LayerGroup, ...] = ()
    hidden: int | None = None
    vocabulary: int | None = None
    context: int | None = None
    experts: int | None = None
    experts_per_token: int | None = None
    moe_layers: int | None = None
    routed_params: float | None = 0.0
    sixteen_bit_params: float = 0.0
    lookup_params: float = 0.0
    has_computed_params: bool = False
    source: str = field(default="", compare=False)

    @property
    def is_moe(self) -> bool:
        """Whether a token passes some experts of many."""
        return self.routed_params is None or self.routed_params > 0 or bool(self.experts)

    @property
    def layers(self) -> int:
        """Every layer that mixes tokens."""
        return sum(group.layers for group in self.groups if group.kind != BESIDE)

    def cache_bytes(self, tokens: float, value_bytes: float, tp: int = 1) -> float:
        """What one of `tp` devices that share a request keeps of it."""
        return cache_bytes(self.groups, tokens, value_bytes, tp)

    def read_bytes(self, tokens: float, value_bytes: float, tp: int = 1) -> float:
        """What such a device reads of it in a step: all, but where an indexer chooses so many entries."""
        read = (group for group in self.groups if group.read != 0)
        return sum(_bytes(group, group.looked_at(tokens), value_bytes, tp) for group in read)

    def distinct_experts(self, tokens: float) -> float | None:
        """Expected number of experts of a layer that at least one of so many tokens is routed to.

        experts x (1 - (1 - per token / experts) ^ tokens), for tokens routed evenly and independently; real routers
        prefer some, so this is an upper bound.
        """
        if not self.experts or not self.experts_per_token:
            return None
        return self.experts * (1 - math.pow(1 - self.experts_per_token / self.experts, tokens))

    def routed_params_read(self, tokens: float) -> float | None:
        """Those of the experts that at least one of so many tokens is routed to; None where that is not known."""
        if not self.routed_params:
            return self.routed_params
        distinct = self.distinct_experts(tokens)
        return None if distinct is None or not self.experts else self.routed_params * distinct / self.experts


def routed_params(total: float, active: float, experts: int, per_token: int) -> float:
    """Parameters of all routed experts, from a model's totals.

    total = rest + routed and active = rest + routed x per token / experts give
    routed = (total - active) / (1 - per token / experts).
    """
    return (total - active) / (1 - per_token / experts) if per_token < experts else 0.0


def cache_bytes(groups: Iterable[LayerGroup], tokens: float, value_bytes: float, tp: int = 1) -> float:
    """Bytes one of `tp` devices keeps of a request of so many tokens: the sum over layers.

    Each KV head lies whole on a device, so beyond as many devices as heads the cache is kept several times over
    (vLLM, TensorRT-LLM and SGLang replicate KV heads), and a latent cache, which has no heads, from two on.
    """
    return sum(_bytes(group, group.held(tokens), value_bytes, tp) for group in groups)


def _bytes(group: LayerGroup, entries: float, value_bytes: float, tp: int) -> float:
    return group.layers * _share(group.heads, tp) * (group.values * entries * value_bytes + group.state_bytes)


def longest(groups: Iterable[LayerGroup], room: float, value_bytes: float, tp: int = 1) -> float:
    """The most tokens, whole, of a request that fits into so many bytes of a device; infinite where no layer keeps
    growing, 0 where not even one token fits."""
    listed = list(groups)
    ends = sorted({float(group.window) for group in listed if group.window is not None})
    start = 0.0
    for end in (*ends, math.inf):
        used = cache_bytes(listed, start, value_bytes, tp)
        if used > room:
            return 0.0
        growing = [group for group in listed if group.window is None or group.window > start]
        each = sum(
            group.layers * _share(group.heads, tp) * group.values * value_bytes / group.every for group in growing
        )
        if each > 0 and (whole := start + math.floor((room - used) / each)) < end:
            return whole
        start = end
    return math.inf


def _share(heads: int, tp: int) -> float:
    """What one of `tp` devices keeps of a layer: the heads divide whole, none has less than one."""
    return math.ceil(max(1, heads) / tp) / max(1, heads)
