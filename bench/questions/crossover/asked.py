"""What a crossover is asked for: the axis, the metric, what it is divided by, the two sides, and stated prices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode

from bench import basis, catalogue, selection
from bench.basis.options import Option
from bench.catalogue import Kind, Metric
from bench.chart import setting, title
from bench.errors import UsageError
from bench.maths.grid import Better
from bench.view import View
from bench.wording import joined, number

LOADS = ("batch", "concurrency", "request_rate")
LENGTHS = ("isl", "osl", "context_tokens")
USERS = "users_per_accelerator"
ALONG = {
    "batch": "batch", "concurrency": "concurrency", USERS: "coalesce(concurrency, batch) / accelerators",
    "request_rate": "request_rate", "isl": "isl", "osl": "osl", "context_tokens": "context_tokens",
}  # fmt: skip
"""The axes: option value -> its SQL over a point's columns, NULL where the point does not state it."""

AXIS_WORDS = {USERS: "users per chip", "request_rate": "request rate", "isl": "input length", "osl": "output length",
              "context_tokens": "context"}  # fmt: skip
Per = Literal["raw", "accelerator", "dollar", "watt"]
PERS: tuple[Per, ...] = ("raw", "accelerator", "dollar", "watt")
UNITS = {"raw": "", "accelerator": "/chip", "dollar": " per USD/h", "watt": "/W"}
SIDE_LENGTH = 400
COMPARED: tuple[Kind, ...] = ("throughput", "engine_rate", "latency", "per_user")
"""The kinds of metric that curves are compared by."""

PRICES = tuple(
    Option(
        f"price_{key}", f"Price of {key.upper()} (USD/h)", "number",
        f"USD for one chip of {key.upper()} and hour, from 0.001 to 10,000, instead of the listed price.",
        least=0.001, most=10_000, example="1.3",
    )
    for key in ("a", "b")
)  # fmt: skip
OPTIONS: tuple[Option, ...] = (
    Option("a", "A", "choice", "One side: filters joined by &, as accelerator=tpu-v6e&accelerators=4."),
    Option("b", "B", "choice", "The other side, written the same way."),
    Option("along", "Along", "choice", "The axis both sides are followed along.", tuple(ALONG)),
    Option("metric", "Metric", "choice", "The throughput or latency that is compared."),
    Option("per", "Divided by", "choice", "Raw, or per accelerator, per dollar or per watt; a latency is always raw.",
           PERS),
    *PRICES,
)  # fmt: skip


@dataclass(frozen=True)
class Asked:
    """A complete View of this question, read: the key of an axis, of a metric, and what it is divided by.

    `a` and `b` are the sides' own filters, None for a side not chosen; `price_a` and `price_b` are what the reader
    states for an hour of one of that side's accelerators, in USD.
    """

    along: str
    metric: str
    per: Per
    a: View | None = None
    b: View | None = None
    price_a: float | None = None
    price_b: float | None = None

    @property
    def row(self) -> Metric:
        """The metric as the catalogue has it."""
        return catalogue.metric(self.metric)

    @property
    def better(self) -> Better:
        """Which values of the metric are better."""
        return "lower" if self.row.direction == "lower" else "higher"

    @property
    def unit(self) -> str:
        """The unit of what is compared."""
        return f"{self.row.unit}{UNITS[self.per]}"

    @property
    def is_pair(self) -> bool:
        """Whether both sides are chosen."""
        return self.a is not None and self.b is not None

    @property
    def is_divisible(self) -> bool:
        """Whether it makes sense to divide the metric by chips, dollars and watts."""
        return self.row.kind in ("throughput", "engine_rate")

    @property
    def pers(self) -> tuple[Per, ...]:
        """What the metric can be divided by."""
        return PERS if self.is_divisible else ("raw",)


def read(view: View) -> Asked:
    """What a complete View asks for; UsageError and UnknownName as `check` raises them."""
    check(view)
    price_a, price_b = (option.number(view) for option in PRICES)
    per = next(one for one in PERS if one == view.option("per", "raw"))
    along, metric = view.option("along"), view.option("metric")
    return Asked(along, metric, per, side(view, "a"), side(view, "b"), price_a, price_b)


def check(view: View) -> None:
    """UnknownName or UsageError for what the reader wrote into an option and it cannot be."""
    basis.check_every(view, OPTIONS)
    metric = view.option("metric")
    if metric and catalogue.metric(metric).kind not in COMPARED:
        raise UsageError(
            f"metric={metric[:60]} is neither a throughput nor a latency; choose one as in metric=output_tokens_per_s."
        )
    sides = [side(view, key) for key in ("a", "b")]
    for option in PRICES:
        if view.option(option.key) and not all(sides):
            raise UsageError(
                f"{option.key}={view.option(option.key)[:40]} prices one side of a pair, but none is chosen; choose a"
                f" and b, or leave {option.key} out."
            )


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
    if not parsed.where or parsed.options or parsed.slo or len(text) > SIDE_LENGTH:
        raise UsageError(
            f"{key}={text[:60]!r} is no side; write filters joined by &, as in"
            f" {key}='accelerator=tpu-v6e&accelerators=4'."
        )
    return View(parsed.where)


def written(where: View) -> str:
    """The filters of a side as its option writes them."""
    return urlencode(where.pairs(), quote_via=quote, safe=" ,:/()")


def axis_words(along: str) -> str:
    """An axis in a sentence: "batch", "users per chip", "input length"."""
    return AXIS_WORDS.get(along, along)


def axis_title(along: str) -> str:
    """An axis's title with its unit."""
    return "Users per accelerator (requests in flight per chip)" if along == USERS else title(along)


def at(along: str, *xs: float) -> str:
    """Places on an axis in a sentence: "batch 127.6", "16 users per chip", "2 and 4 requests/s"."""
    return _said(along, xs[-1], joined([place(x) for x in xs], at_most=3))


def span(along: str, low: float, high: float) -> str:
    """A range along an axis: "batch 1 to 512", "2 to 64 users per chip"."""
    return _said(along, high, reach(low, high))


def reach(low: float, high: float) -> str:
    """A range without the axis's name: "4 to 32", "8"."""
    return " to ".join(dict.fromkeys((place(low), place(high))))


def _said(along: str, x: float, places: str) -> str:
    if along == USERS:
        return f"{places} {'user' if places == '1' else 'users'} per chip"
    if along == "context_tokens":
        return f"{places} tokens of context"
    return setting(along, x).replace(number(x), places)


def place(x: float) -> str:
    """A place on an axis with four significant digits: "127.6", "1,024"."""
    if float(x).is_integer() or abs(x) >= 1000:
        return f"{x:,.0f}"
    return f"{float(f'{x:.4g}'):,g}"
