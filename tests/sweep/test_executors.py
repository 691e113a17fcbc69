"""Places to run load from are found by listing their folder, and a session runs its load from the one it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bench.endpoint import Settings, running
from bench.errors import UnknownName
from bench.sweep import executors
from bench.sweep.session.runner import run
from tests.sweep.sweeping import folder_for

ELSEWHERE = """
from bench.sweep.executors.local import Local

NAME = "elsewhere"
POINTS, STARTS = [], []


class Elsewhere(Local):
    async def run(self, job):
        POINTS.append(job.point.key)
        stems, runs = await super().run(job)
        STARTS.append([one.start_ns for one in runs])
        return stems, runs


EXECUTOR = Elsewhere
"""


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place that is a file beside the one that ships."""
    (tmp_path / "elsewhere.py").write_text(ELSEWHERE)
    monkeypatch.setattr(executors, "__path__", [*executors.__path__, str(tmp_path)])
    executors.places.cache_clear()
    yield
    executors.places.cache_clear()


def test_a_place_that_is_none_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"named 'moon'; choose one of .*local"):
        executors.executor("moon", 1)


@pytest.mark.long
@pytest.mark.usefixtures("elsewhere")
def test_every_point_runs_from_the_place_that_is_named_where_workers_start_together(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=5, itl_ms=1)) as url:
        folder = folder_for(
            tmp_path, url, workers="2", loads__concurrency="1,5", point__requests="10", point__warmup_requests="4"
        )
        assert run(folder, place="elsewhere").state == "done"
    place = executors.places()["elsewhere"]
    alone, together = (line for line, _ in folder.read.points)
    assert [alone.key, together.key] == place.POINTS  # type: ignore[attr-defined]
    assert (alone.workers, together.workers) == (1, 2)
    (_,), (one, other) = place.STARTS  # type: ignore[attr-defined]
    assert one == other
    assert (alone.requests_ok, together.requests_ok) == (10, 10)
    samples = pq.read_table(folder.requests / "2.parquet")
    assert sorted(samples.column("number").to_pylist()) == list(range(14))
