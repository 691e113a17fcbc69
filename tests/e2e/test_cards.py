"""From a point of a chart to all that is known of it, by mouse, by keyboard alone and by link."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.e2e.browsing import asked, back, card, charted, choose, headline, settled, spot, tab_to

TOP = "document.querySelector('[data-testid=stMain]').scrollTo(0, 0)"


def test_a_clicked_point_leads_to_its_page_and_its_source_and_is_closed_again(tab: Page) -> None:
    page = charted(tab, "/pareto")
    before = page.url
    # A click on the point opens its card and a second one closes it; so does its button.
    page.mouse.click(*spot(page, "line", 2))
    told, at = card(page), page.url
    for words in ("DeepSeek-R1", "TTFT (ms)", "E2EL (ms)", "p99", "Output", "Evidence: measured", "How the source's"):
        assert words in told
    page.get_by_role("button", name="Close").click()
    expect(page.locator(".st-key-card")).to_have_count(0)
    page.wait_for_url(before)
    settled(page)
    for opens in (True, False, True):
        page.evaluate(TOP)
        page.mouse.click(*spot(page, "line", 2))
        expect(page.locator(".st-key-card")).to_have_count(int(opens))
        settled(page)
    assert page.url == at
    id = asked(page)["point"]
    # Each of its links opens a page on it, and Back returns to the card.
    page.get_by_role("link", name="Open point").click()
    page.wait_for_url("**/data?*")
    settled(page)
    assert asked(page)["point_id"] == id
    back(page, at)
    assert card(page) == told
    page.get_by_role("link", name="Source", exact=False).first.click()
    page.wait_for_url("**/data?*")
    settled(page)
    assert "source_id" in asked(page)
    assert "gave" in headline(page)
    back(page, at)
    card(page)
    page.get_by_role("link", name="Hide or correct").click()
    page.wait_for_url("**/data?*")
    forms = page.locator(".st-key-correcting")
    forms.get_by_role("button", name="Hide it").wait_for()
    settled(page)
    expect(forms.get_by_role("button", name="Hide it")).to_be_in_viewport()
    expect(forms.get_by_role("button", name="State it")).to_be_in_viewport()
    assert asked(page)["point_id"] == id
    assert asked(page)["model"] == "deepseek-r1"
    back(page, at)
    assert card(page) == told


def test_points_and_cells_are_opened_and_left_by_keyboard_alone(tab: Page) -> None:
    page = charted(tab, "/pareto")
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
    # A cell of the heatmap, and a point of that cell.
    page.get_by_role("link", name="Heatmap", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/heatmap?*v=2*")
    settled(page)
    tab_to(page, "Open a cell")
    choose(page)
    page.locator(".st-key-behind").wait_for()
    tab_to(page, "Open a point")
    choose(page)
    assert "Throughput" in card(page)
    assert {"cell", "point"} <= set(asked(page))
