"""Every page for those who hear it, tab through it or need contrast: axe-core, the charts' own texts, focus, states."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from bench.chart import DARK, LIGHT
from bench.chart.shades import MARK_CONTRAST, TEXT_CONTRAST
from bench.endpoint import Settings
from bench.endpoint import running as endpoint
from bench.maths.colour import contrast, mixed
from bench.sweep.session.runner import run
from tests.benchmarks._server import running
from tests.e2e.browsing import reading, settled, spot
from tests.e2e.test_phone_charts import PAIR
from tests.sweep.sweeping import folder_for
from tests.thorough import some

RULES = {"light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "dark": ["color-contrast"]}
"""What axe looks for: everything that makes a grave finding, and once more in the dark what a theme can change."""

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
GRAVE = {"serious", "critical"}
STOPS = 60
"""So many presses of Tab reach every kind of control of a page."""

PASSED_OVER = {
    # Streamlit heads the sections of its own page list with a <div> inside the <ul>; nothing of ours draws it.
    "list": "[data-testid='stSidebarNavItems']",
    "listitem": "[data-testid='stSidebarNavItems'] li",
}
"""By rule: the parts of Streamlit's own that no style and no label reaches."""

FOUND = """
async ([passedOver, only]) => {
  const {violations} = await axe.run(document, {resultTypes: ['violations'], runOnly: only})
  const within = (selector, target) => {
    let part = document
    for (const step of target.flat()) part = (part.shadowRoot ?? part).querySelector(step)
    return part.matches(selector)
  }
  return violations.flatMap(({id, impact, nodes}) => nodes
    .filter(({target}) => !(id in passedOver && within(passedOver[id], target)))
    .map(({html, failureSummary}) => [impact, id, html.slice(0, 160), failureSummary.slice(0, 240)]))
}
"""
TEXTS = """
() => [...document.querySelectorAll('.js-plotly-plot .main-svg text')].flatMap(text => {
  const style = getComputedStyle(text), lines = [...text.querySelectorAll('tspan')].filter(one => !one.children.length)
  let opacity = Number(style.fillOpacity)
  for (let part = text; !part.matches('.main-svg'); part = part.parentElement) opacity *= getComputedStyle(part).opacity
  return (lines.length ? lines : [text]).map(line => {
    const {left, top, right, bottom, width} = line.getBoundingClientRect()
    return [line.textContent.trim(), getComputedStyle(line).fill.match(/[\\d.]+/g)?.map(Number), opacity,
      [left, top, right, bottom], width > 1 && style.visibility === 'visible' && opacity > 0]
  }).filter(([said, ink, , [, top, , bottom], drawn]) => said && ink && drawn && top >= 0 && bottom <= innerHeight)
})
"""
PLACEHOLDERS = """
() => [...document.querySelectorAll('input, textarea')]
  .filter(one => one.placeholder && !one.disabled && one.offsetWidth)
  .map(one => [one.placeholder, getComputedStyle(one, '::placeholder').color.match(/[\\d.]+/g).map(Number),
    Number(getComputedStyle(one, '::placeholder').opacity), Object.values(one.getBoundingClientRect().toJSON())])
  .map(([said, ink, opacity, [, , , , top, right, bottom, left]]) => [said, ink, opacity, [left, top, right, bottom]])
  .filter(([, , , [, top, , bottom]]) => top >= 0 && bottom <= innerHeight)
"""
FOCUSED = """
() => {
  let part = document.activeElement
  while (part.shadowRoot?.activeElement) part = part.shadowRoot.activeElement
  const ring = [part, part.parentElement].map(one => one && getComputedStyle(one))
    .find(style => style && style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2)
  return [part.tagName, part.getAttribute('aria-label') || part.textContent.trim().slice(0, 40),
    ring?.outlineColor.match(/[\\d.]+/g).map(Number),
    getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor.match(/[\\d.]+/g).map(Number)]
}
"""
MOVING = """
() => [...document.querySelectorAll('*')].map(one => [one, getComputedStyle(one)])
  .filter(([, style]) => style.animationTimeline === 'auto')
  .filter(([, style]) => style.scrollBehavior === 'smooth' || [style.transitionDuration, style.animationDuration]
    .some(all => all.split(', ').some(one => parseFloat(one) > 0.002)))
  .map(([one]) => one.outerHTML.slice(0, 120))
"""

DRAWN_ON = """
ground => [...document.querySelectorAll('.js-plotly-plot')].every(chart => chart.layout.paper_bgcolor === ground)
"""

Act = Callable[[Page], None]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The app's address and the id of a sweep in its library, whose measured endpoint is gone by now."""
    place = tmp_path_factory.mktemp("library")
    with endpoint(Settings(step_ms=4, prefill_us_per_token=10, dialect="vllm")) as url:
        folder = folder_for(place, url, loads__concurrency="1,2,4")
        with ThreadPoolExecutor(1) as beside_the_browsers_loop:
            assert beside_the_browsers_loop.submit(run, folder).result().state == "done"
    with running(place) as started:
        yield started.url, folder.id


@pytest.fixture(scope="module")
def tab(app: tuple[str, str], browser: Browser) -> Iterator[Page]:
    """One tab for all pages, tall enough for whole charts."""
    with reading(browser, app[0]) as open_one:
        page = open_one()
        page.set_viewport_size({"width": 1440, "height": 1500})
        yield page


def open_card(page: Page) -> None:
    page.mouse.click(*spot(page, "line", 2))
    page.locator(".st-key-card").wait_for()


def open_source(page: Page) -> None:
    box = page.locator("[data-testid=stDataFrame]").first.bounding_box()
    page.mouse.click(box["x"] + 16, box["y"] + 52)
    page.locator(".st-key-behind").wait_for()


def open_point(page: Page) -> None:
    page.locator(".st-key-card").get_by_role("link", name="Open point").click()
    page.wait_for_url("**/data?*")
    page.locator(".st-key-card").wait_for(state="detached")
    page.locator("h1").first.wait_for()


def unfold(place: str) -> Act:
    """Opens a popover of the selector row."""

    def act(page: Page) -> None:
        page.locator(f".st-key-selector-{place} [data-testid=stPopoverButton]").click()
        page.locator("[data-testid=stPopoverBody]").wait_for()

    return act


STATES: dict[str, tuple[str, tuple[Act, ...]]] = {
    "overview": ("/", ()),
    "heatmap": ("/heatmap", ()),
    "capacity": ("/capacity", ()),
    "compare": ("/compare", ()),
    "memory": ("/memory", ()),
    "roofline": ("/roofline?project=mi350x", ()),
    "history": ("/history?show=frontier", ()),
    "pareto": (
        "/pareto",
        (unfold("limits"), unfold("accelerator"), unfold("prices"), unfold("more"), open_card, open_point),
    ),
    "scaling": ("/scaling", ()),
    "crossover": ("/crossover", ()),
    "pair": (f"/crossover?{PAIR}", ()),
    "cost": ("/cost", ()),
    "launch": ("/launch", ()),
    "jobs": ("/jobs", ()),
    "job": ("/jobs?job={sweep}", ()),
    "run": ("/run?run={sweep}&point=2", ()),
    "data": ("/data", (open_source,)),
    "sql": ("/sql", ()),
}


@pytest.mark.parametrize("state", some(STATES, 6))
def test_axe_finds_nothing_grave_and_every_text_can_be_read(state: str, tab: Page, app: tuple[str, str]) -> None:
    address, acts = STATES[state]
    for scheme, theme in (("light", LIGHT), ("dark", DARK)):
        tab.emulate_media(color_scheme=scheme)
        if acts or theme is LIGHT:  # what has not been used since is the same page in the dark
            tab.goto(address.format(sweep=app[1]))
            tab.locator("h1").first.wait_for()
            tab.evaluate(AXE)
        tab.wait_for_function(DRAWN_ON, arg=theme.background)
        settled(tab)
        assert grave(tab, scheme) == [], (scheme, "as it opens")
        assert faint(tab) == [], scheme
        for nth, act in enumerate(acts):
            act(tab)
            settled(tab)
            assert grave(tab, scheme) == [], (scheme, nth)
            if tab.locator("[data-testid=stPopoverBody]").count():
                tab.keyboard.press("Escape")
                tab.locator("[data-testid=stPopoverBody]").wait_for(state="detached")


def grave(page: Page, scheme: str) -> list[Any]:
    """What axe finds serious or critical: how grave, the rule, the part and what is wrong with it."""
    return [one for one in page.evaluate(FOUND, [PASSED_OVER, RULES[scheme]]) if one[0] in GRAVE]


def faint(page: Page) -> list[Any]:
    """The charts' texts and the placeholders that stand out too little from what most of their box shows."""
    page.mouse.move(0, 0)
    texts = [[*one[:4]] for one in page.evaluate(TEXTS)] + page.evaluate(PLACEHOLDERS)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    found = []
    for said, ink, opacity, (left, top, right, bottom) in texts:
        box = (
            max(int(left), 0),
            max(int(top), 0),
            min(int(right) + 1, picture.width),
            min(int(bottom) + 1, picture.height),
        )
        if box[0] >= box[2] or box[1] >= box[3]:
            continue
        part = picture.crop(box)
        ground = hexadecimal(max(part.getcolors(part.width * part.height))[1])
        share = opacity * (ink[3] if len(ink) > 3 else 1)
        ratio = contrast(mixed(ground, hexadecimal(ink), share), ground)
        if ratio < TEXT_CONTRAST - 0.005:
            found.append((said, hexadecimal(ink), ground, round(ratio, 2)))
    return found


def hexadecimal(colour: Any) -> str:
    return "#" + "".join(f"{round(part):02x}" for part in colour[:3])


@pytest.mark.parametrize("scheme", some(RULES, 1))
def test_what_has_the_focus_is_seen(scheme: str, tab: Page) -> None:
    tab.emulate_media(color_scheme=scheme)
    tab.goto("/pareto")
    tab.locator(".js-plotly-plot .main-svg").first.wait_for()
    settled(tab)
    reached = []
    for _ in range(STOPS):
        tab.keyboard.press("Tab")
        kind, name, ring, ground = tab.evaluate(FOCUSED)
        if kind in ("BODY", "TD"):
            break
        reached.append(name)
        assert ring, f"{name} ({kind}) shows no focus"
        assert contrast(hexadecimal(ring), hexadecimal(ground)) >= MARK_CONTRAST, name
    assert {"Overview", "Copy link", "Reset", "Model", "Vertical axis", "Open a point", "Zoom in"} <= set(reached)


def test_the_charts_own_controls_are_seen_while_one_has_the_focus(tab: Page) -> None:
    tab.goto("/pareto")
    tab.locator(".js-plotly-plot .main-svg").first.wait_for()
    settled(tab)
    bar = tab.locator(".modebar").first
    tab.get_by_role("button", name="Zoom in").focus()
    expect(bar).to_have_css("opacity", "1")


def test_controls_tell_what_they_choose_and_whether_they_are_open(tab: Page) -> None:
    tab.goto("/pareto")
    tab.locator(".js-plotly-plot .main-svg").first.wait_for()
    settled(tab)
    for name in ("Accelerators: All", "Limits: None", "Prices: On demand", "More filters"):
        expect(tab.get_by_role("button", name=name)).to_have_attribute("aria-expanded", "false")
    tab.get_by_role("button", name="Limits: None").click()
    expect(tab.get_by_role("button", name="Limits: None")).to_have_attribute("aria-expanded", "true")
    current = tab.locator("[aria-current=page]")
    expect(current).to_have_text(["Pareto"])
    tab.keyboard.press("Escape")
    settled(tab)
    tab.get_by_role("link", name="Cost", exact=True).click()
    tab.locator("h1", has_text="cheapest").wait_for()
    expect(current).to_have_text("Cost")


def test_a_phones_selectors_tell_whether_they_are_unfolded(tab: Page) -> None:
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.goto("/pareto")
    settled(tab)
    fold = tab.locator(".st-key-selected button")
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    expect(fold).to_have_attribute("aria-expanded", "true")
    fold.click()
    expect(fold).to_have_attribute("aria-expanded", "false")
    tab.set_viewport_size({"width": 1440, "height": 1500})


def test_nothing_moves_for_those_who_asked_for_no_motion(tab: Page) -> None:
    tab.emulate_media(reduced_motion="reduce")
    for address in ("/", "/pareto", "/launch", "/jobs", "/run"):
        tab.goto(address)
        tab.locator("h1").first.wait_for()
        settled(tab)
        assert tab.evaluate(MOVING) == []
    tab.emulate_media(reduced_motion="no-preference")
