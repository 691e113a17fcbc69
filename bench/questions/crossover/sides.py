"""The two sides a reader chose: in words, and the one workload of each that is compared."""

from __future__ import annotations

from dataclasses import replace

from bench.chart import value_label
from bench.library import Library
from bench.questions.crossover import asked as asking
from bench.questions.crossover import curves, likeness, sentences, versus
from bench.questions.crossover import labels as labels_of
from bench.questions.crossover.asked import ALONG, LOADS, Asked
from bench.questions.crossover.curves import Group
from bench.questions.crossover.versus import Match, Side
from bench.view import View
from bench.wording import joined


def matched(library: Library, view: View, asked: Asked) -> Match:
    """Both sides with what was measured of the workloads that share the most of the axis, or why none can be."""
    owns = (asked.a or View(), asked.b or View())
    conditions = [asking.of_side(view, own) for own in (asked.a, asked.b)]
    held = [curves.groups(library, condition, asked.along, asked.metric) for condition in conditions]
    found, reason = versus.fitting(held[0], held[1], asked.along) if all(held) else (None, "")
    used = [[group] for group in found] if found else held
    if found is None:
        # What is told is of everything a side holds, not only of the counts of chips with this metric on this axis.
        used = [[replace(group, counts=()) for group in groups] for groups in used]
    a, b = (_label(library, own, groups) for own, groups in zip(owns, used, strict=True))
    labels = (a, b) if a != b else (f"A ({a})", f"B ({b})")
    if found is None:
        empty = [Side(words, ()) for words in labels]
        return Match(empty[0], empty[1], _nothing(library, view, asked, labels) or reason)
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
    """Why two sides cannot be compared: no model of both, other loads, or no such metric; "" for none of these."""
    held = []
    for own in (asked.a, asked.b):
        condition = asking.of_side(view, own)
        figures = f'count("{asked.metric.key}")' if library.has(asked.metric.key) else "0"
        held.append(
            library.fetch(
                "SELECT coalesce(list(DISTINCT model ORDER BY model), []),"
                f" coalesce(list(DISTINCT load_kind ORDER BY load_kind), []), {figures}, count(({ALONG[asked.along]})),"
                f" count(*) FROM points WHERE {condition.sql}",
                condition.params,
            )[0]
        )
    for words, row in zip(labels, held, strict=True):
        if not row[4]:
            return f"nothing is measured of {words}"
    if told := _no_model(labels, *([value_label("model", one) for one in row[0]] for row in held)):
        return told
    if asked.along in LOADS and not set(held[0][1]) & set(held[1][1]):
        return f"the kinds of load differ, {joined(held[0][1])} against {joined(held[1][1])}"
    for words, row in zip(labels, held, strict=True):
        if not row[2]:
            return f"{words} states no {sentences.subject(replace(asked, per='raw'))}"
        if not row[3]:
            return f"{words} states no {asking.along_words(asked.along)}"
    return ""


def _no_model(labels: tuple[str, str], a: list[str], b: list[str]) -> str:
    """That no model was measured on both sides; "" when one was."""
    if set(a) & set(b):
        return ""
    if len(a) == len(b) == 1:
        return f"the models differ, {a[0]} against {b[0]}"
    return (
        f"no model was measured on both, only {joined(a, at_most=2)} on {labels[0]} and {joined(b, at_most=2)} on"
        f" {labels[1]}"
    )


def _label(library: Library, own: View, groups: list[Group]) -> str:
    chips = {chip for group in groups for chip in group.accelerators}
    counts = {count for group in groups for count in group.counts}
    points = likeness.details(library, [group.point_id for group in groups]) if own.values("series") else {}
    return labels_of.of_side(own, chips, counts, points.values())
