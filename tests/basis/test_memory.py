"""What weights leave of the memory: published facts by hand, upper bounds that hold, and what they explain."""

from __future__ import annotations

import pytest

from bench import names
from bench.basis import memory

# What drivers report of a chip, in bytes: nvidia-smi's MiB, rocm-smi's bytes, XLA's GiB.
REPORTED = {
    "h100-sxm": 81_559 * 2**20,
    "h200-sxm": 143_771 * 2**20,
    "b200-sxm": 183_359 * 2**20,
    "b300-sxm": 275_040 * 2**20,
    "mi300x": 206_141_652_992,
    "tpu-v5p": 95.74 * 2**30,
}


@pytest.mark.parametrize("slug", list(REPORTED))
def test_the_memory_of_a_chip_is_an_upper_bound_within_two_percent(slug):
    chip = names.accelerator(slug)
    assert REPORTED[slug] <= chip.memory_gb * memory.GIB * (1 + 1e-4)
    assert REPORTED[slug] >= chip.memory_gb * memory.GIB * 0.98


@pytest.mark.parametrize(
    ("precision", "checkpoints", "wanted"),
    [
        ("fp4", ["nvidia/DeepSeek-R1-0528-NVFP4-v2", "nvidia/DeepSeek-R1-NVFP4"], "nvfp4"),
        ("FP4", ["amd/DeepSeek-R1-MXFP4-Preview"], "mxfp4"),
        ("fp4", ["nvidia/DeepSeek-R1-NVFP4", None], "fp4"),
        ("fp4", ["nvidia/DeepSeek-R1-NVFP4", "amd/DeepSeek-R1-MXFP4"], "fp4"),
        ("fp4", ["nvidia/DeepSeek-R1-FP4"], "fp4"),
        ("fp4", [], "fp4"),
        ("mxfp4", ["nvidia/DeepSeek-R1-NVFP4"], "mxfp4"),
        ("fp8", ["nvidia/DeepSeek-R1-NVFP4"], "fp8"),
    ],
)
def test_a_format_of_fp4_is_that_which_every_checkpoint_names(precision, checkpoints, wanted):
    assert memory.weight_format(precision, checkpoints) == wanted


def test_the_room_beside_fp4_weights_is_told_at_most():
    assert memory.room("llama-3.1-70b", "fp4", "fp8", "h100-sxm", 1).is_lower_bound
    assert not memory.room("llama-3.1-70b", "fp8", "fp8", "h100-sxm", 1).is_lower_bound


def test_memory_explains_no_more_than_the_room_grows():
    small, wide = (memory.room("llama-3.1-70b", "fp8", "fp8", "h100-sxm", chips) for chips in (1, 2))
    assert memory.explains(small, wide, 9.14)
    assert not memory.explains(small, wide, 18)  # 76.83 / 4.83 and a tenth
    assert memory.room("llama-3.1-70b", None, None, "h100-sxm", 1) is None
    assert memory.cache_gib("qwen3-coder-480b-a35b", "bf16", 1) is None
    assert not memory.explains(None, wide, 2)
    full = memory.room("llama-3.1-70b", "bf16", "bf16", "h100-sxm", 1)
    assert full.room_gib < 0
    assert full.tokens is None
    assert not memory.explains(full, wide, 2)
