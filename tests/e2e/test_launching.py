"""A sweep from its link to its frontier: launched, watched, cancelled, gone on with, shared; and killed meanwhile."""

from __future__ import annotations

import http.client
import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from bench.runs import watching
from bench.sweep.folder import SWEEPS, Folder, listed
from bench.sweep.session import jobs
from bench.sweep.session.demo_endpoints import FOLDER, practise
from tests.benchmarks._server import running
from tests.e2e.browsing import (
    ANSWERED,
    CHART,
    SLOW_SERVER,
    UNANSWERED,
    Counter,
    asked,
    charted,
    copied,
    figure,
    headline,
    listening,
    settled,
)
from tests.e2e.conftest import Visit
from tests.polling import until
from tests.sweep.sweeping import plan_for

SHORTER = (
    "from bench.sweep.planning.profiles import profile\n"
    "profile('quick').settings['point'].update(duration_s=3, warmup_s=0.5)"
)
"""The quick profile with shorter points: what a reader sees of it is the same, sooner."""

LEVELS = ["1", "4", "16", "64"]
POINTS = """(document.querySelector('.js-plotly-plot')?.data ?? []).filter(trace => trace.customdata)
    .reduce((many, trace) => many + trace.customdata.length, 0)"""
ARRIVALS = """
(() => {
  const [arrivals] = document.querySelector('.st-key-card .js-plotly-plot').data
  return [Array.from(arrivals.x), Array.from(arrivals.y)]
})()
"""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Where these tests' own library lies; the endpoint to practise on that they start in it ends with them."""
    place = tmp_path_factory.mktemp("launching") / "library"
    yield place
    for record in (place / FOLDER).glob("*.json"):
        os.kill(json.loads(record.read_text())["pid"], signal.SIGTERM)


@pytest.fixture(scope="module")
def server(own: Path) -> Iterator[str]:
    with running(own, setup=SHORTER) as started:
        yield started.url


@pytest.fixture(scope="module")
def shared_tab(server: str, context: BrowserContext) -> Iterator[Page]:
    with listening(context, server) as page:
        yield page


@pytest.fixture(autouse=True)
def ended(own: Path) -> Iterator[None]:
    """A sweep that a test leaves running ends with it: those of one endpoint would take turns."""
    yield
    for folder in listed(own):
        if folder.held():
            jobs.cancel(folder)


@pytest.mark.timeout(300)  # one journey of many steps, with a sweep that takes its time
def test_a_practice_sweep_is_launched_read_to_one_request_in_6_steps_cancelled_gone_on_with_and_shared(
    tab: Page, own: Path
) -> None:
    reader = Counter(charted(tab, "/"))
    page = reader.page
    page.evaluate("window.opened = 'once'")
    reader.click(page.get_by_role("link", name="Launch", exact=True))
    page.wait_for_url("**/launch*")
    settled(page)
    before = listed(own)
    reader.click(page.get_by_role("button", name="chat-gpu"))
    page.get_by_role("button", name="Start the sweep").wait_for()
    settled(page)
    assert headline(page).startswith("4 points of chat-gpu at 127.0.0.1:")
    assert listed(own) == before
    reader.click(page.get_by_role("button", name="Start the sweep"))
    page.wait_for_url("**/jobs?job=*")
    folder, job = Folder(own / SWEEPS / asked(page)["job"]), page.url
    until(lambda: len(folder.read.points) >= 2)
    with paused(folder):
        page.wait_for_function(f"() => {POINTS} >= 2")
        # Down to one request, with every token as it arrived.
        reader.click(page.get_by_role("link", name="The run's story"))
        page.wait_for_url("**/run?*")
        settled(page)
        for label in ("Point", "Open a request"):
            box = page.get_by_role("combobox", name=label, exact=True)
            box.wait_for()
            box.focus()
            reader.choose()
        page.wait_for_selector(f".st-key-card {CHART}")
        settled(page)
        assert reader.steps == 6
        assert_the_request_as_it_was_recorded(page, folder)
        # Each of these steps is taken back by one of Back.
        for _ in ("request", "point", "run"):
            page.go_back()
            settled(page)
        assert page.url == job
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
    said(page, "t best ")  # "On H100 SXM, at best …", "At best …": one frontier has no leader
    settled(page)
    assert page.evaluate("window.opened") == "once", "Nothing of this needs a reload."
    mine = figure(page)
    drawn = {point[0] for trace in mine[0] for point in trace.get("customdata") or ()}
    assert len(drawn) == 4
    told, link = headline(page), copied(page)
    charted(page, link)
    assert figure(page) == mine
    assert headline(page) == told


def assert_the_request_as_it_was_recorded(page: Page, folder: Folder) -> None:
    """The card shows the request that the address names, with the arrivals that lie on the disk."""
    named = asked(page)
    assert named["run"] == folder.id
    number = int(named["request"])
    expect(page.locator(".st-key-card")).to_contain_text(f"Request {number:,} ")
    raw = pq.read_table(folder.requests / f"{named['point']}.parquet").to_pylist()
    (request,) = (row for row in raw if row["number"] == number)
    at_ms, tokens_so_far = page.evaluate(ARRIVALS)
    assert len(at_ms) == len(request["chunks_ns"]) > 1
    assert tokens_so_far == [*accumulate(request["chunk_tokens"])]
    due = request["sent_ns"] if request["intended_ns"] is None else request["intended_ns"]
    assert at_ms == pytest.approx([(at - due) / 1e6 for at in request["chunks_ns"]])


@pytest.mark.exhaustive  # without a browser in tests/runs/test_watching.py
def test_what_one_tab_goes_on_with_others_show_when_their_reader_comes_back_and_goes_on_without_it(
    visit: Visit, tab: Page, own: Path
) -> None:
    folder = started(own, "1,2", "20")
    jobs.cancel(folder)
    first, second, listing = tab, visit(), visit()
    for page in (first, second):
        page.goto(f"/jobs?job={folder.id}")
        said(page, "was cancelled")
    listing.goto("/jobs")
    said(listing, all_of(own))
    first.get_by_role("button", name="Resume: measure what is missing").click()
    until(lambda: folder.held() and folder.status.get("current"))
    with paused(folder):
        first.get_by_role("button", name="Cancel", exact=True).wait_for()
        for page in (second, listing):
            page.evaluate("window.dispatchEvent(new Event('focus'))")
        second.get_by_role("button", name="Cancel", exact=True).wait_for()
        first.goto("/jobs")
    said(second, "is done with 2 of 2 points")
    for page in (first, listing):
        said(page, all_of(own))


@pytest.mark.exhaustive  # without a browser in tests/sweep/session/test_jobs.py and test_launching.py
def test_a_sweep_outlives_the_server_that_started_it_and_its_own_death_is_seen(tab: Page, own: Path) -> None:
    with running(own) as first:
        folder = started(own, "1,2,3,4", "60", by=first.url)
        os.kill(first.pid, signal.SIGKILL)
        assert folder.held()
        before = folder.status["current"]
        until(lambda: folder.status["current"] != before)
    page = tab
    with paused(folder):
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


def test_a_sweep_is_heard_by_its_points(tab: Page, own: Path) -> None:
    folder = started(own, "1,2,3,4", "20")
    page, told = tab, list[str]()
    page.goto(f"/jobs?job={folder.id}")
    region = page.get_by_role("status").first
    region.wait_for(state="attached")
    end = time.monotonic() + 60
    while "is done" not in (told or [""])[-1] and time.monotonic() < end:
        heard = region.text_content() or ""
        told += [heard] if heard and heard not in told[-1:] else []
        page.wait_for_timeout(100)
    assert told[-1].endswith("is done with 4 of 4 points."), told
    assert len(told) <= 4 + 2, "A word for each point, one before and one after, not one for each look."
    assert all(one.endswith(".") for one in told)


def test_what_is_typed_reaches_a_button_that_is_pressed_at_once_however_slow_the_server_is(
    visit: Visit, own: Path
) -> None:
    page = visit()
    page.add_init_script(SLOW_SERVER)
    page.goto("/launch?profile=quick")
    page.get_by_role("button", name="chat-gpu").wait_for()
    settled(page)
    typed_and_pressed_at_once(page, "Address of the endpoint", "127.0.0.1:9", "List its models")
    page.get_by_text("Port 9 is a system service").wait_for()
    settled(page)
    assert page.get_by_role("textbox", name="Address of the endpoint").input_value() == "127.0.0.1:9"
    page.get_by_text("Practise instead").click()
    page.get_by_role("button", name="chat-gpu").click()
    page.get_by_role("button", name="Start the sweep").wait_for()
    settled(page)
    page.get_by_text("Lengths, concurrency and duration").click()
    settled(page)
    typed_and_pressed_at_once(page, "Concurrency", "2", "Start the sweep")
    page.wait_for_url("**/jobs?job=*")
    assert Folder(own / SWEEPS / asked(page)["job"]).plan.loads.concurrency == (2,)


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


def started(library: Path, concurrency: str, requests: str, by: str = "") -> Folder:
    """A sweep of an endpoint to practise on that has begun to measure; `by` is a server that was told to start it."""
    url = practise(library, "chat-gpu").url
    assert url is not None
    stated = {"endpoint__model": "chat-gpu", "loads__concurrency": concurrency, "point__requests": requests}
    if by:
        fields = {"endpoint__url": url, "workloads__isl": "32", "workloads__osl": "8", **stated}
        plan = {key.replace("__", "."): value for key, value in fields.items()}
        connection = http.client.HTTPConnection(urlsplit(by).netloc, timeout=60)
        connection.request("POST", "/api/sweeps", json.dumps(plan), {"content-type": "application/json"})
        answer = connection.getresponse()
        folder = Folder(library / SWEEPS / json.load(answer)["id"])
        connection.close()
    else:
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


def all_of(library: Path) -> str:
    """What is said of all sweeps of the library once none is under way."""
    until(lambda: not any(folder.held() for folder in listed(library)))
    return watching.headline([folder.status["state"] for folder in listed(library)])


def levels(folder: Folder) -> list[str]:
    """The concurrency of every measured point, in order; one measured twice is there twice."""
    return [str(line.load.concurrency) for line, _ in folder.read.points]
