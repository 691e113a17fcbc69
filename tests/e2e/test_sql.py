"""SQL in the browser: a link runs nothing, Run and an example do, Back goes back, and no query holds up another tab."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import CHART, charted, figure, headline, settled, unfold

Visit = Callable[[], Page]

SQL = "SELECT accelerator, count(*) AS n FROM points GROUP BY 1 ORDER BY 2 DESC LIMIT 3"
ENDLESS = "SELECT sum(sqrt(a.range)) FROM range(10000000000) a"


def opened(page: Page, address: str = "/sql") -> Page:
    page.goto(address)
    page.locator("textarea").wait_for()
    settled(page)
    return page


def run(page: Page, sql: str) -> None:
    page.locator("textarea").fill(sql)
    page.get_by_role("button", name="Run", exact=True).click()


def told(page: Page, sentence: str) -> None:
    """Returns once the page's big sentence begins like this."""
    page.locator("h1").filter(has_text=sentence).wait_for()
    settled(page)


def asked(page: Page) -> str:
    return parse_qs(urlsplit(page.url).query).get("query", [""])[0]


def test_a_query_from_a_link_waits_and_back_returns_to_the_one_before(visit: Visit) -> None:
    page = opened(visit(), f"/sql?query={quote(SQL)}")
    expect(page.get_by_text("came with the link and has not run")).to_be_visible()
    assert page.locator("textarea").input_value() == SQL
    assert "rows" not in headline(page)
    page.locator("textarea").focus()
    page.keyboard.press("Control+Enter")
    told(page, "3 rows and 2 columns")
    expect(page.get_by_text("came with the link")).to_be_hidden()
    run(page, "SELECT 1 AS one, 2 AS two")
    told(page, "1 row and 2 columns")
    assert asked(page) == "SELECT 1 AS one, 2 AS two"
    page.go_back()
    told(page, "3 rows and 2 columns")
    assert page.locator("textarea").input_value() == SQL
    page.go_forward()
    told(page, "1 row and 2 columns")


def test_an_example_is_run_charted_and_linked(visit: Visit) -> None:
    page = opened(visit())
    page.get_by_role("button", name="How does the time per token grow").click()
    told(page, "32 rows")
    page.get_by_role("tab", name="Chart").click()
    page.wait_for_selector(CHART)
    settled(page)
    traces, titles = figure(page)
    assert titles["xaxis"] == "Concurrency (requests in flight)"
    assert "H200 SXM" in [trace["name"] for trace in traces]
    page.get_by_role("combobox", name="A colour for each").click()
    page.get_by_role("option", name="One colour").click()
    settled(page)
    assert len(figure(page)[0]) == 1
    link = page.url
    assert "colour=" in link
    theirs = opened(visit(), link)
    expect(theirs.get_by_text("came with the link and has not run")).to_be_visible()
    theirs.get_by_role("button", name="Run", exact=True).click()
    theirs.wait_for_selector(CHART)
    settled(theirs)
    assert len(figure(theirs)[0]) == 1


def test_a_hostile_query_is_stopped_while_another_tab_answers(visit: Visit) -> None:
    page, meanwhile = visit(), others_answered(visit(), visit())
    next(meanwhile)
    run(opened(page), ENDLESS)
    page.get_by_text("a query is stopped after 10 s").wait_for()
    next(meanwhile)
    page.get_by_text("The query was stopped after 10 s; select less.").wait_for()
    run(page, "DROP TABLE notes")
    page.get_by_text("Only one SELECT statement can be run here; this is DROP.").wait_for()
    run(page, "SELECT count(*) AS n FROM notes")
    told(page, "1 row and 1 column")


def others_answered(other: Page, third: Page) -> Iterator[None]:
    """Two tabs that stand ready to be used; when asked again, they were used and have answered."""
    charted(third, "/pareto?v=1&model=deepseek-r1&isl=8192&osl=1024")
    opened(other).locator("textarea").fill(SQL)
    unfold(third, "A frontier for each")
    yield
    third.get_by_role("option", name="Engine").first.click()
    other.get_by_role("button", name="Run", exact=True).click()
    third.wait_for_url("**group=engine**")
    other.locator("h1").filter(has_text="3 rows and 2 columns").wait_for()
    assert "DeepSeek-R1" in headline(third)
    yield


def test_who_uses_the_page_does_not_wait_for_the_query(visit: Visit) -> None:
    page = opened(visit())
    run(page, ENDLESS)
    page.get_by_text("a query is stopped after 10 s").wait_for()
    page.get_by_role("button", name="scores", exact=True).or_(page.get_by_role("radio", name="scores")).first.click()
    page.get_by_text("The query was ended because the page was used meanwhile").wait_for()


@pytest.mark.timed
def test_who_leaves_the_page_does_not_wait_for_the_query(visit: Visit) -> None:
    page = opened(visit())
    run(page, ENDLESS)
    page.get_by_text("a query is stopped after 10 s").wait_for()
    began = time.monotonic()
    page.get_by_role("link", name="Data", exact=True).click()
    page.locator("[data-testid=stDataFrame]").first.wait_for()
    assert time.monotonic() - began < 9
