"""A small sweep with failures in it, measured once by the real runner."""

from __future__ import annotations

import pytest

from bench.endpoint import Settings, running
from bench.sweep.folder import Folder
from bench.sweep.session.runner import run
from tests.sweep.sweeping import folder_for


@pytest.fixture(scope="session")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Two points, in a library of its own; nobody changes it."""
    with running(Settings(step_ms=4, prefill_us_per_token=10, fail={"500": 0.15}, dialect="vllm")) as url:
        folder = folder_for(
            tmp_path_factory.mktemp("measured"),
            url,
            loads__concurrency="1,4",
            point__requests="24",
            facts__accelerator="h100",
        )
        assert run(folder).state == "done"
    return folder
