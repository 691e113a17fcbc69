"""SQL in the browser: a link runs nothing, Run and an example do, and Back goes back."""

from __future__ import annotations

from urllib.parse import quote

from playwright.sync_api import Page, expect

from tests.e2e.browsing import CHART, asked, figure, headline, settled

SQL = "SELECT accelerator, count(*) AS n FROM points GROUP BY 1 ORDER BY 2 DESC LIMIT 3"


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
