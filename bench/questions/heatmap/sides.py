"""The two sides of a ratio: those asked for that are loaded, and the words for each."""

from __future__ import annotations

from bench import names, selection
from bench.chart import setting, value_label
from bench.errors import UsageError
from bench.library import Library
from bench.view import FILTER_BY_KEY, View

NONE = "none"
SIDES = ("ratio_a", "ratio_b")


def asked(library: Library, view: View, by: str) -> tuple[str, str]:
    """The sides asked for that are loaded; "" for the others."""
    a, b = (value if value and _is_loaded(library, by, value) else "" for value in map(view.option, SIDES))
    return (a, "") if a == b else (a, b)


def _is_loaded(library: Library, by: str, value: str) -> bool:
    try:
        return not selection.not_loaded(library, View.of({by: [value]}))
    except UsageError:
        return False


def views(whole: View) -> tuple[View, View] | None:
    """What each side of a complete View's ratio selects; None when it is no ratio."""
    by = whole.option("ratio_by")
    if by == NONE:
        return None
    return View.of({by: [whole.option("ratio_a")]}), View.of({by: [whole.option("ratio_b")]})


def in_words(whole: View) -> tuple[str, str] | None:
    """The words for both sides of a complete View's ratio; None when it is no ratio."""
    by = whole.option("ratio_by")
    if by == NONE:
        return None
    a, b = (whole.option(key) for key in SIDES)
    if FILTER_BY_KEY[by].kind == "number":
        return setting(by, float(a)), setting(by, float(b))
    return _name(by, a), _name(by, b)


def _name(by: str, value: str) -> str:
    """The words for one side; a family of accelerators in capitals, as they are written."""
    if by == "series":
        return f"series {value}"
    slugs = names.matching(by, value) if FILTER_BY_KEY[by].kind == "name" else (value,)
    return value_label(by, slugs[0]) if len(slugs) == 1 else value.upper()


def given_way(view: View, whole: View) -> tuple[str, ...]:
    """What of a ratio was asked for and could not be, a sentence each."""
    sentences = []
    if view.option("ratio_by", NONE) != whole.option("ratio_by"):
        sentences.append(f"This selection has no two values of {view.option('ratio_by')} to divide.")
    for key in SIDES:
        if view.option(key) and whole.option(key) and view.option(key) not in map(whole.option, SIDES):
            sentences.append(
                f"{view.option(key)} cannot be a side of this ratio; it is {whole.option(key)} instead."
            )
    return tuple(sentences)
