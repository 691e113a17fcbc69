"""The answers that are held against their points: those of every question about the stories with the most points.

Which stories follows from the library, so that the same checks hold for any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any
from weakref import WeakKeyDictionary

from bench import catalogue
from bench.basis.document import HIDDEN, records
from bench.basis.points import PointFacts
from bench.basis.prices import ChipPrice
from bench.errors import BenchError
from bench.library import Library
from bench.questions import Answer, question, questions
from bench.selection import written
from bench.view import View
from bench.wording import number
from tests.questions.audited import reference_answers
from tests.questions.audited.reference_answers import PlainRows

STORIES = 6
"""About so many stories every question is asked."""

PAIRS = 2
"""And of so many pairs of models at one precision and workload, side by side."""

MOST = 20_000
"""A story of more points is left to the others: its points are read one by one."""

SLACK = 1e-6
"""Figures this close are equal: what is left is the rounding of their sums."""

KEPT = ("model", "precision", "isl", "osl")
SIDES = {"point_id": "", "a_point_id": "a_", "b_point_id": "b_"}
"""The columns that name the point of a row, and what the columns of its figures begin with."""


@dataclass(frozen=True)
class Contradiction:
    """What an answer says and its points do not, in a sentence; `about` tells those of all answers from each other."""

    text: str
    about: str
    point_ids: tuple[str, ...] = ()


@dataclass(frozen=True)
class AuditedAnswer:
    """One answer, by the question's name, and the plain reading of all that it may rest on."""

    name: str
    answer: Answer[Any]
    reading: PlainRows

    @property
    def view(self) -> View:
        """What was asked, complete."""
        return self.answer.view

    @cached_property
    def figures(self) -> tuple[tuple[str, str, float], ...]:
        """What the answer shows of single points: point, metric and value."""
        return tuple(figures(self.answer))


Answers = tuple[tuple[AuditedAnswer, ...], ...]
KNOWN: WeakKeyDictionary[Library, tuple[str, Answers]] = WeakKeyDictionary()
"""The answers of each library that is open, and of which version of it."""


def of_stories(library: Library) -> Answers:
    """What every question answers of each story; asked once for each state of the library."""
    version = library.version
    if KNOWN.get(library, ("", ()))[0] != version:
        told = (
            tuple(of_view(library, view, reference_answers.read(library, view)))
            for view in (*stories(library), *pairs(library))
        )
        KNOWN[library] = version, tuple(told)
    return KNOWN[library][1]


def of_view(library: Library, view: View, reading: PlainRows) -> Iterator[AuditedAnswer]:
    """What every question answers of a View; nothing of one that declines it."""
    for name in questions():
        try:
            yield AuditedAnswer(name, question(name).answer(library, view), reading)
        except BenchError:
            continue


def stories(library: Library) -> list[View]:
    """The model, precision and lengths of the most measured points; what a story does not state stays open."""
    rows = library.fetch(
        f"SELECT {', '.join(KEPT)} FROM points WHERE evidence = 'measured' AND model IS NOT NULL GROUP BY ALL"
        f" HAVING count(*) <= {MOST} ORDER BY count(*) DESC, {', '.join(KEPT)} LIMIT {STORIES}"
    )
    stated = ({key: [written(one)] for key, one in zip(KEPT, row, strict=True) if one is not None} for row in rows)
    return list(dict.fromkeys(View.of(where) for where in stated))


def pairs(library: Library) -> list[View]:
    """Two models side by side at the precision and lengths at which both have the most measured points."""
    named = " AND ".join(f"one.{key} = other.{key}" for key in KEPT[1:])
    rows = library.fetch(
        f"WITH held AS (SELECT {', '.join(KEPT)}, count(*) AS many FROM points WHERE evidence = 'measured'"
        f" AND model IS NOT NULL GROUP BY ALL HAVING many <= {MOST // 2}) SELECT [one.model, other.model],"
        f" {', '.join(f'one.{key}' for key in KEPT[1:])} FROM held AS one JOIN held AS other"
        f" ON one.model < other.model AND {named} ORDER BY least(one.many, other.many) DESC, 1, 2, 3, 4 LIMIT {PAIRS}"
    )
    return [
        View.of({"model": models, **{key: [written(one)] for key, one in zip(KEPT[1:], row, strict=True)}})
        for models, *row in rows
    ]


def contradictions(
    library: Library, of_one: Callable[[AuditedAnswer], Iterator[Contradiction]]
) -> Iterator[Contradiction]:
    """What a check of one answer finds in those of every story."""
    for told in of_stories(library):
        for one in told:
            yield from of_one(one)


def contradiction(case: AuditedAnswer, what: str, *ids: str, about: str = "") -> Contradiction:
    """What is wrong with an answer: which question of which View, what it says and what follows from its points."""
    where = ", ".join(" ".join((key, *values)) for key, values in case.view.where)
    key = f"{case.name}?{case.view.query()} {about}"
    return Contradiction(f"{case.name} of {where}: {what}.", key, ids)


def is_close(one: float, other: float) -> bool:
    """Whether two figures are the same but for rounding."""
    return abs(one - other) <= SLACK * max(abs(one), abs(other))


def apart(shown: float, held: float, what: str) -> str:
    """Two figures that should be one, in words."""
    return f"{what} is {number(shown)}, by the points {number(held)}"


def figures(answer: Answer[Any]) -> Iterator[tuple[str, str, float]]:
    """Every figure of a measured point that the rows of an answer show: point, metric and value.

    What lies between points, or is drawn and not ranked, is none.
    """
    metric, rows = getattr(answer.result, "metric", None), answer.rows
    hollow = {one.facts.point_id for one in getattr(answer.result, "hollow", ())}
    for column, prefix in SIDES.items():
        shown = {key: held for key in rows.columns if (held := _metric(key, prefix, metric))}
        if column not in rows or not shown:
            continue
        unlike = [key for key in ("interpolated", "enters") if key in rows]
        for row in records(rows[[column, *shown, *unlike]]):
            id = row[column]
            if id is None or id in hollow or row.get("interpolated") or row.get("enters") is False:
                continue
            yield from ((id, held, float(row[key])) for key, held in shown.items() if row[key] is not None)


def _metric(column: str, prefix: str, metric: str | None) -> str:
    """The metric that a column holds of the point that a row names with this prefix; "" for none of its own."""
    if metric and column == "value":
        return metric
    key = column.removeprefix(prefix)
    of_point = column.startswith(prefix) and catalogue.is_metric(key) and key not in catalogue.PRICED
    return key if of_point else ""


def prices(answer: Answer[Any]) -> dict[str, set[float]]:
    """Every price of a chip and hour that an answer's result holds, by accelerator; those a reader states left out."""
    usd_by_chip: dict[str, set[float]] = {}
    for one in _within(answer.result):
        if not (one.stated or one.printed):
            usd_by_chip.setdefault(one.accelerator, set()).add(one.usd)
    return usd_by_chip


def _within(held: object) -> Iterator[ChipPrice]:
    if isinstance(held, ChipPrice):
        yield held
    elif is_dataclass(held) and not isinstance(held, type | PointFacts):
        for one in fields(held):
            if not one.metadata.get(HIDDEN):
                yield from _within(getattr(held, one.name))
    elif isinstance(held, Mapping):
        for entry in held.values():
            yield from _within(entry)
    elif isinstance(held, Sequence) and not isinstance(held, str):
        for entry in held:
            yield from _within(entry)
