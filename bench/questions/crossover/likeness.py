"""In what the two sides of a pair are unlike, and what is mixed within one: told before the verdict."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.chart import value_label
from bench.flags import words as flag_words
from bench.library import Library
from bench.questions.crossover.labels import fact
from bench.wording import counted, joined, number

LAYOUT = ("tp", "pp", "dp", "ep")
DETAILS = (
    "point_id", "model", "precision", "kv_precision", "engine", "engine_version", "accelerator", "accelerators", "tp",
    "pp", "dp", "ep", "speculation", "disaggregated", "prefix_caching", "variant", "harness", "source", "date", "isl",
    "osl", "context_tokens", "max_model_len", "dataset", "concurrency", "batch", "request_rate", "load_kind",
    "evidence", "flags", "source_url",
)  # fmt: skip
COMPARED = {
    "engine": "engine",
    "precision": "precision",
    "kv_precision": "KV precision",
    "speculation": "speculation",
    "harness": "harness",
    "source": "source",
    "dataset": "data set",
    "max_model_len": "context limit",
}
MIXED = {
    "accelerator": "accelerator",
    "engine": "engine",
    "engine_version": "engine version",
    "precision": "precision",
    "speculation": "speculation",
    "harness": "harness",
    "variant": "variant",
    "source": "source",
}
PLURALS = {"harness": "harnesses", "precision": "precisions", "speculation": "kinds of speculation"}
DAYS_APART = 30
NAMED_VALUES = 3

Point = Mapping[str, Any]


def details(library: Library, point_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What is told of each of these points, by its id; None where it is not stated."""
    found = library.fetch(
        f"SELECT {', '.join(DETAILS)} FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))",
        (list(dict.fromkeys(point_ids)),),
    )
    return {row[0]: dict(zip(DETAILS, row, strict=True)) for row in found}


def unlike(labels: tuple[str, str], a: Sequence[Point], b: Sequence[Point]) -> list[str]:
    """The sentences of the banner: what differs between the sides, what is stated on one only, and their flags."""
    told = []
    differing = []
    one_sided = []
    for key, words in {
        **COMPARED,
        "isl": "input length",
        "osl": "output length",
        "context_tokens": "context",
    }.items():
        one, other = _values(a, key), _values(b, key)
        if one and other and set(one) != set(other):
            differing.append(f"{words} ({_named(key, one)} against {_named(key, other)})")
        elif bool(one) != bool(other) and key in ("isl", "osl", "context_tokens", "precision", "engine"):
            side = 0 if one else 1
            one_sided.append(f"{words} {_named(key, one or other)} for {labels[side]}")
    chips = [_values(side, "accelerators") for side in (a, b)]
    if all(chips) and set(chips[0]) != set(chips[1]):
        differing.append(
            f"chips ({_named('accelerators', chips[0])} against {_named('accelerators', chips[1])})"
        )
    if differing:
        told.append(f"Unlike: {joined(differing, at_most=12)}.")
    if one_sided:
        told.append(f"Stated on one side only: {joined(one_sided)}.")
    told += _dates(labels, a, b)
    told += _flags(labels, a, b)
    return told


def mixed(labels: tuple[str, str], a: Sequence[Point], b: Sequence[Point]) -> list[str]:
    """What differs within a side, besides the load."""
    told = []
    for label, side in zip(labels, (a, b), strict=True):
        parts = [
            f"{counted(len(values), words, PLURALS.get(words))} ({_named(key, values)})"
            for key, words in MIXED.items()
            if len(values := _values(side, key)) > 1
        ]  # fmt: skip
        layouts = {tuple(point[key] for key in ("accelerators", *LAYOUT)) for point in side}
        if len(layouts) > 1:
            parts.append(f"{len(layouts)} layouts, the best at each place")
        if parts:
            told.append(f"{label} mixes {joined(parts)}.")
    return told


def layout(point: Point) -> str:
    """What won at a place: chips, layout and variant."""
    chips = (
        f"{point['accelerators']:g} chips"
        if point["accelerators"] and point["accelerators"] > 1
        else "1 chip"
    )
    words = [chips] if point["accelerators"] else []
    words += [f"{key} {point[key]:g}" for key in LAYOUT if point[key] and point[key] > 1]
    words += [str(point[key]) for key in ("engine_version", "variant") if point[key]]
    if point["date"] is not None:
        words.append(point["date"].isoformat())
    return ", ".join(words)


def of_one_kind(*points: Point) -> bool:
    """Whether these differ in nothing that tells runs apart but chips, layout, engine version and date."""
    told = [key for key in MIXED if key != "engine_version"]
    return len({tuple(point[key] for key in told) for point in points}) < 2


def _values(side: Sequence[Point], key: str) -> list[Any]:
    return sorted(
        {point[key] for point in side if point[key] is not None}, key=lambda value: (str(type(value)), value)
    )


def _named(key: str, values: Sequence[Any]) -> str:
    if key in ("isl", "osl", "context_tokens", "max_model_len"):
        return joined([f"{number(value)}" for value in values], at_most=NAMED_VALUES) + " tokens"
    words = [fact(key, value) if isinstance(value, str) else value_label(key, value) for value in values]
    return joined(words, at_most=NAMED_VALUES)


def _dates(labels: tuple[str, str], a: Sequence[Point], b: Sequence[Point]) -> list[str]:
    days = [[point["date"] for point in side if point["date"] is not None] for side in (a, b)]
    if all(days):
        apart = max(max(days[0]) - min(days[1]), max(days[1]) - min(days[0])).days
        if apart > DAYS_APART:
            spans = [_span(side) for side in days]
            return [f"Measured up to {apart} days apart: {labels[0]} {spans[0]}, {labels[1]} {spans[1]}."]
    elif any(days):
        dated = 0 if days[0] else 1
        return [f"{labels[dated]} was measured {_span(days[dated])}; {labels[1 - dated]} states no date."]
    return []


def _span(days: Sequence[datetime.date]) -> str:
    first, last = min(days).isoformat(), max(days).isoformat()
    return f"on {first}" if first == last else f"between {first} and {last}"


def _flags(labels: tuple[str, str], a: Sequence[Point], b: Sequence[Point]) -> list[str]:
    told = []
    for label, side in zip(labels, (a, b), strict=True):
        kinds = Counter(
            kind for point in side for kind in {flag["kind"] for flag in json.loads(point["flags"] or "[]")}
        )
        if kinds:
            words = [f"{flag_words(kind)} on {count} of {len(side)}" for kind, count in sorted(kinds.items())]
            told.append(f"Flags of {label}: {joined(words)}.")
    return told
