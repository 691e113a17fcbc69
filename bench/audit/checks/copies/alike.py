"""What both kinds of copies are told by and in: which points count, how many digits a figure has, where copies are."""

from __future__ import annotations

from collections.abc import Sequence

DIGITS = 9
"""One point is a copy where its figures have so many significant digits together: chance is one in a billion."""
EVIDENCE = "evidence IN ('measured', 'unverified')"
LISTED = 40


def where(sources: Sequence[str]) -> str:
    """The sources that hold the same, and their verb."""
    return f"{sources[0]} holds" if len(sources) == 1 else f"{' and '.join(sources)} both hold"


def digits(text: str) -> str:
    """How many digits a figure in this SQL has without the zeros around them."""
    return f"length(trim(regexp_replace({text}, '[^0-9]', '', 'g'), '0'))"
