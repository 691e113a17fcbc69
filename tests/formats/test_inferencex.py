"""InferenceX results: seconds become ms, figures per GPU the deployment's, and chips are counted where they can be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.errors import InputError
from tests.formats.reading_of import read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "inferencex"
DUMP = SAMPLES / "dump" / "benchmark_results.json"


def changed(tmp_path: Path, **values: object) -> Path:
    document = json.loads((SAMPLES / "agg_one_node.json").read_text())
    path = tmp_path / "agg.json"
    path.write_text(json.dumps({**document, **values}))
    return path


def test_each_throughput_has_its_own_divisor_where_roles_are_apart() -> None:
    """32 GPUs decode 94.8916 tokens/s each, 4 take in 762.506 each, and 36 make 169.071 each of both together."""
    (apart,) = (point for point in read_points(SAMPLES / "agg_bmk.json")[0] if point["disaggregated"])
    assert apart["accelerators"] == 36
    assert apart["output_tokens_per_s"] == pytest.approx(32 * 94.8916)
    assert apart["input_tokens_per_s"] == pytest.approx(4 * 762.506)
    assert apart["total_tokens_per_s"] == pytest.approx(36 * 169.071)


def test_a_dump_is_read_with_its_tables(tmp_path: Path) -> None:
    points, refused = read_points(DUMP)
    assert len(points) == 2
    said = [refusal.reason for refusal in refused]
    assert "entry 3 was refused: output x 36 + input x 36 GPUs is 2.52 times total x 72" in said[0]
    assert "server did not start" in said[1]
    assert "no isl" in said[2]
    folder = Path(shutil.copytree(DUMP.parent, tmp_path / "dump"))
    (folder / "configs.json").unlink()
    with pytest.raises(InputError, match="configs"):
        reading(folder / "benchmark_results.json")


@pytest.mark.parametrize(
    ("hardware", "accelerator"), [("tpuv7", "tpu-v7x"), ("tpu7x-standard-4t", "tpu-v7x"), ("abc9", "abc9")]
)
def test_devices_are_chips_only_where_a_chip_is_known_to_have_one(
    tmp_path: Path, hardware: str, accelerator: str
) -> None:
    (point,), _ = read_points(changed(tmp_path, hw=hardware, tp=8))
    assert (point["accelerator"], point["devices"]) == (accelerator, 8)
    assert "accelerators" not in point
    assert point["output_tokens_per_s"] == pytest.approx(8 * 98.9884)


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
    assert "entry 2" in refused.reason


def test_figures_divided_by_other_gpus_than_are_stated_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not the GPUs"):
        read_points(changed(tmp_path, output_tput_per_gpu=400.0))


@pytest.mark.parametrize("content", ["[", '[{"id": "x"}]'])
def test_a_broken_table_of_runs_costs_the_links_alone(tmp_path: Path, content: str) -> None:
    points, refused = read_points(DUMP)
    folder = Path(shutil.copytree(DUMP.parent, tmp_path / "dump"))
    (folder / "workflow_runs.json").write_text(content)
    without, (told, *others) = read_points(folder / DUMP.name)
    assert without == [{key: value for key, value in one.items() if key != "source_url"} for one in points]
    assert others == refused
    assert "workflow_runs.json" in told.reason
