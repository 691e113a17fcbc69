"""From the points that can lie on a frontier to the frontiers: each group's, the overall one, and who leads where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from bench.basis.limits import Limit
from bench.basis.prices import ChipPrice
from bench.catalogue import Metric
from bench.maths import pareto
from bench.maths.grid import TIE
from bench.maths.pareto import Stretch
from bench.questions.pareto.axes import Axes

Line = tuple[int, ...]
"""Positions in a table of points, from the best x to the best y."""


@dataclass(frozen=True)
class Frontiers:
    """The frontiers of a table of points: each owner's, the one with the best y first, its knee, and the overall one.

    The `leads` are the stretches of the overall frontier; their positions are places on it.
    """

    lines: Mapping[str, Line]
    knees: Mapping[str, int]
    overall: Line
    leads: tuple[Stretch, ...]

    @property
    def widest(self) -> Stretch | None:
        """The lead over the widest range of requirements on x; None without a point."""
        return pareto.widest(self.leads, TIE)


def found_in(frame: pd.DataFrame, axes: Axes) -> Frontiers:
    """The frontiers of these points, of which each has its owner, x and y."""
    x, y, ids = (frame[name].to_numpy() for name in ("x", "y", "point_id"))
    lines: dict[str, pareto.Positions] = {
        str(owner): own[pareto.frontier(x[own], y[own], *axes.better, ids[own].tolist())]
        for owner, own in frame.groupby("owner").indices.items()
    }
    by_y = pareto.sign(axes.better[1])
    ordered = sorted(lines, key=lambda owner: (-by_y * y[lines[owner][-1]], owner))
    knees = {owner: pareto.knee(x[lines[owner]], y[lines[owner]], *axes.better) for owner in ordered}
    return Frontiers(
        {owner: tuple(lines[owner].tolist()) for owner in ordered},
        {owner: int(lines[owner][at]) for owner, at in knees.items() if at is not None},
        *led(frame, axes),
    )


def led(frame: pd.DataFrame, axes: Axes) -> tuple[Line, tuple[Stretch, ...]]:
    """The overall frontier of these points, and who leads where along it."""
    x, y, owners = frame["x"].to_numpy(), frame["y"].to_numpy(), frame["owner"].to_numpy()
    line = pareto.frontier(x, y, *axes.better, frame["point_id"].tolist())
    ahead = pareto.margins(line, x, y, owners.tolist(), *axes.better)
    leads = pareto.stretches(x[line].tolist(), owners[line].tolist(), axes.better[0], ahead)
    return tuple(line.tolist()), leads


def best_within(frame: pd.DataFrame, axes: Axes, limits: Sequence[Limit]) -> int | None:
    """The position of the best of these points, which keep all limits but those on a cost; None where none does.

    Best is the best y; where y is limited and x is not, the best x.
    """
    asked = (_strictest(metric, limits) for metric in (axes.x, axes.y))
    return pareto.best_within(frame["x"].tolist(), frame["y"].tolist(), *axes.better, *asked)


def leader(frame: pd.DataFrame, axes: Axes, limits: Sequence[Limit]) -> str | None:
    """Whose lead is over the widest range of these points, or with limits whose point is best within them."""
    if limits:
        best = best_within(frame, axes, limits)
        return None if best is None else str(frame["owner"].iloc[best])
    lead = pareto.widest(led(frame, axes)[1], TIE)
    return lead.owner if lead else None


def best_of_each(frame: pd.DataFrame, axes: Axes, limits: Sequence[Limit]) -> dict[str, int]:
    """The position of each owner's best within the limits among the marked points of a table."""
    kept = frame[frame["mark"] > 0]
    bests = {str(owner): (rows, best_within(rows, axes, limits)) for owner, rows in kept.groupby("owner")}
    return {owner: int(rows.index[best]) for owner, (rows, best) in bests.items() if best is not None}


def priced(frame: pd.DataFrame, prices: Mapping[str, ChipPrice]) -> pd.DataFrame:
    """These points, whose y is a cost at 1 USD an hour, at these prices; those on chips without one are left out."""
    hourly = frame["accelerator"].map({chip: price.usd for chip, price in prices.items()})
    return frame.assign(y=frame["y"] * hourly)[hourly.notna()].reset_index(drop=True)


def _strictest(metric: Metric, limits: Sequence[Limit]) -> float | None:
    """The strictest limit in the direction that is better for a metric."""
    lower = metric.direction == "lower"
    values = [one.value for one in limits if one.metric.key == metric.key and one.at_most == lower]
    return (min if lower else max)(values, default=None)
