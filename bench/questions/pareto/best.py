"""Who is best of the points that can lie on a frontier: within limits, over the widest range, at other prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from bench.basis.limits import Limit
from bench.basis.prices import ChipPrice
from bench.catalogue import Metric
from bench.maths import pareto
from bench.maths.grid import TIE
from bench.questions.pareto.axes import Axes


def best_within(frame: pd.DataFrame, axes: Axes, limits: Sequence[Limit]) -> int | None:
    """The position of the best of these points, which keep all limits but those on a cost; None where none does.

    Best is the best y; where y is limited and x is not, the best x.
    """
    asked = (_strictest(metric, limits) for metric in (axes.x, axes.y))
    return pareto.best_within(frame["x"].tolist(), frame["y"].tolist(), *axes.better, *asked)


def leader(frame: pd.DataFrame, axes: Axes, limits: Sequence[Limit]) -> str | None:
    """Whose lead is over the widest range of these points, or with limits whose point is best within them."""
    owners = frame["owner"].tolist()
    if limits:
        best = best_within(frame, axes, limits)
        return None if best is None else owners[best]
    _, leads = pareto.led(frame["x"], frame["y"], owners, frame["point_id"].tolist(), *axes.better)
    lead = pareto.widest(leads, TIE)
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
