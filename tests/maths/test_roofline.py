"""Ceilings worked out by hand, and what holds of them whatever the model, the layout and the load."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths.model_memory import DeviceLayout
from bench.maths.model_shape import FULL, LATENT, WINDOW, LayerGroup, ModelShape, routed_params
from bench.maths.roofline import (
    HardwareLimits,
    UnitWork,
    ValueBytes,
    bound_by,
    exchanged_bytes,
    least_served_work,
    least_time,
    prompt_operations,
    resident,
    served_work,
    step_work,
    token_operations,
    weights_read,
)
from bench.maths.roofline import prompt_work as prompt

ONE = DeviceLayout(1)
EIGHT_BIT = ValueBytes(1, 1)
LLAMA_70B = ModelShape(
    "llama", 70e9, 70e9, (LayerGroup(FULL, 80, 2 * 8 * 128, 8, attention_width=2 * 64 * 128),), hidden=8192
)
DEEPSEEK = ModelShape(
    "deepseek",
    671e9,
    37e9,
    (LayerGroup(LATENT, 61, 576, attention_width=128 * 1088, prompt_width=128 * 320),),
    hidden=7168,
    experts=256,
    experts_per_token=8,
    routed_params=routed_params(671e9, 37e9, 256, 8),
)


@pytest.mark.parametrize(
    ("gigabytes", "tb_s", "ms", "tokens_per_s"),
    [
        (5, 3.35, 1.49, 670),  # Gemma 4 E4B INT8 on one H100, as an article has it
        (30, 3.3, 9.09, 110),  # Gemma 4 31B INT8 on four TPU v6e at the bandwidth that article states
        (30, 4 * 1.638, 4.58, 218.4),  # and at what Google publishes
        (140, 3.35, 41.8, 23.9),  # 70 B at 16 bit through one H100's memory
    ],
)
def test_what_articles_compute_for_one_request(gigabytes: float, tb_s: float, ms: float, tokens_per_s: float) -> None:
    shape = ModelShape("of an article", gigabytes * 1e9, gigabytes * 1e9)
    time = least_time(step_work(shape, EIGHT_BIT, ONE, 1, None), HardwareLimits(tb_s * 1e12, None))
    assert time.whole == time.memory == pytest.approx(ms / 1000, rel=0.005)
    assert time.per_s == pytest.approx(tokens_per_s, rel=0.005)


def test_a_step_of_a_dense_model() -> None:
    """70e9 weights and 64 x 1,000 x 80 x 2,048 bytes of cache; 64 x 2 x (70e9 + 80 x 16,384 x 1,000) operations."""
    step = step_work(LLAMA_70B, EIGHT_BIT, ONE, 64, 1000)
    assert step == UnitWork(70e9 + 64 * 1000 * 163_840, 64 * 2 * (70e9 + 1_310_720_000))
    time = least_time(step.each(64), HardwareLimits(3.35e12, 1979e12))
    assert 64 * time.memory == pytest.approx(0.02403, rel=1e-3)
    assert time.per_s == pytest.approx(64 / 0.02403, rel=1e-3)
    assert step.intensity == pytest.approx(113.4, abs=0.1)


def test_a_step_of_a_mixture_of_experts_reads_the_experts_that_its_tokens_meet() -> None:
    """Routed are 634e9 / (248 / 256) = 654.5e9; 64 tokens meet 256 x (1 - (248 / 256)^64) = 222.4 of 256 experts."""
    routed = 634e9 * 256 / 248
    met = 1 - (248 / 256) ** 64
    read = 671e9 - routed + routed * met
    assert (
        step_work(DEEPSEEK, EIGHT_BIT, ONE, 64, None).bytes == pytest.approx(read) == pytest.approx(585.2e9, rel=1e-3)
    )
    assert weights_read(DEEPSEEK, EIGHT_BIT, ONE, 1) == pytest.approx(37e9)
    assert weights_read(replace(DEEPSEEK, routed_params=None), EIGHT_BIT, ONE, 64) == 37e9


def test_what_each_device_keeps_of_a_latent_cache_is_read_by_each() -> None:
    """In tensor parallel over eight each reads the whole latent, 61 x 576 bytes a token; with data-parallel attention
    each reads its own requests alone, and the 16.5e9 parameters that are no experts."""
    routed = DEEPSEEK.routed_params or 0
    met = routed * (1 - (248 / 256) ** 8)
    alone = step_work(DEEPSEEK, EIGHT_BIT, ONE, 8, 1000)
    assert alone.bytes == pytest.approx(671e9 - routed + met + 8 * 35_136_000)
    shared = step_work(DEEPSEEK, EIGHT_BIT, DeviceLayout(8), 8, 1000)
    assert shared.bytes == pytest.approx(alone.bytes + 7 * 8 * 35_136_000)
    apart = step_work(DEEPSEEK, EIGHT_BIT, DeviceLayout(1, 8, is_expert_parallel=True), 8, 1000)
    assert apart.bytes == pytest.approx(alone.bytes + 7 * (671e9 - routed))
    assert apart.exchanged == 0


def test_embeddings_and_head_are_read_at_sixteen_bit_and_the_table_of_tokens_not_at_all() -> None:
    table = 128_256 * 8192
    shape = replace(LLAMA_70B, sixteen_bit_params=2 * table, lookup_params=table)
    assert weights_read(shape, EIGHT_BIT, ONE, 1) == 2 * table + 70e9 - 2 * table
    assert token_operations(shape, 0) == 2 * (70e9 - table)


def test_all_reduces_of_tensor_parallel() -> None:
    """61 layers x 2 sums x 2 x 7/8 of 64 x 7,168 x 2 bytes: 195.9 MB of each, 0.435 ms at 450 GB/s."""
    sent = exchanged_bytes(DEEPSEEK, DeviceLayout(8), 64)
    assert sent == 61 * 2 * 2 * 7 / 8 * 64 * 7168 * 2
    step = least_time(step_work(DEEPSEEK, EIGHT_BIT, DeviceLayout(8), 64, 1000), HardwareLimits(38.4e12, None, 450e9))
    assert step.exchange == pytest.approx(0.000435, rel=1e-2)
    assert step.whole == pytest.approx((step.memory or 0) + step.exchange)
    assert (
        exchanged_bytes(DEEPSEEK, ONE, 64) == exchanged_bytes(replace(DEEPSEEK, hidden=None), DeviceLayout(8), 1) == 0
    )


def test_a_prompt_looks_back_on_half_of_itself_and_a_window_on_no_more() -> None:
    """1,000 tokens look back on 500,000 together; within a window of 100 on 5,000 + 900 x 100 = 95,000."""
    full = LayerGroup(FULL, 1, 1, attention_width=10)
    windowed = LayerGroup(WINDOW, 1, 1, window=100, attention_width=10)
    shape = ModelShape("both", 0.0, 0.0, (full, windowed))
    assert prompt_operations(shape, 1000) == 2 * 10 * (500_000 + 95_000)
    assert token_operations(shape, 1000) == 2 * 10 * (1000 + 100)
    unfolded = prompt_operations(DEEPSEEK, 8192)  # 61 x 40,960 multiply-adds for each pair, not the latent's 139,264
    assert unfolded == pytest.approx(2 * 37e9 * 8192 + 2 * 61 * 40_960 * 8192**2 / 2)


def test_a_served_token_has_its_share_of_the_step_and_of_its_prompt() -> None:
    """70e9 x 2 x (1 + 1,000 / 100) operations without attention: at 1,979e12 a second 1,285 tokens/s."""
    shape = replace(LLAMA_70B, groups=())
    step = step_work(shape, EIGHT_BIT, ONE, 500, 1050)
    token = served_work(step, 500, prompt(shape, EIGHT_BIT, ONE, 1000), 100)
    assert token.bytes == 70e9 / 500
    assert token.operations == pytest.approx(2 * 70e9 * 11)
    time = least_time(token, HardwareLimits(3.35e12, 1979e12))
    assert time.per_s == 1 / (time.compute or 0) == pytest.approx(1285, abs=0.5)
    assert served_work(step, 500, None, 100) == step.each(500)


def test_what_is_not_known_bounds_nothing() -> None:
    unknown = least_time(UnitWork(None, 1e12), HardwareLimits(1e12, None))
    assert (unknown.memory, unknown.compute, unknown.whole, unknown.per_s) == (None, None, None, None)
    assert step_work(ModelShape("unknown"), EIGHT_BIT, ONE, 1, None).bytes is None
    assert least_time(UnitWork(1e12, 1e12), HardwareLimits(None, 1e12)).whole == 1
    assert resident(None, None, 1) is None
    assert resident(None, 100.0, 10.0) == 10
    assert resident(5, 100.0, 10.0) == 5
    assert resident(5, 1.0, 10.0) == 1  # one is served even where its cache has no room
    assert resident(5, -1.0, 0.0) == 5


@pytest.mark.parametrize(
    ("shares", "bound"),
    [
        ({"bandwidth": 0.6, "compute": 0.1}, "bandwidth"),
        ({"bandwidth": 0.4, "compute": 0.1}, None),  # 0.6 of the time is nobody's
        ({"bandwidth": 0.4, "compute": 0.1, "latency": 0.3}, "bandwidth"),  # 0.3 is left
        ({"bandwidth": 0.2, "compute": 0.7}, "compute"),
        ({"bandwidth": 0.2, "compute": 0.1, "latency": 0.1, "scheduling": 0.6}, "scheduling"),
        ({"bandwidth": 0.6, "compute": 0.1, "scheduling": 0.6}, "bandwidth"),
        ({}, None),
        ({"scheduling": 0.9}, None),
    ],
)
def test_what_binds_takes_most_of_the_time_or_nobody_can_tell(shares: dict[str, float], bound: str | None) -> None:
    assert bound_by(shares) == bound  # type: ignore[arg-type]


TABLE = 128_256 * 8192
OF_A_WINDOW = LayerGroup(WINDOW, 50, 4096, 16, 1024, attention_width=8192)
WINDOWED = replace(LLAMA_70B, groups=(OF_A_WINDOW, *LLAMA_70B.groups))
SHAPES = (
    LLAMA_70B,
    DEEPSEEK,
    WINDOWED,
    ModelShape("of no layers known", 8e9, 8e9),
    replace(LLAMA_70B, sixteen_bit_params=2 * TABLE, lookup_params=float(TABLE)),
)
LAYOUTS = (ONE, DeviceLayout(8), DeviceLayout(2, 4), DeviceLayout(1, 8, is_expert_parallel=True))
LENGTHS = st.integers(1, 100_000)


@given(st.sampled_from(SHAPES), st.sampled_from(LAYOUTS), st.integers(1, 4096), LENGTHS, LENGTHS, st.integers(1, 4096))
def test_no_ceiling_lies_above_the_bound_that_no_engine_passes(shape, layout, batch, isl, osl, sent):
    """The generous line: fewer bytes to a value, more requests in a step, no layout, no attention, no exchange."""
    least, sizes = ValueBytes(0.5, 0.5), ValueBytes(0.53, 1.0)
    context = isl + osl / 2
    limits = HardwareLimits(1e12, 1e15, 1e11)
    step = step_work(shape, sizes, layout, min(batch, sent), context)
    ceiling = least_time(served_work(step, min(batch, sent), prompt(shape, sizes, layout, isl), osl), limits)
    bound = least_time(least_served_work(shape, least, sent, context, (isl, osl)), limits)
    assert bound.memory <= ceiling.memory * (1 + 1e-9)
    assert bound.compute <= ceiling.compute * (1 + 1e-9)
    assert bound.per_s >= ceiling.per_s * (1 - 1e-9)
