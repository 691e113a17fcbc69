"""From the first page to any other: by a cell of the matrix, by keyboard alone, on a phone."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.browsing import CHART, back, charted, choose, headline, settled, spot, view_of
from tests.thorough import some

SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
CELL_PX = """
() => {
  const chart = document.querySelector('.js-plotly-plot')._fullLayout, axis = chart.xaxis
  return axis._length / (axis.range[1] - axis.range[0])
}
"""


def where(page: Page) -> dict[str, tuple[str, ...]]:
    """The filters in the page's address that its reader chose."""
    view = view_of(page)
    filled = view.option("filled").split()
    return {key: values for key, values in view.where if key not in filled}


def arrived(page: Page, name: str) -> None:
    """Returns once this page is drawn and its address written out."""
    page.wait_for_url(f"**/{name}?*v=2*")
    settled(page)


def test_a_cell_of_the_matrix_and_each_card_open_their_page_and_back_leads_to_the_whole(tab: Page) -> None:
    page = charted(tab, "/")
    whole, address = headline(page), page.url
    # By a click.
    for cell, accelerator in some(list(enumerate(("b200-sxm", "mi355x"))), 1):
        page.mouse.click(*spot(page, "cell", cell))
        arrived(page, "pareto")
        assert where(page) == {"model": ("deepseek-r1",), "accelerator": (accelerator,)}
        back(page, address)
        assert headline(page) == whole
    # By keyboard.
    page.get_by_role("combobox", name="A cell of the matrix").focus()
    choose(page, "Llama 3.3 70B on H200", downs=0)
    way = page.locator(".st-key-cell a")
    way.wait_for()
    way.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/*model=llama-3.3-70b*")
    settled(page)
    assert where(page) == {"model": ("llama-3.3-70b",), "accelerator": ("h200-sxm",)}
    back(page, address)
    # What stands out is the headline of the page it leads to, and a sentence leads to what it is about.
    stands_out = page.locator(".st-key-card-stands_out")
    said = stands_out.locator("p").last.inner_text()
    stands_out.get_by_role("link", name="Open Pareto").click()
    arrived(page, "pareto")
    assert said.endswith(headline(page))
    back(page, address)
    page.locator(".st-key-sentences").get_by_role("link", name="Open Heatmap").first.click()
    page.wait_for_url("**?v=2&**model=**")
    expect(page.locator(CHART).first).to_be_visible()
    settled(page)
    back(page, address)
    # On a phone the matrix scrolls in its own box, and its cells have room for their numbers.
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    assert not page.evaluate(SIDEWAYS)
    assert page.evaluate(CELL_PX) >= 36
