"""What does not break in a headline."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from bench.plain_text import markdown
from pages.shared.headlines import unbroken

MARKED = re.compile(r"(?<!\\)\*(.+?)(?<!\\)\*")


def test_dates_hyphenated_names_and_numbers_with_units_are_kept_whole_unless_too_long() -> None:
    told = f"DeepSeek-R1 on 8 x H200-SXM, since 2026-06-11: 416 % of 2.49 USD/h at {'a-' * 40}b is it."
    whole = [re.sub(r"\\(.)", r"\1", found) for found in MARKED.findall(unbroken(told))]
    assert whole == ["DeepSeek-R1", "8 x H200-SXM,", "2026-06-11:", "416 %", "2.49 USD/h"]


@given(st.text(alphabet="ab-*_1 %[]()<>:/@\\$\n", max_size=60))
def test_a_headline_is_its_sentence_and_nothing_of_it_acts(sentence: str) -> None:
    assert re.sub(r"(?<!\\)((?:\\\\)*)\*", r"\1", unbroken(sentence)) == markdown(sentence)
