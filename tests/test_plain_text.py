"""Text from outside shows letter for letter and never acts."""

from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from bench import plain_text


@given(st.text())
def test_nothing_invisible_is_left(text):
    assert plain_text.visible(text).isprintable() or all(
        character.isprintable() or character.isspace() for character in plain_text.visible(text)
    )
    assert "\x1b" not in plain_text.terminal(text)
    assert "\N{RIGHT-TO-LEFT OVERRIDE}" not in plain_text.visible(text)
    assert plain_text.visible("a\N{RIGHT-TO-LEFT OVERRIDE}b") == "a\N{WHITE MEDIUM SMALL SQUARE}U+202Eb"


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs"))))
def test_html_reads_back_as_the_text(text):
    escaped = plain_text.html(text)
    assert html.unescape(escaped) == text
    assert "<" not in escaped
    assert "%{" not in escaped


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs"))))
def test_markdown_escapes_every_active_mark(text):
    escaped = plain_text.markdown(text)
    assert re.sub(r"\\(.)", r"\1", escaped).replace(plain_text.WORD_JOINER, "") == text
    assert not re.search(r"(?<!\\)(?:\\\\)*[*_`$\[\]<>]", escaped)


def test_an_address_in_markdown_is_no_address_to_link_to():
    for text in ("https://evil.example/x", "see HTTP://evil.example", "www.evil.example", "me@evil.example"):
        read = re.sub(r"\\(.)", r"\1", plain_text.markdown(text))
        assert read.replace(plain_text.WORD_JOINER, "") == text
        assert not re.search(r"://|www\.|\w@", read, re.IGNORECASE)
