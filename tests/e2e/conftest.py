"""One server and one browser for all browser tests; every test gets tabs of its own, which are listened to."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from bench.library import Library
from tests.benchmarks._server import running
from tests.e2e.browsing import CHROMIUM, FLAGS, PATIENCE_MS, context_on, listening, seen
from tests.pages import hostile

HERE = Path(__file__).parent

expect.set_options(timeout=PATIENCE_MS)

Visit = Callable[[], Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test of this folder drives a browser."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed tells what its tabs showed then."""
    report = yield
    if report.when == "call" and report.failed and item.path.is_relative_to(HERE):
        report.sections.append(("open tabs", seen()))
    return report


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app's address; its library holds what ships and a file with hostile names."""
    place = tmp_path_factory.mktemp("library")
    report = Library.open(place).add([hostile.write(tmp_path_factory.mktemp("results"))])
    assert not report.refused, report.refused
    with running(place) as started:
        yield started.url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def context(server: str, browser: Browser) -> Iterator[BrowserContext]:
    """The browser's context for all tests that need none of their own; its tabs are sessions of their own."""
    opened = context_on(browser, server)
    yield opened
    opened.close()


@pytest.fixture
def visit(server: str, context: BrowserContext) -> Iterator[Visit]:
    """Opens tabs, listened to until the test ends."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(listening(context, server))
