"""How many do I need? Instances, chips and cost for a demand, each serving what it was measured to serve in limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, cast

import pandas as pd

from bench import basis, catalogue, selection
from bench.basis import evidence, interpolated, likeness, prices, side_by_side, stated_share, story, uses, variations
from bench.basis.evidence import Ranking
from bench.basis.likeness import Difference
from bench.basis.limits import Limit
from bench.basis.options import Option
from bench.basis.statement import Statement, caveat
from bench.basis.story import Needs, Story
from bench.basis.uses import OWN, UseCase
from bench.basis.variations import Robustness, Variation, Verdict
from bench.library import Library
from bench.maths.capacity import HOURS_PER_MONTH, Demand, DemandUnit, chips_per_mw
from bench.questions import Answer, Choices, Column, Steps, Why, counting
from bench.questions.capacity import fleet_words, measured, planning, random_arrivals, statements
from bench.questions.capacity.figure import figure
from bench.questions.capacity.measured import MeasuredCurves
from bench.questions.capacity.planning import OperatingCurves
from bench.questions.capacity.result import Capacity, CapacityAsked, FleetPlan, RandomArrivals, UseAdvice
from bench.records import LOAD_AXES
from bench.view import View
from bench.wording import inline, joined, number, quantity, share

__all__ = ["COLUMNS", "NEEDS", "OPTIONS", "ORDER", "QUESTION", "SECTION", "STEPS", "TITLE", "Capacity", "answer",
           "choices", "complete", "figure", "robustness"]  # fmt: skip

TITLE = "Capacity"
QUESTION = "How many do I need?"
SECTION = "Size"
ORDER = 70
NEEDS = "points"

UNITS: dict[DemandUnit, str] = {
    "requests": "Requests per second",
    "users": "Users",
    "output_tokens": "Output tokens a day",
    "tokens": "Input and output tokens a day",
}
HELD_IN: dict[DemandUnit, str] = {
    "requests": "requests",
    "users": "users",
    "output_tokens": "tokens",
    "tokens": "tokens",
}
"""The option that holds the amount of each unit."""

OPTIONS = (
    Option("unit", "Demand in", "choice", "What the demand is counted in.", tuple(UNITS), default="requests"),
    Option("requests", "Requests per second", "number", "How many come in a second, on average.", default="10",
           example="10"),
    Option("users", "Users", "number", "How many users there are at once, on average.", default="500", example="500"),
    Option("think", "Think time (s)", "number", "How long a user waits from an answer to the next request.", least=0,
           default="30", example="30"),
    Option("tokens", "Tokens a day", "number", "How many tokens are served in a day.", default="100000000",
           example="100000000"),
    Option("use", "Use", "choice", "The limits that are kept beside your own.", default=OWN),
    Option("peak", "Peak over mean", "number", "How many times the average the busiest time is.", least=1, most=1000,
           default="2", example="2"),
    Option("headroom", "Left free at peak", "number", "The share of each instance that is free even then.", least=0,
           most=0.95, default="0.2", example="0.2"),
    Option("spare", "Spare instances", "number", "Instances beyond those that are needed.", least=0, most=10_000,
           default="0", example="1"),
    Option("budget", "Budget (USD a month)", "number", "Leaves out what costs more.", example="50000"),
    Option("chips", "Chips at hand", "number", "Leaves out what takes more chips.", least=1, example="64"),
    Option("request_isl", "Input tokens of a request", "number", "If they are fewer than were measured.", least=1,
           example="900"),
    Option("request_osl", "Output tokens of a request", "number", "If they are fewer than were measured.", least=1,
           example="300"),
)  # fmt: skip
COLUMNS = (
    Column("instances", "Instances", "", 0),
    Column("chips", "Chips", "", 0),
    Column("usd_per_month", "Cost", "USD/month", 0),
    Column("usd_per_accelerator_hour", "Price per chip", "USD/h"),
    Column("load", "Load of an instance"),
    Column("reached", "There"),
    Column("measured_from", "Measured below"),
    Column("measured_to", "Measured above"),
    Column("served_per_s", "Requests an instance serves", "requests/s"),
    Column("stopped_by", "What stops it"),
    Column("used_at_mean", "Used on average", "%", 1),
    Column("used_at_peak", "Used at peak", "%", 1),
    Column("error_median", "Such places were off by", "%", 1),
    Column("error_p90", "Nine of ten within", "%", 1),
    Column("watts", "A chip draws", "W", 0),
    Column("power_from", "Power is"),
    Column("kw", "All chips draw", "kW", 1),
    Column("mwh_per_month", "Energy", "MWh/month", 1),
    Column("chips_per_mw", "Chips per MW", "", 0),
    Column("is_allowed", "Within budget and chips"),
)
STEPS = Steps(counting("accelerator", "serves the demand", "serve the demand"))

FIRST = ("model", "precision", "accelerator", "accelerators", "engine")
FACTS = tuple("tp pp dp ep engine_version isl osl load_kind".split())
DEFAULTS = {one.key: one.default for one in OPTIONS if one.default}
"""What holds where nothing is chosen: Kneepoint's choice, to be changed; the tokens are those of the page Cost."""

LAST = ("variant", "speculation", "disaggregated", "evidence", "source", "date", "source_url", "flags", "source_id")
SOURCE = "bench/maths/capacity.py and bench/maths/operating_load.py; docs/sizing.md, Capacity"
LOOKED_AT = 4
"""So many plans are looked at for requests that come at random: the first, and the next on other accelerators."""

UNLIKE = ("isl", "osl", "context_tokens")
"""Where plans of one model differ in one of these, none is called the cheapest unless the reader states the lengths."""


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and the story that the reader left open filled in."""
    return _story(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The units, and the uses."""
    return {
        "unit": list(UNITS.items()),
        "use": [*((one.use, one.title) for one in uses.every().values()), (OWN, "Your own limits alone")],
    }


def answer(library: Library, view: View) -> Answer[Capacity]:
    """What a demand takes on each deployment of a View, the cheapest first."""
    chosen = _story(library, view)
    whole = chosen.view
    found = _capacity(library, whole)
    shown = [one.facts.model for one in (*found.plans, *found.beyond)]
    limited = whole.with_slo([one.text for one in found.limits])
    return Answer(
        question=QUESTION,
        view=whole,
        result=found,
        statements=(
            *side_by_side.left_out(library, limited, shown, "no deployment that keeps the limits"),
            *statements.statements(found, whole),
            *_left_aside(whole),
            *story.statements(chosen),
            *(caveat("not_loaded", text) for text in selection.not_loaded(library, whole)),
        ),
        rows=_rows(found),
        why=tuple(_why(found)) if found.plans or found.beyond else (),
        library_version=library.version,
    )


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the same deployment is first with one choice changed at a time."""
    whole = view if view.whole and view.option("use") else complete(library, view)
    ranking, choice, asked = _ranking(whole), prices.read(library, whole), _asked(whole)
    kept = uses.together(asked.use, ranking.limits)
    offered = prices.chip_prices_of_each(library, (choice, *prices.alternatives(library, choice).values()))
    offered[choice] = prices.chip_prices(library, choice, selection.clause(whole))

    @cache
    def curves(other: Ranking) -> MeasuredCurves:
        return measured.read(library, other, asked.demand, _looked_at(kept))

    def verdict(one: Variation) -> Verdict | None:
        found = curves(one.ranking)
        applied, _ = _applied(found, asked.use, kept, ranking.limits)
        best = planning.operating(found, applied, asked.demand)
        named = planning.facts_of(library, [best])
        plans = planning.plans_of(library, best, asked, offered[one.prices], named)
        allowed = [own for own, why in zip(plans, planning.affordable(plans, asked), strict=True) if not why]
        if len(allowed) < 2 or _unlike(allowed, asked.demand):
            return None
        first = allowed[0]
        if len({own.facts.model for own in allowed}) > 1:
            return Verdict(first.facts.model or "", fleet_words.model_wins(first))
        return Verdict(fleet_words.code(first), f"{fleet_words.hardware(first)} {fleet_words.wins(first)}")

    judged = whole.with_slo([one.text for one in ranking.limits])
    return variations.of(library, judged, choice, verdict, measured.usable_sql(library, asked.demand))


def _story(library: Library, view: View) -> Story:
    """What the answer is about, its View complete."""
    basis.check_every(view, OPTIONS)
    unit = _unit(view)
    told = (HELD_IN[unit], "peak", "headroom", "spare", *(["think"] if unit == "users" else []))
    stated = {"unit": unit, **{key: view.option(key, DEFAULTS[key]) for key in told}}
    demand = _asked(view.with_options(**stated)).demand
    needs = Needs("point that says what a demand takes", measured.usable_sql(library, demand))
    chosen = story.of(library, view, needs, _free(library, view, demand))
    whole = prices.completed(library, chosen.view).with_options(**stated, use=view.option("use", OWN))
    return replace(chosen, view=basis.written_out(whole))


def _free(library: Library, view: View, demand: Demand) -> set[str]:
    """What the story leaves open: lengths that the demand states itself, and then precisions where models are compared.

    Each deployment that was measured at requests as long then serves the same demand.
    """
    if demand.isl is None or demand.osl is None:
        return set()
    return {"isl", "osl", *(["precision"] if side_by_side.models(library, view) else [])}


def _left_aside(view: View) -> Iterator[Statement]:
    """That limits on a cost are not looked at here."""
    if any(one.metric.key in catalogue.PRICED for one in evidence.read(view).limits):
        yield caveat("cost_limit", "The limit on a cost per token is not looked at here: state a budget instead.")


def _ranking(view: View) -> Ranking:
    """What a View ranks, without limits on a cost: what a plan costs is asked by a budget."""
    found = evidence.read(view)
    return replace(found, limits=tuple(one for one in found.limits if one.metric.key not in catalogue.PRICED))


def _unit(view: View) -> DemandUnit:
    """What the demand is counted in: as chosen, else that of the first amount that is stated."""
    chosen = view.option("unit")
    if chosen:
        return cast(DemandUnit, chosen)
    return next((unit for unit, held in HELD_IN.items() if view.option(held)), "requests")


def _asked(view: View) -> CapacityAsked:
    """What a View with every option asks."""
    numbers = {one.key: one.number(view) for one in OPTIONS if one.kind == "number"}
    unit = _unit(view)
    demand = Demand(
        numbers[HELD_IN[unit]] or 0.0,
        unit,
        numbers["peak"] or 1.0,
        numbers["headroom"] or 0.0,
        round(numbers["spare"] or 0),
        numbers["think"] or 0.0,
        numbers["request_isl"],
        numbers["request_osl"],
    )
    return CapacityAsked(demand, view.option("use", OWN), numbers["budget"], numbers["chips"])


def _looked_at(kept: tuple[Limit, ...]) -> tuple[Limit, ...]:
    """The limits whose metrics curves are read with: of every use, then those that are kept."""
    every = (limit for use in uses.every().values() for limit in use.limits)
    return tuple(dict.fromkeys([*every, *kept]))


def _applied(
    curves: MeasuredCurves, use: str, kept: tuple[Limit, ...], own: tuple[Limit, ...]
) -> tuple[tuple[Limit, ...], tuple[Limit, ...]]:
    """The limits that are kept, and those of a use that no deployment states, which are left out where others are."""
    stated = tuple(one for one in kept if one in own or len(curves.stating([one])))
    if use == OWN or not any(one not in own for one in stated):
        return kept, ()
    return stated, tuple(one for one in kept if one not in stated)


def _capacity(library: Library, whole: View) -> Capacity:
    ranking, choice, asked = _ranking(whole), prices.read(library, whole), _asked(whole)
    kept = uses.together(asked.use, ranking.limits)
    curves = measured.read(library, ranking, asked.demand, _looked_at(kept))
    applied, dropped = _applied(curves, asked.use, kept, ranking.limits)
    chips = prices.chip_prices(library, choice, selection.clause(whole))
    found = planning.operating(curves, applied, asked.demand)
    within = {one.use: _within(curves, one, asked.demand) for one in uses.every().values()}
    named = planning.facts_of(library, [found, *within.values()])
    plans = planning.plans_of(library, found, asked, chips, named)
    why = list(planning.affordable(plans, asked))
    limited = replace(ranking, limits=applied)
    usable = measured.usable_sql(library, asked.demand)
    deciding = evidence.deciding(library, limited, usable)
    allowed = tuple(one for one, out in zip(plans, why, strict=True) if not out)
    ruled = {
        "unstated": found.unstated,
        "beyond": found.beyond,
        "budget": why.count("budget"),
        "chips": why.count("chips"),
    }
    result = Capacity(
        asked=asked,
        limits=applied,
        dropped=dropped,
        choice=choice,
        plans=allowed,
        beyond=tuple(one for one, out in zip(plans, why, strict=True) if out),
        ruled_out={code: many for code, many in ruled.items() if many},
        uses=tuple(
            _advice(one, own, planning.plans_of(library, own, asked, chips, named), asked)
            for one, own in zip(uses.every().values(), within.values(), strict=True)
        ),
        tally=evidence.tally(library, limited, measured.reasons(library, asked.demand)),
        deciding=deciding,
        unlike=_unlike(allowed, asked.demand),
    )
    if allowed and result.is_decided:
        result = replace(result, random=tuple(_random(library, curves, result)))
    if not plans or not applied:
        return result
    view = whole.with_slo([one.text for one in applied])
    return replace(result, known=stated_share.of_headline(library, view, deciding))


def _within(curves: MeasuredCurves, use: UseCase, demand: Demand) -> OperatingCurves:
    """What serves the demand within the limits of a use, as `_applied` has them."""
    applied, _ = _applied(curves, use.use, use.limits, ())
    return planning.operating(curves, applied, demand)


def _advice(use: UseCase, found: OperatingCurves, plans: list[FleetPlan], asked: CapacityAsked) -> UseAdvice:
    """The first of a use's plans that budget and chips allow."""
    allowed = (one for one, out in zip(plans, planning.affordable(plans, asked), strict=True) if not out)
    return UseAdvice(use.use, use.title, found.limits, next(allowed, None), len(found.stating) > 0)


def _random(library: Library, curves: MeasuredCurves, found: Capacity) -> Iterator[RandomArrivals]:
    """What arrivals at random would wait on the first plan, and how many instances they take on the next few."""
    at_most = {one.metric.key: one.value for one in found.limits if one.at_most and one.metric.kind == "latency"}
    for nth, one in enumerate((found.lead, *islice(found.others(), LOOKED_AT - 1))):
        waits = random_arrivals.arrivals(library, curves, one, found.asked.demand, at_most, is_simulated=nth == 0)
        if waits is not None:
            yield waits


def _unlike(plans: list[FleetPlan] | tuple[FleetPlan, ...], demand: Demand) -> tuple[Difference, ...]:
    """In what of the workload the plans of one model differ, where the reader does not state the lengths."""
    if demand.isl is not None and demand.osl is not None:
        return ()
    first: dict[str | None, FleetPlan] = {}
    found: dict[str, Difference] = {}
    for one in plans:
        lead = first.setdefault(one.facts.model, one)
        for unlike in likeness.differences([lead.facts], [one.facts], UNLIKE):
            found.setdefault(unlike.fact.key, unlike)
    return tuple(found.values())


def _rows(found: Capacity) -> pd.DataFrame:
    """One row for each deployment within the limits, the first first; those beyond budget or chips behind."""
    rows = [_row(one, is_allowed=True) for one in found.plans] + [_row(one, is_allowed=False) for one in found.beyond]
    return pd.DataFrame(rows, columns=None if rows else ["point_id", *FIRST, *FACTS])


def _row(one: FleetPlan, *, is_allowed: bool) -> dict[str, Any]:
    facts, instance, power, error = one.facts, one.instance, one.power, one.instance.error
    kw = None if power is None else power.watts * one.chips / 1000
    return {
        "point_id": facts.point_id,
        **{key: getattr(facts, key) for key in FIRST},
        "instances": one.fleet.instances,
        "chips": one.chips,
        "usd_per_month": one.usd_per_month,
        "load": instance.load,
        "served_per_s": instance.rate,
        "used_at_peak": 100 * one.fleet.used_at_peak,
        "stopped_by": fleet_words.stopped_by(instance),
        **{key: getattr(facts, key) for key in FACTS},
        "usd_per_accelerator_hour": one.price.usd if one.price else None,
        "measured_from": instance.low,
        "measured_to": instance.high,
        "reached": joined(
            [f"{inline(catalogue.metric(key))} {quantity(one, key)}" for key, one in instance.values.items()]
        ),
        "used_at_mean": 100 * one.fleet.used_at_mean,
        "error_median": 100 * error.median if error else None,
        "error_p90": 100 * error.p90 if error else None,
        "watts": power.watts if power else None,
        "power_from": None if power is None else "measured" if power.is_measured else "rated, at most",
        "kw": kw,
        "mwh_per_month": None if kw is None else kw * HOURS_PER_MONTH / 1000,
        "chips_per_mw": chips_per_mw(power.watts) if power else None,
        "is_allowed": is_allowed,
        **{key: getattr(facts, key) for key in (*LOAD_AXES, *LAST)},
    }


def _why(found: Capacity) -> Iterator[Why]:
    """The formulas, with what went in of the first plan."""
    one, demand = (*found.plans, *found.beyond)[0], found.asked.demand
    yield Why(
        "Instances",
        "ceil(demand x peak / (what an instance serves x (1 - left free))) + spares",
        f"{number(demand.amount)} x {number(demand.peak)} / ({number(one.served)} x {number(1 - demand.headroom)}),"
        f" {demand.spare} spare: {one.fleet.instances}",
        SOURCE,
    )
    if one.usd_per_month is not None and one.price is not None:
        yield Why(
            "Cost",
            "chips x price of a chip x 720 hours, rented around the clock",
            f"{one.chips} x {one.price.words} x 720",
            SOURCE,
        )
    instance = one.instance
    yield Why(
        "What an instance serves",
        "requests a second at the largest worth within the limits, in 64 steps between two measured loads",
        f"{number(instance.rate)} requests/s at {number(instance.load)}, between {number(instance.low)} and"
        f" {number(instance.high)}, of {one.facts.words()}",
        SOURCE,
    )
    if error := instance.error:
        yield Why(
            "How wrong that has been",
            "|predicted / measured - 1| of points that were left out, median and 90th percentile",
            f"{share(error.median)} and {share(error.p90)} of {interpolated.rests_on(error)}",
            "bench/basis/interpolated.py; docs/sizing.md, How wrong interpolation has been",
        )
