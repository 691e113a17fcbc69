"""InferenceX results: seconds become ms, figures per GPU the deployment's, and chips are counted where they can be."""

from __future__ import annotations

import datetime
import json
import shutil
from pathlib import Path

import pytest

from bench.errors import InputError
from bench.library.library import Library
from tests.formats.reading_of import one_point, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "inferencex"
DUMP = SAMPLES / "dump" / "benchmark_results.json"


def changed(tmp_path: Path, **values: object) -> Path:
    document = json.loads((SAMPLES / "agg_one_node.json").read_text())
    path = tmp_path / "agg.json"
    path.write_text(json.dumps({**document, **values}))
    return path


def test_one_node_says_what_its_text_says() -> None:
    point = one_point(SAMPLES / "agg_one_node.json")
    stated = {
        "model": "deepseek-r1",
        "checkpoint": "amd/DeepSeek-R1-0528-MXFP4",
        "precision": "fp4",
        "engine": "sglang",
        "engine_version": "0.5.12-rocm700-mi35x",
        "accelerator": "mi355x",
        "accelerators": 4,
        "devices": 4,
        "tp": 4,
        "ep": 1,
        "dp_attention": False,
        "disaggregated": False,
        "speculation": "none",
        "isl_requested": 1024,
        "osl_requested": 1024,
        "load_kind": "closed",
        "concurrency": 4,
        "harness": "inferencex",
    }
    assert {key: point[key] for key in stated} == stated
    figures = {
        "total_tokens_per_s": 4 * 198.945,
        "output_tokens_per_s": 4 * 98.9884,
        "input_tokens_per_s": 4 * 99.9564,
        "ttft_ms_p50": 102.174,
        "ttft_ms_p99": 823.114,
        "tpot_ms_mean": 9.61868,
        "itl_ms_p50": 9.40686,
        "e2el_ms_p50": 9040.93,
        "power_w_per_accelerator": 628.907,
        "joules_per_output_token": 6.35334,
    }
    assert {key: point[key] for key in figures} == pytest.approx(figures)
    assert not [key for key in point if key.startswith("interactivity")]


def test_each_throughput_has_its_own_divisor_where_roles_are_apart(tmp_path: Path) -> None:
    """32 GPUs decode 94.8916 tokens/s each, 4 take in 762.506 each, and 36 make 169.071 each of both together."""
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([SAMPLES / "agg_bmk.json"])
    ((accelerators, output, taken_in, total, by_decoder, interactivity),) = library.fetch(
        "SELECT accelerators, output_tokens_per_s, input_tokens_per_s, total_tokens_per_s, "
        "output_tokens_per_s_per_decode_accelerator, interactivity_tokens_per_s_per_user_p99 "
        "FROM points WHERE disaggregated"
    )
    assert accelerators == 36
    assert (output, taken_in, total) == pytest.approx((32 * 94.8916, 4 * 762.506, 36 * 169.071))
    assert output + taken_in == pytest.approx(total, rel=0.001)
    assert by_decoder == pytest.approx(94.8916)
    assert interactivity == pytest.approx(129.078, rel=1e-4)


def test_power_that_is_not_valid_is_left_out() -> None:
    points, _ = read_points(SAMPLES / "agg_bmk.json")
    assert [("power_w_per_accelerator" in point) for point in points] == [True, False, False]


def test_a_dump_is_read_with_its_tables(tmp_path: Path) -> None:
    points, refused = read_points(DUMP)
    assert [(point["accelerator"], point["concurrency"], point["accelerators"]) for point in points] == [
        ("mi355x", 4, 4),
        ("gb200", 24, 36),
    ]
    assert points[0]["date"] == datetime.date(2026, 6, 11)
    assert points[1]["source_url"].endswith("/runs/23438524239/attempts/5")
    assert points[1]["prefill_accelerators"] == 4
    assert "checkpoint" not in points[0]
    said = [refusal.reason for refusal in refused]
    assert "entry 3 was refused: output x 36 + input x 36 GPUs is 2.52 times total x 72" in said[0]
    assert said[1] == "entry 4 was refused: its run failed (server did not start)."
    assert said[2] == "entry 5 was refused: it has no isl, so it is no single-turn result."
    folder = Path(shutil.copytree(DUMP.parent, tmp_path / "dump"))
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([folder])
    assert [(Path(one.file).name, one.points) for one in report.imported] == [("benchmark_results.json", 2)]
    (folder / "configs.json").unlink()
    with pytest.raises(InputError, match=r"which is not in configs.json beside it"):
        reading(folder / "benchmark_results.json")


@pytest.mark.parametrize(
    ("hardware", "accelerator"),
    [("tpuv7", "tpu-v7x"), ("tpu7x-standard-4t", "tpu-v7x"), ("tpu7", "tpu7"), ("abc9", "abc9")],
)
def test_devices_are_chips_only_where_a_chip_is_known_to_have_one(
    tmp_path: Path, hardware: str, accelerator: str
) -> None:
    (point,), _ = read_points(changed(tmp_path, hw=hardware, tp=8))
    assert (point["accelerator"], point["devices"]) == (accelerator, 8)
    assert "accelerators" not in point
    assert point["output_tokens_per_s"] == pytest.approx(8 * 98.9884)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"median_ttft": "0.1"}, r"median_ttft in agg.json is '0.1'; expected a number"),
        ({"mean_e2el": 0.1, "mean_ttft": 0.2}, "cannot be above e2el_ms_mean"),
        ({"output_tput_per_gpu": 400.0}, "so these are not the GPUs that its figures were divided by"),
        ({"tp": 4.5}, "tp in agg.json is 4.5; expected a whole number"),
        ({"conc": [4]}, "conc in agg.json is a list"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_points(changed(tmp_path, **change))


def test_a_row_whose_latencies_are_in_another_unit_is_refused_and_the_others_are_taken(tmp_path: Path) -> None:
    """In ms they would be 3,477 requests in flight where 4 were."""
    good = json.loads((SAMPLES / "agg_one_node.json").read_text())
    wrong = {
        key: value * 1000 if key.endswith(("ttft", "tpot", "itl", "e2el")) else value for key, value in good.items()
    }
    path = tmp_path / "agg_bmk.json"
    path.write_text(json.dumps([good, wrong]))
    (point,), (refused,) = read_points(path)
    assert point["e2el_ms_mean"] == pytest.approx(8991.53)
    assert "entry 2 was refused: throughput x latency is 3.48e+03 requests in flight where 4 were" in refused.reason


def test_rows_with_figures_that_cannot_be_are_refused_alone(tmp_path: Path) -> None:
    good = json.loads((SAMPLES / "agg_one_node.json").read_text())
    path = tmp_path / "agg_bmk.json"
    path.write_text(json.dumps([good | {"mean_e2el": 0.1, "mean_ttft": 0.2}, good, good | {"tp": 4.5}]))
    points, refused = read_points(path)
    assert [point["locator"] for point in points] == ["entry 2"]
    first, third = (refusal.reason for refusal in refused)
    assert "in entry 1 ttft_ms_mean is 200, but it cannot be above e2el_ms_mean" in first
    assert third == "entry 3.tp in agg_bmk.json is 4.5; expected a whole number."


def test_figures_that_do_not_fit_the_concurrency_are_told(tmp_path: Path) -> None:
    """4 GPUs x 98.9884 tokens/s / 1024 tokens x 8.99 s are 3.5 requests in flight, not 40."""
    (point,), _ = read_points(changed(tmp_path, conc=40))
    (flag,) = json.loads(point["flags"])
    assert flag["seen"].startswith(
        "Throughput x latency is 3.5 requests in flight; the stated concurrency is 40, 12 times"
    )
    assert "flags" not in read_points(SAMPLES / "agg_one_node.json")[0][0]


def test_every_key_is_understood() -> None:
    assert reading(SAMPLES / "agg_bmk.json").not_understood == ()
    assert reading(DUMP).not_understood == ()


def test_a_latency_of_zero_is_left_out_and_told(tmp_path: Path) -> None:
    point = one_point(changed(tmp_path, p99_itl=0))
    assert "itl_ms_p99" not in point
    assert point["note"] == "0 ms in the file is no measurement and was left out: itl_ms_p99."


@pytest.mark.parametrize("content", ["", "[", '[{"id": "x"}]', "7"])
def test_a_broken_table_of_runs_costs_the_links_alone(tmp_path: Path, content: str) -> None:
    points, refused = read_points(DUMP)
    folder = Path(shutil.copytree(DUMP.parent, tmp_path / "dump"))
    (folder / "workflow_runs.json").write_text(content)
    without, (told, *others) = read_points(folder / DUMP.name)
    assert without == [{key: value for key, value in one.items() if key != "source_url"} for one in points]
    assert others == refused
    assert "workflow_runs.json" in told.reason
    assert told.reason.endswith("; the result was imported without it.")
