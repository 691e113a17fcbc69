"""Processes that outlive the server that shows them, and who gets the processor first: sweeps and what they measure.

On Linux every thread has a niceness of its own, which the threads and processes it starts take over. A server steps
back once it has a few threads; through these it starts what must not have stepped back.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, TypeVar

BACK = 5
"""By so much niceness: on a core that others want too it gets a third of what one of them does, on an idle one all."""
AT_ONCE = 4
ROOT = Path(__file__).resolve().parents[3]

T = TypeVar("T")
_front: list[ThreadPoolExecutor] = []
"""The threads that have not stepped back, once this process has."""


def spawned(words: Sequence[str], out: BinaryIO, err: BinaryIO) -> subprocess.Popen[bytes]:
    """A process of `python -m` with these words, which outlives this one and its terminal."""
    process = subprocess.Popen(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
    )
    threading.Thread(target=process.wait, daemon=True).start()  # once it ends it is no zombie
    return process


def step_back() -> None:
    """Let this thread, and all it starts from now on, yield to sweeps. Only on Linux, and only once."""
    if sys.platform != "linux" or _front:
        return
    pool, present = ThreadPoolExecutor(AT_ONCE, "front"), threading.Barrier(AT_ONCE)
    list(pool.map(lambda _: present.wait(), range(AT_ONCE)))  # all its threads are there: none is started later
    _front.append(pool)
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + BACK)


def at_the_front(do: Callable[[], T]) -> T:
    """What `do` returns or raises, called in a thread that has not stepped back, as then has no process it starts."""
    return _front[0].submit(do).result() if _front else do()
