"""Names from files are letters on the screen and in pictures, whatever they look like."""

from __future__ import annotations

from xml.etree import ElementTree

from playwright.sync_api import Page, expect

from bench.names import model_slug
from bench.plain_text import visible
from bench.view import View
from tests.e2e.browsing import charted, follow, open_filters, saved, settled, whole_headline
from tests.e2e.test_pictures import SVG, plain, words
from tests.pages import hostile

QUERY = View.of({"model": [model_slug(hostile.MODEL)]}, whole=True).query()
ACTING = "[data-testid=stMain] :is(img[src=x], script, a[href^=javascript], b)"
HOVER = """
document.querySelector('.js-plotly-plot').data
  .flatMap(trace => [trace.hovertemplate ?? '', ...(trace.customdata ?? []).flat()])
"""
HARMLESS = set(
    "svg g path rect text tspan defs clipPath a circle image mask line linearGradient stop pattern filter style".split()
)


def assert_harmless(page: Page) -> None:
    """Nothing on the page acts, and no part of it gave up."""
    expect(page.locator(ACTING)).to_have_count(0)
    expect(page.get_by_text("could not be drawn")).to_have_count(0)


def test_hostile_names_are_text_on_charts_in_filters_in_pictures_and_on_the_pages_that_follow(tab: Page) -> None:
    """What every page sends is looked at without a browser in tests/pages/test_pages.py."""
    page = charted(tab, f"/pareto?{QUERY}")
    assert_harmless(page)
    # In hover boxes.
    texts = page.evaluate(HOVER)
    assert any("&lt;img" in text for text in texts)
    assert not any("<img" in text for text in texts)
    # In a picture.
    drawing = ElementTree.fromstring(saved(page, "SVG")[1])
    assert {element.tag.removeprefix(SVG) for element in drawing.iter()} <= HARMLESS
    assert not [key for element in drawing.iter() for key in element.attrib if key.startswith("on")]
    links = [one.get("href") for one in drawing.iter(f"{SVG}a") if one.get("href")]
    assert [link for link in links if link and not link.startswith("http://127.0.0.1")] == []
    assert plain(words(drawing)[0]) == plain(whole_headline(page))
    # In a filter, letter for letter.
    open_filters(page)
    page.get_by_role("combobox", name="Variant", exact=True).click()
    offered = page.get_by_role("option").all_inner_texts()
    assert [f"{visible(name)} (2)" for name in (hostile.FORMULA, hostile.LINK)] == [text for text in offered if text]
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    settled(page)
    # On the pages where the same is selected next.
    for title in ("Heatmap", "Data"):
        follow(page, title, title.lower())
        assert_harmless(page)
