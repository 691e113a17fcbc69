"""How much of what is wrong an import lists: a stranger's files may refuse rows and hold keys by the million."""

from __future__ import annotations

from collections.abc import Sequence

from bench.library.importing.report import NotUnderstood
from bench.library.rows import KEY_LENGTH
from bench.records import Refusal

MOST_ROWS = 20_000
"""Refused rows that one import lists of all its files; a table's own limit is half of it."""

MOST_KEYS, MOST_KEYS_IN_ALL = 200, 10_000
"""Keys not understood that are listed of a file and of all; a new version of a tool brings a dozen."""


class ListedProblems:
    """The refused rows and the keys of one import, listed as far as there is room and counted beyond."""

    def __init__(self) -> None:
        self._rows = MOST_ROWS
        self._keys = MOST_KEYS_IN_ALL

    def refusals(self, file: str, every: Sequence[Refusal]) -> list[Refusal]:
        """The refusals of a file; those of rows for which there is no room are one that says how many."""
        rows = [refusal for refusal in every if refusal.row is not None]
        if len(rows) <= self._rows:
            self._rows -= len(rows)
            return list(every)
        kept, beyond, self._rows = rows[: self._rows], len(rows) - self._rows, 0
        reason = (
            f"{beyond:,} further rows of {file} were refused; an import lists {MOST_ROWS:,} of all its files. "
            "Look at the file by itself."
        )
        return [*kept, *(refusal for refusal in every if refusal.row is None), Refusal(file, reason, further=beyond)]

    def keys(self, file: str, source_id: str, every: Sequence[str]) -> NotUnderstood:
        """The keys of a file that were not understood, and how many more there are."""
        kept = tuple(key[:KEY_LENGTH] for key in every[: min(MOST_KEYS, self._keys)])
        self._keys -= len(kept)
        return NotUnderstood(file, source_id, kept, len(every) - len(kept))
