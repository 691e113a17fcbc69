"""A browser on the running app: opening pages, reading charts, and where to click in them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Page

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()
CHART = ".js-plotly-plot .main-svg"
QUIET = "[data-testid=stApp][data-test-script-state=notRunning]"

LOADING = "[data-testid=stSkeleton], [data-testid=stAppSkeleton]"

FIGURE = """
() => {
  const chart = document.querySelector('.js-plotly-plot')
  const plain = (value) => ArrayBuffer.isView(value) ? Array.from(value) : value
  const titles = Object.fromEntries(Object.entries(chart.layout)
    .filter(([key]) => /^[xy]axis/.test(key)).map(([key, axis]) => [key, axis.title?.text]))
  return JSON.stringify([chart.data, titles], (key, value) => key === 'uid' ? undefined : plain(value))
}
"""
SPOT = """
([kind, at]) => {
  const chart = document.querySelector('.js-plotly-plot'), box = chart.getBoundingClientRect()
  const number = chart._fullData.findIndex(trace =>
    kind === 'line' ? trace.mode === 'lines+markers' : trace.customdata && trace.type !== 'heatmap')
  const axis = (name) => chart._fullLayout[name.replace(/^([xy])/, '$1axis')]
  const trace = chart._fullData[number], x = axis(trace.xaxis), y = axis(trace.yaxis)
  const point = chart.calcdata[number][at]
  return [box.left + x._offset + x.c2p(point.x), box.top + y._offset + y.c2p(point.y)]
}
"""


@contextmanager
def listening(context: BrowserContext, url: str) -> Iterator[Page]:
    """A fresh tab; afterwards nothing may have gone wrong in it, and nothing been asked of another host."""
    errors: list[str] = []
    hosts: set[str] = set()
    page = context.new_page()
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(f"dialog: {dialog.message}"))
    page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).netloc))
    page.on("request", lambda asked: hosts.add(urlsplit(asked.url).netloc))
    try:
        yield page
        assert not errors
        assert hosts - {""} == {urlsplit(url).netloc}
    finally:
        page.close()


def context_on(browser: Browser, url: str) -> BrowserContext:
    """A fresh browser context whose addresses are the app's."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 1000})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    return context


def charted(page: Page, address: str) -> Page:
    """The page at this address, once its chart is drawn and its script has finished."""
    page.goto(address)
    page.wait_for_selector(CHART)
    settled(page)
    return page


def settled(page: Page) -> None:
    """Returns once the page's script has finished and the chart it sent is drawn."""
    page.wait_for_timeout(150)
    page.wait_for_selector(QUIET)
    page.wait_for_selector(LOADING, state="detached")
    page.wait_for_timeout(350)


def figure(page: Page) -> Any:
    """The data and the axis titles of the page's chart, as plotly drew them."""
    return json.loads(page.evaluate(FIGURE))


def spot(page: Page, kind: str, at: int) -> tuple[float, float]:
    """Where on the screen a chart's point lies; `kind` is "line" for a frontier's, "cell" for a heatmap's."""
    page.locator(".js-plotly-plot").scroll_into_view_if_needed()
    x, y = page.evaluate(SPOT, [kind, at])
    return x, y


def pick(page: Page, label: str, value: str) -> None:
    """Picks a value in the select box or filter with this label."""
    page.get_by_role("combobox", name=label, exact=True).click()
    page.get_by_role("option", name=value).first.click()
    page.keyboard.press("Escape")
    settled(page)


def find(page: Page, label: str, value: str) -> None:
    """Types a value into the select box with this label, whose list may be long, and picks it there."""
    unfold(page, label)
    page.keyboard.type(value)
    page.get_by_role("option", name=value, exact=True).click()
    settled(page)


def unfold(page: Page, label: str) -> None:
    """Opens the select box with this label; it lies still by then, since a box that is scrolled folds its list."""
    box = page.get_by_role("combobox", name=label, exact=True)
    box.scroll_into_view_if_needed()
    settled(page)
    box.click()


def open_filters(page: Page) -> None:
    """Opens the filters that have no selector of their own."""
    page.get_by_role("button", name="More filters").click()
    page.wait_for_selector(".st-key-filters [data-testid=stMultiSelect]")
    settled(page)


def pick_accelerator(page: Page, name: str) -> None:
    """Picks an accelerator in the selector row, or takes it back."""
    page.locator(".st-key-accelerators button").first.click()
    page.locator(".st-key-filter-accelerator").get_by_role("button", name=name).click()
    settled(page)
    page.keyboard.press("Escape")
    settled(page)


def headline(page: Page) -> str:
    """The page's big sentence."""
    return page.locator("h1").first.inner_text()
