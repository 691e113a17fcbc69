"""How answers speak of ratios, ties and flags, the same in every one.

A ratio is told as a ratio: "2.6 times" is a / b. Below twice it is told as what is more, "31 % more" is a / b - 1. A
tie is within 1 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bench.basis.points import PointFacts
from bench.chart import title, value_label
from bench.maths.grid import TIE
from bench.wording import counted, joined, lowered, number, share

TWICE = 1.995
"""From this ratio on, which three digits write as 2.00, it is told as times, below it as a percentage."""


def opened(text: str) -> str:
    """Words as a sentence opens with them: the first letter is a capital, but for a name such as vLLM."""
    return text if text[1:2].isupper() else f"{text[:1].upper()}{text[1:]}"


def column_words(column: str) -> str:
    """A column's name inside a sentence: "input length", "chip count"."""
    return "chip count" if column == "accelerators" else lowered(title(column).split(" (")[0])


def is_tie(ratio: float) -> bool:
    """Whether a ratio is within 1 % of 1."""
    return abs(ratio - 1) <= TIE


def times(ratio: float, noun: str = "", other: str = "") -> str:
    """A ratio in words: "2.6 times the throughput of B", "31 % more throughput than B"; "the same" for a tie."""
    after, than = f" {noun}" if noun else "", f" than {other}" if other else ""
    if is_tie(ratio):
        return f"the same{after}{f' as {other}' if other else ''}"
    if ratio >= TWICE:
        return f"{number(ratio)} times{f' the{after}' if noun else ''}{f' of {other}' if other else ''}"
    return f"{share(ratio - 1)} more{after}{than}" if ratio > 1 else f"{share(1 - ratio)} less{after}{than}"


def speed(ratio: float) -> str:
    """A ratio of speeds in words: "30 % faster", "2.1 times as fast", "21 % slower", "as fast"."""
    if is_tie(ratio):
        return "as fast"
    if ratio >= TWICE:
        return f"{number(ratio)} times as fast"
    return f"{share(ratio - 1)} faster" if ratio > 1 else f"{share(1 - ratio)} slower"


def ahead(ratio: float) -> str:
    """By how much a leader leads at this ratio, above 1: "by 31 %", "2.6 times"; "not at all" for a tie."""
    if is_tie(ratio):
        return "not at all"
    return f"{number(ratio)} times" if ratio >= TWICE else f"by {share(ratio - 1)}"


def between(low: float, high: float) -> str:
    """A range of ratios above 1 in words: "by 2.8 to 55 %", "1.6 to 3.2 times"."""
    if ahead(low) == ahead(high):
        return ahead(high)
    if high >= TWICE:
        return f"{number(low)} to {number(high)} times"
    return f"by {share(low - 1).removesuffix(' %')} to {share(high - 1)}"


def flags_of(points: Iterable[PointFacts]) -> tuple[str, ...]:
    """The kinds of flag of these points, each once."""
    return tuple(dict.fromkeys(kind for point in points for kind in point.flag_kinds))


def subject(points: Sequence[PointFacts]) -> str:
    """What points are of: "DeepSeek R1 0528 FP8 at 1,024/1,024"; what they do not agree on is left out.

    Models beyond two are counted; "" where nothing is stated.
    """
    models = list(dict.fromkeys(value_label("model", one.model) for one in points if one.model))
    words = joined(models) if len(models) <= 2 else counted(len(models), "model")
    precisions = {one.precision for one in points}
    if len(precisions) == 1 and (precision := precisions.pop()):
        words += f" {precision.upper()}"
    lengths = {(one.isl, one.osl) for one in points}
    isl, osl = lengths.pop() if len(lengths) == 1 else (None, None)
    if isl is not None and osl is not None:
        words += f" at {number(isl)}/{number(osl)}"
    return words.strip()
