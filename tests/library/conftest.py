"""A library of one's own, with nothing in it yet."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.library import Library


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library", shipped=False)
