"""One server and one browser for all browser tests; every test gets tabs of its own, which are listened to."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from bench.library import Library
from tests.benchmarks._server import LOGS, running
from tests.e2e.browsing import CHROMIUM, FLAGS, OPEN, PATIENCE_MS, context_on, listening, seen
from tests.pages import hostile
from tests.suite import RESULTS, TRACED

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
    """Of a test that failed, keep what its tabs showed and did, and what the servers printed."""
    report = yield
    if report.when != "teardown" and report.failed and item.path.is_relative_to(HERE):
        report.sections.append(("open tabs", seen()))
        keep(RESULTS / re.sub(r"[^\w.-]+", "-", item.nodeid.removeprefix("tests/e2e/"))[:120])
    return report


@pytest.fixture(scope="session", autouse=True)
def server_logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the servers print goes to a folder, from which a failure takes it."""
    os.environ[LOGS] = str(tmp_path_factory.mktemp("server-logs"))
    yield
    del os.environ[LOGS]


def keep(folder: Path) -> None:
    """Write a screenshot of every open tab, a trace of every browser context and the servers' logs to the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, tab in enumerate(OPEN):
        with suppress(Error):
            tab.screenshot(path=folder / f"tab-{number}.png")
    for number, opened in enumerate({tab.context for tab in OPEN}):
        with suppress(Error):
            opened.tracing.stop_chunk(path=folder / f"trace-{number}.zip")
            opened.tracing.start_chunk()
    shutil.copytree(os.environ[LOGS], folder / "server-logs")


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


@pytest.fixture(autouse=True)
def trace(browser: Browser) -> None:
    """Each test's trace begins with the test, where traces are recorded."""
    for opened in browser.contexts if TRACED in os.environ else ():
        opened.tracing.stop_chunk()
        opened.tracing.start_chunk()


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
