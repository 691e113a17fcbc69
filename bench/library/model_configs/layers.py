"""Layers of the published architectures: what each caches and how many parameters it has.

Shapes as the Hugging Face implementations of these model types have them. Norms are left out, which are under a
thousandth of a layer's parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.library.model_configs.values import ModelConfig
from bench.maths.model_shape import BESIDE, FULL, LATENT, SHARED, STATE, WINDOW, LayerGroup

BF16, FP32 = 2, 4

INDEXED = 4
"""Entries for so many tokens are chosen by an indexer, those for more are all read (DeepSeek-V4)."""
RATIOS = (0, INDEXED, 128)
"""For how many tokens a layer of DeepSeek-V4 may keep an entry; 0 is a window alone."""


@dataclass(frozen=True)
class Mixer:
    """What mixes the tokens of a layer: what it caches, its parameters, and what it caches beside."""

    cache: LayerGroup | None
    params: int
    beside: tuple[LayerGroup, ...] = ()


@dataclass(frozen=True)
class FeedForward:
    """The rest of a layer: parameters every token passes, and those of all routed experts."""

    params: int
    routed: int = 0


NONE = FeedForward(0)


def attention(config: ModelConfig, window: int | None = None, *, gated: bool = False, bias: bool = False) -> Mixer:
    """Attention with separate K and V: multi-head, grouped or multi-query; with a window it keeps the last tokens."""
    hidden, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    size = config.whole("head_dim", "attention_head_dim", default=max(1, hidden // heads))
    return sized_attention(config, config.whole("num_key_value_heads", default=heads), size, window, gated, bias)


def sized_attention(
    config: ModelConfig, kv_heads: int, size: int, window: int | None, gated: bool = False, bias: bool = False
) -> Mixer:
    """Attention with this many KV heads of this size."""
    hidden, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    queries, keys = heads * size, kv_heads * size
    cache = LayerGroup(WINDOW if window else FULL, 1, 2 * keys, kv_heads, window, attention_width=2 * queries)
    params = hidden * queries * (3 if gated else 2) + 2 * hidden * keys
    return Mixer(cache, params + (queries + 2 * keys + hidden if bias else 0))


def keys_are_values(config: ModelConfig, kv_heads: int, size: int) -> Mixer:
    """Full attention whose values are its keys, which are stored once."""
    hidden, queries = config.whole("hidden_size"), config.whole("num_attention_heads") * size
    cache = LayerGroup(FULL, 1, kv_heads * size, kv_heads, attention_width=2 * queries)
    return Mixer(cache, 2 * hidden * queries + hidden * kv_heads * size)


def shared(mixer: Mixer) -> Mixer:
    """The same attention on the cache of an earlier layer."""
    width = mixer.cache.attention_width if mixer.cache else 0
    return Mixer(LayerGroup(SHARED, 1, attention_width=width), mixer.params)


def latent(config: ModelConfig) -> Mixer:
    """Multi-head latent attention: kv_lora_rank + rope size of each token, for all heads."""
    hidden, heads = config.whole("hidden_size"), config.whole("num_attention_heads")
    rank, rope = config.whole("kv_lora_rank"), config.whole("qk_rope_head_dim")
    nope, value = config.whole("qk_nope_head_dim"), config.whole("v_head_dim")
    q_rank = config.optional("q_lora_rank")
    per_head = heads * (nope + rope)
    queries = q_rank * (hidden + per_head) if q_rank else hidden * per_head
    params = queries + hidden * (rank + rope) + rank * heads * (nope + value) + heads * value * hidden
    width, unfolded = heads * (2 * rank + rope), heads * (nope + rope + value)
    return Mixer(LayerGroup(LATENT, 1, rank + rope, attention_width=width, prompt_width=unfolded), params)


def sparse_latent(config: ModelConfig) -> Mixer:
    """The same on the tokens that an indexer chooses."""
    queries = config.optional("q_lora_rank") or config.whole("hidden_size")
    return indexed(config, latent(config), queries, *_indexer(config), config.whole("index_topk"))


def indexed(config: ModelConfig, mixer: Mixer, queries: int, heads: int, size: int, read: int) -> Mixer:
    """The same attention on the so many tokens that an indexer chooses, by one key of each: sparse attention."""
    hidden = config.whole("hidden_size")
    cache = None if mixer.cache is None else replace(mixer.cache, read=read)
    keys = LayerGroup(BESIDE, 1, size, attention_width=heads * size)
    return Mixer(cache, mixer.params + queries * heads * size + hidden * (size + heads), (keys,))


def compressed(config: ModelConfig, every: int) -> Mixer:
    """DeepSeek-V4's attention: K stored as V, a window, and an entry for each `every` tokens (0: none); where an
    indexer has a key for each entry, which it has of short ones, a step reads those that it chooses. What becomes
    entries and keys is kept with its scores until then, twice as long where these overlap."""
    hidden, heads, size = (config.whole(key) for key in ("hidden_size", "num_attention_heads", "head_dim"))
    q_rank, o_rank, groups = (config.whole(key) for key in ("q_lora_rank", "o_lora_rank", "o_groups"))
    width = 2 * heads * size
    window = LayerGroup(WINDOW, 1, size, 1, config.whole("sliding_window"), attention_width=width)
    params = hidden * (q_rank + size + groups * o_rank) + heads * size * (q_rank + o_rank)
    if not every:
        return Mixer(window, params)
    overlap, index = (2, _indexer(config)) if every == INDEXED else (1, None)
    params += 2 * overlap * hidden * size
    state = overlap * every * (size + (index[1] if index else 0)) * 2 * FP32
    kept = LayerGroup(BESIDE, 1, state_bytes=float(state), read=0)
    if index is None:
        return Mixer(window, params, (LayerGroup(BESIDE, 1, size, attention_width=width, every=every), kept))
    entries = LayerGroup(BESIDE, 1, size, attention_width=width, every=every, read=config.whole("index_topk"))
    keys = LayerGroup(BESIDE, 1, index[1], attention_width=index[0] * index[1], every=every)
    params += q_rank * index[0] * index[1] + hidden * (index[0] + 2 * overlap * index[1])
    return Mixer(window, params, (entries, keys, kept))


def _indexer(config: ModelConfig) -> tuple[int, int]:
    """How many heads an indexer's queries have, and the size of its keys."""
    return config.whole("index_n_heads"), config.whole("index_head_dim")


def delta_net(config: ModelConfig) -> Mixer:
    """Gated DeltaNet: a key size x value size state for each value head, and the convolution's last inputs."""
    hidden, heads = config.whole("hidden_size"), config.whole("linear_num_value_heads")
    key_size, value_size = config.whole("linear_key_head_dim"), config.whole("linear_value_head_dim")
    keys, values = config.whole("linear_num_key_heads") * key_size, heads * value_size
    kernel = config.whole("linear_conv_kernel_dim", default=4)
    convolved = 2 * keys + values
    state = heads * key_size * value_size * config.state_bytes() + convolved * (kernel - 1) * BF16
    params = hidden * (2 * keys + 2 * values + 2 * heads) + convolved * kernel + values * hidden
    return Mixer(LayerGroup(STATE, 1, heads=heads, state_bytes=float(state)), params)


def mamba2(config: ModelConfig, heads: int, size: int, state_size: int, groups: int, kernel: int) -> Mixer:
    """Mamba-2: a head size x state size state for each head, and the convolution's last inputs."""
    hidden, inner = config.whole("hidden_size"), heads * size
    convolved = inner + 2 * groups * state_size
    state = inner * state_size * config.state_bytes() + convolved * (kernel - 1) * BF16
    params = hidden * (inner + convolved + heads) + convolved * kernel + inner * hidden
    return Mixer(LayerGroup(STATE, 1, heads=heads, state_bytes=float(state)), params)


def mamba1(config: ModelConfig) -> Mixer:
    """Mamba: a state of so many values for each inner channel, and the convolution's last inputs."""
    hidden, state_size = config.whole("hidden_size"), config.whole("mamba_d_state")
    inner, kernel = hidden * config.whole("mamba_expand", default=2), config.whole("mamba_d_conv", default=4)
    rank = config.whole("mamba_dt_rank", default=-(-hidden // 16))
    state = inner * state_size * config.state_bytes() + inner * (kernel - 1) * BF16
    params = 3 * hidden * inner + inner * (kernel + 2 * rank + 3 * state_size)
    return Mixer(LayerGroup(STATE, 1, heads=inner, state_bytes=float(state)), params)


def gated(hidden: int, width: int) -> FeedForward:
    """A gated feed-forward: gate, up and down."""
    return FeedForward(3 * hidden * width)


def experts(hidden: int, count: int, each: int, shared_params: int = 0) -> FeedForward:
    """So many routed experts of so many parameters each, the router, and what every token passes beside them."""
    return FeedForward(hidden * count + shared_params, count * each)
