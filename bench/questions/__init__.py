"""The questions. Each is one module of this folder, found by listing it.

A question's module states TITLE, QUESTION, SECTION, ORDER, NEEDS, OPTIONS, COLUMNS and STEPS and has the functions of
`Question`. Page, command line, report and HTTP API only present what they return, so they can never disagree; what
they all stand on is `bench.basis`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Generic, Literal, Protocol, TypeVar, cast

import pandas as pd
import plotly.graph_objects as go

from bench import basis
from bench.basis import variations
from bench.basis.options import Option
from bench.basis.statement import Role, Statement
from bench.basis.subject import Subject
from bench.basis.variations import Robustness
from bench.chart import Theme
from bench.errors import UnknownName
from bench.library import Library
from bench.view import View
from bench.wording import counted, is_or_are

R = TypeVar("R")


@dataclass(frozen=True)
class Column:
    """A column of a question's rows that is no metric and no column of a point: its label, unit and decimals."""

    key: str
    label: str
    unit: str = ""
    decimals: int | None = None


@dataclass(frozen=True)
class Steps:
    """What leads to an answer where a page has none: what it is called, and what of the page's own may be changed.

    `gain` says what there is in an answer's rows, with a verb: "12 cells have a value". `anew` is what the page does
    that takes its own options as it opens by itself; `tries` are options of which other values are tried one by one,
    in words; `further` are changes of the View that the reader chose which only this page knows, in words.
    """

    gain: Callable[[pd.DataFrame], str]
    anew: str = "Choose this page's own options anew"
    tries: Mapping[str, str] = field(default_factory=dict)
    further: Callable[[Library, View], Sequence[tuple[str, View]]] = lambda _, __: ()


def counting(column: str, one: str, several: str) -> Callable[[pd.DataFrame], str]:
    """What says how many different values a column of an answer's rows has; how many rows where it has none."""

    def gain(rows: pd.DataFrame) -> str:
        if many := rows[column].nunique() if column in rows else 0:
            return f"{counted(many, column)} {several if many != 1 else one}"
        return f"{counted(len(rows), 'point')} {is_or_are(len(rows))} shown"

    return gain


@dataclass(frozen=True)
class Why:
    """Where a number comes from: its formula, what went in, and the source of the formula."""

    what: str
    formula: str
    inputs: str
    source: str


@dataclass(frozen=True)
class Answer(Generic[R]):
    """What a question found for a View: a result of the question's own type, and the sentences about it.

    `statements` hold one headline; `rows` are exactly the rows used. `robustness` is None until it is asked for: it
    says whether the headline holds with one choice changed at a time.
    """

    question: str
    view: View
    result: R
    statements: tuple[Statement, ...]
    rows: pd.DataFrame
    why: tuple[Why, ...] = ()
    library_version: str = ""
    robustness: Robustness | None = None
    subject: Subject | None = None
    """What it is about, which its verdict does not repeat; None where the verdict says it itself."""

    @property
    def verdict(self) -> str:
        """The one plain sentence with the number in it, which stands below the subject."""
        return next(one.text for one in self.statements if one.role == "headline")

    @property
    def headline(self) -> str:
        """Subject and verdict in one line."""
        return ": ".join(filter(None, (self.subject.text if self.subject else "", self.verdict)))

    @property
    def is_told(self) -> bool:
        """Whether the headline says what was asked; else it says why that cannot be told."""
        return not self.rows.empty and all(one.tells for one in self.statements)

    @property
    def findings(self) -> tuple[str, ...]:
        """What else was found, a sentence each."""
        return self.said("finding")

    @property
    def caveats(self) -> tuple[str, ...]:
        """What was left out and what is unlike, a sentence each."""
        return self.said("coverage", "caveat")

    def said(self, *roles: Role) -> tuple[str, ...]:
        """The sentences with one of these parts in the answer, in order."""
        return tuple(one.text for one in self.statements if one.role in roles)

    def varied(self, robustness: Robustness | None) -> Answer[R]:
        """This answer with whether its headline holds; one that mostly does not says so, and what wins stands below."""
        first = next(place for place, one in enumerate(self.statements) if one.role == "headline")
        below, after = variations.doubts(robustness), variations.statements(robustness)
        headline = variations.hedged(self.statements[first]) if below else self.statements[first]
        said = (*self.statements[:first], headline, *below, *self.statements[first + 1 :], *after)
        return replace(self, robustness=robustness, statements=said)


Choices = Mapping[str, Sequence[tuple[str, str]]]
"""What each option offers: option key -> (value, label) pairs, best first."""


class Question(Protocol):
    """What every module of this folder has."""

    TITLE: str
    QUESTION: str
    SECTION: str
    ORDER: int
    NEEDS: Literal["points", "facts"]
    OPTIONS: tuple[Option, ...]
    COLUMNS: tuple[Column, ...]
    STEPS: Steps | None

    def complete(self, library: Library, view: View) -> View:
        """The View with every option explicit and the story that the reader left open filled in."""

    def choices(self, library: Library, view: View) -> Choices:
        """The values each option can take for this selection."""

    def answer(self, library: Library, view: View) -> Answer[Any]:
        """The answer for this View, which need not be complete."""

    def robustness(self, library: Library, view: View) -> Robustness | None:
        """Whether the headline of this View's answer holds with one choice changed at a time."""

    def figure(self, result: Any, theme: Theme) -> go.Figure:
        """The chart of an answer's result."""


@cache
def questions() -> dict[str, Question]:
    """Every question by name, in the order of the navigation."""
    modules = {
        module.name: cast(Question, importlib.import_module(f"{__name__}.{module.name}"))
        for module in pkgutil.iter_modules(__path__)
        if module.name not in SHARED
    }
    return dict(sorted(modules.items(), key=lambda item: (item[1].ORDER, item[0])))


SHARED = frozenset({"openable", "operating_points", "pipeline"})
"""The modules of this folder that several questions use."""


def question(name: str) -> Question:
    """The question with this name; UnknownName otherwise."""
    if name not in questions():
        raise UnknownName("question", name, questions())
    return questions()[name]


def options(name: str) -> tuple[Option, ...]:
    """What a reader can choose for a question besides filters and limits: its own options and those of every answer."""
    return (*question(name).OPTIONS, *basis.OPTIONS)


def answered(name: str, library: Library, view: View) -> Answer[Any]:
    """A question's answer for a View, with whether its headline holds."""
    found = question(name).answer(library, view)
    return found.varied(question(name).robustness(library, found.view))
