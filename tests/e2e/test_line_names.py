"""The names at the ends of a chart's lines as a browser draws them: in the order of the ends, and near them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.e2e.browsing import charted
from tests.e2e.conftest import Visit
from tests.thorough import some

ADDRESSES = (
    "/scaling",
    "/scaling?model=flan-t5-xl&model=flan-ul2",
    "/memory?model=llama-3.3-70b&model=deepseek-r1",
    "/pareto?model=deepseek-r1&accelerator=mi300x&accelerator=mi325x&accelerator=h200-sxm",
)
TOGETHER_PX, NEAR_PX = 20, 100
"""Ends so near to each other side by side are named in order; a name is no farther up or down from its end."""

NAMED = """
() => {
  const chart = document.querySelector('.js-plotly-plot'), edge = chart.getBoundingClientRect()
  const lines = chart._fullData.flatMap((trace, nth) => {
    if (trace.mode !== 'lines+markers') return []
    const axis = name => chart._fullLayout[name.replace(/^([xy])/, '$1axis')]
    const x = axis(trace.xaxis), y = axis(trace.yaxis)
    const ends = chart.calcdata[nth].map(one => [x._offset + x.c2p(one.x), y._offset + y.c2p(one.y)])
    const last = ends.reduce((one, other) => other[0] >= one[0] ? other : one)
    return [{name: trace.name, end: last, top: y._offset, bottom: y._offset + y._length}]
  })
  return [...chart.querySelectorAll('.textpoint text')].flatMap(text => {
    const box = text.getBoundingClientRect(), up = (box.top + box.bottom) / 2 - edge.top
    const said = [...text.querySelectorAll('tspan')].filter(one => !one.children.length
      && one.getBoundingClientRect().width > 1).map(one => one.textContent).join('').trim()
    const own = lines.filter(one => said.startsWith(one.name) && one.top <= up && up <= one.bottom)
      .sort((one, other) => other.name.length - one.name.length)[0]
    return own && said ? [{said, up, end: own.end}] : []
  })
}
"""
TICKS = """
axis => [...document.querySelectorAll(`.js-plotly-plot .${axis}tick text`)]
  .map(one => [one.textContent, Math.round(one.getBoundingClientRect().left + one.getBoundingClientRect().width / 2)])
"""


def sized(page: Page, width: int, address: str) -> Page:
    page.set_viewport_size({"width": width, "height": 900})
    return charted(page, address)


@pytest.mark.parametrize("address", some(ADDRESSES, 1))
def test_names_of_lines_that_end_together_stand_in_the_order_of_their_ends(address: str, visit: Visit) -> None:
    page = sized(visit(), 1440, address)
    told = page.evaluate(NAMED)
    assert len(told) > 2
    for one in told:
        assert abs(one["up"] - one["end"][1]) <= NEAR_PX, one
        for other in told:
            (across, down), (beside, below) = one["end"], other["end"]
            if abs(across - beside) <= TOGETHER_PX and down < below:
                assert one["up"] <= other["up"], (one, other)


def test_scaling_names_its_lines_with_their_efficiency_on_a_page_800_px_wide_too(visit: Visit) -> None:
    page = sized(visit(), 800, "/scaling")
    assert [one["said"] for one in page.evaluate(NAMED)] == ["H100 SXM 73.9 %", "H200 SXM 53.9 %", "L40S 56.6 %"]


@pytest.mark.parametrize("width", some([390, 800, 1440], 1))
def test_the_chip_counts_of_scalings_lower_panel_stand_under_those_of_the_upper(width: int, visit: Visit) -> None:
    page = sized(visit(), width, "/scaling?model=flan-t5-xl&model=flan-ul2")
    assert page.evaluate(TICKS, "x") == page.evaluate(TICKS, "x2") != []
