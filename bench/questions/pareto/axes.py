"""What can stand along the two axes, what stands there unless asked, and whose frontiers are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench import catalogue
from bench.basis import evidence, prices
from bench.basis.prices import ChipPrice, Choice
from bench.basis.story import Needs
from bench.catalogue import PRICED, Kind, Metric
from bench.errors import NotFound, UsageError
from bench.library import Library
from bench.maths.pareto import Better
from bench.records import POINT_FIELDS
from bench.selection import Clause, clause
from bench.view import View

GROUPS = ("accelerator", "engine", "engine_version", "precision", "model", "accelerators", "tp", "speculation",
          "disaggregated", "variant", "load_kind", "harness", "evidence", "origin", "source")  # fmt: skip
ONE_FRONTIER = "none"
ACROSS: tuple[Kind, ...] = ("per_user", "latency")
"""What one request sees stands along the horizontal axis."""

RATES: tuple[Kind, ...] = ("per_accelerator", "throughput", "engine_rate")
UP: tuple[Kind, ...] = (*RATES, "energy", "cost", "share", "submission")
"""What the accelerators give stands along the vertical axis; one of the RATES unless asked."""

FEWEST = 2
"""A frontier needs so many points."""


@dataclass(frozen=True)
class Axes:
    """What stands along the axes as DuckDB expressions, and the column whose every value has a frontier of its own.

    The expressions are NULL where a point states no finite value, or has no price. `owner` is None for one frontier
    over everything; `prices` are those behind a cost, under a `choice` that is None for any other metric.
    """

    x: Metric
    y: Metric
    owner: str | None
    x_sql: str
    y_sql: Clause
    choice: Choice | None = None
    prices: Mapping[str, ChipPrice] = field(default_factory=dict)

    @property
    def better(self) -> tuple[Better, Better]:
        """Which way x and y are better."""
        return better(self.x), better(self.y)

    @property
    def owner_sql(self) -> str:
        """The DuckDB expression of whose frontier a point belongs to; "" where that is not stated."""
        return f"coalesce(CAST({self.owner} AS VARCHAR), '')" if self.owner else "''"

    def points_sql(self, columns: str, params: Sequence[object], condition: Clause) -> Clause:
        """The query of the points that meet a condition: owner, x, y, point_id, and these columns."""
        return Clause(
            f"SELECT {self.owner_sql} AS owner, {self.x_sql} AS x, {self.y_sql.sql} AS y, point_id, {columns}"
            f" FROM points WHERE {condition.sql}",
            (*self.y_sql.params, *params, *condition.params),
        )


def better(metric: Metric) -> Better:
    """Which way a metric is better."""
    return "lower" if metric.direction == "lower" else "higher"


def of_view(library: Library, view: View) -> Axes:
    """The axes of a complete View; UsageError or UnknownName for prices that cannot be."""
    x, y, group = (view.option(key) for key in ("x", "y", "group"))
    choice = prices.read(library, view) if y in PRICED else None
    paid = prices.chip_prices(library, choice, clause(view)) if choice else {}
    return Axes(
        catalogue.metric(x), catalogue.metric(y), None if group == ONE_FRONTIER else group, finite_sql(library, x),
        cost_sql(y, paid, choice) if choice else Clause(finite_sql(library, y), ()), choice, paid,
    )  # fmt: skip


def at_one_dollar(axes: Axes, chips: Iterable[str]) -> Axes:
    """The axes with every one of these chips at 1 USD an hour."""
    assert axes.choice is not None
    return replace(
        axes, y_sql=cost_sql(axes.y.key, {chip: ChipPrice(chip, 1.0) for chip in chips}, axes.choice)
    )


def finite_sql(library: Library, key: str) -> str:
    """The DuckDB expression of a metric; NULL where it is absent or not finite."""
    return f'CASE WHEN isfinite("{key}") THEN "{key}" END' if library.has(key) else "CAST(NULL AS DOUBLE)"


def cost_sql(key: str, paid: Mapping[str, ChipPrice], choice: Choice) -> Clause:
    """The DuckDB expression of a cost; NULL where its throughput is absent or not finite, or the chip has no price."""
    sql, params = prices.cost_sql(key, paid, choice.utilisation)
    return Clause(f'CASE WHEN isfinite("{PRICED[key]}") THEN {sql} END', params)


def across(library: Library) -> list[str]:
    """The metrics that can stand along the horizontal axis: interactivity and the latencies held."""
    return _of_kinds(ACROSS, _held(library))


def up(library: Library) -> list[str]:
    """The metrics that can stand along the vertical axis; a cost where its throughput and some price are held."""
    held = _held(library)
    priced = library.fetch("SELECT 1 FROM prices WHERE usd_per_accelerator_hour > 0 LIMIT 1")
    costs = {key for key, throughput in PRICED.items() if priced and throughput in held}
    return _of_kinds(UP, (held - PRICED.keys()) | costs)


def check(library: Library, view: View) -> None:
    """UsageError for a metric that cannot stand where a View puts it; NotFound where nothing can."""
    offered = {"x": across(library), "y": up(library)}
    if not all(offered.values()):
        raise NotFound(
            "No loaded point has a latency and a throughput to weigh against each other; import results that do."
        )
    for axis, keys in offered.items():
        if (key := view.option(axis)) and key not in keys:
            raise UsageError(
                f"{catalogue.metric(key).label} ({axis}={key}) cannot stand here or is not loaded; choose one of"
                f" {', '.join(keys[:8])}."
            )


def needs(library: Library, x: str, y: str) -> Needs:
    """What a frontier cannot do without: two points with both metrics, "" for any that can stand there."""
    words = [
        catalogue.metric(key).label.lower() if key else other
        for key, other in ((x, "a latency"), (y, "a throughput"))
    ]
    both = _both(library, *_candidates(library, x, y))
    return Needs(f"two points with {' and '.join(words)}", both, fewest=FEWEST)


def chosen(library: Library, view: View, x: str, y: str) -> tuple[str, str]:
    """The metrics of a View's axes, those not asked for ("") by what its ranked points have together.

    First comes the first one that at least half as many points have as have the commonest, of a latency at its
    commonest statistic.
    """
    if x and y:
        return x, y
    xs, ys = _candidates(library, x, y)
    counts = together(library, view, xs, ys)
    commonest: dict[str, str] = {}
    for key in xs:
        base = catalogue.metric(key).base
        if base not in commonest or counts[key] > counts[commonest[base]]:
            commonest[base] = key
    return _first(commonest.values(), counts), _first(ys, counts)


def together(library: Library, view: View, xs: Sequence[str], ys: Sequence[str]) -> dict[str, int]:
    """How many of a View's ranked points with one of these x and one of these y have each of the metrics."""
    condition = evidence.ranked(library, evidence.read(view.with_slo(())))
    keys = list(dict.fromkeys([*xs, *ys]))
    columns = ", ".join(f'count("{_column(key)}")' for key in keys)
    found = library.fetch(
        f"SELECT {columns} FROM points WHERE {condition.sql} AND {_both(library, xs, ys)}", condition.params
    )[0]
    return dict(zip(keys, found, strict=True))


def has_latency(library: Library, view: View) -> bool:
    """Whether any ranked point of a View has a metric for the horizontal axis."""
    keys = across(library)
    return any(together(library, view, keys, keys).values())


def _both(library: Library, xs: Iterable[str], ys: Iterable[str]) -> str:
    """The DuckDB expression of whether a point has one of these x and one of these y."""
    sides = [
        [f'"{_column(key)}" IS NOT NULL' for key in keys if library.has(_column(key))] for keys in (xs, ys)
    ]
    return " AND ".join(f"({' OR '.join(side) or 'FALSE'})" for side in sides)


def _column(key: str) -> str:
    """The column that a metric is read from, of a cost its throughput."""
    return PRICED.get(key, key)


def _candidates(library: Library, x: str, y: str) -> tuple[list[str], list[str]]:
    """What may stand along x and y, means and medians first, which most points have."""
    xs = sorted(across(library), key=lambda key: catalogue.metric(key).statistic not in (None, "mean", "p50"))
    return [x] if x else xs, [y] if y else _of_kinds(RATES, _held(library)) or up(library)


def _first(keys: Iterable[str], counts: Mapping[str, int]) -> str:
    """The first of these that at least half as many points have as have the commonest."""
    listed = list(keys)
    most = max(counts[key] for key in listed)
    return next(key for key in listed if 2 * counts[key] >= most)


def _of_kinds(kinds: Iterable[Kind], held: Iterable[str]) -> list[str]:
    keys = frozenset(held)
    return [key for kind in kinds for key in catalogue.metrics_of(kind, held=keys)]


def _held(library: Library) -> frozenset[str]:
    """Every metric of the library, stored or derived."""
    stored = library.metric_columns()
    return stored | frozenset(catalogue.derivable(stored.union(POINT_FIELDS)))
