"""Weights, rooms and what fits: by hand, against what vLLM logged, and what holds however large all of it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.maths import model_memory
from bench.maths.model_memory import GB, GIB, DeviceLayout
from bench.maths.model_shape import FULL, LATENT, LayerGroup, ModelShape

MIB = 2**20
H100_MIB = 81_559
"""What nvidia-smi shows of an H100's memory."""

LLAMA_70B = ModelShape("llama", 70e9, 70e9, (LayerGroup(FULL, 80, 2 * 8 * 128, 8),), context=131_072)
DEEPSEEK = ModelShape(
    "deepseek", 671e9, 37e9, (LayerGroup(LATENT, 61, 576),), experts=256, experts_per_token=8, routed_params=654e9
)


def tokens_in(memory: float, weights: float) -> int:
    """Tokens of Llama 3.1 70B's FP8 cache, 80 x 8 x 128 x 2 = 163,840 B each, that fit beside the weights."""
    room = model_memory.DeviceRoom(memory, weights, memory - weights, DeviceLayout(1))
    found = room.longest(LLAMA_70B, 1, 1.0)
    assert found is not None
    return found


def test_sixty_one_and_ninety_five_thousand_tokens_on_one_h100_are_decimal_and_binary_bytes():
    """One H100, Llama 3.1 70B in FP8, all of the memory and nothing reserved: which bytes are meant decides."""
    assert tokens_in(80 * GB, 70e9) == int((80e9 - 70e9) / 163_840) == 61_035
    assert tokens_in(80 * GIB, 70e9) == 97_041  # the modules' 80 GiB, an upper bound
    assert tokens_in(H100_MIB * MIB, 70e9) == 94_731  # what a driver hands out
    assert tokens_in(H100_MIB * MIB, 70.55e9) == 91_374  # and all 70.55e9 weights
    # At the usual 90 %, with the least that vLLM was logged to reserve:
    room = model_memory.device_room(LLAMA_70B, "fp8", H100_MIB * MIB, DeviceLayout(1), 0.9, 4.9 * GIB)
    assert room is not None
    assert room.room / GIB == pytest.approx(0.9 * 79.65 - 4.9 - 65.21, abs=0.01)
    assert room.longest(LLAMA_70B, 1, 1.0) == 10_316  # 1.57 GiB
    # Embeddings and head at 16 bit are 2.1e9 B more, so nothing fits: vLLM logged -1.44 GiB of Llama 3.3 70B in FP8.
    kept = replace(LLAMA_70B, sixteen_bit_params=2 * 128_256 * 8192)
    room = model_memory.device_room(kept, "fp8", H100_MIB * MIB, DeviceLayout(1), 0.9, 4.9 * GIB)
    assert room is not None
    assert room.room < 0 == room.longest(kept, 1, 1.0)


def test_embeddings_and_head_stay_at_sixteen_bit():
    # 2 x 128,256 x 8,192 = 2,101,346,304 weights of 2 B, the other 67.9e9 of 1 B and 4 B for each 128 x 128
    kept = 2 * 128_256 * 8192
    shape = ModelShape("llama", 70e9, 70e9, sixteen_bit_params=kept)
    found = model_memory.weight_bytes(shape, "FP8")
    assert found == pytest.approx(kept * 2 + (70e9 - kept) * (1 + 4 / 16_384))
    assert model_memory.weight_bytes(shape, "bf16") == 140e9
    assert model_memory.weight_bytes(shape, "fp32") == 280e9
    assert model_memory.weight_bytes(shape, "fp3") is None
    assert model_memory.weight_bytes(ModelShape("x"), "fp8") is None


def test_fp4_counts_its_scales_and_is_a_lower_bound_in_any_of_its_formats() -> None:
    # a byte for each 32 values of MXFP4, for each 16 of NVFP4; what says only FP4 counts as the smaller
    shape = ModelShape("llama", 70e9, 70e9)
    each = {one: model_memory.weight_bytes(shape, one) for one in ("fp4", "mxfp4", "NVFP4")}
    assert each == {"fp4": 70e9 * 17 / 32, "mxfp4": 70e9 * 17 / 32, "NVFP4": 70e9 * 9 / 16}
    assert [one for one in model_memory.WEIGHT_BYTES if model_memory.is_lower_bound(one)] == ["fp4", "nvfp4", "mxfp4"]


def test_experts_divide_over_all_devices_and_the_rest_over_those_of_a_group():
    # 671e9 of 8 bit: 654e9 in experts and 17e9 beside them
    tp, dp = DeviceLayout(8), DeviceLayout(1, 8, is_expert_parallel=True)
    scaled = 1 + 4 / 128**2
    assert model_memory.device_weight_bytes(DEEPSEEK, "int8", tp) == 671e9 / 8
    assert model_memory.device_weight_bytes(DEEPSEEK, "fp8", dp) == pytest.approx((17e9 + 654e9 / 8) * scaled)
    assert model_memory.device_weight_bytes(DEEPSEEK, "int8", DeviceLayout(1, 8)) == 671e9
    unknown = ModelShape("moe", 671e9, 37e9, routed_params=None)
    assert model_memory.device_weight_bytes(unknown, "fp8", dp) is None
    assert model_memory.device_weight_bytes(unknown, "int8", tp) == 671e9 / 8


def test_a_latent_cache_is_kept_once_in_data_parallel_and_eight_times_in_tensor_parallel():
    # 8 H200: 0.9 x 141 GiB each; 2,048 tokens of 70,272 B are 0.134 GiB
    shared = model_memory.device_room(DEEPSEEK, "int8", 141 * GIB, DeviceLayout(8))
    apart = model_memory.device_room(DEEPSEEK, "int8", 141 * GIB, DeviceLayout(1, 8, is_expert_parallel=True))
    assert shared is not None
    assert apart is not None
    assert shared.requests(DEEPSEEK, 2048, 2.0) == int((0.9 * 141 * GIB - 671e9 / 8) / (2048 * 70_272)) == 363
    each = int((0.9 * 141 * GIB - 17e9 - 654e9 / 8) / (2048 * 70_272))
    assert apart.requests(DEEPSEEK, 2048, 2.0) == 8 * each == 2_080


def test_what_is_not_known_is_none_and_what_does_not_fit_is_nought():
    room = model_memory.device_room(LLAMA_70B, "bf16", 80 * GIB, DeviceLayout(1))
    assert room is not None
    assert room.room < 0
    assert room.requests(LLAMA_70B, 1, 2.0) == room.longest(LLAMA_70B, 1, 2.0) == 0
    nothing = ModelShape("x", 1e9)
    small = model_memory.device_room(nothing, "bf16", 80 * GIB, DeviceLayout(1))
    assert small is not None
    assert small.requests(nothing, 10, 2.0) is None
    assert small.longest(nothing, 10, 2.0) is None
    assert model_memory.device_room(ModelShape("y"), "bf16", 80 * GIB, DeviceLayout(1)) is None


def test_no_request_is_longer_than_the_model_allows():
    room = model_memory.device_room(LLAMA_70B, "fp8", 80 * GIB, DeviceLayout(8))
    assert room is not None
    assert room.longest(LLAMA_70B, 1, 1.0) == 131_072
    assert (room.longest(LLAMA_70B, 100, 1.0) or 0) < 131_072
