"""Prompts hit the length that is asked for as several kinds of server count it, and no two begin alike."""

from __future__ import annotations

import math
import random
import re
from itertools import islice, pairwise
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.endpoint import counting
from bench.errors import BenchError, UsageError
from bench.records import Load
from bench.sweep.generator.calibration import WORDS, Calibration, calibrate
from bench.sweep.generator.prompts import FIRST_WORDS, lengths_to_calibrate, prompts
from bench.sweep.planning.shapes import Length, PlannedPoint, Shape
from tests.thorough import some, times

CLOSED = Load(load_kind="closed", concurrency=4)


def words(text: str) -> int:
    return len(text.split())


def quarters(text: str) -> int:
    return math.ceil(len(text) / 4)


def characters(text: str) -> int:
    return len(text)


def pieces(seed: int):
    """A tokenizer like byte-pair encoding: in each word, the longest known piece first; a quarter of all bits known."""
    chance = random.Random(seed)
    known = {
        f" {word}"[start:end]
        for word in WORDS
        for start in range(5)
        for end in range(start + 2, 6)
        if chance.random() < 0.25
    }

    def count(text: str) -> int:
        tokens = 0
        for word in re.findall(r"\s?\S+", text):
            start = 0
            while start < len(word):
                end = next((end for end in range(len(word), start, -1) if word[start:end] in known), start + 1)
                start, tokens = end, tokens + 1
        return tokens

    return count


TOKENIZERS = {
    "words": words,
    "quarters": quarters,
    "characters": characters,
    "pieces-1": pieces(1),
    "pieces-2": pieces(2),
    "pieces-3": pieces(3),
    "endpoint": counting.count,
}


def server(name: str, around: int):
    return lambda texts: [TOKENIZERS[name](text) + around for text in texts]


def point(isl: str | int, osl: str | int = 16, shared: float = 0.0, **more) -> PlannedPoint:
    return PlannedPoint(Shape(Length.of(isl), Length.of(osl), shared), CLOSED, **more)


def first(count: int, planned: PlannedPoint, seed: int = 1, calibration: Calibration | None = None, salt: str = ""):
    return list(islice(prompts(planned, seed, calibration or Calibration(), salt), count))


@pytest.mark.parametrize("around", some([26, 0, 3], 1))
@pytest.mark.parametrize("name", sorted(TOKENIZERS))
def test_prompts_have_the_isl_that_the_server_counts(name, around):
    count = server(name, around)
    wanted = [64, 512, 2048]
    calibration = calibrate(count, wanted)
    assert calibration.misses() == ()
    for isl in wanted:
        for shared in (0.0, 0.5):
            counted = count([prompt.text for prompt in first(20, point(isl, shared=shared), calibration=calibration)])
            # What is shared is off by the same for all prompts: their mean is no closer than one prompt has to be.
            assert abs(fmean(counted) - isl) <= (max(0.02 * isl, 4) if shared else 0.02 * isl)
            assert max(abs(tokens - isl) for tokens in counted) <= max(0.02 * isl, 4)


@pytest.mark.parametrize("isl", ["uniform:100:900", "normal:500:100"])
def test_lengths_between_those_calibrated_are_hit_too(isl):
    planned = point(isl, "uniform:5:15")
    count = server("pieces-1", 12)
    calibration = calibrate(count, lengths_to_calibrate([planned.shape]))
    made = first(200, planned, calibration=calibration)
    counted = count([prompt.text for prompt in made])
    assert all(
        abs(tokens - prompt.isl) <= max(0.02 * prompt.isl, 4) for tokens, prompt in zip(counted, made, strict=True)
    )
    assert fmean(counted) == pytest.approx(500, rel=0.1)
    assert {prompt.osl for prompt in made} == set(range(5, 16))


@pytest.mark.parametrize("name", some(sorted(TOKENIZERS), 1))
def test_inputs_too_long_to_calibrate_follow_from_shorter_ones(name):
    count = server(name, 26)
    isls = lengths_to_calibrate([point(128 * 2**doubling).shape for doubling in range(11)])
    assert max(isls) == 8192
    calibration = calibrate(count, isls)
    for isl in (16_384, 131_072):
        counted = count([prompt.text for prompt in first(times(5, 2), point(isl), calibration=calibration)])
        assert all(tokens == pytest.approx(isl, rel=0.01) for tokens in counted)


@pytest.mark.parametrize(
    ("name", "isls", "most"), [("words", [128], 6), *((name, [128, 2048], 110) for name in TOKENIZERS)]
)
def test_calibration_is_short_however_the_server_counts(name, isls, most):
    asked = []
    calibrate(lambda texts: asked.extend(texts) or server(name, 20)(texts), isls)
    assert len(asked) <= most
    assert all(counting.count(text) < 2500 for text in asked)


def test_what_cannot_be_met_is_told_with_what_can():
    with pytest.raises(UsageError, match=r"isl 20 .* counts 26 tokens"):
        calibrate(server("words", 26), [20])


@pytest.mark.parametrize("count", [lambda texts: [7] * len(texts), lambda texts: [], lambda texts: [-1] * len(texts)])
def test_counts_that_are_none_are_refused(count):
    with pytest.raises(BenchError, match="ISL"):
        calibrate(count, [128])


def test_a_server_that_counts_at_random_is_told_of():
    chance = random.Random(3)
    calibration = calibrate(lambda texts: [round(words(text) * chance.uniform(0.8, 1.2)) for text in texts], [512])
    assert calibration.misses()
    assert "isl 512" in calibration.misses()[0]


@given(st.integers(0, 2**32 - 1), st.sampled_from([64, 500]), st.integers(1, 3))
def test_no_two_prompts_of_a_point_begin_alike(seed, isl, repeat):
    begins = [tuple(prompt.text.split()[:FIRST_WORDS]) for prompt in first(300, point(isl, repeat=repeat), seed)]
    assert len(set(begins)) == 300
    assert all(one[0] != following[0] for one, following in pairwise(begins))


def test_points_repeats_seeds_and_attempts_have_prompts_of_their_own():
    made = [
        first(50, point(200)),
        first(50, point(200, repeat=2)),
        first(50, point(200), seed=2),
        first(50, point(200), salt="again"),
        first(50, PlannedPoint(point(200).shape, Load(load_kind="closed", concurrency=8))),
    ]
    begins = [tuple(prompt.text.split()[:16]) for batch in made for prompt in batch]
    assert len(set(begins)) == 250


def test_prompts_of_a_seed_are_the_same_each_time_and_on_every_machine():
    made = first(2, point("uniform:6:9", "normal:20:5"), seed=42)
    assert [(prompt.isl, prompt.osl, prompt.text) for prompt in made] == [
        (6, 13, "fast body club form city four"),
        (9, 23, "back data desk book edge foot fish door fast"),
    ]


@pytest.mark.parametrize(("name", "share"), [("words", 0.1), ("pieces-1", 0.5), ("quarters", 0.9)])
def test_the_shared_prefix_has_its_share_and_no_more(name, share):
    count = server(name, 0)
    made = first(60, point(1000, shared=share), calibration=calibrate(count, [1000]))
    texts = [prompt.text.split() for prompt in made]
    common = next(n for n in range(2000) if len({words[n] for words in texts}) > 1)
    assert count([" ".join(texts[0][:common])])[0] == pytest.approx(1000 * share, rel=0.02, abs=4)
    assert len({tuple(words[common : common + FIRST_WORDS]) for words in texts}) == 60


def test_a_prompt_may_be_all_shared():
    assert len({prompt.text for prompt in first(20, point(300, shared=1.0))}) == 1
