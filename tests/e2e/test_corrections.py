"""Corrections in the browser: hidden and back on the frontier, notes and tags after a restart, Back, and read-only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.library import Library
from bench.view import View
from tests.benchmarks._server import running
from tests.e2e.browsing import charted, figure, headline, reading, settled
from tests.holdings.made import point_of, source_of, tables

MINE = View.of({"source": ["mine"]}, {"x": "tpot_ms_p50", "y": "output_tokens_per_s"}).query()
BEST = 64
"""The concurrency of the point that alone is best in throughput."""

Served = Callable[[], AbstractContextManager[Callable[[], Page]]]


@pytest.fixture
def library(tmp_path: Path) -> Library:
    opened = Library.open(tmp_path / "library")
    opened.add(tables(tmp_path))
    return opened


@pytest.fixture
def served(library: Library, browser: Browser) -> Served:
    """Starts the app and opens tabs in it."""

    @contextmanager
    def serve() -> Iterator[Callable[[], Page]]:
        with running(library.path) as server, reading(browser, server.url) as tab:
            yield tab

    return serve


def charted_ids(page: Page) -> set[str]:
    """The ids of the points that the frontier page draws."""
    data, _ = figure(page)
    ids = (one for trace in data for one in trace.get("customdata") or ())
    return {str(one[0] if isinstance(one, list) else one) for one in ids}


def fill(page: Page, opens: str, label: str, text: str, does: str) -> None:
    """Opens a box of the corrections, types into it and presses its button."""
    settled(page)
    page.get_by_role("button", name=opens).click()
    page.get_by_label(label, exact=True).last.fill(text)
    page.get_by_role("button", name=does, exact=True).click()
    settled(page)


def test_hiding_takes_a_point_off_the_frontier_and_restoring_brings_it_back(library: Library, served: Served) -> None:
    id = point_of(library, BEST)
    with served() as tab:
        chart, page = tab(), tab()
        before = charted_ids(charted(chart, f"/pareto?{MINE}"))
        assert id in before
        page.goto(f"/data?point_id={id}")
        page.get_by_role("button", name="Hide this point").wait_for()
        fill(page, "Hide this point", "Why", "throttled", "Hide it")
        page.get_by_text("in no answer: throttled").wait_for()
        assert charted_ids(charted(chart, f"/pareto?{MINE}")) == before - {id}
        page.get_by_role("button", name="Bring it back").click()
        page.get_by_text("It is in the answers again.").wait_for()
        assert charted_ids(charted(chart, f"/pareto?{MINE}")) == before


def test_notes_and_tags_are_there_after_a_restart(library: Library, served: Served) -> None:
    address = f"/data?source_id={source_of(library, 'mine.csv')}"
    with served() as tab:
        page = tab()
        page.goto(address)
        page.get_by_role("button", name="Add a note").wait_for()
        fill(page, "Add a note", "Note", "beside another job", "Keep the note")
        page.get_by_text("beside another job").first.wait_for()
        fill(page, "Tag", "Tag", "rerun wanted", "Add the tag")
        page.get_by_text("Tags: rerun wanted").wait_for()
    with served() as tab:
        page = tab()
        page.goto(address)
        page.get_by_text("beside another job").first.wait_for()
        expect(page.get_by_text("Tags: rerun wanted")).to_be_visible()


def test_what_is_searched_and_opened_is_a_step_that_back_takes_back(library: Library, served: Served) -> None:
    with served() as tab:
        page = tab()
        page.goto("/data?tab=points")
        page.wait_for_url("**/data?v=2&**")
        settled(page)
        page.get_by_label("Search", exact=True).fill("theirs")
        page.keyboard.press("Enter")
        page.wait_for_url("**&search=theirs**")
        settled(page)
        found = page.url
        box = page.locator("[data-testid=stDataFrame]").first.bounding_box() or {"x": 0, "y": 0}
        page.mouse.click(box["x"] + 16, box["y"] + 52)
        page.wait_for_url("**point_id=**")
        settled(page)
        point, told = page.url, headline(page)
        assert told.startswith("Qwen3 32B")
        page.go_back()
        page.wait_for_url(found)
        settled(page)
        assert page.get_by_label("Search", exact=True).input_value() == "theirs"
        page.go_forward()
        page.locator("h1").filter(has_text="Qwen3 32B").wait_for()
        settled(page)
        assert page.url == point
        assert headline(page) == told
        cold = tab()
        cold.goto(point)
        cold.locator("h1").wait_for()
        settled(cold)
        assert headline(cold) == told


def test_read_only_shows_and_downloads_and_offers_no_change(
    library: Library, served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    with served() as tab:
        page = tab()
        page.goto(f"/data?source_id={source_of(library, 'mine.csv')}")
        page.get_by_text("This server is read-only").wait_for()
        settled(page)
        for offered in ("Add a note", "Tag", "Correct a fact", "Hide this source", "Delete for good"):
            expect(page.get_by_role("button", name=offered, exact=True)).to_have_count(0)
        with page.expect_download() as saved:
            page.get_by_role("button", name="Original file").click()
        assert saved.value.suggested_filename == "mine.csv"
        assert Path(saved.value.path()).read_bytes().startswith(b"model,precision")
        with page.expect_download() as saved:
            page.get_by_role("button", name="CSV for Excel").click()
        assert saved.value.suggested_filename == "kneepoint-points.excel.csv"
        assert b",'=1+1," in Path(saved.value.path()).read_bytes()
        with page.expect_download() as saved:
            page.get_by_role("button", name="CSV", exact=True).click()
        assert b",'=1+1," in Path(saved.value.path()).read_bytes()
        settled(page)
        page.get_by_role("button", name="Export", exact=True).click()
        with page.expect_download() as saved:
            page.get_by_role("button", name="Published table, CSV").click()
        assert saved.value.suggested_filename.endswith("-published.csv")
        assert b",'=1+1," in Path(saved.value.path()).read_bytes()
