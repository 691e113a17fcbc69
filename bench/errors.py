"""The errors a person gets to read: one sentence each that says what, where and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SHORT = 12
"""So many words still fit into a sentence."""


class BenchError(Exception):
    """The request could not be met; the message is for the person who asked."""


class InputError(BenchError):
    """A file or a value that cannot be read as a benchmark result."""


class NotFound(BenchError):
    """Something named that is not in the library."""


class UsageError(BenchError):
    """A question, option or argument that does not exist."""


class AccessDenied(BenchError):
    """A change or a query this visitor may not make."""


class QueryRefused(BenchError):
    """A person's SQL that was not run, or was stopped."""


class UnknownName(UsageError):
    """A word that is not in the vocabulary; the message offers the nearest ones that are.

    `listing` is the command or file that lists a vocabulary too long for a sentence; a shorter one is told whole.
    `on_a_page` is the message without it, for a reader who has no command line before them.
    """

    def __init__(self, what: str, name: str, known: Iterable[str], listing: str = "") -> None:
        options = sorted(set(known))
        word = name[:80]
        near = difflib.get_close_matches(word.lower(), options, n=3, cutoff=0.5)
        all_of_them = ""
        if near:
            hint = f"did you mean {' or '.join(near)}?"
        elif not options:
            hint = "there is none to choose."
        elif len(options) <= SHORT or not listing:
            hint = f"choose one of {', '.join(options)}."
        else:
            first, second, third = difflib.get_close_matches(word.lower(), options, n=3, cutoff=0)
            hint = f"of the {len(options)} there are, {first}, {second} and {third} are spelled most like it."
            all_of_them = f"; `{listing}` lists them all."
        self.on_a_page = f"There is no {what} named {word!r}; {hint}"
        super().__init__(self.on_a_page.removesuffix(".") + all_of_them if all_of_them else self.on_a_page)
        self.name = name
        self.near = near
