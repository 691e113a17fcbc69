"""A load in words, the same wherever one is named."""

from __future__ import annotations

import pytest

from bench.records import Load
from bench.sweep.planning.shapes import Length, PlannedPoint, Shape, load_words


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (Load("closed", concurrency=1024), "concurrency 1,024"),
        (Load("open", request_rate=1.0), "1 request/s"),
        (Load("open", request_rate=0.001), "0.001 requests/s"),
        (Load("open"), "the trace"),
    ],
)
def test_a_load_and_a_level_in_words(load: Load, words: str) -> None:
    assert load_words(load) == words
    shape = Shape(Length.of(512), Length.of(256))
    assert PlannedPoint(shape, load).words == f"{words} (512 in / 256 out)"
