"""The big sentence of a page, whose dates, hyphenated names and numbers with their units stay on one line each."""

from __future__ import annotations

import re

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from bench.plain_text import markdown, visible

UNIT = r"(?:%|x \S+|\S+/\S+|ms|s|USD|W|GB|times|tokens|requests|million|billion|trillion)(?!\w)"
WHOLE = re.compile(rf"(?<!\S)(?:\S*\d {UNIT}\S*|\S+-\S+)(?!\S)")
"""What reads badly when a line ends inside it. It ends and begins at spaces, where emphasis may end and begin too."""

LONGEST = 32
"""Characters; what is longer may break, or it would not fit on a narrow page."""


def headline(sentence: str, place: DeltaGenerator | None = None) -> None:
    """Draw the sentence, plain text, as the page's headline, in this place or next on the page."""
    (place or st).title(unbroken(sentence), anchor=False)


def unbroken(sentence: str) -> str:
    """The sentence as Markdown source in which what should not break is emphasised, which look.css draws unbroken.

    The characters themselves stay as they are, so that a copy of the sentence has no others.
    """
    return "".join(_parts(visible(sentence)))


def _parts(sentence: str) -> list[str]:
    parts, at = [], 0
    for found in WHOLE.finditer(sentence):
        if len(found[0]) <= LONGEST:
            parts += [markdown(sentence[at : found.start()]), f"*{markdown(found[0])}*"]
            at = found.end()
    return [*parts, markdown(sentence[at:])]
