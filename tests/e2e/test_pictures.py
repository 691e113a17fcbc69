"""A chart that leaves the app: as PNG and SVG it carries its headline, its sources and the link to the view."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page

from tests.e2e.browsing import charted, copied, headline
from tests.e2e.conftest import Visit
from tests.thorough import some

SVG = "{http://www.w3.org/2000/svg}"
HARMLESS = {
    "svg",
    "g",
    "path",
    "rect",
    "text",
    "tspan",
    "defs",
    "clipPath",
    "a",
    "circle",
    "image",
    "mask",
    "line",
    "linearGradient",
    "stop",
    "pattern",
    "filter",
    "style",
}
HOSTILE = "origin=published&accelerator=h100-sxm&date_from=2026-03-02&date_to=2026-03-02"


def saved(page: Page, kind: str) -> tuple[str, bytes]:
    """The name and the bytes of what the button saves."""
    with page.expect_download() as waiting:
        page.get_by_role("button", name=kind, exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def words(drawing: ElementTree.Element) -> list[str]:
    """Every text of a drawing, its lines together."""
    return ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]


def size_of_png(content: bytes) -> tuple[int, int]:
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", ["pareto", "cost"])
@pytest.mark.parametrize("scheme", some(["dark", "light"], 1))
def test_a_picture_carries_headline_sources_and_link(name: str, scheme: str, visit: Visit) -> None:
    page = visit()
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    charted(page, f"/{name}")
    file, content = saved(page, "SVG")
    assert file == f"kneepoint-{name}.svg"
    drawing = ElementTree.fromstring(content)
    told = words(drawing)
    assert plain(told[0]) == plain(headline(page))
    assert told[-2].startswith("Source: inferencex (20")
    assert "Kneepoint library" in told[-2]
    assert told[-1] == copied(page)
    (anchor,) = [one for one in drawing.iter(f"{SVG}a") if one.get("href")]
    assert anchor.get("href") == told[-1]
    chart = page.evaluate("document.querySelector('.js-plotly-plot')._fullLayout.height")
    width, height = float(drawing.get("width", 0)), float(drawing.get("height", 0))
    file, content = saved(page, "PNG")
    assert file == f"kneepoint-{name}.png"
    assert size_of_png(content) == (2 * width, 2 * height)
    assert height > chart + 3 * 18


def test_names_from_files_are_letters_of_a_picture(visit: Visit) -> None:
    page = charted(visit(), f"/pareto?{HOSTILE}")
    _, content = saved(page, "SVG")
    drawing = ElementTree.fromstring(content)
    assert {element.tag.removeprefix(SVG) for element in drawing.iter()} <= HARMLESS
    assert not [key for element in drawing.iter() for key in element.attrib if key.startswith("on")]
    links = [one.get("href") for one in drawing.iter(f"{SVG}a") if one.get("href")]
    assert [link for link in links if link and not link.startswith("http://127.0.0.1")] == []
    assert plain(words(drawing)[0]) == plain(headline(page))
    assert saved(page, "PNG")[1].startswith(b"\x89PNG")


def test_what_is_charted_is_a_table_to_paste_under_its_headline_and_link(visit: Visit) -> None:
    for name in ("cost", "crossover"):
        page = charted(visit(), f"/{name}")
        file, content = saved(page, "Markdown")
        assert file == f"kneepoint-{name}.md"
        about, link, table = content.decode().split("\n\n")
        assert plain(about.strip("*").replace("\\", "")) == plain(headline(page))
        assert link == f"<{copied(page)}>"
        assert 3 <= table.splitlines()[0].count(" | ") <= 11


def test_plotlys_own_camera_which_would_save_the_bare_chart_is_gone(visit: Visit) -> None:
    page = charted(visit(), "/pareto")
    titles = page.eval_on_selector_all(".modebar-btn", "all => all.map(one => one.dataset.title)")
    assert titles
    assert not [title for title in titles if title and "png" in title.lower()]
