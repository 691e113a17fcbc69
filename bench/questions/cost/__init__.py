"""What does a million tokens cost? At every provider's price, at the reader's utilisation, limit and volume."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, pricing, selection
from bench.chart import Theme
from bench.library import Library
from bench.pricing import EVERY, Quote, terms_in_words
from bench.questions import Answer, Choices, Option
from bench.questions.cost import (
    bills,
    caveats,
    defaults,
    deployments,
    drawing,
    findings,
    operating,
    reasons,
    sentences,
)
from bench.questions.cost.bills import PER_DOLLAR, Point
from bench.questions.cost.defaults import API_PRICES, DEPLOYMENT, Asked
from bench.questions.cost.deployments import Found
from bench.questions.cost.rates import KINDS, rate_sql
from bench.view import View

TITLE = "Cost"
QUESTION = "What does a million tokens cost?"
SECTION = "Decide"
ORDER = 60

OPTIONS: tuple[Option, ...] = (
    Option("tokens", "A million", "choice", "Which tokens the whole bill is divided over."),
    Option(
        "group", "A cost for each", "choice", "Prices the best operating point of each value of this field."
    ),
    Option("price_book", "Price book", "choice", "The price list, or every one."),
    Option("price_terms", "Price terms", "choice", "On demand, spot, reserved, modelled, or every one."),
    Option("provider", "Provider", "choice", "Whose prices are taken, or everyone's."),
    Option(
        "utilisation",
        "Utilisation",
        "number",
        "The share of the paid time in which tokens are really served, from 0.001 to 1.",
    ),
    Option("slo_metric", "Limit on", "choice", "The latency or interactivity that the limit is on."),
    Option(
        "slo",
        "Limit",
        "number",
        "Prices the best operating point that keeps this limit; the peak without one, or with none.",
    ),
    Option(
        "slo_ttft",
        "Longest TTFT (ms)",
        "number",
        "Leaves out points with a longer time to first token, of the statistic that the other limit is on.",
    ),
    Option("volume", "Tokens a day", "number", "The volume whose daily and monthly bill is worked out."),
    Option(
        "api_price_input",
        API_PRICES["input"],
        "number",
        "What an API takes for a million input tokens, in USD.",
    ),
    Option(
        "api_price_output",
        API_PRICES["output"],
        "number",
        "What an API takes for a million output tokens, in USD.",
    ),
)


def complete(library: Library, view: View) -> View:
    """The View with every option explicit; when nothing was asked, one model, precision and workload are filled in.

    NotFound when nothing loaded has a throughput; UsageError for an option that cannot be.
    """
    return defaults.completed(library, view)


def choices(library: Library, view: View) -> Choices:
    """The tokens, groups, books, terms and limits to choose from."""
    offered = pricing.books(library)
    book, terms = view.option("price_book", EVERY), view.option("price_terms", EVERY)
    books = dict.fromkeys(row.name for row in offered if terms in (EVERY, row.terms))
    kinds = dict.fromkeys(row.terms for row in offered if book in (EVERY, row.name))
    names = pricing.providers(library, *(("" if one == EVERY else one) for one in (book, terms)))
    return {
        "tokens": [(key, kind.label) for key, kind in KINDS.items() if rate_sql(key, library)],
        "group": [(key, defaults.group_label(key)) for key in defaults.groups(library)],
        "price_book": [(EVERY, "Every book"), *((name, name) for name in books)],
        "price_terms": [(EVERY, "Every terms"), *((one, terms_in_words(one).capitalize()) for one in kinds)],
        "provider": [(EVERY, "Every provider"), *((name, name) for name in names)],
        "slo_metric": [(key, catalogue.metric(key).axis) for key in defaults.limits(library, view)],
    }


def rows(library: Library, view: View) -> pd.DataFrame:
    """One row for each deployment and quote, the deployment with the lowest median cost first; see bills.priced."""
    whole = complete(library, view)
    asked = defaults.asked_of(whole)
    prices = pricing.chip_prices(library, asked.book, asked.terms, asked.provider)
    candidates = operating.candidates(library, whole, asked)
    every = operating.groups(library, candidates, None)
    points = bills.records(operating.best(library, candidates, every, prices).points)
    return bills.framed(_rows(asked, points, _quotes(library, asked, points)), asked)


def answer(library: Library, view: View) -> Answer:
    """What a million tokens cost at each quote, the bill of the volume, the break-even, and how it all moves."""
    whole = complete(library, view)
    asked = defaults.asked_of(whole)
    found = _found(library, whole, asked)
    return Answer(
        question=QUESTION,
        view=whole,
        headline=sentences.headline(found),
        rows=bills.framed(found.rows, asked),
        findings=tuple(findings.findings(found)),
        numbers=_numbers(whole, found),
        caveats=(
            *selection.not_loaded(library, whole),
            *selection.narrowed(library, view, whole),
            *caveats.caveats(found),
        ),
        why=reasons.why(found),
        library_version=library.version,
    )


def figure(answer: Answer, theme: Theme) -> go.Figure:
    """A bar for each quote or deployment, and below it the cost over utilisation and price; customdata is the point."""
    return drawing.draw(answer.rows, answer.numbers, theme)


def table(answer: Answer) -> pd.DataFrame:
    """Every quote of every deployment."""
    return answer.rows


def _rows(asked: Asked, points: Sequence[Point], quotes: Sequence[Quote]) -> list[Point]:
    """The points at each quote, the deployment with the lowest median cost first."""
    rows = bills.priced(points, quotes, asked, datetime.date.today())
    order = {row["point_id"]: place for place, row in enumerate(deployments.summed(rows, asked))}
    return sorted(rows, key=lambda row: order[row["point_id"]])


def _quotes(library: Library, asked: Asked, points: Sequence[Point]) -> tuple[Quote, ...]:
    chips = {point["accelerator"] for point in points}
    return pricing.quotes(library, chips, asked.book, asked.terms, asked.provider)


def _found(library: Library, whole: View, asked: Asked) -> Found:
    candidates = operating.candidates(library, whole, asked)
    every = operating.groups(library, candidates, asked.limit_on)
    tally = operating.tally(every)
    prices = pricing.chip_prices(library, asked.book, asked.terms, asked.provider)
    best = operating.best(library, candidates, every, prices)
    points, each = bills.records(best.points), bills.records(best.each)
    quotes = _quotes(library, asked, points)
    rows = _rows(asked, points, quotes)
    summed = deployments.summed(rows, asked)
    unpriced = sorted(set(tally.accelerators) - set(prices))
    ladder: list[dict[str, Any]] = []
    peak = api = even = None
    if summed:
        lead = summed[0]
        point = next(row for row in points if row["point_id"] == lead["point_id"])
        api = bills.api_price(asked, point)
        even = deployments.break_even(lead, asked, api)
        peak, ladder = operating.price_of_latency(every, lead["owner"], lead["accelerator"], asked.limit_on)
    missed = [one for one in operating.missed(every) if one.accelerator in prices] if asked.limits else []
    elsewhere = _elsewhere(library, unpriced)
    return Found(
        asked, tally, points, each, best.groups, quotes, rows, summed, unpriced, elsewhere, ladder, peak, missed,
        api, even,
    )  # fmt: skip


def _elsewhere(library: Library, unpriced: Sequence[str]) -> dict[str, list[str]]:
    """The books that price what the quotes in force do not."""
    if not unpriced:
        return {}
    found: dict[str, list[str]] = {}
    for quote in pricing.quotes(library, unpriced):
        books = found.setdefault(quote.accelerator, [])
        if quote.book not in books:
            books.append(quote.book)
    return found


def _numbers(whole: View, found: Found) -> dict[str, Any]:
    asked = found.asked
    numbers: dict[str, Any] = {
        "tokens": asked.tokens,
        "metric": asked.usd.key,
        "unit": "USD per million tokens",
        "group": asked.group,
        "price_book": whole.option("price_book"),
        "price_terms": whole.option("price_terms"),
        "provider": whole.option("provider"),
        "utilisation": asked.utilisation,
        "slo": [{"metric": metric.key, "limit": limit} for metric, limit in asked.limits],
        "missed": [vars(one) for one in found.missed],
        "volume": asked.volume,
        **{name: value for name, value in vars(found.tally).items() if name != "accelerators"},
        "deployments": [dict(row) for row in found.deployments],
        PER_DOLLAR: [],
        "unpriced": list(found.unpriced),
        "bill": None,
        "price_of_latency": [],
        "api_usd_per_million": found.api,
        "break_even": None,
        "sensitivity": None,
    }
    if not found.deployments:
        return numbers
    lead = found.lead
    prices = [row["usd_per_accelerator_hour"] for row in found.rows if row["point_id"] == lead["point_id"]]
    even = found.even
    return numbers | {
        PER_DOLLAR: _per_dollar(found),
        "bill": deployments.bill(lead, asked),
        "price_of_latency": [
            {
                **row,
                "metric": whole.option("slo_metric"),
                "usd_per_million": deployments.at_rate(lead, row["tokens_per_s_per_accelerator"]),
            }
            for row in found.ladder
        ],
        "break_even": None if even is None else {
            "tokens_per_day": even.first, "capacity_tokens_per_day": even.capacity, "cost_ratio": even.cost_ratio,
            "settled_tokens_per_day": even.settled, "settled_instances": even.settled_instances,
        },
        "sensitivity": {
            "deployment": lead["deployment"], "point_id": lead["point_id"],
            "quotes": prices,
            **bills.sensitivity(found.lead_point, prices),
        },
    }  # fmt: skip


def _per_dollar(found: Found) -> list[dict[str, Any]]:
    """The tokens/s per USD/h of every deployment and workload, whatever the group, each at its cheapest quote."""
    finest = replace(found.asked, group=DEPLOYMENT)
    first: dict[str, Quote] = {}
    for quote in sorted(found.quotes, key=lambda one: (one.is_modelled, one.usd_per_accelerator_hour)):
        first.setdefault(quote.accelerator, quote)
    rows = _rows(finest, found.each, list(first.values()))
    own = ("deployment", "point_id", "model", "accelerator", "accelerators", "engine", "tokens_per_s", PER_DOLLAR,
           "provider", "terms", "book", "usd_per_hour")  # fmt: skip
    return [
        {**{name: row[name] for name in own}, "usd_per_million": row[finest.usd.key]}
        for row in sorted(rows, key=lambda row: -float(row[PER_DOLLAR]))
    ]
