"""How often a trial is repeated: a few times in `make check`, often in `make test`, every time in `make test-all`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

Value = TypeVar("Value")

PROFILE = settings.get_current_profile_name()
FAST_LOOP = PROFILE == "quick"
QUICK, EVERY = PROFILE in ("quick", "ci"), PROFILE in ("thorough", "fuzz")


def times(all_of_them: int, a_few: int, often: int | None = None) -> int:
    """How often to repeat one and the same trial; `often` is how often `make test` does where that is not always."""
    return a_few if QUICK else all_of_them if EVERY or often is None else often


def some(values: Iterable[Value], a_few: int, many: int | None = None) -> list[Value]:
    """All values; in the fast loop at most `a_few` of them, in `make test` at most `many`, spread evenly from the
    first on."""
    every = list(values)
    most = a_few if QUICK else len(every) if EVERY or many is None else many
    return every[:: math.ceil(len(every) / most)] if len(every) > most else every
