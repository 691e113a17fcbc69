"""The moment as a journal and a status write it."""

from __future__ import annotations

import datetime


def now() -> str:
    """The moment as ISO 8601 in UTC, to the millisecond."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
