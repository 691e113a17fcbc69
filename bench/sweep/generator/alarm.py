"""A timer of the event loop that rings at the nanosecond asked, not at the next millisecond as uvloop's own do.

It is a Linux timerfd, read like a socket, so how late it rings is also how late the loop reads sockets.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import sys
from collections.abc import Callable
from time import monotonic_ns

CLOCK_MONOTONIC, TFD_TIMER_ABSTIME = 1, 1
TFD_NONBLOCK, TFD_CLOEXEC = os.O_NONBLOCK, getattr(os, "O_CLOEXEC", 0)
BILLION = 1_000_000_000


class _Setting(ctypes.Structure):
    """struct itimerspec of timerfd_settime(2): interval, then first expiry, each in seconds and nanoseconds."""

    _fields_ = [(name, ctypes.c_long) for name in ("every_s", "every_ns", "first_s", "first_ns")]


class Alarm:
    """Calls `ring` once at each time set; a later setting replaces an earlier one. Close it when done."""

    def __init__(self, ring: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None
        self._file = -1
        if sys.platform == "linux":
            self._libc = ctypes.CDLL(None, use_errno=True)
            self._file = self._libc.timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)
        if self._file >= 0:
            self._loop.add_reader(self._file, self._expired)

    def set(self, at_ns: int) -> None:
        """Ring at that time, at once when it has passed."""
        if self._file < 0:
            if self._handle is not None:
                self._handle.cancel()
            self._handle = self._loop.call_later(max(0, at_ns - monotonic_ns()) / BILLION, self._ring)
            return
        setting = _Setting(0, 0, *divmod(max(1, at_ns), BILLION))
        self._libc.timerfd_settime(self._file, TFD_TIMER_ABSTIME, ctypes.byref(setting), None)

    def close(self) -> None:
        """Ring no more."""
        if self._handle is not None:
            self._handle.cancel()
        if self._file >= 0:
            self._loop.remove_reader(self._file)
            os.close(self._file)
            self._file = -1

    def _expired(self) -> None:
        with contextlib.suppress(BlockingIOError):  # set anew between the expiry and now
            os.read(self._file, 8)
            self._ring()
