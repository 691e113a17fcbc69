"""Whether usage can be the count of a point's answers, and what counts them where it is none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bench.sweep.generator.samples import Samples
from bench.sweep.generator.spool import SOURCES
from bench.sweep.wire.exchange import PreparedRequest
from tests.sweep.made import exchange, samples_of


def answers(output: int, chunks: list[int], finish: str, asked: int) -> Samples:
    """Answers that usage has so many tokens for, each in so many chunks."""
    made = [exchange(place, 0, range(1, 1 + many), output=output) for place, many in enumerate(chunks)]
    asks = {place: PreparedRequest(place, b"", None, asked) for place in range(len(chunks))}
    return samples_of((replace(one, finish=finish) for one in made), asks)


@pytest.mark.parametrize(
    ("output", "chunks", "finish", "asked", "one_input", "constant"),
    [
        (8, [16, 16, 16], "length", 8, False, False),
        (6, [12, 12, 12], "stop", 32, False, False),
        (20, [20, 20, 20], "length", 64, False, False),
        (40, [10, 11, 10], "length", 8, False, False),
        (5, [12, 30, 21], "stop", 64, False, True),
        (5, [64, 64, 64], "length", 64, False, True),
        (100, [8, 8, 8], "length", 8, True, True),
        (8, [8, 8, 8], "length", 8, True, False),
    ],
    ids=[
        "halves of tokens",
        "halves of one text's tokens",
        "all cut at a limit of the server's",
        "four a chunk, and none asked for so many",
        "answers of all lengths",
        "answers of another length",
        "one input too",
        "one input, and as many as were asked for",
    ],
)
def test_one_number_for_all_answers_is_no_count_where_they_belie_it(
    output: int, chunks: list[int], finish: str, asked: int, one_input: bool, constant: bool
) -> None:
    assert answers(output, chunks, finish, asked).states_one_output(one_input) is constant


@pytest.mark.parametrize(("finish", "output", "source"), [("length", [64, 64], "length"), ("stop", [12, 30], "chunks")])
def test_where_usage_counts_no_output_the_end_or_the_chunks_do(finish: str, output: list[int], source: str) -> None:
    counted = answers(5, [12, 30], finish, 64).without_outputs()
    assert counted.output_tokens.tolist() == output == [sum(counted.tokens[:12]), sum(counted.tokens[12:])]
    assert {SOURCES[place] for place in counted.source} == {source}
    assert counted.without_inputs().input_tokens.tolist() == [-1, -1]
