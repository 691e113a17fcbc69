"""The requests of a point, read again from its own source, give the point's own figures."""

from __future__ import annotations

import math
from array import array
from pathlib import Path

import numpy as np
import pytest

from bench.formats.journal import Session
from bench.holdings import request_samples
from bench.holdings.request_samples import SampledPoint
from bench.library import Library
from bench.records import Deployment
from bench.sweep.folder import Writer, now
from bench.sweep.generator.samples import gathered
from bench.sweep.generator.spool import Spool
from bench.sweep.measured.clock import ClockDrift
from bench.sweep.measured.finishing import FinishedLoad, line_of
from bench.sweep.measured.request_file import to_parquet
from bench.sweep.wire.exchange import Limits, PointRun
from tests.sweep.made import S, exchange
from tests.sweep.sweeping import folder_for

SAMPLES = Path(__file__).parents[1] / "samples"
LATENCIES = ("ttft_ms_mean", "ttft_ms_p50", "tpot_ms_mean", "e2el_ms_mean")


def of_points(library: Library, metric: str) -> list[tuple[str, str, int, float]]:
    return library.fetch(
        f"SELECT point_id, source_id, coalesce(concurrency, 1), {metric} FROM points WHERE {metric} IS NOT NULL"
    )


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with one sweep: a closed loop of four places, each answer of which takes its own drawn times."""
    library = tmp_path_factory.mktemp("own") / "library"
    folder = folder_for(library, "http://127.0.0.1:9", loads__concurrency="4", point__requests="80")
    part, draw = folder.requests / "1.part", np.random.default_rng(2)
    spool, free_at = Spool(part), [0.0] * 4
    for number in range(80):
        sent = min(free_at)
        stamps = sent + np.cumsum(np.array([8.0] + [1.0] * 7) * draw.lognormal(0, 0.3, 8))
        free_at[free_at.index(sent)] = max(stamps)
        spool.add(exchange(number, sent, list(stamps)), 32, 8)
    spool.close()
    run = PointRun(start_ns=0, end_ns=S, lag_ns=array("q", [0] * 600), cpu_s=0.1)
    ran = FinishedLoad(
        folder.plan.points()[0], Limits(requests=80), gathered([part]), [run], ClockDrift(0, 0, 0), (), now()
    )
    to_parquet(ran.spooled, 0, folder.requests / "1.parquet")
    writer = Writer(folder)
    writer.add(Session(folder.id, now(), Deployment(model="fake-model")))
    writer.add(line_of(ran, folder.plan, 1, "requests/1.parquet"))
    writer.close()
    return Library.open(library, shipped=False)


@pytest.mark.parametrize("metric", [*LATENCIES, "output_tokens_per_s", "requests_per_s"])
def test_a_sweeps_requests_give_its_figures(own: Library, metric: str) -> None:
    ((id, source, together, value),) = of_points(own, metric)
    found = request_samples.estimates(own, [(id, source, together, value)], metric)
    assert found[id].value == pytest.approx(value, rel=0.05 if metric in request_samples.RATES else 0.01)
    assert 0 < math.sqrt(found[id].variance) < 0.3
    assert request_samples.estimates(own, [(id, source, together, value * 1.12)], metric) == {}


@pytest.mark.parametrize("tool", ["vllm", "sglang"])
def test_an_imported_files_requests_give_its_figures(tmp_path: Path, tool: str) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add(sorted((SAMPLES / tool).glob("*.json*")))
    told = {metric: request_samples.estimates(library, of_points(library, metric), metric) for metric in LATENCIES}
    assert sum(map(len, told.values())) >= 3
    for metric, found in told.items():
        values = {id: value for id, _, _, value in of_points(library, metric)}
        assert all(one.value == pytest.approx(values[id], rel=0.01) for id, one in found.items())


def test_a_point_of_a_table_has_none(shipped: Library) -> None:
    rows = of_points(shipped, "ttft_ms_mean")[:5]
    assert request_samples.estimates(shipped, rows, "ttft_ms_mean") == {}
    assert request_samples.estimates(shipped, [], "ttft_ms_mean") == {}


def test_a_source_that_is_gone_has_none(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    assert request_samples.of_point(library, "0" * 64, "the run") is None


def test_metrics_that_requests_do_not_tell() -> None:
    sampled = SampledPoint({"ttft_ms": np.random.default_rng(1).permutation(np.arange(1.0, 101))})
    assert request_samples.estimate(sampled, "ttft_ms_mean").value == pytest.approx(50.5)
    assert request_samples.estimate(sampled, "ttft_ms_p50").value == pytest.approx(50.5)
    for metric in ("ttft_ms_max", "tpot_ms_mean", "output_tokens_per_s", "power_w_per_accelerator"):
        assert request_samples.estimate(sampled, metric) is None
