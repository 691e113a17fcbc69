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


CACHES = {
    # Bytes of a token at 16 bit and of a request, windows full and without a convolution's last inputs: (layers x ...).
    "deepseek-v3": (61 * (512 + 64) * 2, 70_272, 0),
    "deepseek-v3.2": (61 * (512 + 64 + 128) * 2, 85_888, 0),
    "deepseek-v4-pro": ((31 * 512 / 128 + 30 * (512 + 128) / 4) * 2, 9_848, 7_995_392 + 17_481_728),
    "deepseek-v4-flash": ((20 * 512 / 128 + 21 * (512 + 128) / 4) * 2, 6_880, 5_636_096 + 11_345_920),
    "glm-5": (78 * (512 + 64 + 128) * 2, 109_824, 0),
    "qwen3-next-80b-a3b": (12 * 2 * 256 * 2 * 2, 24_576, 75_497_472),
    "qwen3.5-397b-a17b": (15 * 2 * 256 * 2 * 2, 30_720, 188_743_680),
    "qwen3.5-27b": (16 * 4 * 256 * 2 * 2, 65_536, 150_994_944),
    "kimi-k3": (24 * (512 + 64) * 2, 27_648, 434_110_464),
    "gpt-oss-120b": (18 * 8 * 64 * 2 * 2, 36_864, 4_718_592),
    "gpt-oss-20b": (12 * 8 * 64 * 2 * 2, 24_576, 3_145_728),
    "gemma-4-31b": (10 * 4 * 512 * 2, 40_960, 838_860_800),
    "gemma-4-26b-a4b": (5 * 2 * 512 * 2, 10_240, 209_715_200),
    "minimax-m2.5": (62 * 8 * 128 * 2 * 2, 253_952, 0),
    "minimax-m3": ((60 * 2 * 4 * 128 + 57 * 128) * 2, 137_472, 0),
}
CONVOLVED = {"qwen3-next-80b-a3b": 36 * 3 * 8192 * 2, "qwen3.5-397b-a17b": 45 * 3 * 12_288 * 2,
             "qwen3.5-27b": 48 * 3 * 10_240 * 2, "kimi-k3": 69 * 3 * 3 * 12_288 * 2}  # fmt: skip
MEBI = 2**20


@pytest.mark.parametrize("slug", CACHES)
def test_a_token_and_a_request_keep_what_was_worked_out_elsewhere(slug: str) -> None:
    by_hand, token, request = CACHES[slug]
    found = shape(slug)
    assert found.cache_bytes(MEBI + 128, 2) - found.cache_bytes(MEBI, 2) == 128 * token == 128 * by_hand
    assert found.cache_bytes(MEBI, 2) == MEBI * token + request + CONVOLVED.get(slug, 0)


def test_what_a_table_leaves_open_stays_open():
    assert model_shape.known("no-such-model") is None
    assert model_shape.known(None) is None
    assert shape("glm-4.7").groups == ()
    assert shape("gpt-4").total_params is None
    assert [shape(slug).has_computed_params for slug in ("deepseek-v3.2", "deepseek-v3")] == [True, False]
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
