"""llmperf's runs: seconds become ms, its inter-token latency is normalised TPOT, and TPOT comes from the requests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.formats.reading_of import one_point, passports

SAMPLES = Path(__file__).parents[1] / "samples" / "llmperf"
SUMMARY = "mock-model_100_64_summary.json"
REQUESTS = "mock-model_100_64_individual_responses.json"


def edited(folder: Path, name: str = SUMMARY, **changes: object) -> Path:
    """A copy of the summary, with its requests beside it where they are what is changed."""
    document: dict[str, Any] = json.loads((SAMPLES / name).read_text()) | changes
    (folder / name).write_text(json.dumps({key: one for key, one in document.items() if one is not ...}))
    return folder / name


def test_tpot_is_that_of_the_requests_beside_it_and_near_what_the_server_saw() -> None:
    found = one_point(SAMPLES / SUMMARY)
    requests = json.loads((SAMPLES / REQUESTS).read_text())
    tpots = [(one["end_to_end_latency_s"] - one["ttft_s"]) / (one["number_output_tokens"] - 1) for one in requests]
    assert found["tpot_ms_mean"] == pytest.approx(1000 * sum(tpots) / 12)
    assert found["tpot_ms_max"] == pytest.approx(1000 * max(tpots))
    # The server's mean gap; the tool counts tokens with a tokenizer of its own, which is up to two off in 64.
    assert found["tpot_ms_p50"] == pytest.approx(4.358, rel=0.03)
    # Normalised TPOT holds the wait for the first token, so it is 10 % above.
    assert found["ntpot_ms_p50"] > 1.08 * found["tpot_ms_p50"]


def test_the_passports_say_what_the_labels_mean() -> None:
    held = passports(SAMPLES / SUMMARY)
    divisor = "chunks of the answer, one without content included (tokens + 1)"
    assert divisor in held["ntpot_ms_p50"]["definition"]
    for one in json.loads((SAMPLES / REQUESTS).read_text()):
        chunks = one["end_to_end_latency_s"] / one["inter_token_latency_s"]
        assert chunks == pytest.approx(one["number_output_tokens"] + 1, abs=0.05)
    assert {held[key]["unit_in_file"] for key in held if "_ms_" in key} == {"s"}


@pytest.mark.parametrize("beside", [None, "not json", '[{"ttft_s": "x"}]', '{"a": 1}'])
def test_without_its_requests_a_run_has_no_tpot(beside: str | None, tmp_path: Path) -> None:
    path = edited(tmp_path)
    if beside is not None:
        (tmp_path / REQUESTS).write_text(beside)
    found = one_point(path)
    assert "tpot_ms_mean" not in found
    assert found["ntpot_ms_p50"] == pytest.approx(4.801401605553122)


def test_requests_of_another_run_are_left_alone(tmp_path: Path) -> None:
    shutil.copy(SAMPLES / REQUESTS, tmp_path / REQUESTS)
    assert "tpot_ms_mean" not in one_point(edited(tmp_path, results_num_completed_requests=11))


def test_requests_with_an_error_are_in_no_latency(tmp_path: Path) -> None:
    requests = json.loads((SAMPLES / REQUESTS).read_text())
    requests[0] |= {"error_code": 429, "end_to_end_latency_s": 9.0}
    (tmp_path / REQUESTS).write_text(json.dumps(requests))
    found = one_point(edited(tmp_path, results_num_completed_requests=11, results_number_errors=1))
    assert found["tpot_ms_max"] < 5
    assert found["failed_share"] == pytest.approx(1 / 12)


def test_metadata_of_people_is_read_where_it_has_one_meaning(tmp_path: Path) -> None:
    found = one_point(edited(tmp_path, gpu="L40S", num_gpus="2", region="eu", additional_sampling_params_temperature=0))
    assert (found["accelerator"], found["accelerators"], found["variant"]) == ("l40s", 2, "region=eu")
