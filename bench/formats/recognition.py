"""How surely a format knows a file, and what a file is that no format has to know."""

from __future__ import annotations

from dataclasses import dataclass

from bench.errors import InputError


@dataclass(frozen=True)
class Recognition:
    """How surely a format knows a file: `specificity` counts what only this format has, 0 means it is another's.

    `why` says what was found, or what was looked for and is missing; `near` is the share of it that is there.
    """

    specificity: int
    why: str
    near: float = 0.0


class NoResult(InputError):
    """A file of a known kind without a result; `beside` are the formats whose results it comes with."""

    def __init__(self, said: str, beside: tuple[str, ...] = ()) -> None:
        super().__init__(said)
        self.beside = beside
