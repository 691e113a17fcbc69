"""Every family's config.json: the parameters its makers publish, and what it caches, summed over layers by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.basis import model_shape
from bench.errors import InputError
from bench.library.model_configs import read_config
from bench.maths.model_shape import ModelShape
from bench.names import model_slug

FILES = Path(__file__).with_name("files")

PUBLISHED = {
    # As printed by their makers: B in all, B active, where that is printed.
    "Llama-3.1-70B-Instruct": (70.6, 70.6),
    "gemma-2-27b-it": (27.2, 27.2),
    "gemma-3-27b-it": (27.0, 27.0),
    "gemma-4-31B-it": (30.7, 30.7),
    "Qwen2.5-7B-Instruct": (7.61, 7.61),
    "Qwen3-0.6B": (0.6, 0.6),
    "Qwen3-30B-A3B": (30.5, 3.3),
    "Qwen3-Next-80B-A3B-Instruct": (80, 3.9),
    "DeepSeek-V3": (671, 37),
    "DeepSeek-V3.2": (671, 37),
    "DeepSeek-V2-Lite": (15.7, 2.4),
    "Mixtral-8x7B-Instruct-v0.1": (46.7, 12.9),
    "gpt-oss-120b": (116.8, 5.7),
    "AI21-Jamba-Mini-1.5": (52, 12),
    "granite-4.0-h-small": (32, 9),
    "NVIDIA-Nemotron-3-Nano-30B-A3B": (31.6, 3.6),
    "NVIDIA-Nemotron-3-Super-120B-A12B": (120, 12),
}


def shape(name: str) -> ModelShape:
    return read_config(FILES / f"{name}.json", name.lower())


@pytest.mark.parametrize("name", PUBLISHED)
def test_parameters_are_those_that_are_published(name):
    found, (total, active) = shape(name), PUBLISHED[name]
    assert found.has_computed_params
    assert found.total_params / 1e9 == pytest.approx(total, rel=0.01)
    assert found.active_params / 1e9 == pytest.approx(active, rel=0.12)  # some count embeddings, some do not


def test_a_token_of_each_family_and_the_weights_of_llama_by_hand():
    layer = 2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28_672
    assert shape("Llama-3.1-70B-Instruct").total_params == 80 * layer + 2 * 128_256 * 8192  # but norms
    each = {name: shape(name).cache_bytes(1, 2) - shape(name).cache_bytes(0, 2) for name in PUBLISHED}
    assert each["Llama-3.1-70B-Instruct"] == 80 * 8 * 128 * 2 * 2 == 327_680
    assert each["gemma-2-27b-it"] == 46 * 16 * 128 * 2 * 2
    assert each["gemma-3-27b-it"] == 62 * 16 * 128 * 2 * 2 == 507_904
    assert each["gemma-4-31B-it"] == 50 * 16 * 256 * 2 * 2 + 10 * 4 * 512 * 2 == 860_160
    assert each["Qwen2.5-7B-Instruct"] == 28 * 4 * 128 * 2 * 2
    assert each["Qwen3-Next-80B-A3B-Instruct"] == 12 * 2 * 256 * 2 * 2 == 24_576
    assert each["DeepSeek-V3"] == 61 * (512 + 64) * 2 == 70_272
    assert each["gpt-oss-120b"] == 36 * 8 * 64 * 2 * 2 == 73_728
    assert each["AI21-Jamba-Mini-1.5"] == 4 * 8 * 128 * 2 * 2
    assert each["granite-4.0-h-small"] == 4 * 8 * 128 * 2 * 2
    assert each["NVIDIA-Nemotron-3-Nano-30B-A3B"] == 6 * 2 * 128 * 2 * 2


def test_states_of_each_hybrid_by_hand():
    """FP32 states and the 16-bit inputs that the convolution looks back on."""
    kept = {name: shape(name).cache_bytes(0, 2) for name in PUBLISHED}
    assert kept["Qwen3-Next-80B-A3B-Instruct"] == 36 * (32 * 128 * 128 * 4 + 3 * (2 * 16 * 128 + 32 * 128) * 2)
    assert kept["AI21-Jamba-Mini-1.5"] == 28 * (8192 * 16 * 4 + 3 * 8192 * 2)
    assert kept["granite-4.0-h-small"] == 36 * (128 * 64 * 128 * 4 + 3 * (8192 + 2 * 128) * 2)
    assert kept["NVIDIA-Nemotron-3-Nano-30B-A3B"] == 23 * (64 * 64 * 128 * 4 + 3 * (4096 + 2 * 8 * 128) * 2)
    assert not any(many for name, many in kept.items() if "Llama" in name or "DeepSeek" in name or "gemma" in name)


def test_sparse_and_compressed_attention_by_hand():
    """An indexer's key of 128 values beside each token; DeepSeek-V4's entries for 4 tokens, with a key, and for 128."""
    assert shape("DeepSeek-V3.2").cache_bytes(1, 2) == 61 * (512 + 64 + 128) * 2 == 85_888
    assert shape("MiniMax-M3").cache_bytes(1, 2) == (60 * 2 * 4 * 128 + 57 * 128) * 2 == 137_472
    v4 = shape("DeepSeek-V4-Pro")
    state = 31 * 128 * 512 * 8 + 30 * 8 * (512 + 128) * 8
    assert state == 17_481_728
    assert v4.cache_bytes(1024, 2) == (61 * 128 * 512 + 31 * 8 * 512 + 30 * 256 * (512 + 128)) * 2 + state
    assert (v4.layers, v4.total_params, v4.active_params) == (
        61,
        pytest.approx(1.6e12, 0.02),
        pytest.approx(49e9, 0.02),
    )
    # A step reads all keys and 2,048 tokens, of DeepSeek-V4 1,024 of the entries for 4 tokens each.
    assert shape("DeepSeek-V3.2").read_bytes(100_000, 2) == 61 * (2048 * (512 + 64) + 100_000 * 128) * 2
    assert shape("MiniMax-M3").read_bytes(4096, 2) == (3 * 4096 * 1024 + 57 * (2048 * 1024 + 4096 * 128)) * 2
    assert v4.read_bytes(65_536, 2) == (61 * 128 * 512 + 31 * 512 * 512 + 30 * (1024 * 512 + 16_384 * 128)) * 2


def changed_from(folder: Path, name: str, **changed: Any) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads((FILES / f"{name}.json").read_text()) | changed))
    return path


def test_layers_that_share_an_indexer_keep_no_keys_of_their_own(tmp_path):
    """GLM-5.2's 78 layers, 21 of them with an indexer: 95,232 B of a token."""
    types = ["full", "full", *(["full", "shared", "shared", "shared"] * 19)]
    glm = {"model_type": "glm_moe_dsa", "num_hidden_layers": 78, "indexer_types": types}
    found = read_config(changed_from(tmp_path, "DeepSeek-V3.2", **glm), "x")
    assert found.cache_bytes(1, 2) == (78 * (512 + 64) + 21 * 128) * 2 == 95_232
    assert found.read_bytes(100_000, 2) == (78 * 2048 * (512 + 64) + 21 * 100_000 * 128) * 2
    every = read_config(changed_from(tmp_path, "DeepSeek-V3.2", **glm | {"indexer_types": None}), "x")
    assert every.total_params - found.total_params == 57 * (1536 * 64 * 128 + 7168 * (128 + 64))


SPARSE = json.loads((FILES / "MiniMax-M3.json").read_text())["sparse_attention_config"]


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        *(
            ("DeepSeek-V3.2", {"model_type": kind, "index_topk": many})
            for kind in ("deepseek_v32", "glm_moe_dsa")
            for many in (None, 0)
        ),
        ("DeepSeek-V3.2", {"index_topk_freq": 4}),
        ("DeepSeek-V3.2", {"index_topk_pattern": "FS"}),
        *(("DeepSeek-V3.2", {"indexer_types": [kind] * 61}) for kind in ("shared", "none")),
        *(("DeepSeek-V4-Pro", {"compress_ratios": [ratio] * 61}) for ratio in (1, 2, 3, 8, 64, 10_000_000)),
        ("MiniMax-M3", {"head_dim": None}),
        *(
            ("MiniMax-M3", {"sparse_attention_config": SPARSE | one})
            for one in ({"use_sparse_attention": False}, {"sparse_disable_index_value": [0] * 60})
        ),
    ],
)
def test_sparse_attention_that_is_not_known_is_refused_and_never_guessed(tmp_path, name, changed):
    with pytest.raises(InputError, match=r"config\.json"):
        read_config(changed_from(tmp_path, name, **changed), "x")


@pytest.mark.parametrize(
    "name", [one.stem for one in sorted(FILES.glob("*.json")) if model_shape.known(model_slug(one.stem))]
)
def test_a_config_and_the_table_say_the_same_of_a_model(name):
    read, table = shape(name), model_shape.known(model_slug(name))
    assert table is not None
    for tokens in (0, 1, 127, 1024, 5000, 131_072):
        assert read.cache_bytes(tokens, 2) == table.cache_bytes(tokens, 2)
        assert read.read_bytes(tokens, 2) == table.read_bytes(tokens, 2)
    assert {group.attention_width for group in read.groups} == {group.attention_width for group in table.groups}
    assert {group.prompt_width for group in read.groups} == {group.prompt_width for group in table.groups}
    if table.vocabulary:
        assert read.lookup_params == pytest.approx(table.lookup_params, rel=0.01)
    assert (read.hidden, read.experts, read.experts_per_token) == (table.hidden, table.experts, table.experts_per_token)
    assert table.total_params is None or read.total_params == pytest.approx(table.total_params, rel=0.03)


def test_shared_layers_cache_nothing(tmp_path):
    stated = json.loads((FILES / "gemma-4-31B-it.json").read_text())
    stated["text_config"] |= {"num_kv_shared_layers": 12, "attention_k_eq_v": False}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(stated))
    # 40 sliding of 16 x 256 and 8 full of 16 x 512 are left of 50 and 10
    assert read_config(path, "x").cache_bytes(1, 2) == (40 * 16 * 256 + 8 * 16 * 512) * 2 * 2


def test_another_type_is_told_by_its_name_and_never_guessed(tmp_path):
    for changed, told in (
        ({"model_type": "rwkv7"}, "the type rwkv7"),
        ({"model_type": None}, "the type LlamaForCausalLM"),
        ({"model_type": 5, "architectures": 7}, "that it does not state"),
        ({"model_type": "a" * 5000}, "a" * 60),
    ):
        with pytest.raises(InputError, match=told):
            read_config(changed_from(tmp_path, "Llama-3.1-70B-Instruct", **changed), "x")


@pytest.mark.parametrize(
    "changed",
    [
        {"num_hidden_layers": 10**12},
        {"num_hidden_layers": None},
        {"hidden_size": True},
        {"hidden_size": 1.5},
        {"vocab_size": float("inf")},
        {"num_attention_heads": 0},
        {"num_key_value_heads": "\x1b[31m8"},
        {"tie_word_embeddings": "yes"},
        {"sliding_window": 4096, "layer_types": ["full_attention"]},
        {"sliding_window": 4096, "layer_types": [[]] * 80},
        {"max_position_embeddings": -5},
        {"model_type": "nemotron_h"},
        {"model_type": "mixtral"},
        {"model_type": "deepseek_v4", "moe_intermediate_size": 64, "n_routed_experts": 8, "compress_ratios": [4]},
        {"model_type": "minimax_m3"},
        {"model_type": "qwen3_moe", "num_experts": 8, "moe_intermediate_size": 64, "num_experts_per_tok": 9},
        {"text_config": {"model_type": "llama"}},
    ],
)
def test_what_cannot_be_is_one_plain_sentence(tmp_path, changed):
    with pytest.raises(InputError) as problem:
        read_config(changed_from(tmp_path, "Llama-3.1-70B-Instruct", **changed), "x")
    told = str(problem.value)
    assert "config.json" in told
    assert told.isprintable()
    assert len(told) < 400


@pytest.mark.parametrize("text", ["", "[1, 2]", "{", "[" * 100_000, '{"a":' * 50_000, "9" * 6000, "\ufffe", '{"x": 1}'])
def test_what_is_no_config_is_one_plain_sentence(tmp_path, text):
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(InputError):
        read_config(path, "x")
    path.write_text(" " * 10_000_001)
    with pytest.raises(InputError, match="10,000,000 bytes"):
        read_config(path, "x")


GEMMA = json.loads((FILES / "gemma-4-31B-it.json").read_text())
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JUNK = st.recursive(VALUES, lambda one: st.lists(one, max_size=3), max_leaves=5)


@given(st.dictionaries(st.sampled_from(sorted(GEMMA["text_config"])), JUNK))
def test_junk_under_any_key_is_read_or_told(tmp_path_factory, junk):
    path = tmp_path_factory.mktemp("junk") / "config.json"
    path.write_text(json.dumps({**GEMMA, "text_config": GEMMA["text_config"] | junk}))
    try:
        found = read_config(path, "x")
    except InputError:
        return
    assert found.total_params > 0
    assert found.cache_bytes(10, 2) >= 0
