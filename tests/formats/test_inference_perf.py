"""inference-perf reports: seconds become ms, a stage is a result, and what mixes stages or requests is none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.errors import InputError
from tests.formats.reading_of import read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "inference_perf"
STAGE = "stage_0_lifecycle_metrics.json"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLES / "concurrency-4", tmp_path / "report"))


def changed(report: Path, **values: object) -> Path:
    """The stage with the values at these paths (`successes__count`) replaced."""
    path = report / STAGE
    document = json.loads(path.read_text())
    for place, value in values.items():
        *parents, last = place.split("__")
        here = document
        for parent in parents:
            here = here[parent]
        here[last] = value
    path.write_text(json.dumps(document))
    return path


def test_without_its_config_less_is_known_of_a_stage(report: Path) -> None:
    (report / "config.yaml").unlink()
    (point,), _ = read_points(report / STAGE)
    assert "model" not in point
    assert "isl_requested" not in point
    assert (point["load_kind"], point["concurrency"], point["isl_actual"]) == ("closed", 4, 48.375)


def test_what_prometheus_saw_is_no_result(report: Path) -> None:
    path = report / "stage_0_prometheus_metrics.json"
    prometheus = {"load_summary": {"count": 60}, "successes": {"rate": 1.0, "queue_len": {"mean": 2}}, "failures": {}}
    path.write_text(json.dumps(prometheus))
    with pytest.raises(InputError, match="Prometheus"):
        reading(path)


def test_an_open_stage_has_its_rate_and_tells_when_the_client_fell_behind(report: Path) -> None:
    config = (report / "config.yaml").read_text()
    (report / "config.yaml").write_text(config.replace("type: concurrent", "type: poisson"))
    path = changed(
        report, load_summary__concurrency=None, load_summary__schedule_delay={"mean": 12.57}, load_summary__count=24
    )
    (point,), _ = read_points(path)
    assert (point["load_kind"], point["request_rate"], point["arrivals"]) == ("open", 24, "poisson")
    assert "12,570 ms" in json.loads(point["flags"])[0]["seen"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"successes__count": 24.5}, "where load_summary.count is 24"),
        ({"successes__throughput": 12}, "successes.throughput in .* is 12"),
        ({"successes": {"count": 0}}, "has no request"),
    ],
)
def test_what_cannot_be_is_refused(report: Path, change: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_points(changed(report, **change))
