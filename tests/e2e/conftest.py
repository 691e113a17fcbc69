"""One server and one browser for the tests of each worker, and one tab for those that need none of their own."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect, sync_playwright

from bench.endpoint import Settings
from bench.endpoint import running as endpoint
from bench.library import Library
from bench.sweep.folder import Folder, listed
from bench.sweep.session.runner import run
from tests.benchmarks._server import LOGS, running
from tests.e2e.browsing import BLANK, CHROMIUM, FLAGS, OPEN, PATIENCE_MS, WIDE, context_on, listening, seen
from tests.pages import hostile
from tests.suite import RESULTS, TRACED
from tests.sweep.sweeping import folder_for

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
        for page in OPEN:  # nothing of it reaches the next test
            with suppress(Error):
                page.goto(BLANK)
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
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with what ships, a file with hostile names, and a sweep whose endpoint is gone by now."""
    place = tmp_path_factory.mktemp("library")
    report = Library.open(place).add([hostile.write(tmp_path_factory.mktemp("results"))])
    assert not report.refused, report.refused
    settings = Settings(step_ms=3, prefill_us_per_token=10, dialect="vllm", fail={"500": 0.1})
    with endpoint(settings) as url, ThreadPoolExecutor(1) as beside_the_browsers_loop:
        folder = folder_for(place, url, loads__concurrency="1,2,3,4,5,6,7,8", point__requests="16")
        assert beside_the_browsers_loop.submit(run, folder).result().state == "done"
    return place


@pytest.fixture(scope="session")
def swept(library: Path) -> Folder:
    """The library's sweep: eight points, some of whose requests failed."""
    (folder,) = listed(library)
    return folder


@pytest.fixture(scope="session")
def server(library: Path) -> Iterator[str]:
    """The app's address. A file whose tests write to the library has a server of its own in place of this one."""
    with running(library) as started:
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


@pytest.fixture(scope="module")
def context(server: str, browser: Browser) -> Iterator[BrowserContext]:
    """The browser's context for all tests of a file that need none of their own; its tabs are sessions of their own."""
    opened = context_on(browser, server)
    yield opened
    opened.close()


@pytest.fixture
def visit(server: str, context: BrowserContext) -> Iterator[Visit]:
    """Opens tabs, listened to until the test ends."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(listening(context, server))


@pytest.fixture(scope="session")
def shared_tab(server: str, browser: Browser) -> Iterator[Page]:
    """The tab of all tests of a worker that need none of their own, on the server that they share."""
    opened = context_on(browser, server)
    with listening(opened, server) as page:
        yield page
    opened.close()


@pytest.fixture
def tab(shared_tab: Page) -> Iterator[Page]:
    """The shared tab, as wide and as light as a fresh one; nothing may go wrong in it during the test.

    A page that is opened in it is a session of its own, and takes a third of the processor time that it takes in a
    fresh tab, whose process compiles every script anew.
    """
    shared_tab.set_viewport_size(WIDE)
    shared_tab.emulate_media(media="screen", color_scheme="light", reduced_motion="reduce")
    yield shared_tab
    errors = [*OPEN[shared_tab]]
    OPEN[shared_tab].clear()
    assert not errors
