"""What a reader sees and does: clicks in a heatmap, dark, narrow, by keyboard, on paper."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from bench.chart import DARK, LIGHT
from tests.e2e.browsing import MAIN, charted, settled, spot
from tests.thorough import some

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
PLACES = "[...document.querySelector('.js-plotly-plot').data.at(-1).hovertext]"


def test_a_cell_of_the_heatmap_shows_the_points_behind_it_and_an_empty_one_offers_to_measure_it(tab: Page) -> None:
    page = charted(tab, "/heatmap?v=1&model=deepseek-r1&accelerator=b200&x=concurrency&y=osl")
    hint = page.get_by_label("Open a cell").get_attribute("placeholder")
    assert hint == "Click a cell for the points behind it, or pick one here"
    places = page.evaluate(PLACES)
    is_gap = ["Click to measure it" in said for said in places]
    behind = page.locator(".st-key-behind")
    page.mouse.click(*spot(page, "cell", is_gap.index(False)))
    behind.locator("[data-testid=stDataFrame]").wait_for()
    settled(page)
    expect(behind).to_contain_text("behind this cell")
    page.evaluate(f"{MAIN}.scrollTo(0, 0)")
    settled(page)
    page.mouse.click(*spot(page, "cell", is_gap.index(True)))
    measure = behind.get_by_text("Measure this")
    measure.wait_for()
    settled(page)
    measure.click()
    page.wait_for_url("**/launch?*")
    page.get_by_text("Pick an endpoint").first.wait_for()
    expect(page.get_by_label("OSL", exact=True)).not_to_have_value("")
    expect(page.get_by_label("Concurrency", exact=True).first).not_to_have_value("")
    expect(page.get_by_role("button", name="Start the sweep")).to_have_count(0)


def grounds(page: Page) -> tuple[str, str]:
    """The background of the chart and of the page."""
    ground = page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
    red, green, blue = (int(part) for part in re.findall(r"\d+", ground)[:3])
    return page.evaluate(PAPER), f"#{red:02x}{green:02x}{blue:02x}"


def test_a_page_is_read_in_the_dark_on_paper_and_its_filters_by_keyboard(tab: Page) -> None:
    page = tab
    page.emulate_media(color_scheme="dark")
    charted(page, "/pareto")
    assert grounds(page) == (DARK.background, DARK.background)
    page.emulate_media(color_scheme="light")
    page.wait_for_function(f"() => ({PAPER}) === '{LIGHT.background}'")
    settled(page)
    assert grounds(page) == (LIGHT.background, LIGHT.background)
    # On paper there is the answer and no control.
    page.emulate_media(media="print")
    for control in ("[data-testid=stSidebar]", ".st-key-options", ".st-key-actions", ".st-key-link", ".st-key-reset"):
        expect(page.locator(control).first).to_be_hidden()
    for part in ("h1", ".js-plotly-plot", "[data-testid=stDataFrame]"):
        expect(page.locator(part).first).to_be_visible()
    page.emulate_media(media="screen")
    settled(page)
    # The filters open by keyboard, on a phone too.
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


@pytest.mark.parametrize("name", some(["crossover", "pareto", "scaling", "heatmap", "cost"], 1))
def test_every_option_is_read_whole_and_on_a_narrow_page_its_beginning_in_one_line(name: str, tab: Page) -> None:
    page = charted(tab, f"/{name}")
    assert page.evaluate(CUT) == []
    page.set_viewport_size({"width": 800, "height": 1000})
    settled(page)
    edge, rows = page.evaluate(ROWS)
    assert rows == pytest.approx([edge], abs=2)
    assert page.evaluate(READ) >= A_WORD_PX
