"""From a point of a chart to all that is known of it, by mouse, by keyboard alone and by link."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.endpoint import Settings
from bench.endpoint import running as endpoint
from bench.sweep.folder import Folder
from tests.benchmarks._server import running
from tests.e2e.browsing import charted, choose, headline, reading, settled, spot, tab_to
from tests.sweep.sweeping import folder_for, started

Visit = Callable[[], Page]

SWEPT = "/pareto?v=2&source=sweep-{}&evidence=measured&evidence=simulated&y=output_tokens_per_s&x=ttft_ms_p50"
TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[tuple[Page, Folder]]:
    """A tab on an app whose library holds a sweep, and the sweep."""
    with endpoint(Settings(step_ms=3, fail={"500": 0.1})) as url:
        library = tmp_path_factory.mktemp("library")
        folder = folder_for(library, url, loads__concurrency="1,2,4", point__requests="16")
        with started(folder) as process:
            assert process.wait(60) == 0
    with running(library) as server, reading(browser, server.url) as tab:
        yield tab(), folder


def card(page: Page) -> str:
    """What the card says, once it is there."""
    page.locator(".st-key-card").wait_for()
    settled(page)
    return page.locator(".st-key-card").inner_text()


def asked(page: Page) -> dict[str, str]:
    return {key: values[0] for key, values in parse_qs(urlsplit(page.url).query).items()}


def test_a_clicked_point_leads_to_its_page_and_its_source_and_back(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    page.mouse.click(*spot(page, "line", 2))
    told, at = card(page), page.url
    for words in ("TTFT (ms)", "E2EL (ms)", "p99", "Output", "Evidence: measured"):
        assert words in told
    id = asked(page)["point"]
    page.get_by_role("link", name="Open point").click()
    page.wait_for_url("**/data?*")
    settled(page)
    assert asked(page)["point_id"] == id
    page.go_back()
    page.wait_for_url(at)
    assert card(page) == told
    page.get_by_role("link", name="Source", exact=False).first.click()
    page.wait_for_url("**/data?*")
    settled(page)
    assert "source_id" in asked(page)
    assert "gave" in headline(page)
    page.go_back()
    page.wait_for_url(at)
    card(page)
    page.get_by_role("link", name="Hide or correct").click()
    page.wait_for_url("**/data?*")
    forms = page.locator(".st-key-correcting")
    forms.get_by_role("button", name="Hide it").wait_for()
    settled(page)
    expect(forms.get_by_role("button", name="Hide it")).to_be_in_viewport()
    expect(forms.get_by_role("button", name="State it")).to_be_in_viewport()
    assert asked(page)["point_id"] == id
    assert asked(page)["model"] == parse_qs(urlsplit(at).query)["model"][0]
    page.go_back()
    page.wait_for_url(at)
    assert card(page) == told


SEEN = """
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
SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"


def test_what_is_opened_by_hand_comes_into_sight_and_a_link_begins_at_its_headline(visit: Visit) -> None:
    page = visit()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(reduced_motion="reduce")
    charted(page, "/pareto")
    page.mouse.click(*spot(page, "line", 2))
    card(page)
    page.wait_for_function(f"{SCROLLED} > 0")
    shown, of_the_chart = page.evaluate(SEEN)
    assert shown > 300
    assert of_the_chart > 300
    assert page.evaluate(FAINT) == []
    link = page.url
    page.goto("about:blank")
    charted(page, link)
    card(page)
    assert page.evaluate(SCROLLED) == 0
    assert page.evaluate(FAINT) == []


def test_a_card_is_closed_by_its_button_or_by_the_point_and_opened_again(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    before = page.url
    page.mouse.click(*spot(page, "line", 2))
    card(page)
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".st-key-card")).to_have_count(0)
    page.wait_for_url(before)
    settled(page)
    for opens in (True, False):
        page.evaluate(TOP)
        page.mouse.click(*spot(page, "line", 2))
        expect(page.locator(".st-key-card")).to_have_count(int(opens))
        settled(page)


def test_a_point_is_opened_and_left_by_keyboard_alone(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    page.evaluate(TOP)
    tab_to(page, "Vertical axis")
    tab_to(page, "Open a point")
    choose(page, "h200")
    assert "H200 SXM" in card(page)
    id = asked(page)["point"]
    tab_to(page, "Close")
    tab_to(page, "arrow_forward")
    page.keyboard.press("Enter")
    page.wait_for_url("**/data?*")
    settled(page)
    assert asked(page)["point_id"] == id
    page.go_back()
    card(page)
    tab_to(page, "Close")
    page.keyboard.press("Enter")
    expect(page.locator(".st-key-card")).to_have_count(0)


def test_a_cell_and_a_point_of_it_are_opened_by_keyboard_alone(visit: Visit) -> None:
    page = charted(visit(), "/heatmap")
    tab_to(page, "Open a cell")
    choose(page)
    page.locator(".st-key-behind").wait_for()
    tab_to(page, "Open a point")
    choose(page)
    assert "Throughput" in card(page)
    assert {"cell", "point"} <= set(asked(page))


def test_a_shared_link_opens_the_card_on_a_phone(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    page.mouse.click(*spot(page, "line", 1))
    told, link = card(page), page.url
    phone = visit()
    phone.set_viewport_size({"width": 390, "height": 844})
    charted(phone, link)
    assert card(phone) == told
    box = phone.locator(".st-key-card").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    main = "document.querySelector('[data-testid=stMain]')"
    assert phone.evaluate(f"{main}.scrollWidth - {main}.clientWidth") <= 0


def test_a_point_of_a_sweep_leads_to_its_run_to_a_request_and_to_measuring_it_again(swept: tuple[Page, Folder]) -> None:
    page, folder = swept
    charted(page, SWEPT.format(folder.id))
    page.get_by_role("combobox", name="Open a point").focus()
    choose(page)
    card(page)
    at = page.url
    page.get_by_role("link", name="Measure again").click()
    page.wait_for_url("**/launch?*")
    settled(page)
    assert asked(page)["url"] == folder.plan.endpoint.url
    expect(page.get_by_label("ISL", exact=True)).to_have_value("32")
    page.go_back()
    page.wait_for_url(at)
    card(page)
    page.get_by_role("link", name="Open run").click()
    page.wait_for_url("**/run?*")
    settled(page)
    assert asked(page)["run"] == folder.id
    page.get_by_role("combobox", name="Open a request").focus()
    choose(page, downs=2)
    assert "Request " in card(page)
    assert asked(page)["request"].isdigit()
    link, told = page.url, card(page)
    charted(page, link)
    assert card(page) == told
