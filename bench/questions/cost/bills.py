"""Each deployment at each quote: what a million tokens cost, what a dollar buys, and the bill of a volume."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bench.chart import deployment_words, hardware_words, value_label, workload_words
from bench.maths import cost
from bench.pricing import Quote
from bench.questions.cost import conditions
from bench.questions.cost.defaults import DEPLOYMENT, Asked
from bench.questions.cost.operating import IDENTITY, LATENCIES, TOLD_STATISTICS

PER_DOLLAR = "tokens_per_s_per_usd_per_hour"
UTILISATIONS = tuple(step / 10 for step in range(1, 11))
PRICES = 7
"""So many prices stand across the grid of utilisation and price, evenly spaced in ratio."""

ROOM = 1.25
"""The grid reaches this many times beyond the cheapest and the dearest quote."""

Point = dict[str, Any]
"""A point, or a point at a quote, as a mapping; None where nothing is stated."""

QUOTED = ("provider", "terms", "usd_per_accelerator_hour", "region", "instance", "as_of", "book", "note")


def priced(
    points: Sequence[Point], quotes: Sequence[Quote], asked: Asked, today: datetime.date
) -> list[Point]:
    """One row for each deployment and quote of its accelerator, in the order given.

    Keys: `deployment` (its words), the cost under the catalogue's key, tokens_per_s_per_usd_per_hour, usd_per_hour of
    the whole deployment, the quote (`quoted_for` chips, `price_age_days`, `price_url`), `tokens_per_s` and `derived`;
    of the volume `used_usd_per_day` when used tokens alone are paid, and around the clock `rented_instances`,
    `rented_share` used and `rented_usd_per_day`; `limit_value`; then the point's own columns.
    """
    several = len({point["model"] for point in points}) > 1
    by_chip: dict[str, list[Quote]] = {}
    for quote in quotes:
        by_chip.setdefault(quote.accelerator, []).append(quote)
    return [
        _row(point, words, quote, asked, today)
        for point in points
        for words in (label(point, asked, several=several),)
        for quote in by_chip.get(point["accelerator"], ())
    ]


def framed(rows: Sequence[Mapping[str, Any]], asked: Asked) -> pd.DataFrame:
    """The rows as a table, with its columns even without a row."""
    head = ["deployment", asked.usd.key, PER_DOLLAR, "usd_per_hour", *QUOTED, "quoted_for", "price_age_days",
            "price_url", "tokens_per_s", "derived", "used_usd_per_day", "rented_instances", "rented_share",
            "rented_usd_per_day", "owner", "limit_value"]  # fmt: skip
    latencies = [f"{base}_{one}" for base in LATENCIES for one in TOLD_STATISTICS]
    seen = [key for key in latencies if any(row.get(key) is not None for row in rows)]
    frame = pd.DataFrame(list(rows), columns=[*head, *seen, *IDENTITY])
    return frame.assign(as_of=pd.to_datetime(frame["as_of"]))


def _row(point: Point, words: str, quote: Quote, asked: Asked, today: datetime.date) -> Point:
    rate = float(point["rate"])
    hour = cost.deployment_usd_per_hour(quote.usd_per_accelerator_hour, int(point["accelerators"]))
    per_million = cost.usd_per_million(hour, rate, asked.utilisation)
    used = cost.pay_per_token(per_million, asked.volume)
    rental = cost.rented(hour, rate, asked.utilisation, asked.volume)
    return {
        **{name: point[name] for name in IDENTITY},
        **conditions.latencies(point),
        **{name: getattr(quote, name) for name in QUOTED},
        "deployment": words,
        "owner": point["owner"],
        "limit_value": point["held"],
        asked.usd.key: per_million,
        PER_DOLLAR: cost.tokens_per_s_per_usd_per_hour(rate, hour),
        "usd_per_hour": hour,
        "quoted_for": quote.accelerators,
        "price_age_days": cost.age_days(quote.as_of, today),
        "price_url": quote.source_url,
        "tokens_per_s": rate,
        "derived": bool(point["derived"]),
        "used_usd_per_day": used.usd_per_day if used else None,
        "rented_instances": rental.instances if rental else None,
        "rented_share": rental.utilisation if rental else None,
        "rented_usd_per_day": rental.usd_per_day if rental else None,
    }


def label(point: dict[str, Any], asked: Asked, *, several: bool) -> str:
    """A deployment's words: the value of the group, the hardware where that does not say it, the model of several."""
    model = f", {value_label('model', point['model'])}" if several and asked.group != "model" else ""
    if asked.group == DEPLOYMENT:
        own = point if several else {**point, "model": None}
        return ", ".join(word for word in (deployment_words(own), workload_words(point)) if word)
    if asked.group == "accelerator":
        return f"{value_label('accelerator', point['accelerator'])}{model}"
    if asked.group == "accelerators":
        return f"{hardware(point)}{model}"
    return f"{conditions.group_words(asked.group, point)}, {hardware(point)}{model}"


def hardware(point: dict[str, Any]) -> str:
    """The chips of a deployment in words: "8 x H200 SXM"."""
    return hardware_words({"accelerator": point["accelerator"], "accelerators": point["accelerators"]})


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as mappings, None where nothing is stated."""
    found = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in found]


def api_price(asked: Asked, point: dict[str, Any]) -> float | None:
    """What the API takes for a million tokens of the kind asked, in USD; None without a price it needs.

    Of output tokens alone it includes the prompt tokens that come with them, where the reader states their price and
    the workload states both lengths; of input tokens likewise the generated ones.
    """
    share = cost.input_share(point["isl"], point["osl"])
    if asked.tokens in ("blended", "total"):
        return cost.blended_price(asked.api_input, asked.api_output, share)
    own, other = (
        (asked.api_output, asked.api_input)
        if asked.tokens == "output"
        else (asked.api_input, asked.api_output)
    )
    if own is None:
        return None
    return own + other * with_each(asked, point) if other is not None else own


def with_each(asked: Asked, point: dict[str, Any]) -> float:
    """How many tokens of the other side come with each token of the kind asked; 0 where a length is not stated."""
    isl, osl = point["isl"], point["osl"]
    if not isl or not osl:
        return 0.0
    return float(isl / osl if asked.tokens == "output" else osl / isl)


def shared_out(asked: Asked, point: dict[str, Any], usd_per_hour: float) -> cost.TokenCosts | None:
    """USD per million input and output tokens, the bill shared out as the API weighs them; None without what it needs.

    It needs both prices of the API and both lengths of the workload.
    """
    share = cost.input_share(point["isl"], point["osl"])
    if share is None or not 0 < share < 1 or not asked.api_input or not asked.api_output:
        return None
    rate = float(point["rate"])
    whole = {"output": rate / (1 - share), "input": rate / share}.get(asked.tokens, rate)
    return cost.token_costs(
        usd_per_hour,
        whole * share,
        whole * (1 - share),
        asked.utilisation,
        asked.api_output / asked.api_input,
    )


def sensitivity(point: dict[str, Any], quotes: Sequence[float]) -> dict[str, Any]:
    """USD per million tokens of one deployment over utilisations (rows) and prices per accelerator-hour (columns)."""
    low, high = min(quotes) / ROOM, max(quotes) * ROOM
    prices = [_rounded(float(price)) for price in np.geomspace(low, high, PRICES)]
    whole = [cost.deployment_usd_per_hour(price, int(point["accelerators"])) for price in prices]
    grid = cost.sensitivity(float(point["rate"]), whole, UTILISATIONS)
    return {
        "utilisations": list(UTILISATIONS),
        "usd_per_accelerator_hour": prices,
        "usd_per_million": [[float(value) for value in line] for line in grid],
    }


def _rounded(price: float) -> float:
    """The price with three significant digits, as people set one."""
    return round(price, 2 - math.floor(math.log10(price)))
