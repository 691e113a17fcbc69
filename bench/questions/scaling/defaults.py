"""What a scaling answer is of when nobody said: metric, story, lines, way to compare, its level and prices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import catalogue, pricing, selection
from bench.chart import value_label
from bench.errors import NotFound, UnknownName, UsageError
from bench.library import Library
from bench.pricing import ChipPrice
from bench.questions.scaling import lines as held_lines
from bench.questions.scaling import operating
from bench.questions.scaling.lines import EVERY, GROUPS, Held
from bench.questions.scaling.operating import BEST, INTERACTIVITY, WAYS
from bench.view import View

METRICS = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s", "input_tokens_per_s",
           "goodput_requests_per_s", "output_tokens_per_s_active", "mlperf_tokens_per_s", "mlperf_samples_per_s",
           "mlperf_queries_per_s")  # fmt: skip
STORY = ("model", "precision", "isl", "osl")
STEADY_COUNTS = 3
"""A story is told by lines of at least three counts where there are any: two are a single step."""


@dataclass(frozen=True)
class Prepared:
    """A whole View with the lines it draws: each with its label and its points; and what else the selection holds.

    `common` is the level most counts share, None where none does.
    `seen` is the interactivity most points have, None where none has any; `held` is how many lines have two counts;
    `several` are the groups that have one.
    """

    view: View
    metric: str
    group: str
    way: str
    level: float | None
    common: float | None
    seen: str | None
    lines: tuple[tuple[Held, str, tuple[dict[str, Any], ...]], ...]
    held: int
    several: frozenset[Any]
    older: int
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
    census = held_lines.census(library, view, metric, group)
    picked = held_lines.drawn(census, group)
    frame = held_lines.points_of(library, view, metric, picked)
    older = int(frame["older"].sum()) if len(frame) else 0
    rows = [row for row in operating.records(frame) if not row["older"]]
    own = [tuple(row for row in rows if row["line"] == one.line) for one in picked]
    seen = operating.usual(rows, "interactivity_tokens_per_s_per_user")
    way = view.option("at") or operating.fairest(own, seen)
    shared = operating.level_of(own, way, seen)
    common = None if shared is None else float(f"{shared:.12g}")
    asked = number(view, "level") if way != BEST else None
    level = common if asked is None else asked
    chips = [str(row["accelerator"]) for row in rows if row["accelerator"]]
    view, prices = _with_prices(library, view, chips)
    view = view.with_options(
        metric=metric, at=way, level=None if level is None else f"{level:.12g}", group=group
    ).made_whole()
    labels = _labels(group, picked, own)
    comparable = [one.group for one in census if one.comparable >= operating.FEWEST_COUNTS]
    return Prepared(view, metric, group, way, level, common, seen, tuple(zip(picked, labels, own, strict=True)),
                    len(comparable), frozenset(comparable), older, prices)  # fmt: skip


def metrics(library: Library) -> list[str]:
    """The throughputs the library has that can be compared over counts of chips."""
    return [key for key in METRICS if library.has(key)]


def number(view: View, key: str) -> float | None:
    """A number above 0 that the reader wrote into an option; None when absent, UsageError when it is none."""
    text = view.option(key)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value <= 0:
        raise UsageError(f"{key}={text[:40]!r} is not a number above 0; write it as in {key}=64.")
    return value


def _check(view: View) -> None:
    known = {"metric": METRICS, "at": WAYS, "group": (*GROUPS, EVERY)}
    for key, values in known.items():
        if view.option(key) and view.option(key) not in values:
            raise UnknownName(f"choice for {key}", view.option(key), values)
    number(view, "level")


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
    condition = selection.clause(selection.ordinary(view)).also("accelerators > 0")
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
    """The View narrowed to one model, precision and workload where the reader named none.

    Taken is the one whose accelerators have the most counts of chips on one line each; served in one piece comes
    before disaggregated, a stated workload before an unstated one, three counts and more before two. Of equals it is
    the one where throughput is farthest from growing in proportion.
    """
    absent = [key for key in STORY if not view.values(key)]
    if not absent:
        return view
    needed = _needed(library, view.option("at"))
    stories: dict[tuple[Any, ...], dict[Any, Held]] = {}
    for condition in dict.fromkeys((needed, "TRUE")):
        if not stories:
            for one in held_lines.census(library, view, metric, "accelerator", absent, condition):
                if one.comparable >= operating.FEWEST_COUNTS:
                    stories.setdefault(one.story, {}).setdefault(one.group, one)
    if not stories:
        return view
    best = max(stories, key=lambda story: _strength(story, list(stories[story].values())))
    pins = {key: value for key, value in zip(absent, best, strict=True) if value is not None}
    return view.with_where(**{key: (f"{value:g}" if isinstance(value, float) else str(value),)
                              for key, value in pins.items()})  # fmt: skip


def _needed(library: Library, way: str) -> str:
    if way == INTERACTIVITY:
        keys = [key for key in held_lines.latency_keys(library) if key.startswith("interactivity")]
        return " OR ".join(f'isfinite("{key}")' for key in keys) or "FALSE"
    return "TRUE" if way in ("", BEST) else f"{way} IS NOT NULL"


def _strength(story: tuple[Any, ...], own: Sequence[Held]) -> tuple[Any, ...]:
    in_one_piece = any(not one.disaggregated for one in own)
    stated = sum(value is not None for value in story)
    steady = sum(one.comparable for one in own if one.comparable >= STEADY_COUNTS)
    every = sum(one.comparable for one in own)
    return in_one_piece, stated, steady, every, max(map(_departure, own)), str(story)


def _departure(one: Held) -> float:
    """How far the throughput of some count is from the smallest's in proportion, as a logarithm."""
    base = min(one.best)
    return max(abs(math.log(value / one.best[base] * base / chips)) for chips, value in one.best.items())


def _labels(group: str, picked: Sequence[Held], own: Sequence[Sequence[dict[str, Any]]]) -> list[str]:
    if group != EVERY:
        return [value_label(group, one.group) for one in picked]
    keys = ("accelerator", "model", "precision", "kv_precision", "engine", "engine_version", "speculation",
            "disaggregated", "variant", "isl", "osl", "harness", "source", "load_kind")  # fmt: skip
    firsts = [points[0] for points in own]
    unlike = [key for key in keys if len({row[key] for row in firsts}) > 1] or ["accelerator"]
    return [", ".join(value_label(key, row[key]) for key in unlike if row[key] is not None) for row in firsts]


def _with_prices(library: Library, view: View, chips: Sequence[str]) -> tuple[View, Mapping[str, ChipPrice]]:
    wanted = (view.option("price_book"), view.option("price_terms"))
    books = pricing.books(library)
    offered = [row for row in books if wanted[0] in ("", row.name) and wanted[1] in ("", row.terms)]
    book = pricing.fitting_book(offered, chips)
    if book is None:
        if any(wanted):
            raise UsageError(
                f"There is no price book {wanted[0][:60]!r} with terms {wanted[1][:60]!r}; leave one of them out."
            )
        return view, {}
    prices = pricing.chip_prices(library, book.name, book.terms)
    return view.with_options(price_book=book.name, price_terms=book.terms), prices
