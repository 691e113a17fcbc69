"""Results dropped in a browser: seen before they are loaded, loaded once, on the charts a click later."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.library import Library
from bench.library.facts import PRICE
from bench.view import View
from tests.benchmarks._server import Server, running
from tests.e2e.browsing import CHART, figure, find, headline, reading, settled, unfold
from tests.library.files import ROW, entries, table

LAB = {**ROW, "model": "deepseek-r1", "precision": "fp8", "isl": 1024, "osl": 1024, "source": "our-lab"}
LOADS = [{"concurrency": n, "output_tokens_per_s": 300.0 * n**0.8, "tpot_ms_p50": 10 + n / 4} for n in (1, 4, 16, 64)]
MANY = 30_000
"""Rows of a file whose import takes long enough to be left in the middle."""

Tab = Callable[[], Page]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("importing") / "library"


@pytest.fixture(scope="module")
def app(library: Path) -> Iterator[Server]:
    with running(library) as started:
        yield started


@pytest.fixture
def tab(app: Server, browser: Browser) -> Iterator[Tab]:
    with reading(browser, app.url) as open_one:
        yield open_one


def test_a_good_a_broken_and_a_partly_good_file_and_the_ways_on(tab: Tab, library: Path, tmp_path: Path) -> None:
    good = table(tmp_path / "lab.csv", *LOADS, base=LAB)
    partly = table(tmp_path / "partly.csv", *LOADS[:2], {"concurrency": "many"}, base={**LAB, "source": "partly"})
    broken = tmp_path / "broken.json"
    broken.write_text('{"model": [')
    page = dropped(tab(), good, partly, broken)
    said(page, "2 of 3 files bring 6 points; 1 file cannot be loaded and 1 row is refused. Nothing is loaded yet.")
    said(page, "broken.json ends in the middle of its JSON")
    assert not library.exists()
    page.evaluate("window.opened = 'once'")
    page.get_by_role("button", name="Import 2 files").dblclick()
    said(page, "6 points from 2 files are in the library now; 1 file cannot be loaded and 1 row was refused.")
    expect(page.locator("h1")).to_contain_text("2 rows and files were refused")
    page.get_by_role("link", name="See it on the frontier").click()
    page.wait_for_url("**/pareto?v=2&**source=our-lab**")
    page.wait_for_selector(CHART)
    settled(page)
    assert headline(page).startswith("On DeepSeek-R1 FP8 at 1,024/1,024, H100 SXM goes from ")
    said(page, "4 of 6 points are on the frontier.")
    assert drawn(page) == 6
    page.go_back()
    said(page, "6 points from 2 files are in the library now")
    settled(page)
    page.get_by_role("link", name="Compare with the published").click()
    page.wait_for_url("**/pareto?v=2&**group=source**")
    page.wait_for_selector(CHART)
    settled(page)
    assert View.from_query(page.url.partition("?")[2]).values("source") == ()
    assert drawn(page) > 100
    assert page.evaluate("window.opened") == "once", "Nothing of this needs a reload."
    page.go_back()
    said(page, "6 points from 2 files are in the library now")
    page.reload()
    page.locator("input[type=file]").wait_for(state="attached")
    assert imports(library) == [["lab.csv", "partly.csv"]]


def test_a_file_that_cannot_be_read_is_told_and_nothing_can_be_imported(tab: Tab, tmp_path: Path) -> None:
    broken = tmp_path / "torn.parquet"
    broken.write_bytes(b"PAR1 and no more")
    page = tab()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "PUT" else None)
    dropped(page, broken)
    said(page, "Nothing here can be added: 1 file cannot be loaded.")
    assert begun(sent[0], "2000000000") == 413
    expect(page.get_by_role("button", name="Import")).to_have_count(0)
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_text("Nothing here can be added")).to_have_count(0)


def test_an_import_left_in_the_middle_is_found_again_and_made_once(tab: Tab, library: Path, tmp_path: Path) -> None:
    rows = [{"concurrency": 1 + n % 64, "repeat": n, "output_tokens_per_s": 1.0 + n} for n in range(MANY)]
    long = table(tmp_path / "long.csv", *rows, base={**LAB, "source": "long"})
    page = dropped(tab(), long)
    said(page, f"1 file brings {MANY:,} points")
    page.get_by_role("link", name="Jobs").click()
    page.wait_for_url("**/jobs**")
    settled(page)
    page.go_back()
    said(page, f"1 file brings {MANY:,} points")
    page.get_by_role("button", name="Import 1 file").click()
    page.get_by_text("It goes on if you leave this page").or_(page.get_by_text("in the library now")).first.wait_for()
    page.reload()
    said(page, f"{MANY:,} points from 1 file are in the library now.")
    said(tab_on_data(tab()), f"{MANY:,} points from 1 file are in the library now.")
    assert [files for files in imports(library) if "long.csv" in files] == [["long.csv"]]
    again = dropped(page, long)
    said(again, "Nothing here can be added: 1 file is in the library already.")


@pytest.mark.long
def test_facts_are_asked_once_and_remembered_after_a_restart(
    tab: Tab, browser: Browser, library: Path, tmp_path: Path
) -> None:
    file = table(tmp_path / "open.csv", *LOADS, base={**LAB, "accelerator": None, "source": "open-lab"})
    page = dropped(tab(), file)
    said(page, "open.csv does not say: accelerator.")
    find(page, "Accelerator", "H200 SXM")
    page.get_by_role("spinbutton", name="Price").fill("2.5")
    page.keyboard.press("Enter")
    settled(page)
    page.get_by_role("button", name="Import 1 file").click()
    said(page, "4 points from 1 file are in the library now.")
    (kept,) = entries(library / "facts.jsonl")
    assert kept["facts"] == {"accelerator": "h200-sxm", PRICE: 2.5}
    with running(library) as restarted, reading(browser, restarted.url) as fresh:
        page = dropped(fresh(), file)
        said(page, "Nothing here can be added: 1 file is in the library already.")
        expect(page.get_by_text("does not say")).to_have_count(0)
        page.goto("/pareto?v=1&model=deepseek-r1&source=open-lab&x=tpot_ms_p50&y=output_tokens_per_s")
        page.wait_for_selector(CHART)
        settled(page)
        assert "H200 SXM" in headline(page)


def test_files_that_look_alike_are_told_apart_and_one_fact_is_stated_for_three(
    browser: Browser, tmp_path: Path
) -> None:
    library, files = tmp_path / "library", []
    for concurrency in (1, 4, 16):
        (tmp_path / str(concurrency)).mkdir()
        row = {"concurrency": concurrency, "output_tokens_per_s": 300.0 * concurrency}
        base = {**LAB, "accelerator": None, "source": f"lab-{concurrency}"}
        files.append(table(tmp_path / str(concurrency) / "lab.csv", row, base=base))
    with running(library) as app, reading(browser, app.url) as open_one:
        page = dropped(open_one(), *files)
        said(page, "3 of 3 files bring 3 points.")
        picked(page, "For these files", ("lab.csv (concurrency 4", "lab.csv (concurrency 16"))
        find(page, "Accelerator", "H200 SXM")
        page.get_by_role("button", name="Import 3 files").click()
        said(page, "3 points from 3 files are in the library now.")
        assert accelerators(library) == [(1, None), (4, "h200-sxm"), (16, "h200-sxm")]
        page.goto("/data?search=lab.csv")
        settled(page)
        page.get_by_text("State a fact about several sources").click()
        settled(page)
        picked(page, "Sources", ("Select all",))
        find(page, "Accelerator of all of them", "B200 SXM")
        page.get_by_role("button", name="State it for all of them").click()
        said(page, "Accelerator is stated, in every row of 3 sources.")
        assert accelerators(library) == [(n, "b200-sxm") for n in (1, 4, 16)]
        stated = [entry for entry in entries(library / "audit.jsonl") if entry["what"] == "facts"]
        assert len({entry["source_id"] for entry in stated}) == 3


def picked(page: Page, label: str, values: tuple[str, ...]) -> None:
    """Picks values in the box that takes several."""
    unfold(page, label)
    for value in values:
        page.get_by_role("option", name=value).first.click()
        settled(page)
    page.keyboard.press("Escape")
    settled(page)


def accelerators(library: Path) -> list[tuple[int, str | None]]:
    """The accelerator of each point of the library's own."""
    opened = Library.open(library, shipped=False)
    return opened.fetch("SELECT concurrency, accelerator FROM points ORDER BY concurrency")


def tab_on_data(page: Page) -> Page:
    page.goto("/data")
    return page


def dropped(page: Page, *files: Path) -> Page:
    """The Data page after these files were dropped."""
    if not page.url.endswith("/data"):
        page.goto("/data")
    page.locator("input[type=file]").set_input_files(files)
    return page


def begun(url: str, length: str) -> int:
    """The status of an upload there that states this length and sends nothing yet."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    try:
        connection.putrequest("PUT", parts.path)
        connection.putheader("Content-Length", length)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


def said(page: Page, sentence: str) -> None:
    """Returns once the page says this."""
    page.get_by_text(sentence).first.wait_for()


def drawn(page: Page) -> int:
    """The points of the page's chart."""
    return len(
        {
            id[0] if isinstance(id, list) else id
            for trace in figure(page)[0]
            for id in trace.get("customdata") or ()
            if id
        }
    )


def imports(library: Path) -> list[list[str]]:
    """The files of each import that brought something."""
    return [
        sorted(Path(row["file"]).name for row in entry["imported"])
        for entry in entries(library / "audit.jsonl")
        if entry["what"] == "import" and entry["imported"]
    ]
