"""Scaling, crossover and cost as a reader meets them: by a link, changed, and clicked."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.e2e.browsing import MAIN, back, charted, figure, headline, pick, settled, spot, view_of
from tests.e2e.conftest import Visit
from tests.thorough import some

GEMMA = "/scaling?v=1&model=gemma-4-31b&isl=512&osl=256"
COLUMN_B = (
    "/crossover?v=1"
    f"&a={quote('source=rvllm-tpu-v6e-vs-h100&accelerator=tpu-v6e&variant=JAX, single scan')}"
    f"&b={quote('source=rvllm-tpu-v6e-vs-h100&accelerator=h100-sxm&variant=column B, server defaults')}"
)
A_DAY = "/cost?v=1&source=inferencebench-gemma4-h100&price_book=articles&price_terms=unstated&volume=1e8"
ARTICLES = {
    "scaling": (
        GEMMA,
        ["4.57 times", "21.9 %", "10,080", "1,260 tokens/s per chip against 276"],
        ("A line for each", "Engine", "group", "engine"),
    ),
    "crossover": (COLUMN_B, ["at batch 128, interpolated", "64", "128"], ("Divided by", "Dollars", "per", "dollar")),
    "cost": (
        A_DAY,
        ["59.76 USD a day", "91.9 % used", "1.08 USD per million"],
        ("Cost per million …", "Input and output tokens", "tokens", "blended"),
    ),
}
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


@pytest.mark.parametrize("name", some(ARTICLES, 1))
def test_a_link_shows_the_articles_figures_and_an_option_changes_it(name: str, visit: Visit) -> None:
    address, figures, (label, value, key, chosen) = ARTICLES[name]
    page = charted(visit(), address)
    written = page.evaluate(f"{MAIN}.textContent") + str(figure(page)[0])
    assert [one for one in figures if one not in written] == []
    if name == "scaling":
        # A projected point shows the measured one it is made of.
        page.locator(".js-plotly-plot").scroll_into_view_if_needed()
        page.mouse.click(*page.evaluate(SPOT, "4 x 1,260 = 5,040"))
        for part in ("Projected, not measured", "4 x 1,260 = 5,040 tokens/s", "1 x H100 SXM"):
            expect(page.locator(".st-key-card")).to_contain_text(part)
    before = page.url
    pick(page, label, value)
    assert page.url != before
    assert view_of(page).option(key) == chosen


def test_a_clicked_strip_is_one_step_to_its_pair_and_back(visit: Visit) -> None:
    page = charted(visit(), "/crossover?v=1&model=gemma-4-31b")
    pairs, said, steps = page.url, headline(page), page.evaluate("history.length")
    addresses: list[str] = []
    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    for once in (1, 2):
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
