"""GenAI-Perf: AIPerf's forerunner, with settings nested or flat."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.errors import InputError
from tests.formats.reading_of import one_point, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "genai_perf"
FILE = "profile_export_genai_perf.json"

FIGURES = {
    "ttft_ms_mean": 44,
    "ttft_ms_p50": 44,
    "ttft_ms_p90": 47.2,
    "ttft_ms_p99": 47.92,
    "tpot_ms_mean": 11,
    "tpot_ms_p50": 11,
    "tpot_ms_p95": 11.9,
    "e2el_ms_mean": 154,
    "e2el_ms_max": 168,
    "e2el_ms_min": 140,
    "output_tokens_per_s": 137.5,
    "requests_per_s": 12.5,
    "isl_actual": 550,
    "osl_actual": 11,
    "isl_requested": 550,
    "osl_requested": 11,
}


@pytest.mark.parametrize(
    ("name", "stated"),
    [
        (
            "nested",
            {
                "model": "llama-3.1-8b",
                "load_kind": "closed",
                "concurrency": 2,
                "requests_ok": 5,
                "goodput_requests_per_s": 10,
            },
        ),
        ("flat", {"model": "gpt2", "load_kind": "open", "request_rate": 12.5, "engine": "tensorrt-llm"}),
    ],
)
def test_a_run_says_what_its_text_says(name: str, stated: dict[str, object]) -> None:
    """(latency - TTFT) / 10 of its five requests are 10, 10.5, 11, 11.5 and 12 ms."""
    point = one_point(SAMPLES / name / FILE)
    assert {key: point[key] for key in stated} == stated
    assert {key: point[key] for key in FIGURES} == pytest.approx(FIGURES)
    assert not {"itl_ms_mean", "requests_failed", "failed_share", "accelerators", "date"} & point.keys()
    assert reading(SAMPLES / name / FILE).not_understood == ()


def test_the_backend_of_an_openai_endpoint_is_a_default_and_no_engine() -> None:
    document = json.loads((SAMPLES / "nested" / FILE).read_text())
    assert document["input_config"]["endpoint"]["backend"] == "tensorrtllm"
    (point,), _ = read_points(SAMPLES / "nested" / FILE)
    assert "engine" not in point


def test_a_unit_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    document = json.loads((SAMPLES / "nested" / FILE).read_text())
    document["time_to_first_token"]["unit"] = "sec"
    path = tmp_path / FILE
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="cannot be above e2el_ms"):
        reading(path)


def test_prompts_from_a_file_have_no_requested_length(tmp_path: Path) -> None:
    document = json.loads((SAMPLES / "nested" / FILE).read_text())
    document["input_config"]["input"]["file"] = "prompts.jsonl"
    path = tmp_path / FILE
    path.write_text(json.dumps(document))
    (point,), _ = read_points(path)
    assert not {"isl_requested", "osl_requested", "dataset"} & point.keys()
    assert point["isl_actual"] == 550
