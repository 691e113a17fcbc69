"""The questions. Each is one module of this folder, found by listing it.

A question's module states TITLE, QUESTION, SECTION, ORDER and OPTIONS and has the functions of `Question`. Page,
command line, report and HTTP API only present what they return, so they can never disagree.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, Protocol, cast

import pandas as pd
import plotly.graph_objects as go

from bench.chart import Theme
from bench.errors import UnknownName
from bench.library import Library
from bench.view import View


@dataclass(frozen=True)
class Option:
    """Something a question lets the reader choose besides the filters.

    `help` says in one sentence what it does; `kind` says how its value is written.
    """

    key: str
    label: str
    kind: Literal["choice", "number", "text"]
    help: str


@dataclass(frozen=True)
class Why:
    """Where a number comes from: its formula, what went in, and the source of the formula."""

    what: str
    formula: str
    inputs: str
    source: str


@dataclass(frozen=True)
class Answer:
    """What a question found for a View.

    `headline` is one plain sentence with the number in it; `numbers` maps names to plain values (numbers, text,
    lists of them); `caveats` say what was left out and what is unlike; `rows` are exactly the rows used.
    """

    question: str
    view: View
    headline: str
    rows: pd.DataFrame
    findings: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)
    caveats: tuple[str, ...] = ()
    why: tuple[Why, ...] = ()
    library_version: str = ""


Choices = Mapping[str, Sequence[tuple[str, str]]]
"""What each option offers: option key -> (value, label) pairs, best first."""


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as mappings, None where nothing is stated."""
    found = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in found]


class Question(Protocol):
    """What every module of this folder has."""

    TITLE: str
    QUESTION: str
    SECTION: str
    ORDER: int
    OPTIONS: tuple[Option, ...]

    def complete(self, library: Library, view: View) -> View:
        """The View with every option explicit and, when nothing was asked, the default story's filters."""

    def choices(self, library: Library, view: View) -> Choices:
        """The values each option can take for this selection."""

    def rows(self, library: Library, view: View) -> pd.DataFrame:
        """The rows the answer is made of, by SQL."""

    def answer(self, library: Library, view: View) -> Answer:
        """The answer for this View, which need not be complete."""

    def figure(self, answer: Answer, theme: Theme) -> go.Figure:
        """The answer's chart."""


@cache
def questions() -> dict[str, Question]:
    """Every question by name, in the order of the navigation."""
    found = {
        module.name: cast(Question, importlib.import_module(f"{__name__}.{module.name}"))
        for module in pkgutil.iter_modules(__path__)
    }
    return dict(sorted(found.items(), key=lambda item: (item[1].ORDER, item[0])))


def question(name: str) -> Question:
    """The question with this name; UnknownName otherwise."""
    if name not in questions():
        raise UnknownName("question", name, questions())
    return questions()[name]
