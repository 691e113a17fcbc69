"""The model types whose config.json is read, each with the layers it stands for; any other is told by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bench.errors import InputError
from bench.library.model_configs import layers
from bench.library.model_configs.layers import NONE, FeedForward, Mixer
from bench.library.model_configs.values import ModelConfig

Layer = tuple[Mixer, FeedForward]

FULL, SLIDING, LINEAR, SHARED = "full", "sliding", "linear", "shared"
LAYER_TYPES = {
    "full_attention": FULL,
    "attention": FULL,
    "sliding_attention": SLIDING,
    "linear_attention": LINEAR,
    "mamba": LINEAR,
}
PATTERN = "M*-E"
"""Nemotron-H's layers: Mamba-2, attention, feed-forward, mixture of experts."""

GEMMA_3 = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256, "vocab_size": 262_208,
           "max_position_embeddings": 131_072}  # fmt: skip
"""What a Gemma 3 config.json leaves out is what Transformers' Gemma3TextConfig has."""


def _count(config: ModelConfig) -> int:
    return config.whole("num_hidden_layers")


def _plain(config: ModelConfig) -> list[Layer]:
    """Llama, Qwen2, Qwen3: every layer alike, or with a window where one is used."""
    is_qwen2 = (config.text("model_type") or "").startswith("qwen2")
    bias = is_qwen2 or config.is_set("attention_bias")
    feed = layers.gated(config.whole("hidden_size"), config.whole("intermediate_size"))
    return [(layers.attention(config, window, bias=bias), feed) for window in _windows(config)]


def _windows(config: ModelConfig) -> list[int | None]:
    """The window of each layer; None where it has none."""
    count, window = _count(config), config.optional("sliding_window") or None
    if not config.is_set("use_sliding_window", default=True) or window is None:
        return [None] * count
    kinds = config.kinds("layer_types", LAYER_TYPES, count)
    if kinds is not None:
        return [window if kind == SLIDING else None for kind in kinds]
    full = config.optional("max_window_layers") if "use_sliding_window" in config.values else 0
    return [window if place >= (full or 0) else None for place in range(count)]


def _every(config: ModelConfig, one_in: int) -> list[int | None]:
    """Windows in a pattern, the last of each so many layers full, where no list says so."""
    count, window = _count(config), config.whole("sliding_window")
    kinds = config.kinds("layer_types", LAYER_TYPES, count)
    if kinds is None:
        kinds = [SLIDING if (place + 1) % one_in else FULL for place in range(count)]
    return [window if kind == SLIDING else None for kind in kinds]


def _mixtral(config: ModelConfig) -> list[Layer]:
    hidden = config.whole("hidden_size")
    feed = layers.experts(hidden, config.whole("num_local_experts"), 3 * hidden * config.whole("intermediate_size"))
    return [(layers.attention(config, window), feed) for window in _windows(config)]


def _qwen_moe(config: ModelConfig) -> list[Layer]:
    return [
        (layers.attention(config, window), feed) for window, feed in zip(_windows(config), _sparse(config), strict=True)
    ]


def _sparse(config: ModelConfig) -> list[FeedForward]:
    """Qwen's feed-forwards: experts in each layer, but for those that are named or left out by the step."""
    hidden, width = config.whole("hidden_size"), config.whole("moe_intermediate_size")
    beside = config.whole("shared_expert_intermediate_size", default=0, least=0)
    moe = layers.experts(hidden, config.whole("num_experts"), 3 * hidden * width, 3 * hidden * beside)
    dense, step = set(config.listed("mlp_only_layers")), config.whole("decoder_sparse_step", default=1)
    return [
        layers.gated(hidden, config.whole("intermediate_size")) if place in dense or (place + 1) % step else moe
        for place in range(_count(config))
    ]


def _qwen_hybrid(config: ModelConfig) -> list[Layer]:
    """Qwen3-Next and Qwen3.5: every fourth layer attends, the others are Gated DeltaNet."""
    count = _count(config)
    kinds = config.kinds("layer_types", LAYER_TYPES, count)
    if kinds is None:
        interval = config.whole("full_attention_interval", default=4)
        kinds = [LINEAR if (place + 1) % interval else FULL for place in range(count)]
    is_moe = bool(config.optional("num_experts"))
    dense = [layers.gated(config.whole("hidden_size"), config.whole("intermediate_size"))] if not is_moe else []
    feeds = _sparse(config) if is_moe else dense * count
    full, linear = layers.attention(config, gated=True), layers.delta_net(config)
    return [(linear if kind == LINEAR else full, feed) for kind, feed in zip(kinds, feeds, strict=True)]


def _gemma2(config: ModelConfig) -> list[Layer]:
    feed = layers.gated(config.whole("hidden_size"), config.whole("intermediate_size"))
    return [(layers.attention(config, window), feed) for window in _every(config, 2)]


def _gemma3(config: ModelConfig) -> list[Layer]:
    stated = ModelConfig({**GEMMA_3, **config.values}, config.file)
    feed = layers.gated(stated.whole("hidden_size"), stated.whole("intermediate_size"))
    windows = _every(stated, stated.whole("sliding_window_pattern", "_sliding_window_pattern", default=6))
    return [(layers.attention(stated, window), feed) for window in windows]


def _gemma4(config: ModelConfig) -> list[Layer]:
    """Sliding layers as Gemma 3 has them; full ones with larger heads, K stored as V in some; the last share caches."""
    hidden, kv_heads = config.whole("hidden_size"), config.whole("num_key_value_heads")
    size, wide = config.whole("head_dim", default=256), config.whole("global_head_dim", default=512)
    if config.is_set("attention_k_eq_v"):
        full = layers.keys_are_values(config, config.whole("num_global_key_value_heads", default=kv_heads), wide)
    else:
        full = layers.sized_attention(config, kv_heads, wide, None)
    windows = _every(config, config.whole("sliding_window_pattern", default=6))
    own = len(windows) - (config.optional("num_kv_shared_layers") or 0)
    stack: list[Layer] = []
    for place, window in enumerate(windows):
        mixer = full if window is None else layers.sized_attention(config, kv_heads, size, window)
        is_shared = place >= own
        width = config.whole("intermediate_size") * (2 if is_shared and config.is_set("use_double_wide_mlp") else 1)
        feed = layers.gated(hidden, width)
        if config.is_set("enable_moe_block"):
            each = 3 * hidden * config.whole("moe_intermediate_size", "expert_intermediate_size")
            feed = layers.experts(hidden, config.whole("num_experts"), each, feed.params)
        stack.append((layers.shared(mixer) if is_shared else mixer, feed))
    return stack


def _deepseek(config: ModelConfig) -> list[Layer]:
    """DeepSeek-V2, V3 and others alike, which engines run with an indexer where the file has its size."""
    mixer = layers.sparse_latent(config) if config.optional("index_topk") else layers.latent(config)
    return _with_experts(config, [mixer] * _count(config))


def _deepseek_sparse(config: ModelConfig) -> list[Layer]:
    """DeepSeek-V3.2 and GLM-5: an indexer in each layer, or in some, whose choice the layers after them share."""
    count, own = _count(config), layers.sparse_latent(config)
    are_shared = config.text("index_topk_pattern") or (config.optional("index_topk_freq") or 1) > 1
    kinds = config.kinds("indexer_types", {"full": FULL, "shared": SHARED}, count)
    kinds = kinds or ([] if are_shared else [FULL] * count)
    if kinds[:1] != [FULL]:
        raise InputError(f"{config.file}: indexer_types must say which layers have an indexer, the first among them.")
    without = Mixer(own.cache, layers.latent(config).params)
    return _with_experts(config, [without if kind == SHARED else own for kind in kinds])


def _with_experts(config: ModelConfig, mixers: Sequence[Mixer]) -> list[Layer]:
    """The feed-forwards of DeepSeek beside these: the first layers dense, the rest experts beside shared ones."""
    hidden, width = config.whole("hidden_size"), config.whole("moe_intermediate_size")
    beside = 3 * hidden * width * config.whole("n_shared_experts", default=0, least=0)
    moe = layers.experts(hidden, config.whole("n_routed_experts"), 3 * hidden * width, beside)
    dense = layers.gated(hidden, config.whole("intermediate_size"))
    first, every = config.whole("first_k_dense_replace", default=0, least=0), config.whole("moe_layer_freq", default=1)
    return [(mixer, dense if place < first or place % every else moe) for place, mixer in enumerate(mixers)]


def _deepseek_v4(config: ModelConfig) -> list[Layer]:
    """DeepSeek-V4: every layer has experts beside a shared one; the list says what each compresses."""
    hidden, width, count = config.whole("hidden_size"), config.whole("moe_intermediate_size"), _count(config)
    beside = 3 * hidden * width * config.whole("n_shared_experts", default=0, least=0)
    moe = layers.experts(hidden, config.whole("n_routed_experts"), 3 * hidden * width, beside)
    ratios = config.listed("compress_ratios")[:count]  # one more for the layer that foretells a token
    if len(ratios) < count or {*ratios} - {*layers.RATIOS}:
        raise InputError(f"{config.file}: compress_ratios must have 0, 4 or 128 for each of the {count} layers.")
    return [(layers.compressed(config, every), moe) for every in ratios]


def _minimax_m3(config: ModelConfig) -> list[Layer]:
    """MiniMax M3: most layers attend to the blocks that an indexer chooses; the first are dense."""
    hidden, sparse = config.whole("hidden_size"), config.part("sparse_attention_config") or ModelConfig({}, config.file)
    beside = 3 * hidden * config.whole("shared_intermediate_size", default=0, least=0)
    each = 3 * hidden * config.whole("intermediate_size")
    moe = layers.experts(hidden, config.whole("num_local_experts"), each, beside)
    dense = layers.gated(hidden, config.whole("dense_intermediate_size"))
    full = layers.sized_attention(config, config.whole("num_key_value_heads"), config.whole("head_dim"), None)
    heads, size = sparse.whole("sparse_num_index_heads"), sparse.whole("sparse_index_dim")
    read = sparse.whole("sparse_topk_blocks") * sparse.whole("sparse_block_size")
    chosen = layers.indexed(config, full, hidden, heads, size, read)
    indexers, keys_alone = sparse.listed("sparse_attention_freq"), sparse.listed("sparse_disable_index_value")
    routed, count = config.listed("moe_layer_freq"), _count(config)
    is_whole = len(indexers) == len(keys_alone) == len(routed) == count
    with_values = any(own > alone for own, alone in zip(indexers, keys_alone, strict=False))
    if not sparse.is_set("use_sparse_attention") or not is_whole or with_values:
        raise InputError(
            f"{config.file} must have use_sparse_attention, and for each layer an entry of sparse_attention_freq, of "
            "moe_layer_freq, and of sparse_disable_index_value, which is 1 where the first is."
        )
    mixers = [chosen if indexer else full for indexer in indexers]
    return [(mixer, moe if many else dense) for mixer, many in zip(mixers, routed, strict=True)]


def _gpt_oss(config: ModelConfig) -> list[Layer]:
    hidden, width = config.whole("hidden_size"), config.whole("intermediate_size")
    each = hidden * 2 * width + 2 * width + width * hidden + hidden
    feed = layers.experts(hidden, config.whole("num_local_experts", "num_experts"), each)
    return [(layers.attention(config, window, bias=True), feed) for window in _every(config, 2)]


def _jamba(config: ModelConfig) -> list[Layer]:
    """One layer of so many attends, and one of so many has experts."""
    hidden, width = config.whole("hidden_size"), config.whole("intermediate_size")
    dense, moe = layers.gated(hidden, width), layers.experts(hidden, config.whole("num_experts"), 3 * hidden * width)
    period, offset = config.whole("attn_layer_period"), config.whole("attn_layer_offset", least=0)
    every, first = config.whole("expert_layer_period"), config.whole("expert_layer_offset", least=0)
    full, state = layers.attention(config), layers.mamba1(config)
    return [
        (full if place % period == offset else state, moe if place % every == first else dense)
        for place in range(_count(config))
    ]


def _granite(config: ModelConfig) -> list[Layer]:
    """Granite 4: Mamba-2 and attention, experts beside a shared feed-forward."""
    hidden, count = config.whole("hidden_size"), _count(config)
    kinds = config.kinds("layer_types", LAYER_TYPES, count) or [FULL] * count
    feed = layers.gated(hidden, config.whole("shared_intermediate_size"))
    if many := config.optional("num_local_experts"):
        feed = layers.experts(hidden, many, 3 * hidden * config.whole("intermediate_size"), feed.params)
    stack = []
    for kind in kinds:
        mixer = layers.attention(config) if kind == FULL else _mamba2_of_granite(config)
        stack.append((mixer, feed))
    return stack


def _mamba2_of_granite(config: ModelConfig) -> Mixer:
    heads = config.whole("mamba_n_heads")
    inner = config.whole("hidden_size") * config.whole("mamba_expand", default=2)
    size = config.optional("mamba_d_head") or inner // heads
    groups, kernel = config.whole("mamba_n_groups", default=1), config.whole("mamba_d_conv", default=4)
    return layers.mamba2(config, heads, size, config.whole("mamba_d_state"), groups, kernel)


def _nemotron(config: ModelConfig) -> list[Layer]:
    """Nemotron-H: each letter of its pattern is a layer of one kind alone."""
    hidden, pattern = config.whole("hidden_size"), config.text("hybrid_override_pattern")
    if not pattern or len(pattern) != _count(config) or set(pattern) - set(PATTERN):
        raise InputError(f"{config.file}: hybrid_override_pattern must have one of {PATTERN} for each layer.")
    nothing = Mixer(None, 0)
    stack: list[Layer] = []
    for letter in pattern:
        if letter == "M":
            heads, size = config.whole("mamba_num_heads"), config.whole("mamba_head_dim")
            state, groups = config.whole("ssm_state_size"), config.whole("n_groups", default=1)
            stack.append(
                (layers.mamba2(config, heads, size, state, groups, config.whole("conv_kernel", default=4)), NONE)
            )
        elif letter == "*":
            stack.append((layers.attention(config), NONE))
        elif letter == "-":
            stack.append((nothing, FeedForward(2 * hidden * config.whole("intermediate_size"))))
        else:
            beside = config.whole("n_shared_experts", default=0, least=0)
            wide = config.whole("moe_shared_expert_intermediate_size", default=0, least=0)
            inner = config.optional("moe_latent_size") or 0  # experts on a projection of the token, there and back
            each = 2 * (inner or hidden) * config.whole("moe_intermediate_size")
            passed = 2 * hidden * (wide * beside + inner)
            feed = layers.experts(hidden, config.whole("n_routed_experts"), each, passed)
            stack.append((nothing, feed))
    return stack


FAMILIES: Mapping[str, Callable[[ModelConfig], Sequence[Layer]]] = {
    **dict.fromkeys(("llama", "mistral", "qwen2", "qwen3", "gemma"), _plain),
    **dict.fromkeys(("mixtral", "minimax_m2"), _mixtral),
    **dict.fromkeys(("qwen2_moe", "qwen3_moe"), _qwen_moe),
    **dict.fromkeys(("qwen3_next", "qwen3_5", "qwen3_5_text", "qwen3_5_moe", "qwen3_5_moe_text"), _qwen_hybrid),
    "gemma2": _gemma2,
    **dict.fromkeys(("gemma3", "gemma3_text"), _gemma3),
    **dict.fromkeys(("gemma4", "gemma4_text", "gemma4_unified", "gemma4_unified_text"), _gemma4),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "kimi_k2"), _deepseek),
    **dict.fromkeys(("deepseek_v32", "glm_moe_dsa"), _deepseek_sparse),
    "deepseek_v4": _deepseek_v4,
    "minimax_m3": _minimax_m3,
    "gpt_oss": _gpt_oss,
    "jamba": _jamba,
    "granitemoehybrid": _granite,
    "nemotron_h": _nemotron,
}

TIED = frozenset(("gemma", "gemma2", "gemma3", "gemma4"))
"""Families whose head is their table of embeddings where the file does not say."""
