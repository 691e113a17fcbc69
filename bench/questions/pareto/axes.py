"""What can be put across and up, what is put there unless asked, and the prices behind a cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import catalogue, pricing, selection
from bench.catalogue import Metric
from bench.errors import NotFound, UnknownName, UsageError
from bench.library import Library
from bench.pricing import ChipPrice
from bench.records import POINT_FIELDS
from bench.view import View

GROUPS = ("accelerator", "engine", "engine_version", "precision", "model", "accelerators", "tp", "speculation",
          "disaggregated", "variant", "load_kind", "harness", "evidence", "origin", "source")  # fmt: skip
ONE_FRONTIER = "none"
CHOICES = {
    "group": (*GROUPS, ONE_FRONTIER),
    "frontier_evidence": ("measured", "all"),
    "x_scale": ("auto", "linear", "log"),
}
STORY = ("model", "precision", "isl", "osl")
FEWEST = 2
"""A story needs as many points for a frontier."""

LARGEST_LIMIT = 1e12
"""A requirement beyond this is a slip of the pen: no unit of the catalogue makes such numbers."""

FIRST_ACROSS = ("interactivity_tokens_per_s_per_user", "ttft_ms", "e2el_ms")
FIRST_UP = (
    "output_tokens_per_s_per_accelerator",
    "total_tokens_per_s_per_accelerator",
    "output_tokens_per_s",
)


@dataclass(frozen=True)
class Axes:
    """What is put across and up, and whose frontiers are drawn.

    `y_sql` is a DuckDB expression over a point's columns, `y_params` what is bound in it; `owner` is the column
    whose every value has a frontier of its own, None for one frontier over everything. `prices` are those behind a
    cost, by accelerator.
    """

    x: Metric
    y: Metric
    y_sql: str
    y_params: tuple[Any, ...]
    owner: str | None
    every_evidence: bool
    prices: Mapping[str, ChipPrice]


def axes_of(library: Library, view: View) -> Axes:
    """The axes a complete View asks for; UsageError for a value that cannot be one."""
    x, y = catalogue.metric(view.option("x")), catalogue.metric(view.option("y"))
    group = view.option("group")
    prices: dict[str, ChipPrice] = {}
    y_sql = f'"{y.key}"'
    y_params: tuple[object, ...] = ()
    if y.key in catalogue.PRICED:
        prices = pricing.chip_prices(library, view.option("price_book"), view.option("price_terms"))
        y_sql, y_params = pricing.cost_sql(y.key, prices, _share(view))
    return Axes(
        x, y, y_sql, y_params, None if group == ONE_FRONTIER else group,
        view.option("frontier_evidence") == "all", prices,
    )  # fmt: skip


def across(library: Library) -> tuple[str, ...]:
    """The keys that can be put across: interactivity, TTFT, E2EL and the other latencies, every statistic held."""
    bases = [row.key for row in catalogue.base_metrics() if row.distribution and row.direction != "neutral"]
    ordered = [*FIRST_ACROSS, *(base for base in bases if base not in FIRST_ACROSS)]
    held = _held(library)
    return tuple(
        f"{base}_{statistic}"
        for base in ordered
        for statistic in catalogue.statistics_of(base, held)
        if statistic != "std"
    )


def up(library: Library) -> tuple[str, ...]:
    """The keys that can be put up: throughputs, energies, and costs where prices and their throughput are held."""
    held = _held(library)
    offered = pricing.books(library)
    priced = {key for key, throughput in catalogue.PRICED.items() if offered and throughput in held}
    keys = [
        row.key
        for row in catalogue.base_metrics()
        if row.key in priced or (row.key in held and _is_given(row) and row.key not in catalogue.PRICED)
    ]
    return (*(key for key in FIRST_UP if key in keys), *(key for key in keys if key not in FIRST_UP))


def completed(library: Library, view: View) -> View:
    """The View with its axes, group, evidence and prices explicit and, unless it is whole, a story filled in."""
    offered_x, offered_y = across(library), up(library)
    if not offered_x or not offered_y:
        raise NotFound(
            "No loaded point has a latency and a throughput to weigh against each other; import results that do."
        )
    _check_stated(library, view)
    y = view.option("y") or _first_up(library, view, offered_y)
    _check("y", y, offered_y)
    stated = view.option("x")
    if stated:
        _check("x", stated, offered_x)
    x, view = _told_as_a_story(
        library, view, [stated] if stated else _first_across(library, view, offered_x, y), y
    )
    every = view.option("frontier_evidence") or ("all" if view.values("evidence") else "measured")
    view = view.with_options(
        x=x, y=y, group=view.option("group", "accelerator"), frontier_evidence=every,
        x_scale=view.option("x_scale", "auto"),
    )  # fmt: skip
    return (_with_prices(library, view) if y in catalogue.PRICED else view).made_whole()


def stated_number(view: View, key: str, example: str = "60") -> float | None:
    """A number the reader wrote into an option; None when absent, UsageError when it is none."""
    text = view.option(key)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{key}={text[:40]!r} is not a number; write it as in {key}={example}.")
    return value


def limits(view: View) -> tuple[float | None, float | None]:
    """The reader's requirements on x and on y, None where there is none; UsageError for one that cannot be."""
    return _limit(view, "slo_x"), _limit(view, "slo_y")


def _limit(view: View, key: str) -> float | None:
    value = stated_number(view, key)
    if value is not None and not 0 < value <= LARGEST_LIMIT:
        raise UsageError(
            f"{key}={view.option(key)[:40]!r} is no limit above 0 and at most 1e12; write it as in {key}=60."
        )
    return value


def _share(view: View) -> float:
    share = stated_number(view, "utilisation", "0.6")
    if share is None:
        return 1.0
    if not 0 < share <= 1:
        raise UsageError(
            f"utilisation={view.option('utilisation')[:40]} is no share above 0 and at most 1; write it as in"
            " utilisation=0.6."
        )
    return share


def _check_stated(library: Library, view: View) -> None:
    """Nothing; UsageError for what the reader wrote into an option, used by these axes or not, and it cannot be."""
    for key, values in CHOICES.items():
        if view.option(key) and view.option(key) not in values:
            raise UnknownName(f"choice for {key}", view.option(key), values)
    limits(view)
    _share(view)
    if view.option("price_book") or view.option("price_terms"):
        _book(library, view, ())


def _held(library: Library) -> frozenset[str]:
    stored = library.metric_columns()
    return stored | frozenset(catalogue.derivable(stored.union(POINT_FIELDS)))


def _is_given(row: Metric) -> bool:
    if row.distribution or row.direction == "neutral":
        return False
    return row.unit.endswith("/token") if row.direction == "lower" else "/s" in row.unit


def _check(option: str, key: str, offered: Sequence[str]) -> None:
    label = catalogue.metric(key).label
    if key not in offered:
        raise UsageError(
            f"{label} ({option}={key}) cannot stand here or is not loaded; choose one of {', '.join(offered[:8])}."
        )


def _column(key: str) -> str:
    return catalogue.PRICED.get(key, key)


def _first_up(library: Library, view: View, offered: Sequence[str]) -> str:
    """The first of FIRST_UP that at least half as many measured points have as have the commonest of them."""
    keys = [key for key in FIRST_UP if key in offered]
    if not keys:
        return offered[0]
    condition = selection.clause(view).also("evidence = 'measured'")
    counts = ", ".join(f'count(*) FILTER (isfinite("{key}"))' for key in keys)
    found = library.fetch(f"SELECT {counts} FROM points WHERE {condition.sql}", condition.params)[0]
    return next(key for key, count in zip(keys, found, strict=True) if 2 * count >= max(found))


def _first_across(library: Library, view: View, offered: Sequence[str], y: str) -> list[str]:
    """Of interactivity, TTFT, E2EL … those that points with y have, each at its commonest statistic; never empty."""
    condition = selection.clause(view).also("evidence = 'measured'").also(f'isfinite("{_column(y)}")')
    counts = ", ".join(f'count(*) FILTER (isfinite("{key}"))' for key in offered)
    found = library.fetch(f"SELECT {counts} FROM points WHERE {condition.sql}", condition.params)[0]
    filled = dict(zip(offered, found, strict=True))
    bases = dict.fromkeys(catalogue.metric(key).base for key in offered if filled[key])
    return [
        max((key for key in offered if catalogue.metric(key).base == base), key=lambda key: filled[key])
        for base in (bases or [catalogue.metric(offered[0]).base])
    ]


def _told_as_a_story(library: Library, view: View, across: Sequence[str], y: str) -> tuple[str, View]:
    """The first of these x with which a story has enough points for a frontier, and the View narrowed to it.

    Where none has, a workload nobody stated stays open and the x with the most points is taken; where that is still
    too little, the first x.
    """
    if len(across) == 1 and (view.whole or all(view.values(key) for key in STORY)):
        return across[0], view
    first: tuple[str, View] | None = None
    for x in across:
        story, points = _with_story(library, view, x, y)
        if points >= FEWEST:
            return x, story
        first = first or (x, story)
    wider = {x: _with_story(library, view, x, y, may_be_unstated=STORY[1:]) for x in across}
    most = max(across, key=lambda x: wider[x][1])
    if first is None or wider[most][1] >= FEWEST:
        return most, wider[most][0]
    return first


def _with_story(library: Library, view: View, x: str, y: str,
                may_be_unstated: Sequence[str] = ("precision",)) -> tuple[View, int]:  # fmt: skip
    """The View narrowed to one model, precision and workload where the reader named none, and the story's points.

    Taken is the one with the most measured points times accelerators that have both metrics; what `may_be_unstated`
    and nobody stated stays open. A whole View stays as it is.
    """
    absent = [] if view.whole else [key for key in STORY if not view.values(key)]
    condition = selection.clause(view).also("evidence = 'measured'")
    stated = (f"{key} IS NOT NULL" for key in absent if key not in may_be_unstated)
    for sql in (f'isfinite("{x}")', f'isfinite("{_column(y)}")', *stated):
        condition = condition.also(sql)
    listed = "".join(f"{selection.as_asked(key)} AS story_{key}, " for key in absent)
    found = library.fetch(
        f"SELECT {listed}count(*) FROM points WHERE {condition.sql} GROUP BY ALL"
        f" ORDER BY count(*) * count(DISTINCT accelerator) DESC{''.join(f', story_{key}' for key in absent)} LIMIT 1",
        condition.params,
    )
    if not found:
        return view, 0
    *values, points = found[0]
    story = dict(zip(absent, values, strict=True))
    narrowed = {key: (selection.written(value),) for key, value in story.items() if value is not None}
    return view.with_where(**narrowed), points


def _with_prices(library: Library, view: View) -> View:
    condition = selection.clause(view)
    chips = library.fetch(f"SELECT DISTINCT accelerator FROM points WHERE {condition.sql}", condition.params)
    book = _book(library, view, [chip for (chip,) in chips if chip])
    return view.with_options(
        price_book=book.name, price_terms=book.terms, utilisation=view.option("utilisation", "1")
    )


def _book(library: Library, view: View, chips: Sequence[str]) -> pricing.Book:
    name, terms = view.option("price_book"), view.option("price_terms")
    loaded = pricing.books(library)
    if name and name not in (names := {row.name for row in loaded}):
        raise UnknownName("price book", name, names)
    if terms and terms not in (kinds := {row.terms for row in loaded}):
        raise UnknownName("kind of price terms", terms, kinds)
    offered = [row for row in loaded if name in ("", row.name) and terms in ("", row.terms)]
    book = pricing.fitting_book(offered, chips)
    if book is None:
        raise UsageError(
            f"The price book {name!r} has no prices with terms {terms!r}; leave one of them out."
        )
    return book
