"""llama-bench's tests: an engine's own loop, in metrics of its own, alike from JSON, JSON lines and CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from bench.catalogue import metric
from bench.errors import InputError
from tests.formats.reading_of import passports, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "llama_bench"
SERVING = {
    "ttft_ms",
    "tpot_ms",
    "itl_ms",
    "e2el_ms",
    "ntpot_ms",
    "output_tokens_per_s",
    "input_tokens_per_s",
    "total_tokens_per_s",
}


def examples(**changes: object) -> list[dict[str, Any]]:
    """The two tests of the JSON example, both changed."""
    return [test | changes for test in json.loads((SAMPLES / "qwen2.5-7b.json").read_text())]


def points(folder: Path, document: list[dict[str, Any]]) -> list[dict[str, Any]]:
    path = folder / "bench.json"
    path.write_text(json.dumps(document))
    return read_points(path)[0]


def test_prompt_processing_and_token_generation_have_metrics_of_their_own() -> None:
    (pp, tg), refused = read_points(SAMPLES / "qwen2.5-7b.json")
    assert refused == []
    stated = {
        "model": "qwen2.5-7b-instruct",
        "checkpoint": "Qwen2.5-7B-Instruct-Q4_K_M.gguf",
        "precision": "q4_k_m",
        "kv_precision": "fp16",
        "engine": "llama.cpp",
        "engine_version": "b5163 8cf427ff",
        "accelerator": "nvidia-geforce-rtx-4080",
        "load_kind": "batch",
        "batch": 1,
        "context_tokens": 0,
        "harness": "llama-bench",
        "evidence": "measured",
        "origin": "imported",
    }
    for point in (pp, tg):
        assert {key: point[key] for key in stated} == stated
        assert point["date"].isoformat() == "2025-04-24"
        assert "n_ubatch=512, n_threads=8, n_gpu_layers=99" in point["variant"]
        assert not {key.rsplit("_", 1)[0] for key in point} & SERVING
        assert not point.keys() & SERVING
    assert (pp["isl_requested"], pp.get("osl_requested")) == (512, None)
    assert pp["prefill_tokens_per_s"] == 7100.002165
    assert (tg.get("isl_requested"), tg["osl_requested"]) == (None, 128)
    assert tg["decode_tokens_per_s"] == 118.881588
    assert tg["decode_step_ms_mean"] == pytest.approx(1076.767880 / 128)
    assert tg["decode_step_ms_std"] == pytest.approx(9.449585 / 128)


def test_what_is_in_the_cache_before_is_the_context_and_a_mixed_test_is_neither_rate() -> None:
    deep, mixed = read_points(SAMPLES / "qwen2.5-7b-depth.jsonl")[0]
    assert (deep["context_tokens"], deep["decode_tokens_per_s"]) == (512, 116.715)
    assert (mixed["isl_requested"], mixed["osl_requested"]) == (512, 128)
    assert mixed["prefill_and_decode_tokens_per_s"] == 557.0
    assert not mixed.keys() & {"prefill_tokens_per_s", "decode_tokens_per_s", "decode_step_ms_mean"}


def test_csv_and_json_of_one_machine_are_one_deployment() -> None:
    from_csv, from_json = (read_points(SAMPLES / f"qwen2.5-7b.{ending}")[0] for ending in ("csv", "json"))
    assert from_csv[0]["prefill_tokens_per_s"] == 7285.676949
    assert from_csv[1]["decode_step_ms_mean"] == pytest.approx(1067.4316 / 128)
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
        ({"avg_ts": "7100.0"}, r"avg_ts in bench\.json is '7100\.0'; expected a number"),
        ({"avg_ts": 7.1}, r"avg_ts is 7\.1, but 512 tokens in avg_ns 7\.21356e\+07 are 7097\.74 tokens/s"),
        ({"n_prompt": 0, "n_gen": 0}, r"bench\.json: entry 1 has n_prompt 0 and n_gen 0; a test processes some tokens"),
        ({"n_prompt": -5}, "n_prompt -5"),
        ({"avg_ns": 0}, "expected both above 0"),
        ({"n_depth": -1}, r"n_depth in bench\.json is -1; expected a number of tokens"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        points(tmp_path, examples(**changes))


def test_a_csv_is_refused_as_a_whole_for_a_cell_that_is_no_number_and_a_row_that_is_short(tmp_path: Path) -> None:
    rows = list(csv.reader(io.StringIO((SAMPLES / "qwen2.5-7b.csv").read_text())))
    path = tmp_path / "bench.csv"
    for place, cell, said in (
        (rows[0].index("avg_ns"), "fast", "avg_ns in bench.csv is 'fast'"),
        (None, "", "has 32 cells"),
    ):
        damaged = [list(row) for row in rows]
        if place is None:
            damaged[2].pop()
        else:
            damaged[2][place] = cell
        text = io.StringIO()
        csv.writer(text).writerows(damaged)
        path.write_text(text.getvalue())
        with pytest.raises(InputError, match=said):
            read_points(path)
    path.write_text((SAMPLES / "qwen2.5-7b.csv").read_text().split("\n")[0] + "\n")
    with pytest.raises(InputError, match="has a header and no rows"):
        read_points(path)


def test_what_nobody_understood_is_listed(tmp_path: Path) -> None:
    for name in ("qwen2.5-7b.json", "qwen2.5-7b.csv", "qwen2.5-7b-depth.jsonl"):
        assert reading(SAMPLES / name).not_understood == ()
    path = tmp_path / "bench.json"
    path.write_text(json.dumps(examples(n_experts_used=8)))
    assert reading(path).not_understood == ("n_experts_used",)
