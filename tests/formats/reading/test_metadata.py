"""What people write beside a result becomes a fact where it has one meaning, and tells deployments apart where not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.formats.reading.metadata import FACT_OF, Metadata, stated
from bench.formats.reading.point_table import DEPLOYMENT_COLUMNS, WORKLOAD_COLUMNS

TEXTS = st.text(st.characters(), max_size=300) | st.sampled_from(("\ud800", "a\0b"))
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
VALUES = LEAVES | st.lists(LEAVES, max_size=3) | st.dictionaries(st.text(max_size=5), LEAVES, max_size=3)


@pytest.mark.parametrize(
    ("key", "value", "fact", "expected"),
    [
        ("tensor_parallel_size", 8, "tp", 8),
        ("--tensor-parallel-size", "8", "tp", 8),
        ("TP", " 8 ", "tp", 8),
        ("gpu", "NVIDIA H100 80GB HBM3", "accelerator", "h100-sxm"),
        ("hardware", "Trillium", "accelerator", "tpu-v6e"),
        ("num_gpus", "16", "accelerators", 16),
        ("engine", "TRT-LLM", "engine", "tensorrt-llm"),
        ("kv_cache_dtype", "fp8_e5m2", "kv_precision", "fp8"),
        ("quantization", "FP8", "precision", "fp8"),
        ("enable_prefix_caching", False, "prefix_caching", False),
        ("enable_prefix_caching", "True", "prefix_caching", True),
        ("speculative_algorithm", "EAGLE3", "speculation", "eagle3"),
        ("random_input_len", 1024, "isl_requested", 1024),
        ("max_model_len", 8192.0, "max_model_len", 8192),
    ],
)
def test_a_name_and_a_value_of_one_meaning_are_a_fact(key: str, value: object, fact: str, expected: object) -> None:
    found = stated({key: value})
    assert {**found.deployment, **found.workload} == {fact: expected}
    assert found.rest is None


@pytest.mark.parametrize(
    ("pairs", "rest"),
    [
        ({"gpu": "8"}, "gpu=8"),
        ({"gpu": "8xH100"}, "gpu=8xH100"),
        ({"tp": "auto"}, "tp=auto"),
        ({"tp": 2.5}, "tp=2.5"),
        ({"tp": 0}, "tp=0"),
        ({"tp": True}, "tp=true"),
        ({"tp": "4", "tensor_parallel_size": 8}, "tp=4, tensor_parallel_size=8"),
        ({"dtype": "auto", "max_num_seqs": 256}, "dtype=auto, max_num_seqs=256"),
        ({"compilation_config": {"level": 3}}, 'compilation_config={"level": 3}'),
    ],
)
def test_what_may_mean_two_things_is_told_as_it_stands(pairs: dict[str, object], rest: str) -> None:
    assert stated(pairs) == Metadata({}, {}, rest)


def test_two_names_for_one_fact_may_agree() -> None:
    assert stated({"tp": "8", "tensor_parallel_size": 8}) == Metadata({"tp": 8}, {}, None)


def test_a_count_that_may_be_of_devices_is_no_count_of_chips() -> None:
    """A TPU v7x has two devices a chip, and whoever writes num_gpus=8 may have counted either."""
    found = stated({"accelerator": "tpu7x", "num_gpus": 8})
    assert found.deployment == {"accelerator": "tpu-v7x"}
    assert found.rest == "num_gpus=8"
    assert stated({"accelerator": "tpu7x", "chips": 4}).deployment["accelerators"] == 4
    assert stated({"accelerator": "h200", "num_gpus": 8}).deployment["accelerators"] == 8


def test_tp_is_never_a_count_of_chips() -> None:
    assert stated({"tp": 8, "gpu": "H100"}).deployment == {"tp": 8, "accelerator": "h100-sxm"}


def test_every_fact_is_a_column() -> None:
    assert set(FACT_OF.values()) <= DEPLOYMENT_COLUMNS.keys() | WORKLOAD_COLUMNS.keys()


@given(st.dictionaries(st.sampled_from(sorted(FACT_OF)) | st.text(max_size=20), VALUES, max_size=6))
def test_whatever_is_written_is_told_in_whole_characters(pairs: dict[str, object]) -> None:
    found = stated(pairs)
    for value in (*found.deployment.values(), *found.workload.values(), found.rest or ""):
        assert "\0" not in str(value)
        str(value).encode()
