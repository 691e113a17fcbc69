"""What tokens cost: the price of a million, the bill of a volume, and where it meets an API's. Numbers in and out.

A price is of the whole deployment in USD per hour, a throughput of the whole deployment in tokens per second, and a
utilisation the share of that throughput that is really served, above 0 and at most 1. None and NaN are absent, and
what needs an absent number is None; so is what needs a throughput of 0, which serves nothing. A number that nobody
can mean raises ValueError with a sentence.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MILLION = 1_000_000
SECONDS_PER_HOUR = 3600
HOURS_PER_DAY = 24
SECONDS_PER_DAY = SECONDS_PER_HOUR * HOURS_PER_DAY
DAYS_PER_MONTH = 30
"""A month of a bill, as inferencebench-gemma4-h100 counts it: USD 55 a day are 1,650 a month."""

PER_SECOND = "tokens per second"
# A volume worked out as k times a capacity may miss it in the last digits, which is no reason to rent one more.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Rental:
    """What a daily volume costs in USD on `instances` rented around the clock.

    `utilisation` is the share of their full throughput that the volume uses; None without an instance.
    """

    tokens_per_day: float
    usd_per_day: float
    instances: int
    utilisation: float | None

    @property
    def usd_per_month(self) -> float:
        """The bill of DAYS_PER_MONTH days."""
        return self.usd_per_day * DAYS_PER_MONTH

    @property
    def usd_per_million(self) -> float | None:
        """The bill divided over the tokens of the volume, in USD per million; None for no tokens."""
        return self.usd_per_day / self.tokens_per_day * MILLION if self.tokens_per_day else None


@dataclass(frozen=True)
class BreakEvenVolume:
    """Where renting around the clock costs as much as an API; volumes in tokens per day.

    `first` is the break-even of one instance, which serves up to `capacity`. `cost_ratio` is the rented cost per
    token, instances loaded as far as planned, over the API's; at most 1. Beyond a full instance the next one makes a
    step up, and the API may be cheaper again until `at` the next count; from `settled` on, reached with
    `settled_instances`, it never is. Both are None when the ratio is 1: then the API is dearer at no volume.
    """

    first: float
    capacity: float
    cost_ratio: float
    settled: float | None
    settled_instances: int | None

    def at(self, instances: int) -> float | None:
        """The volume at which this many instances cost as much as the API; None when fewer serve that volume."""
        if instances < 1:
            raise ValueError(f"{instances} instances serve nothing: ask from 1 instance upwards.")
        volume = instances * self.first
        return volume if _needed(volume, self.capacity) == instances else None


def usd_per_million(usd_per_hour: float | None, tokens_per_s: float | None, utilisation: float = 1.0) -> float | None:
    """What a million tokens cost in USD; of which kind of token (output, input, total) the throughput says.

    Formula: the catalogue's usd_per_million_*_tokens, usd_per_hour / (tokens_per_s x utilisation x 3600) x 1e6.
    """
    share = _utilisation(utilisation)
    price, rate = _price(usd_per_hour, "USD per hour"), _throughput(tokens_per_s)
    if price is None or rate is None:
        return None
    return _finite(price / (rate * share * SECONDS_PER_HOUR) * MILLION)


def tokens_per_s_per_usd_per_hour(tokens_per_s: float | None, usd_per_hour: float | None) -> float | None:
    """The throughput that each dollar an hour buys, fully used, in tokens per second per USD per hour."""
    price, rate = _price(usd_per_hour, "USD per hour"), _throughput(tokens_per_s)
    return None if price is None or rate is None else _finite(rate / price)


def input_share(isl: float | None, osl: float | None) -> float | None:
    """The share of prompt tokens among all tokens of a workload; None when either length is absent or both are 0."""
    prompt = _not_negative(isl, "input tokens")
    generated = _not_negative(osl, "output tokens")
    if prompt is None or generated is None or prompt + generated == 0:
        return None
    return prompt / (prompt + generated)


def blended_price(
    usd_per_million_input: float | None, usd_per_million_output: float | None, share: float | None
) -> float | None:
    """An API's USD per million tokens of a mix with this share of input tokens, comparable to `blended` costs.

    A side that the mix does not hold needs no price.
    """
    part = _not_negative(share, "as a share of input tokens")
    if part is None:
        return None
    if part > 1:
        raise ValueError(f"A share of input tokens of {part:g} is not possible: state one from 0 to 1.")
    sides = (
        (part, _price(usd_per_million_input, "USD per million input tokens")),
        (1 - part, _price(usd_per_million_output, "USD per million output tokens")),
    )
    if any(weight > 0 and price is None for weight, price in sides):
        return None
    return sum(weight * price for weight, price in sides if price is not None)


def rented(
    usd_per_hour: float | None, tokens_per_s: float | None, utilisation: float, tokens_per_day: float | None
) -> Rental | None:
    """The bill of a daily volume on instances rented around the clock, as many as it needs.

    `utilisation` is how far an instance is loaded at most; one more is rented where the volume exceeds that. Formula:
    instances = ceil(tokens_per_day / (tokens_per_s x utilisation x 86400)), USD a day = instances x USD/h x 24.
    """
    share = _utilisation(utilisation)
    price, rate = _price(usd_per_hour, "USD per hour"), _throughput(tokens_per_s)
    volume = _not_negative(tokens_per_day, "tokens a day")
    if price is None or rate is None or volume is None:
        return None
    instances = _needed(volume, rate * share * SECONDS_PER_DAY)
    if instances is None:
        return None
    used = volume / (instances * rate * SECONDS_PER_DAY) if instances else None
    return Rental(volume, instances * price * HOURS_PER_DAY, instances, used)


def break_even(
    usd_per_hour: float | None, tokens_per_s: float | None, utilisation: float, api_usd_per_million: float | None
) -> BreakEvenVolume | None:
    """The volumes at which renting around the clock costs as much as an API; None if the API is always cheaper.

    The API is always cheaper when it is so against instances loaded to `utilisation`. k instances cost as much at
    k x USD/h x 24 / API price, and are needed there while the cost ratio r is above (k - 1) / k, so the last such k
    is the largest below 1 / (1 - r).
    """
    own = usd_per_million(usd_per_hour, tokens_per_s, utilisation)
    api = _price(api_usd_per_million, "USD per million tokens")
    if own is None or api is None or own > api or usd_per_hour is None or tokens_per_s is None:
        return None
    first = _finite(usd_per_hour * HOURS_PER_DAY / api * MILLION)
    capacity = tokens_per_s * utilisation * SECONDS_PER_DAY
    if first is None:
        return None
    ratio = own / api
    if ratio == 1:
        return BreakEvenVolume(first, capacity, ratio, None, None)
    last = max(1, math.ceil(1 / (1 - ratio) * (1 - 1e-9)) - 1)
    return BreakEvenVolume(first, capacity, ratio, last * first, last)


def sensitivity(
    tokens_per_s: float | None, usd_per_hour: Sequence[float | None], utilisations: Sequence[float]
) -> NDArray[np.float64]:
    """USD per million tokens for every utilisation (rows) and price (columns); NaN where absent."""
    costs = [[usd_per_million(price, tokens_per_s, share) for price in usd_per_hour] for share in utilisations]
    found = np.array(costs, dtype=float)
    return found.reshape(len(utilisations), len(usd_per_hour))


def age_days(as_of: datetime.date | None, today: datetime.date) -> int | None:
    """How many days old a price is; negative when dated after today, None when undated."""
    return None if as_of is None else (today - as_of).days


def _needed(tokens_per_day: float, capacity: float) -> int | None:
    """How many instances of this daily capacity serve a volume; None beyond all numbers."""
    ratio = tokens_per_day / capacity if capacity else math.inf
    return math.ceil(ratio * (1 - ROUNDING)) if math.isfinite(ratio) else None


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _utilisation(share: float) -> float:
    if not 0 < share <= 1:
        raise ValueError(f"A utilisation of {share:g} is not possible: state a share above 0 and at most 1.")
    return share


def _price(value: float | None, unit: str) -> float | None:
    return _positive(value, unit, "state a price above 0, or leave it out")


def _throughput(value: float | None) -> float | None:
    return _not_negative(value, PER_SECOND) or None


def _positive(value: float | None, what: str, remedy: str) -> float | None:
    if value is None or math.isnan(value):
        return None
    if not 0 < value < math.inf:
        raise ValueError(f"{value:g} {what} is not possible: {remedy}.")
    return value


def _not_negative(value: float | None, what: str) -> float | None:
    if value is None or math.isnan(value):
        return None
    if not 0 <= value < math.inf:
        raise ValueError(f"{value:g} {what} is not possible: state a number from 0 upwards.")
    return value
