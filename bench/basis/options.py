"""What a reader can choose besides the filters, and one place that checks what was written into it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from bench.errors import UnknownName, UsageError
from bench.view import View

PLAIN, SEPARATED = (re.compile(r"([0-9]{1,30})((?:\.[0-9]*)?)"), re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?"))
"""A number as links hold it and as it is read: "100000000", "100,000,000"."""


@dataclass(frozen=True)
class Option:
    """Something to choose: its key in links and on the command line, its label, and what it does in one sentence.

    `kind` says how its value is written. `values` are all that a choice may be, empty where that depends on what is
    loaded; `least` and `most` bound a number; `example` is a value that can be meant. `default` holds where nothing is
    chosen, empty where nothing does or that depends on what is selected.
    """

    key: str
    label: str
    kind: Literal["choice", "number", "text"]
    help: str
    values: tuple[str, ...] = ()
    least: float = 1e-9
    most: float = 1e15
    example: str = "60"
    default: str = ""

    def number(self, view: View) -> float | None:
        """The number a View holds here; None when absent, UsageError for one that cannot be meant."""
        text = plain(view.option(self.key))
        if not text:
            return None
        try:
            value = float(text) if text.isascii() and "_" not in text else math.nan
        except ValueError:
            value = math.nan
        if self.least <= value <= self.most:
            return value
        wanted = f"between {self.least:g} and {self.most:g}" if math.isfinite(value) else "a number"
        example = f"write it as in {self.key}={self.example}."
        raise UsageError(f"{self.key}={text[:40]!r} is not {wanted}; {example}")


def plain(text: str) -> str:
    """What was typed for a number without its separators, as links hold it; anything else as it is."""
    return text.replace(",", "") if SEPARATED.fullmatch(text) else text


def separated(text: str) -> str:
    """A number as links hold it, with separators between its thousands; anything else as it is."""
    written = PLAIN.fullmatch(text)
    return f"{int(written[1]):,}{written[2]}" if written else text


def check(view: View, options: Iterable[Option]) -> None:
    """Raise UnknownName or UsageError for the first of these options that holds what it cannot."""
    for option in options:
        value = view.option(option.key)
        if option.kind == "number":
            option.number(view)
        elif value and option.values and value not in option.values:
            raise UnknownName(f"choice for {option.key}", value, option.values)
