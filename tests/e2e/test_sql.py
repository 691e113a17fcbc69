"""SQL in the browser: a link runs nothing, Run and an example do, Back goes back, and no query holds up another tab."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.benchmarks._server import running
from tests.e2e.browsing import CHART, asked, charted, figure, headline, reading, settled, unfold

SQL = "SELECT accelerator, count(*) AS n FROM points GROUP BY 1 ORDER BY 2 DESC LIMIT 3"
ENDLESS = "SELECT sum(sqrt(a.range)) FROM range(10000000000000) a"


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


def test_a_query_from_a_link_waits_back_returns_to_the_one_before_and_an_example_is_charted_and_linked(
    tab: Page,
) -> None:
    page = opened(tab, f"/sql?query={quote(SQL)}")
    expect(page.get_by_text("came with the link and has not run")).to_be_visible()
    assert page.locator("textarea").input_value() == SQL
    assert "rows" not in headline(page)
    page.locator("textarea").focus()
    page.keyboard.press("Control+Enter")
    told(page, "3 rows and 2 columns")
    expect(page.get_by_text("came with the link")).to_be_hidden()
    run(page, "SELECT 1 AS one, 2 AS two")
    told(page, "1 row and 2 columns")
    assert asked(page)["query"] == "SELECT 1 AS one, 2 AS two"
    page.go_back()
    told(page, "3 rows and 2 columns")
    assert page.locator("textarea").input_value() == SQL
    page.go_forward()
    told(page, "1 row and 2 columns")
    # An example, its chart, and the link to that.
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
    assert "colour=" in page.url
    theirs = opened(tab, page.url)
    expect(theirs.get_by_text("came with the link and has not run")).to_be_visible()
    theirs.get_by_role("button", name="Run", exact=True).click()
    theirs.wait_for_selector(CHART)
    settled(theirs)
    assert len(figure(theirs)[0]) == 1


@pytest.mark.exhaustive  # without a browser in tests/library/user_sql/test_desk.py
def test_neither_other_tabs_nor_who_uses_or_leaves_the_page_wait_for_its_query(
    browser: Browser, tmp_path: Path
) -> None:
    """The query may take longer than anything here is waited for."""
    setup = "from bench.library.user_sql import query; query.TIME_LIMIT_S = 600.0"
    with running(tmp_path / "library", setup=setup) as server, reading(browser, server.url) as tab:
        page, other, third = opened(tab()), opened(tab()), tab()
        under_way = page.get_by_text("a query is stopped after 600 s")
        charted(third, "/pareto?v=1&model=deepseek-r1&isl=8192&osl=1024")
        unfold(third, "A frontier for each")
        run(page, ENDLESS)
        under_way.wait_for()
        third.get_by_role("option", name="Engine").first.click()
        run(other, SQL)
        third.wait_for_url("**group=engine**")
        told(other, "3 rows and 2 columns")
        assert headline(third).endswith(".")
        expect(under_way).to_be_visible()
        scores = page.get_by_role("button", name="scores", exact=True)
        scores.or_(page.get_by_role("radio", name="scores")).first.click()
        page.get_by_text("The query was ended because the page was used meanwhile").wait_for()
        run(page, ENDLESS)
        under_way.wait_for()
        page.get_by_role("link", name="Data", exact=True).click()
        page.locator("[data-testid=stDataFrame]").first.wait_for()
