"""Moments as tools write them -> the day, in UTC where the moment says where it is."""

from __future__ import annotations

import datetime

EARLIEST, LATEST = 2000, 2100
"""Years; a clock outside was never set."""


def day_of_seconds(moment: float | None) -> datetime.date | None:
    """The UTC day of so many seconds after 1970; None where that is no day of a measurement."""
    if moment is None:
        return None
    try:
        day = datetime.datetime.fromtimestamp(moment, datetime.UTC).date()
    except (OverflowError, ValueError, OSError):
        return None
    return day if EARLIEST <= day.year < LATEST else None


def day_of_text(moment: str | None) -> datetime.date | None:
    """The day of an ISO moment, in UTC where it has an offset; None where it is none of a measurement."""
    if moment is None:
        return None
    try:
        known = datetime.datetime.fromisoformat(moment)
        day = (known.astimezone(datetime.UTC) if known.tzinfo else known).date()
    except (OverflowError, ValueError):
        return None
    return day if EARLIEST <= day.year < LATEST else None
