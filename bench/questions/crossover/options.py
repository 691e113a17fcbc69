"""What a crossover is asked for: axis, metric, divisor, both sides, stated prices; and what it is of unless asked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal
from urllib.parse import quote, urlencode

from bench import basis, catalogue, selection
from bench.basis import evidence, prices, story
from bench.basis.evidence import Ranking
from bench.basis.options import Option
from bench.basis.story import Needs, Story
from bench.catalogue import Kind, Metric
from bench.chart import title
from bench.errors import UsageError
from bench.library import Library
from bench.maths.crossover import Crossing
from bench.records import POINT_FIELDS
from bench.selection import Clause
from bench.view import View
from bench.wording import inline, joined, number

LOADS = ("batch", "concurrency", "request_rate")
LENGTHS = ("isl", "osl", "context_tokens")
USERS = "users_per_accelerator"
ALONG = {
    "batch": "batch",
    "concurrency": "concurrency",
    USERS: "coalesce(concurrency, batch) / accelerators",
    "request_rate": "request_rate",
    "isl": "isl",
    "osl": "osl",
    "context_tokens": "context_tokens",
}
"""The axes: option value -> its SQL over a point's columns, NULL where the point does not state it."""

AXES = {
    "batch": ("batch", "a batch of {}"),
    "concurrency": ("concurrency", "{} request", "{} requests"),
    USERS: ("users per chip", "{} user per chip", "{} users per chip"),
    "request_rate": ("request rate", "{} request/s", "{} requests/s"),
    "isl": ("input length", "{} token in", "{} tokens in"),
    "osl": ("output length", "{} token out", "{} tokens out"),
    "context_tokens": ("context", "{} token of context", "{} tokens of context"),
}
"""What an axis, one of its units, and several of them are called in a sentence."""

Per = Literal["raw", "accelerator", "dollar", "watt"]
PERS: tuple[Per, ...] = ("raw", "accelerator", "dollar", "watt")
PER_WORDS = {"raw": "", "accelerator": " per chip", "dollar": " per dollar", "watt": " per rated watt"}
UNITS = {"raw": "", "accelerator": "/chip", "dollar": " per USD/h", "watt": "/W"}
SIDE_LENGTH = 400
COMPARED: tuple[Kind, ...] = ("throughput", "engine_rate", "latency", "per_user")
"""The kinds of metric that curves are compared by."""

THROUGHPUTS = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
ChosenSides = tuple[View | None, View | None]
BestLayout = tuple[int, str, str]

PRICES = tuple(
    Option(
        f"price_{key}",
        f"Price of {key.upper()} (USD/h)",
        "number",
        f"USD per hour for one chip of {key.upper()}, from 0.001 to 10,000, instead of the listed price.",
        least=0.001,
        most=10_000,
        example="1.3",
    )
    for key in ("a", "b")
)
OPTIONS: tuple[Option, ...] = (
    Option("a", "Side A", "choice", "One side: filters joined by &, as accelerator=tpu-v6e&accelerators=4."),
    Option("b", "Side B", "choice", "The other side, written the same way."),
    Option(
        "along", "Horizontal axis", "choice", "The load or length along which both sides are compared.", tuple(ALONG)
    ),
    Option("metric", "Vertical axis", "choice", "The throughput or latency that is compared."),
    Option(
        "per",
        "Divided by",
        "choice",
        "Raw, or per chip, per dollar or per rated watt; a latency is always raw."
        " Unless chosen, pairs are raw where the most alike are of equal chip counts, else per chip.",
        PERS,
    ),
    *PRICES,
    Option(
        "strips",
        "Strips",
        "choice",
        "The eight most telling pairs, or all up to 40; the table has every one.",
        ("few", "all"),
        default="few",
    ),
)


@dataclass(frozen=True)
class CrossoverOptions:
    """A complete View of this question, read: the key of an axis, of a metric, and what it is divided by.

    `a` and `b` are the sides' own filters, None for a side not chosen; `price_a` and `price_b` are what the reader
    states for an hour of one of that side's accelerators, in USD; `every_strip` draws all pairs.
    """

    along: str
    metric: str
    per: Per
    a: View | None = None
    b: View | None = None
    price_a: float | None = None
    price_b: float | None = None
    every_strip: bool = False

    @property
    def row(self) -> Metric:
        """The metric as the catalogue has it."""
        return catalogue.metric(self.metric)

    @property
    def unit(self) -> str:
        """The unit of what is compared."""
        return f"{self.row.unit}{UNITS[self.per]}"

    @property
    def what(self) -> str:
        """What is compared: "output throughput per dollar"."""
        return f"{inline(self.row)}{PER_WORDS[self.per]}"

    @property
    def is_pair(self) -> bool:
        """Whether both sides are chosen."""
        return self.a is not None and self.b is not None

    @property
    def is_divisible(self) -> bool:
        """Whether it makes sense to divide the metric by chips, dollars and watts."""
        return self.row.kind in ("throughput", "engine_rate")

    @property
    def pers(self) -> tuple[Per, ...]:
        """What the metric can be divided by."""
        return PERS if self.is_divisible else ("raw",)


def read(view: View) -> CrossoverOptions:
    """What a complete View asks for; UsageError and UnknownName as `check` raises them."""
    check(view)
    price_a, price_b = (option.number(view) for option in PRICES)
    per = next(one for one in PERS if one == view.option("per", "raw"))
    along, metric = view.option("along"), view.option("metric")
    a, b, every = side(view, "a"), side(view, "b"), view.option("strips") == "all"
    return CrossoverOptions(along, metric, per, a, b, price_a, price_b, every)


def check(view: View) -> None:
    """Raise UnknownName or UsageError for what the reader wrote into an option and it cannot be."""
    basis.check_every(view, OPTIONS)
    metric = view.option("metric")
    if metric and catalogue.metric(metric).kind not in COMPARED:
        raise UsageError(
            f"metric={metric[:60]} is neither a throughput nor a latency; choose one as in metric=output_tokens_per_s."
        )
    sides = [side(view, key) for key in ("a", "b")]
    for option in PRICES:
        if view.option(option.key) and not all(sides):
            raise UsageError(
                f"{option.key}={view.option(option.key)[:40]} prices one side of a pair, but none is chosen; choose a"
                f" and b, or leave {option.key} out."
            )


def side(view: View, key: str) -> View | None:
    """The filters of one side; None when it is not chosen. UsageError when the text holds none, or other things."""
    text = view.option(key)
    if not text:
        return None
    try:
        parsed = View.from_query(text)
        selection.clause(parsed)
    except (UsageError, ValueError) as problem:
        raise UsageError(f"{key}={text[:60]!r} is no side: {problem}") from None
    if not parsed.where or parsed.options or parsed.slo or len(text) > SIDE_LENGTH:
        raise UsageError(
            f"{key}={text[:60]!r} is no side; write filters joined by &, as in"
            f" {key}='accelerator=tpu-v6e&accelerators=4'."
        )
    return View(parsed.where)


def written(where: View) -> str:
    """The filters of a side as its option writes them."""
    return urlencode(where.pairs(), quote_via=quote, safe=" ,:/()")


def axis_title(along: str) -> str:
    """An axis's title with its unit."""
    return "Users per accelerator (requests in flight per chip)" if along == USERS else title(along)


def at(along: str, *places: float | str) -> str:
    """Places on an axis in a sentence: "a batch of 128", "16 users per chip", "2 and 4 requests/s"."""
    texts = [one if isinstance(one, str) else number(one) for one in places]
    return AXES[along][1 if texts == ["1"] else -1].format(joined(texts, at_most=3))


def crossed(one: Crossing) -> str:
    """Where a crossing is, interpolated: "130"."""
    return between(one.x, one.interval.low, one.interval.high)


def between(x: float, low: float, high: float) -> str:
    """A place between two others to a tenth of their distance: "130" of 64 to 256, "5.5" of 4 to 8.

    It has three digits at most, and so many where with fewer it would not lie between them.
    """
    size = math.floor(math.log10(x))
    deserved = size - math.floor(math.log10((high - low) / 10)) + 1 if low < high else 3
    for digits in range(min(max(deserved, 1), 3), 4):
        rounded = float(f"{x:.{digits}g}")
        if low < rounded < high:
            break
    return f"{rounded:,.{max(0, digits - 1 - math.floor(math.log10(rounded)))}f}"


def story_of(library: Library, view: View) -> Story:
    """What the answer is about, its View complete: a model and workload both sides hold, or with curves to compare.

    Precision stays open, since two sides may differ in it, as does a length that is the axis.
    """
    sides = side(view, "a"), side(view, "b")
    many, along, metric, chosen = _axes(library, view, sides, is_limited=True)
    if not many and view.slo:
        # Where nothing within the limits makes a curve, the axes are those without.
        _, along, metric, chosen = _axes(library, view, sides, is_limited=False)
    per = view.option("per", "raw") if CrossoverOptions(along, metric, "raw").is_divisible else "raw"
    a, b = (written(own) if own else None for own in sides)
    strips = view.option("strips", "few")
    whole = chosen.view.with_options(a=a, b=b, along=along, metric=metric, per=per, strips=strips)
    return replace(chosen, view=basis.written_out(prices.completed(library, whole)))


def is_complete(library: Library, view: View) -> bool:
    """Whether nothing is left to fill in, as of the View of an answer."""
    stated = all(view.option(key) for key in ("along", "metric", "per", "strips")) and basis.written_out(view) == view
    return stated and view.option("per") in read(view).pers and prices.completed(library, view) == view


def comparable(library: Library) -> list[str]:
    """The metrics held, stored or derived, that curves are compared by, in the catalogue's order."""
    stored = library.metric_columns()
    held = {*stored, *catalogue.derivable({*stored, *POINT_FIELDS})}
    return catalogue.metrics_of(*COMPARED, held=held)


def of_side(library: Library, ranking: Ranking, own: View | None) -> Clause:
    """The ranked points of a side: those the View and the side's own filters select.

    A side that chooses among the runs of a deployment, by its engine version for one, has the newest of those.
    """
    if own is None:
        return evidence.ranked(library, ranking)
    condition = selection.clause(ranking.view)
    return evidence.ranked(library, narrowed(ranking, own)).also(f"({condition.sql})", *condition.params)


def narrowed(ranking: Ranking, own: View | None) -> Ranking:
    """The ranking of a side alone."""
    if own is None:
        return ranking
    view = ranking.view.with_where(**dict(own.where))
    return replace(ranking, view=view, any_evidence=ranking.any_evidence or bool(own.values("evidence")))


def alongs(library: Library, view: View) -> list[str]:
    """The axes along which the ranked points have at least two places."""
    condition = evidence.ranked(library, evidence.read(view))
    columns = ", ".join(f"min({sql}) < max({sql})" for sql in ALONG.values())
    row = library.fetch(f"SELECT {columns} FROM points WHERE {condition.sql}", condition.params)[0]
    return [key for key, several in zip(ALONG, row, strict=True) if several]


def value_sql(library: Library, metric: str) -> str:
    """The DuckDB expression of a point's value; NULL where it is absent, not finite, or not above 0."""
    if not library.has(metric):
        return "CAST(NULL AS DOUBLE)"
    return f'CASE WHEN isfinite("{metric}") AND "{metric}" > 0 THEN "{metric}" END'


def _story(library: Library, view: View, sides: ChosenSides, along: str) -> Story:
    """The story with something to compare along this axis, or any load; as it is where two sides share none."""
    needs = _needs(library, view, sides, along)
    found = story.of(library, view, needs, needs.open)
    if not all(sides) or view.whole:
        return found
    return found if found.fits else replace(found, view=story.own_choice(view), pins={})


def _axes(library: Library, view: View, sides: ChosenSides, *, is_limited: bool) -> tuple[int, str, str, Story]:
    """Axis and metric, by the points within the limits or by all, on how many accelerators, and the story along them.

    An axis is a load unless it is asked for or only along a length there is something to compare.
    """
    along, metric = view.option("along"), view.option("metric")
    chosen = _story(library, view, sides, along)
    if along and metric:
        return 1, along, metric, chosen

    def most(one: Story, among: Sequence[str]) -> BestLayout:
        return _most(library, one.view if is_limited else one.view.with_slo(()), sides, among)

    best = (*most(chosen, [along] if along else LOADS), chosen)
    if along or best[0]:
        return best
    stories = [(key, _story(library, view, sides, key)) for key in LENGTHS]
    lengths = max(((*most(one, [key]), one) for key, one in stories), key=lambda row: row[0])
    return lengths if lengths[0] else best


def _needs(library: Library, view: View, sides: ChosenSides, along: str) -> Needs:
    """Two accelerators with two places each, or points of both sides; of one side alone, and of others."""
    said, free = "curves of two accelerators", ("precision", along)
    metrics = _metrics(library, view.option("metric"))
    held = " OR ".join(f"{value_sql(library, key)} IS NOT NULL" for key in metrics)
    x = f"({ALONG[along]})" if along else f"coalesce({', '.join(LOADS)})"
    usable = f"({held}) AND {x} > 0"
    chosen = [selection.clause(own) for own in sides if own]
    if not chosen:
        of = "accelerator" if len(view.values("accelerator")) != 1 else "deployment_id"
        return Needs(said, usable, f"load_kind, {of}", f"min({x}) <> max({x})", 2, (), free)
    conditions = [f"bool_or({one.sql})" for one in chosen]
    if len(chosen) == 1:
        conditions.append(f"NOT bool_and({chosen[0].sql})")
    params = tuple(value for one in (*chosen, *chosen)[:2] for value in one.params)
    return Needs(said, usable, having=" AND ".join(conditions), params=params, open=free)


def _metrics(library: Library, metric: str) -> list[str]:
    """What may be compared: the metric asked for, else the throughputs held, else whatever is held."""
    return [metric] if metric else [key for key in THROUGHPUTS if library.has(key)] or comparable(library)


def _most(library: Library, view: View, sides: ChosenSides, among: Sequence[str]) -> BestLayout:
    """The axis and the metric for which the most accelerators of each side have two places, and how many those are; of
    equals the first metric, along the axis with the most points.
    """
    keys = _metrics(library, view.option("metric"))
    best = _best(library, view, sides, among, keys)
    others = [key for key in comparable(library) if key not in keys] if not view.option("metric") else []
    if best[0] or not others:
        return best
    return max(best, _best(library, view, sides, among, others), key=lambda row: row[0])


def _best(library: Library, view: View, sides: ChosenSides, among: Sequence[str], keys: Sequence[str]) -> BestLayout:
    """The same of these axes and metrics."""
    ranking, within = evidence.read(view), selection.clause(view)
    conditions = [of_side(library, ranking, own) for own in (sides if all(sides) else (None,))]
    values = ", ".join(f"{value_sql(library, key)} IS NOT NULL" for key in keys)
    ranked = ", ".join(f"coalesce({one.sql}, FALSE)" for one in conditions)
    fetched = library.fetch(
        f"SELECT accelerator, [{ranked}], [{values}], [{', '.join(ALONG[x] for x in among)}], count(*) FROM points"
        f" WHERE {within.sql} GROUP BY ALL",
        (*(value for one in conditions for value in one.params), *within.params),
    )
    scores = []
    for (place, key), (at, along) in product(enumerate(keys), enumerate(among)):
        each = []
        for side in range(len(conditions)):
            of = [row for row in fetched if row[1][side] and row[2][place] and (row[3][at] or 0) > 0]
            chips = Counter(chip for chip, _ in {(row[0], row[3][at]) for row in of} if chip is not None)
            each.append((sum(many > 1 for many in chips.values()), sum(row[4] for row in of)))
        scores.append((min(each)[0], -place, min(each), along, key))
    most, _, _, along, metric = max(scores, key=lambda row: row[:3])
    return most, along, metric
