"""genai-bench runs: the unit is what the file says it is, and facts stand beside them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.errors import InputError
from tests.formats.reading_of import read_points

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
        ("google-tpu-v7", "google-tpu-v7"),
        ("Abacus 9000", "abacus-9000"),
    ],
)
def test_a_number_that_may_not_be_of_chips_is_not_taken_for_one(levels: Path, typed: str, accelerator: str) -> None:
    edited(levels / "experiment_metadata.json", server_gpu_type=typed, server_gpu_count="8")
    (point,), _ = read_points(levels / AT_4)
    assert point["accelerator"] == accelerator
    assert "accelerators" not in point


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


def test_a_window_that_leaves_out_requests_and_not_their_time_is_told(levels: Path) -> None:
    edited(levels / "experiment_metadata.json", warmup_ratio=0.1, cooldown_ratio=0.1)
    (point,), _ = read_points(levels / AT_4)
    assert "20%" in json.loads(point["flags"])[0]["seen"]


@pytest.mark.parametrize("scenario", ["N(480,240)/(300,150)", "U(50,100)/(200,250)", "D(100)"])
def test_drawn_lengths_are_not_taken_for_requested_ones(levels: Path, scenario: str) -> None:
    document = json.loads((levels / AT_4).read_text())
    document["aggregated_metrics"]["scenario"] = scenario
    (levels / AT_4).write_text(json.dumps(document))
    (point,), _ = read_points(levels / AT_4)
    assert not {"isl_requested", "osl_requested"} & point.keys()
    assert point["isl_actual"] == 61.25
