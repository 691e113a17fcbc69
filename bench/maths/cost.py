"""What tokens cost: the price of a million, the bill of a volume, and where it meets an API's. Numbers in and out.

A price is of the whole deployment in USD per hour, a throughput of the whole deployment in tokens per second, and a
utilisation the share of that throughput that is really served, above 0 and at most 1.
"""

from __future__ import annotations

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
        volume = instances * self.first
        return volume if _needed(volume, self.capacity) == instances else None


def usd_per_million(usd_per_hour: float | None, tokens_per_s: float | None, utilisation: float = 1.0) -> float | None:
    """What a million tokens cost in USD; of which kind of token (output, input, total) the throughput says.

    None without price or throughput. Formula: the catalogue's usd_per_million_*_tokens, usd_per_hour / (tokens_per_s x
    utilisation x 3600) x 1e6.
    """
    if not (usd_per_hour and tokens_per_s):
        return None
    return usd_per_hour / (tokens_per_s * utilisation * SECONDS_PER_HOUR) * MILLION


def tokens_per_s_per_usd_per_hour(tokens_per_s: float | None, usd_per_hour: float | None) -> float | None:
    """The throughput that each dollar an hour buys, fully used, in tokens per second per USD per hour."""
    return tokens_per_s / usd_per_hour if tokens_per_s and usd_per_hour else None


def blended_price(
    usd_per_million_input: float | None, usd_per_million_output: float | None, isl: float | None, osl: float | None
) -> float | None:
    """An API's USD per million tokens of a workload's mix of prompt and generated ones, comparable to `blended` costs.

    None where a length is absent, or the price of a kind that the mix holds.
    """
    if isl is None or osl is None or isl + osl == 0:
        return None
    sides = [(isl, usd_per_million_input), (osl, usd_per_million_output)]
    priced = [tokens * price for tokens, price in sides if tokens and price is not None]
    return sum(priced) / (isl + osl) if len(priced) == sum(tokens > 0 for tokens, _ in sides) else None


def rented(usd_per_hour: float, tokens_per_s: float, utilisation: float, tokens_per_day: float) -> Rental:
    """The bill of a daily volume on instances rented around the clock, as many as it needs.

    `utilisation` is how far an instance is loaded at most; one more is rented where the volume exceeds that. Formula:
    instances = ceil(tokens_per_day / (tokens_per_s x utilisation x 86400)), USD a day = instances x USD/h x 24.
    """
    instances = _needed(tokens_per_day, tokens_per_s * utilisation * SECONDS_PER_DAY)
    used = tokens_per_day / (instances * tokens_per_s * SECONDS_PER_DAY) if instances else None
    return Rental(tokens_per_day, instances * usd_per_hour * HOURS_PER_DAY, instances, used)


def break_even(
    usd_per_hour: float, tokens_per_s: float, utilisation: float, api_usd_per_million: float
) -> BreakEvenVolume | None:
    """The volumes at which renting around the clock costs as much as an API; None if the API is always cheaper.

    The API is always cheaper when it is so against instances loaded to `utilisation`. k instances cost as much at
    k x USD/h x 24 / API price, and are needed there while the cost ratio r is above (k - 1) / k, so the last such k
    is the largest below 1 / (1 - r).
    """
    own = usd_per_million(usd_per_hour, tokens_per_s, utilisation) or math.inf
    if own > api_usd_per_million:
        return None
    first = usd_per_hour * HOURS_PER_DAY / api_usd_per_million * MILLION
    capacity, ratio = tokens_per_s * utilisation * SECONDS_PER_DAY, own / api_usd_per_million
    if ratio == 1:
        return BreakEvenVolume(first, capacity, ratio, None, None)
    last = max(1, math.ceil(1 / (1 - ratio) * (1 - 1e-9)) - 1)
    return BreakEvenVolume(first, capacity, ratio, last * first, last)


def sensitivity(
    tokens_per_s: float, usd_per_hour: Sequence[float], utilisations: Sequence[float]
) -> NDArray[np.float64]:
    """USD per million tokens for every utilisation (rows) and price (columns)."""
    return np.array(usd_per_hour) / (tokens_per_s * np.array(utilisations)[:, None] * SECONDS_PER_HOUR) * MILLION


def _needed(tokens_per_day: float, capacity: float) -> int:
    """How many instances of this daily capacity serve a volume."""
    return math.ceil(tokens_per_day / capacity * (1 - ROUNDING))
