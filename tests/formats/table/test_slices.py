from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from bench.formats.table.slices import DEPTH, ahead


def test_items_come_in_order() -> None:
    assert list(ahead(iter(range(100)))) == list(range(100))


def test_an_error_is_raised_where_the_items_are_pulled() -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("torn")

    items = ahead(broken())
    assert next(items) == 1
    with pytest.raises(ValueError, match="torn"):
        next(items)


def test_a_puller_who_leaves_stops_the_reading() -> None:
    made: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            made.append(len(made))
            yield made[-1]

    before = threading.active_count()
    items = ahead(endless())
    assert next(items) == 0
    items.close()
    assert threading.active_count() == before
    assert len(made) <= DEPTH + 3
