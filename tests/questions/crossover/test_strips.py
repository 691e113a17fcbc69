"""The strips under the names of pairs, drawn."""

from __future__ import annotations

import re

from bench.chart import LIGHT
from bench.questions.crossover import strips


def test_no_text_of_a_strip_is_wider_than_its_cell():
    """At 800 px the cell at 768 of the list is 33 px wide and that at 512 is 38: "A +126%" does not fit either."""
    knots = [{"x": x, "lead_percent": lead, "tie": False, "settled": True, "a": 1, "b": 1}
             for x, lead in ((1, -51), (8, -61), (64, -32), (128, 2), (256, 68), (512, 126), (768, 162))]  # fmt: skip
    pair = {"pair": 0, "strip": knots, "crossings": [], "label_a": "A", "label_b": "B"}
    numbers = {"pairs": [pair], "along": "batch", "metric": "output_tokens_per_s", "unit": "tokens/s"}
    drawn = strips.of_pairs(numbers, LIGHT)
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
