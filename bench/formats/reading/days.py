"""Moments as tools write them -> the day, in UTC where the moment says where it is; and which days there are."""

from __future__ import annotations

import datetime

EARLIEST = datetime.date(2000, 1, 1)
"""A clock before it was never set."""


def latest() -> datetime.date:
    """Tomorrow, which it is already somewhere."""
    return datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=1)


def may_be(day: datetime.date) -> bool:
    """Whether something can have been measured on this day."""
    return EARLIEST <= day <= latest()


def day_of_seconds(moment: float | None) -> datetime.date | None:
    """The UTC day of so many seconds after 1970; None where that is no day of a measurement."""
    if moment is None:
        return None
    try:
        day = datetime.datetime.fromtimestamp(moment, datetime.UTC).date()
    except (OverflowError, ValueError, OSError):
        return None
    return day if may_be(day) else None


def day_of_text(moment: str | None) -> datetime.date | None:
    """The day of an ISO moment, in UTC where it has an offset; None where it is none of a measurement."""
    if moment is None:
        return None
    try:
        known = datetime.datetime.fromisoformat(moment)
        day = (known.astimezone(datetime.UTC) if known.tzinfo else known).date()
    except (OverflowError, ValueError):
        return None
    return day if may_be(day) else None
