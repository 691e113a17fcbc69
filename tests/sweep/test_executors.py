"""Places to run load from are found by listing their folder, and a session runs its load from the one it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.endpoint import Settings, running
from bench.errors import UnknownName
from bench.sweep import executors
from bench.sweep.session.runner import run
from tests.sweep.sweeping import folder_for

ELSEWHERE = """
from bench.sweep.executors.local import Local

NAME = "elsewhere"
POINTS = []


class Elsewhere(Local):
    async def run(self, job):
        POINTS.append(job.point.key)
        return await super().run(job)


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


def test_this_machine_is_a_place() -> None:
    assert "local" in executors.places()


def test_a_place_that_is_none_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match=r"no place to run load from named 'moon'; choose one of .*local"):
        executors.executor("moon", 1)


@pytest.mark.long
@pytest.mark.usefixtures("elsewhere")
def test_the_load_of_every_point_runs_from_the_place_that_is_named(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=2, itl_ms=0.5)) as url:
        folder = folder_for(tmp_path, url)
        assert run(folder, place="elsewhere").state == "done"
    ran = executors.places()["elsewhere"].POINTS  # type: ignore[attr-defined]
    assert ran == [line.key for line, _ in folder.read.points]
