"""Which points an answer may rest on and what their chips cost, read in plain Python: apart from the SQL of the basis.

The rules are those every answer states: measured points without a flag that excludes, of the newest run of their
deployment, of repeats the middle one, within the reader's limits; on demand, the median over providers.
"""

from __future__ import annotations

import datetime
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from bench import flags, names, selection
from bench.library import Library
from bench.library.newest_runs import FIGURES, LINE, LOADS
from bench.library.runs import RUN_GAP_DAYS
from bench.view import FILTER_BY_KEY, View

PlainRow = Mapping[str, Any]

OTHER_EVIDENCE, FLAGGED, OLDER, REPEAT = "other_evidence", "flagged", "older run", "repeat"
STANDS = ""
"""What `PlainRows.codes` gives a point that may be ranked; the others say what keeps one out."""

OF_TIME = ("engine_version", "date_from", "date_to", "series")
"""With a filter on one of these the newest run is the newest that is selected."""

ALIKE = 0.001
"""Quotes of one provider less than 0.1 % apart are one quote."""

SAME = (*LINE, "source_id", "source_url", "engine_version", *LOADS)
"""What repeats of one measurement have in common."""


@dataclass(frozen=True)
class PlainRows:
    """The rows of points, None where nothing is stated, and those of the price books."""

    rows: Sequence[PlainRow]
    prices: Sequence[PlainRow]
    known: dict[View, dict[str, str]] = field(default_factory=dict, compare=False, repr=False)
    paid: dict[View, dict[str, float]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def by_id(self) -> dict[str, PlainRow]:
        """Each row by the id of its point."""
        return {row["point_id"]: row for row in self.rows}

    @cached_property
    def aside(self) -> dict[str, str]:
        """OLDER or REPEAT for each of the points that another stands for, among all."""
        return set_aside(self.rows)

    def selected(self, view: View) -> list[PlainRow]:
        """The rows that a View's filters let through."""
        passes = [_passing(key, values) for key, values in view.where]
        return [row for row in self.rows if all(one(row) for one in passes)]

    def codes(self, view: View) -> dict[str, str]:
        """For the id of each selected point what keeps it from being ranked, STANDS for nothing."""
        if view not in self.known:
            chosen = self.selected(view)
            aside = set_aside(chosen) if any(map(view.values, OF_TIME)) else self.aside
            lifted = {OLDER} if view.option("runs") == "all" else set()
            gone = {one: why for one, why in aside.items() if why not in lifted}
            self.known[view] = {
                row["point_id"]: _of_the_point(row, view) or gone.get(row["point_id"], STANDS) for row in chosen
            }
        return self.known[view]

    def standing(self, view: View) -> list[PlainRow]:
        """The rows that may be ranked, whether or not they keep the limits."""
        return [self.by_id[one] for one, code in self.codes(view).items() if code == STANDS]

    def ranked(self, view: View) -> list[PlainRow]:
        """The rows that may be ranked and keep the limits of a View."""
        return [row for row in self.standing(view) if keeps(row, view.slo)]

    def usd(self, view: View) -> dict[str, float] | None:
        """The price of one chip and hour of each accelerator in USD; None for prices printed with the points."""
        terms = view.option("price_terms", "on_demand")
        if view not in self.paid:
            self.paid[view] = dict(self._usd(terms, view))
        return None if terms == "with_points" else self.paid[view]

    def _usd(self, terms: str, view: View) -> Iterator[tuple[str, float]]:
        quotes: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(lambda: defaultdict(list))
        wanted = {"terms": terms, "book": view.option("price_book"), "provider": view.option("provider")}
        told = {key: value for key, value in wanted.items() if value not in ("", "every")}
        for row in sorted(self.prices, key=lambda row: row["usd_per_accelerator_hour"]):
            if all(row[key] == value for key, value in told.items()):
                own, usd = (quotes[row["accelerator"]][row["provider"], row["terms"]], row["usd_per_accelerator_hour"])
                if not own or usd > own[-1] * (1 + ALIKE):
                    own.append(usd)
        for chip, by_terms in quotes.items():
            offers = {key: own for key, own in by_terms.items() if not key[1].startswith("modelled")} or by_terms
            each: dict[str, set[float]] = defaultdict(set)
            for (provider, _), own in offers.items():
                each[provider].update(own)
            yield chip, statistics.median(statistics.median(own) for own in each.values())


def read(library: Library, view: View | None = None) -> PlainRows:
    """All points, or those a View selects, as plain rows, and every price above 0."""
    condition = selection.clause(view or View())
    points = [column for (column,) in library.fetch("SELECT column_name FROM (DESCRIBE points)")]
    rows = library.fetch(f"SELECT {', '.join(points)} FROM points WHERE {condition.sql}", condition.params)
    columns = ("accelerator", "provider", "book", "terms", "usd_per_accelerator_hour")
    priced = library.fetch(f"SELECT {', '.join(columns)} FROM prices WHERE usd_per_accelerator_hour > 0")
    return PlainRows(
        [dict(zip(points, row, strict=True)) for row in rows], [dict(zip(columns, row, strict=True)) for row in priced]
    )


def value(row: PlainRow, metric: str) -> float | None:
    """A point's figure; None where it states none that is finite."""
    found = row.get(metric)
    return None if found is None or not math.isfinite(found) else float(found)


def as_asked(row: PlainRow, column: str) -> Any:
    """A column of a point, where a length that was only counted of a data set is none."""
    counted = column in ("isl", "osl") and row[f"{column}_requested"] is None and row["dataset"] is not None
    return None if counted else row[column]


def keeps(row: PlainRow, limits: Iterable[str], computed: Mapping[str, float | None] | None = None) -> bool | None:
    """Whether a point keeps every limit; None where it keeps those it states and lacks what another is on."""
    known: list[bool | None] = []
    for limit in limits:
        if limit == "none":
            continue
        sign = "<=" if "<=" in limit else ">="
        metric, bound = limit.split(sign)
        stated = computed[metric] if computed and metric in computed else row.get(metric)
        known.append(None if stated is None else stated <= float(bound) if sign == "<=" else stated >= float(bound))
    return False if False in known else None if None in known else True


def set_aside(rows: Iterable[PlainRow]) -> dict[str, str]:
    """Which of these points another stands for, by id: OLDER or REPEAT."""
    lines: dict[tuple[Any, ...], list[PlainRow]] = defaultdict(list)
    for row in rows:
        if not _excluded(row):
            lines[tuple(row[name] for name in LINE)].append(row)
    aside: dict[str, str] = {}
    for line in lines.values():
        newest = newest_run(line)
        kept = {row["point_id"] for row in newest}
        aside |= {row["point_id"]: OLDER for row in line if row["point_id"] not in kept}
        aside |= {row["point_id"]: REPEAT for row in _spare(newest)}
    return aside


def newest_run(line: Iterable[PlainRow]) -> list[PlainRow]:
    """The rows of the runs of a deployment that end on its latest day; all where none is dated.

    A run is of one address and engine version, without a gap of more than RUN_GAP_DAYS.
    """
    runs: list[list[PlainRow]] = []
    dated: dict[tuple[Any, ...], list[PlainRow]] = {}
    for row in sorted(line, key=lambda row: row["date"] or datetime.date.min):
        key = (row["source_url"], row["engine_version"], row["date"] is None)
        run = dated.get(key)
        if run is None or (row["date"] and (row["date"] - run[-1]["date"]).days > RUN_GAP_DAYS):
            run = dated[key] = []
            runs.append(run)
        run.append(row)
    latest = max((run[-1]["date"] for run in runs if run[-1]["date"]), default=None)
    return [row for run in runs if run[-1]["date"] == latest for row in run]


def _spare(rows: Iterable[PlainRow]) -> Iterator[PlainRow]:
    """Of the repeats among these rows all but the middle one by throughput, of an even number the lower of the two."""
    same: dict[tuple[Any, ...], list[PlainRow]] = defaultdict(list)
    for row in rows:
        if row["repeat"] is not None:
            same[tuple(row[name] for name in SAME)].append(row)
    for own in same.values():
        figures = [(_figure(row), row["point_id"], row) for row in own]
        ordered = [row for *_, row in sorted(figures, key=lambda one: one[:2])]
        middle = (len(ordered) - 1) // 2
        yield from (row for place, row in enumerate(ordered) if place != middle)


def _figure(row: PlainRow) -> float:
    stated = (row.get(name) for name in FIGURES)
    return next((float(one) for one in stated if one is not None), -math.inf)


def _of_the_point(row: PlainRow, view: View) -> str:
    """Why a point may not be ranked, whatever else is loaded; STANDS where it may."""
    if not view.values("evidence") and row["evidence"] != "measured":
        return OTHER_EVIDENCE
    kinds = flags.kinds_of(row["flags"])
    barred = any(flags.weight(kind) != "notes" for kind in kinds) if view.option("flagged") == "out" else False
    return FLAGGED if barred or _excluded(row) else STANDS


def _excluded(row: PlainRow) -> bool:
    return any(flags.weight(kind) == "excludes" for kind in flags.kinds_of(row["flags"]))


def _passing(key: str, values: Collection[str]) -> Callable[[PlainRow], bool]:
    """Whether a row passes a filter with these values."""
    kept = FILTER_BY_KEY[key]
    if kept.kind == "date":
        days = [datetime.date.fromisoformat(one) for one in values]
        if key == "date_from":
            return lambda row: row["date"] is not None and row["date"] >= max(days)
        return lambda row: row["date"] is not None and row["date"] <= min(days)
    wanted: set[Any]
    if kept.kind == "number":
        wanted = {float(one) for one in values}
        return lambda row: row[kept.column] is not None and float(row[kept.column]) in wanted
    if kept.kind == "name":
        wanted = {slug for one in values for slug in names.matching(kept.column, one)}
        return lambda row: row[kept.column] in wanted
    wanted = {one.lower() for one in values}
    return lambda row: row[kept.column] is not None and str(row[kept.column]).lower() in wanted
