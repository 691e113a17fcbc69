"""Every page for those who hear it, tab through it or need contrast: axe-core, the charts' own texts, focus, states."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from bench.chart import DARK, LIGHT
from bench.chart.shades import MARK_CONTRAST, TEXT_CONTRAST
from bench.maths.colour import contrast, mixed
from bench.sweep.folder import Folder
from tests.e2e.browsing import PAIR, charted, settled, spot, whole_headline
from tests.thorough import EVERY, some

RULES = {"light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "dark": ["color-contrast"]}
"""What axe looks for: everything that makes a grave finding, and once more in the dark what a theme can change."""

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
GRAVE = {"serious", "critical"}
TALL = {"width": 1440, "height": 1500}
"""The window, tall enough for whole charts."""

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

CALLED = "chart => (chart.closest('[aria-label]') ?? chart.querySelector('[aria-label]')).ariaLabel"
DRAWN_ON = """
ground => [...document.querySelectorAll('.js-plotly-plot')].every(chart => chart.layout.paper_bgcolor === ground)
"""

Act = Callable[[Page], None]


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


A_FEW = ("overview", "launch", "run")
"""A matrix with cards, a form, and charts below each other."""

IN_THE_DARK = ("overview",)


@pytest.mark.parametrize("state", STATES if EVERY else A_FEW)
def test_axe_finds_nothing_grave_every_text_can_be_read_and_nothing_moves_for_those_who_asked(
    state: str, tab: Page, swept: Folder
) -> None:
    address, acts = STATES[state]
    tab.set_viewport_size(TALL)
    schemes = (("light", LIGHT), ("dark", DARK))[: 2 if EVERY or state in IN_THE_DARK else 1]
    for scheme, theme in schemes:
        tab.emulate_media(color_scheme=scheme)
        if acts or theme is LIGHT:  # what has not been used since is the same page in the dark
            tab.goto(address.format(sweep=swept.id))
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
    assert tab.evaluate(MOVING) == []


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
def test_what_has_the_focus_is_seen_and_controls_tell_what_they_choose_and_whether_they_are_open(
    scheme: str, tab: Page
) -> None:
    page = tab
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size(TALL)
    charted(page, "/pareto")
    # The chart is called what the page says, and every control that Tab reaches is seen.
    chart = page.locator("[data-testid=stPlotlyChart]").first
    assert chart.evaluate(CALLED) == whole_headline(page)
    reached = []
    for _ in range(STOPS):
        page.keyboard.press("Tab")
        kind, name, ring, ground = page.evaluate(FOCUSED)
        if kind in ("BODY", "TD"):
            break
        reached.append(name)
        assert ring, f"{name} ({kind}) shows no focus"
        assert contrast(hexadecimal(ring), hexadecimal(ground)) >= MARK_CONTRAST, name
    assert {"Overview", "Copy link", "Reset", "Model", "Vertical axis", "Open a point", "Zoom in"} <= set(reached)
    # The chart's own controls are seen while one of them has the focus.
    page.get_by_role("button", name="Zoom in").focus()
    expect(page.locator(".modebar").first).to_have_css("opacity", "1")
    # A selector tells what is chosen in it and whether it is open.
    for name in ("Accelerators: All", "Limits: None", "Prices: On demand", "More filters"):
        expect(page.get_by_role("button", name=name)).to_have_attribute("aria-expanded", "false")
    page.get_by_role("button", name="Limits: None").click()
    expect(page.get_by_role("button", name="Limits: None")).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Escape")
    settled(page)
    # The list of pages tells which one this is.
    current = page.locator("[aria-current=page]")
    expect(current).to_have_text(["Pareto"])
    page.get_by_role("link", name="Cost", exact=True).click()
    page.locator("h1", has_text="cheapest").wait_for()
    expect(current).to_have_text("Cost")
    # On a phone the one button of all selectors tells whether they are unfolded.
    page.set_viewport_size({"width": 390, "height": 844})
    settled(page)
    fold = page.locator(".st-key-selected button")
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    expect(fold).to_have_attribute("aria-expanded", "true")
    fold.click()
    expect(fold).to_have_attribute("aria-expanded", "false")
