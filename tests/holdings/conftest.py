"""A small library of one's own, made once; who changes it changes a copy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.library import Library
from tests.holdings.made import made


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The library, which nobody changes."""
    return made(tmp_path_factory.mktemp("holdings"))


@pytest.fixture
def library(kept: Library, tmp_path: Path) -> Library:
    """A copy of it, to be changed."""
    shutil.copytree(kept.path, tmp_path / "library")
    return Library.open(tmp_path / "library", shipped=False)
