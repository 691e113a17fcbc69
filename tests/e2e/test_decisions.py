"""The list of crossovers as a reader meets it: clicked."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.e2e.browsing import back, charted, headline, settled, spot, view_of
from tests.e2e.conftest import Visit
from tests.thorough import times


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
