"""The two sides a reader chose: in words, and the one workload of each that is compared."""

from __future__ import annotations

from dataclasses import replace

from bench import names
from bench.chart import title, value_label
from bench.library import Library
from bench.questions.crossover import asked as asking
from bench.questions.crossover import curves, likeness, sentences, versus
from bench.questions.crossover.asked import Asked
from bench.questions.crossover.curves import Group
from bench.questions.crossover.versus import Match, Side
from bench.view import FILTER_BY_KEY, View
from bench.wording import joined


def matched(library: Library, view: View, asked: Asked) -> Match:
    """Both sides with what was measured of the workloads that share the most of the axis, or why none can be."""
    conditions = [asking.of_side(view, own) for own in (asked.a, asked.b)]
    held = [curves.groups(library, condition, asked.along, asked.metric) for condition in conditions]
    a, b = (
        _label(library, own or View(), groups) for own, groups in zip((asked.a, asked.b), held, strict=True)
    )
    labels = (a, b) if a != b else (f"A ({a})", f"B ({b})")
    empty = [Side(words, ()) for words in labels]
    if not all(held):
        return Match(empty[0], empty[1], _nothing(library, view, asked, labels))
    found, reason = versus.fitting(held[0], held[1], asked.along)
    if found is None:
        return Match(empty[0], empty[1], reason)
    full = []
    for words, condition, group in zip(labels, conditions, found, strict=True):
        only = curves.narrowed(condition, asked.along, group.fixed)
        full.append(Side(words, curves.measured(library, only, asked.along, asked.metric)))
    left_out = [
        sum(len(one.xs) for one in groups) - len(group.xs) for groups, group in zip(held, found, strict=True)
    ]
    return Match(full[0], full[1], "", (left_out[0], left_out[1]))


def label(library: Library, view: View, asked: Asked, key: str) -> str:
    """A chosen side in words."""
    own = asked.a if key == "a" else asked.b
    groups = curves.groups(library, asking.of_side(view, own), asked.along, asked.metric)
    return _label(library, own or View(), groups)


def _nothing(library: Library, view: View, asked: Asked, labels: tuple[str, str]) -> str:
    """Why two sides cannot be compared of which one has no curve: other models, other loads, or another metric."""
    held = []
    for own in (asked.a, asked.b):
        condition = asking.of_side(view, own)
        figures = f'count("{asked.metric.key}")' if library.has(asked.metric.key) else "0"
        held.append(
            library.fetch(
                "SELECT coalesce(list(DISTINCT model ORDER BY model), []),"
                f" coalesce(list(DISTINCT load_kind ORDER BY load_kind), []), {figures}, count(*) FROM points"
                f" WHERE {condition.sql}",
                condition.params,
            )[0]
        )
    for words, row in zip(labels, held, strict=True):
        if not row[3]:
            return f"nothing is measured of {words}"
    models = [[value_label("model", one) for one in row[0]] for row in held]
    if not set(models[0]) & set(models[1]):
        return f"the models differ, {joined(models[0], at_most=2)} against {joined(models[1], at_most=2)}"
    if asked.along in asking.LOADS and not set(held[0][1]) & set(held[1][1]):
        return f"the kinds of load differ, {joined(held[0][1])} against {joined(held[1][1])}"
    for words, row in zip(labels, held, strict=True):
        if not row[2]:
            return f"{words} states no {sentences.subject(replace(asked, per='raw'))}"
    return f"nobody measured both along {asking.along_words(asked.along)} with this metric"


def _label(library: Library, own: View, groups: list[Group]) -> str:
    """The side's accelerator, chips and other filters in words; of series what tells their points."""
    chips = sorted({chip for group in groups for chip in group.accelerators})
    accelerator = (
        " and ".join(value_label("accelerator", chip) for chip in chips) if 0 < len(chips) <= 2 else ""
    )
    if not accelerator:
        accelerator = ", ".join(
            names.display_name("accelerator", value) for value in own.values("accelerator")
        )
    stated = own.values("accelerators")
    counts = {count for group in groups for count in group.counts}
    only = stated[0] if len(stated) == 1 else str(next(iter(counts))) if len(counts) == 1 else ""
    if only not in ("", "1") and accelerator and len(chips) < 2:
        accelerator = f"{only} x {accelerator}"
    words = [accelerator] if accelerator else []
    for key, values in own.where:
        if key in ("accelerator", "accelerators", "model", "series"):
            continue
        row = FILTER_BY_KEY[key]
        shown = [
            names.display_name(row.column, value) if row.kind == "name" else _shown(key, value)
            for value in values
        ]
        words.append(" or ".join(shown))
    if own.values("series") and groups:
        points = likeness.details(library, [group.point_id for group in groups])
        for key in ("engine", "variant"):
            found = {point[key] for point in points.values() if point[key]}
            if len(found) == 1:
                words.append(value_label(key, found.pop()))
    return ", ".join(words) or "the side chosen"


def _shown(key: str, value: str) -> str:
    if key == "precision":
        return value.upper()
    if key in ("isl", "osl", "tp", "concurrency", "batch", "request_rate"):
        return f"{title(key).split(' (')[0].lower()} {value}"
    return value
