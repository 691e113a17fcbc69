"""What can stand along the two axes, what stands there unless asked, and whose frontiers are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from bench import catalogue
from bench.basis import evidence, limits, prices
from bench.basis.limits import Limit
from bench.basis.prices import ChipPrice, Choice
from bench.basis.story import Needs
from bench.catalogue import PRICED, Kind, Metric
from bench.errors import NotFound, UsageError
from bench.library import Library
from bench.maths.grid import Better
from bench.records import POINT_FIELDS
from bench.selection import Clause, clause
from bench.view import View
from bench.wording import inline, joined

GROUPS = tuple(
    (
        "accelerator engine engine_version precision model accelerators tp speculation disaggregated variant "
        "load_kind harness evidence origin source"
    ).split()
)
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
        return self.x.better, self.y.better

    def best_end(self, limits: Sequence[Limit]) -> int:
        """Where on a frontier from the best x to the best y the best point within limits is: 0 or -1.

        Best is the best y; where y is limited and x is not, the best x.
        """
        limited = {one.metric.key for one in limits if one.at_most == (one.metric.direction == "lower")}
        return 0 if self.y.key in limited and self.x.key not in limited else -1

    def points_sql(self, columns: str, params: Sequence[object], condition: Clause) -> Clause:
        """The query of the points that meet a condition: owner ("" if not stated), x, y, point_id, these columns."""
        owner = f"coalesce(CAST({self.owner} AS VARCHAR), '')" if self.owner else "''"
        return Clause(
            f"SELECT {owner} AS owner, {self.x_sql} AS x, {self.y_sql.sql} AS y, point_id, {columns}"
            f" FROM points WHERE {condition.sql}",
            (*self.y_sql.params, *params, *condition.params),
        )


def of_view(library: Library, view: View) -> Axes:
    """The axes of a complete View; UsageError or UnknownName for prices that cannot be."""
    x, y, group = (view.option(key) for key in ("x", "y", "group"))
    choice = prices.read(library, view) if y in PRICED else None
    paid = prices.chip_prices(library, choice, clause(view)) if choice else {}
    return Axes(
        catalogue.metric(x),
        catalogue.metric(y),
        None if group == ONE_FRONTIER else group,
        finite_sql(library, x),
        cost_sql(y, paid, choice) if choice else Clause(finite_sql(library, y), ()),
        choice,
        paid,
    )


def at_one_dollar(axes: Axes, chips: Iterable[str]) -> Axes:
    """The axes with every one of these chips at 1 USD an hour."""
    assert axes.choice is not None
    paid = {chip: ChipPrice(chip, 1.0) for chip in chips}
    return replace(axes, y_sql=cost_sql(axes.y.key, paid, axes.choice))


def finite_sql(library: Library, key: str) -> str:
    """The DuckDB expression of a metric; NULL where it is absent or not finite."""
    return f'CASE WHEN isfinite("{key}") THEN "{key}" END' if library.has(key) else "CAST(NULL AS DOUBLE)"


def figures(library: Library, axes: Axes) -> dict[str, str]:
    """The DuckDB expressions of both metrics, of a cost of its throughput, by name inside a sentence."""
    keys = [axes.x.key, _column(axes.y.key)]
    return {
        inline(catalogue.metric(key)).replace("per accelerator", "per chip"): finite_sql(library, key) for key in keys
    }


def cost_sql(key: str, paid: Mapping[str, ChipPrice], choice: Choice) -> Clause:
    """The DuckDB expression of a cost; NULL where its throughput is absent or not finite, or the chip has no price."""
    sql, params = prices.cost_sql(key, paid, choice.utilisation)
    return Clause(f'CASE WHEN isfinite("{PRICED[key]}") THEN {sql} END', params)


def offered(library: Library) -> dict[str, list[str]]:
    """The metrics held that can stand along "x" and "y"; a cost where its throughput and some price are held."""
    stored = library.metric_columns()
    held = stored | frozenset(catalogue.derivable(stored.union(POINT_FIELDS)))
    priced = library.fetch("SELECT 1 FROM prices WHERE usd_per_accelerator_hour > 0 LIMIT 1")
    costs = {key for key, throughput in PRICED.items() if priced and throughput in held}
    keys, axes = (held - PRICED.keys()) | costs, {"x": ACROSS, "y": UP}
    return {
        axis: [key for kind in kinds for key in catalogue.metrics_of(kind, held=keys)] for axis, kinds in axes.items()
    }


def check(library: Library, view: View) -> None:
    """Raise UsageError for a metric that cannot stand where a View puts it; NotFound where nothing can."""
    for axis, keys in offered(library).items():
        if not keys:
            raise NotFound("No loaded point has a latency and a throughput to weigh; import results that do.")
        if (key := view.option(axis)) and key not in keys:
            name = f"{catalogue.metric(key).label} ({axis}={key})"
            raise UsageError(f"{name} cannot stand here or is not loaded; choose one of {', '.join(keys[:8])}.")


def needs(library: Library, x: str, y: str) -> Needs:
    """What a frontier cannot do without: two points with both metrics, "" for any that can stand there."""
    both = ((x, "a latency"), (y, "a throughput"))
    named = [inline(catalogue.metric(key)) if key else other for key, other in both]
    return Needs(f"two points with {joined(named)}", _both(*candidates(library, x, y)), fewest=FEWEST)


def chosen(library: Library, view: View, x: str, y: str) -> tuple[str, str]:
    """The metrics of a View's axes, those not asked for ("") by what its ranked points have together.

    Under limits by what those have that state what the limits are on, where some do: they alone can be judged.
    """
    if x and y:
        return x, y
    xs, ys = candidates(library, x, y)
    judged = limits.stated_sql(library, evidence.read(view).limits)
    counts = together(library, view, xs, ys, judged) if view.slo else {}
    return _commonest(xs, ys, counts if any(counts.values()) else together(library, view, xs, ys))


def instead(library: Library, view: View) -> tuple[Metric, Metric] | None:
    """The axes that most ranked points of a View have; None where none has a latency and a throughput."""
    xs, ys = candidates(library, "", "")
    counts = together(library, view, xs, ys)
    x, y = map(catalogue.metric, _commonest(xs, ys, counts))
    return (x, y) if any(counts.values()) else None


def together(library: Library, view: View, xs: Sequence[str], ys: Sequence[str], among: str = "TRUE") -> dict[str, int]:
    """How many of a View's ranked points with one of these x and one of these y have each of the metrics.

    `among` is the DuckDB condition of the points that are counted.
    """
    condition = evidence.ranked(library, evidence.read(view).unlimited).also(_both(xs, ys)).also(among)
    keys = list(dict.fromkeys([*xs, *ys]))
    columns = ", ".join(f'count("{_column(key)}")' for key in keys)
    found = library.fetch(f"SELECT {columns} FROM points WHERE {condition.sql}", condition.params)
    return dict(zip(keys, found[0], strict=True))


def _both(xs: Iterable[str], ys: Iterable[str]) -> str:
    """The DuckDB expression of whether a point has one of these x and one of these y."""
    sides = (" OR ".join(f'"{_column(key)}" IS NOT NULL' for key in keys) for keys in (xs, ys))
    return " AND ".join(f"({side})" for side in sides)


def _column(key: str) -> str:
    """The column that a metric is read from, of a cost its throughput."""
    return PRICED.get(key, key)


def candidates(library: Library, x: str, y: str) -> tuple[list[str], list[str]]:
    """What may stand along x and y: means and medians first, which most points have, and rates."""
    held = offered(library)
    xs = sorted(held["x"], key=lambda key: catalogue.metric(key).statistic not in (None, "mean", "p50"))
    rates = [key for key in held["y"] if catalogue.metric(key).kind in RATES]
    return [x] if x else xs, [y] if y else rates or held["y"]


def _commonest(xs: Sequence[str], ys: Sequence[str], counts: Mapping[str, int]) -> tuple[str, str]:
    """The first x and y that at least half as many points have as the commonest; a latency's commonest statistic."""
    bases: dict[str, str] = {}
    for key in sorted(xs, key=lambda key: -counts[key]):
        bases.setdefault(catalogue.metric(key).base, key)
    first = [key for key in xs if key in bases.values()]
    x, y = (next(key for key in s if 2 * counts[key] >= max(counts[one] for one in s)) for s in (first, ys))
    return x, y
