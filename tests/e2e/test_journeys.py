"""What people come for, from the first page on, each within so many steps: a click or an Enter is one, typing is none.

A budget is what the way takes, and nothing to spare: who adds a step to a way has to say so here.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.library import Library
from tests.e2e.browsing import (
    MAIN,
    Counter,
    card,
    charted,
    copied,
    figure,
    headline,
    reading,
    settled,
    spot,
    view_of,
    whole_headline,
)

SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"
IN_SIGHT = """
() => {
  const card = document.querySelector('.st-key-card').getBoundingClientRect()
  const chart = document.querySelector('.js-plotly-plot').getBoundingClientRect()
  const row = document.querySelector('.st-key-selecting').getBoundingClientRect()
  return [innerHeight - card.top, chart.bottom - row.bottom]
}
"""
FAINT = """
() => [...document.querySelectorAll('.js-plotly-plot .textpoint text')].filter(text => text.textContent.trim())
  .filter(text => Number(getComputedStyle(text).fillOpacity) < 1).map(text => text.textContent)
"""


def test_the_best_accelerator_within_two_limits_takes_3_steps_and_says_how_few_state_them(
    tab: Page, shipped: Library
) -> None:
    reader = Counter(charted(tab, "/"))
    reader.go_to("llama 3.3 70b ttft 2 s tpot 50 ms", "Pareto")
    assert reader.steps == 3
    ((of, stating, within),) = shipped.fetch(
        "SELECT count(*), count(*) FILTER (ttft_ms_p50 IS NOT NULL AND tpot_ms_p50 IS NOT NULL),"
        " max(output_tokens_per_s / accelerators) FILTER (ttft_ms_p50 <= 2000 AND tpot_ms_p50 <= 50)"
        " FROM points WHERE model = 'llama-3.3-70b' AND evidence = 'measured'"
    )
    told = whole_headline(reader.page)
    assert f"only {stating} of {of} points state " in told
    assert "TTFT" in told
    assert "TPOT" in told
    assert f"{within:,.0f} tokens/s" in told
    assert " leads" not in told
    assert stating / of < 0.05
    instead = reader.page.locator(".st-key-onward-throughput")
    expect(instead).to_have_text(re.compile("^By throughput alone: "))
    peak = re.search(r"at ([0-9,]+) tokens/s", instead.inner_text())
    assert peak is not None
    ((most,),) = shipped.fetch(
        "SELECT max(output_tokens_per_s) FROM points WHERE model = 'llama-3.3-70b' AND evidence = 'measured'"
        " AND precision = 'fp4'"
    )
    assert peak[1] == f"{most:,.0f}"
    reader.click(instead.get_by_role("link", name="Open Heatmap"))
    reader.page.wait_for_url("**/heatmap?*v=2*")
    settled(reader.page)
    assert f"{most:,.0f}" in headline(reader.page)


def test_tpu_against_gpu_per_dollar_at_my_price_takes_6_steps(tab: Page, shipped: Library) -> None:
    reader = Counter(charted(tab, "/"))
    page = reader.page
    reader.go_to("tpu vs gpu per dollar", "Crossover")
    before, drawn = headline(page), figure(page)
    assert "per dollar" in page.evaluate(f"{MAIN}.innerText")
    slider = page.get_by_test_id("stSlider")
    said = re.search(r"at a batch of (\d+) it breaks even at ([0-9.]+)", slider.inner_text())
    assert said is not None
    at, even = int(said[1]), float(said[2])
    ((tpu, gpu),) = shipped.fetch(
        "SELECT max(output_tokens_per_s / accelerators) FILTER (accelerator = 'tpu-v6e' AND accelerators = 4"
        " AND precision = 'int8'), max(output_tokens_per_s / accelerators) FILTER (accelerator = 'h100-sxm'"
        " AND precision = 'fp8') FROM points WHERE model = 'gemma-4-31b' AND evidence = 'measured' AND batch = ?",
        (at,),
    )
    price = re.search(r"H100 SXM ([0-9.]+) USD/h", page.evaluate(f"{MAIN}.innerText"))
    assert price is not None
    assert even == pytest.approx(float(price[1]) * tpu / gpu, rel=0.01)
    reader.click(page.locator(".st-key-options").get_by_role("button", name="Prices"))
    reader.click(page.get_by_role("textbox", name="Price of A (USD/h)"))
    reader.enter("0.5")
    settled(page)
    assert reader.steps == 6
    assert headline(page) != before
    assert "TPU v6e" in headline(page)
    assert figure(page) != drawn
    view = view_of(page)
    assert (view.option("price_a"), view.option("per")) == ("0.5", "dollar")


def test_a_model_and_a_limit_chosen_in_the_row_take_5_steps_and_their_link_shows_the_same(
    tab: Page, browser: Browser, server: str, shipped: Library
) -> None:
    reader = Counter(charted(tab, "/pareto"))
    page, before = reader.page, headline(reader.page)
    reader.click(page.get_by_role("combobox", name="Model", exact=True))
    page.keyboard.type("Flan-T5 XL")
    settled(page)
    reader.click(page.get_by_role("option", name=re.compile(r"^Flan-T5 XL( \(|$)")))
    page.wait_for_url("**model=flan-t5-xl**")
    settled(page)
    assert headline(page) != before
    reader.click(page.get_by_role("button", name="Limits: None"))
    reader.click(page.get_by_role("spinbutton", name="TTFT at most (ms)"))
    reader.enter("2000")
    page.wait_for_url("**slo=ttft_ms_p50**")
    settled(page)
    page.keyboard.press("Escape")
    settled(page)
    assert reader.steps == 5
    told = whole_headline(page)
    assert "median TTFT at most 2,000 ms: " in told
    assert "Flan-T5 XL" in told
    ((most,),) = shipped.fetch(
        "SELECT max(output_tokens_per_s / accelerators) FILTER (ttft_ms_p50 <= 2000) FROM points"
        " WHERE model = 'flan-t5-xl' AND evidence = 'measured'"
    )
    assert f"{most:,.0f} tokens/s/accelerator" in told
    link, drawn = copied(page), figure(page)
    with reading(browser, server) as opens:
        other = charted(opens(), link)
        assert whole_headline(other) == told
        assert figure(other) == drawn
        view = view_of(other)
        assert (view.values("model"), view.slo) == (("flan-t5-xl",), ("ttft_ms_p50<=2000",))


def test_a_shared_link_on_a_phone_takes_0_steps_to_its_answer_and_card_and_1_to_another_and_to_the_filters(
    tab: Page,
) -> None:
    # At the desk a point is clicked: its card comes into sight, and no name in the chart fades.
    desk = tab
    desk.set_viewport_size({"width": 1440, "height": 900})
    charted(desk, "/pareto")
    desk.mouse.click(*spot(desk, "line", 2))
    told, said, link = card(desk), headline(desk), desk.url
    desk.wait_for_function(f"{SCROLLED} > 0")
    shown, of_the_chart = desk.evaluate(IN_SIGHT)
    assert shown > 300
    assert of_the_chart > 300
    assert desk.evaluate(FAINT) == []
    # On the phone the link begins at its headline, with the chart in sight and the card below.
    phone = tab
    phone.set_viewport_size({"width": 390, "height": 844})
    reader = Counter(charted(phone, link))
    assert headline(phone) == said
    assert card(phone) == told
    assert phone.evaluate(SCROLLED) == 0
    assert phone.evaluate(FAINT) == []
    chart, below = phone.locator(".js-plotly-plot").first.bounding_box(), phone.locator(".st-key-card").bounding_box()
    assert chart is not None
    assert below is not None
    assert chart["y"] < 844 / 2
    assert below["x"] >= 0
    assert below["x"] + below["width"] <= 390
    for part in ("document.documentElement", MAIN):
        assert phone.evaluate(f"{part}.scrollWidth - {part}.clientWidth") <= 0
    # Another point is a step away, and so are the filters.
    model = phone.get_by_role("combobox", name="Model", exact=True)
    expect(model).to_be_hidden()
    reader.click_at(*spot(phone, "line", 1))
    phone.wait_for_function("before => location.href !== before", arg=link)
    settled(phone)
    assert reader.steps == 1
    assert card(phone) != told
    expect(phone.locator(".st-key-card")).to_contain_text("TTFT (ms)")
    reader.click(phone.locator(".st-key-selected button"))
    expect(model).to_be_visible()
    assert reader.steps == 2
