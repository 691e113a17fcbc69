"""Results dropped in a browser: seen before they are loaded, loaded once, on the charts a click later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from bench.library.facts import PRICE
from tests.benchmarks._server import running
from tests.e2e.browsing import (
    CHART,
    Counter,
    back,
    charted,
    drawn_points,
    figure,
    find,
    headline,
    listening,
    reading,
    settled,
    view_of,
)
from tests.e2e.conftest import Visit
from tests.library.files import ROW, entries, table

LAB = {**ROW, "model": "deepseek-r1", "precision": "fp8", "isl": 1024, "osl": 1024, "source": "our-lab"}
LOADS = [{"concurrency": n, "output_tokens_per_s": 300.0 * n**0.8, "tpot_ms_p50": 10 + n / 4} for n in (1, 4, 16, 64)]
MANY = 20_000
"""Rows of a file whose import takes long enough to be left in the middle."""


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where these tests' own library lies."""
    return tmp_path_factory.mktemp("importing") / "library"


@pytest.fixture(scope="module")
def server(own: Path) -> Iterator[str]:
    with running(own) as started:
        yield started.url


@pytest.fixture(scope="module")
def shared_tab(server: str, context: BrowserContext) -> Iterator[Page]:
    with listening(context, server) as page:
        yield page


@pytest.mark.timeout(240)
def test_a_good_a_broken_and_a_partly_good_file_lie_beside_the_published_3_steps_from_the_first_page(
    tab: Page, own: Path, tmp_path: Path
) -> None:
    good = table(tmp_path / "lab.csv", *LOADS, base=LAB)
    partly = table(tmp_path / "partly.csv", *LOADS[:2], {"concurrency": "many"}, base={**LAB, "source": "partly"})
    broken, torn = tmp_path / "broken.json", tmp_path / "torn.parquet"
    broken.write_text('{"model": [')
    torn.write_bytes(b"PAR1 and no more")
    page = tab
    reader = Counter(charted(page, "/"))
    page.evaluate("window.opened = 'once'")
    reader.click(page.get_by_role("link", name="Data", exact=True))
    page.wait_for_url("**/data*")
    settled(page)
    # A file that cannot be read is told, and nothing can be imported.
    drop(page, torn)
    said(page, "Nothing here can be added: 1 file cannot be loaded.")
    expect(page.get_by_role("button", name="Import")).to_have_count(0)
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_text("Nothing here can be added")).to_have_count(0)
    settled(page)
    # What files hold is told before anything is loaded, and one press, or two, loads it once.
    drop(page, good, partly, broken)
    said(page, "2 of 3 files bring 6 points; 1 file cannot be loaded and 1 row is refused. Nothing is loaded yet.")
    said(page, "broken.json ends in the middle of its JSON")
    assert ["lab.csv", "partly.csv"] not in imports(own)
    reader.steps += 1
    page.get_by_role("button", name="Import 2 files").dblclick()
    said(page, "6 points from 2 files are in the library now; 1 file cannot be loaded and 1 row was refused.")
    expect(page.locator("h1")).to_contain_text("2 rows and files were refused")
    settled(page)
    here = page.url
    # From there it is a step to the published results beside them, and one to their own frontier.
    reader.click(page.get_by_role("link", name="Compare with the published"))
    page.wait_for_url("**/pareto?v=2&**group=source**")
    page.wait_for_selector(CHART)
    settled(page)
    assert reader.steps == 3
    assert view_of(page).values("source") == ()
    assert len(drawn_points(page)) > 100
    back(page, here)
    said(page, "6 points from 2 files are in the library now")
    page.get_by_role("link", name="See it on the frontier").click()
    page.wait_for_url("**/pareto?v=2&**source=our-lab**")
    page.wait_for_selector(CHART)
    settled(page)
    assert headline(page).startswith("On H100 SXM, at best ")
    said(page, "4 of 6 points are on the frontier: no other beats them in both metrics.")
    assert len(drawn_points(page)) == 6
    assert page.evaluate("window.opened") == "once", "Nothing of this needs a reload."
    back(page, here)
    said(page, "6 points from 2 files are in the library now")
    page.reload()
    page.locator("input[type=file]").wait_for(state="attached")
    assert imports(own).count(["lab.csv", "partly.csv"]) == 1


def test_facts_are_asked_once_and_remembered_after_a_restart_whose_first_request_is_a_deep_link(
    tab: Page, browser: Browser, own: Path, tmp_path: Path
) -> None:
    file = table(tmp_path / "open.csv", *LOADS, base={**LAB, "accelerator": None, "source": "open-lab"})
    page = on_data(tab)
    drop(page, file)
    said(page, "open.csv does not say: accelerator.")
    find(page, "Accelerator", "H200 SXM")
    page.get_by_role("spinbutton", name="Price").fill("2.5")
    page.keyboard.press("Enter")
    settled(page)
    page.get_by_role("button", name="Import 1 file").click()
    said(page, "4 points from 1 file are in the library now.")
    (kept,) = entries(own / "facts.jsonl")
    assert kept["facts"] == {"accelerator": "h200-sxm", PRICE: 2.5}
    with running(own) as restarted, reading(browser, restarted.url) as opens:
        page = charted(opens(), "/pareto?v=1&model=deepseek-r1&source=open-lab&x=tpot_ms_p50&y=output_tokens_per_s")
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.title() == "Pareto - Kneepoint"
        assert "H200 SXM" in headline(page)
        _, titles = figure(page)
        assert titles["xaxis"].startswith("TPOT, median")
        assert titles["yaxis"].startswith("Output throughput")
        drop(on_data(page), file)
        said(page, "Nothing here can be added: 1 file is in the library already.")
        expect(page.get_by_text("does not say")).to_have_count(0)


def test_an_import_left_in_the_middle_is_found_again_and_made_once(
    visit: Visit, tab: Page, own: Path, tmp_path: Path
) -> None:
    rows = [{"concurrency": 1 + n % 64, "repeat": n, "output_tokens_per_s": 1.0 + n} for n in range(MANY)]
    long = table(tmp_path / "long.csv", *rows, base={**LAB, "source": "long"})
    page = on_data(tab)
    drop(page, long)
    said(page, f"1 file brings {MANY:,} points")
    here = page.url
    page.get_by_role("link", name="Jobs").click()
    page.wait_for_url("**/jobs**")
    settled(page)
    page.go_back()
    page.wait_for_url(here)
    said(page, f"1 file brings {MANY:,} points")
    page.get_by_role("button", name="Import 1 file").click()
    page.get_by_text("It goes on if you leave this page").or_(page.get_by_text("in the library now")).first.wait_for()
    page.reload()
    said(page, f"{MANY:,} points from 1 file are in the library now.")
    said(on_data(visit()), f"{MANY:,} points from 1 file are in the library now.")
    assert [files for files in imports(own) if "long.csv" in files] == [["long.csv"]]
    drop(page, long)
    said(page, "Nothing here can be added: 1 file is in the library already.")


def on_data(page: Page) -> Page:
    page.goto("/data")
    return page


def drop(page: Page, *files: Path) -> None:
    """Drops these files on the Data page."""
    page.locator("input[type=file]").set_input_files(files)


def said(page: Page, sentence: str) -> None:
    """Returns once the page says this."""
    page.get_by_text(sentence).first.wait_for()


def imports(library: Path) -> list[list[str]]:
    """The files of each import that brought something."""
    log = library / "audit.jsonl"
    return [
        sorted(Path(row["file"]).name for row in entry["imported"])
        for entry in (entries(log) if log.exists() else ())
        if entry["what"] == "import" and entry["imported"]
    ]
