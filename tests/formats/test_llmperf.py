"""llmperf's runs: seconds become ms, its inter-token latency is normalised TPOT, and TPOT comes from the requests."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from bench.errors import InputError
from bench.library.library import Library
from tests.formats.reading_of import one_point, passports, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "llmperf"
SUMMARY = "mock-model_100_64_summary.json"
REQUESTS = "mock-model_100_64_individual_responses.json"


def edited(folder: Path, name: str = SUMMARY, **changes: object) -> Path:
    """A copy of the summary, with its requests beside it where they are what is changed."""
    document: dict[str, Any] = json.loads((SAMPLES / name).read_text()) | changes
    (folder / name).write_text(json.dumps({key: one for key, one in document.items() if one is not ...}))
    return folder / name


def latencies(factor: float) -> dict[str, float]:
    """The summary's latencies in another unit."""
    summary = json.loads((SAMPLES / SUMMARY).read_text())
    return {key: factor * one for key, one in summary.items() if "_s_" in key and isinstance(one, float)}


def test_a_run_says_what_its_text_says_in_milliseconds() -> None:
    found = one_point(SAMPLES / SUMMARY)
    stated = {
        "model": "mock-model",
        "checkpoint": "mock-model",
        "load_kind": "closed",
        "concurrency": 4,
        "isl_requested": 100,
        "isl_actual": 100.0,
        "osl_requested": 64,
        "osl_actual": 63.083333333333336,
        "harness": "llmperf",
        "harness_version": "2023-08-31",
        "evidence": "measured",
        "origin": "imported",
        "requests_ok": 12,
        "requests_failed": 0,
        "output_tokens_per_s": 81.66625277644957,
    }
    assert {key: found[key] for key in stated} == stated
    assert found["date"].isoformat() == "2026-11-20"
    latencies = {
        "ttft_ms_mean": 39.174142833265556,
        "ttft_ms_p50": 38.52681699981986,
        "ttft_ms_p99": 45.25734083999396,
        "ntpot_ms_mean": 4.789621012469812,
        "ntpot_ms_p50": 4.801401605553122,
        "ntpot_ms_max": 4.905370375013263,
        "e2el_ms_mean": 307.04579116665326,
        "e2el_ms_p95": 317.21733055012463,
        "e2el_ms_min": 295.93605199988815,
        "ttft_ms_std": 3.1347619138619716,
    }
    assert {key: found[key] for key in latencies} == pytest.approx(latencies)
    assert found["duration_s"] == pytest.approx(12 / 77.67463936465481 * 60)
    assert found["requests_per_s"] == pytest.approx(77.67463936465481 / 60)
    # The two rates are of the same run: 12 answers of 63.08 tokens.
    assert found["output_tokens_per_s"] == pytest.approx(12 * found["osl_actual"] / found["duration_s"])
    assert not [key for key in found if key.startswith("itl_ms")]
    assert not found.keys() & {"engine", "accelerator", "accelerators", "tp"}


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
    assert "labelled inter-token latency" in held["ntpot_ms_p50"]["definition"]
    assert divisor in held["ntpot_ms_p50"]["definition"]
    for one in json.loads((SAMPLES / REQUESTS).read_text()):
        chunks = one["end_to_end_latency_s"] / one["inter_token_latency_s"]
        assert chunks == pytest.approx(one["number_output_tokens"] + 1, abs=0.05)
    assert "opening its connection" in held["ttft_ms_p50"]["definition"]
    assert "LLaMA tokenizer" in held["output_tokens_per_s"]["token_source"]
    assert {held[key]["unit_in_file"] for key in held if "_ms_" in key} == {"s"}


@pytest.mark.parametrize("beside", [None, "not json", "[]", '[{"ttft_s": "x"}]', '{"a": 1}'])
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
    assert json.loads(found["flags"])[0]["seen"] == "1 of 12 requests failed (8%)."


def test_a_folder_is_one_source_with_the_requests_in_it(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([SAMPLES])
    assert [(Path(one.file).name, one.points) for one in report.imported] == [(SUMMARY, 1)]
    assert REQUESTS not in {Path(row.file).name for row in report.refused}


def test_the_requests_alone_are_no_result(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has the requests of a run of llmperf; import the …_summary\.json beside it"):
        read_points(SAMPLES / REQUESTS)


def test_metadata_of_people_is_read_where_it_has_one_meaning(tmp_path: Path) -> None:
    found = one_point(edited(tmp_path, gpu="L40S", num_gpus="2", region="eu", additional_sampling_params_temperature=0))
    assert (found["accelerator"], found["accelerators"], found["variant"]) == ("l40s", 2, "region=eu")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"results_ttft_s_mean": "0.04"}, r"results_ttft_s_mean in mock.*json is '0\.04'; expected a number"),
        ({"num_concurrent_requests": 0}, r"num_concurrent_requests in mock.*json is 0; expected a number of requests"),
        ({"num_concurrent_requests": None}, "num_concurrent_requests"),
        ({"results_ttft_s_quantiles_p50": 0.5}, "ttft_ms_p50 is 500, but it cannot be above"),
        (latencies(1000), "the unit is not ms"),
        (latencies(1 / 1000), "the unit is not ms"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_points(edited(tmp_path, **changes))


def test_what_nobody_understood_is_listed(tmp_path: Path) -> None:
    assert reading(SAMPLES / SUMMARY).not_understood == ()
    assert reading(edited(tmp_path, results_new_thing=3)).not_understood == ("results_new_thing",)
