"""The names that a misspelled word may have meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from bench import catalogue, names
from bench.library import Library
from bench.questions import question, questions
from bench.suggestions.words import KINDS, METRICS, loaded, pages

CLOSE = 0.75
"""Words that are less alike than this are not taken for each other."""

SHORTEST, LONGEST = 3, 40


def nearest(library: Library, unknown: Sequence[str]) -> list[str]:
    """The name that each of these words is spelled most like, of equals the one with most points; none that is far."""
    known = _spellings(library)
    found = (_near(word.lower(), known) for word in unknown if SHORTEST <= len(word) <= LONGEST)
    return list(dict.fromkeys(name for name in found if name))


def _near(word: str, known: dict[str, str]) -> str | None:
    def alike(spelling: str) -> float:
        match = SequenceMatcher(None, word, spelling)
        return match.ratio() if match.real_quick_ratio() >= CLOSE <= match.quick_ratio() else 0.0

    best = max(known, key=alike, default="")
    return known[best] if best and alike(best) >= CLOSE else None


def _spellings(library: Library) -> dict[str, str]:
    """What a word may be spelled like, with the name people read: of one spelling the one with most points."""
    known: dict[str, str] = {}
    for kind in KINDS:
        if kind == "precision":
            continue
        for slug in dict.fromkeys([*loaded(library, kind), *(row.slug for row in names.rows(kind))]):
            name = names.display_name(kind, slug)
            for spelling in (slug, *re.split(r"[^a-z0-9.]+", f"{slug} {name}".lower())):
                if len(spelling) >= SHORTEST and not spelling.isdigit():
                    known.setdefault(spelling, name)
    for word, base in METRICS.items():
        known.setdefault(word, catalogue.BASES[base].label)
    for page, words in pages().items():
        title = question(page).TITLE if page in questions() else page.title()
        for word in sorted(words):
            if len(word) > SHORTEST:
                known.setdefault(word, title)
    return known
