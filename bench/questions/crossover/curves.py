"""The measured points that curves are made of: every ranked point, at its place on the axis, one line for each run.

Which points are ranked is `bench.basis.evidence`, which keeps the newest run of a deployment whole: nothing is chosen
here among runs, so no curve lies below a ranked point of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench import names
from bench.basis import points
from bench.basis.points import PointFacts
from bench.basis.prices import ChipPrice, Choice
from bench.library import Library
from bench.library.newest_runs import LINE, LOADS, REPEAT, SET_ASIDE
from bench.library.runs import RUN_GAP_DAYS
from bench.maths.envelope import Envelope
from bench.maths.grid import Better
from bench.questions.crossover.options import ALONG, LENGTHS, CrossoverOptions, Per, value_sql
from bench.questions.crossover.result import CurvePlace, Member, NotKnown, SideCurve, SideKey
from bench.selection import Clause, as_asked

MOST_CURVES = 400
"""So many curves of one selection are compared with each other, those of the most places."""


@dataclass(frozen=True)
class MeasuredPlace:
    """What one member says at one place of the axis: the point that stands there, and all repeats of it if any.

    `fixed` is what is equal along the whole curve, by `fixed_columns`; `member` is one run of one deployment.
    """

    member: int
    fixed: tuple[Any, ...]
    x: float
    y: float
    point: PointFacts
    repeats: tuple[float, ...] = ()


FixedWorkload = tuple[tuple[Any, ...], frozenset[float]]
"""A workload that a side holds, by `fixed_columns`, and where on the axis."""


def fixed_columns(along: str) -> tuple[str, ...]:
    """What is equal along one curve: model, kind of load, lengths and data set; along a length the load as well."""
    lengths = tuple(key for key in (*LENGTHS, "dataset") if key != along)
    return ("model", "load_kind", *lengths, *(LOADS if along in LENGTHS else ()))


def workloads(
    library: Library, within: Clause, each: Sequence[Clause], options: CrossoverOptions
) -> list[list[FixedWorkload]]:
    """For each condition, all of them `within` one, every workload that has the metric along the axis."""
    fixed = ", ".join(f"fixed_{key}" for key in fixed_columns(options.along))
    where = ", ".join(f"list(DISTINCT x) FILTER (of_{i})" for i in range(len(each)))
    stated, params = _stated(library, within, each, options)
    found = library.fetch(f"{stated} SELECT ({fixed}), {where} FROM stated GROUP BY ALL ORDER BY 1", params)
    rows = ([(fixed, held[i]) for fixed, *held in found if held[i]] for i in range(len(each)))
    return [[(tuple(fixed), frozenset(xs)) for fixed, xs in held] for held in rows]


def narrowed(condition: Clause, along: str, fixed: Sequence[Any]) -> Clause:
    """The condition for the points of one workload."""
    for column, value in zip(fixed_columns(along), fixed, strict=True):
        condition = condition.also(f"({as_asked(column)}) IS NOT DISTINCT FROM ?", value)
    return condition


def measured(
    library: Library, within: Clause, each: Sequence[Clause], options: CrossoverOptions, curves: Sequence[str] = ()
) -> list[list[MeasuredPlace]]:
    """For each condition, all of them `within` one, every place of every member.

    With columns that tell `curves` apart of MOST_CURVES: those of the last condition, then those of the most places.

    A member is one deployment with one engine version under one workload, measured without a gap of more than
    RUN_GAP_DAYS. Of two of its points at one place the better stands.
    """
    fixed = [f"fixed_{key}" for key in fixed_columns(options.along)]
    of = [f"of_{i}" for i in range(len(each))]
    curve = f"hash({', '.join((*curves, *fixed))})"
    longest = (
        f"SELECT {curve} AS curve FROM held GROUP BY 1 ORDER BY bool_or({of[-1]}) DESC,"
        f" count(DISTINCT x) DESC, min(point_id) LIMIT {MOST_CURVES}"
    )
    stated, params = _stated(library, within, each, options)
    fetched = library.fetch(
        f"{stated}, held AS (SELECT * FROM stated WHERE {' OR '.join(of)})"
        f" SELECT {points.SQL}, line, x, y, repeat IS NOT NULL, {', '.join((*of, *fixed))} FROM held"
        + (f" SEMI JOIN ({longest}) AS longest ON longest.curve = {curve}" if curves else ""),
        params,
    )
    many = len(points.COLUMNS)
    repeated = [row[0] for row in fetched if row[many + 3]]
    repeats, of_sides = _repeats(library, options, repeated) if repeated else {}, []
    for row in fetched:
        line, x, y, *_ = row[many:]
        of_sides.append(MeasuredPlace(line, row[-len(fixed) :], x, y, PointFacts(*row[:many]), repeats.get(row[0], ())))
    both = list(zip(of_sides, fetched, strict=True))
    return [_by_run((one for one, row in both if row[many + 4 + i]), options.row.better) for i in range(len(of))]


def are_uneven(
    library: Library,
    within: Clause,
    each: Sequence[Clause],
    options: CrossoverOptions,
    curves: Sequence[str],
    unlike: Sequence[str],
) -> bool:
    """Whether the most alike curves of two accelerators are of unequal counts of chips, and none as alike of equal.

    Curves are told apart by `curves`, unlike in some of the facts `unlike`; one is of the last condition, one is not.
    """
    fixed = fixed_columns(options.along)
    apart = ("model",) if options.along in LENGTHS else ("model", "load_kind")
    same = [f"a.fixed_{key} IS NOT DISTINCT FROM b.fixed_{key}" for key in apart]
    same += [f"coalesce(a.fixed_{key} = b.fixed_{key}, TRUE)" for key in fixed if key in (*LENGTHS, *LOADS)]
    differ = " + ".join(f"CAST(a.{key} IS DISTINCT FROM b.{key} AS INTEGER)" for key in unlike)
    by = ", ".join(("accelerator", "accelerators", *curves, *(f"fixed_{key}" for key in fixed)))
    own, params = f"of_{len(each) - 1}", _stated(library, within, each, options)
    fetched = library.fetch(
        f"{params[0]}, curve AS (SELECT {by}, bool_or({own}) AS own, min(x) AS low, max(x) AS high FROM stated"
        f" WHERE accelerator IS NOT NULL AND ({' OR '.join(f'of_{i}' for i in range(len(each)))})"
        " GROUP BY ALL HAVING low < high)"
        " SELECT a.accelerators <> b.accelerators FROM curve AS a JOIN curve AS b ON a.own"
        f" AND ({'NOT b.own' if each[1:] else 'TRUE'}) AND greatest(a.low, b.low) < least(a.high, b.high)"
        f" AND {' AND '.join(same)} AND a.accelerator IS DISTINCT FROM b.accelerator"
        f" ORDER BY {differ}, 1 NULLS LAST LIMIT 1",
        params[1],
    )
    return bool(fetched and fetched[0][0])


def _by_run(rows: Iterable[MeasuredPlace], better: Better) -> list[MeasuredPlace]:
    """The rows numbered by run instead of line, the newest run first; of two at one place the better stands."""
    runs: list[dict[float, MeasuredPlace]] = []
    line, before = -1, 0
    for row in sorted(rows, key=lambda one: (one.member, _day(one), one.point.point_id)):
        if row.member != line or _day(row) - before > RUN_GAP_DAYS:
            runs.append({})
        line, before = row.member, _day(row)
        other = runs[-1].setdefault(row.x, row)
        if row.y < other.y if better == "lower" else row.y > other.y:
            runs[-1][row.x] = row
    told = [sorted(run.values(), key=lambda one: one.x) for run in runs]
    told.sort(key=lambda run: (-max(map(_day, run)), min(one.point.point_id for one in run)))
    return [replace(one, member=place) for place, run in enumerate(told) for one in run]


def _day(row: MeasuredPlace) -> int:
    return row.point.date.toordinal() if row.point.date else 0


def divided(
    rows: Sequence[MeasuredPlace], by: Callable[[MeasuredPlace], float | None], better: Better
) -> SideCurve | None:
    """The curve of these after dividing; those whose divisor is not known are left out, None when all are."""
    members: dict[int, list[CurvePlace]] = {}
    for row in rows:
        if divisor := by(row):
            place = CurvePlace(row.x, row.y / divisor, row.point, tuple(one / divisor for one in row.repeats))
            members.setdefault(row.member, []).append(place)
    if not members:
        return None
    lines = [[(one.x, y) for one in held for y in one.repeats or (one.y,)] for held in members.values()]
    standing = [{one.x: one.y for one in held if one.repeats} for held in members.values()]
    told = tuple(Member(tuple(sorted(held, key=lambda one: one.x))) for held in members.values())
    return SideCurve(told, Envelope("measured", lines, better, standing))


def _repeats(library: Library, asked: CrossoverOptions, ids: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """All repeats of each of these points, by its id: what stands aside for it, and itself; several at least."""
    same = f"hash({', '.join((*LINE, 'source_id', 'source_url', 'engine_version', *LOADS))})"
    y = value_sql(library, asked.metric)
    fetched = library.fetch(
        "WITH asked AS (SELECT unnest(CAST(? AS VARCHAR[])) AS point_id),"
        f" beside AS (SELECT point_id, {same} AS same, {y} AS y FROM points WHERE repeat IS NOT NULL"
        f" AND {y} IS NOT NULL AND point_id IN (SELECT point_id FROM {SET_ASIDE} WHERE why = '{REPEAT}'"
        " UNION ALL FROM asked))"
        " SELECT own.point_id, list(beside.y ORDER BY beside.point_id) FROM beside JOIN beside AS own USING (same)"
        " SEMI JOIN asked ON asked.point_id = own.point_id GROUP BY 1 HAVING count(*) > 1",
        (list(ids),),
    )
    return {point_id: tuple(values) for point_id, values in fetched}


def _stated(
    library: Library, within: Clause, each: Sequence[Clause], options: CrossoverOptions
) -> tuple[str, tuple[Any, ...]]:
    """SQL that names the points `stated` that lie on the axis and have the metric, and its parameters.

    `of_0` and so on are TRUE for those of each condition; `line` is alike along one line but for its run.
    """
    columns = fixed_columns(options.along)
    line = (*LINE, "engine_version")
    if options.along in LENGTHS:
        alike = (*(key for key in columns if key not in LINE), "shared_prefix_share", "turns")
        line = (*(key for key in line if key != "workload_id"), *map(as_asked, alike))
    fixed = "".join(f"{as_asked(key)} AS fixed_{key}, " for key in columns)
    x, y = f"CAST({ALONG[options.along]} AS DOUBLE)", value_sql(library, options.metric)
    of = ", ".join(f"coalesce({one.sql}, FALSE) AS of_{i}" for i, one in enumerate(each))
    return (
        f"WITH stated AS (SELECT {points.SQL}, repeat, {fixed}hash({', '.join(line)}) AS line, {x} AS x, {y} AS y,"
        f" {of} FROM points WHERE {within.sql} AND {x} > 0 AND isfinite({x}) AND {y} IS NOT NULL)"
    ), (*(value for one in each for value in one.params), *within.params)


@dataclass(frozen=True)
class HourlyPrices:
    """What an hour of one accelerator costs under a choice of prices; what the reader states is for all of a side."""

    asked: CrossoverOptions
    choice: Choice
    chips: Mapping[str, ChipPrice]

    def price(self, side: SideKey, accelerator: str | None) -> ChipPrice | None:
        """The price of an accelerator on one side; None when not known."""
        stated = self.asked.price_a if side == "a" else self.asked.price_b
        if stated is not None:
            return ChipPrice(accelerator or "", stated, stated=True)
        return self.chips.get(accelerator or "")

    def of_all(self, side: SideKey, held: Iterable[PointFacts]) -> ChipPrice | None:
        """The one price that the chips of all these points have; None where one has none, or they differ."""
        found = {self.price(side, chip) for chip in {one.accelerator for one in held}}
        known = [one for one in found if one is not None]
        return known[0] if len(known) == len(found) and len({one.usd for one in known}) == 1 else None


def divisor(per: Per, side: SideKey, priced: HourlyPrices) -> Callable[[MeasuredPlace], float | None]:
    """What a side's values are divided by: chips, paid USD for an hour of use, or published power (TDP) in W."""

    def of(row: MeasuredPlace) -> float | None:
        chip, each = row.point.accelerator, 1.0
        if per == "dollar":
            price = priced.price(side, chip)
            each = price.usd / priced.choice.utilisation if price else 0.0
        elif per == "watt":
            known = names.accelerator(chip) if chip else None
            each = (known.tdp_w if known else None) or 0.0
        return each * row.point.accelerators if each and row.point.accelerators else None

    return (lambda _: 1.0) if per == "raw" else of


def lacking(per: Per, rows: Sequence[MeasuredPlace]) -> NotKnown:
    """Why a side cannot be divided by this."""
    chips = tuple(sorted({row.point.accelerator for row in rows if row.point.accelerator}))
    counted = any(row.point.accelerators for row in rows)
    return NotKnown("chips" if not counted else "price" if per == "dollar" else "power", chips)
