"""Where next: the pages that answer a few typed words, an empty page's selection, or what has just been imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench.basis import story
from bench.errors import BenchError
from bench.library import Library
from bench.questions import Answer, question
from bench.view import View


@dataclass(frozen=True)
class Step:
    """A choice that leads to an answer: the page it is on, what it does, the View after it, and what is gained."""

    page: str
    label: str
    view: View
    gain: str = ""


def answered(library: Library, name: str, view: View, seen: set[View] | None = None) -> Answer[Any] | None:
    """A question's answer for a View; None where it only says why it has none.

    None too where its complete View was `seen` before; from now on it is.
    """
    module, seen = question(name), set() if seen is None else seen
    try:
        whole = module.complete(library, view)
        if bare(whole) in seen:
            return None
        seen.add(bare(whole))
        answer = module.answer(library, whole)
    except BenchError:
        return None
    return answer if answer.is_told else None


def bare(view: View) -> View:
    """A complete View without what of it was filled in and not chosen, which no answer depends on."""
    return view.with_options(**{story.FILLED: None}).made_whole()
