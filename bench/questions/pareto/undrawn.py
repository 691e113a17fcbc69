"""The cheapest point where it cannot be drawn, since it states nothing along the horizontal axis."""

from __future__ import annotations

from dataclasses import replace

from bench.basis.evidence import Ranking
from bench.catalogue import PRICED, metric
from bench.library import Library
from bench.maths import cost
from bench.questions import operating_points
from bench.questions.operating_points import Search
from bench.questions.pareto import axes as choosing
from bench.questions.pareto.axes import Axes
from bench.questions.pareto.result import Undrawn
from bench.wording import inline


def cheapest(library: Library, ranking: Ranking, axes: Axes) -> Undrawn | None:
    """The point that Cost calls cheapest, where it lacks x; None where it has x, or y is no cost."""
    if axes.choice is None:
        return None
    own = [one for one in ranking.limits if one.metric == axes.y]
    limited = replace(ranking, limits=tuple(one for one in ranking.limits if one not in own))
    along, _ = choosing.candidates(library, "", "")
    rate = PRICED[axes.y.key]
    positive = f'CASE WHEN isfinite("{rate}") AND "{rate}" > 0 THEN "{rate}" END'
    search = operating_points.of_usual_kind(library, limited, Search(positive, inline(metric(rate)), "''"))
    every = operating_points.best(library, limited, search)
    costs = {
        one.point_id: axes.prices[one.accelerator].usd / one.merit
        for one in every
        if one.point_id and one.merit and one.accelerator in axes.prices
    }
    if not costs:
        return None
    first = min(costs, key=lambda id: costs[id])
    point = operating_points.read(library, search, [first], along)[first]
    hour = axes.prices[point.accelerator].usd * point.accelerators
    usd = cost.usd_per_million(hour, point.rate, axes.choice.utilisation)
    keeps = usd is not None and all(usd <= one.value if one.at_most else usd >= one.value for one in own)
    if usd is None or not keeps or axes.x.key in point.metrics:
        return None
    return Undrawn(usd, point.facts, tuple(point.metrics))
