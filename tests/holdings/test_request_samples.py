"""The requests of a point, read again from its own source, give the point's own figures."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from bench.endpoint import Settings, running
from bench.holdings import request_samples
from bench.holdings.request_samples import SampledPoint
from bench.library import Library
from bench.sweep.session.runner import run
from tests.sweep.sweeping import folder_for

SAMPLES = Path(__file__).parents[1] / "samples"
LATENCIES = ("ttft_ms_mean", "ttft_ms_p50", "tpot_ms_mean", "e2el_ms_mean")


def of_points(library: Library, metric: str) -> list[tuple[str, str, int, float]]:
    return library.fetch(
        f"SELECT point_id, source_id, coalesce(concurrency, 1), {metric} FROM points WHERE {metric} IS NOT NULL"
    )


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library with one sweep of a jittery endpoint."""
    with running(Settings(port=0, ttft_ms=8, itl_ms=1, jitter="lognormal", jitter_share=0.3)) as url:
        library = tmp_path_factory.mktemp("own") / "library"
        folder = folder_for(library, url, loads__concurrency="4", point__requests="80")
        run(folder)
    return Library.open(library, shipped=False)


@pytest.mark.long
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
