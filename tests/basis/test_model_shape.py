"""Shapes from data/models.csv: every published size of a cache, summed over layers by hand, and engine logs."""

from __future__ import annotations

import pytest

from bench import names
from bench.basis import model_shape
from bench.maths import model_memory
from bench.maths.model_shape import ModelShape

GIB = 2**30


def shape(slug: str) -> ModelShape:
    found = model_shape.known(slug)
    assert found is not None
    return found


@pytest.mark.parametrize("row", names.models(), ids=lambda row: row.slug)
def test_layers_add_up_to_the_published_bytes_of_a_token(row):
    found = shape(row.slug)
    if not found.groups:
        return
    first = found.cache_bytes(1, 2) - found.cache_bytes(0, 2)
    assert row.kv_bytes_per_token_bf16 in (None, first)
    if row.kv_window_tokens:
        far = row.kv_window_tokens
        beyond = found.cache_bytes(far + 1, 2) - found.cache_bytes(far, 2)
        assert beyond == row.kv_bytes_per_token_bf16_beyond_window
    if row.layers:
        assert found.layers == row.layers


def test_bytes_of_a_token_by_hand():
    assert shape("llama-3.1-70b").cache_bytes(1, 2) == 80 * 8 * 128 * 2 * 2 == 327_680
    assert shape("deepseek-v3").cache_bytes(1, 2) == 61 * (512 + 64) * 2 == 70_272
    # 50 x 16 x 256 x (K and V) x 2 B up to 1,024 tokens, and 10 x 4 x 512 x (K alone) x 2 B
    assert shape("gemma-4-31b").cache_bytes(2560, 2) == 1024 * (819_200 + 40_960) + 1536 * 40_960
    # 12 x 2 x 256 x (K and V) x 2 B = 24,576 B of a token; 36 x (32 x 128 x 128 x 4 B + 3 x 8,192 x 2 B) of a request
    state = 36 * (32 * 128 * 128 * 4 + 3 * 8192 * 2)
    assert shape("qwen3-next-80b-a3b").cache_bytes(1000, 2) == state + 24_576_000 == 77_266_944 + 24_576_000


def test_caches_of_the_longest_requests_as_unsloth_4757_prints_them():
    """Their GB are GiB: 62 layers of Gemma 3 are 10.41, 61 of DeepSeek-V3.1 10.72."""
    assert shape("gemma-3-27b").cache_bytes(131_072, 2) / GIB == pytest.approx(10.41, abs=0.005)
    assert shape("deepseek-v3").cache_bytes(163_840, 2) / GIB == pytest.approx(10.72, abs=0.005)


def test_what_a_table_leaves_open_stays_open():
    assert model_shape.known("no-such-model") is None
    assert model_shape.known(None) is None
    assert shape("kimi-k2.5").groups == ()
    assert shape("gpt-4").total_params is None
    assert shape("glm-4.7").routed_params is None
    assert shape("llama-3.1-8b").routed_params == 0


def test_weights_are_within_a_few_percent_of_what_vllm_loaded():
    """llm-d-benchmark's logs of one H100: 67.72 GiB of Llama 3.3 70B in FP8, 14.99 of Llama 3.1 8B, 64.38 and 13.47 of
    the two GPT-OSS, whose counts of parameters are rounded here."""
    for slug, precision, logged in (
        ("llama-3.3-70b", "fp8", 67.72),
        ("llama-3.1-8b", "bf16", 14.99),
        ("gpt-oss-120b", "nvfp4", 64.38),
        ("gpt-oss-20b", "nvfp4", 13.47),
    ):
        found = model_memory.weight_bytes(shape(slug), precision)
        assert found is not None
        assert found / GIB == pytest.approx(logged, rel=0.08)


def test_a_part_of_kv_layers_that_says_nothing_is_an_error():
    with pytest.raises(ValueError, match="no group of layers"):
        model_shape._group("80 layers", 1)
