"""Pages run by Streamlit's own test runner, in this process, on the shipped library or one made for the test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.caching import cache_resource_api
from streamlit.testing.v1 import AppTest

from bench.library import Library
from pages.shared import filter_counts, first_paint
from tests.library import files
from tests.pages import hostile as names
from tests.pages.drawn import MAIN, Open

DRAWS = {"opened", "counted", "hostile", "own_library"}
"""What a test that draws pages asks for."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of the tests of one file that draw pages the first is in the fast loop; test_pages.py says for itself."""
    files = set()
    for item in items:
        drawing = item.path.parent == Path(__file__).parent and DRAWS & set(getattr(item, "fixturenames", ()))
        if drawing and item.path.name != "test_pages.py":
            if item.path in files:
                item.add_marker(pytest.mark.long)
            files.add(item.path)


@pytest.fixture(scope="session", autouse=True)
def packages_looked_through_once() -> Iterator[None]:
    """A server looks for components in what is installed once, as it starts; Streamlit's runner at every page."""
    with pytest.MonkeyPatch.context() as patched:
        once = cache(manifest_scanner.scan_component_manifests)
        patched.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@contextmanager
def kept_apart() -> Iterator[None]:
    """Nothing is kept from before or for later; what pages keep of the shipped library is there again afterwards."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cache_resource_api._resource_caches, "_function_caches", {})
        yield
        st.cache_resource.clear()


@pytest.fixture(scope="session")
def shipped_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The place of a library of one's own that nobody writes to: what pages keep of the shipped one stays true."""
    place = tmp_path_factory.mktemp("pages") / "library"
    yield place
    assert not place.exists(), "A test that writes to the library asks for own_library."


@pytest.fixture(autouse=True)
def shipped(shipped_alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages read the shipped library and keep what they made of it, as they do for the readers of one server."""
    monkeypatch.setenv("KNEEPOINT_LIBRARY", str(shipped_alone))


@pytest.fixture(scope="session")
def small_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of one point, for tests to which it does not matter what ships: it is opened in no time."""
    folder = tmp_path_factory.mktemp("ships")
    assert not Library.open(folder / "library", shipped=False).add([files.table(folder / "ships.csv", {})]).refused
    return folder / "library"


@pytest.fixture
def own_library(shipped: None, small_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty library of the test's own; beside it ships a single point."""
    place = tmp_path / "library"
    monkeypatch.setenv("KNEEPOINT_LIBRARY", str(place))
    monkeypatch.setattr("bench.library.library.SHIPPED", small_library)
    with kept_apart():
        yield place


@pytest.fixture
def at_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server and the reader's browser are on this machine; Streamlit's runner has neither."""
    stated = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "127.0.0.1" if name == "server.address" else stated(name))
    monkeypatch.setattr(type(st.context), "ip_address", property(lambda _: "127.0.0.1"))
    monkeypatch.setattr(type(st.context), "headers", property(lambda _: {"Host": "localhost:8501"}))


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit makes each script it runs the main module, which a process started by another test would run again."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture(scope="module")
def hostile_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where a library with hostile names lies; what pages keep of it is kept for the tests of one module."""
    place = tmp_path_factory.mktemp("hostile")
    report = Library.open(place / "library").add([names.write(place)])
    assert not report.refused, report.refused
    with kept_apart():
        yield place / "library"


@pytest.fixture
def hostile(shipped: None, hostile_place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library with names that would act if they were not treated as text; nobody writes to it."""
    monkeypatch.setenv("KNEEPOINT_LIBRARY", str(hostile_place))
    return hostile_place


@pytest.fixture
def opened() -> Open:
    """Opens a page by name, with what its address asks for, as it is drawn once its chart stands."""

    def run(name: str, **query: str | list[str]) -> AppTest:
        at = AppTest.from_file(str(MAIN), default_timeout=60)
        for key, value in query.items():
            at.query_params[key] = value
        at.switch_page(f"{name}.py")
        at.session_state[first_paint.KEY] = True
        return at.run()

    return run


@pytest.fixture
def counted(opened: Open, monkeypatch: pytest.MonkeyPatch) -> Open:
    """Opens a page with the numbers of those choices in its row that hold one of these values, as a browser has them
    once they are worked out."""

    def drawn(name: str, *values: str, **link: str | list[str]) -> AppTest:
        def label(row: filter_counts.RowNumbers, choice: filter_counts.FilterChoice, words: str = "") -> str:
            wanted = any(value in values for chosen in choice.values() for value in chosen)
            return f" ({row.task(choice)[1]():,}{words})" if wanted else ""

        with monkeypatch.context() as patched:
            patched.setattr(filter_counts.RowNumbers, "label", label)
            return opened(name, **link)

    return drawn
