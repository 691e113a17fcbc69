"""From the first page to any other: by a few typed words, by a cell of the matrix, by keyboard alone, on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bench.view import View
from tests.e2e.browsing import charted, choose, headline, settled, spot
from tests.thorough import some

Visit = Callable[[], Page]

SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
WIDEST = """
() => {
  const chart = document.querySelector('.js-plotly-plot')._fullLayout, axis = chart.xaxis
  return axis._length / (axis.range[1] - axis.range[0])
}
"""


def where(page: Page) -> dict[str, tuple[str, ...]]:
    """The filters in the page's address that its reader chose."""
    view = View.from_query(page.url.partition("?")[2])
    filled = view.option("filled").split()
    return {key: values for key, values in view.where if key not in filled}


def arrived(page: Page, name: str) -> None:
    """Returns once this page is drawn and its address written out."""
    page.wait_for_url(f"**/{name}?*v=2*")
    settled(page)


def test_the_example_leads_to_pareto_with_exactly_these_filters(visit: Visit) -> None:
    page = charted(visit(), "/")
    page.get_by_role("textbox", name="Go to").click()
    page.keyboard.type("h200 mi355x deepseek fp8")
    page.keyboard.press("Enter")
    page.locator(".st-key-offers a").first.wait_for()
    settled(page)
    expect(page.locator(".st-key-offers a")).to_have_count(5)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    arrived(page, "pareto")
    wanted = {"model": ("deepseek-r1",), "precision": ("fp8",), "accelerator": ("h200-sxm", "mi355x")}
    assert where(page) == wanted


def test_a_cell_of_the_matrix_opens_its_page_and_back_leads_to_the_whole(visit: Visit) -> None:
    page = charted(visit(), "/")
    whole, address = headline(page), page.url
    page.mouse.click(*spot(page, "cell", 0))
    arrived(page, "pareto")
    assert where(page) == {"model": ("deepseek-r1",), "accelerator": ("b200-sxm",)}
    page.go_back()
    page.wait_for_url(address)
    settled(page)
    assert headline(page) == whole
    page.mouse.click(*spot(page, "cell", 1))
    arrived(page, "pareto")
    assert where(page) == {"model": ("deepseek-r1",), "accelerator": ("mi355x",)}


def test_a_cell_is_reached_by_keyboard(visit: Visit) -> None:
    page = charted(visit(), "/")
    page.get_by_role("combobox", name="A cell of the matrix").focus()
    choose(page, "Llama 3.3 70B on H200", downs=0)
    way = page.locator(".st-key-cell a")
    way.wait_for()
    way.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/*model=llama-3.3-70b*")
    settled(page)
    assert where(page) == {"model": ("llama-3.3-70b",), "accelerator": ("h200-sxm",)}


def test_what_stands_out_is_the_headline_of_the_page_it_leads_to(visit: Visit) -> None:
    page = charted(visit(), "/")
    card = page.locator(".st-key-card-stands_out")
    said = card.locator("p").last.inner_text()
    card.get_by_role("link", name="Open Pareto").click()
    arrived(page, "pareto")
    expect(page.locator("h1").first).to_have_text(said)


def test_hostile_words_are_only_words(visit: Visit) -> None:
    page = charted(visit(), "/")
    page.get_by_role("textbox", name="Go to").fill("<img src=x onerror=alert(1)> [a](javascript:alert(1)) wibble")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-offers")).to_contain_text("Not understood: <img")
    expect(page.locator(".st-key-offers img")).to_have_count(0)


@pytest.mark.parametrize("width", some([390, 800, 1440], 1))
def test_the_matrix_scrolls_in_its_own_box_and_its_cells_have_room_for_their_numbers(visit: Visit, width: int) -> None:
    page = visit()
    page.set_viewport_size({"width": width, "height": 900})
    charted(page, "/")
    assert not page.evaluate(SIDEWAYS)
    assert page.evaluate(WIDEST) >= 36
