"""Who gets the processor first: sweeps and what they measure, before the server that shows them.

On Linux every thread has a niceness of its own, which the threads and processes it starts take over. A server steps
back before it starts any thread but one; through that one it starts what must not have stepped back.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeVar

BACK = 5
"""By so much niceness: on a core that others want too it gets a third of what one of them does, on an idle one all."""

T = TypeVar("T")
_asked: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
_starter = threading.Event()


def step_back() -> None:
    """Let this thread, and all it starts from now on, yield to sweeps. Only on Linux, and only once."""
    if sys.platform != "linux" or _starter.is_set():
        return
    threading.Thread(target=_serve, name="starter", daemon=True).start()
    _starter.set()
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.getpriority(os.PRIO_PROCESS, 0) + BACK)


def at_the_front(do: Callable[[], T]) -> T:
    """What `do` returns or raises, called in a thread that has not stepped back, as then has no process it starts."""
    if not _starter.is_set():
        return do()
    done: Future[T] = Future()
    _asked.put((do, done))
    return done.result()


def _serve() -> None:
    while True:
        do, done = _asked.get()
        threading.Thread(target=_settle, args=(do, done), daemon=True).start()


def _settle(do: Callable[[], Any], done: Future[Any]) -> None:
    try:
        done.set_result(do())
    except BaseException as problem:
        done.set_exception(problem)
