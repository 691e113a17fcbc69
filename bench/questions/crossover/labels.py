"""A side in words: the same wherever it is named, in the list of pairs, in the boxes of sides and in the headline."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from bench import names, selection
from bench.chart import setting, value_label
from bench.view import FILTER_BY_KEY, View
from bench.wording import joined

UNNAMED = ("accelerator", "accelerators", "model", "series", "load_kind")
LOADS_AND_LENGTHS = ("isl", "osl", "concurrency", "batch", "request_rate")
OF_SERIES = ("precision", "engine", "variant", "speculation")
"""What is told of a side that is chosen by its series, whose ids say nothing."""


def of_side(
    own: View, accelerators: Collection[str], counts: Collection[int], facts: Iterable[Mapping[str, Any]] = ()
) -> str:
    """The side's accelerator, chips and other filters in words: "4 x TPU v6e, rvLLM".

    `accelerators` and `counts` are what it was measured on; `facts` what its points state, told of a side of series.
    """
    stated = own.values("accelerators")
    count = stated[0] if len(stated) == 1 else f"{next(iter(counts)):g}" if len(counts) == 1 else ""
    words = [hardware(accelerators or own.values("accelerator"), count)]
    for key, values in own.where:
        if key in UNNAMED:
            continue
        words.append(joined([_shown(key, value) for value in values], last="or"))
    if own.values("series"):
        held = list(facts)
        for key in OF_SERIES:
            found = {row[key] for row in held if row[key] is not None}
            if len(found) == 1:
                words.append(fact(key, found.pop()))
    return ", ".join(dict.fromkeys(word for word in words if word)) or "the side chosen"


def hardware(accelerators: Collection[str], count: str) -> str:
    """Chips and accelerator: "4 x TPU v6e"; the accelerator alone where the count is free or one, "" for many."""
    if not 0 < len(accelerators) <= 2:
        return ""
    name = " and ".join(sorted(value_label("accelerator", one) for one in accelerators))
    return f"{count} x {name}" if count not in ("", "1") and len(accelerators) == 1 else name


def fact(key: str, value: Any) -> str:
    """A fact as a label names it."""
    if key == "precision":
        return str(value).upper()
    if key == "speculation":
        return "no speculation" if value == "none" else f"{str(value).upper()} speculation"
    if key == "disaggregated":
        return "disaggregated" if value in (True, "true") else "not disaggregated"
    return value_label(key, value)


def written(value: Any) -> str:
    """A value as a filter writes it."""
    return str(value).lower() if isinstance(value, bool) else selection.written(value)


def _shown(key: str, value: str) -> str:
    if key in LOADS_AND_LENGTHS:
        try:
            return setting(key, float(value))
        except ValueError:
            return value
    row = FILTER_BY_KEY[key]
    if row.kind == "name":
        return names.display_name(row.column, value)
    return fact(key, value) if key in ("precision", "speculation", "disaggregated") else value
