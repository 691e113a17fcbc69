"""What every answer has, put together once: its subject, the flags behind a dagger, its story, what is not loaded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import pandas as pd

from bench import selection
from bench.basis import story, subject
from bench.basis.narrator import flagged_note
from bench.basis.stated_share import NOTHING, StatedShare
from bench.basis.statement import Statement, caveat
from bench.basis.story import Story
from bench.library import Library
from bench.questions import Answer, Why
from bench.view import View

R = TypeVar("R")


def answer(
    library: Library,
    question: str,
    view: View,
    result: R,
    said: Iterable[Statement],
    rows: pd.DataFrame,
    why: Iterable[Why] = (),
    chosen: Story | None = None,
    known: StatedShare = NOTHING,
    compared: str = "",
) -> Answer[R]:
    """The answer of a question about a complete View.

    `chosen` is the story that filled it in, `known` how many of the selected points state what decides,
    `compared` the metric that is compared where the verdict does not name it.
    """
    told = tuple(said)
    return Answer(
        question,
        view,
        result,
        (
            *told,
            *flagged_note(told),
            *(story.statements(chosen) if chosen else ()),
            *(caveat("not_loaded", text) for text in selection.not_loaded(library, view)),
        ),
        rows,
        tuple(why),
        library.version,
        subject=subject.of(view, known.clause, compared),
    )
