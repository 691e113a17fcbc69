"""What a plan is made of, one point at a time: a length or a distribution of lengths, a shape, a planned point."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from statistics import NormalDist
from typing import Literal

from bench.records import Load
from bench.wording import share

MOST_TOKENS = 4_194_304
"""Four times the longest context on offer today."""

WIDEST = 3
"""A normal distribution is drawn within so many standard deviations, evenly on both sides: its mean stays."""

WRITTEN = re.compile(r"(uniform|normal):([0-9]{1,9}):([0-9]{1,9})")

LengthDistribution = Literal["fixed", "uniform", "normal"]


@dataclass(frozen=True)
class Length:
    """A length in tokens: fixed at `a`, uniform from `a` to `b`, or normal with mean `a` and deviation `b`.

    Written as 512, `uniform:128:512` or `normal:512:64`.
    """

    distribution: LengthDistribution
    a: int
    b: int = 0

    @classmethod
    def of(cls, written: object) -> Length:
        """The length that is written as a number or a text; ValueError says what is allowed instead."""
        if isinstance(written, Length):
            return written
        text = str(written).strip().lower()
        if re.fullmatch(r"[0-9]{1,9}", text) and not isinstance(written, bool):
            return _within(cls("fixed", int(text)))
        match = WRITTEN.fullmatch(text)
        if not match:
            raise ValueError(ALLOWED)
        kind: LengthDistribution = "uniform" if match[1] == "uniform" else "normal"
        return _within(cls(kind, int(match[2]), int(match[3])))

    def __str__(self) -> str:
        return str(self.a) if self.distribution == "fixed" else f"{self.distribution}:{self.a}:{self.b}"

    @property
    def words(self) -> str:
        """The length in words: "1,024", "128 to 512", "512 ± 64"."""
        told = {"fixed": f"{self.a:,}", "uniform": f"{self.a:,} to {self.b:,}", "normal": f"{self.a:,} ± {self.b:,}"}
        return told[self.distribution]

    @property
    def written(self) -> int | str:
        """The length as a plan states it."""
        return self.a if self.distribution == "fixed" else str(self)

    @property
    def mean(self) -> float:
        """The mean length in tokens."""
        return (self.a + self.b) / 2 if self.distribution == "uniform" else float(self.a)

    @property
    def least(self) -> int:
        """The shortest length that is drawn."""
        return self.a - WIDEST * self.b if self.distribution == "normal" else self.a

    @property
    def most(self) -> int:
        """The longest length that is drawn."""
        if self.distribution == "normal":
            return self.a + WIDEST * self.b
        return self.b if self.distribution == "uniform" else self.a

    def drawn(self, random: Random) -> int:
        """One length, in tokens: of `random` only `random()` is used, whose sequence Python guarantees."""
        if self.distribution == "uniform":
            return self.a + int(random.random() * (self.b - self.a + 1))
        if self.distribution == "normal" and self.b:
            edge = NormalDist().cdf(-WIDEST)
            return round(self.a + self.b * NormalDist().inv_cdf(edge + random.random() * (1 - 2 * edge)))
        return self.a


ALLOWED = (
    f"a length from 1 to {MOST_TOKENS:,} tokens, uniform:<least>:<most>, "
    f"or normal:<mean>:<deviation> with a deviation of less than a third of the mean"
)


def _within(length: Length) -> Length:
    ordered = length.distribution != "uniform" or length.a <= length.b
    if not (ordered and length.least >= 1 and length.most <= MOST_TOKENS):
        raise ValueError(ALLOWED)
    return length


@dataclass(frozen=True)
class Shape:
    """What the requests of one point look like: lengths, and where their text comes from.

    `isl` is None when a prompts file or a trace says it, `osl` when that file does. `shared_prefix_share` is the
    share of each input that all requests of the point have in common.
    """

    isl: Length | None
    osl: Length | None
    shared_prefix_share: float = 0.0
    prompts: str | None = None
    trace: str | None = None

    @property
    def key(self) -> str:
        """The shape in a few words, the same whenever the shape is: "isl=512 osl=256"."""
        parts = {"isl": self.isl, "osl": self.osl, "shared": self.shared_prefix_share or None}
        files = {"prompts": self.prompts, "trace": self.trace}
        return " ".join(f"{name}={value}" for name, value in (parts | files).items() if value is not None)

    @property
    def words(self) -> str:
        """The shape in words: "512 in / 256 out"; a length that a file says is not in it, the file is."""
        lengths = ((self.isl, "in"), (self.osl, "out"))
        parts = [" / ".join(f"{length.words} {way}" for length, way in lengths if length)]
        parts += [f"{share(self.shared_prefix_share)} shared"] if self.shared_prefix_share else []
        parts += [f"{what} {name}" for what, name in (("prompts", self.prompts), ("trace", self.trace)) if name]
        return ", ".join(filter(None, parts))

    @property
    def longest(self) -> int | None:
        """The most tokens of context one request takes; None where a file decides."""
        return self.isl.most + self.osl.most if self.isl and self.osl else None


def load_words(load: Load) -> str:
    """A load in words: "concurrency 64", "8 requests/s", "the trace"."""
    if load.load_kind == "closed":
        return f"concurrency {'not stated' if load.concurrency is None else f'{load.concurrency:,}'}"
    if load.request_rate is None:
        return "the trace"
    return f"{load.request_rate:,.6g} request{'' if load.request_rate == 1 else 's'}/s"


@dataclass(frozen=True)
class PlannedPoint:
    """One point to measure: a shape under a load, for the `repeat`-th time (from 1)."""

    shape: Shape
    load: Load
    repeat: int = 1

    @property
    def level(self) -> float:
        """The load's own number: concurrency, or requests per second; infinite for a trace played as it stands."""
        load = self.load
        if load.load_kind == "closed":
            return float(load.concurrency or 0)
        return load.request_rate if load.request_rate is not None else float("inf")

    @property
    def key(self) -> str:
        """What tells this point from every other of its plan; the journal keeps it, and resume looks for it."""
        load = self.load
        if load.load_kind == "closed":
            how = f"concurrency={load.concurrency}"
        else:
            rate = "" if load.request_rate is None else f"request_rate={load.request_rate:.12g} "
            how = f"{rate}arrivals={load.arrivals}"
        return f"{self.shape.key} {how} repeat={self.repeat}"

    @property
    def words(self) -> str:
        """Its level in words: "concurrency 64 (512 in / 256 out)"."""
        return f"{load_words(self.load)} ({self.shape.words})"
