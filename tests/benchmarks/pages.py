"""What a reader waits for: first byte, first chart, a warm page, and a widget's new chart, in Chromium."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from bench import chart
from bench.library import Library
from bench.questions import question
from bench.view import View
from tests.benchmarks import Figure, percentile
from tests.benchmarks._server import running
from tests.e2e.browsing import CHROMIUM

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-sync"
CHARTED = ".js-plotly-plot .main-svg"
DRAWN = "selector => (document.querySelector(selector)?.getBoundingClientRect().height ?? 0) > 0"
BARE = "tests/benchmarks/_bare_page.py"
STARTS = 5
VISITS = 8
WARM = 10
CHANGES = 30


def measure() -> Iterator[Figure]:
    """Cold starts and first visits in turns with a bare app's, then warm pages and widget changes."""
    first_bytes, cold, bare = [], [], []
    with sync_playwright() as driver, bare_app() as bare_environment:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        for _ in range(STARTS):
            with running() as server:
                first_bytes.append(server.first_byte_s)
                cold.append(first_chart(browser, server.url + "/pareto"))
            with running(script=BARE, environment=bare_environment) as server:
                bare.append(first_chart(browser, server.url))
        with running() as server, running(script=BARE, environment=bare_environment) as bare_server:
            first_chart(browser, server.url + "/pareto")
            first_chart(browser, bare_server.url)
            visits = [
                (first_chart(browser, server.url + "/pareto"), first_chart(browser, bare_server.url))
                for _ in range(VISITS)
            ]
            page = browser.new_page()
            charted(page, server.url + "/pareto")
            warm = [charted(page, server.url + "/pareto") for _ in range(WARM)]
            changes = option_changes(page)
        browser.close()
    yield Figure(f"process start to first byte, slowest of {STARTS}", max(first_bytes), "s", 1.5)
    yield Figure(f"cold first chart, slowest of {STARTS}", max(cold), "s", 4)
    yield Figure(
        "cold first chart over a bare app's with the same chart, medians", median(cold) / median(bare), "x", 1.2
    )
    ours, bares = zip(*visits, strict=True)
    yield Figure(
        "first visit of a running app to its chart, over a bare app's, medians", median(ours) / median(bares), "x", 1.2
    )
    yield Figure("warm page to its chart, median", percentile(warm, 50), "s", 1)
    yield Figure("widget to new chart, p95", percentile(changes, 95) * 1000, "ms", 500)


@contextmanager
def bare_app() -> Iterator[dict[str, str]]:
    """The environment in which the bare app draws what /pareto opens with, until the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        pareto = question("pareto")
        answer = pareto.answer(Library.open(Path(folder) / "none"), View())
        chart_file = Path(folder) / "chart.json"
        chart_file.write_text(pareto.figure(answer.result, chart.theme("light")).to_json())
        yield {"KNEEPOINT_BARE_CHART": str(chart_file)}


def first_chart(browser: Browser, url: str) -> float:
    """Seconds from opening the address in a fresh context to its first chart."""
    context = browser.new_context()
    waited = charted(context.new_page(), url)
    context.close()
    return waited


def charted(page: Page, url: str) -> float:
    """Seconds from opening the address to a drawn chart."""
    start = time.perf_counter()
    page.goto(url, wait_until="commit")
    # Not wait_for_selector: it looks more and more seldom, at last every 500 ms.
    page.wait_for_function(DRAWN, arg=CHARTED, polling=10)
    return time.perf_counter() - start


def option_changes(page: Page) -> list[float]:
    """Seconds from choosing another horizontal axis to a chart that differs, each timed in the page."""
    page.wait_for_load_state("networkidle")
    waits = []
    for _ in range(CHANGES):
        page.locator(".st-key-option-x input").click()
        other = page.locator("[role=option][aria-selected=false]").first
        other.wait_for()
        before = page.evaluate(FINGERPRINT)
        start = time.perf_counter()
        other.click()
        page.wait_for_function(f"before => ({FINGERPRINT}) !== before", arg=before, polling=10)
        waits.append(time.perf_counter() - start)
        page.wait_for_timeout(150)
    return waits


FINGERPRINT = """
(() => {
  const chart = document.querySelector('.js-plotly-plot');
  return chart && chart.layout ? chart.layout.yaxis.title.text + '|' + chart.layout.xaxis.title.text : '';
})()
"""
