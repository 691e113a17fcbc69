"""llama-bench's tests: an engine's own loop, in metrics of its own, alike from JSON, JSON lines and CSV."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.catalogue import metric
from bench.errors import InputError
from tests.formats.reading_of import passports, read_points

SAMPLES = Path(__file__).parents[1] / "samples" / "llama_bench"
SERVING = set(
    "ttft_ms tpot_ms itl_ms e2el_ms ntpot_ms output_tokens_per_s input_tokens_per_s total_tokens_per_s".split()
)


def examples(**changes: object) -> list[dict[str, Any]]:
    """The two tests of the JSON example, both changed."""
    return [test | changes for test in json.loads((SAMPLES / "qwen2.5-7b.json").read_text())]


def points(folder: Path, document: list[dict[str, Any]]) -> list[dict[str, Any]]:
    path = folder / "bench.json"
    path.write_text(json.dumps(document))
    return read_points(path)[0]


def test_prompt_processing_and_token_generation_have_metrics_of_their_own() -> None:
    (pp, tg), _ = read_points(SAMPLES / "qwen2.5-7b.json")
    for point in (pp, tg):
        assert not {key.rsplit("_", 1)[0] for key in point} & SERVING
        assert not point.keys() & SERVING
    assert (pp["isl_requested"], pp.get("osl_requested")) == (512, None)
    assert (tg.get("isl_requested"), tg["osl_requested"]) == (None, 128)
    assert tg["decode_tokens_per_s"] == 118.881588
    assert tg["decode_step_ms_mean"] == pytest.approx(1076.767880 / 128)
    assert tg["decode_step_ms_std"] == pytest.approx(9.449585 / 128)


def test_csv_and_json_of_one_machine_are_one_deployment() -> None:
    from_csv, from_json = (read_points(SAMPLES / f"qwen2.5-7b.{ending}")[0] for ending in ("csv", "json"))
    for left, right in zip(from_csv, from_json, strict=True):
        same = ("model", "checkpoint", "precision", "accelerator", "variant", "engine_version")
        assert {key: left[key] for key in same} == {key: right[key] for key in same}


def test_every_metric_has_a_passport_in_the_files_unit() -> None:
    held = passports(SAMPLES / "qwen2.5-7b.json")
    units = {key: row["unit_in_file"] for key, row in held.items()}
    assert units == {
        "prefill_tokens_per_s": "tokens/s",
        "decode_tokens_per_s": "tokens/s",
        "decode_step_ms_mean": "ns",
        "decode_step_ms_std": "ns",
    }
    assert all("serving throughput" in metric(key).definition for key in units if key.endswith("tokens_per_s"))


@pytest.mark.parametrize(
    ("changes", "accelerator", "accelerators"),
    [
        ({"gpu_info": "NVIDIA A10"}, "a10", 1),
        ({"gpu_info": "NVIDIA L4, NVIDIA L4"}, "l4", 2),
        ({"gpu_info": "NVIDIA L4, NVIDIA L4", "split_mode": "none"}, "l4", None),
        ({"gpu_info": "NVIDIA L4, NVIDIA L4", "tensor_split": "1.00/0.00"}, "l4", None),
        ({"gpu_info": "NVIDIA L4, NVIDIA L4", "devices": "CUDA0"}, "l4", None),
        ({"gpu_info": "NVIDIA L4, NVIDIA A10"}, None, None),
        ({"gpu_info": "NVIDIA GeForce RTX 4080"}, "nvidia-geforce-rtx-4080", None),
        ({"gpu_info": "AMD Instinct MI250X, AMD Instinct MI250X"}, "amd-instinct-mi250x", None),
        ({"n_gpu_layers": 0}, None, None),
        ({"gpu_info": "", "backends": "CPU"}, "cpu", None),
        ({"gpu_info": "", "backends": "CUDA"}, None, None),
    ],
)
def test_chips_are_counted_only_where_all_of_them_compute_and_each_is_known_to_be_one_device(
    changes: dict[str, Any], accelerator: str | None, accelerators: int | None, tmp_path: Path
) -> None:
    for point in points(tmp_path, examples(**changes)):
        assert (point.get("accelerator"), point.get("accelerators")) == (accelerator, accelerators)


@pytest.mark.parametrize(
    ("filename", "kind", "model", "precision"),
    [
        ("m/Meta-Llama-3.1-8B-Instruct-Q8_0.gguf", "llama 8B Q8_0", "llama-3.1-8b", "q8_0"),
        ("C:\\m\\gemma-3-27b-it-BF16-00001-of-00002.gguf", "gemma3 27B BF16", "gemma-3-27b", "bf16"),
        ("models/7B/ggml-model-q4_0.gguf", "llama 7B mostly Q4_0", "llama-7b-mostly", "q4_0"),
        ("qwen3.f16.gguf", "qwen3 4B F16", "qwen3", "fp16"),
        ("x-IQ2_XS.gguf", "llama 70B IQ2_XS - 2.3125 bpw", "x", "iq2_xs"),
    ],
)
def test_model_and_precision_come_from_the_name_of_the_file_and_its_type(
    filename: str, kind: str, model: str, precision: str, tmp_path: Path
) -> None:
    point = points(tmp_path, examples(model_filename=filename, model_type=kind))[0]
    assert point["precision"] == precision
    assert point["model"].startswith(model)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"avg_ts": 7.1}, r"avg_ts is 7\.1, but 512 tokens in avg_ns 7\.21356e\+07 are 7097\.74 tokens/s"),
        ({"n_prompt": 0, "n_gen": 0}, "entry 1 has n_prompt 0 and n_gen 0"),
        ({"n_prompt": -5}, "n_prompt -5"),
        ({"avg_ns": 0}, "expected both above 0"),
        ({"n_depth": -1}, r"n_depth in bench\.json is -1"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        points(tmp_path, examples(**changes))
