"""How many tokens the server counts for a text of ours: measured on it, by usage or by its tokenizer's route.

A text is made of 64 common words of four letters. Measured are the tokens around the text (a chat template's), the
tokens of each word, and how far texts of the wanted lengths are off, which corrects the next ones. What counts is a
callback: texts in, tokens out.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import shake_128
from itertools import combinations_with_replacement
from statistics import fmean

from bench.errors import BenchError, UsageError

WORDS = tuple(
    """
    able area army away back ball band bank base bird blue boat body book born both
    burn call camp card care case cash city club coal coat cold come cook cool corn
    cost dark data date deal deep desk door down draw east easy edge face fact fall
    farm fast fear feel fire fish five flat food foot form four free full game girl
    """.split()
)
"""Of one length, so that where characters are counted each counts the same; common, so that most are one token."""

FILLERS = ("a", "at", "the")
"""Shorter ones for the end of a text, where a whole word would be too much."""

FEW, MANY = 32, 96
REPEATED = 16
SAMPLES = 4
ROUNDS = 4
LENGTHS = 8
"""So many of the wanted lengths are measured; what lies between two is corrected between them."""

SHARE, TOKENS = 0.02, 4
"""How far a prompt may be off: by this share of what was asked for or by so many tokens, whichever is more."""

CLOSE = 0.002
"""A mean that is off by no more than this share needs no further round."""

_BYTES = tuple(WORDS[byte % len(WORDS)] for byte in range(256))

TokenCounter = Callable[[Sequence[str]], Sequence[int]]


MOST_ENDING, DISTINCT = 3, 8
"""A text ends with at most so many words chosen to fill it, of so many different weights."""


@dataclass(frozen=True)
class MeasuredLength:
    """Texts of one wanted length: their mean and the one farthest off, in tokens, and what to aim lower by."""

    isl: int
    mean: float
    worst: float
    aim_lower: float


@dataclass(frozen=True)
class Calibration:
    """What the server counts: tokens around any text, and tokens of each word of WORDS and of FILLERS.

    `seen` is ascending in isl. The default is a guess: a token a word, none around.
    """

    around: float = 0.0
    weights: tuple[float, ...] = (1.0,) * len(WORDS)
    fillers: tuple[float, ...] = (1.0,) * len(FILLERS)
    seen: tuple[MeasuredLength, ...] = ()

    def room(self, isl: int) -> float:
        """The tokens a text itself must have for the server to count this isl.

        Raises:
            UsageError: what stands around a text leaves no room for it.
        """
        room = isl - self._aim_lower(isl) - self.around
        if room < min(self.weights) / 2:
            raise UsageError(
                f"isl {isl} cannot be met: the endpoint counts {round(self.around)} tokens around every prompt; "
                f"ask for {round(self.around + max(self.weights)) + TOKENS} or more, or use the completions api."
            )
        return room

    def misses(self) -> tuple[str, ...]:
        """The wanted lengths that prompts do not meet, each as a sentence; none when all is well."""
        return tuple(
            f"Prompts of isl {seen.isl} count {seen.mean:,.1f} tokens on average, one of them {seen.worst:,.0f}."
            for seen in self.seen
            if not _met(seen)
        )

    def _aim_lower(self, isl: int) -> float:
        place = bisect_left(self.seen, isl, key=lambda seen: seen.isl)
        above = self.seen[place] if place < len(self.seen) else None
        below = self.seen[place - 1] if place else None
        if above is None or below is None or above.isl == isl:
            nearest = above or below
            return nearest.aim_lower * (isl / nearest.isl if above is None else 1) if nearest else 0.0
        share = (isl - below.isl) / (above.isl - below.isl)
        return below.aim_lower + share * (above.aim_lower - below.aim_lower)


def calibrate(count: TokenCounter, isls: Iterable[int]) -> Calibration:
    """The calibration for prompts of these lengths; `count` says how many tokens the server counts for each text.

    UsageError when a length is shorter than what stands around every prompt; BenchError when the counts are no counts
    of tokens.
    """
    calibration = _words(count)
    wanted = _spread(sorted(set(isls)))
    for attempt in range(ROUNDS):
        texts = [
            text(calibration, isl, f"calibration {attempt} {sample}") for isl in wanted for sample in range(SAMPLES)
        ]
        counts = _counted(count, texts)
        seen = tuple(
            _seen(calibration, isl, counts[place * SAMPLES : (place + 1) * SAMPLES]) for place, isl in enumerate(wanted)
        )
        if all(_met(row) and abs(row.mean - row.isl) <= max(CLOSE * row.isl, 0.5) for row in seen):
            return replace(
                calibration, seen=tuple(replace(row, aim_lower=calibration._aim_lower(row.isl)) for row in seen)
            )
        if attempt < ROUNDS - 1:
            calibration = replace(calibration, seen=seen)
    return replace(calibration, seen=tuple(replace(row, aim_lower=calibration._aim_lower(row.isl)) for row in seen))


def text(
    calibration: Calibration, isl: int, key: str, first: Sequence[str] = (), shared: float = 0.0, shared_key: str = ""
) -> str:
    """A text that the server counts as `isl` tokens, the same for the same keys.

    Its first `shared` share depends on `shared_key` alone; then come the words `first`, then words drawn from `key`.
    """
    room = calibration.room(isl)
    weights = dict(zip(WORDS, calibration.weights, strict=True))
    words, left = _filled([], _drawn(shared_key, room, weights), room * shared, weights) if shared else ([], 0.0)
    words, left = _filled(words, [*first, *_drawn(key, room, weights)], room * (1 - shared) + left, weights)
    words += _ending(calibration, round(left, 3))
    return " ".join(words or WORDS[:1])


@lru_cache(maxsize=4096)
def _ending(calibration: Calibration, left: float) -> tuple[str, ...]:
    """The fewest words that come closest to what is left, which is less than a heavy word."""
    known = zip((*FILLERS, *WORDS), (*calibration.fillers, *calibration.weights), strict=True)
    by_weight = {round(weight, 1): word for word, weight in known}
    few = sorted(by_weight)[:DISTINCT]
    ends = (end for size in range(MOST_ENDING + 1) for end in combinations_with_replacement(few, size))
    best = min(ends, key=lambda end: (round(abs(left - sum(end)), 2), len(end)))
    return tuple(by_weight[weight] for weight in best)


def _filled(words: list[str], more: Sequence[str], room: float, weights: dict[str, float]) -> tuple[list[str], float]:
    """The words and as many more as have room, and the room that is left."""
    lightest, heaviest = min(weights.values()), max(weights.values())
    if heaviest - lightest < 1e-9:
        fitting = max(0, int(room / lightest + 1e-9))
        return words + list(more[:fitting]), room - fitting * lightest
    taken = 0
    for word in more:
        if weights[word] > room:
            break
        room -= weights[word]
        taken += 1
    return words + list(more[:taken]), room


def _drawn(key: str, room: float, weights: dict[str, float]) -> list[str]:
    """More words than have room, drawn from the key."""
    count = int(room / min(weights.values())) + 1
    return list(map(_BYTES.__getitem__, shake_128(key.encode()).digest(count)))


def _words(count: TokenCounter) -> Calibration:
    """What stands around a text and what each word counts."""
    few = _drawn("few", FEW - 1, {"": 1.0})
    many = [WORDS[(place * 37) % len(WORDS)] for place in range(MANY - FEW)] + few
    counts = _counted(count, [" ".join(few), " ".join(many)])
    each = (counts[1] - counts[0]) / (MANY - FEW)  # every word of WORDS once: their mean
    if each <= 0:
        raise BenchError(
            f"The endpoint counts {counts[0]} tokens for {FEW} words and {counts[1]} for {MANY}: "
            "ISL cannot be calibrated by that."
        )
    if each == 1 and counts[0] >= FEW:
        return Calibration(counts[0] - FEW)
    alone = (*WORDS, *FILLERS)
    counts_each = _counted(count, [" ".join([word] * REPEATED) for word in alone])
    # Around a text: what the mean word does not explain of all repeated ones together.
    around = max(0.0, fmean(counts_each[: len(WORDS)]) - REPEATED * each)
    weights = [max((counted - around) / REPEATED, 0.1) for counted in counts_each]
    own, fillers = weights[: len(WORDS)], weights[len(WORDS) :]
    if max(own) - min(own) <= 2 / REPEATED:
        own = [each] * len(WORDS)
    scale = each / fmean(own)
    around = counts[0] - sum(dict(zip(WORDS, own, strict=True))[word] for word in few) * scale
    return Calibration(max(0.0, around), tuple(weight * scale for weight in own), tuple(fillers))


def _counted(count: TokenCounter, texts: Sequence[str]) -> Sequence[int]:
    counts = count(texts)
    if len(counts) != len(texts) or any(count < 0 for count in counts):
        raise BenchError(f"The endpoint counted {len(counts)} of {len(texts)} texts: ISL cannot be calibrated.")
    return counts


def _seen(found: Calibration, isl: int, counts: Sequence[int]) -> MeasuredLength:
    mean = fmean(counts)
    worst = max(counts, key=lambda count: abs(count - isl))
    return MeasuredLength(isl, mean, worst, found._aim_lower(isl) + mean - isl)


def _met(seen: MeasuredLength) -> bool:
    near = abs(seen.mean - seen.isl) <= max(SHARE * seen.isl, 0.5)
    return near and abs(seen.worst - seen.isl) <= max(SHARE * seen.isl, TOKENS)


def _spread(isls: Sequence[int]) -> list[int]:
    """At most LENGTHS of the lengths, evenly over their ranks, both ends included."""
    if len(isls) <= LENGTHS:
        return list(isls)
    return sorted({isls[round(place * (len(isls) - 1) / (LENGTHS - 1))] for place in range(LENGTHS)})
