"""What a capacity answer says: what the demand takes, what an instance serves, what would change that."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from statistics import median

from bench import catalogue
from bench.basis import evidence, interpolated, limits, prices
from bench.basis.narrator import LISTED, Narrator
from bench.basis.statement import Statement
from bench.maths.capacity import HOURS_PER_MONTH
from bench.maths.queueing import MEASURED_OFF
from bench.questions.capacity.result import LARGEST, SLOWER, Capacity, FleetPlan
from bench.questions.capacity.words import WORDS
from bench.wording import inline

SAY = Narrator(WORDS)
FINDINGS = 5
"""So many findings an answer has at most."""


def statements(found: Capacity) -> Iterator[Statement]:
    """Verdict, findings and notes."""
    yield _verdict(found)
    yield from islice(_findings(found), FINDINGS)
    yield from evidence.left_out(found.tally)
    yield from _ruled_out(found)
    if found.plans or found.beyond:
        yield from _notes(found)


def load_of(plan: FleetPlan) -> str:
    """The load of an instance: "concurrency 53", "1.5 requests/s sent", "batch 8", "full load"."""
    return SAY.text(f"at_{plan.facts.load_kind}", {"load": plan.instance.load})


def stopped_by(plan: FleetPlan) -> str:
    """What keeps an instance from serving more, in a table: "median TPOT", "no larger load was measured"."""
    stop = plan.instance.stopped_by
    return SAY.text(f"stop_{stop}", {}) if stop in (LARGEST, SLOWER) else inline(catalogue.metric(stop))


def wins(plan: FleetPlan, name: str) -> str:
    """That a plan comes first, by the name of its model or hardware."""
    return SAY.text("fewest_chips" if plan.usd_per_month is None else "costs_least", {"name": name})


def _verdict(found: Capacity) -> Statement:
    if not found.tally.selected:
        return SAY.untold("nothing")
    if not found.plans:
        return _beyond(found) if found.beyond else _none(found)
    if not found.is_decided:
        return _undecided(found)
    lead, amount = found.lead, found.asked.demand.amount
    values = {**_values(lead), "demand": _demand(found, amount), "amount": amount}
    if len(found.leads) > 1:
        values |= {
            "models": len(found.leads),
            "leads": [_values(one) | {"model": one.facts.model} for one in found.leads],
        }
        return SAY.verdict("of_models", [one.facts for one in found.leads[:LISTED]], **values)
    one, several = ("takes_alone", "takes") if lead.price else ("takes_unpriced", "takes_fewest")
    return SAY.verdict(several if len(found.plans) > 1 else one, [lead.facts], **values)


def _values(plan: FleetPlan) -> dict[str, object]:
    return {
        "instances": plan.fleet.instances,
        "hardware": plan.facts.hardware,
        "chips": plan.chips,
        "accelerator": plan.facts.accelerator,
        "accelerators": plan.facts.accelerators,
        "usd_per_month": plan.usd_per_month,
        "load": plan.instance.load,
    }


def _demand(found: Capacity, amount: float) -> str:
    """So much of what the demand is counted in: "10 requests/s", "500 users"."""
    return SAY.text(found.asked.demand.unit, {"amount": amount})


def _undecided(found: Capacity) -> Statement:
    """That none is called the first, as workloads are unlike or most accelerators say nothing."""
    chips, of = [one.chips for one in found.plans], found.deciding
    span = {"least": min(chips), "most": max(chips)}
    if found.unlike:
        return SAY.verdict("undecided", unlike=[one.fact.several for one in found.unlike], **span)
    return SAY.verdict("undecided_unstated", accelerators=of.accelerators, of_accelerators=of.of_accelerators, **span)


def _beyond(found: Capacity) -> Statement:
    """That no deployment is within the budget and the chips at hand."""
    asked, first = found.asked, found.beyond[0]
    kind = "beyond_means" if first.price else "beyond_means_unpriced"
    return SAY.verdict(kind, [first.facts], **_values(first), budget=asked.budget, chips_at_hand=asked.chips)


def _none(found: Capacity) -> Statement:
    """Why no deployment serves the demand."""
    if found.unmeasured:
        return SAY.untold("none_mixed", isl=found.unmeasured.isl, osl=found.unmeasured.osl)
    if found.ruled_out:
        kind = "none_keeps" if "beyond" in found.ruled_out else "none_states"
        return SAY.untold(kind, deployments=sum(found.ruled_out.values()))
    many, why = max((found.tally.of(one.code), one.words) for one in found.tally.reasons)
    return SAY.untold("none_usable", points=found.tally.selected, many=many, why=why)


def _findings(found: Capacity) -> Iterator[Statement]:
    yield from _at_most(found)
    if found.plans and found.is_decided:
        yield _instance(found.lead, is_mixed=bool(found.asked.demand.mix))
        yield from _random(found)
        yield from _change(found)
        yield from _uses(found)


def _at_most(found: Capacity) -> Iterator[Statement]:
    """The largest demand of its kind that the budget and the chips at hand serve."""
    asked = found.asked
    bounds = [] if asked.budget is None else [SAY.text("budget", {"budget": asked.budget})]
    bounds += [] if asked.chips is None else [SAY.text("chips", {"chips_at_hand": int(asked.chips)})]
    if not bounds or not (found.plans or found.beyond):
        return
    most, plan = found.most_served()
    if plan is None:
        yield SAY.finding("at_most_none", bounds=bounds, most=most)
    else:
        values = {"bounds": bounds, "most": most, "demand": _demand(found, most), "hardware": plan.facts.hardware}
        yield SAY.finding("at_most", [plan.facts], **values)


def _instance(plan: FleetPlan, *, is_mixed: bool) -> Statement:
    """What an instance serves, at which load, and what stops it there; of a mix which length takes most of its time."""
    if is_mixed:
        lengths = {"isl": plan.facts.isl, "osl": plan.facts.osl}
        return SAY.finding("instance_mix", [plan.facts], **_values(plan), rate=plan.instance.rate, **lengths)
    one, stop = plan.instance, plan.instance.stopped_by
    code = "saturated" if plan.facts.load_kind == "saturated" else stop if stop in (LARGEST, SLOWER) else "limit"
    values = {"low": one.low, "high": one.high, "stopped_by": stop, "rate": one.rate, "at": load_of(plan)}
    words = SAY.text(f"stop_{code}", {"metric": stop, "instances": plan.fleet.instances})
    return SAY.finding("instance", [plan.facts], **_values(plan), **values, stop=words)


def _random(found: Capacity) -> Iterator[Statement]:
    """What requests that come at random would wait at the peak, and what comes first with what they need."""
    own, first = found.lead_at_random, found.first_at_random()
    if own and (own.is_endless or own.estimates):
        kind = "random_endless" if own.is_endless else "random_broken" if own.broken else "random"
        waits = {key: own.estimates[key] for key in own.broken or own.estimates}
        estimates = [
            {"metric": key, "value": one.value, "low": one.low, "high": one.high} for key, one in waits.items()
        ]
        remedy = SAY.text("no_remedy" if own.instances is None else "remedy", {"instances": own.instances})
        yield SAY.finding(kind, instances=own.instances, estimates=estimates, remedy=remedy)
    if first is not found.lead:
        needed = next(one.instances or 0 for one in found.random if one.point_id == first.facts.point_id)
        many = max(needed, first.fleet.instances)
        grown = {"instances": many, "chips": many * (first.facts.accelerators or 1)}
        yield SAY.finding("first_at_random", [first.facts], **_values(first) | grown)


def _change(found: Capacity) -> Iterator[Statement]:
    """Below which price of its chips each other accelerator would come first."""
    usd, others = found.lead.usd_per_month, [one for one in found.others() if one.price is not None]
    if usd is None or not others:
        return
    below = [{"accelerator": one.facts.accelerator, "usd": usd / (one.chips * HOURS_PER_MONTH)} for one in others]
    yield SAY.finding("change", [one.facts for one in others[:LISTED]], others=len(others), prices=below)


def _uses(found: Capacity) -> Iterator[Statement]:
    """What the same demand takes within the limits of each other use."""
    plans = [(one.title, one.plan) for one in found.uses if one.plan and one.limits != found.limits]
    if plans and len(found.leads) == 1:
        taken = [{**_values(plan), "title": title} for title, plan in plans]
        yield SAY.finding("uses", [plan.facts for _, plan in plans[:LISTED]], uses=taken)


def _ruled_out(found: Capacity) -> Iterator[Statement]:
    """How many deployments are not recommended, by reason, and which limits of a use are not kept."""
    of = len(found.plans) + sum(found.ruled_out.values())
    for why, many in found.ruled_out.items():
        yield SAY.note(f"ruled_out_{why}", many=many, deployments=of)
    if found.dropped:
        yield SAY.note("dropped_mix" if found.asked.demand.mix else "dropped", metrics=limits.metrics(found.dropped))


def _notes(found: Capacity) -> Iterator[Statement]:
    """What choices were made, how wrong figures are, and what has no price or no latency."""
    demand, shown = found.asked.demand, (*found.plans, *found.beyond)
    if not found.limits:
        yield SAY.note("unlimited")
    yield SAY.note(
        "sized_spare" if demand.spare else "sized", peak=demand.peak, headroom=demand.headroom, spare=demand.spare
    )
    if demand.mix:
        yield SAY.note("mix", lengths=len(demand.mix))
    if found.plans and found.is_decided and not demand.mix:
        yield from _wrong(found)
    chips = list(dict.fromkeys(one.facts.accelerator or "" for one in shown))
    priced = {one.facts.accelerator or "": one.price for one in shown if one.price}
    yield from (one for one in prices.statements(found.choice, priced, chips) if one.kind == "prices")
    if unpriced := sorted(set(chips) - priced.keys()):
        yield SAY.note("unpriced" if priced else "unpriced_all", accelerators=unpriced)
    if found.choice.utilisation < 1:
        yield SAY.note("utilisation")
    if saturated := sum(one.facts.load_kind == "saturated" for one in shown):
        yield SAY.note("saturated", deployments=saturated)
    if any(one.power for one in shown):
        yield SAY.note("power")
    if found.plans and found.is_decided and len(found.leads) == 1:
        for kind, is_stated in (("uses_none", True), ("uses_unstated", False)):
            if left := [one.title for one in found.uses if one.plan is None and one.is_stated == is_stated]:
                yield SAY.note(kind, uses=left)


def _wrong(found: Capacity) -> Iterator[Statement]:
    """How wrong what was interpolated and simulated for the first plan has been."""
    one, own = found.lead.instance, found.lead_at_random
    if not one.is_measured:
        error = one.error
        known = {"median": error.median, "p90": error.p90, "points": error.points} if error else {}
        yield SAY.note("error", low=one.low, high=one.high, wrong=interpolated.words(error), **known)
    if own and own.open_loop and (own.estimates or own.is_endless):
        yield SAY.note("open_loop", wrong=median(map(abs, own.open_loop)), figures=len(own.open_loop))
    if own and own.estimates:
        told = {key: MEASURED_OFF[key] for key in own.broken or own.estimates}
        off = [{"metric": key, "middle": middle, "least": -least} for key, (middle, least) in told.items()]
        yield SAY.note("random_model", off=off)
