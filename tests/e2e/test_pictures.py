"""A chart that leaves the app: a picture with its headline, sources and link, tables, and a bundle of its points."""

from __future__ import annotations

import csv
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from bench.library import Library
from tests.e2e.browsing import CHART, charted, copied, drawn_points, follow, saved, settled, whole_headline
from tests.thorough import some

SVG = "{http://www.w3.org/2000/svg}"


def words(drawing: ElementTree.Element) -> list[str]:
    """Every text of a drawing, its lines together."""
    return ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]


def size_of_png(content: bytes) -> tuple[int, int]:
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", content[16:24])
    return width, height


def plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("scheme", some(["dark", "light"], 1))
def test_a_picture_and_a_table_carry_headline_sources_and_link(scheme: str, tab: Page) -> None:
    page = tab
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    charted(page, "/pareto")
    assert_carried_by_files(page, "pareto")
    # Plotly's own camera, which would save the bare chart, is gone.
    titles = page.eval_on_selector_all(".modebar-btn", "all => all.map(one => one.dataset.title)")
    assert titles
    assert not [title for title in titles if title and "png" in title.lower()]
    for title in some(["Crossover", "Cost"], 1):
        follow(page, title, f"{title.lower()}?*v=2")
        expect(page.locator(CHART).first).to_be_visible()
        settled(page)
        assert_carried_by_files(page, title.lower())


def assert_carried_by_files(page: Page, name: str) -> None:
    """What the page says, its sources and its link are in the picture of its chart and in its table to paste."""
    told, link = whole_headline(page), copied(page)
    file, content = saved(page, "SVG")
    assert file == f"kneepoint-{name}.svg"
    drawing = ElementTree.fromstring(content)
    written = words(drawing)
    assert plain(written[0]) == plain(told)
    assert written[-2].startswith("Source: inferencex (20")
    assert "Kneepoint library" in written[-2]
    assert written[-1] == link
    (anchor,) = [one for one in drawing.iter(f"{SVG}a") if one.get("href")]
    assert anchor.get("href") == link
    chart = page.evaluate("document.querySelector('.js-plotly-plot')._fullLayout.height")
    width, height = float(drawing.get("width", 0)), float(drawing.get("height", 0))
    assert height > chart + 3 * 18
    file, content = saved(page, "PNG")
    assert file == f"kneepoint-{name}.png"
    assert size_of_png(content) == (2 * width, 2 * height)
    file, content = saved(page, "Markdown")
    assert file == f"kneepoint-{name}.md"
    about, below, table = content.decode().split("\n\n")
    assert plain(about.strip("*").replace("\\", "")) == plain(told)
    assert below == f"<{link}>"
    assert 3 <= table.splitlines()[0].count(" | ") <= 11


def test_what_is_drawn_is_saved_as_csv_and_taken_along_in_a_bundle(tab: Page, tmp_path: Path) -> None:
    """Points of a source that continues another get ids of their own elsewhere, those of any other keep theirs."""
    page = charted(tab, "/pareto?model=qwen3.5-397b-a17b")
    drawn = drawn_points(page)
    assert drawn
    file, content = saved(page, "CSV")
    assert file == "kneepoint-pareto.csv"
    assert {row["point_id"] for row in csv.DictReader(content.decode().splitlines())} == drawn
    page.get_by_role("button", name="Export").click()
    file, content = saved(page, "Bundle for another Kneepoint")
    assert file == "kneepoint-pareto-bundle.zip"
    (tmp_path / "bundle.zip").write_bytes(content)
    other = Library.open(tmp_path / "library", shipped=False)
    assert not other.add([tmp_path / "bundle.zip"]).refused
    assert drawn <= {point for (point,) in other.fetch("SELECT point_id FROM points")}
