"""How many instances a demand takes, each serving what it was measured to serve. Numbers in, numbers out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bench.maths.cost import DAYS_PER_MONTH, HOURS_PER_DAY, ROUNDING, SECONDS_PER_DAY

DemandUnit = Literal["requests", "users", "output_tokens", "tokens"]
"""Requests a second, users at once, output tokens a day, or input and output tokens a day."""

HOURS_PER_MONTH = DAYS_PER_MONTH * HOURS_PER_DAY

WATTS_PER_MW = 1e6


@dataclass(frozen=True)
class RequestLengths:
    """The input and output tokens of some requests, and their share of all requests."""

    isl: float
    osl: float
    share: float


@dataclass(frozen=True)
class Demand:
    """What has to be served on average, and at most `peak` times that.

    `headroom` is the share of each instance that is left free at the peak, from 0 to below 1; `spare` are instances
    beyond those. `think_s` is how long a user waits between an answer and the next request. `isl` and `osl` are the
    lengths of a request, None where they are those that were measured; of a `mix` the shortest of each.
    """

    amount: float
    unit: DemandUnit = "requests"
    peak: float = 1.0
    headroom: float = 0.0
    spare: int = 0
    think_s: float = 0.0
    isl: float | None = None
    osl: float | None = None
    mix: tuple[RequestLengths, ...] = ()

    def tokens_of(self, isl: float | None, osl: float | None) -> float | None:
        """The tokens of a request that the unit counts, measured with these lengths; None where a length is unknown."""
        isl, osl = self.isl or isl, self.osl or osl
        if self.unit == "output_tokens":
            return osl
        return None if isl is None or osl is None else isl + osl

    def worth(self, isl: float | None, osl: float | None) -> float | None:
        """How much of the demand's unit a request a second serves; None where a length is unknown.

        Of users it is those who think (Little 1961): rate x think time. Those who wait are the requests in flight.
        """
        if self.unit in ("requests", "users"):
            return 1.0 if self.unit == "requests" else self.think_s
        tokens = self.tokens_of(isl, osl)
        return None if tokens is None else tokens * SECONDS_PER_DAY

    def served(self, rate: float, in_flight: float, isl: float | None = None, osl: float | None = None) -> float | None:
        """How much of the demand an instance serves at so many requests a second with so many in flight.

        Formula of users: N = X (Z + R) with X R in flight, the interactive response time law (Denning and Buzen 1978).
        """
        worth = self.worth(isl, osl)
        if worth is None:
            return None
        return rate * worth + (in_flight if self.unit == "users" else 0.0)

    def fleet(self, served: float) -> Fleet:
        """The instances that it takes where one serves so much, above 0.

        instances = ceil(amount x peak / (served x (1 - headroom))) + spare
        """
        if not served > 0:
            raise ValueError(f"an instance that serves {served} serves no demand")
        needed = self.amount * self.peak / (served * (1 - self.headroom)) * (1 - ROUNDING)
        instances = max(math.ceil(needed), 1) + self.spare
        return Fleet(instances, self.amount / (served * instances), self.amount * self.peak / (served * instances))

    def amount_of(self, instances: int, served: float) -> float:
        """The largest amount that so many instances serve with headroom and spares; 0 where all are spare."""
        return max(0, instances - self.spare) * served * (1 - self.headroom) / self.peak


@dataclass(frozen=True)
class Fleet:
    """How many instances there are, spares among them, and the shares of what they serve that are used."""

    instances: int
    used_at_mean: float
    used_at_peak: float


def usd_per_month(chips: int, usd_per_accelerator_hour: float) -> float:
    """What so many chips cost for a month of 30 days around the clock, in USD."""
    return chips * usd_per_accelerator_hour * HOURS_PER_MONTH


def chips_per_mw(watts: float) -> float:
    """How many chips of so many watts each a megawatt feeds, the chips alone."""
    return WATTS_PER_MW / watts
