"""Pages run by Streamlit's own test runner, in this process, on the shipped library or one made for the test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bench.library import Library
from tests.pages import hostile as names
from tests.pages.drawn import MAIN, Open


@pytest.fixture(autouse=True)
def own_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty library of the test's own beside the shipped one; nothing is kept from test to test."""
    place = tmp_path / "library"
    monkeypatch.setenv("KNEEPOINT_LIBRARY", str(place))
    st.cache_resource.clear()
    yield place
    st.cache_resource.clear()


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit makes each script it runs the main module, which a process started by another test would run again."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture
def hostile(own_library: Path, tmp_path: Path) -> Path:
    """A library with names that would act if they were not treated as text."""
    report = Library.open(own_library).add([names.write(tmp_path)])
    assert not report.refused, report.refused
    return own_library


@pytest.fixture
def opened() -> Open:
    """Opens a page by name, with what its address asks for."""

    def run(name: str, **query: str | list[str]) -> AppTest:
        at = AppTest.from_file(str(MAIN), default_timeout=60)
        for key, value in query.items():
            at.query_params[key] = value
        at.switch_page(f"{name}.py")
        return at.run()

    return run
