"""The rows of a table that were refused, as the reader will see them; beyond a limit they are only counted."""

from __future__ import annotations

import numpy as np

from bench.formats.table.columns import Verdicts
from bench.formats.table.slices import Slice
from bench.records import Refusal

MAX_REFUSALS = 10_000


class RefusedRows:
    """Collects the refusals of one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._beyond = 0
        self.kept: list[Refusal] = []

    def of_slice(self, rows: Slice, verdicts: Verdicts) -> None:
        """Take up what was refused in one slice."""
        refusals = [self._broken(number, reason) for number, reason in rows.broken.items()]
        room = max(0, MAX_REFUSALS - len(self.kept))
        for place in np.flatnonzero(verdicts.bad)[:room]:
            refusals.append(self._cell(int(rows.numbers[place]), *verdicts.reasons[int(place)]))
        refused = len(rows.broken) + int(verdicts.bad.sum())
        refusals = sorted(refusals, key=lambda refusal: refusal.row or 0)[:room]
        self.kept.extend(refusals)
        self._beyond += refused - len(refusals)

    def finish(self) -> None:
        """Put the refusals in the order of the rows, and say how many there were beyond those that are listed."""
        self.kept.sort(key=lambda refusal: refusal.row or 0)
        if self._beyond:
            reason = f"{self._beyond:,} further rows were refused; only the first {MAX_REFUSALS:,} are listed."
            self.kept.append(Refusal(self._file, reason, further=self._beyond))

    def _broken(self, row: int, reason: str) -> Refusal:
        return Refusal(self._file, f"Row {row:,} was refused: {reason}.", row=row)

    def _cell(self, row: int, column: str, value: str | None, expected: str) -> Refusal:
        found = f"is {value!r}" if value is not None else "is absent"
        reason = f"Row {row:,} was refused: {column[:80]} {found}, expected {expected}."
        return Refusal(self._file, reason, row=row, column=column, value=value, expected=expected)
