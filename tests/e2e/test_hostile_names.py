"""Names from files are letters on the screen, whatever they look like."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from bench.names import model_slug
from bench.plain_text import visible
from bench.view import View
from tests.e2e.browsing import open_filters, settled
from tests.pages import hostile
from tests.pages.drawn import NAMES
from tests.thorough import some

Visit = Callable[[], Page]

QUERY = View.of({"model": [model_slug(hostile.MODEL)]}, whole=True).query()
ACTING = "[data-testid=stMain] :is(img[src=x], script, a[href^=javascript], b)"


@pytest.mark.parametrize("name", some(NAMES, 2, 8))
def test_a_page_shows_hostile_names_as_text(name: str, visit: Visit) -> None:
    """What every page sends is looked at without a browser in tests/pages/test_pages.py."""
    page = visit()
    page.goto(f"/{'' if name == 'overview' else name}?{QUERY}")
    page.locator("h1").first.wait_for()
    settled(page)
    expect(page.locator(ACTING)).to_have_count(0)
    expect(page.get_by_text("could not be drawn")).to_have_count(0)


def test_the_filters_offer_hostile_names_letter_for_letter(visit: Visit) -> None:
    page = visit()
    page.goto(f"/pareto?{QUERY}")
    page.locator("h1").first.wait_for()
    open_filters(page)
    page.get_by_role("combobox", name="Variant", exact=True).click()
    offered = page.get_by_role("option").all_inner_texts()
    assert [f"{visible(name)} (2)" for name in (hostile.FORMULA, hostile.LINK)] == [text for text in offered if text]


def test_hover_and_selected_line_show_them_too(visit: Visit) -> None:
    page = visit()
    page.goto(f"/pareto?{QUERY}")
    page.wait_for_selector(".js-plotly-plot .main-svg")
    texts = page.evaluate(
        "document.querySelector('.js-plotly-plot').data"
        ".flatMap(trace => [trace.hovertemplate ?? '', ...(trace.customdata ?? []).flat()])"
    )
    assert any("&lt;img" in text for text in texts)
    assert not any("<img" in text for text in texts)
