"""Where things stand at three widths: the chart first, the selectors in sight, nothing sideways, no text on another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.questions import questions
from tests.e2e.browsing import charted, reading, settled
from tests.e2e.test_phone_charts import PAIR
from tests.pages.drawn import NAMES

SCREENS = {1440: 900, 800: 900, 390: 844}
UPPER_PX = 360
"""The upper 40 % of a 900 px screen; the chart begins there."""

NARROW_PX = 410
"""Two lines of selectors, three of headline and two of options end above it on a page 800 px wide."""

FURTHER_PX = {"overview": 520, "crossover-pair": 460}
"""Overview has its three cards above its matrix, a pair the way back to all pairs."""

ON_A_PHONE_PX = 700
BAR_PX = 48
"""The bar with the mark and the menu, which a phone keeps in sight too."""

ROWS = {1440: 1, 800: 2}
ADDRESSES = {
    **{name: "/" if name == "overview" else f"/{name}" for name in questions()},
    "crossover-pair": f"/crossover?{PAIR}",
}

PLACES = """
() => {
  const main = document.querySelector('[data-testid=stMain]')
  const row = [...document.querySelectorAll('[class*=st-key-selectors-] > *')].map(one => one.getBoundingClientRect())
  return {
    chart: document.querySelector('.js-plotly-plot').getBoundingClientRect().top,
    sideways: [document.documentElement, main].map(one => one.scrollWidth - one.clientWidth),
    rows: new Set(row.filter(box => box.width).map(box => Math.round(box.bottom))).size,
    button: document.querySelector('.st-key-selected').offsetHeight > 0,
  }
}
"""
ON_EACH_OTHER = """
() => [...document.querySelectorAll('.js-plotly-plot')].flatMap(chart => {
  // A turned text is where its own box is, turned: two slanted names side by side are not on each other.
  const corners = (line, text) => {
    const box = line.getBBox(), matrix = text.getScreenCTM()
    return [[0, 0], [1, 0], [1, 1], [0, 1]].map(([x, y]) =>
      new DOMPoint(box.x + x * box.width, box.y + y * box.height).matrixTransform(matrix))
  }
  const sides = ([a, b, , d]) => [[b, a], [d, a]].map(([one, other]) => {
    const length = Math.hypot(one.x - other.x, one.y - other.y) || 1
    return [(one.x - other.x) / length, (one.y - other.y) / length]
  })
  const along = (box, [x, y]) => {
    const all = box.map(corner => corner.x * x + corner.y * y)
    return [Math.min(...all), Math.max(...all)]
  }
  const on = (one, other) => [...sides(one), ...sides(other)].every(side => {
    const [a, b] = [along(one, side), along(other, side)]
    return Math.min(a[1], b[1]) - Math.max(a[0], b[0]) > 1
  })
  const texts = [...chart.querySelectorAll('.main-svg text')].map(text => {
    const lines = [...text.querySelectorAll('tspan')].filter(one => !one.children.length && one.textContent.trim())
    const drawn = (lines.length ? lines : [text]).filter(one => one.getBoundingClientRect().width > 1)
    const hidden = getComputedStyle(text).visibility === 'hidden'
    return [text.textContent.trim(), hidden ? [] : drawn.map(one => corners(one, text))]
  }).filter(([said, boxes]) => said && boxes.length)
  return texts.flatMap(([said, boxes], nth) => texts.slice(nth + 1)
    .filter(([, others]) => boxes.some(one => others.some(other => on(one, other))))
    .map(([other]) => `${said} | ${other}`))
})
"""


@pytest.fixture(scope="module")
def tab(server: str, browser: Browser) -> Iterator[Page]:
    with reading(browser, server) as open_one:
        yield open_one()


def shown(page: Page, width: int, address: str) -> dict[str, Any]:
    page.set_viewport_size({"width": width, "height": SCREENS[width]})
    charted(page, address)
    return page.evaluate(PLACES)


@pytest.mark.parametrize("width", SCREENS)
@pytest.mark.parametrize("name", ADDRESSES)
def test_the_chart_comes_first_below_the_selectors_and_its_labels_are_apart(
    name: str, width: int, tab: Page
) -> None:
    found = shown(tab, width, ADDRESSES[name])
    if width == 1440:
        assert found["chart"] <= UPPER_PX
    if width == 800:
        assert found["chart"] <= FURTHER_PX.get(name, NARROW_PX)
    if width == 390:
        assert found["chart"] < ON_A_PHONE_PX
        assert found["button"]
        assert found["rows"] == 0
    else:
        assert not found["button"]
        assert found["rows"] == ROWS[width]
    assert max(found["sideways"]) <= 0
    assert tab.evaluate(ON_EACH_OTHER) == []


@pytest.mark.parametrize("width", SCREENS)
@pytest.mark.parametrize("name", sorted({*NAMES} - {*questions()}))
def test_no_other_page_scrolls_sideways_either(name: str, width: int, tab: Page) -> None:
    tab.set_viewport_size({"width": width, "height": SCREENS[width]})
    tab.goto(f"/{name}")
    tab.locator("h1").first.wait_for()
    settled(tab)
    for part in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert tab.evaluate(f"{part}.scrollWidth - {part}.clientWidth") <= 0


@pytest.mark.parametrize("width", SCREENS)
def test_the_selectors_stay_in_sight_as_the_page_scrolls(width: int, tab: Page) -> None:
    shown(tab, width, "/pareto")
    tab.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 600)")
    tab.wait_for_timeout(100)
    box = tab.locator(".st-key-selecting").bounding_box()
    assert box["y"] == pytest.approx(BAR_PX if width == 390 else 0, abs=1)
    selector = ".st-key-selected button" if width == 390 else ".st-key-selector-model input"
    assert tab.locator(selector).evaluate(
        "part => { const box = part.getBoundingClientRect();"
        " return part.contains(document.elementFromPoint(box.left + 20, box.top + box.height / 2)) }"
    )


def test_every_model_offered_says_how_many_points_it_gives_without_a_further_touch(tab: Page) -> None:
    tab.set_viewport_size({"width": 1440, "height": 900})
    charted(tab, "/pareto?accelerator=h200-sxm")
    tab.get_by_role("combobox", name="Model", exact=True).click()
    offered = tab.get_by_role("option")
    expect(offered.first).to_be_visible()
    expect(offered.filter(has_not_text="(")).to_have_count(0, timeout=60_000)
    assert offered.count() > 5
    tab.keyboard.press("Escape")
