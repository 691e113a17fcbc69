"""Scaling and crossover as a reader meets them: by a link, changed, and clicked."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.browsing import MAIN, back, charted, figure, headline, pick, settled, spot, view_of
from tests.e2e.conftest import Visit
from tests.thorough import times

GEMMA = "/scaling?v=1&model=gemma-4-31b&isl=512&osl=256"
SPOT = """
(told) => {
  const chart = document.querySelector('.js-plotly-plot'), box = chart.getBoundingClientRect()
  for (const [number, trace] of chart._fullData.entries()) {
    const at = (trace.customdata ?? []).findIndex(own => String(own[1]).includes(told))
    if (at < 0) continue
    const point = chart.calcdata[number][at], {xaxis, yaxis} = chart._fullLayout
    return [box.left + xaxis._offset + xaxis.c2p(point.x), box.top + yaxis._offset + yaxis.c2p(point.y)]
  }
}
"""


def test_a_link_shows_the_articles_figures_and_what_a_projection_is_made_of_and_an_option_changes_it(tab: Page) -> None:
    page = charted(tab, GEMMA)
    written = page.evaluate(f"{MAIN}.textContent") + str(figure(page)[0])
    figures = ("4.57 times", "22 %", "10,080")
    assert [one for one in figures if one not in written] == []
    page.locator(".js-plotly-plot").scroll_into_view_if_needed()
    page.mouse.click(*page.evaluate(SPOT, "4 x 1,260 = 5,040"))
    for part in ("Projected, not measured", "4 x 1,260 = 5,040 tokens/s", "1 x H100 SXM"):
        expect(page.locator(".st-key-card")).to_contain_text(part)
    before = page.url
    pick(page, "A line for each", "Engine")
    assert page.url != before
    assert view_of(page).option("group") == "engine"


def test_a_clicked_strip_is_one_step_to_its_pair_and_back(visit: Visit) -> None:
    page = charted(visit(), "/crossover?v=1&model=gemma-4-31b")
    pairs, said, steps = page.url, headline(page), page.evaluate("history.length")
    addresses: list[str] = []
    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    for once in range(1, times(2, 1) + 1):
        page.mouse.click(*spot(page, "cell", 2))
        page.locator(".st-key-verdicts").wait_for()
        settled(page)
        view = view_of(page)
        assert view.option("a")
        assert view.option("b")
        assert page.evaluate("history.length") == steps + 1
        assert len(addresses) == 2 * once - 1
        back(page, pairs)
        assert headline(page) == said
    expect(page.locator(".st-key-card")).to_have_count(0)
