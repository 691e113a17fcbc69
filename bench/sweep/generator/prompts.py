"""What each request of a point asks: text of the wanted length, the lengths drawn, and the share all have in common.

The same plan seed gives the same prompts, whatever the machine and the Python: all is drawn from hashes, and the n-th
prompt does not depend on those before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from bench.errors import UsageError
from bench.sweep.generator import calibration as calibrating
from bench.sweep.generator.calibration import WORDS, Calibration
from bench.sweep.planning.shapes import Length, PlannedPoint, Shape

if TYPE_CHECKING:
    from bench.sweep.generator.prompt_files import FilePrompt

FIRST_WORDS = 4
"""The first so many words of a prompt's own text count its number, so that no two of a point begin alike: 64^4."""

BASE = len(WORDS)
STRIDE = 5_039_443
"""Odd, so that numbers below 64^4 times it stay distinct: consecutive prompts differ in more than one word."""

LONGEST_SEEN = 8192


@dataclass(frozen=True)
class Prompt:
    """One request's input: its text or its chat's messages, and the lengths asked for.

    `isl` is None where a file's text is sent as it stands. `at_s` is when a trace sends it, seconds after its start.
    """

    number: int
    text: str
    isl: int | None
    osl: int
    messages: tuple[Mapping[str, str], ...] | None = None
    at_s: float | None = None


def prompts(point: PlannedPoint, seed: int, calibration: Calibration, salt: str = "") -> Iterator[Prompt]:
    """The prompts of one point, in the order they are sent; endless but for a trace.

    A file's prompts come in an order drawn from the seed, and again in another one when all were sent: from then on a
    prefix cache helps. `salt` tells apart attempts at the same point, since a server may remember the first.

    InputError when the file of prompts or of a trace cannot be used; UsageError when a length cannot be met.
    """
    shape = point.shape
    if shape.trace:
        return _traced(Path(shape.trace), f"{seed} {point.key} {salt}", calibration)
    if shape.prompts:
        return _from_file(Path(shape.prompts), shape.osl, f"{seed} {point.key} {salt}")
    return _made(shape, f"{seed} {point.key} {salt}", calibration)


def made(shape: Shape, number: int, key: str, calibration: Calibration) -> Prompt:
    """The prompt of this number among those of `key`."""
    if shape.isl is None or shape.osl is None:
        raise UsageError(f"A shape without isl or osl ({shape.key}) has no synthetic prompts.")
    isl, osl = _lengths(shape.isl, shape.osl, f"{key} lengths {number}")
    return Prompt(number, _text(isl, number, key, calibration, shape.shared_prefix_share), isl, osl)


def lengths_to_calibrate(shapes: Iterable[Shape]) -> tuple[int, ...]:
    """The input lengths that calibration should see for these shapes: the ends and the middle of each.

    Longer ones than LONGEST_SEEN follow from it: what a word counts is known closely enough by then, and a server
    takes its time over texts of a hundred thousand tokens.

    InputError when a trace cannot be used.
    """
    lengths: set[int] = set()
    for shape in shapes:
        if shape.isl:
            lengths |= {shape.isl.least, round(shape.isl.mean), shape.isl.most}
        elif shape.trace:
            lengths |= _traced_lengths(Path(shape.trace))
    return tuple(sorted({min(length, LONGEST_SEEN) for length in lengths}))


def _traced_lengths(path: Path) -> set[int]:
    from bench.sweep.generator.traces import read_trace

    isls = sorted(arrival.isl for arrival in read_trace(path))
    return {isls[0], isls[len(isls) // 2], isls[-1]}


def _made(shape: Shape, key: str, calibration: Calibration) -> Iterator[Prompt]:
    number = 0
    while True:
        yield made(shape, number, key, calibration)
        number += 1


def _text(isl: int, number: int, key: str, calibration: Calibration, shared: float = 0.0) -> str:
    return calibrating.text(calibration, isl, f"{key} {number}", _counting(number, key), shared, f"{key} shared")


def _traced(path: Path, key: str, calibration: Calibration) -> Iterator[Prompt]:
    from bench.sweep.generator.traces import read_trace

    for number, arrival in enumerate(read_trace(path)):
        text = _text(arrival.isl, number, key, calibration)
        yield Prompt(number, text, arrival.isl, arrival.osl, at_s=arrival.at_s)


def _from_file(path: Path, osl: Length | None, key: str) -> Iterator[Prompt]:
    from bench.sweep.generator.prompt_files import read_prompts

    rows = read_prompts(path, osl_needed=osl is None)
    number = 0
    while True:
        random = _random(f"{key} {number // len(rows)}")
        for place in sorted(range(len(rows)), key=lambda _: random.random()):
            yield _of_row(rows[place], number, osl, key)
            number += 1


def _of_row(row: FilePrompt, number: int, osl: Length | None, key: str) -> Prompt:
    wanted = osl.drawn(_random(f"{key} lengths {number}")) if osl else row.osl
    assert wanted is not None  # read_prompts was told that each row needs one
    return Prompt(number, row.text, None, wanted, row.messages)


def _lengths(isl: Length, osl: Length, key: str) -> tuple[int, int]:
    if isl.distribution == osl.distribution == "fixed":
        return isl.a, osl.a
    random = _random(key)
    return isl.drawn(random), osl.drawn(random)


def _counting(number: int, key: str) -> tuple[str, ...]:
    """The number in words, the lowest digit first, from a beginning of the key's own."""
    code = (number * STRIDE + seed_of(f"{key} first")) % BASE**FIRST_WORDS
    return tuple(WORDS[code // BASE**place % BASE] for place in range(FIRST_WORDS))


def _random(key: str) -> Random:
    return Random(seed_of(key))


def seed_of(key: str) -> int:
    """A seed of 64 bits drawn from these words."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest())
