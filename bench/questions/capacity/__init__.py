"""How many do I need? Instances, chips and cost for a demand, each serving what it was measured to serve in limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, cast

import pandas as pd

from bench import basis, catalogue, selection
from bench.basis import evidence, interpolated, prices, side_by_side, stated_share, story, subject, uses, variations
from bench.basis.evidence import Ranking
from bench.basis.limits import Limit
from bench.basis.options import Option
from bench.basis.story import Needs, Story
from bench.basis.uses import OWN
from bench.basis.variations import Robustness, Variation, Verdict
from bench.chart import value_label
from bench.errors import UsageError
from bench.library import Library
from bench.maths.capacity import HOURS_PER_MONTH, Demand, DemandUnit, chips_per_mw
from bench.questions import Answer, Choices, Column, Steps, Why, counting, pipeline
from bench.questions.capacity import measured, mixes, planning, random_arrivals, starting, verdict
from bench.questions.capacity.figure import figure as figure
from bench.questions.capacity.measured import MeasuredCurves
from bench.questions.capacity.planning import OperatingCurves
from bench.questions.capacity.result import Capacity, CapacityAsked, FleetPlan, RandomArrivals, UseAdvice
from bench.records import LOAD_AXES
from bench.view import View
from bench.wording import inline, joined, number, quantity, share

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
AMOUNT_IN: dict[DemandUnit, str] = {
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
    Option("mix", "Mix of requests", "text",
           "Input/output tokens and how often each comes, as in 900/300 x 3, 4000/500 x 1."),
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
    Column("error_mean", "Off on average", "%", 1),
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
OF_A_LENGTH = ("load", "measured_from", "measured_to", "reached", "stopped_by")
"""Columns that say nothing of a mix: each of its lengths has a load of its own."""

SOURCE = "bench/maths/capacity.py and bench/maths/operating_load.py; docs/sizing.md, Capacity"
LOOKED_AT = 4
"""So many plans are looked at for requests that come at random: the first, and the next on other accelerators."""


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
    limited = whole.with_slo([one.text for one in found.limits])
    shown = [one.facts.model for one in (*found.plans, *found.beyond)]
    said = [
        *side_by_side.left_out(library, limited, shown, "no deployment that keeps the limits"),
        *verdict.statements(found),
    ]
    if any(one.metric.key in catalogue.PRICED for one in evidence.read(whole).limits):
        said.append(verdict.SAY.note("cost_limit"))
    why = tuple(_why(found)) if found.plans or found.beyond else ()
    known = stated_share.of_headline(library, limited, found.deciding) if found.limits else stated_share.NOTHING
    answered = pipeline.answer(library, QUESTION, whole, found, said, _rows(found), why, chosen)
    return replace(answered, subject=subject.of(limited, known.clause))


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the same deployment is first with one choice changed at a time."""
    whole = view if view.whole and view.option("use") else complete(library, view)
    ranking, choice, asked = _ranking(whole), prices.read(library, whole), _read(whole)
    offered = prices.chip_prices_of_each(library, (choice, *prices.alternatives(library, choice).values()))
    offered[choice] = prices.chip_prices(library, choice, selection.clause(whole))

    @cache
    def best(other: Ranking) -> list[OperatingCurves]:
        return planning.within(_curves(library, other, asked.demand, ranking.limits), asked, ranking.limits)

    def first(one: Variation) -> Verdict | None:
        found = best(one.ranking)
        plans = planning.plans_of(library, found, asked, offered[one.prices], planning.facts_of(library, found))
        allowed = [own for own in plans if not own.beyond]
        if len(allowed) < 2 or planning.unlike(allowed, asked.demand):
            return None
        facts = allowed[0].facts
        if len({own.facts.model for own in allowed}) > 1:
            return Verdict(facts.model or "", verdict.wins(allowed[0], value_label("model", facts.model)))
        code = "|".join(map(str, (facts.model, facts.hardware, facts.engine)))
        return Verdict(code, verdict.wins(allowed[0], facts.hardware))

    judged = whole.with_slo([one.text for one in ranking.limits])
    return variations.of(library, judged, choice, first, measured.usable_sql(library, asked.demand))


def _story(library: Library, view: View) -> Story:
    """What the answer is about, its View complete."""
    basis.check_every(view, OPTIONS)
    unit = _unit(view)
    told = (AMOUNT_IN[unit], "peak", "headroom", "spare", *(["think"] if unit == "users" else []))
    stated = {"unit": unit, **{key: view.option(key, DEFAULTS[key]) for key in told}}
    demand = _read(view.with_options(**stated)).demand
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


def _ranking(view: View) -> Ranking:
    """What a View ranks, without limits on a cost: what a plan costs is asked by a budget."""
    found = evidence.read(view)
    return replace(found, limits=tuple(one for one in found.limits if one.metric.key not in catalogue.PRICED))


def _unit(view: View) -> DemandUnit:
    """What the demand is counted in: as chosen, else that of the first amount that is stated."""
    chosen = view.option("unit")
    if chosen:
        return cast(DemandUnit, chosen)
    return next((unit for unit, held in AMOUNT_IN.items() if view.option(held)), "requests")


def _read(view: View) -> CapacityAsked:
    """What a View with every option asks for."""
    numbers = {one.key: one.number(view) for one in OPTIONS if one.kind == "number"}
    unit = _unit(view)
    demand = Demand(
        numbers[AMOUNT_IN[unit]] or 0.0,
        unit,
        numbers["peak"] or 1.0,
        numbers["headroom"] or 0.0,
        round(numbers["spare"] or 0),
        numbers["think"] or 0.0,
        numbers["request_isl"],
        numbers["request_osl"],
    )
    if mix := mixes.read(view.option("mix")):
        if demand.isl is not None or demand.osl is not None:
            raise UsageError(
                "mix= and request_isl=, request_osl= both say how long requests are; leave one of them out."
            )
        demand = replace(demand, isl=min(one.isl for one in mix), osl=min(one.osl for one in mix), mix=mix)
    return CapacityAsked(demand, view.option("use", OWN), numbers["budget"], numbers["chips"])


def _curves(library: Library, ranking: Ranking, demand: Demand, own: tuple[Limit, ...]) -> tuple[MeasuredCurves, ...]:
    """The curves of the ranked points of each length of the demand, with the metrics that the uses and the reader's own
    limits are on."""
    limits = [*(limit for use in uses.every().values() for limit in use.limits), *own]
    return tuple(measured.read(library, ranking, one, limits) for one in mixes.alone(demand))


def _capacity(library: Library, whole: View) -> Capacity:
    ranking, choice, asked = _ranking(whole), prices.read(library, whole), _read(whole)
    demand, usable = asked.demand, measured.usable_sql(library, asked.demand)
    curves = _curves(library, ranking, demand, ranking.limits)
    chips = prices.chip_prices(library, choice, selection.clause(whole))
    founds = planning.within(curves, asked, ranking.limits)
    best = founds[0]
    of_uses = {use: planning.within(curves, replace(asked, use=use)) for use in uses.every()}
    named = planning.facts_of(library, [*founds, *(one for own in of_uses.values() for one in own)])
    plans = planning.plans_of(library, founds, asked, chips, named)
    allowed = tuple(one for one in plans if not one.beyond)
    limited = replace(ranking, limits=best.limits)
    deciding = evidence.deciding(library, limited, usable)
    ruled = {**planning.ruled_out(founds), **Counter(one.beyond for one in plans if one.beyond)}
    result = Capacity(
        asked=asked,
        limits=best.limits,
        dropped=best.dropped,
        choice=choice,
        plans=allowed,
        beyond=tuple(one for one in plans if one.beyond),
        ruled_out={code: many for code, many in ruled.items() if many},
        uses=tuple(
            UseAdvice(
                use,
                uses.every()[use].title,
                own[0].limits,
                next((one for one in planning.plans_of(library, own, asked, chips, named) if not one.beyond), None),
                all(len(one.stating) for one in own),
            )
            for use, own in of_uses.items()
        ),
        tally=evidence.tally(library, limited, measured.reasons(library, demand)),
        deciding=deciding,
        unlike=planning.unlike(allowed, demand),
        unmeasured=mixes.unmeasured(demand, curves),
    )
    if not allowed or not result.is_decided:
        return result
    random = () if demand.mix else tuple(_random(library, curves[0], result))
    return replace(result, random=random, start=starting.command(library, result.lead, demand.mix))


def _random(library: Library, curves: MeasuredCurves, found: Capacity) -> Iterator[RandomArrivals]:
    """What arrivals at random would wait on the first plan, and how many instances they take on the next few."""
    at_most = {one.metric.key: one.value for one in found.limits if one.at_most and one.metric.kind == "latency"}
    for nth, one in enumerate((found.lead, *islice(found.others(), LOOKED_AT - 1))):
        waits = random_arrivals.arrivals(library, curves, one, found.asked.demand, at_most, is_simulated=nth == 0)
        if waits is not None:
            yield waits


def _rows(found: Capacity) -> pd.DataFrame:
    """One row for each deployment within the limits, the first first; those beyond budget or chips behind."""
    rows = [_row(one, is_allowed=True) for one in found.plans] + [_row(one, is_allowed=False) for one in found.beyond]
    of_a_length = dict.fromkeys(OF_A_LENGTH if found.asked.demand.mix else ())
    return pd.DataFrame([row | of_a_length for row in rows], columns=None if rows else ["point_id", *FIRST, *FACTS])


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
        "stopped_by": verdict.stopped_by(one),
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
        "error_mean": 100 * error.mean if error else None,
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
    instance, error = one.instance, one.instance.error
    yield Why(
        "Instances",
        "ceil(demand x peak / (what an instance serves x (1 - left free))) + spares",
        f"{number(demand.amount)} x {number(demand.peak)} / ({number(one.served)} x {number(1 - demand.headroom)}),"
        f" {demand.spare} spare: {one.fleet.instances}",
        SOURCE,
    )
    if one.price is not None:
        formula = "chips x price of a chip x 720 hours, rented around the clock"
        yield Why("Cost", formula, f"{one.chips} x {one.price.words} x 720", SOURCE)
    if demand.mix:
        formula = "1 / the sum over the lengths of the share of the requests / requests a second at that length"
        yield Why("What an instance serves", formula, f"{number(instance.rate)} requests/s of the mix", SOURCE)
        return
    yield Why(
        "What an instance serves",
        "requests a second at the largest worth within the limits, in 64 steps between two measured loads",
        f"{number(instance.rate)} requests/s at {number(instance.load)}, between {number(instance.low)} and"
        f" {number(instance.high)}, of {one.facts.words()}",
        SOURCE,
    )
    if error:
        formula = "|predicted / measured - 1| of points that were left out, median, 90th percentile and mean"
        inputs = f"{share(error.median)}, {share(error.p90)} and {share(error.mean)} of {interpolated.rests_on(error)}"
        where = "bench/basis/interpolated.py; docs/sizing.md, How wrong interpolation has been"
        yield Why("How wrong that has been", formula, inputs, where)
