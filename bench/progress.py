"""How far a long piece of work is: the work counts its steps, and whoever listens hears of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias, TypeVar

Progress: TypeAlias = Callable[[int, int, str], None]
"""Is told how many steps are done, of how many, and what the next one is about."""

T = TypeVar("T")

_LISTENER: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def heard_by(listener: Progress) -> Iterator[None]:
    """Within this block the listener hears the steps of what this thread does."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


def steps(items: Iterable[T], about: Callable[[T], str] = str) -> Iterator[T]:
    """The items one after the other; a listener is told of each before its turn comes."""
    every = list(items)
    for done, item in enumerate(every):
        if hear := _LISTENER.get():
            hear(done, len(every), about(item))
        yield item
