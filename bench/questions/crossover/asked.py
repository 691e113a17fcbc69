"""What a crossover is asked for: the axis, the metric, what it is divided by, the two sides, and stated prices."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

from bench import catalogue, selection
from bench.catalogue import Metric
from bench.chart import setting, title
from bench.errors import UnknownName, UsageError
from bench.maths.grid import Better
from bench.selection import Clause
from bench.view import View
from bench.wording import number

Per = Literal["raw", "accelerator", "dollar", "watt"]
PERS: tuple[Per, ...] = ("raw", "accelerator", "dollar", "watt")
LOADS = ("batch", "concurrency", "request_rate")
LENGTHS = ("isl", "osl", "context_tokens")
USERS = "users_per_accelerator"
ALONG = {
    "batch": "batch",
    "concurrency": "concurrency",
    USERS: "coalesce(concurrency, batch) / accelerators",
    "request_rate": "request_rate",
    "isl": "isl",
    "osl": "osl",
    "context_tokens": "context_tokens",
}
"""What curves run along: option value -> its SQL over a point's columns, NULL where the point does not state it."""

ASKED_FOR = {
    key: f"CASE WHEN {key}_requested IS NULL AND dataset IS NOT NULL THEN NULL ELSE {key} END"
    for key in ("isl", "osl")
}
"""The length of a workload: absent where it was only counted from a named data set, whose means differ by run."""

WORDS = {
    "raw": "of the whole deployment",
    "accelerator": "per chip",
    "dollar": "per dollar",
    "watt": "per watt",
}
UNITS = {"raw": "", "accelerator": "/chip", "dollar": " per USD/h", "watt": "/W"}
LEAST_PRICE, MOST_PRICE = 0.001, 10_000.0
"""What an hour of one chip may be stated to cost, in USD: wide around everything ever offered."""
PRICE = re.compile(r"\d{1,9}(\.\d{0,9})?|\.\d{1,9}", re.ASCII)
SIDE_LENGTH = 400
SIDES = ("a", "b")


@dataclass(frozen=True)
class Asked:
    """A complete View of this question, read.

    `a` and `b` are the sides' own filters, None for a side not chosen; `price_a` and `price_b` are what the reader
    states for an hour of one of that side's accelerators, in USD.
    """

    along: str
    metric: Metric
    per: Per
    a: View | None
    b: View | None
    price_a: float | None
    price_b: float | None

    @property
    def better(self) -> Better:
        """Which values of the metric are better."""
        return "lower" if self.metric.direction == "lower" else "higher"

    @property
    def chosen(self) -> bool:
        """Whether both sides are chosen."""
        return self.a is not None and self.b is not None


def read(view: View) -> Asked:
    """What a complete View asks for; UsageError and UnknownName as `check` raises them."""
    check(view)
    per = next(one for one in PERS if one == view.option("per", "raw"))
    return Asked(
        view.option("along"),
        catalogue.metric(view.option("metric")),
        per,
        side(view, "a"),
        side(view, "b"),
        price(view, "price_a"),
        price(view, "price_b"),
    )


def check(view: View) -> None:
    """Nothing; UnknownName or UsageError for what the reader wrote into an option and it cannot be."""
    for key, known in (("along", tuple(ALONG)), ("per", PERS)):
        if view.option(key) and view.option(key) not in known:
            raise UnknownName(f"choice for {key}", view.option(key), known)
    if view.option("metric") and not is_comparable(catalogue.metric(view.option("metric"))):
        raise UsageError(
            f"metric={view.option('metric')[:60]} is neither a throughput nor a latency; choose one as in"
            " metric=output_tokens_per_s."
        )
    for key in ("a", "b"):
        side(view, key)
    for key in ("price_a", "price_b"):
        if price(view, key) is not None and not (view.option("a") and view.option("b")):
            raise UsageError(
                f"{key}={view.option(key)[:40]} prices one side of a pair, but none is chosen; choose a and b, or leave"
                f" {key} out."
            )


def is_comparable(metric: Metric) -> bool:
    """Whether curves of this metric are compared here: throughputs of whole deployments, latencies, interactivity."""
    if metric.direction == "neutral" or metric.key.startswith("mlperf_"):
        return False
    return metric.unit == "ms" or (metric.unit.endswith(("/s", "/s/user")) and metric.direction == "higher")


def is_throughput(metric: Metric) -> bool:
    """Whether it makes sense to divide this metric by chips, dollars and watts."""
    return metric.direction == "higher" and metric.unit.endswith("/s")


def side(view: View, key: str) -> View | None:
    """The filters of one side; None when it is not chosen. UsageError when the text holds none, or other things."""
    text = view.option(key)
    if not text:
        return None
    try:
        parsed = View.from_query(text)
        selection.clause(parsed)
    except (UsageError, ValueError) as problem:
        raise UsageError(f"{key}={text[:60]!r} is no side: {problem}") from None
    if not parsed.where or parsed.options or len(text) > SIDE_LENGTH:
        raise UsageError(
            f"{key}={text[:60]!r} is no side; write filters joined by &, as in"
            f" {key}='accelerator=tpu-v6e&accelerators=4'."
        )
    return View(parsed.where)


def written(where: View) -> str:
    """The filters of a side as its option writes them."""
    return urlencode(where.pairs(), quote_via=quote, safe=" ,:/()")


def price(view: View, key: str) -> float | None:
    """A price the reader states, in USD for one accelerator and hour; None when absent, UsageError when it is none."""
    text = view.option(key)
    if not text:
        return None
    value = float(text) if PRICE.fullmatch(text) else 0.0
    if not LEAST_PRICE <= value <= MOST_PRICE:
        raise UsageError(
            f"{key}={text[:40]!r} is no price from {LEAST_PRICE:g} to {MOST_PRICE:,.0f}; write USD for one chip and"
            f" hour, as in {key}=1.3."
        )
    return value


def of_side(view: View, own: View | None) -> Clause:
    """The measured points of a side: the View's filters and its own."""
    condition = selection.clause(selection.ordinary(view))
    if own is None:
        return condition
    further = selection.clause(own)
    return condition.also(f"({further.sql})", *further.params)


def either(view: View, *sides: View | None) -> Clause:
    """The measured points of any of the sides that are chosen; of the whole View when none is."""
    conditions = [of_side(view, side) for side in sides if side] or [of_side(view, None)]
    sql = " OR ".join(f"({one.sql})" for one in conditions)
    return Clause(f"({sql})", tuple(value for one in conditions for value in one.params))


def along_words(along: str) -> str:
    """An axis in a sentence: "batch", "users per chip", "input length"."""
    if along == USERS:
        return "users per chip"
    words = {"request_rate": "request rate", "isl": "input length", "osl": "output length"}
    return words.get(along, "context" if along == "context_tokens" else along)


def along_title(along: str) -> str:
    """An axis's title with its unit."""
    return "Users per accelerator (requests in flight per chip)" if along == USERS else title(along)


def at(along: str, x: float) -> str:
    """A place on an axis in a sentence: "batch 127.6", "16 users per chip", "1,024 tokens in"."""
    if along == USERS:
        return f"{place(x)} {'user' if x == 1 else 'users'} per chip"
    if along == "context_tokens":
        return f"{place(x)} tokens of context"
    return setting(along, x).replace(number(x), place(x))


def place(x: float) -> str:
    """A place on an axis with four significant digits: "127.6", "1,024"."""
    if float(x).is_integer() or abs(x) >= 1000:
        return f"{x:,.0f}"
    return f"{float(f'{x:.4g}'):,g}"
