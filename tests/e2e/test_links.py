"""A link says everything: written out whole, through Back, across pages, and at addresses that are no page."""

from __future__ import annotations

import http.client
import json
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, Page

from bench.questions import questions
from tests.e2e.browsing import (
    ANSWERED,
    CHART,
    SLOW_SERVER,
    UNANSWERED,
    back,
    charted,
    figure,
    headline,
    pick,
    pick_accelerator,
    settled,
    view_of,
)
from tests.e2e.conftest import Visit

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
ACTING = "<img src=x onerror=alert(1)>"
NO_PAGES = ("/nosuchpage", "/nosuchpage?x=y", "/pareto/extra", "/%3Cimg%20src=x%20onerror=alert(1)%3E")


def test_every_change_is_one_step_of_back_and_forward(visit: Visit) -> None:
    page = visit()
    page.add_init_script(SLOW_SERVER)
    page.goto("about:blank")
    # A bare address is written out whole, without a step.
    charted(page, "/pareto")
    page.wait_for_url("**/pareto?v=2&**")
    view = view_of(page)
    assert view.whole
    assert view.values("model")
    assert {"x", "y", "group"} <= dict(view.options).keys()
    assert page.evaluate("history.length") == 2
    # An option is a step, and Reset leads to the story again.
    story, first = page.url, figure(page)
    pick(page, "A frontier for each", "Engine")
    changed, second = page.url, figure(page)
    assert changed != story
    assert second != first
    page.go_back()
    settled(page)
    assert page.url == story
    assert figure(page) == first
    page.go_forward()
    settled(page)
    assert page.url == changed
    assert figure(page) == second
    page.get_by_role("button", name="Reset", exact=True).click()
    page.wait_for_url(story)
    settled(page)
    # A filter follows to the next page, and Back returns to the page before.
    pick_accelerator(page, "H200 SXM")
    chosen, drawn = page.url, figure(page)
    assert chosen != story
    page.get_by_role("link", name="Heatmap", exact=True).click()
    page.wait_for_url("**/heatmap?v=2&**")
    settled(page)
    assert view_of(page).values("accelerator") == ("h200-sxm",)
    back(page, chosen)
    assert figure(page) == drawn
    # So it does where it comes before the server has answered the link.
    steps = page.evaluate("history.length")
    page.evaluate(UNANSWERED)
    page.get_by_role("link", name="Heatmap", exact=True).click()
    page.wait_for_function("() => waiting.late.length > 0")
    page.go_back()
    page.evaluate(ANSWERED)
    settled(page)
    assert page.url == chosen
    assert figure(page) == drawn
    assert page.evaluate("history.length") == steps


def test_numbers_that_are_known_once_a_link_is_followed_do_not_bring_the_page_back(visit: Visit) -> None:
    page = visit()
    page.add_init_script(HELD)
    charted(page, "/pareto?slo=ttft_ms_p50<=2718")
    page.wait_for_function("() => Boolean(window.answer)")
    page.evaluate(FOLLOWED, "Heatmap")
    page.wait_for_url("**/heatmap?v=2&**")
    settled(page)
    assert urlsplit(page.url).path == "/heatmap"


def test_an_address_that_is_spelled_otherwise_is_the_same_page(tab: Page) -> None:
    page = tab
    page.goto("/overview?model=deepseek-r1")
    page.wait_for_url("**/?v=2&model=deepseek-r1&flagged=ranked&runs=newest")
    charted(page, "/pareto/?model=deepseek-r1")
    assert urlsplit(page.url).path == "/pareto"
    assert view_of(page).values("model") == ("deepseek-r1",)


def test_an_address_that_is_no_page_says_so_and_lists_the_pages(context: BrowserContext) -> None:
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(NO_PAGES[-1])
    titles = ", ".join(question.TITLE for question in questions().values())
    assert headline(page) == f"There is no page '{ACTING}'; the pages are {titles}, Launch, Jobs, Data and SQL."
    page.wait_for_load_state("networkidle")
    # The browser itself reports the document's status; nothing else is said or asked for.
    assert errors == ["Failed to load resource: the server responded with a status of 404 (Not Found)"]
    page.get_by_role("link", name="Pareto").click()
    page.wait_for_selector(CHART)
    assert urlsplit(page.url).path == "/pareto"
    assert len(errors) == 1
    page.close()


def test_what_is_no_page_is_served_as_what_it_is(server: str) -> None:
    wanted = {
        **dict.fromkeys(NO_PAGES, (404, "text/html")),
        "/static/nosuch.js": (404, "text/html"),
        "/media/nosuch.png": (404, "text/plain"),
        "/favicon.png": (200, "image/png"),
        "/_stcore/health": (200, "text/plain"),
        "/healthz": (200, "application/json"),
        "/data": (200, "text/html"),
    }
    connection = http.client.HTTPConnection(urlsplit(server).netloc)
    for address, (status, kind) in wanted.items():
        for method in ("GET", "HEAD"):
            connection.request(method, address)
            answer = connection.getresponse()
            assert answer.status == status, address
            assert answer.headers["Content-Type"].startswith(kind), address
            content = answer.read()
            assert bool(content) == (method == "GET"), address
            assert ACTING.encode() not in content
            assert answer.headers["X-Content-Type-Options"] == "nosniff", address
            assert answer.headers["Referrer-Policy"] == "same-origin", address
            assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"], address
            assert "'unsafe-eval'" not in answer.headers["Content-Security-Policy"], address
            if address == "/healthz" and content:
                told = json.loads(content)
                assert told["status"] == "ok"
                assert told["points"] > 4_000
                assert len(told["library_version"]) == 12
    connection.close()
