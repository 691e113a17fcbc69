"""What a reader sees and does: clicks, files, dark, narrow, by keyboard, on paper."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench.chart import DARK, LIGHT
from bench.library import Library
from tests.e2e.browsing import charted, figure, headline, settled, spot
from tests.thorough import some

Visit = Callable[[], Page]

CUT = """
() => [...document.querySelectorAll('.st-key-options input')]
  .filter(input => input.scrollWidth > input.clientWidth + 1).map(input => input.value || input.ariaLabel)
"""
ROWS = """
() => {
  const row = document.querySelector('.st-key-options'), ends = {}
  for (const box of [...row.children].map(one => one.getBoundingClientRect()))
    ends[Math.round(box.bottom)] = Math.max(ends[Math.round(box.bottom)] ?? 0, box.right)
  return [row.getBoundingClientRect().right, Object.values(ends)]
}
"""
READ = """
() => Math.min(...[...document.querySelectorAll('.st-key-options input')]
  .filter(input => input.scrollWidth > input.clientWidth + 1).map(input => input.clientWidth), 999)
"""
A_WORD_PX = 48
"""So much of a name that is cut is read at least, about eight letters."""

PAPER = "document.querySelector('.js-plotly-plot')?.layout.paper_bgcolor"


def address(name: str) -> str:
    return "/" if name == "overview" else f"/{name}"


def test_a_cell_of_the_heatmap_shows_the_points_behind_it(visit: Visit) -> None:
    page = charted(visit(), "/heatmap")
    assert (
        page.get_by_label("Open a cell").get_attribute("placeholder")
        == "Click a cell for the points behind it, or pick one here"
    )
    page.mouse.click(*spot(page, "cell", 2))
    page.locator(".st-key-behind [data-testid=stDataFrame]").wait_for()
    settled(page)
    expect(page.locator(".st-key-behind")).to_contain_text("behind this cell")


def test_an_empty_cell_offers_to_measure_it(visit: Visit) -> None:
    page = charted(visit(), "/heatmap?v=1&model=deepseek-r1&accelerator=b200&x=concurrency&y=osl")
    places = page.evaluate("[...document.querySelector('.js-plotly-plot').data.at(-1).hovertext]")
    gap = next(place for place, said in enumerate(places) if "Click to measure it" in said)
    page.mouse.click(*spot(page, "cell", gap))
    page.locator(".st-key-behind").wait_for()
    settled(page)
    page.locator(".st-key-behind").get_by_text("Measure this").click()
    page.wait_for_url("**/launch?*")
    page.get_by_text("Pick an endpoint").first.wait_for()
    expect(page.get_by_label("OSL", exact=True)).not_to_have_value("")
    expect(page.get_by_label("Concurrency", exact=True).first).not_to_have_value("")
    expect(page.get_by_role("button", name="Start the sweep")).to_have_count(0)


def test_a_point_of_the_frontier_shows_its_deployment_and_passport(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    page.mouse.click(*spot(page, "line", 2))
    expect(page.locator(".st-key-card")).to_contain_text("DeepSeek-R1")
    expect(page.locator(".st-key-card")).to_contain_text("How the source's figures became these metrics")


def test_the_rows_are_saved_as_csv(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert waiting.value.suggested_filename == "kneepoint-pareto.csv"
    rows = list(csv.DictReader(Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()))
    drawn = {point[0] for trace in figure(page)[0] for point in trace.get("customdata", ())}
    assert {row["point_id"] for row in rows} == drawn


def test_what_is_selected_is_taken_along_in_a_bundle(visit: Visit, tmp_path: Path) -> None:
    page = charted(visit(), "/pareto")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Bundle for another Kneepoint").click()
    assert waiting.value.suggested_filename == "kneepoint-pareto-bundle.zip"
    waiting.value.save_as(tmp_path / "bundle.zip")
    other = Library.open(tmp_path / "library", shipped=False)
    assert not other.add([tmp_path / "bundle.zip"]).refused
    drawn = {point[0] for trace in figure(page)[0] for point in trace.get("customdata", ())}
    held = {point for (point,) in other.fetch("SELECT point_id FROM points")}
    assert drawn
    assert drawn <= held


def test_a_chart_is_named_by_its_headline(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    label = page.locator("[data-testid=stPlotlyChart]").first.evaluate(
        "chart => (chart.closest('[aria-label]') ?? chart.querySelector('[aria-label]')).getAttribute('aria-label')"
    )
    assert label == headline(page)


def test_page_and_chart_follow_the_readers_colour_scheme(visit: Visit) -> None:
    page = visit()
    page.emulate_media(color_scheme="dark")
    charted(page, "/pareto")
    assert grounds(page) == (DARK.background, DARK.background)
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"() => ({PAPER}) === '{LIGHT.background}'")
    settled(page)
    assert grounds(page) == (LIGHT.background, LIGHT.background)


def grounds(page: Page) -> tuple[str, str]:
    """The background of the chart and of the page."""
    ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    red, green, blue = (int(part) for part in re.findall(r"\d+", ground)[:3])
    return page.evaluate(PAPER), f"#{red:02x}{green:02x}{blue:02x}"


@pytest.mark.parametrize("name", some(["crossover", "pareto", "scaling", "heatmap", "cost"], 2))
def test_every_option_is_read_whole_and_on_a_narrow_page_its_beginning_in_one_line(name: str, visit: Visit) -> None:
    page = visit()
    page.set_viewport_size({"width": 1280, "height": 1000})
    charted(page, address(name))
    assert page.evaluate(CUT) == []
    page.set_viewport_size({"width": 800, "height": 1000})
    settled(page)
    edge, rows = page.evaluate(ROWS)
    assert rows == pytest.approx([edge], abs=2)
    assert page.evaluate(READ) >= A_WORD_PX


def test_the_filters_open_by_keyboard(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    page.get_by_role("button", name="More filters").focus()
    page.keyboard.press("Enter")
    page.locator(".st-key-filters").wait_for()
    settled(page)
    expect(page.get_by_role("combobox", name="Engine", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 844})
    model = page.get_by_role("combobox", name="Model", exact=True)
    expect(model).to_be_hidden()
    settled(page)
    page.locator(".st-key-selected button").focus()
    page.keyboard.press("Enter")
    expect(model).to_be_visible()


def test_on_paper_there_is_the_answer_and_no_control(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    page.emulate_media(media="print")
    for control in ("[data-testid=stSidebar]", ".st-key-options", ".st-key-actions", ".st-key-link", ".st-key-reset"):
        expect(page.locator(control).first).to_be_hidden()
    for part in ("h1", ".js-plotly-plot", "[data-testid=stDataFrame]"):
        expect(page.locator(part).first).to_be_visible()


def test_a_source_is_picked_for_its_licence_and_its_file(visit: Visit) -> None:
    page = visit()
    page.goto("/data")
    table = page.locator("[data-testid=stDataFrame]").first
    table.wait_for()
    settled(page)
    box = table.bounding_box()
    page.mouse.click(box["x"] + 16, box["y"] + 52)
    page.locator(".st-key-behind").wait_for()
    settled(page)
    told = page.locator(".st-key-behind")
    expect(told).to_contain_text("Licence:")
    with page.expect_download() as waiting:
        told.get_by_role("button", name="Original file").click()
    assert Path(waiting.value.path()).stat().st_size > 0


def test_the_data_page_shows_each_table(visit: Visit) -> None:
    page = visit()
    page.goto("/data")
    for tab in ("Points", "Passports", "Scores", "Prices", "Refusals"):
        page.get_by_role("tab", name=tab).click()
        settled(page)
        panel = page.get_by_role("tabpanel").filter(visible=True)
        expect(panel.locator("[data-testid=stDataFrame], [data-testid=stMarkdown]").first).to_be_visible()
