"""A load in words, the same wherever one is named."""

from __future__ import annotations

import pytest

from bench.records import Load
from bench.sweep.planning.shapes import Length, PlannedPoint, Shape, load_words


@pytest.mark.parametrize(
    ("load", "words"),
    [
        (Load("closed", concurrency=64), "concurrency 64"),
        (Load("closed", concurrency=1024), "concurrency 1,024"),
        (Load("open", request_rate=8.0), "8 requests/s"),
        (Load("open", request_rate=1.0), "1 request/s"),
        (Load("open", request_rate=0.001), "0.001 requests/s"),
        (Load("open"), "the trace"),
    ],
)
def test_a_load_and_a_level_in_words(load: Load, words: str) -> None:
    assert load_words(load) == words
    shape = Shape(Length.of(512), Length.of(256))
    assert PlannedPoint(shape, load).words == f"{words} (512 in / 256 out)"


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (Shape(Length.of(2048), Length.of("uniform:128:512"), 0.5), "2,048 in / 128 to 512 out, 50 % shared"),
        (Shape(Length.of("normal:512:64"), Length.of(1)), "512 ± 64 in / 1 out"),
        (Shape(None, Length.of(64), prompts="a.jsonl"), "64 out, prompts a.jsonl"),
        (Shape(None, None, trace="b.csv"), "trace b.csv"),
    ],
)
def test_a_shape_in_words(shape: Shape, words: str) -> None:
    assert shape.words == words
