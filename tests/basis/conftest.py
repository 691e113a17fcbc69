"""The library as it ships, opened once; none of these tests writes to it."""

from __future__ import annotations

import pytest

from bench.library import Library


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("none") / "own")
