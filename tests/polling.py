"""Waiting for what another process or thread does: looked at again and again, with a deadline only against hanging."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Value = TypeVar("Value")

LOOK_S = 0.02


def until(look: Callable[[], Value], seconds: float = 60) -> Value:
    """What `look` returns, once that is true; fails where it never is."""
    end = time.monotonic() + seconds
    while not (value := look()):
        assert time.monotonic() < end, f"not so after {seconds:g} s"
        time.sleep(LOOK_S)
    return value
