"""The strips under the names of pairs, drawn."""

from __future__ import annotations

import re

from bench.chart import LIGHT
from bench.questions import crossover
from bench.view import View
from tests.questions.crossover.results import library_of, points


def test_no_text_of_a_strip_is_wider_than_its_cell(tmp_path):
    """At 800 px the cell at 768 of the list is 33 px wide and that at 512 is 38: "A +126%" does not fit either."""
    leads = {1: -51, 8: -61, 64: -32, 128: 2, 256: 68, 512: 126, 768: 162}
    library = library_of(
        tmp_path,
        points("h100-sxm", {x: 100 * (1 + lead / 100 if lead > 0 else 1) for x, lead in leads.items()}),
        points("h200-sxm", {x: 100 * (1 - lead / 100 if lead < 0 else 1) for x, lead in leads.items()}),
    )
    drawn = crossover.figure(crossover.answer(library, View()).result, LIGHT)
    (texts,) = [trace.text for trace in drawn.data if trace.type == "scatter" and trace.mode == "text"]
    assert [shown_at(text, 800) for text in texts] == [
        "B +51%", "B +61%", "B +32%", "A +2.0%", "A +68%", "+126%", "162%"]  # fmt: skip
    assert [shown_at(text, 1440) for text in texts][-2:] == ["A +126%", "A +162%"]


def shown_at(text: str, width: int) -> str:
    """What of a text the style sheet shows on a page of this width, by its rules."""
    if not text.startswith("<"):
        return text
    (shown,) = [
        words
        for style, words in re.findall(r"<span style='([^']*)'>([^<]*)</span>", text)
        if all(width >= int(px) for px in re.findall(r"--from:(\d+)", style))
        and all(width < int(px) for px in re.findall(r"--until:(\d+)", style))
    ]
    return shown
