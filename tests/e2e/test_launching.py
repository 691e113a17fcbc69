"""A sweep from its link to its frontier: launched, watched, cancelled, gone on with, shared; and killed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.chart import DARK, LIGHT
from bench.sweep.folder import Folder, listed
from bench.sweep.session import jobs
from bench.sweep.session.demo_endpoints import FOLDER, practise
from tests.benchmarks._server import Server, running
from tests.e2e.browsing import (
    ANSWERED,
    SLOW_SERVER,
    UNANSWERED,
    charted,
    choose,
    copied,
    figure,
    find,
    headline,
    reading,
    settled,
)
from tests.polling import until
from tests.sweep.played import Played, playing
from tests.sweep.sweeping import plan_for

QUICK = "/launch?profile=quick&duration=3&point.warmup_s=0.5"
"""The profile with shorter points: what a reader sees of it is the same, sooner."""

LEVELS = ["1", "4", "16", "64"]
POINTS = """(document.querySelector('.js-plotly-plot')?.data ?? []).filter(trace => trace.customdata)
    .reduce((many, trace) => many + trace.customdata.length, 0)"""
MAIN = "document.querySelector('[data-testid=stMain]')"
GROUNDS = "[...document.querySelectorAll('.js-plotly-plot')].map(chart => chart.layout.paper_bgcolor)"
COVERED = """(() => {
    const texts = [...document.querySelectorAll('.js-plotly-plot .textpoint text')].filter(one => one.textContent)
    const boxes = texts.map(one => [one.textContent, one.getBoundingClientRect()]).filter(([, box]) => box.width)
    const meet = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
        && one.top < other.bottom - 1 && other.top < one.bottom - 1
    return boxes.flatMap(([text, box], at) => boxes.slice(at + 1).filter(([, other]) => meet(box, other))
        .map(([other]) => `${text} and ${other}`))
})()"""
WIDER = f"{MAIN}.scrollWidth > {MAIN}.clientWidth"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Path]:
    """A library of the test's own; what was started in it ends with the test."""
    place = tmp_path / "library"
    yield place
    for folder in listed(place):
        if folder.held():
            jobs.cancel(folder)
    for record in (place / FOLDER).glob("*.json"):
        os.kill(json.loads(record.read_text())["pid"], signal.SIGTERM)


@pytest.fixture
def app(library: Path) -> Iterator[Server]:
    with running(library) as started:
        yield started


@pytest.fixture
def tab(app: Server, browser: Browser) -> Iterator[Callable[[], Page]]:
    with reading(browser, app.url) as open_one:
        yield open_one


def test_a_sweep_is_launched_watched_cancelled_gone_on_with_and_shared(
    tab: Callable[[], Page], library: Path, browser: Browser, app: Server
) -> None:
    page = tab()
    page.goto(QUICK)
    page.evaluate("window.opened = 'once'")
    page.get_by_role("button", name="chat-gpu").click()
    start = page.get_by_role("button", name="Start the sweep")
    start.wait_for()
    settled(page)
    assert headline(page).startswith("4 points of chat-gpu at 127.0.0.1:")
    assert listed(library) == []
    start.click()
    page.wait_for_url("**/jobs?job=*")
    (folder,) = listed(library)
    until(lambda: len(folder.read.points) >= 2)
    with paused(folder):
        page.wait_for_function(f"() => {POINTS} >= 2")
        page.get_by_role("button", name="Cancel", exact=True).click()
        until(folder.cancel.exists)
    onward = page.get_by_role("button", name="Resume: measure what is missing")
    onward.wait_for()
    said(page, "was cancelled with")
    kept = [line.number for line, _ in folder.read.points]
    assert 2 <= len(kept) < 4
    onward.click()
    said(page, "is done with 4 of 4 points")
    assert levels(folder) == LEVELS
    assert [line.number for line, _ in folder.read.points][: len(kept)] == kept
    page.wait_for_function(f"() => {POINTS} == 4")
    page.get_by_role("link", name="See it on the frontier").click()
    page.wait_for_url("**/pareto?v=2&**evidence=**")
    said(page, " goes from ")
    settled(page)
    assert page.evaluate("window.opened") == "once", "Nothing of this needs a reload."
    mine = figure(page)
    drawn = {point[0] for trace in mine[0] for point in trace.get("customdata") or ()}
    assert len(drawn) == 4
    with reading(browser, app.url) as someone_else:
        theirs = charted(someone_else(), copied(page))
        assert figure(theirs) == mine
        assert headline(theirs) == headline(page)


def test_an_address_as_it_stands_in_a_log_is_enough_and_nothing_of_the_practice_stays(
    tab: Callable[[], Page], library: Path
) -> None:
    page, served = tab(), {"data": [{"id": "small-model"}, {"id": "large-model"}]}
    page.goto(f"{QUICK}&facts.accelerator=H100")
    page.get_by_role("button", name="chat-gpu").click()
    page.get_by_role("button", name="Start the sweep").wait_for()
    assert "accelerator" not in page.url
    with playing(Played(told={"/v1/models": (200, served)})) as played:
        address = played.url.removeprefix("http://")
        page.get_by_role("textbox", name="Address of the endpoint").fill(f" {address}/v1 ")
        page.get_by_role("button", name="List its models").click()
        page.get_by_text("It serves 2 models: choose one.").wait_for()
        page.get_by_text("Understood as http").wait_for()
        settled(page)
        assert headline(page) == "Pick the model: list what the endpoint serves, or type its name."
        assert "chat-gpu" not in page.url
        assert "duration" not in page.url
        assert played.asked == ["GET /v1/models"]
        find(page, "Model", "large-model")
        assert headline(page).startswith(f"4 points of large-model at {address}")
        find(page, "Accelerator", "H200 SXM")
        assert "facts.accelerator=h200-sxm" in page.url
        assert played.asked == ["GET /v1/models"]
    page.get_by_role("textbox", name="Address of the endpoint").fill("gpu.example")
    page.keyboard.press("Enter")
    page.get_by_text("Start the address with").wait_for()
    settled(page)
    expect(page.get_by_role("button", name="Start the sweep")).to_have_count(0)
    assert listed(library) == []


def test_tabs_that_open_and_close_change_nothing_of_what_runs(tab: Callable[[], Page], library: Path) -> None:
    folder = sweeping(library, "1,2", "40")
    first, second = tab(), tab()
    for page in (first, second):
        page.goto(f"/jobs?job={folder.id}")
        said(page, "of 2 points")
    first.goto("/jobs")
    said(second, "is done with 2 of 2 points")
    said(first, "1 sweep: 1 is done.")


def test_what_one_tab_goes_on_with_another_shows_when_its_reader_comes_back(
    tab: Callable[[], Page], library: Path
) -> None:
    folder = sweeping(library, "1,2", "40")
    jobs.cancel(folder)
    first, second, listing = tab(), tab(), tab()
    for page in (first, second):
        page.goto(f"/jobs?job={folder.id}")
        said(page, "was cancelled")
    listing.goto("/jobs")
    said(listing, "1 sweep: 1 was cancelled.")
    first.get_by_role("button", name="Resume: measure what is missing").click()
    until(lambda: folder.held() and folder.status.get("current"))
    with paused(folder):
        first.get_by_role("button", name="Cancel", exact=True).wait_for()
        for page in (second, listing):
            page.evaluate("window.dispatchEvent(new Event('focus'))")
        second.get_by_role("button", name="Cancel", exact=True).wait_for()
    for page in (first, second):
        said(page, "is done with 2 of 2 points")
    said(listing, "1 sweep: 1 is done.")


def test_a_sweep_outlives_the_server_and_its_own_death_is_seen(library: Path, browser: Browser) -> None:
    with running(library) as first:
        folder = sweeping(library, "1,2,3,4", "120")
        os.kill(first.pid, signal.SIGKILL)
        assert folder.held()
        before = folder.status["current"]
        until(lambda: folder.status["current"] != before)
    with ExitStack() as stack:
        with paused(folder):
            page = stack.enter_context(reading(browser, stack.enter_context(running(library)).url))()
            page.goto(f"/jobs?job={folder.id}")
            said(page, "of 4 points, ")
            page.locator(".st-key-live").wait_for()
        until(lambda: len(folder.read.points) >= 1)
        os.kill(folder.status["pid"], signal.SIGKILL)
        said(page, "was interrupted with")
        done = [line.number for line, _ in folder.read.points]
        assert len(done) < 4
        page.get_by_role("button", name="Resume: measure what is missing").click()
        said(page, "is done with 4 of 4 points")
        assert levels(folder) == ["1", "2", "3", "4"]
        assert [line.number for line, _ in folder.read.points][: len(done)] == done
        page.get_by_role("link", name="See it on the frontier").wait_for()


def test_a_sweep_is_heard_by_its_points_and_a_request_opens_by_keyboard(tab: Callable[[], Page], library: Path) -> None:
    folder = sweeping(library, "1,2,3,4", "40")
    page, told = tab(), list[str]()
    page.goto(f"/jobs?job={folder.id}")
    page.locator("h1").first.wait_for()
    region = page.get_by_role("status")
    end = time.monotonic() + 60
    while "is done" not in (told or [""])[-1] and time.monotonic() < end:
        heard = (region.first.text_content() or "") if region.count() else ""
        told += [heard] if heard and heard not in told[-1:] else []
        page.wait_for_timeout(100)
    assert told[-1].endswith("is done with 4 of 4 points."), told
    assert len(told) <= 4 + 2, "A word for each point, one before and one after, not one for each look."
    assert all(one.endswith(".") for one in told)
    page.goto(f"/run?run={folder.id}&point=1")
    settled(page)
    page.get_by_role("combobox", name="Open a request").focus()
    choose(page)
    page.wait_for_url("**&request=*")
    page.get_by_text("ended well after").first.wait_for()


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_numbers_on_a_runs_chart_never_cover_each_other(tab: Callable[[], Page], library: Path, width: int) -> None:
    folder = sweeping(library, "1,2,3,4,5,6,7,8", "8")
    until(lambda: not folder.held())
    page = tab()
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"/run?run={folder.id}")
    page.locator(".js-plotly-plot .textpoint").first.wait_for()
    settled(page)
    assert page.evaluate(COVERED) == []


def test_its_pages_fit_800_pixels_and_follow_the_colour_scheme(tab: Callable[[], Page], library: Path) -> None:
    folder = sweeping(library, "1,2", "6")
    until(lambda: not folder.held())
    url = folder.plan.endpoint.url
    page = tab()
    page.set_viewport_size({"width": 800, "height": 900})
    for scheme, theme in (("light", LIGHT), ("dark", DARK)):
        page.emulate_media(color_scheme=scheme)
        for address, charts in (
            (f"/launch?url={url}&model=chat-gpu&profile=quick", 0),
            ("/jobs", 0),
            (f"/jobs?job={folder.id}", 2),
            (f"/run?run={folder.id}&point=1", 1),
        ):
            page.goto(address)
            page.locator("h1").first.wait_for()
            settled(page)
            assert not page.evaluate(WIDER), address
            grounds = page.evaluate(GROUNDS)
            assert len(grounds) >= charts, address
            assert set(grounds) <= {theme.background}, address


def sweeping(library: Path, concurrency: str, requests: str) -> Folder:
    """A sweep that was started on an endpoint to practise on, as a process of its own, and has begun to measure."""
    url = practise(library, "chat-gpu").url
    assert url is not None
    stated = {"endpoint__model": "chat-gpu", "loads__concurrency": concurrency, "point__requests": requests}
    folder = Folder.create(library, plan_for(url, **stated))
    jobs.start(folder)
    until(lambda: folder.status.get("current") or not folder.held())
    return folder


@contextmanager
def paused(folder: Folder) -> Iterator[None]:
    """The sweep's process stands still until the block ends, so that what is looked at there is under way."""
    pid = folder.status["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def said(page: Page, words: str) -> None:
    """Returns once the page's big sentence holds these words."""
    page.locator("h1", has_text=words).first.wait_for()


def levels(folder: Folder) -> list[str]:
    """The concurrency of every measured point, in order; one measured twice is there twice."""
    return [str(line.load.concurrency) for line, _ in folder.read.points]


def typed_and_pressed_at_once(page: Page, label: str, text: str, button: str) -> None:
    """Types, leaves the box and presses a button before the page has heard what the server made of what was typed."""
    box = page.get_by_role("textbox", name=label, exact=True)
    box.fill(text)
    page.evaluate(f"{UNANSWERED}; waiting.sent = 0")
    box.press("Tab")
    page.wait_for_function("() => waiting.sent >= 1")
    before = page.evaluate("waiting.sent")
    page.get_by_role("button", name=button).dispatch_event("click")
    page.wait_for_function(f"() => waiting.sent > {before}")
    page.evaluate(ANSWERED)


def test_what_is_typed_reaches_a_button_that_is_pressed_at_once_however_slow_the_server_is(
    tab: Callable[[], Page], library: Path
) -> None:
    page = tab()
    page.add_init_script(SLOW_SERVER)
    page.goto("/launch?profile=quick")
    page.get_by_role("button", name="chat-gpu").wait_for()
    settled(page)
    typed_and_pressed_at_once(page, "Address of the endpoint", "127.0.0.1:9", "List its models")
    page.get_by_text("Port 9 is a system service").wait_for()
    settled(page)
    assert page.get_by_role("textbox", name="Address of the endpoint").input_value() == "127.0.0.1:9"
    page.goto(QUICK)
    page.get_by_role("button", name="chat-gpu").click()
    page.get_by_role("button", name="Start the sweep").wait_for()
    settled(page)
    typed_and_pressed_at_once(page, "Concurrency", "2", "Start the sweep")
    page.wait_for_url("**/jobs?job=*")
    (folder,) = listed(library)
    assert folder.plan.loads.concurrency == (2,)
