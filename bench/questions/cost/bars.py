"""The bars of the cost chart: one for each quote while they are few, else for each provider or each deployment."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench import catalogue, chart
from bench.chart import deployment_words, workload_words
from bench.plain_text import html
from bench.pricing import terms_in_words
from bench.questions.cost import bills, conditions
from bench.questions.cost.deployments import is_modelled
from bench.wording import counted, number

MOST = 30
"""More bars than this are put together, or the dearest left to the table."""

FARTHEST = 20
"""Of several deployments, those that cost more than this many times the cheapest are left to the table."""

LEVELS = (
    ("point_id", "book", "provider", "terms", "region", "instance", "usd_per_accelerator_hour"),
    ("point_id", "book", "provider", "terms"),
    ("point_id",),
)
"""What a bar of one deployment stands for, finest first."""

MOST_QUOTES = 4
"""So many quotes are told under the pointer."""


@dataclass(frozen=True)
class Dot:
    """One quote of a bar that stands for several."""

    usd: float
    point_id: str
    hover: str


@dataclass(frozen=True)
class Bar:
    """One bar: the median cost of the quotes it stands for, each a dot where they are several."""

    name: str
    usd: float
    high: float
    accelerator: str
    point_id: str
    measured: bool
    modelled: bool
    hover: str
    dots: tuple[Dot, ...]


def of(rows: pd.DataFrame, numbers: Mapping[str, Any]) -> list[Bar]:
    """The bars of an answer's rows, lowest cost first: of one deployment the finest level with at most MOST of them.

    Of several deployments each has one bar, over its offers; a modelled cost enters it only where there is no offer.
    """
    every = bills.records(rows)
    levels = LEVELS[-1:] if rows["point_id"].nunique() > 1 else LEVELS
    for level in levels:
        groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for row in every:
            groups.setdefault(tuple(row[key] for key in level), []).append(row)
        if len(groups) <= MOST:
            break
    whole = level == LEVELS[-1]
    made = [_bar(_offers(group) if whole else group, numbers, whole=whole) for group in groups.values()]
    drawn = sorted(made, key=lambda bar: bar.usd)
    return [bar for bar in drawn if bar.usd <= FARTHEST * drawn[0].usd or not whole][:MOST]


def undrawn(medians: Sequence[float]) -> int:
    """How many of several deployments have no bar, by their median costs from the lowest up."""
    within = sum(usd <= FARTHEST * medians[0] for usd in medians) if medians else 0
    return len(medians) - min(within, MOST)


def _offers(group: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    return [row for row in group if not is_modelled(row)] or group


def _bar(group: Sequence[dict[str, Any]], numbers: Mapping[str, Any], *, whole: bool) -> Bar:
    first, key = group[0], numbers["metric"]
    costs = [float(row[key]) for row in group]
    dated = "undated" if first["as_of"] is None else str(first["as_of"])[:7]
    terms = terms_in_words(str(first["terms"]))
    offered = terms.capitalize() if is_modelled(first) else f"{first['provider']} · {terms}"
    dots = [
        Dot(float(row[key]), str(row["point_id"]), _hover([row], float(row[key]), numbers)) for row in group
    ]
    return Bar(
        name=str(first["deployment"]) if whole else f"{offered} · {dated}",
        usd=statistics.median(costs),
        high=max(costs),
        accelerator=str(first["accelerator"]),
        point_id=str(first["point_id"]),
        measured=first["evidence"] == "measured",
        modelled=is_modelled(first),
        hover=_hover(group, statistics.median(costs), numbers),
        dots=tuple(dots) if len(dots) > 1 else (),
    )


def _terms(row: Mapping[str, Any]) -> str:
    return "terms unstated" if row["terms"] == "unstated" else terms_in_words(str(row["terms"]))


def _hover(group: Sequence[Mapping[str, Any]], usd: float, numbers: Mapping[str, Any]) -> str:
    """A bar's text: the cost, the price with its age, region, terms and source, and the operating point behind."""
    first = dict(group[0])
    metric = catalogue.metric(numbers["metric"])
    lines = [f"<b>{number(usd)} USD</b> {html(metric.label.lower().replace('cost ', ''))}"]
    if len(group) > 1:
        lines.append(html(f"median of {counted(len(group), 'quote')}"))
    lines += [_price(row) for row in group[:MOST_QUOTES]]
    if len(group) > MOST_QUOTES:
        lines.append(html(f"and {counted(len(group) - MOST_QUOTES, 'dearer quote')}"))
    if len(group) == 1 and first["note"]:
        lines += [html(part) for part in textwrap.wrap(str(first["note"]), chart.HOVER_WIDTH)]
    lines.append(html(deployment_words(first)))
    lines.append(
        html(
            ", ".join(
                word for word in (workload_words(first), f"{number(first['tokens_per_s'])} tokens/s") if word
            )
        )
    )
    lines.append(html(conditions.latency_words(first)))
    lines.append(html(f"{first['evidence']} · {first['source']}"))
    return "<br>".join(line for line in lines if line)


def _price(row: Mapping[str, Any]) -> str:
    where = ", ".join(str(row[key]) for key in ("region", "instance") if row[key])
    parts = [
        f"{row['provider']}: {number(row['usd_per_accelerator_hour'])} USD/h per chip",
        _terms(row),
        where,
        age(row),
        str(row["book"]),
    ]
    return html(" · ".join(part for part in parts if part))


def age(row: Mapping[str, Any]) -> str:
    """A price's date and age: "as of 2026-07-20, 31 days old", "undated"."""
    if row["as_of"] is None:
        return "undated"
    return f"as of {str(row['as_of'])[:10]}, {counted(int(row['price_age_days']), 'day')} old"
