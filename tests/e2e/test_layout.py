"""Where things stand at three widths: the chart first, the selectors in sight, nothing sideways, no text on another."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from bench.questions import questions
from bench.sweep.folder import Folder
from tests.e2e.browsing import MAIN, PAIR, charted, settled, unfold
from tests.e2e.conftest import Visit
from tests.thorough import EVERY, some

SCREENS = {1440: 900, 800: 900, 390: 844}
UPPER_PX = 360
"""The upper 40 % of a 900 px screen; the chart begins there."""

FURTHER_PX = {("overview", 800): 520, ("overview-compared", 800): 520}
"""Overview has its three cards above its matrix, which take two lines there."""

ON_A_PHONE_PX = 700
BAR_PX = 48
"""The bar with the mark and the menu, which a phone keeps in sight too."""

ROWS = {1440: 1, 800: 2}
THREE = "model=deepseek-r1&model=qwen3.5-397b-a17b&model=llama-3.3-70b"
CHOSEN = "model=deepseek-r1&precision=fp8&precision=fp4&accelerator=h200-sxm&accelerator=mi355x&accelerator=b300-sxm"
ADDRESSES = {
    **{name: "/" if name == "overview" else f"/{name}" for name in questions()},
    "crossover-pair": f"/crossover?{PAIR}",
    "crossover-dollar": f"/crossover?{PAIR}&per=dollar&price_a=4",
    "cost-bars": "/cost?model=deepseek-r1&group=deployment&bars=all&api_price_output=5",
    "cost-every": "/cost?model=gemma-4-31b&accelerator=tpu-v6e&precision=int8&price_terms=every",
    "overview-compared": f"/?{THREE}",
    "heatmap-compared": "/heatmap?model=llama-3.3-70b&model=llama-3.1-70b",
    "memory-compared": "/memory?model=llama-3.3-70b&model=deepseek-r1",
    "compare-model": "/compare?model=llama-3.1-70b",
    "compare-frontiers": "/compare?show=frontiers",
    "roofline-batches": "/roofline?axis=batch&project=mi350x",
    "roofline-compared": "/roofline?model=deepseek-r1&model=llama-3.1-70b",
    "capacity-users": "/capacity?users=2000&use=traffic",
    "capacity-compared": "/capacity?model=deepseek-r1&model=llama-3.1-70b",
    "history-frontier": "/history?show=frontier",
    "history-method": "/history?model=gemma-4-31b&engine=rvllm&accelerator=h100-sxm",
    "pareto-compared": f"/pareto?{THREE}",
    "scaling-compared": "/scaling?model=flan-t5-xl&model=flan-ul2",
    "crossover-compared": "/crossover?model=deepseek-r1&model=qwen3.5-397b-a17b",
    "cost-compared": "/cost?model=deepseek-r1&model=llama-3.3-70b",
    "pareto-chosen": f"/pareto?{CHOSEN}&slo=itl_ms_p99<=100&price_terms=spot",
    "pareto-limited": "/pareto?slo=ttft_ms_p50<=2000&slo=tpot_ms_p50<=50",
    "heatmap-limited": "/heatmap?model=deepseek-r1&slo=ttft_ms_p50<=2000",
}
"""Each question as it opens, with models side by side, with several values in a box, within limits."""

A_FEW = ("overview", "cost", "crossover-pair", "pareto-chosen")
"""A matrix, dots, curves with their labels, and a frontier below all that makes a page long."""

FIRST = {name: list(SCREENS)[turn % len(SCREENS)] for turn, name in enumerate(ADDRESSES)}
"""The width at which each of them is opened; the window is then made as wide as the other two."""

BEYOND = """
[...document.querySelectorAll('.js-plotly-plot, h1, [data-testid=stDataFrame], [class*=st-key-matrix]')]
  .filter(part => !part.parentElement.closest('[class*=st-key-matrix]'))
  .filter(part => part.getBoundingClientRect().right > innerWidth + 1).length
"""
"""How many parts of a page reach beyond its right edge."""

PLACES = """
() => {
  const main = document.querySelector('[data-testid=stMain]')
  const row = [...document.querySelectorAll('[class*=st-key-selectors-] > *')].map(one => one.getBoundingClientRect())
  return {
    chart: document.querySelector('.js-plotly-plot').getBoundingClientRect().top,
    sideways: [document.documentElement, main].map(one => one.scrollWidth - one.clientWidth),
    rows: new Set(row.filter(box => box.width).map(box => Math.round(box.bottom))).size,
    options: new Set([...document.querySelectorAll('.st-key-options > *')].map(one => one.getBoundingClientRect())
      .filter(box => box.width).map(box => Math.round(box.bottom))).size,
    button: document.querySelector('.st-key-selected').offsetHeight > 0,
  }
}
"""
ON_EACH_OTHER = """
() => [...document.querySelectorAll('.js-plotly-plot')].flatMap(chart => {
  // A turned text is where its own box is, turned: two slanted names side by side are not on each other.
  // The space that keeps a name off its line covers nothing.
  const gap = ({textContent: said}) => [said.startsWith('\u2003') ? 1 : 0, said.endsWith('\u2003') ? 1 : 0]
  const corners = (line, text) => {
    const box = line.getBBox(), matrix = text.getScreenCTM(), em = parseFloat(getComputedStyle(line).fontSize)
    const [before, after] = gap(line)
    box.x += before * em
    box.width -= (before + after) * em
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

ON_TOP = """
part => {
  const box = part.getBoundingClientRect()
  return part.contains(document.elementFromPoint(box.left + 20, box.top + box.height / 2))
}
"""
CUT = """
() => [...document.querySelectorAll('.js-plotly-plot')].flatMap(chart => {
  const {left, right} = chart.getBoundingClientRect()
  return [...chart.querySelectorAll('.main-svg text')].flatMap(text => {
    const lines = [...text.querySelectorAll('tspan')].filter(one => !one.children.length && one.textContent.trim())
    return (lines.length ? lines : [text]).map(one => [text.textContent, one.getBoundingClientRect()])
  }).filter(([said, box]) => said.trim() && box.width > 1 && (box.left < left - 1 || box.right > right + 1))
    .map(([said]) => said)
})
"""
"""The texts of the charts that are cut at a chart's edge."""

TOPS = """
(() => {
  window.tops = {}
  const look = () => {
    const chart = document.querySelector('.js-plotly-plot .main-svg')
    const parts = ['[class*=st-key-selectors-]', '.st-key-options input']
      .filter(one => document.querySelector(one)).length
    if (chart) tops[parts] = chart.getBoundingClientRect().top
    requestAnimationFrame(look)
  }
  look()
})()
"""


def sized(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": SCREENS[width]})
    settled(page)


def shown(page: Page, width: int, address: str) -> Page:
    page.set_viewport_size({"width": width, "height": SCREENS[width]})
    return charted(page, address)


def others(first: int) -> list[int]:
    """The widths but this one, which a page is opened at."""
    return [width for width in SCREENS if width != first]


@pytest.mark.parametrize("name", ADDRESSES if EVERY else A_FEW)
def test_the_chart_comes_first_below_the_selectors_and_its_labels_are_apart(name: str, tab: Page) -> None:
    shown(tab, FIRST[name], ADDRESSES[name])
    assert_in_place(name, FIRST[name], tab)
    for width in others(FIRST[name]):
        sized(tab, width)
        assert_in_place(name, width, tab)


def assert_in_place(name: str, width: int, page: Page) -> None:
    """The page as it stands now, at this width."""
    found = page.evaluate(PLACES)
    if width > 390:
        assert found["chart"] <= FURTHER_PX.get((name, width), UPPER_PX)
        assert found["options"] <= 1
    if width == 390:
        assert found["chart"] < ON_A_PHONE_PX
        assert found["button"]
        assert found["rows"] == 0
    else:
        assert not found["button"]
        assert found["rows"] == ROWS[width]
    assert max(found["sideways"]) <= 0
    assert width < 800 or page.evaluate(BEYOND) == 0
    assert page.evaluate(ON_EACH_OTHER) == []
    if name.startswith(("cost", "crossover")):
        assert page.evaluate(CUT) == []


FIRST_VISITS = [("pareto", 390), ("pareto", 800), ("pareto", 1440), ("overview", 800), ("cost", 800)]


@pytest.mark.parametrize(("name", "width"), some(FIRST_VISITS, 1))
def test_the_chart_of_a_first_visit_stays_where_it_is_when_the_selectors_come(
    name: str, width: int, visit: Visit
) -> None:
    page = visit()
    page.add_init_script(TOPS)
    page.emulate_media(reduced_motion="no-preference")
    shown(page, width, ADDRESSES[name])
    page.wait_for_selector(".st-key-selecting" if name == "overview" else ".st-key-options", state="attached")
    settled(page)
    tops = page.evaluate("tops")
    # A slow machine may draw the chart and its selectors in one frame, and then nothing was seen to move.
    assert ("1" if name == "overview" else "2") in tops
    assert max(tops.values()) - min(tops.values()) <= 1


def test_limits_and_models_are_in_sight_once_opened_and_the_selectors_as_the_page_scrolls(tab: Page) -> None:
    page = shown(tab, 1440, "/pareto?model=deepseek-r1&slo=ttft_ms_p50<=2000&slo=itl_ms_p99<=100")
    for width in some([1440, 800, 390], 1):
        sized(page, width)
        assert_limits_in_sight(page, width)
    # Without limits, and every model says how many points it gives, with no further touch.
    page.evaluate("window.numbersWanted = true")
    sized(page, 1440)
    page.locator(".st-key-selector-limits button").first.click()
    page.get_by_role("button", name="No limits").click()
    settled(page)
    page.keyboard.press("Escape")
    page.locator("[data-testid=stPopoverBody]").wait_for(state="detached")
    unfold(page, "Model")
    offered = page.get_by_role("option")
    expect(offered.first).to_be_visible()
    expect(offered.filter(has_not_text="(")).to_have_count(0)
    expect(offered.nth(5)).to_be_attached()
    page.keyboard.press("Escape")
    # However far the page is scrolled, at every width.
    for width in SCREENS:
        sized(page, width)
        page.evaluate(f"{MAIN}.scrollTo(0, 600)")
        settled(page)
        box = page.locator(".st-key-selecting").bounding_box()
        assert box
        assert box["y"] == pytest.approx(BAR_PX if width == 390 else 0, abs=1)
        selector = ".st-key-selected button" if width == 390 else ".st-key-selector-model input"
        assert page.locator(selector).evaluate(ON_TOP)
    # On a phone the chart follows the choice of a model.
    page.evaluate(f"{MAIN}.scrollTo(0, 0)")
    page.locator(".st-key-selected button").click()
    unfold(page, "Model")
    page.keyboard.type("Llama 3.1 8B")
    page.get_by_role("option", name="Llama 3.1 8B").first.click()
    expect(page.locator(".st-key-selectors-folded")).to_be_attached()
    settled(page)
    expect(page.locator(".st-key-selected")).to_contain_text("Llama 3.1 8B")
    assert 0 < page.evaluate(PLACES)["chart"] < ON_A_PHONE_PX


def assert_limits_in_sight(page: Page, width: int) -> None:
    """All limits of the page can be seen once they are opened; they are closed again."""
    if width == 390:
        page.locator(".st-key-selected button").click()
        settled(page)
    page.locator(".st-key-selector-limits button").first.click()
    body = page.locator("[data-testid=stPopoverBody]")
    expect(body.get_by_role("button", name="No limits")).to_be_visible()
    settled(page)
    assert body.evaluate("one => one.scrollHeight - one.clientHeight") <= 0
    box = body.bounding_box()
    assert box
    assert box["y"] + box["height"] <= SCREENS[width]
    page.keyboard.press("Escape")
    body.wait_for(state="detached")


PAGES = {
    "run": "/run?run={sweep}",
    "job": "/jobs?job={sweep}",
    "point": "/run?run={sweep}&point=1",
    "data": "/data",
    "jobs": "/jobs",
    "sql": "/sql",
    "launch": "/launch",
}


@pytest.mark.parametrize("name", some(PAGES, 3))
def test_no_other_page_scrolls_sideways_either(name: str, tab: Page, swept: Folder) -> None:
    page = tab
    page.goto(PAGES[name].format(sweep=swept.id))
    page.locator("h1").first.wait_for()
    for width in SCREENS:
        sized(page, width)
        for part in ("document.documentElement", MAIN):
            assert page.evaluate(f"{part}.scrollWidth - {part}.clientWidth") <= 0
        assert width < 800 or page.evaluate(BEYOND) == 0
        if name == "run":
            assert page.evaluate(ON_EACH_OTHER) == [], "The numbers at a run's points"
