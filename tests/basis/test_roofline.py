"""What a point used of its hardware, by hand from the published facts, and which points can be held against none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.basis import roofline
from bench.basis.roofline import Deployed, ServedLoad, ServedModel
from bench.library import Library
from tests.questions.heatmap.results import library_of, point

LLAMA = Deployed("llama-3.1-70b", "fp8", "fp8", "h100-sxm", 4, 4)
DEEPSEEK = Deployed("deepseek-r1", "fp8", None, "h200-sxm", 8, 8)
TABLE = 8192 * 128_256
"""Parameters of Llama 3.1 70B's table of tokens, which is not its head."""


def served(library: Library, deployed: Deployed) -> ServedModel:
    found = roofline.served_model(library, deployed)
    assert found is not None
    return found


def test_llama_on_four_h100_by_hand(shipped: Library) -> None:
    """16 requests of 128 + 64 tokens share a step of 20 ms: 800 tokens/s.

    A step reads a head of 2 bytes, the rest with a scale of 4 bytes for each 128 x 128, and 16 x 192 x 163,840 bytes:
    of 4 x 3.35 TB/s in 20 ms. Each token in and out takes 2 x (70e9 - the table) operations and its attention.
    """
    load = ServedLoad(16, 128, 128, 192, 800, 20)
    used = roofline.use(served(shipped, LLAMA), load, "served")
    assert used is not None
    read = 2 * TABLE + (70e9 - 2 * TABLE) * (1 + 4 / 128**2) + 16 * 192 * 163_840
    assert used.requests == 16
    assert used.bandwidth == pytest.approx(read / 0.02 / (4 * 3.35e12))
    attention = 80 * 2 * 64 * 128 * (192 + 128**2 / 2 / 128)
    operations = 2 * (70e9 - TABLE) * 2 + 2 * attention
    assert used.compute == pytest.approx(800 * operations / (4 * 1979e12))
    exchange = 80 * 2 * 2 * 3 / 4 * 2 * 8192 * 2 / 450e9  # of a token, and of the prompt token before it
    assert used.share == pytest.approx((used.bandwidth or 0) + 800 * exchange)
    assert not used.is_least
    assert (used.least.memory or 0) > max(used.least.compute or 0, used.least.exchange)


def test_a_batch_is_as_many_as_decode_at_once_by_littles_law_and_no_more_than_are_sent_and_fit(
    shipped: Library,
) -> None:
    model = served(shipped, LLAMA)
    assert roofline.batch(model, ServedLoad(64, 128, 128, 192, 800, 20)) == 16
    assert roofline.batch(model, ServedLoad(8, 128, 128, 192, 800, 20)) == 8
    assert roofline.batch(model, ServedLoad(1, 128, 128, 192, 40, 20)) == 1  # a step has at least one
    each = 192 * 163_840
    fitting = (0.9 * 4 * 80 * 2**30 - 70e9) / each
    assert roofline.batch(model, ServedLoad(None, 128, 128, 192, 800)) == pytest.approx(fitting)
    assert roofline.batch(model, ServedLoad(None, None, None, None, 800)) is None
    unstated = roofline.use(model, ServedLoad(None, None, None, None, 800), "served")
    assert unstated is not None
    assert (unstated.bandwidth, unstated.is_least) == (None, True)
    assert unstated.compute


def test_a_point_without_a_context_reads_at_least_its_weights(shipped: Library) -> None:
    """Gemma 4 31B in FP8 on one H100: 262,144 x 5,376 of 31e9 weights at 16 bit, 15.5 ms a step."""
    gemma = served(shipped, Deployed("gemma-4-31b", "fp8", "fp16", "h100-sxm", 1, 1))
    used = roofline.use(gemma, ServedLoad(1, None, None, None, 64.4, 15.5), "decode")
    assert used is not None
    head = 262_144 * 5376
    read = 2 * head + (31e9 - head) * (1 + 4 / 128**2)
    assert used.bandwidth == pytest.approx(64.4 * read / 3.35e12) == pytest.approx(0.623, abs=1e-3)
    assert used.is_least
    assert roofline.step_overhead(used) == pytest.approx(1 / 64.4 - read / 3.35e12)


def test_a_mixture_reads_the_experts_its_batch_meets_and_every_device_the_whole_latent(shipped: Library) -> None:
    """62.4 of 64 requests of 1,024 + 4,096 tokens decode at once on 8 H200 at TP 8, a token each 30.6 ms."""
    load = ServedLoad(64, 1024, 8192, 5120, 2040.16, 30.6058)
    used = roofline.use(served(shipped, DEEPSEEK), load, "served")
    assert used is not None
    batch = 2040.16 * 0.0306058
    routed, table, weight = 634e9 * 256 / 248, 7168 * 129_280, 1 + 4 / 128**2
    read = 2 * table + (671e9 - routed - 2 * table) * weight + routed * (1 - (248 / 256) ** batch) * weight
    read += batch * 8 * 61 * 576 * 5120
    assert used.requests == pytest.approx(batch)
    assert used.bandwidth == pytest.approx(2040.16 / batch * read / (8 * 4.8e12)) == pytest.approx(0.571, abs=1e-3)
    assert not served(shipped, DEEPSEEK).has_stated_cache


def test_prompts_are_told_by_the_time_to_their_first_token(shipped: Library) -> None:
    """1,024 tokens in 100 ms: 2 x (70e9 - table) x 1,024 operations and their attention, of 4 x 1,979 TFLOP/s."""
    used = roofline.use(served(shipped, LLAMA), ServedLoad(1, 1024, 128, 1088, 50, 20, 100), "prefill")
    assert used is not None
    operations = 2 * (70e9 - TABLE) * 1024 + 2 * 80 * 2 * 64 * 128 * 1024**2 / 2
    assert used.compute == pytest.approx(operations / 0.1 / (4 * 1979e12))
    assert (used.rate, used.is_least) == (10_240, True)
    assert roofline.use(served(shipped, LLAMA), ServedLoad(1, 1024, 128, 1088, 50), "prefill") is None


@pytest.mark.parametrize(
    ("changed", "layout"),
    [({}, (8, 1)), ({"dp_attention": True}, (1, 8)), ({"tp": 2, "dp": 4}, (2, 4)), ({"tp": None}, (1, 1))],
)
def test_the_layout_is_as_the_point_says_it_else_everything_is_read_once(
    changed: dict[str, Any], layout: tuple[int, int], shipped: Library
) -> None:
    model = served(shipped, DEEPSEEK._replace(**changed))
    assert (model.layout.tp, model.layout.dp) == layout


def test_limits_are_those_of_all_chips_and_a_link_that_of_a_device(shipped: Library) -> None:
    limits = served(shipped, LLAMA).limits
    assert (limits.bandwidth, limits.operations, limits.link) == (4 * 3.35e12, 4 * 1979e12, 450e9)
    beyond = served(shipped, DEEPSEEK._replace(accelerators=16, tp=16)).limits
    assert beyond.link is None  # eight are linked up
    assert served(shipped, LLAMA._replace(precision="int8")).limits.operations is None
    tpu = Deployed("qwen3.5-397b-a17b", "fp8", None, "tpu-v7x", 4, 8)
    assert served(shipped, tpu).limits.link == 300e9  # 600 of a chip with two devices


def test_what_is_not_published_is_held_against_nothing(shipped: Library) -> None:
    for key, value in (("accelerator", "cpu"), ("precision", "fp3"), ("model", "llama-4-scout"), ("model", "no-such")):
        assert roofline.served_model(shipped, LLAMA._replace(**{key: value})) is None


UNUSABLE = {
    "speculative": {"speculation": "mtp"},
    "disaggregated": {"disaggregated": True},
    "reused": {"prefix_caching": True},
    "no_rate": {"output_tokens_per_s": None, "ttft_ms_p50": 5},
    "no_chips": {"accelerators": None},
    "no_size": {"model": "no-such-model"},
    "no_precision": {"precision": None},
    "no_bandwidth": {"accelerator": "cpu"},
}


def test_each_reason_for_which_a_point_cannot_be_told_is_of_the_point_that_has_it(tmp_path: Path) -> None:
    rows = [point(128, 128, 100 + place, **changed) for place, changed in enumerate(({}, *UNUSABLE.values()))]
    held = library_of(tmp_path, rows)
    assert [one.code for one in roofline.reasons(held)] == list(UNUSABLE)
    for one, changed in zip(roofline.reasons(held), UNUSABLE.values(), strict=True):
        found = held.fetch(f"SELECT * FROM points WHERE {one.sql}")
        assert len(found) == 1, (one.code, changed)
    assert len(held.fetch(f"SELECT * FROM points WHERE {roofline.usable_sql(held)}")) == 1


def test_more_turns_than_one_share_prompts_too(tmp_path: Path) -> None:
    held = library_of(tmp_path, [point(128, 128, 100), point(128, 128, 200, turns=2), point(128, 128, 300, turns=1)])
    rates = held.fetch(f"SELECT output_tokens_per_s FROM points WHERE {roofline.usable_sql(held)} ORDER BY 1")
    assert rates == [(100,), (300,)]
