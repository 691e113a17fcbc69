"""What does not break in a headline."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bench.plain_text import markdown
from pages.shared.headlines import unbroken

MARKED = re.compile(r"(?<!\\)\*(.+?)(?<!\\)\*")


def whole(sentence: str) -> list[str]:
    """What is kept on a line, without its escapes."""
    return [re.sub(r"\\(.)", r"\1", found) for found in MARKED.findall(unbroken(sentence))]


def test_dates_hyphenated_names_and_numbers_with_units_are_kept_whole():
    assert whole("DeepSeek-R1 on 8 x H200-SXM, since 2026-06-11: 416 % of 2.49 USD/h at batch 64.") == [
        "DeepSeek-R1",
        "8 x H200-SXM,",
        "2026-06-11:",
        "416 %",
        "2.49 USD/h",
    ]


def test_what_is_too_long_for_a_narrow_page_may_break():
    assert whole(f"{'a-' * 40}b is it") == []


@given(st.text(alphabet="ab-*_1 %[]()<>:/@\\$\n", max_size=60))
def test_a_headline_is_its_sentence_and_nothing_of_it_acts(sentence: str):
    shown = unbroken(sentence)
    assert re.sub(r"(?<!\\)((?:\\\\)*)\*", r"\1", shown) == markdown(sentence)
