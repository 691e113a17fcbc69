"""What layers cache of a request, by the published formulas: by hand for every kind, and what holds for all."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths.model_shape import (
    FULL,
    LATENT,
    STATE,
    WINDOW,
    LayerGroup,
    ModelShape,
    cache_bytes,
    longest,
    routed_params,
)

BF16, FP8 = 2.0, 1.0

groups = st.lists(
    st.builds(
        LayerGroup,
        st.sampled_from([FULL, WINDOW, LATENT, STATE]),
        st.integers(1, 128),
        st.integers(0, 8192),
        st.integers(1, 128),
        st.one_of(st.none(), st.integers(1, 100_000)),
        st.integers(0, 10_000_000).map(float),
        every=st.sampled_from([1, 1, 4, 128]),
        read=st.one_of(st.none(), st.integers(1, 5000)),
    ),
    min_size=1,
    max_size=4,
)
sizes = st.sampled_from([BF16, FP8])
tokens = st.integers(0, 2_000_000)


def test_every_device_has_a_whole_kv_head():
    llama = [LayerGroup(FULL, 80, 2 * 8 * 128, 8)]
    assert [cache_bytes(llama, 1, BF16, tp) for tp in (1, 2, 8, 16)] == [327_680, 163_840, 40_960, 40_960]
    assert cache_bytes(llama, 1, BF16, 3) == 327_680 * 3 / 8  # 3, 3 and 2 heads: the fullest device decides


def test_a_latent_cache_is_the_same_on_every_device():
    # 61 layers x (512 + 64) x 2 B
    deepseek = [LayerGroup(LATENT, 61, 512 + 64)]
    assert cache_bytes(deepseek, 1, BF16) == cache_bytes(deepseek, 1, BF16, 8) == 70_272


def test_a_window_stops_growing_and_the_other_layers_go_on():
    # 52 layers that keep 1,024 tokens and 10 that keep all, 16 x 128 x 2 x 2 B = 8,192 B of a token each
    gemma = [LayerGroup(WINDOW, 52, 2 * 16 * 128, 16, 1024), LayerGroup(FULL, 10, 2 * 16 * 128, 16)]
    assert cache_bytes(gemma, 131_072, BF16) == 52 * 8192 * 1024 + 10 * 8192 * 131_072
    assert cache_bytes(gemma, 131_072, BF16) / 2**30 == pytest.approx(10.41, abs=0.005)
    # one formula for all layers, with a head of 5376 / 32 values, is 7.8 times that
    one_formula = 62 * 16 * (5376 // 32) * 2 * 2 * 131_072
    assert one_formula / 2**30 == pytest.approx(81.38, abs=0.005)


def test_a_state_has_one_size_however_long_the_request():
    hybrid = [LayerGroup(FULL, 12, 2 * 2 * 256, 2), LayerGroup(STATE, 36, heads=32, state_bytes=2_146_304)]
    assert cache_bytes(hybrid, 0, BF16) == 36 * 2_146_304
    assert cache_bytes(hybrid, 10, FP8) == 36 * 2_146_304 + 12 * 1024 * 10


def test_the_longest_request_by_hand():
    # 8,192 B x 62 layers = 507,904 B of each of the first 1,024 tokens, 81,920 B of those beyond
    gemma = [LayerGroup(WINDOW, 52, 2 * 16 * 128, 16, 1024), LayerGroup(FULL, 10, 2 * 16 * 128, 16)]
    assert longest(gemma, 507_904 * 100 + 507_903, BF16) == 100
    assert longest(gemma, 507_904 * 1024 + 81_920 * 50, BF16) == 1074
    assert longest(gemma, 507_903, BF16) == 0
    assert longest([LayerGroup(WINDOW, 4, 64, 1, 128)], 4 * 64 * 128 * 2, BF16) == math.inf
    assert longest([LayerGroup(STATE, 1, state_bytes=100)], 99, BF16) == 0


@given(groups, tokens, sizes, st.integers(1, 64))
def test_the_longest_request_is_the_one_that_just_fits(layers, length, size, tp):
    room = cache_bytes(layers, length, size, tp) * (1 + 1e-12)  # a sum of floats may miss the last token
    found = longest(layers, room, size, tp)
    assert found >= length
    if math.isinf(found):
        assert cache_bytes(layers, 1e12, size, tp) == cache_bytes(layers, length, size, tp)
    else:
        assert cache_bytes(layers, found, size, tp) <= room * (1 + 1e-12)
        assert cache_bytes(layers, found + 1, size, tp) >= room * (1 - 1e-12)


def test_experts_that_a_batch_meets():
    moe = ModelShape("moe", 100e9, 10e9, experts=8, experts_per_token=2, routed_params=96e9)
    assert moe.distinct_experts(1) == pytest.approx(2)
    assert moe.distinct_experts(2) == pytest.approx(2 + 2 * 6 / 8)  # a second token's are new with 6 of 8
    assert moe.routed_params_read(1) == pytest.approx(96e9 * 2 / 8)
    assert moe.is_moe
    dense = ModelShape("dense", 8e9, 8e9)
    assert dense.distinct_experts(5) is None
    assert not dense.is_moe


def test_what_all_experts_have_follows_from_the_totals():
    # 671 = rest + routed, 37 = rest + routed x 8 / 256
    routed = routed_params(671, 37, 256, 8)
    assert routed == pytest.approx(634 / (248 / 256))
    assert 671 - routed + routed * 8 / 256 == pytest.approx(37)
