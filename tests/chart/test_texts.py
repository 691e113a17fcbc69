"""Texts that are longer on a wider page, and the style sheet that shows one of them."""

from __future__ import annotations

import re
from pathlib import Path

from bench.chart.texts import FROM_PX, HIDDEN_BELOW_PX, ON_PHONES_TOO, by_width, from_width

LOOK = Path(__file__).parents[2] / "pages" / "server" / "look.css"


def test_the_first_is_shown_unless_the_style_sheet_says_otherwise():
    assert by_width(["tie"] * len(FROM_PX)) == "tie"
    assert by_width(["1%", "+1%", "A +1%"]) == (
        "<span style='--until:1100'>1%</span>"
        "<span style='--from:1100;display:none;--until:1400'>+1%</span>"
        "<span style='--from:1400;display:none'>A +1%</span>"
    )
    assert by_width(["", "", "A +1%"]) == "<span style='--from:1400;display:none'>A +1%</span>"
    assert from_width("H200", 700) == "<span style='--below:700'>H200</span>"


def test_the_style_sheet_knows_the_widths():
    css = LOOK.read_text(encoding="utf-8")
    for px in ON_PHONES_TOO[1:]:
        (rules,) = re.findall(rf"@media \(min-width: {px}px\) {{(.*?)\n  }}", css, re.DOTALL)
        assert f"--until:{px}" in rules
        assert f"--from:{px}" in rules
    for px in HIDDEN_BELOW_PX:
        assert f'@media (max-width: {px - 1}px) {{ .main-svg [style*="--below:{px}"] {{ display: none' in css
