"""What does a million tokens cost? At the chips' price and each quote behind it, within limits, for a volume."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pandas as pd

from bench import basis, catalogue, selection
from bench.basis import evidence, points, prices, side_by_side, stated_share, story, variations, wording
from bench.basis.evidence import Ranking
from bench.basis.options import Option
from bench.basis.points import PointFacts
from bench.basis.prices import Choice
from bench.basis.stated_share import NOTHING
from bench.basis.story import Needs, Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.chart import title, value_label
from bench.errors import UsageError
from bench.library import Library
from bench.maths import cost as maths
from bench.questions import Answer, Choices, Column, Steps, Why, counting, pipeline
from bench.questions.cost import figure as drawing
from bench.questions.cost import labels, priced, result, verdict
from bench.questions.cost.priced import DEPLOYMENT, FIELDS, Inputs
from bench.questions.cost.result import KINDS, Cost, CostOptions
from bench.questions.operating_points import Best, Search, usable
from bench.view import View
from bench.wording import number

TITLE = "Cost"
QUESTION = "What does a million tokens cost?"
SECTION = "Decide"
ORDER = 60
NEEDS = "points"
figure = drawing.draw

GROUPS = ("accelerator", DEPLOYMENT, *FIELDS, "engine_version", "tp")
VOLUME = "100000000"
"""Tokens a day unless the reader says: what the article inferencebench-gemma4-h100 works its bill out for."""

_FIRST = ("interactivity_tokens_per_s_per_user", "tpot_ms", "ttft_ms", "e2el_ms")
LATENCIES = tuple(dict.fromkeys((*_FIRST, *(row.key for row in catalogue.METRICS if row.distribution))))
"""The metrics that a price of latency may be told of, those people set limits on first."""

BARS = {"few": "The eight cheapest", "all": "All"}

OPTIONS: tuple[Option, ...] = (
    Option("tokens", "Cost per million …", "choice", "The tokens that share the whole bill.", tuple(KINDS),
           default="output"),
    Option("group", "Group by", "choice", "Compares the best operating point of each value of this field.", GROUPS),
    Option("latency", "Latency limit", "choice",
           "The latency or interactivity whose price is told: what tokens cost within ever harder limits on it."),
    Option("volume", "Tokens a day", "number", "The volume whose daily and monthly bill is worked out.",
           example=VOLUME, default=VOLUME),
    Option("api_price_input", "API price, input", "number", "What an API charges for a million input tokens (USD).",
           example="0.5"),
    Option("api_price_output", "API price, output", "number", "What an API charges for a million output tokens (USD).",
           example="2.5"),
    Option("bars", "Bars", "choice", "The eight cheapest, or all; the table has every row.", tuple(BARS),
           default="few"),
)  # fmt: skip
COLUMNS = (
    Column("owner", "Group"),
    Column("deployment", "Deployment"),
    Column("provider", "Provider"),
    Column("terms", "Terms"),
    Column("book", "Price book"),
    Column("region", "Region"),
    Column("regions", "Regions at this price"),
    Column("instance", "Instance"),
    Column("as_of", "Price as of"),
    Column("note", "Note on the price"),
    Column("price_age_days", "Price age", "days"),
    Column("price_url", "Price published at"),
    Column("quoted_for", "Quoted for", "chips"),
    Column("usd_per_accelerator_hour", "Price per chip", "USD/h"),
    Column("usd_per_hour", "Price of the deployment", "USD/h"),
    Column("tokens_per_s", "Throughput", "tokens/s"),
    Column("tokens_per_s_per_usd_per_hour", "Tokens/s per USD/h"),
    Column("derived", "Throughput worked out"),
    Column("used_usd_per_day", "Volume, paying used tokens", "USD/day"),
    Column("rented_instances", "Instances rented"),
    Column("rented_share", "Share of them used"),
    Column("rented_usd_per_day", "Volume, rented around the clock", "USD/day"),
)
STEPS = Steps(counting("accelerator", "has a cost", "have a cost"), tries={"tokens": "Price {}"})


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and one model, precision and workload, but for the one it is grouped by.

    UnknownName or UsageError for an option that cannot be.
    """
    return _story(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The tokens and groups that the library has, and the latencies of this selection."""
    groups = [key for key in GROUPS if key == DEPLOYMENT or library.has(key)]
    sought = Search(result.rate_sql(view.option("tokens", "output"), library), "", "accelerator")
    _, stated = _surveyed(library, evidence.read(view).unlimited, sought, LATENCIES)
    if view.option("group") == side_by_side.FIELD and side_by_side.models(library, view):
        groups = [side_by_side.FIELD]
    return {
        "tokens": [(key, KINDS[key].label) for key in result.kinds(library)],
        "group": [(key, "Deployment" if key == DEPLOYMENT else title(key).split(" (")[0]) for key in groups],
        "latency": [(key, catalogue.metric(key).axis) for key in stated],
        "bars": list(BARS.items()),
    }


def answer(library: Library, view: View) -> Answer[Cost]:
    """What a million tokens cost and where, at each quote, the bill of the volume, and an API beside it."""
    chosen = _story(library, view)
    whole = chosen.view
    costs = priced.costs(_inputs(library, evidence.read(whole), prices.read(library, whole)))
    known = stated_share.of_headline(library, whole, costs.deciding) if costs.deployments else NOTHING
    lacks = f"no priced point with a throughput of {costs.asked.kind.words}"
    said = (
        *side_by_side.gave_way(view.option("group"), costs.asked.group),
        *side_by_side.left_out(library, whole, [one.model for one in costs.facts], lacks),
        *verdict.statements(costs, known),
    )
    rows = _rows(costs, datetime.date.today())
    return pipeline.answer(library, QUESTION, whole, costs, said, rows, _why(costs), chosen, known)


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the same group is cheapest with one choice changed at a time.

    At another book or provider only the chips that it prices compete, as where a reader chooses it.
    """
    is_complete = view.whole and all(map(view.option, ("tokens", "group", prices.TERMS.key)))
    whole = view if is_complete else complete(library, view)
    ranking, choice = evidence.read(whole), prices.read(library, whole)
    own = _inputs(library, ranking, choice)
    offered = prices.chip_prices_of_each(library, prices.alternatives(library, choice).values())

    @cache
    def best_points(other: Ranking) -> tuple[tuple[Best, ...], dict[str, PointFacts]]:
        groups = own.groups if other == ranking else replace(own, ranking=other).groups
        return groups, points.named(library, [one.point_id for one in groups if one.point_id])

    def cheapest(one: Variation) -> Verdict | None:
        chips = own.chips if one.prices == choice else offered[one.prices]
        groups, named = best_points(one.ranking)
        stating = {best.accelerator for best in groups if best.stated}
        first = priced.cheapest(groups, chips)
        if len(first) < 2 or 2 * len(stating) < len({best.accelerator for best in groups}):
            return None
        facts = [named[best.point_id or ""] for best in first]
        if priced.unlike(own, facts):
            return None
        codes = [f"{best.group}|{best.accelerator}" for best in first[:2]]
        words = [labels.of_group(own.asked.group, best.group, best.accelerator) for best in first[:2]]
        if own.asked.group == DEPLOYMENT:
            words = [f"{each.hardware} ({value_label('engine', each.engine)})" for each in facts[:2]]
        usd, second = (chips[best.accelerator].usd / (best.merit or 0.0) for best in first[:2])
        if wording.is_tie(second / usd):
            return Verdict(" ".join(sorted(codes)), f"{' and '.join(sorted(words))} cost the same")
        return Verdict(codes[0], f"{words[0]} is cheapest")

    return variations.of(library, whole, choice, cheapest, usable(own.search))


def _story(library: Library, view: View) -> Story:
    """What the answer is about, its View complete; UnknownName or UsageError for what a View cannot ask."""
    basis.check_every(view, OPTIONS)
    latency, group = view.option("latency"), view.option("group")
    if latency and (catalogue.metric(latency).statistic is None or not library.has(latency)):
        raise UsageError(f"latency={latency} is no loaded latency or interactivity, as latency=ttft_ms_p99 is.")
    tokens = view.option("tokens") or _first_kind(library, view)
    sought = Search(result.rate_sql(tokens, library), f"throughput of {KINDS[tokens].words}", "accelerator")
    needs = Needs(sought.words, usable(sought))
    chosen = story.of(library, view, needs, {group})
    if group and group != (field := side_by_side.field(library, chosen.view, group, needs)):
        chosen, group = story.of(library, view, needs, {field}), field
    ranking = evidence.read(chosen.view).unlimited
    if not (group and latency):
        usual, stated = _surveyed(library, ranking, sought, LATENCIES[:1])
        stated = stated or _surveyed(library, ranking, sought, LATENCIES)[1]
        group, latency = group or usual, latency or next(iter(stated), "")
    volume, bars = view.option("volume", VOLUME), view.option("bars", "few")
    own = {"tokens": tokens, "group": group, "volume": volume, "latency": latency, "bars": bars}
    whole = prices.completed(library, chosen.view).with_options(**own)
    return replace(chosen, view=basis.written_out(whole))


def _inputs(library: Library, ranking: Ranking, choice: Choice) -> Inputs:
    """What the costs of a complete View are worked out from."""
    view = ranking.view
    volume, api_input, api_output = (row.number(view) for row in OPTIONS if row.kind == "number")
    tokens, group, latency, bars = map(view.option, ("tokens", "group", "latency", "bars"))
    metric, many = catalogue.metric(latency) if latency else None, len(view.values("model")) > 1
    asked = CostOptions(tokens, group, metric, volume or float(VOLUME), api_input, api_output, bars == "all", many)
    return Inputs(library, ranking, asked, choice)


def _first_kind(library: Library, view: View) -> str:
    """Output tokens where a selected point has their throughput, else the first kind that one has."""
    condition = selection.clause(view)
    for kind in KINDS:
        sql = f"SELECT 1 FROM points WHERE {condition.sql} AND {result.rate_sql(kind, library)} IS NOT NULL LIMIT 1"
        if library.fetch(sql, condition.params):
            return kind
    return "output"


def _surveyed(library: Library, ranking: Ranking, sought: Search, bases: Sequence[str]) -> tuple[str, list[str]]:
    """What to group by and which latencies of these bases there are, by the points that have a cost.

    The group is the model or precision where the reader put several side by side. The latencies are in the order of
    their bases, the commonest statistic first.
    """
    held = library.metric_columns() | frozenset(catalogue.derivable(library.metric_columns()))
    every = [catalogue.metric(key) for key in catalogue.metrics_of("per_user", "latency", held=held)]
    metrics = [metric for metric in every if metric.statistic and metric.base in bases]
    condition = evidence.ranked(library, ranking)
    counts = "".join(f', count("{metric.key}")' for metric in metrics)
    told = f"count(DISTINCT model), count(DISTINCT precision){counts}"
    query = f"SELECT {told} FROM points WHERE {condition.sql} AND {usable(sought)}"
    models, precisions, *found = library.fetch(query, condition.params)[0]
    many = {row: count for row, count in zip(metrics, found, strict=True) if count}
    first = sorted(many, key=lambda row: (bases.index(row.base), -many[row], row.statistic != "p50"))
    # A story whose points state no precision leaves it open, which nobody asked to compare.
    is_chosen = ranking.view.whole or bool(ranking.view.values("precision"))
    group = "model" if models > 1 else "precision" if precisions > 1 and is_chosen else "accelerator"
    return group, [row.key for row in first]


def _rows(costs: Cost, today: datetime.date) -> pd.DataFrame:
    """One row for each deployment and quote of its accelerator, the cheapest deployment and quote first."""
    rows = [
        {
            "deployment": labels.label(costs, one),
            costs.asked.usd.key: own.usd_per_million,
            "tokens_per_s_per_usd_per_hour": one.point.rate / own.usd_per_hour,
            "usd_per_hour": own.usd_per_hour,
            **{name: getattr(own.quote, name) for name in QUOTED},
            "regions": len(own.quote.regions) or None,
            "quoted_for": own.quote.accelerators,
            "price_age_days": own.quote.as_of and (today - own.quote.as_of).days,
            "price_url": own.quote.source_url,
            "tokens_per_s": one.point.rate,
            "derived": one.is_derived,
            "used_usd_per_day": own.usd_per_million * own.rented.tokens_per_day / maths.MILLION,
            "rented_instances": own.rented.instances,
            "rented_share": own.rented.utilisation,
            "rented_usd_per_day": own.rented.usd_per_day,
            "owner": one.group,
            **one.point.metrics,
            **one.facts.row,
        }
        for one in costs.deployments
        for own in one.quotes
    ]
    frame = pd.DataFrame(rows) if rows else pd.DataFrame(columns=["deployment", costs.asked.usd.key, *QUOTED])
    return frame.assign(as_of=pd.to_datetime(frame["as_of"]))


QUOTED = ("provider", "terms", "usd_per_accelerator_hour", "region", "instance", "as_of", "book", "note")


def _why(costs: Cost) -> tuple[Why, ...]:
    """Formula, inputs and source of the cost, the chips' price, the operating point, the bill and the break-even."""
    usd, own = costs.asked.usd, f"utilisation {costs.choice.utilisation:g}"
    if costs.deployments:
        price, chips = costs.lead.price, labels.chips(costs.lead.facts)
        own = f"{number(price.usd)} USD/h per chip, {chips}, {costs.lead.point.rate:,.6g} tokens/s; {own}"
    at = f" of {number(costs.api.usd_per_million)} USD per million" if costs.api else ""
    return (
        Why(usd.axis, usd.formula, own, usd.source),
        Why("Price of a chip", "the median over providers of the median of each one's unlike quotes",
            costs.choice.words, "Kneepoint's definition"),
        Why("Operating point", "the most tokens/s per accelerator of each group, within the limits",
            "every ranked selected point; layout, engine version and date are free",
            "the cost of a token falls as its accelerator's throughput rises"),
        Why("Bill of a volume", "the smallest ceil(volume / (tokens/s x utilisation x 86,400)) x USD/h x 24 of the"
            " points within the limits", f"{costs.asked.volume:,.6g} tokens a day", "arithmetic"),
        Why("Break-even volume", "USD/h x 24 / API price per million x 1e6, per instance",
            f"an API price{at}, stated by you", "arithmetic"),
    )  # fmt: skip
