"""How often the same is tried again: a few times in `make check`, every time in `make test`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

Value = TypeVar("Value")

QUICK = settings.get_current_profile_name() == "quick"


def times(all_of_them: int, a_few: int) -> int:
    """How often to repeat one and the same trial."""
    return a_few if QUICK else all_of_them


def some(values: Iterable[Value], a_few: int) -> list[Value]:
    """All values; in the fast loop at most `a_few` of them, spread evenly from the first on."""
    every = list(values)
    return every[:: math.ceil(len(every) / a_few)] if QUICK and len(every) > a_few else every
