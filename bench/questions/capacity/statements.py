"""What a capacity answer says: what the demand takes, what an instance serves, what comes next and would change it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median

from bench import catalogue
from bench.basis import evidence, interpolated, limits, prices, wording
from bench.basis.statement import Statement, Value, caveat, coverage, finding, headline, untold
from bench.basis.wording import CAVEAT, FINDING, NOTHING_SELECTED, flagged, flags_of, listing
from bench.chart import value_label
from bench.maths.capacity import HOURS_PER_MONTH, chips_per_mw
from bench.questions.capacity import fleet_words
from bench.questions.capacity.fleet_words import money
from bench.questions.capacity.result import LARGEST, RULED_OUT, SLOWER, Capacity, FleetPlan
from bench.view import View
from bench.wording import counted, inline, is_or_are, joined, number, number_below, share


def statements(found: Capacity, view: View) -> Iterator[Statement]:
    """Headline, findings and caveats."""
    yield _headline(found, wording.selected(view))
    if found.plans:
        yield from _findings(found)
    if found.plans or found.beyond:
        yield from _at_most(found)
    yield from evidence.left_out(found.tally)
    yield from _caveats(found)


def _headline(found: Capacity, about: str) -> Statement:
    if not found.tally.selected:
        return untold("nothing", NOTHING_SELECTED)
    if not found.plans:
        return _beyond(found) if found.beyond else _none(found, about)
    if not found.is_decided:
        return _undecided(found)
    return _of_models(found) if len(found.leads) > 1 else _of_one(found)


def _of_one(found: Capacity) -> Statement:
    """What the demand takes on the first deployment."""
    lead = found.lead
    model = wording.subject([lead.facts])
    fleet, demand, flags = fleet_words.fleet(lead), fleet_words.demand(found.asked.demand), _flags([lead])
    usd, peak = fleet_words.usd(lead), _peak(found)
    cost = f": {usd}" if usd else ""
    of = f", the {'cheapest' if usd else 'fewest chips'} of {counted(len(found.plans), 'deployment')}"
    of = of if len(found.plans) > 1 else ""
    texts = [
        f"{start}{own}{end}{flags}."
        for start, own in (
            *((lead_in, f"{fleet} {_serve(lead)} {demand}{peak}") for lead_in in _leads(found)),
            *(("", f"{model} takes {fleet} for {demand}{more}") for more in (peak, "")),
        )
        for end in (f"{cost}{of}", cost)
    ]
    values: dict[str, Value] = {**_values(lead), **found.known.values}
    return headline("takes", wording.fitting(*texts), [lead.facts.point_id], **values)


def _leads(found: Capacity) -> list[str]:
    model = value_label("model", found.lead.facts.model or "")
    return [*found.known.leads(model), *found.known.least(model)]


def _serve(plan: FleetPlan) -> str:
    return "serves" if plan.chips == 1 else "serve"


def _values(plan: FleetPlan) -> dict[str, Value]:
    return {
        "instances": plan.fleet.instances,
        "chips": plan.chips,
        "accelerator": plan.facts.accelerator,
        "accelerators": plan.facts.accelerators,
        "usd_per_month": plan.usd_per_month,
        "load": plan.instance.load,
    }


def _peak(found: Capacity) -> str:
    """What comes at the peak: ", 20 at peak"; "" where it is no more."""
    demand = found.asked.demand
    return f", {number(demand.amount * demand.peak)} at peak" if demand.peak > 1 else ""


def _of_models(found: Capacity) -> Statement:
    """What the demand takes on the first deployment of each of several models."""
    demand = fleet_words.demand(found.asked.demand)
    own = [(value_label("model", one.facts.model or ""), one) for one in found.leads]
    start = f"{_leads(found)[-1] if _leads(found) else ''}For {demand}: "
    whole = [f"{name} on {fleet_words.fleet(one)}{_brackets(one)}{_flags([one])}" for name, one in own]
    bare = [f"{name} on {fleet_words.fleet(one)}{_flags([one])}" for name, one in own]
    brief = [
        f"{name} on {one.chips:,} {value_label('accelerator', one.facts.accelerator or '')}{_flags([one])}"
        for name, one in own
    ]
    told = [listing(wording.opened(start), parts, ".") for parts in (whole, bare, brief)]
    text, shown = next((one for one in told if one.shown == len(own)), told[-1])
    return headline(
        "of_models", text, _ids(found.leads[:shown]), **_values(found.lead), models=len(own), **found.known.values
    )


def _brackets(plan: FleetPlan) -> str:
    return f" ({fleet_words.usd(plan)})" if plan.usd_per_month is not None else ""


def _undecided(found: Capacity) -> Statement:
    """Between what the plans cost where none is called the first, as workloads are unlike or most say nothing."""
    of = found.deciding
    state = "states" if of.accelerators == 1 else "state"
    why = f"only {of.accelerators} of {counted(of.of_accelerators, 'accelerator')} {state} {of.metrics}"
    if found.unlike:
        why = f"{joined([one.fact.several for one in found.unlike])} differ"
    chips = [one.chips for one in found.plans]
    span = counted(chips[0], "chip") if min(chips) == max(chips) else f"{min(chips):,} to {max(chips):,} chips"
    demand = fleet_words.demand(found.asked.demand)
    texts = [f"{start}no deployment comes first, as {why}: {demand} takes {span}." for start in (*_leads(found), "")]
    texts = [one.replace(f"{demand} takes", f"{demand} {_take(found)}") for one in texts]
    text = wording.opened(wording.fitting(*texts))
    return headline("undecided", text, (), least=min(chips), most=max(chips), **found.known.values)


def _take(found: Capacity) -> str:
    return "takes" if found.asked.demand.amount == 1 else "take"


def _beyond(found: Capacity) -> Statement:
    """That no deployment is within the budget or the chips at hand."""
    asked, first = found.asked, found.beyond[0]
    have, demand = _means(found), fleet_words.demand(asked.demand)
    who = "the cheapest" if first.usd_per_month is not None else "the smallest"
    texts = [
        f"{have} {'does' if have == '1 chip' else 'do'} not serve {demand}: {who} takes {fleet_words.fleet(first)}"
        f"{_brackets(first)}{_flags([first])}.",
        f"No deployment serves {demand} for {have}{_flags([first])}.",
    ]
    values: dict[str, Value] = {"budget": asked.budget, "chips_at_hand": asked.chips}
    return headline("beyond_means", wording.fitting(*texts), _ids([first]), **_values(first), **values)


def _means(found: Capacity) -> str:
    """What there is to serve the demand with: "50,000 USD a month", "64 chips"; "" without a bound."""
    asked = found.asked
    parts = [f"{money(asked.budget)} USD a month"] if asked.budget is not None else []
    parts += [counted(int(asked.chips), "chip")] if asked.chips is not None else []
    return joined(parts)


def _at_most(found: Capacity) -> Iterator[Statement]:
    """The largest demand of its kind that the budget and the chips at hand serve."""
    have = _means(found)
    if not have:
        return
    most, plan = _most_served(found)
    if plan is None:
        makes = "makes" if have == "1 chip" else "make" if found.asked.budget is None else "pay for"
        yield finding("at_most", f"{have} {makes} no instance.", (), most=0.0)
        return
    demand = fleet_words.demand(replace(found.asked.demand, amount=most))
    serve = "serves" if have == "1 chip" else "serve"
    text = f"{have} {serve} at most {demand}, on {fleet_words.hardware(plan)} each{_flags([plan])}."
    yield finding("at_most", text, _ids([plan]), most=most)


def _most_served(found: Capacity) -> tuple[float, FleetPlan | None]:
    """The largest demand that budget and chips serve, and on which deployment; 0 where they pay for no instance."""
    best: tuple[float, FleetPlan | None] = (0.0, None)
    for one in (*found.plans, *found.beyond):
        each = one.facts.accelerators or 1
        instances = float("inf")
        if found.asked.chips is not None:
            instances = found.asked.chips // each
        if found.asked.budget is not None:
            if one.price is None:
                continue
            instances = min(instances, found.asked.budget // (each * one.price.usd * HOURS_PER_MONTH))
        served = found.asked.demand.amount_of(int(instances), one.served)
        if served > best[0]:
            best = served, one
    return best


def _none(found: Capacity, about: str) -> Statement:
    """Why no deployment serves the demand, and what to do."""
    ruled = found.ruled_out
    if ruled:
        many = sum(ruled.values())
        metrics, them = limits.metrics(found.limits), "it" if len(found.limits) == 1 else "them"
        short = limits.named(found.limits)
        if "beyond" not in ruled:
            texts = [f"No deployment of {about} states {metrics} (0 of {many:,}); choose another use or limit."]
        else:
            texts = [
                f"No deployment of {about} keeps {limits.short(found.limits)} (0 of {many:,}); ease {them}.",
                f"No deployment of {about} keeps {short} on {metrics} (0 of {many:,}); ease {them}.",
            ]
        return untold(
            "none_keeps", wording.fitting(*texts, f"No deployment keeps {short} (0 of {many:,})."), deployments=many
        )
    reasons = [(many, one.words) for one in found.tally.reasons if (many := found.tally.of(one.code))]
    many, words = max(reasons, default=(found.tally.selected, "not usable"))
    if found.tally.selected == 1:
        return untold("none_usable", f"The 1 point says nothing of a demand: it is {words}.", points=1)
    all_or = "all" if many == found.tally.selected else f"{many:,}"
    text = f"None of {counted(found.tally.selected, 'point')} says what a demand takes: {all_or} are {words}."
    return untold("none_usable", text, points=found.tally.selected)


def _findings(found: Capacity) -> Iterator[Statement]:
    if found.is_decided:
        yield _instance(found.lead)
        yield _used(found)
        yield _error(found.lead)
        yield from _random(found)
        yield from _next(found)
        yield from _change(found)
        yield from _power(found.lead)
    if found.is_decided and len(found.leads) == 1:
        yield from _uses(found)


def _instance(plan: FleetPlan) -> Statement:
    """What an instance serves, at which load, and what stops it there."""
    one = plan.instance
    served = f"{fleet_words.requests(one.rate)} at {fleet_words.at_load(plan, one.load)}"
    stop = f"beyond that it breaks the limit on {_metric(one.stopped_by)}"
    if plan.facts.load_kind == "saturated":
        stop = "that is all it can serve, whatever the latency"
    elif one.stopped_by == LARGEST:
        stop = "no larger load was measured, so it may serve more"
    elif one.stopped_by == SLOWER:
        stop = "more load serves less"
    flags = _flags([plan])
    texts = [
        f"An instance serves {served}, {fleet_words.between(plan)}; {stop}{flags}.",
        f"An instance serves {served}; {stop}{flags}.",
    ]
    values: dict[str, Value] = {"rate": one.rate, "load": one.load, "low": one.low, "high": one.high}
    return finding(
        "instance", wording.fitting(*texts, longest=FINDING), _ids([plan]), **values, stopped_by=one.stopped_by
    )


def _metric(key: str) -> str:
    return key if key in (LARGEST, SLOWER) else inline(catalogue.metric(key))


def _used(found: Capacity) -> Statement:
    """How much of all instances is used, on average and at the peak."""
    fleet, demand = found.lead.fleet, found.asked.demand
    spare = f", {counted(demand.spare, 'spare')} among them," if demand.spare else ""
    many = "The one instance is" if fleet.instances == 1 else f"The {fleet.instances:,} instances{spare} are"
    peak = f" and {share(fleet.used_at_peak)} at peak" if demand.peak > 1 else ""
    text = f"{many} used to {share(fleet.used_at_mean)} on average{peak}."
    return finding("used", text, (), mean=fleet.used_at_mean, peak=fleet.used_at_peak)


def _error(plan: FleetPlan) -> Statement:
    """How wrong what was interpolated for the first plan has been elsewhere."""
    one = plan.instance
    if one.is_measured:
        return finding("error", "That load was measured itself: nothing is interpolated.", (), measured=True)
    error = one.error
    values: dict[str, Value] = {"median": error.median, "p90": error.p90, "points": error.points} if error else {}
    return finding("error", f"{wording.opened(interpolated.words(error))}.", (), **values, measured=False)


def _random(found: Capacity) -> Iterator[Statement]:
    """What requests that come at random would wait at the peak, and how far off such figures were."""
    own = next((one for one in found.random if one.point_id == found.lead.facts.point_id), None)
    if own is None:
        return
    many = None if own.instances is None else counted(own.instances, "instance")
    them = "it" if len(own.limits) == 1 else "them"
    if own.is_endless:
        keep = f"keep {'the limit' if len(own.limits) == 1 else 'the limits'}" if own.limits else "serve them"
        end = f"; {many} would {keep}" if many else ""
        text = f"With random arrivals requests would queue without end at peak{end}."
        yield finding("random", text, (), instances=own.instances, kept=False)
    elif own.estimates:
        verdict = "within the limit" if len(own.limits) == 1 else "within the limits"
        if own.broken:
            keep = f"{many} would keep {them}" if many else f"no number of instances keeps {them}"
            verdict = f"beyond the limit on {joined([_metric(key) for key in own.broken])}; {keep}"
        told = [
            f"{_metric(key)} is {number(one.value)} ms ({number(one.low)} to {number(one.high)})"
            for key, one in own.estimates.items()
        ]
        texts = [f"With random arrivals {joined(told[:some])} at peak: {verdict}." for some in range(len(told), 0, -1)]
        text = wording.fitting(*texts, longest=FINDING)
        yield finding("random", text, (), instances=own.instances, kept=not own.broken)
    first = found.first_at_random()
    if first is not found.lead:
        at_random = next(one for one in found.random if one.point_id == first.facts.point_id)
        needed = max(at_random.instances or 0, first.fleet.instances)
        chips = needed * (first.facts.accelerators or 1)
        text = f"With what random arrivals need, {fleet_words.of(first, needed)} come first{_flags([first])}."
        yield finding("first_at_random", text, _ids([first]), instances=needed, chips=chips)
    if own.open_loop:
        wrong = median(abs(one.wrong) for one in own.open_loop)
        figures = counted(len(own.open_loop), "figure")
        text = f"At the open-loop points of this deployment that was {share(wrong)} off, median of {figures}."
        yield finding("open_loop", text, (), wrong=wrong, figures=len(own.open_loop))


def _next(found: Capacity) -> Iterator[Statement]:
    """The runners-up: of each other hardware the first."""
    others = list(found.others())
    if others:
        parts = [f"{fleet_words.fleet(one)}{_brackets(one)}{_flags([one])}" for one in others]
        text, shown = listing("Next: ", parts, ".", longest=FINDING)
        yield finding("next", text, _ids(others[:shown]), others=len(others))


def _change(found: Capacity) -> Iterator[Statement]:
    """At which price of its chips each other accelerator would come first."""
    lead = found.lead
    if lead.usd_per_month is None:
        return
    parts, ids = [], []
    for one in found.others():
        if one.price is None:
            continue
        usd = lead.usd_per_month / (one.chips * HOURS_PER_MONTH)
        chip = value_label("accelerator", one.facts.accelerator or "")
        parts.append(f"{chip} below {number_below(usd)} USD{_flags([one])}")
        ids.append(one.facts.point_id)
    if parts:
        text, shown = listing("What would change that, per chip and hour: ", parts, ".", longest=FINDING)
        yield finding("change", text, ids[:shown], others=len(parts))


def _power(plan: FleetPlan) -> Iterator[Statement]:
    """What all chips draw, and how many a megawatt feeds."""
    if plan.power is None:
        return
    kw, feeds = plan.power.watts * plan.chips / 1000, int(chips_per_mw(plan.power.watts))
    who = "Its chip draws" if plan.chips == 1 else f"Its {plan.chips:,} chips draw"
    drawn = f"{number(kw)} kW" if kw >= 1 else f"{number(1000 * kw)} W"
    how = f"{drawn} as measured" if plan.power.is_measured else f"at most {drawn} by their rating"
    how = how.replace("their", "its") if plan.chips == 1 else how
    text = f"{who} {how}, without hosts and cooling; {counted(feeds, 'such chip')} {_take_of(feeds)} a megawatt."
    yield finding("power", text, (), kw=kw, chips_per_mw=feeds, measured=plan.power.is_measured)


def _take_of(many: int) -> str:
    return "takes" if many == 1 else "take"


def _uses(found: Capacity) -> Iterator[Statement]:
    """The operating point that is recommended for each use, at the same demand."""
    for one in found.uses:
        within = f" ({limits.short(one.limits)})" if one.limits else " (no limit)"
        if one.plan is None:
            lacks = "keeps that" if one.is_stated else f"states {limits.metrics(one.limits)}"
            yield finding(f"use_{one.use}", f"{one.title}{within}: no deployment {lacks}.", (), use=one.use)
            continue
        plan, flags = one.plan, _flags([one.plan])
        at, usd = fleet_words.at_load(plan, plan.instance.load), fleet_words.usd(plan)
        took = f"{fleet_words.fleet(plan)} at {at}"
        texts = [
            f"{one.title}{within}: {took}{f', {usd}' if usd else ''}{flags}.",
            f"{one.title}{within}: {took}{flags}.",
            f"{one.title}: {took}{flags}.",
        ]
        yield finding(
            f"use_{one.use}", wording.fitting(*texts, longest=FINDING), _ids([plan]), **_values(plan), use=one.use
        )


def _caveats(found: Capacity) -> Iterator[Statement]:
    if found.ruled_out:
        parts = [f"{many:,} {RULED_OUT[code]}" for code, many in found.ruled_out.items()]
        text = f"Of {counted(found.deployments, 'deployment')}, ruled out: {joined(parts)}."
        if found.deployments == 1:
            text = f"The only deployment is ruled out: it is {RULED_OUT[next(iter(found.ruled_out))]}."
        yield coverage("ruled_out", text, **found.ruled_out)
    if found.dropped:
        text = f"No deployment states {limits.metrics(found.dropped)}: limits on {_them(found.dropped)} are left out."
        yield caveat("dropped", text.replace("limits on it are", "the limit on it is"))
    shown = (*found.plans, *found.beyond)
    if not shown:
        return
    if not found.limits:
        yield caveat("unlimited", "No limit on a latency is set: each serves the most it was measured to serve.")
    chips = list(dict.fromkeys(one.facts.accelerator or "" for one in shown))
    priced = {one.facts.accelerator or "": one.price for one in shown if one.price}
    yield from (one for one in prices.statements(found.choice, priced, chips) if one.kind == "prices")
    unpriced = [one for one in shown if one.price is None]
    if unpriced:
        named = sorted({value_label("accelerator", one.facts.accelerator or "") for one in unpriced})
        rank = "Behind the others, by chips" if priced else "Ranked by chips"
        text = listing(f"{rank}, as no price is known: ", named, ".", longest=CAVEAT).text
        yield caveat("unpriced", text, unpriced=len(named))
    if found.choice.utilisation < 1:
        yield caveat("utilisation", "The chosen utilisation is not used here: it follows from the demand.")
    if any(one.facts.load_kind == "saturated" for one in shown):
        many = sum(one.facts.load_kind == "saturated" for one in shown)
        text = f"{counted(many, 'deployment')} {is_or_are(many)} measured at full load alone, without latencies."
        yield caveat("saturated", text, deployments=many)


def _them(several: Sequence[object]) -> str:
    return "it" if len(several) == 1 else "them"


def _flags(plans: Iterable[FleetPlan]) -> str:
    return flagged(flags_of(one.facts for one in plans))


def _ids(plans: Iterable[FleetPlan]) -> list[str]:
    return [one.facts.point_id for one in plans]
