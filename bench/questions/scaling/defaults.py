"""What a scaling answer is of when nobody said: metric, story, lines, way to compare, its level and prices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import catalogue, selection
from bench.chart import value_label
from bench.errors import NotFound, UnknownName
from bench.library import Library
from bench.pricing import ChipPrice
from bench.questions import records
from bench.questions.scaling import lines as held_lines
from bench.questions.scaling import operating, prices, runs
from bench.questions.scaling.lines import EVERY, GROUPS, Held
from bench.questions.scaling.operating import BEST, INTERACTIVITY, WAYS
from bench.questions.scaling.runs import Kept
from bench.view import View

METRICS = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s", "input_tokens_per_s",
           "goodput_requests_per_s", "output_tokens_per_s_active", "mlperf_tokens_per_s", "mlperf_samples_per_s",
           "mlperf_queries_per_s")  # fmt: skip
STORY = ("model", "precision", "isl", "osl", "scenario")
MOST_TRIED = 4
"""So many lines of a group are looked at for one whose counts can be compared."""

STEADY_COUNTS = 3
"""A story is told by lines of at least three counts where there are any: two are a single step."""


@dataclass(frozen=True)
class Drawn:
    """A line that is drawn: what the library holds of it, its name, and its points of one run."""

    held: Held
    label: str
    kept: Kept


@dataclass(frozen=True)
class Prepared:
    """A whole View with the lines it draws, and what else the selection holds.

    `common` is the level most counts share, None where none does.
    `seen` is the interactivity most points have, None where none has any; `held` is how many lines have two counts;
    `several` are the groups that have one; `split` is how many more lines are disaggregated and not asked for.
    """

    view: View
    metric: str
    group: str
    way: str
    level: float | None
    common: float | None
    seen: str | None
    lines: tuple[Drawn, ...]
    held: int
    several: frozenset[Any]
    split: int
    prices: Mapping[str, ChipPrice]


def prepared(library: Library, view: View) -> Prepared:
    """The lines of a View, every option filled in and, unless it is whole, one model, precision and workload.

    NotFound when nothing loaded states a throughput; UnknownName and UsageError for an option that cannot be one.
    """
    _check(view)
    metric = _metric(library, view)
    if not view.whole:
        view = _with_story(library, view, metric)
    group = view.option("group", "accelerator")
    every = held_lines.census(library, view, metric, group)
    census = held_lines.in_one_piece(every, view, group)
    found = _read(library, view, metric, held_lines.drawn(census, group))
    if group != EVERY:
        found = _with_others(library, view, metric, census, found)
    picked, kept = [one for one, _ in found], [one for _, one in found]
    own = [one.points for one in kept]
    rows = [row for points in own for row in points]
    seen = _seen(own)
    way = _way(library, view, own, seen)
    common = operating.level_of(own, way, seen)
    asked = view.positive("level", "level=64") if way != BEST else None
    level = common if asked is None else asked
    chips = sorted({str(row["accelerator"]) for row in rows if row["accelerator"]})
    view, costs = prices.priced(library, view, chips)
    view = view.with_options(
        metric=metric, at=way, level=None if level is None else written(level), group=group
    ).made_whole()
    drawn = zip(picked, _labels(group, picked, own), kept, strict=True)
    comparable = [one.group for one in census if one.comparable >= operating.FEWEST_COUNTS]
    split = sum(one.comparable >= operating.FEWEST_COUNTS for one in every) - len(comparable)
    return Prepared(view, metric, group, way, level, common, seen, tuple(Drawn(*one) for one in drawn),
                    len(comparable), frozenset(comparable), split, costs)  # fmt: skip


def _read(library: Library, view: View, metric: str, picked: Sequence[Held]) -> list[tuple[Held, Kept]]:
    """These lines with their points of one run."""
    by_line: dict[int, list[dict[str, Any]]] = {one.line: [] for one in picked}
    for row in records(held_lines.points_of(library, view, metric, picked)):
        by_line[row["line"]].append(row)
    seen = _seen(list(by_line.values()))
    return [(one, runs.of_one_run(tuple(by_line[one.line]), seen)) for one in picked]


def _with_others(library: Library, view: View, metric: str, census: Sequence[Held],
                 found: Sequence[tuple[Held, Kept]]) -> list[tuple[Held, Kept]]:  # fmt: skip
    """The lines, in place of one whose counts cannot be compared the next of its group whose counts can."""
    barren = {one.group for one, kept in found if not _compares(kept)}
    if not barren:
        return list(found)
    others: dict[Any, list[Held]] = {}
    for one in census:
        if one.group in barren and one.comparable >= operating.FEWEST_COUNTS:
            others.setdefault(one.group, []).append(one)
    tried = _read(library, view, metric, [one for own in others.values() for one in own[1:MOST_TRIED]])
    better = {one.group: (one, kept) for one, kept in reversed(tried) if _compares(kept)}
    return [better.get(one.group, (one, kept)) for one, kept in found]


def _compares(kept: Kept) -> bool:
    return runs.compared(kept.points, _seen([kept.points])) >= operating.FEWEST_COUNTS and not kept.apart


def _seen(own: Sequence[Sequence[dict[str, Any]]]) -> str | None:
    return operating.usual([row for points in own for row in points], "interactivity_tokens_per_s_per_user")


def written(level: float) -> str:
    """A level as a link holds it: every digit it takes to read the same number again, for a frontier ends there."""
    return repr(level).removesuffix(".0")


def _way(library: Library, view: View, own: Sequence[Sequence[dict[str, Any]]], seen: str | None) -> str:
    """The way asked for, else the fairest; UnknownName for one that no selected point states.

    A link keeps its way while its reader changes the filters, so there it is answered with a sentence.
    """
    asked = view.option("at")
    if not asked:
        return operating.fairest(own, seen)
    if not view.whole and asked != BEST:
        condition = selection.clause(view).also(f"({_needed(library, asked)})")
        stated = library.fetch(f"SELECT 1 FROM points WHERE {condition.sql} LIMIT 1", condition.params)
        offered = operating.supported(own, seen)
        if offered and not stated:
            raise UnknownName("way to compare these points (option at)", asked, offered)
    return asked


def metrics(library: Library) -> list[str]:
    """The throughputs the library has that can be compared over counts of chips."""
    return [key for key in METRICS if library.has(key)]


def _check(view: View) -> None:
    known = {"metric": METRICS, "at": WAYS, "group": (*GROUPS, EVERY)}
    for key, values in known.items():
        if view.option(key) and view.option(key) not in values:
            raise UnknownName(f"choice for {key}", view.option(key), values)
    view.positive("level", "level=64")


def _metric(library: Library, view: View) -> str:
    """The metric asked for, else the first that at least half as many points have as have the commonest."""
    offered = metrics(library)
    asked = view.option("metric")
    if asked and asked not in offered:
        raise NotFound(f"{catalogue.metric(asked).label} is not loaded; import results that have it.")
    if not offered:
        raise NotFound(
            "No loaded point has a throughput to compare over accelerators; import results that do."
        )
    if asked:
        return asked
    condition = held_lines.entering(view).also("accelerators > 0")
    points, first = library.fetch(
        f'SELECT count(*), count(*) FILTER (isfinite("{offered[0]}")) FROM points WHERE {condition.sql}',
        condition.params,
    )[0]
    if first and 2 * first >= points:
        return offered[0]
    counts = ", ".join(f'count(*) FILTER (isfinite("{key}"))' for key in offered)
    found = library.fetch(f"SELECT {counts} FROM points WHERE {condition.sql}", condition.params)[0]
    return next(key for key, count in zip(offered, found, strict=True) if 2 * count >= max(found))


def _with_story(library: Library, view: View, metric: str) -> View:
    """The View narrowed to one model, precision, workload and MLPerf scenario where the reader named none.

    Taken is the one whose accelerators have the most counts of chips on one line each; a stated workload comes before
    an unstated one, three counts and more before two. Of equals it is the one where throughput is farthest from
    growing in proportion.
    """
    absent = [key for key in STORY if not view.values(key)]
    if not absent:
        return view
    needed = _needed(library, view.option("at"))
    stories: dict[tuple[Any, ...], dict[Any, Held]] = {}
    for condition in dict.fromkeys((needed, "TRUE")):
        if not stories:
            found = held_lines.census(library, view, metric, "accelerator", absent, condition)
            for one in held_lines.in_one_piece(found, view, view.option("group")):
                if one.alike >= operating.FEWEST_COUNTS:
                    stories.setdefault(one.story, {}).setdefault(one.group, one)
    if not stories:
        return view
    told = [place for place, key in enumerate(absent) if key != "scenario"]
    best = max(
        stories,
        key=lambda story: _strength([story[place] for place in told], list(stories[story].values())),
    )
    pins = {key: value for key, value in zip(absent, best, strict=True) if value is not None}
    return view.with_where(**{key: (selection.written(value),) for key, value in pins.items()})


def _needed(library: Library, way: str) -> str:
    if way == INTERACTIVITY:
        keys = [key for key in held_lines.latency_keys(library) if key.startswith("interactivity")]
        return " OR ".join(f'isfinite("{key}")' for key in keys) or "FALSE"
    return "TRUE" if way in ("", BEST) else f"{way} IS NOT NULL"


def _strength(story: Sequence[Any], own: Sequence[Held]) -> tuple[Any, ...]:
    stated = sum(value is not None for value in story)
    steady = sum(one.alike for one in own if one.alike >= STEADY_COUNTS)
    every = sum(one.alike for one in own)
    return stated, steady, every, max(map(_departure, own)), str(story)


def _departure(one: Held) -> float:
    """How far the throughput of some count is from the smallest's in proportion, as a logarithm."""
    base = min(one.counts)
    return max(
        abs(math.log(count.best / one.counts[base].best * base / chips))
        for chips, count in one.counts.items()
    )


def _labels(group: str, picked: Sequence[Held], own: Sequence[Sequence[dict[str, Any]]]) -> list[str]:
    if group != EVERY:
        return [value_label(group, one.group) for one in picked]
    keys = ("accelerator", "model", "precision", "kv_precision", "engine", "engine_version", "speculation",
            "disaggregated", "system", "scenario", "dataset", "isl", "osl", "harness", "source",
            "load_kind")  # fmt: skip
    firsts = [points[0] for points in own]
    unlike = [key for key in keys if len({row[key] for row in firsts}) > 1] or ["accelerator"]
    return [", ".join(value_label(key, row[key]) for key in unlike if row[key] is not None) for row in firsts]
