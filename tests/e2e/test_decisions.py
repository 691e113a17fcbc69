"""Scaling, crossover and cost as a reader meets them: cold, by a link, changed, clicked, narrow and dark."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from bench.chart import DARK
from bench.view import View
from tests.e2e.browsing import charted, figure, headline, pick, settled, spot
from tests.thorough import some

Visit = Callable[[], Page]

PAGES = ("scaling", "crossover", "cost")
GEMMA = "/scaling?v=1&model=gemma-4-31b&isl=512&osl=256"
COLUMN_B = (
    "/crossover?v=1"
    f"&a={quote('source=rvllm-tpu-v6e-vs-h100&accelerator=tpu-v6e&variant=JAX, single scan')}"
    f"&b={quote('source=rvllm-tpu-v6e-vs-h100&accelerator=h100-sxm&variant=column B, server defaults')}"
)
A_DAY = "/cost?v=1&source=inferencebench-gemma4-h100&price_book=articles&price_terms=unstated&volume=1e8"
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


@pytest.mark.parametrize("name", some(PAGES, 1))
def test_a_cold_page_tells_its_verdict_draws_and_lists_it(name: str, visit: Visit) -> None:
    page = visit()
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 800, "height": 900})
    charted(page, f"/{name}")
    said = headline(page)
    assert said.endswith(".")
    assert any(character.isdigit() for character in said)
    data, _ = figure(page)
    assert sum(len(trace.get("x") or ()) for trace in data) > 4
    expect(page.locator("[data-testid=stDataFrame]").first).to_be_visible()
    expect(page.get_by_text("Why? Formulas, inputs and sources")).to_be_visible()
    assert page.evaluate("document.querySelector('.js-plotly-plot').layout.paper_bgcolor") == DARK.background
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth - {main}.clientWidth") <= 0


@pytest.mark.parametrize(
    ("address", "figures"),
    [
        (GEMMA, ["4.57 times", "21.9 %", "10,080", "1,260 tokens/s per chip against 276"]),
        (COLUMN_B, ["at batch 128, interpolated", "64", "128"]),
        (A_DAY, ["59.76 USD a day", "91.9 % used", "1.08 USD per million"]),
    ],
    ids=PAGES,
)
def test_a_link_shows_the_articles_figures(address: str, figures: list[str], visit: Visit) -> None:
    page = charted(visit(), address)
    written = page.locator("[data-testid=stMain]").text_content() + str(figure(page)[0])
    assert [one for one in figures if one not in written] == []


@pytest.mark.parametrize(
    ("address", "label", "value", "option"),
    [
        (GEMMA, "A line for each", "Engine", ("group", "engine")),
        (COLUMN_B, "Divided by", "Dollars", ("per", "dollar")),
        (A_DAY, "Cost per million …", "Input and output tokens", ("tokens", "blended")),
    ],
    ids=PAGES,
)
def test_an_option_changes_the_link(
    address: str, label: str, value: str, option: tuple[str, str], visit: Visit
) -> None:
    page = charted(visit(), address)
    before = page.url
    pick(page, label, value)
    assert page.url != before
    assert View.from_query(page.url.partition("?")[2]).option(option[0]) == option[1]


def test_a_clicked_strip_is_one_step_to_its_pair_and_back(visit: Visit) -> None:
    page = charted(visit(), "/crossover?v=1&model=gemma-4-31b")
    pairs, said, steps = page.url, headline(page), page.evaluate("history.length")
    addresses: list[str] = []
    page.on("framenavigated", lambda frame: addresses.append(frame.url))
    for once in (1, 2):
        page.mouse.click(*spot(page, "cell", 2))
        page.locator(".st-key-verdicts").wait_for()
        settled(page)
        view = View.from_query(page.url.partition("?")[2])
        assert view.option("a")
        assert view.option("b")
        assert page.evaluate("history.length") == steps + 1
        assert len(addresses) == 2 * once - 1
        page.go_back()
        page.wait_for_url(pairs)
        settled(page)
        assert headline(page) == said
    expect(page.locator(".st-key-card")).to_have_count(0)


def test_a_projected_point_shows_the_measured_one_it_is_made_of(visit: Visit) -> None:
    page = charted(visit(), GEMMA)
    page.locator(".js-plotly-plot").scroll_into_view_if_needed()
    page.mouse.click(*page.evaluate(SPOT, "4 x 1,260 = 5,040"))
    for part in ("Projected, not measured", "4 x 1,260 = 5,040 tokens/s", "1 x H100 SXM"):
        expect(page.locator(".st-key-card")).to_contain_text(part)
