"""Reading ahead: one thread takes a file apart while another works on what has been read."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import TypeVar

Item = TypeVar("Item")

DEPTH = 3


class _Stopped(Exception):
    """Whoever pulled the items has gone."""


def ahead(items: Iterator[Item]) -> Iterator[Item]:
    """The items in order, made by a thread of their own, at most DEPTH of them ahead; its errors are raised here."""
    made: queue.Queue[tuple[Item] | BaseException | None] = queue.Queue(DEPTH)
    stop = threading.Event()

    def hand_over(made_item: tuple[Item] | BaseException | None) -> None:
        while not stop.is_set():
            try:
                made.put(made_item, timeout=0.1)
                return
            except queue.Full:
                continue
        raise _Stopped

    def work() -> None:
        try:
            try:
                for item in items:
                    hand_over((item,))
                hand_over(None)
            except _Stopped:
                raise
            except BaseException as problem:  # it is raised again in the thread that pulls
                hand_over(problem)
        except _Stopped:
            return

    worker = threading.Thread(target=work, name="read ahead", daemon=True)
    worker.start()
    try:
        while (made_item := made.get()) is not None:
            if isinstance(made_item, BaseException):
                raise made_item
            yield made_item[0]
    finally:
        stop.set()
        worker.join()
