"""From points to frontiers: the overall one, knees, steps, who leads where, and the best point within limits."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from bench.catalogue import Metric
from bench.chart import value_label
from bench.maths import pareto
from bench.maths.pareto import Better
from bench.questions.pareto.axes import Axes


@dataclass(frozen=True)
class Place:
    """A point of a frontier: whose (the owner's label, "" when there is one frontier for all), where, and which."""

    owner: str
    x: float
    y: float
    point_id: str


@dataclass(frozen=True)
class Lead:
    """A range of requirements on x and who has the best y there.

    The range ends at `strictest`; it begins beyond `weakest`, which is None where every weaker requirement belongs
    to it too. `easiest` is the leader's own first point in it, `point_ids` are all its points there.
    """

    owner: str
    weakest: float | None
    easiest: float
    strictest: float
    point_ids: tuple[str, ...] = ()

    @property
    def width(self) -> float:
        """How wide the range is, as the logarithm of its ends' ratio; from the first own point where it is open.

        From 20 to 40 tokens/s is as much of a step to who waits as from 100 to 200, however the axis is drawn.
        """
        start = self.easiest if self.weakest is None else self.weakest
        return abs(math.log(self.strictest / start)) if start > 0 and self.strictest > 0 else 0.0


@dataclass(frozen=True)
class Frontiers:
    """What the sentences are about: the overall frontier's ends and leads, the knees, and how many points stayed.

    `widest` is the lead over the widest range of x, None without a lead; `flags` are the kinds of flag of each flagged
    frontier point.
    """

    ends: tuple[Place, Place] | None
    leads: tuple[Lead, ...]
    knees: Mapping[str, Place]
    overall: int
    grouped: int
    widest: Lead | None = None
    flags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def marked(frame: pd.DataFrame, axes: Axes) -> pd.DataFrame:
    """The points with `on_overall_frontier` and `is_knee`, in the order of the table.

    The frontiers come first, the one with the best y before the others and each from its best x to its best y;
    then the dominated points by id.
    """
    frame = frame.assign(on_overall_frontier=False, is_knee=False)
    line = frame.index[frame["on_frontier"]]
    overall = pareto.frontier(
        *_xy(frame.loc[line], axes), *betters(axes), frame.loc[line, "point_id"].tolist()
    )
    frame.loc[line[overall], "on_overall_frontier"] = True
    rank: dict[str, int] = {}
    for _, own in by_owner(frame.loc[line, ["owner", axes.x.key, axes.y.key]], axes):
        rank[own["owner"].iloc[0]] = len(rank)
        knee = pareto.knee(*_xy(own, axes), *betters(axes))
        if knee is not None:
            frame.loc[own.index[knee], "is_knee"] = True
    order = pd.DataFrame({
        "dominated": ~frame["on_frontier"],
        "owner": frame["owner"].map(rank).where(frame["on_frontier"], 0),
        "along": (frame[axes.x.key] * -pareto.sign(better(axes.x))).where(frame["on_frontier"], 0.0),
        "point_id": frame["point_id"],
    })  # fmt: skip
    return frame.loc[order.sort_values(list(order.columns)).index].reset_index(drop=True)


def found_in(frame: pd.DataFrame, axes: Axes) -> Frontiers:
    """The frontiers of marked points."""
    overall = frame[frame["on_overall_frontier"]]
    overall = overall.loc[(overall[axes.x.key] * -pareto.sign(better(axes.x))).sort_values().index]
    places = [_place(row, axes) for row in overall.to_dict("records")]
    knees = [_place(row, axes) for row in frame[frame["is_knee"]].to_dict("records")]
    leads = _leads(places, axes)
    return Frontiers(
        ends=(places[0], places[-1]) if places else None,
        leads=leads,
        knees={place.owner: place for place in knees},
        overall=len(places),
        grouped=int(frame["on_frontier"].sum()),
        widest=max(leads, key=lambda lead: lead.width, default=None),
        flags=_flags(frame[frame["on_frontier"]]),
    )


def by_owner(frame: pd.DataFrame, axes: Axes) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each owner's label with its points of the frame, owners with the best y first, points from the best x."""
    direction = -pareto.sign(better(axes.y))
    best = (frame[axes.y.key] * direction).groupby(frame["owner"]).min().sort_values(kind="stable")
    across = (frame[axes.x.key] * -pareto.sign(better(axes.x))).sort_values(kind="stable").index
    ordered = frame.loc[across]
    for owner in best.index:
        yield owner_label(str(owner), axes), ordered[ordered["owner"] == owner]


def best_within(
    frame: pd.DataFrame, axes: Axes, limit_x: float | None, limit_y: float | None
) -> Place | None:
    """The best of these points within the limits; None when none is, and when there is no limit."""
    if limit_x is None and limit_y is None:
        return None
    position = pareto.best_within(*_xy(frame, axes), *betters(axes), limit_x, limit_y)
    return None if position is None else _place(frame.iloc[position].to_dict(), axes)


def owner_label(owner: str, axes: Axes) -> str:
    """The words for an owner of a frontier; "" when there is one frontier for everything."""
    if axes.owner is None:
        return ""
    return value_label(axes.owner, owner or None)


def betters(axes: Axes) -> tuple[Better, Better]:
    """The directions of x and y as the catalogue has them."""
    return better(axes.x), better(axes.y)


def better(metric: Metric) -> Better:
    """Which way a metric is better."""
    return "lower" if metric.direction == "lower" else "higher"


def _leads(places: list[Place], axes: Axes) -> tuple[Lead, ...]:
    if axes.owner is None:
        return ()
    found = pareto.stretches([place.x for place in places], [place.owner for place in places], better(axes.x))
    return tuple(
        Lead(row.owner, row.weakest, own[0].x, row.strictest, tuple(place.point_id for place in own))
        for row in found
        if (own := [places[position] for position in row.positions])
    )


def _flags(line: pd.DataFrame) -> dict[str, tuple[str, ...]]:
    """The kinds of flag of each point that has one."""
    stated = line[line["flags"].notna()]
    kinds = {
        point_id: tuple(dict.fromkeys(flag["kind"] for flag in json.loads(flags or "[]")))
        for point_id, flags in zip(stated["point_id"], stated["flags"], strict=True)
    }
    return {point_id: own for point_id, own in kinds.items() if own}


def _place(row: Mapping[Any, Any], axes: Axes) -> Place:
    return Place(
        owner_label(row["owner"], axes), float(row[axes.x.key]), float(row[axes.y.key]), row["point_id"]
    )


def _xy(frame: pd.DataFrame, axes: Axes) -> tuple[list[float], list[float]]:
    return frame[axes.x.key].tolist(), frame[axes.y.key].tolist()
