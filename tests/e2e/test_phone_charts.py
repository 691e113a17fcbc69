"""The charts of Cost and Crossover on a phone: no text is cut at the chart's edges, none lies on another."""

from __future__ import annotations

import pytest

from tests.e2e.browsing import charted
from tests.e2e.conftest import Visit
from tests.thorough import some

PAIR = (
    "model=deepseek-r1&isl=8192&osl=1024&along=concurrency&a=accelerator%3Dh200-sxm%26accelerators%3D8%26engine%3Dsglang"
    "%26speculation%3Dnone&b=precision%3Dfp8%26accelerator%3Dmi355x%26accelerators%3D8%26engine%3Dsglang"
    "%26speculation%3Dnone"
)
CHARTS = (
    "/cost",
    "/cost?model=deepseek-r1&group=deployment&bars=all&api_price_output=5",
    "/cost?model=gemma-4-31b&accelerator=tpu-v6e&precision=int8&price_terms=every",
    "/crossover",
    f"/crossover?{PAIR}",
    f"/crossover?{PAIR}&per=dollar&price_a=4",
)
WRONG = """
() => {
  const chart = document.querySelector('.js-plotly-plot'), edge = chart.getBoundingClientRect()
  const texts = [...chart.querySelectorAll('.main-svg text')].map(text => {
    const drawn = [...text.querySelectorAll('tspan')].filter(one => !one.children.length && one.textContent.trim())
    const boxes = (drawn.length ? drawn : [text]).map(one => one.getBoundingClientRect()).filter(box => box.width > 1)
    return {said: text.textContent.trim(), boxes}
  }).filter(one => one.said && one.boxes.length)
  const cut = texts.filter(one => one.boxes.some(box => box.left < edge.left - 1 || box.right > edge.right + 1))
  const on = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6
  const over = texts.flatMap((one, nth) => texts.slice(nth + 1)
    .filter(other => one.boxes.some(a => other.boxes.some(b => on(a, b)))).map(other => one.said + ' | ' + other.said))
  return [texts.length, cut.map(one => one.said), over]
}
"""


@pytest.mark.parametrize("address", some(CHARTS, 2))
def test_no_text_of_a_chart_is_cut_or_lies_on_another_at_390_px(address: str, visit: Visit) -> None:
    page = visit()
    page.set_viewport_size({"width": 390, "height": 844})
    charted(page, address)
    texts, cut, over = page.evaluate(WRONG)
    assert texts > 10
    assert (cut, over) == ([], [])
