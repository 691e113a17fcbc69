"""Numbers and lists as people read them: as many digits as they deserve, thousands separated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal

from bench import catalogue
from bench.catalogue import NAMED_STATISTICS, Metric

LONG_MS = 10_000
"""From so many milliseconds on a time is told in seconds."""
IN_POWERS = 1e15
"""From this value on a number is written with a power of ten: nobody counts so many digits."""


def number(value: float | None, decimals: int | None = None) -> str:
    """A number with three significant digits or all its integer digits, thousands separated; "not known" for None.

    From IN_POWERS on it is three digits and a power of ten: "1.2e15".
    """
    if value is None or math.isnan(value):
        return "not known"
    if math.isinf(value):
        return "unbounded" if value > 0 else "unbounded below"
    if abs(value) >= IN_POWERS:
        return f"{value:.3g}".replace("e+", "e")
    if decimals is None:
        decimals = _decimals(value)
    return f"{value:,.{decimals}f}"


def number_below(value: float) -> str:
    """A bound from above as `number` writes it, rounded down: whatever is below the figure is below the bound."""
    return number(float(Decimal(repr(value)).quantize(Decimal(1).scaleb(-_decimals(value)), ROUND_FLOOR)))


def _decimals(value: float) -> int:
    if value == 0 or float(value).is_integer():
        return 0
    magnitude = math.floor(math.log10(abs(value)))
    return max(0, min(6, 2 - magnitude))


def short(value: float, digits: int = 3) -> str:
    """A number in a few characters: "13.2k" for 13,181, with two digits "13k" and "0.88"."""
    rounded = float(f"{value:.{digits}g}")
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(rounded) >= (1e4 if size == 1e3 and digits > 2 else size):
            return f"{rounded / size:g}{letter}"
    return f"{rounded:g}" if digits == 2 else number(value)


def quantity(value: float | None, key: str) -> str:
    """A metric's value with its unit, as the catalogue names it; a share in percent."""
    metric = catalogue.metric(key)
    if value is None or math.isnan(value):
        return "not known"
    if metric.kind == "share":
        return share(value)
    if metric.unit == "ms" and value >= LONG_MS:
        return f"{number(value / 1000)} s"
    return f"{number(value)} {metric.unit}" if metric.unit else number(value)


def share(ratio: float) -> str:
    """A ratio as a percentage: 0.183 is 18 %, 0.0283 is 2.8 %; what is not all is never 100 %, nor some 0."""
    percent = ratio * 100
    written = f"{percent:,.0f} %" if abs(percent) >= 10 else f"{percent:,.1f} %"
    if written == "0.0 %" and percent > 0:
        return "under 0.1 %"
    return "over 99 %" if written == "100 %" and percent < 100 else written


def counted(count: int, singular: str, plural: str | None = None) -> str:
    """A count with its noun: "1 point", "1,667 points"."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def joined(words: Sequence[str], last: str = "and", at_most: int = 6) -> str:
    """Words as a list in a sentence; beyond `at_most` the rest is counted."""
    shown = list(words[:at_most])
    if len(words) > at_most:
        shown.append(f"{len(words) - at_most} more")
    if len(shown) <= 1:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def is_or_are(count: int) -> str:
    """The verb for a count."""
    return "is" if count == 1 else "are"


def lowered(label: str) -> str:
    """A label inside a sentence: its first letter small, unless it begins with an abbreviation."""
    return label[:1].lower() + label[1:] if label[1:2].islower() else label


def name_of(metric: Metric) -> str:
    """A metric's name inside a sentence without its statistic: "interactivity", "TTFT"."""
    return lowered(metric.label.rsplit(", ", 1)[0] if metric.statistic else metric.label)


def inline(metric: Metric) -> str:
    """A metric's name inside a sentence: "median interactivity", "p99 TTFT", "output throughput"."""
    if metric.statistic is None:
        return name_of(metric)
    statistic = NAMED_STATISTICS.get(metric.statistic) or metric.statistic.replace("_", ".")
    return f"{statistic} {name_of(metric)}"
