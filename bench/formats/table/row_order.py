"""What the cells of one row must agree on: percentiles rise, and the first token comes before the last."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from bench.formats.plausibility.distributions import (
    ROUNDED_MS,
    ROUNDING,
    ROUNDING_OF_MEANS,
    first_before_last,
    mean_within,
    rising_statistics,
)
from bench.formats.table.columns import CellMask, Verdicts, mask, shown


def check(columns: dict[str, pa.Array], verdicts: Verdicts) -> None:
    """Refuse the rows whose measured values contradict each other."""
    metrics = tuple(columns)
    for rising in rising_statistics(metrics):
        _check_rising(rising, columns, verdicts)
    for first, last in first_before_last(metrics):
        late = _beyond(columns[first], columns[last])
        if pc.any(late).as_py():
            _refuse(mask(late), (first,), last, columns, verdicts)
    for lower, higher in mean_within(metrics):
        beyond = _beyond(columns[lower], columns[higher], ROUNDING_OF_MEANS)
        if pc.any(beyond).as_py():
            _refuse(mask(beyond), (lower,), higher, columns, verdicts)


def _beyond(lower: pa.Array, higher: pa.Array, rounding: float = ROUNDING) -> pa.Array:
    """Where the lower value is above the higher one by more than rounding."""
    return pc.greater(lower, pc.add(pc.multiply(higher, rounding), ROUNDED_MS))


def _check_rising(names: tuple[str, ...], columns: dict[str, pa.Array], verdicts: Verdicts) -> None:
    below = columns[names[0]]
    for place, name in enumerate(names[1:], start=1):
        falls = _beyond(below, columns[name])
        if pc.any(falls).as_py():
            _refuse(mask(falls), names[:place], name, columns, verdicts)
        below = pc.coalesce(columns[name], below)


def _refuse(
    wrong: CellMask, lower: tuple[str, ...], higher: str, columns: dict[str, pa.Array], verdicts: Verdicts
) -> None:
    def expected(row: int) -> str:
        name = next(name for name in reversed(lower) if columns[name][row].is_valid)
        return f"at least {columns[name][row].as_py()!r}, the value of {name}"

    verdicts.against(wrong, higher, shown(columns[higher]), expected)
