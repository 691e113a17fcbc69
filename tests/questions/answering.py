"""Answers of the shipped library that several tests look at, each asked for once in a process."""

from __future__ import annotations

from typing import Any

from bench.library import Library
from bench.questions import Answer, question
from bench.view import View

KNOWN: dict[tuple[str, str, View], Answer[Any]] = {}


def answer_of(library: Library, name: str, view: View) -> Answer[Any]:
    """A question's answer for a View; no test may change it. BenchError as the question raises it."""
    key = (library.version, name, view)
    if key not in KNOWN:
        KNOWN[key] = question(name).answer(library, view)
    return KNOWN[key]
