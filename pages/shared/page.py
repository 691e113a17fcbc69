"""One run of a page, as everything that draws on it knows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bench.library import Library
from bench.questions import Answer, Question, question
from bench.view import View
from pages.shared import cached


@dataclass(frozen=True)
class Page:
    """One run of a page: its View, complete, and the library it is about."""

    name: str
    view: View
    library: Library
    theme: str
    later: list[Callable[[], None]] = field(default_factory=list, compare=False)
    """What draws the parts whose room is kept until the chart is drawn."""

    @property
    def question(self) -> Question:
        """The question this page presents."""
        return question(self.name)

    @cached_property
    def answer(self) -> Answer[Any]:
        """The question's answer for this View."""
        return cached.answer(self.name, self.view)

    @property
    def subject(self) -> str:
        """What the answer is about, in one line; "" where its sentence says it."""
        return self.answer.subject.text if self.answer.subject else ""

    @property
    def verdict(self) -> str:
        """The answer's sentence below the subject, which says where it is undecided."""
        return cached.varied(self.name, self.view).verdict

    @property
    def headline(self) -> str:
        """The answer's sentence, which says where it is undecided."""
        return cached.varied(self.name, self.view).headline
