"""The reader's limits: any number of objectives such as ttft_ms_p99<=2000, the same on every page.

A point that does not state a limit's metric neither keeps nor breaks it: that is unknown, and counted as unknown.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from bench import catalogue
from bench.catalogue import Metric
from bench.errors import UsageError
from bench.library import Library
from bench.view import View
from bench.wording import inline, joined, name_of, quantity

WRITTEN = re.compile(r"([a-z][a-z0-9_]*)(<=|>=)([^<>=%]+)(%?)")
MOST = 8
"""So many limits at once are read; no page offers more."""

LARGEST = 1e12
"""No metric of any unit gets there; a link that asks for more is broken."""

NONE = "none"
"""How a View of an old link says that there shall be no limit."""


@dataclass(frozen=True)
class Limit:
    """One objective: a metric, and the value that it may reach at most or has to reach at least."""

    metric: Metric
    at_most: bool
    value: float

    @property
    def words(self) -> str:
        """It inside a sentence: "p99 TTFT of 2,000 ms or less"."""
        value = quantity(self.value, self.metric.key)
        return f"{inline(self.metric)} of {value} or {'less' if self.at_most else 'more'}"

    @property
    def short(self) -> str:
        """It inside a headline: "p99 TTFT ≤ 2,000 ms"."""
        return f"{inline(self.metric)} {'≤' if self.at_most else '≥'} {quantity(self.value, self.metric.key)}"

    @property
    def text(self) -> str:
        """It as a link writes it."""
        return f"{self.metric.key}{'<=' if self.at_most else '>='}{self.value:.12g}"

    def sql(self, value: str) -> str:
        """The DuckDB expression of whether this `value` keeps it; NULL where there is none."""
        return f"{value} {'<=' if self.at_most else '>='} {self.value!r}"


def read(view: View) -> tuple[Limit, ...]:
    """The limits of a View; UsageError or UnknownName for one that cannot be read."""
    if len(view.slo) > MOST:
        raise UsageError(f"{len(view.slo)} limits are more than the {MOST} that are read at once.")
    return tuple(_limit(text) for text in view.slo if text != NONE)


def label(metric: Metric, at_most: bool | None = None) -> str:
    """How a control asks for a limit on a metric: "TPOT at most (ms)", "P99 TTFT at most (ms)"."""
    is_most = metric.direction == "lower" if at_most is None else at_most
    name = name_of(metric) if metric.statistic == "p50" else inline(metric)
    unit = f" ({metric.unit})" if metric.unit else ""
    return f"{name[:1].upper()}{name[1:]} at {'most' if is_most else 'least'}{unit}"


def words(limits: tuple[Limit, ...]) -> str:
    """Limits inside a sentence: "median TPOT of 50 ms or less and p99 TTFT of 2,000 ms or less"."""
    return joined([limit.words for limit in limits])


def short(limits: tuple[Limit, ...]) -> str:
    """Limits inside a headline: "median TPOT ≤ 50 ms and p99 TTFT ≤ 2,000 ms"."""
    return joined([limit.short for limit in limits])


def metrics(limits: tuple[Limit, ...]) -> str:
    """The metrics that limits are on, inside a sentence: "median TPOT and p99 TTFT"."""
    return joined(list(dict.fromkeys(inline(limit.metric) for limit in limits)))


def kept_sql(library: Library, limits: tuple[Limit, ...], computed: Mapping[str, str] | None = None) -> str:
    """The DuckDB expression of whether a point keeps all limits: TRUE, FALSE, or NULL where that is unknown.

    `computed` are the expressions of metrics that no column holds, by key, as a cost at the reader's prices.
    """
    values = {one.metric.key: f'"{one.metric.key}"' for one in limits if library.has(one.metric.key)}
    values |= computed or {}
    parts = [one.sql(values.get(one.metric.key, "CAST(NULL AS DOUBLE)")) for one in limits]
    return " AND ".join(f"({part})" for part in parts) or "TRUE"


def stated_sql(library: Library, limits: tuple[Limit, ...]) -> str:
    """The DuckDB condition of a point that states all metrics of limits; FALSE without a limit on a stated figure.

    A cost is no figure of a point: prices make it.
    """
    keys = dict.fromkeys(one.metric.key for one in limits if one.metric.key not in catalogue.PRICED)
    parts = [f'"{key}" IS NOT NULL' if library.has(key) else "FALSE" for key in keys]
    return " AND ".join(parts) or "FALSE"


def _limit(text: str) -> Limit:
    match = WRITTEN.fullmatch(text)
    try:
        value = float(match[3]) / (100 if match[4] else 1) if match else math.nan
    except ValueError:
        value = math.nan
    if match is None or not 0 <= value <= LARGEST:
        raise UsageError(f"slo={text[:60]!r} is no limit; write a metric and a number, as in slo=ttft_ms_p99<=2000.")
    limit = Limit(catalogue.metric(match[1]), match[2] == "<=", value)
    if limit.at_most and not value and limit.metric.kind == "latency":
        raise UsageError(f"0 is no limit on {inline(limit.metric)}; write a number above 0.")
    if match[4] and limit.metric.kind != "share":
        raise UsageError(f"A limit on {inline(limit.metric)}, which is no share, is not in %.")
    if value > 1 and catalogue.is_part(match[1]):
        raise UsageError(f"A limit on {inline(limit.metric)} is at most 100 %; write 5 % as {match[1]}{match[2]}5%.")
    return limit
