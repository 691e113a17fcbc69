"""A link says everything: cold, copied, through Back, and across pages."""

from __future__ import annotations

import http.client
import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from bench.questions import questions
from bench.view import View
from tests.benchmarks._server import running
from tests.e2e.browsing import (
    ANSWERED,
    CHART,
    SLOW_SERVER,
    UNANSWERED,
    charted,
    copied,
    figure,
    headline,
    pick,
    pick_accelerator,
    reading,
    settled,
)

Visit = Callable[[], Page]

HELD = """
const fetched = fetch
fetch = (what, how) => {
  if (!String(what).includes('/row/')) return fetched(what, how)
  return new Promise(resolve => { answer = () => resolve(new Response('{"known": true}')) })
}
"""
FOLLOWED = """
name => {
  [...document.querySelectorAll('a')].find(link => link.textContent.includes(name)).click()
  answer()
}
"""
WHOLE = (
    "/pareto?v=1&model=deepseek-r1&precision=fp8&isl=8192&osl=1024&frontier_evidence=measured&group=accelerator"
    "&x=ttft_ms_p50&x_scale=auto&y=output_tokens_per_s_per_accelerator"
)


def test_a_deep_link_is_right_as_the_first_request_after_a_start(browser: Browser, tmp_path: Path) -> None:
    with running(tmp_path) as started, reading(browser, started.url) as tab:
        page = charted(tab(), WHOLE)
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.title() == "Pareto - Kneepoint"
        assert "DeepSeek-R1" in headline(page)
        _, titles = figure(page)
        assert titles["xaxis"].startswith("TTFT, median")
        assert titles["yaxis"].startswith("Output throughput per accelerator")


def test_a_bare_address_is_written_out_whole_without_a_step_in_the_history(visit: Visit) -> None:
    page = visit()
    page.goto("about:blank")
    charted(page, "/pareto")
    page.wait_for_url("**/pareto?v=2&**")
    view = View.from_query(page.url.partition("?")[2])
    assert view.whole
    assert view.values("model")
    assert {"x", "y", "group"} <= dict(view.options).keys()
    assert page.evaluate("history.length") == 2


def test_a_copied_link_shows_the_same_figure_to_someone_else(visit: Visit, browser: Browser, server: str) -> None:
    mine = charted(visit(), "/pareto")
    before = figure(mine)
    pick_accelerator(mine, "H200 SXM")
    pick(mine, "A frontier for each", "Engine")
    link = copied(mine)
    assert link == mine.url
    with reading(browser, server) as someone_else:
        theirs = charted(someone_else(), link)
        assert figure(theirs) == figure(mine) != before
        assert headline(theirs) == headline(mine)


def test_back_and_forward_are_one_step_each(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    first, first_url = figure(page), page.url
    pick(page, "A frontier for each", "Engine")
    second, second_url = figure(page), page.url
    assert second_url != first_url
    page.go_back()
    settled(page)
    assert page.url == first_url
    assert figure(page) == first
    page.go_forward()
    settled(page)
    assert page.url == second_url
    assert figure(page) == second


def test_filters_follow_the_reader_and_back_returns_to_the_page_before(visit: Visit) -> None:
    page = charted(visit(), "/pareto?v=1&model=llama-3.1-70b&model=deepseek-r1")
    pareto = page.url
    page.get_by_role("link", name="Heatmap", exact=True).click()
    page.wait_for_url("**/heatmap?v=2&**")
    settled(page)
    assert View.from_query(page.url.partition("?")[2]).values("model") == ("llama-3.1-70b", "deepseek-r1")
    page.go_back()
    page.wait_for_url(pareto)
    settled(page)
    expect(page.locator("h1").first).to_be_visible()


def test_back_before_the_server_has_answered_a_link_returns_to_the_page_of_the_link(visit: Visit) -> None:
    page = visit()
    page.add_init_script(SLOW_SERVER)
    page.goto("about:blank")
    charted(page, "/pareto")
    pareto, drawn = page.url, figure(page)
    page.evaluate(UNANSWERED)
    page.get_by_role("link", name="Heatmap", exact=True).click()
    page.wait_for_function("() => waiting.late.length > 0")
    page.go_back()
    page.evaluate(ANSWERED)
    settled(page)
    assert page.url == pareto
    assert figure(page) == drawn
    assert page.evaluate("history.length") == 3, "Before it, itself, and what lies ahead."


def test_numbers_that_are_known_once_a_link_is_followed_do_not_bring_the_page_back(visit: Visit) -> None:
    page = visit()
    page.add_init_script(HELD)
    charted(page, "/pareto?slo=ttft_ms_p50<=2718")
    page.wait_for_function("() => Boolean(window.answer)")
    page.evaluate(FOLLOWED, "Heatmap")
    page.wait_for_url("**/heatmap?v=2&**")
    settled(page)
    assert urlsplit(page.url).path == "/heatmap"


def test_a_signpost_carries_what_it_is_about(visit: Visit) -> None:
    page = charted(visit(), "/")
    page.locator(".st-key-sentences").get_by_role("link", name="Open Heatmap").first.click()
    page.wait_for_url("**?v=2&**model=**")
    page.wait_for_selector(CHART)
    settled(page)
    expect(page.locator("h1").first).to_be_visible()


def test_what_is_not_loaded_is_said_by_name(visit: Visit) -> None:
    page = charted(visit(), "/pareto?v=1&model=deepseek-r1&model=no-such-model")
    expect(page.get_by_text("Nothing is loaded for model no-such-model.")).to_be_visible()


def test_reset_returns_to_the_story(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    story = page.url
    pick(page, "A frontier for each", "Engine")
    assert page.url != story
    page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_url(story)


def test_the_first_page_answers_under_its_own_name(visit: Visit) -> None:
    page = charted(visit(), "/overview?model=deepseek-r1")
    assert page.url.endswith("/?v=2&model=deepseek-r1&flagged=ranked&runs=newest")


@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("/nosuchpage", "nosuchpage"),
        ("/nosuchpage?x=y", "nosuchpage"),
        ("/pareto/extra", "pareto/extra"),
        ("/%3Cimg%20src=x%20onerror=alert(1)%3E", "<img src=x onerror=alert(1)>"),
    ],
)
def test_an_address_that_is_no_page_says_so_and_lists_the_pages(
    address: str, named: str, context: BrowserContext
) -> None:
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    answer = page.goto(address)
    assert answer
    assert answer.status == 404
    titles = ", ".join(question.TITLE for question in questions().values())
    assert headline(page) == f"There is no page '{named}'; the pages are {titles}, Launch, Jobs, Data and SQL."
    page.wait_for_load_state("networkidle")
    # The browser itself reports the document's status; nothing else is said or asked for.
    assert errors == ["Failed to load resource: the server responded with a status of 404 (Not Found)"]
    page.get_by_role("link", name="Pareto").click()
    page.wait_for_selector(CHART)
    assert urlsplit(page.url).path == "/pareto"
    assert len(errors) == 1
    page.close()


def test_a_slash_too_many_is_the_same_page(visit: Visit) -> None:
    page = charted(visit(), "/pareto/?model=deepseek-r1")
    assert urlsplit(page.url).path == "/pareto"
    assert View.from_query(urlsplit(page.url).query).values("model") == ("deepseek-r1",)


def test_a_limit_that_is_no_number_is_told_and_the_page_stays(visit: Visit) -> None:
    page = charted(visit(), "/pareto?slo=ttft_ms_p99<=abc&slo=ttft_ms_p50<=9000")
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.get_by_role("alert")).to_contain_text("slo='ttft_ms_p99<=abc' is no limit")
    view = View.from_query(urlsplit(page.url).query)
    assert view.slo == ("ttft_ms_p50<=9000",)


@pytest.mark.parametrize(
    ("address", "status", "kind"),
    [
        ("/nosuchpage", 404, "text/html"),
        ("/static/nosuch.js", 404, "text/html"),
        ("/media/nosuch.png", 404, "text/plain"),
        ("/favicon.png", 200, "image/png"),
        ("/_stcore/health", 200, "text/plain"),
        ("/healthz", 200, "application/json"),
        ("/data", 200, "text/html"),
    ],
)
def test_what_is_no_page_is_served_as_before(address: str, status: int, kind: str, server: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(server).netloc)
    for method in ("GET", "HEAD"):
        connection.request(method, address)
        answer = connection.getresponse()
        assert answer.status == status
        assert answer.headers["Content-Type"].startswith(kind)
        assert bool(answer.read()) == (method == "GET")
    connection.close()


def test_health_and_headers(server: str) -> None:
    with urllib.request.urlopen(f"{server}/healthz") as answer:
        told = json.load(answer)
    assert told["status"] == "ok"
    assert told["points"] > 4_000
    assert len(told["library_version"]) == 12
    for address in ("/", "/pareto", "/healthz", "/nowhere"):
        connection = http.client.HTTPConnection(urlsplit(server).netloc)
        connection.request("GET", address)
        headers = connection.getresponse().headers
        connection.close()
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"
        assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
        assert "'unsafe-eval'" not in headers["Content-Security-Policy"]
