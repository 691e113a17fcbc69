"""Corrections in the browser: notes and tags after a restart, Back, and read-only."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from bench.library import Library
from tests.benchmarks._server import running
from tests.e2e.browsing import back, headline, listening, reading, saved, settled
from tests.holdings.made import source_of, tables


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library of these tests' own."""
    place = tmp_path_factory.mktemp("corrections")
    opened = Library.open(place / "library")
    opened.add(tables(place))
    return opened


@pytest.fixture(scope="module")
def server(own: Library) -> Iterator[str]:
    with running(own.path) as started:
        yield started.url


@pytest.fixture(scope="module")
def shared_tab(server: str, context: BrowserContext) -> Iterator[Page]:
    with listening(context, server) as page:
        yield page


def fill(page: Page, opens: str, label: str, text: str, does: str) -> None:
    """Opens a box of the corrections, types into it and presses its button."""
    settled(page)
    page.get_by_role("button", name=opens).click()
    page.get_by_label(label, exact=True).last.fill(text)
    page.get_by_role("button", name=does, exact=True).click()
    settled(page)


def test_each_table_is_shown_and_what_is_searched_and_opened_is_a_step_that_back_takes_back(tab: Page) -> None:
    page = tab
    page.goto("/data")
    for name in ("Passports", "Scores", "Prices", "Refusals", "Points"):
        page.get_by_role("tab", name=name).click()
        settled(page)
        panel = page.get_by_role("tabpanel").filter(visible=True)
        expect(panel.locator("[data-testid=stDataFrame], [data-testid=stMarkdown]").first).to_be_visible()
    page.get_by_label("Search", exact=True).fill("theirs")
    page.keyboard.press("Enter")
    page.wait_for_url("**&search=theirs**")
    settled(page)
    found = page.url
    box = page.locator("[data-testid=stDataFrame]").filter(visible=True).first.bounding_box() or {"x": 0, "y": 0}
    page.mouse.click(box["x"] + 16, box["y"] + 52)
    page.wait_for_url("**point_id=**")
    settled(page)
    point, told = page.url, headline(page)
    assert told.startswith("Qwen3 32B")
    back(page, found)
    assert page.get_by_label("Search", exact=True).input_value() == "theirs"
    page.go_forward()
    page.locator("h1").filter(has_text="Qwen3 32B").wait_for()
    settled(page)
    assert page.url == point
    assert headline(page) == told
    # The link shows it in a session of its own too.
    page.goto(point)
    expect(page.locator("h1")).to_have_text(told)


def test_notes_and_tags_are_there_after_a_restart_and_read_only_shows_and_downloads_and_offers_no_change(
    own: Library, tab: Page, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/data?source_id={source_of(own, 'mine.csv')}"
    page = tab
    page.goto(address)
    page.get_by_role("button", name="Add a note").wait_for()
    fill(page, "Add a note", "Note", "beside another job", "Keep the note")
    page.get_by_text("beside another job").first.wait_for()
    fill(page, "Tag", "Tag", "rerun wanted", "Add the tag")
    page.get_by_text("Tags: rerun wanted").wait_for()
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    with running(own.path) as restarted, reading(browser, restarted.url) as opens:
        page = opens()
        page.goto(address)
        page.get_by_text("This server is read-only").wait_for()
        settled(page)
        expect(page.get_by_text("beside another job").first).to_be_visible()
        expect(page.get_by_text("Tags: rerun wanted")).to_be_visible()
        for offered in ("Add a note", "Tag", "Correct a fact", "Hide this source", "Delete for good"):
            expect(page.get_by_role("button", name=offered, exact=True)).to_have_count(0)
        name, content = saved(page, "Original file")
        assert name == "mine.csv"
        assert content.startswith(b"model,precision")
        # No table of ours holds text that a spreadsheet runs.
        name, content = saved(page, "CSV for Excel")
        assert name == "kneepoint-points.excel.csv"
        assert b",'=1+1," in content
        assert b",'=1+1," in saved(page, "CSV")[1]
        settled(page)
        page.get_by_role("button", name="Export", exact=True).click()
        name, content = saved(page, "Published table, CSV")
        assert name.endswith("-published.csv")
        assert b",'=1+1," in content
