"""A browser on the running app: opening pages, reading charts, and where to click in them."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, BrowserContext, Download, Locator, Page, TimeoutError, expect

from bench.view import View
from tests.suite import TRACED

CHROMIUM = shutil.which("chromium-headless-shell") or "/usr/bin/chromium"
"""Without a window of its own, whose interface is a page too, Chromium takes a fifth less time."""
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()
CHART = ".js-plotly-plot .main-svg"
MAIN = "document.querySelector('[data-testid=stMain]')"
PAIR = (
    "model=deepseek-r1&isl=8192&osl=1024&along=concurrency&a=accelerator%3Dh200-sxm%26accelerators%3D8%26engine%3Dsglang"
    "%26speculation%3Dnone&b=precision%3Dfp8%26accelerator%3Dmi355x%26accelerators%3D8%26engine%3Dsglang"
    "%26speculation%3Dnone"
)
"""A crossover of two deployments, as its link has it."""
QUIET = "[data-testid=stApp][data-test-script-state=notRunning]"

LOADING = "[data-testid=stSkeleton], [data-testid=stAppSkeleton], [data-unfinished]"
PATIENCE_MS = 60_000
"""How long a page is waited for where no promise is at stake: a busy machine is no failure."""

QUIET_MS = 200
"""Longer than any part of a page waits before it tells the server what its reader did."""

LOOK_MS = 50
"""How often a page is looked at until it is quiet: a look at every frame makes the browser draw sixty a second."""

BLANK = "about:blank"
WIDE = {"width": 1280, "height": 1000}
MOST_TABS = 80
OPEN: dict[Page, list[str]] = {}
"""The tabs that are open now, each with what went wrong in it."""

LISTEN = """
(() => {
  const seen = window.seenByTests = {asked: false, last: 0, frames: 0}
  const stirred = () => { seen.last = performance.now(); seen.frames = 0 }
  // Of a message of the server's, what stands behind its hash and its metadata: the kind, and the status of a run.
  const kind = (bytes) => {
    let at = 0
    while (bytes[at] === 0x0a || bytes[at] === 0x12) {
      let length = 0, shift = 0
      at++
      do { length |= (bytes[at] & 127) << shift; shift += 7 } while (bytes[at++] & 128)
      at += length
    }
    return [bytes[at], bytes[at + 1]]
  }
  const [RERUN, NEW_SESSION, FINISHED, EARLY_FOR_RERUN] = [0x5a, 0x22, 0x30, 2]
  window.WebSocket = class extends WebSocket {
    constructor(...all) {
      super(...all)
      this.addEventListener('message', ({data}) => {
        stirred()
        if (!(data instanceof ArrayBuffer)) return
        const [what, status] = kind(new Uint8Array(data))
        if (what === NEW_SESSION) seen.asked = true
        if (what === FINISHED && status !== EARLY_FOR_RERUN) seen.asked = false
      })
    }
    send(data) {
      if (data instanceof Uint8Array && data[0] === RERUN) { seen.asked = true; stirred() }
      super.send(data)
    }
  }
  new MutationObserver(stirred).observe(document, {childList: true, characterData: true, subtree: true})
  // What a resting reader's next choices would count takes the server seconds: only tests of these numbers ask for it.
  const fetched = window.fetch
  window.fetch = (what, how) =>
    String(what).includes('/row/') && !window.numbersWanted ? new Promise(() => {}) : fetched(what, how)
})()
"""
SETTLED = """
([quiet, loading, hold]) => {
  const seen = window.seenByTests, now = performance.now()
  if (seen.asked || !document.querySelector(quiet) || document.querySelector(loading)) seen.last = now
  if (now - seen.last <= hold) {
    seen.frames = 0
    return false
  }
  if (document.getAnimations().some(one => one.playState === 'running' && one.timeline === document.timeline
    && one.effect?.getComputedTiming().endTime !== Infinity)) seen.last = now
  // A browser that has no time draws no frames: what has not been drawn yet is not quiet.
  requestAnimationFrame(() => { seen.frames++ })
  return seen.last < now && seen.frames > 1
}
"""
SLOW_SERVER = """
(() => {
  // While held, nothing of what the server says reaches the page.
  const waiting = window.waiting = {held: false, sent: 0, late: []}
  window.WebSocket = class extends WebSocket {
    addEventListener(kind, told, ...rest) {
      const later = (event) => waiting.held ? waiting.late.push(() => told(event)) : told(event)
      super.addEventListener(kind, kind === 'message' ? later : told, ...rest)
    }
    send(data) {
      if (waiting.held) waiting.sent++
      super.send(data)
    }
  }
})()
"""
UNANSWERED = "waiting.held = true"
ANSWERED = "waiting.held = false; waiting.late.splice(0).forEach(tell => tell())"
FOCUSED = "[document.activeElement?.getAttribute('aria-label'), document.activeElement?.innerText?.trim()]"

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
    OPEN[page] = errors
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("dialog", lambda dialog: errors.append(f"dialog: {dialog.message}"))
    page.on("websocket", lambda socket: hosts.add(urlsplit(socket.url).netloc))
    page.on("request", lambda asked: hosts.add(urlsplit(asked.url).netloc))
    try:
        yield page
        assert not errors
        assert hosts - {""} == {urlsplit(url).netloc}
    except Exception as problem:
        problem.add_note(seen())
        raise
    finally:
        del OPEN[page]
        page.close()


def seen() -> str:
    """The address of every tab that is open, what went wrong in it and what it says: for whoever reads of a failure."""
    return "\n".join(
        "\n".join([page.url, *errors, " ".join(page.evaluate("document.body.innerText").split())[:1500]])
        for page, errors in OPEN.items()
    )


def context_on(browser: Browser, url: str) -> BrowserContext:
    """A fresh browser context whose addresses are the app's."""
    # What moves while a page waits is drawn sixty times a second, which costs as much as the whole server.
    context = browser.new_context(base_url=url, viewport=WIDE, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.add_init_script(LISTEN)
    context.set_default_timeout(PATIENCE_MS)
    if TRACED in os.environ:
        context.tracing.start(screenshots=True, snapshots=True)
    return context


@contextmanager
def reading(browser: Browser, url: str) -> Iterator[Callable[[], Page]]:
    """Opens tabs of one reader, each a session of its own, listened to until the block ends."""
    with ExitStack() as stack:
        context = context_on(browser, url)
        stack.callback(context.close)
        yield lambda: stack.enter_context(listening(context, url))


def charted(page: Page, address: str) -> Page:
    """The page at this address, once its chart is drawn and its script has finished."""
    page.goto(address)
    page.wait_for_selector(CHART)
    settled(page)
    return page


def settled(page: Page) -> None:
    """Returns once every run that the page asked for has finished and all that it sent is drawn and lies still."""
    page.evaluate("seenByTests.last = performance.now(); seenByTests.frames = 0")
    page.wait_for_function(SETTLED, arg=[QUIET, LOADING, QUIET_MS], polling=LOOK_MS)


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
    unfold(page, label)
    page.get_by_role("option", name=value).first.click()
    settled(page)
    page.keyboard.press("Escape")


def find(page: Page, label: str, value: str) -> None:
    """Types a value into the select box with this label, whose list may be long, and picks it there."""
    unfold(page, label)
    page.keyboard.type(value)
    settled(page)
    page.get_by_role("option", name=value, exact=True).click()
    settled(page)


def unfold(page: Page, label: str) -> None:
    """Opens the select box with this label; it lies still by then, since a box that is scrolled folds its list."""
    box = page.get_by_role("combobox", name=label, exact=True)
    box.scroll_into_view_if_needed()
    settled(page)
    box.click()
    expect(box).to_have_attribute("aria-expanded", "true")


def choose(page: Page, typed: str = "", downs: int = 1) -> None:
    """Picks an option of the select box that has the focus, by keyboard alone; no key comes before the page is ready.

    `downs` is how often the arrow goes down: from the box itself, or from the first option of what was typed.
    """
    settled(page)
    box = page.locator("[role=combobox]:focus")
    if typed:
        page.keyboard.type(typed)
        settled(page)
    for _ in range(downs):
        before = box.get_attribute("aria-activedescendant") or ""
        page.keyboard.press("ArrowDown")
        expect(box).not_to_have_attribute("aria-activedescendant", before)
    expect(box).to_have_attribute("aria-expanded", "true")
    expect(box).to_have_attribute("aria-activedescendant", re.compile("option"))
    page.keyboard.press("Enter")
    settled(page)


def tab_to(page: Page, wanted: str) -> None:
    """Presses Tab until what has this name, or says this, has the focus."""
    settled(page)
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if any((told or "").endswith(wanted) for told in page.evaluate(FOCUSED)):
            return
    raise AssertionError(f"{wanted} is not reached by Tab")


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


def copied(page: Page) -> str:
    """The link that the page's own button copies."""
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    return str(page.evaluate("navigator.clipboard.readText()"))


def saved(page: Page, button: str) -> tuple[str, bytes]:
    """The name and the bytes of the file that this button saves.

    A click while the server draws the button anew is lost: Streamlit files what it saves under another id by then, and
    says "Deferred file not found" (MediaFileManager.remove_deferred). Then it is clicked once more, as a reader does.
    """
    try:
        download = _download(page, button, PATIENCE_MS / 4)
    except TimeoutError:
        download = _download(page, button, PATIENCE_MS)
    return download.suggested_filename, Path(download.path()).read_bytes()


def _download(page: Page, button: str, patience_ms: float) -> Download:
    with page.expect_download(timeout=patience_ms) as waiting:
        page.get_by_role("button", name=button, exact=True).click()
    return waiting.value


def follow(page: Page, link: str, to: str) -> None:
    """Follows the first link of this name to a page, in the same tab, and waits until that stands still."""
    page.get_by_role("link", name=link, exact=True).first.click()
    page.wait_for_url(f"**/{to}*")
    settled(page)


def back(page: Page, to: str) -> None:
    """One step back, which leads to this address, and waits until that stands still."""
    page.go_back()
    page.wait_for_url(to)
    settled(page)


def asked(page: Page) -> dict[str, str]:
    """The first value of everything that the page's address asks for."""
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def view_of(page: Page) -> View:
    """The View in the page's address."""
    return View.from_query(urlsplit(page.url).query)


def drawn_points(page: Page) -> set[str]:
    """The ids of the points that the page's chart draws."""
    data, _ = figure(page)
    ids = (one for trace in data for one in trace.get("customdata") or ())
    return {str(one[0] if isinstance(one, list) else one) for one in ids if one}


def card(page: Page) -> str:
    """What the card says, once it is there."""
    page.locator(".st-key-card").wait_for()
    settled(page)
    return page.locator(".st-key-card").inner_text()


@dataclass
class Counter:
    """A reader at a page, whose clicks and Enters are counted; typing is no step."""

    page: Page
    steps: int = 0

    def click(self, what: Locator) -> None:
        self.steps += 1
        what.click()

    def click_at(self, x: float, y: float) -> None:
        self.steps += 1
        self.page.mouse.click(x, y)

    def enter(self, typed: str = "") -> None:
        self.page.keyboard.type(typed)
        self.steps += 1
        self.page.keyboard.press("Enter")

    def choose(self) -> None:
        """Opens a list by keyboard and picks its first option."""
        self.steps += 1
        choose(self.page)

    def go_to(self, words: str, page: str) -> None:
        """Types into the box of the first page and follows the first way to a page."""
        self.click(self.page.get_by_role("textbox", name="Go to"))
        self.enter(words)
        way = self.page.locator(".st-key-offers").get_by_role("link", name=page).first
        way.wait_for()
        settled(self.page)
        self.click(way)
        self.page.wait_for_url(f"**/{page.lower()}?*v=2*")
        self.page.wait_for_selector(CHART)
        settled(self.page)


def headline(page: Page) -> str:
    """The page's big sentence."""
    return page.locator("h1").first.inner_text()


def whole_headline(page: Page) -> str:
    """The page's subject, where it has one, and its big sentence in one line, as files and pictures have them."""
    return ": ".join([*page.locator(".st-key-subject").all_inner_texts(), headline(page)])
