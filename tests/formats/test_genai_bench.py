"""genai-bench runs: the unit is what the file says it is, a folder is one level a file, and facts stand beside them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.errors import InputError
from bench.library.library import Library
from tests.formats.damage import main_files
from tests.formats.reading_of import one_point, passports, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "genai_bench"
AT_4 = "D100_128_text-to-text_num_concurrency_4_time_4s.json"


@pytest.fixture
def levels(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLES / "levels", tmp_path / "levels"))


def edited(path: Path, **changes: object) -> Path:
    document = json.loads(path.read_text())
    document.update(changes)
    path.write_text(json.dumps(document))
    return path


def test_a_level_says_what_its_text_says() -> None:
    point = one_point(SAMPLES / "levels" / AT_4)
    stated = {
        "model": "mock-model",
        "checkpoint": "mock-model",
        "load_kind": "closed",
        "concurrency": 4,
        "isl_requested": 100,
        "isl_actual": 61.25,
        "osl_requested": 128,
        "osl_actual": 128.0,
        "harness": "genai-bench",
        "harness_version": "0.0.5",
        "evidence": "measured",
        "origin": "imported",
        "duration_s": 4.006148362999738,
        "output_tokens_per_s": 766.8213260329022,
        "input_tokens_per_s": 366.935986089963,
        "total_tokens_per_s": 1133.7573121228652,
        "requests_per_s": 5.990791609632049,
        "requests_ok": 24,
        "requests_failed": 0,
        "input_tokens": 1470,
        "output_tokens": 3072,
    }
    assert {key: point[key] for key in stated} == stated
    latencies = {
        "ttft_ms_p50": 38.78884893,
        "ttft_ms_mean": 38.93330933,
        "ttft_ms_p99": 42.16438234,
        "tpot_ms_p50": 4.40206413,
        "tpot_ms_mean": 4.40347712,
        "e2el_ms_p50": 598.405375,
        "e2el_ms_p99": 606.06156556,
    }
    assert {key: point[key] for key in latencies} == pytest.approx(latencies)
    assert not {"accelerator", "accelerators", "engine"} & point.keys()
    # With 128 tokens a request, e2el is ttft and 127 times tpot, request by request and so in the mean.
    assert point["e2el_ms_mean"] == pytest.approx(point["ttft_ms_mean"] + 127 * point["tpot_ms_mean"], rel=1e-6)


def test_a_folder_is_a_series_of_its_levels(levels: Path, tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([levels])
    rows = library.fetch("SELECT concurrency, series_id FROM points ORDER BY 1")
    assert [file.points for file in report.imported] == [1] * 4
    assert report.refused == []
    assert [concurrency for concurrency, _ in rows] == [1, 4, 16, 64]
    assert len({series for _, series in rows}) == 1


def test_facts_that_were_typed_in_are_taken(levels: Path) -> None:
    edited(
        levels / "experiment_metadata.json",
        server_engine="vLLM",
        server_version="0.9.1",
        server_gpu_type="H100",
        server_gpu_count="4",
    )
    (point,), _ = read_points(levels / AT_4)
    assert (point["engine"], point["engine_version"], point["accelerator"], point["accelerators"]) == (
        "vllm",
        "0.9.1",
        "h100-sxm",
        4,
    )


@pytest.mark.parametrize(
    ("typed", "accelerator"),
    [
        ("tpu7x", "tpu-v7x"),
        ("tpu7x-standard-4t", "tpu-v7x"),
        # Eight chips to each: nobody can tell whether 8 counts them or their hosts.
        ("ct6e-standard-8t", "tpu-v6e"),
        ("tpu7", "tpu7"),
        ("google-tpu-v7", "google-tpu-v7"),
        ("Abacus 9000", "abacus-9000"),
    ],
)
def test_a_number_that_may_not_be_of_chips_is_not_taken_for_one(
    levels: Path, typed: str, accelerator: str, tmp_path: Path
) -> None:
    edited(levels / "experiment_metadata.json", server_gpu_type=typed, server_gpu_count="8")
    (point,), _ = read_points(levels / AT_4)
    assert point["accelerator"] == accelerator
    assert "accelerators" not in point
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([levels])
    per_chip = "output_tokens_per_s_per_accelerator"
    assert library.fetch(f"SELECT DISTINCT accelerator, {per_chip} FROM points") == [(accelerator, None)]


def test_the_unit_is_never_assumed(levels: Path) -> None:
    path = levels / AT_4
    document = json.loads(path.read_text())
    for name in ("ttft", "tpot", "e2e_latency"):
        values = document["aggregated_metrics"]["stats"][name]
        for key, value in values.items():
            values[key] = value * 1000 if value is not None else None
    edited(path, **{**document, "_time_unit": "ms"})
    assert read_points(path)[0][0]["tpot_ms_p50"] == pytest.approx(4.40206413)
    edited(path, _time_unit="s")
    with pytest.raises(InputError, match="the unit is not ms"):
        read_points(path)
    edited(path, _time_unit="us")
    with pytest.raises(InputError, match="is 'us'; expected s or ms"):
        read_points(path)
    del document["_time_unit"]
    path.write_text(json.dumps(document))
    (levels / "experiment_metadata.json").unlink()
    with pytest.raises(InputError, match="does not say whether its times are in s or ms"):
        read_points(path)


def test_failures_are_kept_and_told() -> None:
    (path,) = (SAMPLES / "failures-16").glob("D100*")
    (point,), _ = read_points(path)
    assert (point["requests_ok"], point["requests_failed"]) == (206, 53)
    assert point["failed_share"] == pytest.approx(53 / 259)
    assert json.loads(point["flags"])[0]["seen"] == "53 of 259 requests failed (20%)."


def test_a_window_that_leaves_out_requests_and_not_their_time_is_told(levels: Path) -> None:
    edited(levels / "experiment_metadata.json", warmup_ratio=0.1, cooldown_ratio=0.1)
    (point,), _ = read_points(levels / AT_4)
    assert json.loads(point["flags"])[0]["seen"].startswith("20% of the requests were left out")


def test_metadata_alone_is_no_result_and_every_key_is_understood(levels: Path) -> None:
    with pytest.raises(InputError, match="describes an experiment of genai-bench; import its folder"):
        reading(levels / "experiment_metadata.json")
    assert reading(levels / AT_4).not_understood == ()


@pytest.mark.parametrize("scenario", ["N(480,240)/(300,150)", "U(50,100)/(200,250)", "D(100)"])
def test_drawn_lengths_are_not_taken_for_requested_ones(levels: Path, scenario: str) -> None:
    document = json.loads((levels / AT_4).read_text())
    document["aggregated_metrics"]["scenario"] = scenario
    (levels / AT_4).write_text(json.dumps(document))
    (point,), _ = read_points(levels / AT_4)
    assert not {"isl_requested", "osl_requested"} & point.keys()
    assert point["isl_actual"] == 61.25


def test_the_passports_tell_what_the_tools_clock_holds() -> None:
    """Version 0.0.5 posts without a session, and stops its clock after the chunk with the usage."""
    held = passports(next(iter(main_files("genai_bench"))))
    assert "opening its connection included" in held["ttft_ms_p50"]["definition"]
    for key in ("tpot_ms_p50", "e2el_ms_p50"):
        assert "trailing usage chunk" in held[key]["definition"]
