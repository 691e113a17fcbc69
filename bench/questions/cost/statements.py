"""What a cost answer says: what tokens cost and where, the price of latency, a volume's bill, and an API beside it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from bench import catalogue, flags
from bench.basis import evidence, likeness, limits, prices, wording
from bench.basis.points import PointFacts
from bench.basis.statement import Statement, Value, caveat, finding, headline, untold
from bench.chart import value_label
from bench.maths import cost
from bench.maths.grid import TIE
from bench.questions.cost import cost_words
from bench.questions.cost.cost_words import API_PRICES, cents, modelled, place, span, speeds, spoken, used, whose
from bench.questions.cost.priced import DEPLOYMENT, SPEEDS
from bench.questions.cost.result import Cost, PricedDeployment
from bench.questions.operating_points import NO_CHIPS, NO_RATE
from bench.view import View
from bench.wording import counted, inline, is_or_are, joined, number, share, spanned

LISTED = 8
"""So many quotes are looked at one by one; of more the ends are told."""

DEARER = 1.15
"""The price of latency is told from this many times the peak's cost on, at up to three limits."""

IDLE = 0.5
"""The bill of what is cheapest per token is told beside the cheapest bill where it would be used less than this."""

CONFIGURED = ("precision", "kv_precision", "speculation", "disaggregated", "dataset", "load_kind")
"""What the cheapest deployment is named with where it is unlike all others in it."""


NOT_COMPARED = ("accelerator", "chips", "layout", "load", "engine_version")
"""What every deployment chooses for itself, and so is not told as unlike."""


def statements(costs: Cost, view: View) -> Iterator[Statement]:
    """Headline, findings and caveats."""
    yield _headline(costs, wording.selected(view))
    if costs.is_decided:
        yield from _speeds(costs)
        yield from _quotes(costs)
    if costs.deployments:
        yield from _ranking(costs)
    if costs.is_decided:
        yield from _limits(costs)
        yield from _latency(costs)
        yield from _volume(costs)
        yield from _against_api(costs)
    yield from evidence.left_out(costs.tally)
    if costs.deployments:
        yield from _caveats(costs)


def _headline(costs: Cost, about: str) -> Statement:
    if not costs.tally.selected:
        return untold("nothing", wording.NOTHING_SELECTED)
    if not costs.deployments:
        return _none_priced(costs, about) if costs.unpriced else _none_enters(costs, about)
    if len(costs.deployments) == 1:
        return _of_one(costs)
    if not costs.is_decided:
        return _undecided(costs)
    return _of_two(costs)


def _of_two(costs: Cost) -> Statement:
    """Which deployment is the cheapest, at what cost, and how much more the next one costs; or that both cost alike."""
    lead, second = costs.deployments[:2]
    both, own = [lead.facts, second.facts], _apart(costs)
    ratio = second.usd_per_million / lead.usd_per_million
    is_tie = wording.is_tie(ratio)
    usds = {"usd_per_million": lead.usd_per_million, "second_usd_per_million": second.usd_per_million}
    model, about = _subjects("for", both)
    usd = f"{number(lead.usd_per_million)} USD per million {costs.asked.kind.words}{modelled(lead)}"
    dearer = f"{wording.times(ratio)}{' that' if ratio >= wording.TWICE else ''}{modelled(second)}"
    texts: dict[str, list[PricedDeployment]] = {}
    for start, (variant, of, next_one, use) in product(
        _starts(costs),
        (
            (True, about, "named", _use(costs)),
            (False, about, "named", _use(costs)),
            (False, about, "unnamed", _use(costs)),
            (False, model, "named", _use(costs)),
            (False, model, "unnamed", _use(costs)),
            (False, about, "", _use(costs)),
            (False, model, "", _use(costs)),
            (False, model, "", ""),
        ),
    ):
        # What a headline begins with names the model, or the reader chose it.
        of = "" if start else of
        first = place(costs, lead, *own[0], among=both, variant=variant)
        then = place(costs, second, *own[1], among=both, variant=variant)
        if is_tie:
            text, next_one = f"{first} and {then} cost the same within 1 %{of}: {usd}{use}", "named"
        else:
            who = then if next_one == "named" else f"the next{f' ({joined(own[1])})' if own[1] else ''}"
            more = f"; {who} costs {dearer}" if next_one else ""
            text = f"{first} is cheapest{of}: {usd}{use}{more}"
        named = [lead, second] if next_one == "named" else [lead]
        texts[wording.opened(f"{start}{text}.")] = named
    text = wording.fitting(*texts)
    ids = [one.facts.point_id for one in texts[text]]
    return headline("even" if is_tie else "cheapest", text, ids, **usds, **costs.known.values)


def _of_one(costs: Cost) -> Statement:
    """The cost on the one deployment there is, over its quotes."""
    lead, offers = costs.lead, costs.lead.offers
    low, high, usd = offers[0].usd_per_million, offers[-1].usd_per_million, number(lead.usd_per_million)
    model, about = _subjects("of", costs.facts)
    span_of = f", {span(low, high)} by quote" if len(offers) > 1 else ""
    if lead.price.modelled:
        span_of = ", a modelled cost that nobody offers"
        usd = span(low, high).removesuffix(" USD")
    elif len(offers) == 1:
        span_of = f", by one quote, {prices.quoted(offers[0].quote)}"
    texts = [
        wording.opened(
            f"{costs.asked.kind.words}{of} cost {usd} USD per million{_use(costs)} on"
            f" {place(costs, lead, variant=variant)}{more}."
        )
        for variant, of, more in (
            (True, about, span_of),
            (False, about, span_of),
            (False, about, modelled(lead)),
            (False, model, modelled(lead)),
        )
    ]
    if costs.known.lead:
        cost_of = f"{usd} USD per million {costs.asked.kind.words}{modelled(lead)}"
        few = [f"{start}{place(costs, lead, variant=False)} costs {cost_of}" for start in _starts(costs)]
        texts = [f"{one}{end}." for end in (_use(costs), "") for one in few]
    values = {"usd_per_million": lead.usd_per_million, "lowest": low, "highest": high, "quotes": len(offers)}
    return headline("one", wording.fitting(*texts), [lead.facts.point_id], **values, **costs.known.values)


def _starts(found: Cost) -> list[str]:
    """What a headline may begin with, the fullest first: how few points say what the limits are on, else nothing."""
    model = wording.subject([PointFacts("", model=found.lead.facts.model)])
    return [*found.known.leads(model), *found.known.least(model)] or [""]


def _subjects(word: str, facts: Sequence[PointFacts]) -> tuple[str, str]:
    """What a headline is of, by model and precision alone and with the workload too: " for DeepSeek-R1 FP8"."""
    without = [replace(one, isl=None, osl=None) for one in facts]
    model, whole = (f" {word} {told}" if (told := wording.subject(of)) else "" for of in (without, facts))
    return model, whole


def _undecided(costs: Cost) -> Statement:
    """What tokens cost where none is the cheapest: workloads are unlike, or most say nothing of the limits."""
    low, high, of = costs.lead.usd_per_million, costs.deployments[-1].usd_per_million, costs.deciding
    why = f"only {of.accelerators} of {counted(of.of_accelerators, 'accelerator')} state {of.metrics}"
    if costs.unlike:
        why = f"{joined([one.fact.several for one in costs.unlike])} differ"
    model, about = _subjects("for", costs.facts)
    text = f"{span(low, high)} per million {costs.asked.kind.words}"
    texts = [
        wording.opened(f"{start}no deployment is cheapest{of_what}, as {why}: {text}{more}.")
        for start in _starts(costs)
        for of_what, more in ((about, _use(costs)), (model, _use(costs)), (model, ""), *([("", "")] if start else []))
    ]
    texts.append(wording.opened(f"{why}, so none is cheapest: {text}."))
    return headline("undecided", wording.fitting(*texts), (), lowest=low, highest=high, **costs.known.values)


def _none_enters(costs: Cost, about: str) -> Statement:
    """Why no selected point can be priced, and what to do."""
    tally, metrics = costs.tally, limits.metrics(costs.limits)
    silent, beyond = tally.of("unknown_limit"), tally.of("beyond_limit")
    none = f"No point of {about}"
    if held := silent + beyond:
        none += "" if held == tally.selected else " that can be priced"
        of, them = f"(0 of {held:,})", "it" if len(costs.limits) == 1 else "them"
        texts: tuple[str, ...] = (f"{none} keeps the limits on {metrics} {of}; ease {them}.",)
        if not beyond:
            texts = (f"{none} states {metrics} {of}; lift {limits.named(costs.limits)}.",)
        elif silent:
            known = f"{none} is known to keep {limits.named(costs.limits)} {of}"
            texts = (f"{known}; {silent:,} do not state {metrics}.", f"{known}; ease {them}.")
        short = f"{none} {'is known to keep' if silent else 'keeps'} {limits.named(costs.limits)} {of}."
        code = "beyond_limit" if beyond else "unknown_limit"
        return untold("none_enters", wording.fitting(*texts, short), why=code, points=held)
    why = {
        "other_evidence": "was measured {}",
        NO_CHIPS: "states accelerator and chip count {}; state them on the Data page",
        NO_RATE: f"has a throughput of {costs.asked.kind.words} {{}}",
    }
    only = next((code for code in why if tally.of(code) == tally.selected), "several")
    told_why = why.get(only, "can be priced {}; why is told below").format(f"(0 of {tally.selected:,})")
    return untold("none_enters", f"{none} {told_why}.", why=only, points=tally.selected)


def _none_priced(costs: Cost, about: str) -> Statement:
    """Which accelerators lack a price, and under which terms there is one."""
    every = [value_label("accelerator", chip) for chip in costs.unpriced]
    terms = [cost_words.terms(one) for one in costs.priced_as]
    own = "" if costs.choice.terms == prices.EVERY else f" ({replace(costs.choice, utilisation=1.0).words})"
    texts = []
    for chips, ways in ((9, 9), (2, 3), (1, 2), (1, 1)):
        way = f"; choose other prices: {joined(terms, 'or', at_most=ways)}" if terms else ""
        texts.append(f"No price{own} for {joined(every, at_most=chips)}{way}.")
    text = wording.fitting(*(f"{about}: {one[0].lower()}{one[1:]}" for one in texts), *texts)
    return untold("none_priced", text, unpriced=len(every), terms=len(terms))


def _on(kind: str, text: str, *named: PricedDeployment, **values: Value) -> Statement:
    """A finding that names deployments."""
    return finding(kind, text, [one.facts.point_id for one in named], **values)


def _speeds(costs: Cost) -> Iterator[Statement]:
    """The latencies at which the first deployment is priced, and between which medians the others are."""
    if speeds(costs.lead):
        text = f"At that cost {place(costs, costs.lead, variant=True)} has {speeds(costs.lead)}."
        short = f"At that cost {place(costs, costs.lead, variant=False)} has {speeds(costs.lead)}."
        yield _on("speeds", wording.fitting(text, short), costs.lead, **cost_words.latencies(costs.lead))
    others = []
    for metric in (catalogue.metric(key) for key in SPEEDS if key.endswith("p50")):
        every = [one.point.metrics.get(metric.key) for one in costs.deployments[1:]]
        stated = [value for value in every if value is not None]
        if stated:
            others.append(f"{inline(metric)} {spanned(stated, metric.key)}")
    if others:
        who = "The others" if speeds(costs.lead) else "Those that state latencies"
        yield finding("speeds_of_others", f"{who}: {joined(others)}.")


def _quotes(costs: Cost) -> Iterator[Statement]:
    """What the first deployment costs at each quote, or at the ends of many; modelled costs; a bargain elsewhere."""
    lead, offers, on = costs.lead, costs.lead.offers, place(costs, costs.lead)
    among = [one.quote for one in offers]
    if 1 < len(offers) <= LISTED:
        named = [f"{whose(one.quote, among)} {number(one.usd_per_million)}" for one in offers]
        short = place(costs, lead, variant=False)
        text = wording.fitting(
            f"USD per million on {on}, by quote: {joined(named, at_most=LISTED)}.",
            wording.listing(f"USD per million on {short}, by quote: ", named, ".", longest=wording.FINDING).text,
            longest=wording.FINDING,
        )
        yield _on("quotes", text, lead, quotes=len(offers))
    elif len(offers) > 1:
        times = f"{number(offers[-1].usd_per_million / offers[0].usd_per_million)} times as much"
        ends = f"from {prices.quoted(among[0])} to {prices.quoted(among[-1])}"
        yield _on("quotes", f"{len(offers)} quotes for {on} range {ends}, {times}.", lead, quotes=len(offers))
    if lead.modelled:
        low, high = lead.modelled[0].usd_per_million, lead.modelled[-1].usd_per_million
        text = f"At modelled costs, which nobody offers, {on} would cost {span(low, high)} per million."
        yield _on("modelled", text, lead, lowest=low, highest=high)
    bargain = min(costs.deployments, key=lambda one: one.offers[0].usd_per_million)
    first = bargain.offers[0]
    if bargain is not lead and not first.quote.is_modelled:
        quote, usd = first.quote, first.usd_per_million
        terms = "" if quote.terms == costs.choice.terms else f", {cost_words.terms(quote.terms)}"
        hour = f"{number(quote.usd_per_accelerator_hour)} USD/h per chip{terms}"
        text = f"Cheapest single quote: {place(costs, bargain)} at {quote.provider}, {hour}"
        yield _on("bargain", f"{text}, {number(usd)} USD per million.", bargain, usd_per_million=usd)


def _ranking(costs: Cost) -> Iterator[Statement]:
    """What a dollar buys on the one deployment there is, or what tokens cost on each of several."""
    words, every, lead = costs.asked.kind.words, costs.deployments, costs.lead
    if len(every) == 1:
        rate, dollar = number(lead.point.rate), lead.charge.per_dollar
        text = f"One USD an hour buys {number(round(dollar))} {words}/s, fully used"
        hour, on = number(lead.charge.usd_per_hour), f"{place(costs, lead)}{modelled(lead)}"
        yield _on("per_dollar", f"{text}: {rate} for {hour} USD/h on {on}.", lead, per_dollar=dollar)
        return
    all_modelled = all(one.price.modelled for one in every)
    start = f"USD per million {words}{modelled(lead) if all_modelled else ''}: "
    usd = [f"{number(one.usd_per_million)}{'' if all_modelled else modelled(one)}" for one in every]
    full, short = (
        [f"{place(costs, one, variant=named)} {cost}" for one, cost in zip(every, usd, strict=True)]
        for named in (None, False)
    )
    text, shown = wording.listing(start, full, ".", by="; ", longest=wording.FINDING)
    if shown < len(every):
        text, shown = wording.listing(start, short, ".", by="; ", longest=wording.FINDING)
    yield _on("ranking", text, *every[:shown], deployments=len(every))


def _limits(costs: Cost) -> Iterator[Statement]:
    """What the reader's limits cost the first deployment."""
    if not costs.limits or not costs.peak:
        return
    times, on = costs.lead.usd_per_million / costs.peak, place(costs, costs.lead)
    than = "as much as" if times >= wording.TWICE else "than"
    text = f"Within the limits {on} costs {wording.times(times)} {than} at peak throughput."
    if times <= 1 + TIE:
        text = f"The limits cost nothing on {on}: its peak throughput keeps them."
    yield _on("limits_cost", text, costs.lead, times=times)


def _latency(costs: Cost) -> Iterator[Statement]:
    """What a token costs within harder and harder limits on one metric."""
    metric, dearer = costs.asked.latency, [one for one in costs.ladder if one.times >= DEARER]
    if not dearer or metric is None:
        return
    # Of limits that cost the same the hardest is told.
    harder = [*dearer[1:], None]
    dearer = [
        one
        for one, after in zip(dearer, harder, strict=True)
        if after is None or number(after.usd_per_million) != number(one.usd_per_million)
    ]
    unit, listed = f" {metric.unit} or {'less' if metric.direction == 'lower' else 'more'}", []
    for nth in dict.fromkeys((0, len(dearer) // 2, len(dearer) - 1)):
        one, limit = dearer[nth], f"{number(dearer[nth].limit)}{'' if nth else unit}"
        usd, cost_of = (
            f"{number(one.usd_per_million)}{'' if nth else ' USD per million'}",
            "" if nth else " the peak's",
        )
        listed.append(f"{usd} at {limit} ({number(one.times)} times{cost_of})")
    alone = f"Under a limit on {inline(metric)}{' alone' if costs.limits else ''}"
    facts, group = costs.lead.facts, costs.asked.group
    on = value_label("accelerator", facts.accelerator)
    on = on if group == "accelerator" else f"{cost_words.group_words(group, getattr(facts, group))} on {on}"
    on, least = (place(costs, costs.lead), "") if group == DEPLOYMENT else (on, "at best ")
    ways = (listed, [listed[0], listed[-1]], listed[:1])
    told = [f"{alone}, {on} costs {least}{joined(way)}{modelled(costs.lead)}." for way in ways]
    text = wording.fitting(*told, longest=wording.FINDING)
    yield _on("latency", text, costs.lead) if group == DEPLOYMENT else finding("latency", text)


def _volume(costs: Cost) -> Iterator[Statement]:
    """What serves the volume at the smallest bill, and what is cheapest per token beside it where it would idle."""
    serving, lead = costs.serving, costs.lead
    if serving is None:
        return
    bill, first, idle = serving.charge.rented, serving.offers[0], lead.charge.rented
    of = "" if bill.instances == 1 else f"{bill.instances:,} instances of "
    full, on = f"{of}{place(costs, serving)}", f"{of}{place(costs, serving, variant=False)}"
    start = f"Cheapest rent for {spoken(costs.asked.volume)} {costs.asked.kind.words} a day: "
    day, month = f"{cents(bill.usd_per_day)} USD a day", f" or {cents(bill.usd_per_month)} a month"
    texts = [
        f"{start}{one}, {day}{more}{modelled(serving)}, {used(bill.utilisation)} used."
        for one, more in ((full, month), (on, month), (on, ""))
    ]
    values = {"usd_per_day": bill.usd_per_day, "instances": bill.instances, "used": bill.utilisation}
    yield _on("volume", wording.fitting(*texts, longest=wording.FINDING), serving, **values)
    if len(serving.offers) > 1 and not first.quote.is_modelled:
        usd, quote = first.rented.usd_per_day, prices.quoted(first.quote)
        at_cost = f"cost{'s' if bill.instances == 1 else ''} {cents(usd)} USD a day."
        texts = [f"At its cheapest quote, {quote}, {one} {at_cost}" for one in (full, on)]
        text = wording.fitting(*texts, f"At its cheapest quote {on} {at_cost}", longest=wording.FINDING)
        yield _on("volume_at_least", text, serving, usd_per_day=usd, instances=bill.instances)
    if idle.usd_per_day > bill.usd_per_day and (idle.utilisation or 1) < IDLE:
        text = f"{wording.opened(place(costs, lead, variant=False))}, cheapest per token, would be only"
        text += f" {used(idle.utilisation)} used by that volume and cost {cents(idle.usd_per_day)} USD a day"
        text += f"{modelled(lead)}."
        yield _on("volume_on_cheapest", text, lead, usd_per_day=idle.usd_per_day, used=idle.utilisation)
    usd, on = lead.charge.used_usd_per_day, f"{place(costs, lead)}{modelled(lead)}"
    text = f"Paying only for the tokens used, that volume costs {cents(usd)} USD a day on {on}."
    yield _on("volume_used", text, lead, usd_per_day=usd)


def _against_api(costs: Cost) -> Iterator[Statement]:
    """From which volume on renting costs less than the API, and the own cost of both sides as the API weighs them."""
    options, api = costs.asked, costs.api
    if api is None:
        lacking = API_PRICES["input" if options.api_input is None and options.api_output else "output"]
        too = "the other price too" if options.api_input or options.api_output else "an API's price"
        text = f'Enter {too} ("{lacking}") to see from which volume on renting is cheaper than the API.'
        yield finding("api", text)
        return
    own, usd, even, split = api.own, api.usd_per_million, api.even, api.split
    price = f"{number(usd)} USD per million {options.kind.words}{_all_in(costs)}"
    subject, short = (f"{place(costs, own, variant=named)}{modelled(own)}" for named in (None, False))
    values = {"tokens_per_day": even.first} if even else {}
    if even is None:
        is_level = cost.cheaper(own.usd_per_million, usd) == "tie"
        least = "as dear as" if is_level else "dearer at every volume than"
        compared, end = f"is {least}", f": {number(own.usd_per_million)} USD at best"
    else:
        compared = "rented around the clock, is cheaper than"
        end = f" from {spoken(even.first)} tokens a day on, {used(even.first / even.capacity)} of one instance"
    comma = "," if even else ""
    texts = [
        f"{who}{comma} {compared} the API{of}{end}."
        for who, of in ((subject, f" ({price})"), (short, f" ({price})"), (subject, ""), (short, ""))
    ]
    text = wording.opened(wording.fitting(*texts, longest=wording.FINDING))
    yield _on("api", text, own, **values)
    if price not in text:
        yield finding("api_price", f"The API costs {price}.", usd_per_million=usd)
    if even is not None:
        text = f"Paying only for the tokens used, {short} costs {share(even.cost_ratio)} of the API's price."
        yield _on("api_used", text, own, ratio=even.cost_ratio)
        if even.settled is not None and (even.settled_instances or 0) > 1:
            text = "Just after each further instance is added the API is cheaper again, up to"
            text += f" {spoken(even.settled)} a day on {even.settled_instances:,} instances."
            yield finding("api_again", text, tokens_per_day=even.settled)
    if split is not None and split.split_input is not None and split.split_output is not None:
        text = (
            f"Split as the API's prices are, {short} costs {number(split.split_input)} USD per million input and"
            f" {number(split.split_output)} per million output tokens, against {number(options.api_input)} and"
            f" {number(options.api_output)}."
        )
        yield _on("api_split", text, own, input=split.split_input, output=split.split_output)


def _all_in(found: Cost) -> str:
    """What of the other side's tokens is in the API's price."""
    options, api = found.asked, found.api
    if options.tokens in ("blended", "total") or api is None:
        return " at this workload's mix"
    kind, many = "prompt" if options.tokens == "output" else "output", api.with_each
    if options.api_sides[1] is None:
        return f", its {kind} tokens not counted"
    tokens = "token that comes" if many == 1 else "tokens that come"
    return f", with the {number(many)} {kind} {tokens} with each" if many else ""


def _apart(costs: Cost) -> tuple[list[str], list[str]]:
    """What the first deployment is configured with unlike all others, and of two the second too."""
    lead, *others = costs.facts
    differing = likeness.everywhere([(lead, other) for other in others], CONFIGURED)
    named = [one for one in differing if one.fact.key != costs.asked.group]
    own, theirs = (
        [_configured(one.fact.key, side[0]) for one in named if len(side := getattr(one, name)) == 1] for name in "ab"
    )
    return own, theirs if len(others) == 1 else []


def _configured(key: str, value: str) -> str:
    if key == "load_kind":
        return "static batches" if value == "batch" else f"{value} load"
    return f"KV {value}" if key == "kv_precision" else value


def _use(found: Cost) -> str:
    """Under what a cost is told: the utilisation below 1, and that it is within limits."""
    share_used = f" at {share(found.choice.utilisation)} use" if found.choice.utilisation < 1 else ""
    return f"{share_used}{' within limits' if found.limits else ''}"


def _caveats(costs: Cost) -> Iterator[Statement]:
    """What the costs stand on: limits, prices, and what is unlike, flagged, worked out or left out."""
    text = "No limit is set: priced at peak throughput, whatever the latency."
    if costs.limits:
        text = f"Limits: {limits.words(costs.limits)}."
    yield caveat("limits", text, limits=len(costs.limits))
    known = {one.price.accelerator: one.price for one in costs.deployments}
    yield from prices.statements(costs.choice, known, [*known, *costs.unpriced])
    yield from _of_prices(costs)
    yield from _of_points(costs)
    yield from _of_missed(costs)
    if costs.groups > len(costs.deployments):
        text = f"Only the {len(costs.deployments)} cheapest of {costs.groups:,} deployments are shown."
        yield caveat("most", text, groups=costs.groups)


def _of_prices(costs: Cost) -> Iterator[Statement]:
    """Age and terms of the quotes, and those for more chips than a deployment has."""
    every = list(dict.fromkeys(one.quote for own in costs.deployments for one in own.quotes))
    terms = [cost_words.terms(one) for one in sorted({one.terms for one in every})]
    if len(terms) > 1:
        yield caveat("unlike_terms", f"Price terms differ: {joined(terms, at_most=9)}.", terms=len(terms))
    days = sorted(str(one.as_of) for one in every if one.as_of is not None)
    ages = [f"{len(days)} as of {' to '.join(dict.fromkeys((days[0], days[-1])))}"] if days else []
    ages += [f"{len(every) - len(days)} undated"] if len(days) < len(every) else []
    text = f"{counted(len(every), 'quote')}: {joined(ages)}."
    yield caveat("ages", text, quotes=len(every), undated=len(every) - len(days))
    larger = {
        one.quote for own in costs.deployments for one in own.quotes if one.quote.accelerators > own.point.accelerators
    }
    if larger:
        text = f"{counted(len(larger), 'quote')} {is_or_are(len(larger))} for more chips than the deployment has"
        yield caveat("larger_quotes", f"{text}; the price per chip is used.", quotes=len(larger))


def _of_points(costs: Cost) -> Iterator[Statement]:
    """What is unlike between the operating points, worked out, not measured, flagged, or measured long apart."""
    group = {"accelerators": "chips", "tp": "layout"}.get(costs.asked.group, costs.asked.group)
    if unlike := likeness.mixed(costs.facts, (*NOT_COMPARED, group)):
        text = wording.listing("The deployments differ: ", unlike, ".", by="; ", longest=wording.CAVEAT).text
        yield caveat("unlike", text, facts=len(unlike))
    if derived := sum(one.is_derived for one in costs.deployments):
        text = f"Input tokens of {counted(derived, 'deployment')} are worked out"
        text += ": output x input length / output length."
        yield caveat("derived", text, deployments=derived)
    others = Counter(one.evidence for one in costs.facts if one.evidence != "measured")
    if others:
        listed = joined([f"{many} {kind}" for kind, many in others.items()])
        yield caveat("not_measured", f"Not measured, drawn hollow: {listed}.", points=sum(others.values()))
    flagged = [one for one in costs.facts if flags.printed(one.flag_kinds)]
    if flagged:
        kinds = joined(flags.printed(wording.flags_of(flagged)), at_most=9)
        text = f"{len(flagged)} of {counted(len(costs.facts), 'operating point')} flagged: {kinds}."
        if len(costs.facts) == 1:
            seen = [flag["seen"] for flag in json.loads(flagged[0].flags or "[]")]
            text = f"The operating point has {counted(len(seen), 'flag')}: {' '.join(seen)}"
        yield caveat("flags", text, [one.point_id for one in flagged], flagged=len(flagged))
    days = sorted(one.date for one in costs.facts if one.date is not None)
    if days and (days[-1] - days[0]).days > likeness.DAYS_APART:
        yield caveat("apart", f"Measured between {days[0]} and {days[-1]}.", days=(days[-1] - days[0]).days)


def _of_missed(costs: Cost) -> Iterator[Statement]:
    """Who is not compared because it states no figure for the limits, and who because it never keeps them."""
    metrics, several = limits.metrics(costs.limits), costs.asked.group == DEPLOYMENT
    for stated, kind, words in (
        (False, "unknown", f"Left out, since they do not state {metrics}"),
        (True, "beyond", "Never within the limits"),
    ):
        missed = [cost_words.of_best(costs.asked.group, one) for one in costs.missed if one.stated is stated]
        own = list(dict.fromkeys(missed))
        told = f"{counted(len(missed), 'deployment')} on {joined(own)}" if several else joined(own)
        if missed:
            yield caveat(kind, f"{words}: {told}.", groups=len(own))
