"""Each deployment over all its quotes: the cheapest offer, the spread, and the order they stand in."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.maths import cost
from bench.maths.cost import BreakEven
from bench.pricing import Quote
from bench.questions.cost import conditions
from bench.questions.cost.bills import PER_DOLLAR
from bench.questions.cost.defaults import Asked
from bench.questions.cost.operating import Missed, Tally


@dataclass(frozen=True)
class Found:
    """What an answer is told from.

    `points` are the operating points of the groups, `each` those of every deployment and workload; `deployments` are
    the priced groups in the order of `summed`, the cheapest of `groups`; `unpriced` are accelerators that no quote in
    force covers, `elsewhere` the books that price them; `missed` are the groups that no limit lets in. `peak` (tokens/s
    per accelerator without a limit), `ladder`, `api` and `even` are of the first deployment.
    """

    asked: Asked
    tally: Tally
    points: Sequence[dict[str, Any]]
    each: Sequence[dict[str, Any]]
    groups: int
    quotes: Sequence[Quote]
    rows: Sequence[Mapping[str, Any]]
    deployments: Sequence[Mapping[str, Any]]
    unpriced: Sequence[str]
    elsewhere: Mapping[str, Sequence[str]]
    ladder: Sequence[Mapping[str, Any]]
    peak: float | None
    missed: Sequence[Missed]
    api: float | None
    even: BreakEven | None

    @property
    def lead(self) -> Mapping[str, Any]:
        """The deployment with the lowest median cost."""
        return self.deployments[0]

    @property
    def lead_point(self) -> dict[str, Any]:
        """That deployment's operating point."""
        return next(point for point in self.points if point["point_id"] == self.lead["point_id"])

    @property
    def models(self) -> int:
        """How many models the operating points are of."""
        return len({point["model"] for point in self.points})


_OWN = ("model", "precision", "engine", "engine_version", "speculation", "disaggregated", "variant", "harness",
        "accelerator", "accelerators", "isl", "osl", "concurrency", "evidence", "source")  # fmt: skip


def summed(rows: Sequence[Mapping[str, Any]], asked: Asked) -> list[dict[str, Any]]:
    """One mapping for each deployment, the one with the lowest median cost first.

    A single bargain does not make an accelerator cheap, so the median over its quotes puts them in order; `cheapest`
    is its cheapest quote. A modelled cost nobody offers is told apart: it counts only where there is no offer.
    """
    found = []
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(row["point_id"], []).append(row)
    for point_id, every in groups.items():
        offers = [row for row in every if not is_modelled(row)]
        modelled = [row[asked.usd.key] for row in every if is_modelled(row)]
        counted = offers or every
        costs = sorted(row[asked.usd.key] for row in counted)
        first = counted[0]
        found.append(
            {
                "deployment": first["deployment"],
                "point_id": point_id,
                "owner": first["owner"],
                **{name: first[name] for name in _OWN},
                "latencies": conditions.latencies(first),
                "flags": conditions.flag_kinds(first),
                "tokens_per_s": first["tokens_per_s"],
                "derived": first["derived"],
                "limit_value": first["limit_value"],
                "usd_per_million": first[asked.usd.key],
                PER_DOLLAR: first[PER_DOLLAR],
                "cheapest": quote(first, asked),
                "offered": bool(offers),
                "quotes": len(counted),
                "lowest": costs[0],
                "median": statistics.median(costs),
                "highest": costs[-1],
                "modelled": [min(modelled), max(modelled)] if modelled and offers else None,
            }
        )  # fmt: skip
    return sorted(found, key=lambda row: row["median"])


def at_rate(row: Mapping[str, Any], tokens_per_s_per_accelerator: float) -> float:
    """What a million tokens would cost at the deployment's median price were its throughput per accelerator this."""
    own = float(row["tokens_per_s"]) / int(row["accelerators"])
    return float(row["median"]) * own / tokens_per_s_per_accelerator


def quote(row: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """A quote of a row with what it makes of the volume, as plain values."""
    names = ("provider", "terms", "book", "region", "instance", "usd_per_accelerator_hour", "usd_per_hour",
             "price_age_days", "price_url", "used_usd_per_day", "rented_instances", "rented_share",
             "rented_usd_per_day")  # fmt: skip
    return {
        **{name: row[name] for name in names},
        "as_of": None if row["as_of"] is None else str(row["as_of"])[:10],
        "usd_per_million": row[asked.usd.key],
    }


def is_modelled(row: Mapping[str, Any]) -> bool:
    """Whether the row's price is a modelled cost that nobody offers."""
    return str(row["terms"]).startswith("modelled")


def bill(lead: Mapping[str, Any], asked: Asked) -> dict[str, Any]:
    """The bill of the volume on the cheapest deployment, both ways, in USD a day and a month of 30 days."""
    own = lead["cheapest"]
    ways = {"used_tokens": own["used_usd_per_day"], "around_the_clock": own["rented_usd_per_day"]}
    return {
        "tokens_per_day": asked.volume,
        "instances": own["rented_instances"],
        "used_share": own["rented_share"],
        **{
            name: None if usd is None else {"usd_per_day": usd, "usd_per_month": usd * cost.DAYS_PER_MONTH}
            for name, usd in ways.items()
        },
    }


def break_even(lead: Mapping[str, Any], asked: Asked, api: float | None) -> BreakEven | None:
    """Where renting the cheapest deployment around the clock costs as much as the API; None if the API always wins."""
    own = lead["cheapest"]["usd_per_hour"]
    return cost.break_even(own, lead["tokens_per_s"], asked.utilisation, api)
