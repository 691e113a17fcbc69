"""What a cost answer says: what tokens cost and where, the price of latency, a volume's bill, and an API beside it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from bench import catalogue, flags
from bench.basis import evidence, likeness, limits, prices, wording
from bench.basis.points import Facts
from bench.basis.statement import Statement, Value, caveat, finding, headline
from bench.chart import value_label
from bench.maths import cost
from bench.maths.grid import TIE
from bench.questions.cost import names
from bench.questions.cost.names import API_PRICES, cents, modelled, place, span, speeds, spoken, used, whose
from bench.questions.cost.priced import DEPLOYMENT, SPEEDS
from bench.questions.cost.result import Cost, Deployment
from bench.questions.operating_points import NO_CHIPS, NO_RATE
from bench.view import View
from bench.wording import counted, inline, is_or_are, joined, number, share

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


def told(found: Cost, view: View, *, opening: bool) -> Iterator[Statement]:
    """Headline, findings and caveats; `opening` says that the limits are those that the page opens with."""
    yield _headline(found, wording.selected(view))
    if found.deployments:
        yield from _speeds(found)
        yield from _quotes(found)
        yield from _ranking(found)
        yield from _limits(found)
        yield from _latency(found)
        yield from _volume(found)
        yield from _against_api(found)
    yield from evidence.left_out(found.tally)
    if found.deployments:
        yield from _caveats(found, opening=opening)


def _headline(found: Cost, about: str) -> Statement:
    if not found.tally.selected:
        return headline("nothing", wording.NOTHING_SELECTED)
    if not found.deployments:
        return _none_priced(found, about) if found.unpriced else _none_enters(found, about)
    if len(found.deployments) == 1:
        return _of_one(found)
    if found.unlike or not found.deciding.names_a_best:
        return _undecided(found)
    return _of_two(found)


def _of_two(found: Cost) -> Statement:
    """Which deployment is the cheapest, at what cost, and how much more the next one costs; or that both cost alike."""
    lead, second = found.deployments[:2]
    both, own = [lead.facts, second.facts], _apart(found)
    ratio = second.usd_per_million / lead.usd_per_million
    is_tie = wording.is_tie(ratio)
    values = {"usd_per_million": lead.usd_per_million, "second_usd_per_million": second.usd_per_million}
    model, about = _subjects("for", both)
    usd = f"{number(lead.usd_per_million)} USD per million {found.asked.kind.words}{modelled(lead)}"
    dearer = f"{wording.times(ratio)}{' that' if ratio >= wording.TWICE else ''}{modelled(second)}"
    told: dict[str, list[Deployment]] = {}
    for start, (variant, of, next_one, use) in product(
        _starts(found),
        (
            (True, about, "named", _use(found)),
            (False, about, "named", _use(found)),
            (False, about, "unnamed", _use(found)),
            (False, model, "named", _use(found)),
            (False, model, "unnamed", _use(found)),
            (False, about, "", _use(found)),
            (False, model, "", _use(found)),
            (False, model, "", ""),
        ),
    ):
        # What a headline begins with names the model, or the reader chose it.
        of = "" if start else of
        first = place(found, lead, *own[0], among=both, variant=variant)
        then = place(found, second, *own[1], among=both, variant=variant)
        if is_tie:
            text, next_one = f"{first} and {then} cost the same within 1 %{of}: {usd}{use}", "named"
        else:
            who = then if next_one == "named" else f"the next{f' ({joined(own[1])})' if own[1] else ''}"
            more = f"; {who} costs {dearer}" if next_one else ""
            text = f"{first} is cheapest{of}: {usd}{use}{more}"
        named = [lead, second] if next_one == "named" else [lead]
        told[wording.opened(f"{start}{text}.")] = named
    text = wording.fitting(*told)
    ids = [one.facts.point_id for one in told[text]]
    return headline("even" if is_tie else "cheapest", text, ids, **values)


def _of_one(found: Cost) -> Statement:
    """The cost on the one deployment there is, over its quotes."""
    lead, offers = found.lead, found.lead.offers
    low, high, usd = offers[0].usd_per_million, offers[-1].usd_per_million, number(lead.usd_per_million)
    model, about = _subjects("of", found.facts)
    span_of = f", {span(low, high)} by quote" if len(offers) > 1 else ""
    if lead.price.modelled:
        span_of = ", a modelled cost that nobody offers"
        usd = span(low, high).removesuffix(" USD")
    elif len(offers) == 1:
        span_of = f", by one quote, {prices.quoted(offers[0].quote)}"
    told = [
        wording.opened(
            f"{found.asked.kind.words}{of} cost {usd} USD per million{_use(found)} on"
            f" {place(found, lead, variant=variant)}{more}."
        )
        for variant, of, more in (
            (True, about, span_of),
            (False, about, span_of),
            (False, about, modelled(lead)),
            (False, model, modelled(lead)),
        )
    ]
    if found.known.lead:
        cost_of = f"{usd} USD per million {found.asked.kind.words}{modelled(lead)}"
        few = [f"{start}{place(found, lead, variant=False)} costs {cost_of}" for start in _starts(found)]
        told = [f"{one}{end}." for end in (_use(found), "") for one in few]
    return headline(
        "one", wording.fitting(*told), [lead.facts.point_id],
        usd_per_million=lead.usd_per_million, lowest=low, highest=high, quotes=len(offers),
    )  # fmt: skip


def _starts(found: Cost) -> list[str]:
    """What a headline may begin with, the fullest first: how few points say what the limits are on, else nothing."""
    model = wording.subject([Facts("", model=found.lead.facts.model)])
    return [*found.known.leads(model), *found.known.least(model)] or [""]


def _subjects(word: str, facts: Sequence[Facts]) -> tuple[str, str]:
    """What a headline is of, by model and precision alone and with the workload too: " for DeepSeek-R1 FP8"."""
    without = [replace(one, isl=None, osl=None) for one in facts]
    model, whole = (f" {word} {told}" if (told := wording.subject(of)) else "" for of in (without, facts))
    return model, whole


def _undecided(found: Cost) -> Statement:
    """What tokens cost where none is the cheapest: workloads are unlike, or most say nothing of the limits."""
    low, high, of = found.lead.usd_per_million, found.deployments[-1].usd_per_million, found.deciding
    why = f"only {of.accelerators} of {counted(of.of_accelerators, 'accelerator')} state {of.metrics}"
    if found.unlike:
        why = f"{joined([one.fact.several for one in found.unlike])} differ"
    model, about = _subjects("for", found.facts)
    text = f"{span(low, high)} per million {found.asked.kind.words}"
    told = [
        wording.opened(f"{start}no deployment is cheapest{of_what}, as {why}: {text}{more}.")
        for start in _starts(found)
        for of_what, more in (
            (about, _use(found)),
            (model, _use(found)),
            (model, ""),
            *([("", "")] if start else []),
        )
    ]
    return headline("undecided", wording.fitting(*told), lowest=low, highest=high)


def _none_enters(found: Cost, about: str) -> Statement:
    """Why no selected point can be priced, and what to do."""
    tally, metrics = found.tally, limits.metrics(found.limits)
    silent, beyond = tally.of("unknown_limit"), tally.of("beyond_limit")
    none = f"No point of {about}"
    if held := silent + beyond:
        none += "" if held == tally.selected else " that can be priced"
        of, them = f"(0 of {held:,})", "it" if len(found.limits) == 1 else "them"
        told: tuple[str, ...] = (f"{none} keeps the limits on {metrics} {of}; ease {them}.",)
        if not beyond:
            told = (f"{none} states {metrics} {of}; lift {limits.named(found.limits)}.",)
        elif silent:
            known = f"{none} is known to keep {limits.named(found.limits)} {of}"
            told = (f"{known}; {silent:,} do not state {metrics}.", f"{known}; ease {them}.")
        short = f"{none} {'is known to keep' if silent else 'keeps'} {limits.named(found.limits)} {of}."
        return headline("none_enters", wording.fitting(*told, short))
    why = {
        "other_evidence": "was measured {}",
        NO_CHIPS: "states accelerator and chip count {}; state them on the Data page",
        NO_RATE: f"has a throughput of {found.asked.kind.words} {{}}",
    }
    only = [text for code, text in why.items() if tally.of(code) == tally.selected]
    told_why = only[0] if only else "can be priced {}; why is told below"
    return headline("none_enters", f"{none} {told_why.format(f'(0 of {tally.selected:,})')}.")


def _none_priced(found: Cost, about: str) -> Statement:
    """Which accelerators lack a price, and under which terms there is one."""
    every = [value_label("accelerator", chip) for chip in found.unpriced]
    terms = [names.terms(one) for one in found.priced_as]
    own = "" if found.choice.terms == prices.EVERY else f" ({replace(found.choice, utilisation=1.0).words})"
    told = []
    for chips, ways in ((9, 9), (2, 3), (1, 2), (1, 1)):
        way = f"; choose other prices: {joined(terms, 'or', at_most=ways)}" if terms else ""
        told.append(f"No price{own} for {joined(every, at_most=chips)}{way}.")
    return headline(
        "none_priced", wording.fitting(*(f"{about}: {one[0].lower()}{one[1:]}" for one in told), *told)
    )


def _on(kind: str, text: str, *named: Deployment, **values: Value) -> Statement:
    """A finding that names deployments."""
    return finding(kind, text, [one.facts.point_id for one in named], **values)


def _speeds(found: Cost) -> Iterator[Statement]:
    """The latencies at which the first deployment is priced, and between which medians the others are."""
    if speeds(found.lead):
        text = f"At that cost {place(found, found.lead, variant=True)} has {speeds(found.lead)}."
        short = f"At that cost {place(found, found.lead, variant=False)} has {speeds(found.lead)}."
        yield _on("speeds", wording.fitting(text, short), found.lead)
    others = []
    for metric in (catalogue.metric(key) for key in SPEEDS if key.endswith("p50")):
        every = [one.point.metrics.get(metric.key) for one in found.deployments[1:]]
        stated = [value for value in every if value is not None]
        if stated:
            ends = dict.fromkeys(map(number, (min(stated), max(stated))))
            others.append(f"{inline(metric)} {' to '.join(ends)} {metric.unit}")
    if others:
        who = "The others" if speeds(found.lead) else "Those that state latencies"
        yield finding("speeds_of_others", f"{who}: {joined(others)}.")


def _quotes(found: Cost) -> Iterator[Statement]:
    """What the first deployment costs at each quote, or at the ends of many; modelled costs; a bargain elsewhere."""
    lead, offers, on = found.lead, found.lead.offers, place(found, found.lead)
    among = [one.quote for one in offers]
    if 1 < len(offers) <= LISTED:
        named = [f"{whose(one.quote, among)} {number(one.usd_per_million)}" for one in offers]
        short = place(found, lead, variant=False)
        text = wording.fitting(
            f"USD per million on {on}, by quote: {joined(named, at_most=LISTED)}.",
            wording.listing(
                f"USD per million on {short}, by quote: ", named, ".", longest=wording.FINDING
            ).text,
            longest=wording.FINDING,
        )
        yield _on("quotes", text, lead)
    elif len(offers) > 1:
        times = f"{number(offers[-1].usd_per_million / offers[0].usd_per_million)} times as much"
        ends = f"from {prices.quoted(among[0])} to {prices.quoted(among[-1])}"
        yield _on("quotes", f"{len(offers)} quotes for {on} range {ends}, {times}.", lead)
    if lead.modelled:
        low, high = lead.modelled[0].usd_per_million, lead.modelled[-1].usd_per_million
        text = f"At modelled costs, which nobody offers, {on} would cost {span(low, high)} per million."
        yield _on("modelled", text, lead, lowest=low, highest=high)
    bargain = min(found.deployments, key=lambda one: one.offers[0].usd_per_million)
    first = bargain.offers[0]
    if bargain is not lead and not first.quote.is_modelled:
        quote, usd = first.quote, first.usd_per_million
        terms = "" if quote.terms == found.choice.terms else f", {names.terms(quote.terms)}"
        hour = f"{number(quote.usd_per_accelerator_hour)} USD/h per chip{terms}"
        text = f"Cheapest single quote: {place(found, bargain)} at {quote.provider}, {hour}"
        yield _on("bargain", f"{text}, {number(usd)} USD per million.", bargain, usd_per_million=usd)


def _ranking(found: Cost) -> Iterator[Statement]:
    """What a dollar buys on the one deployment there is, or what tokens cost on each of several."""
    words, every, lead = found.asked.kind.words, found.deployments, found.lead
    if len(every) == 1:
        rate, dollar = number(lead.point.rate), lead.charge.per_dollar
        text = f"One USD an hour buys {number(round(dollar))} {words}/s, fully used"
        hour, on = number(lead.charge.usd_per_hour), f"{place(found, lead)}{modelled(lead)}"
        yield _on("per_dollar", f"{text}: {rate} for {hour} USD/h on {on}.", lead, per_dollar=dollar)
        return
    all_modelled = all(one.price.modelled for one in every)
    start = f"USD per million {words}{modelled(lead) if all_modelled else ''}: "
    usd = [f"{number(one.usd_per_million)}{'' if all_modelled else modelled(one)}" for one in every]
    full, short = (
        [f"{place(found, one, variant=named)} {cost}" for one, cost in zip(every, usd, strict=True)]
        for named in (None, False)
    )
    text, shown = wording.listing(start, full, ".", by="; ", longest=wording.FINDING)
    if shown < len(every):
        text, shown = wording.listing(start, short, ".", by="; ", longest=wording.FINDING)
    yield _on("ranking", text, *every[:shown])


def _limits(found: Cost) -> Iterator[Statement]:
    """What the reader's limits cost the first deployment."""
    if not found.limits or not found.peak:
        return
    times, on = found.lead.usd_per_million / found.peak, place(found, found.lead)
    than = "as much as" if times >= wording.TWICE else "than"
    text = f"Within the limits {on} costs {wording.times(times)} {than} at peak throughput."
    if times <= 1 + TIE:
        text = f"The limits cost nothing on {on}: its peak throughput keeps them."
    yield _on("limits_cost", text, found.lead, times=times)


def _latency(found: Cost) -> Iterator[Statement]:
    """What a token costs within harder and harder limits on one metric."""
    metric, dearer = found.asked.latency, [one for one in found.ladder if one.times >= DEARER]
    if not dearer or metric is None:
        return
    # Of limits that cost the same the hardest is told.
    harder = [*dearer[1:], None]
    dearer = [
        one for one, after in zip(dearer, harder, strict=True)
        if after is None or number(after.usd_per_million) != number(one.usd_per_million)
    ]  # fmt: skip
    unit, listed = f" {metric.unit} or {'less' if metric.direction == 'lower' else 'more'}", []
    for nth in dict.fromkeys((0, len(dearer) // 2, len(dearer) - 1)):
        one, limit = dearer[nth], f"{number(dearer[nth].limit)}{'' if nth else unit}"
        usd, cost_of = (
            f"{number(one.usd_per_million)}{'' if nth else ' USD per million'}",
            "" if nth else " the peak's",
        )
        listed.append(f"{usd} at {limit} ({number(one.times)} times{cost_of})")
    alone = f"Under a limit on {inline(metric)}{' alone' if found.limits else ''}"
    facts, group = found.lead.facts, found.asked.group
    on = value_label("accelerator", facts.accelerator)
    on = on if group == "accelerator" else f"{names.group_words(group, getattr(facts, group))} on {on}"
    on, least = (place(found, found.lead), "") if group == DEPLOYMENT else (on, "at best ")
    ways = (listed, [listed[0], listed[-1]], listed[:1])
    told = [f"{alone}, {on} costs {least}{joined(way)}{modelled(found.lead)}." for way in ways]
    text = wording.fitting(*told, longest=wording.FINDING)
    yield _on("latency", text, found.lead) if group == DEPLOYMENT else finding("latency", text)


def _volume(found: Cost) -> Iterator[Statement]:
    """What serves the volume at the smallest bill, and what is cheapest per token beside it where it would idle."""
    serving, lead = found.serving, found.lead
    if serving is None:
        return
    bill, first, idle = serving.charge.rented, serving.offers[0], lead.charge.rented
    of = "" if bill.instances == 1 else f"{bill.instances:,} instances of "
    full, on = f"{of}{place(found, serving)}", f"{of}{place(found, serving, variant=False)}"
    start = f"Cheapest rent for {spoken(found.asked.volume)} {found.asked.kind.words} a day: "
    day, month = f"{cents(bill.usd_per_day)} USD a day", f" or {cents(bill.usd_per_month)} a month"
    told = [f"{start}{one}, {day}{more}{modelled(serving)}, {used(bill.utilisation)} used."
            for one, more in ((full, month), (on, month), (on, ""))]  # fmt: skip
    values = {"usd_per_day": bill.usd_per_day, "instances": bill.instances, "used": bill.utilisation}
    yield _on("volume", wording.fitting(*told, longest=wording.FINDING), serving, **values)
    if len(serving.offers) > 1 and not first.quote.is_modelled:
        usd, quote = first.rented.usd_per_day, prices.quoted(first.quote)
        costs = f"cost{'s' if bill.instances == 1 else ''} {cents(usd)} USD a day."
        told = [f"At its cheapest quote, {quote}, {one} {costs}" for one in (full, on)]
        text = wording.fitting(*told, f"At its cheapest quote {on} {costs}", longest=wording.FINDING)
        yield _on("volume_at_least", text, serving, usd_per_day=usd)
    if idle.usd_per_day > bill.usd_per_day and (idle.utilisation or 1) < IDLE:
        text = f"{wording.opened(place(found, lead, variant=False))}, cheapest per token, would be only"
        text += f" {used(idle.utilisation)} used by that volume and cost {cents(idle.usd_per_day)} USD a day"
        text += f"{modelled(lead)}."
        yield _on("volume_on_cheapest", text, lead, usd_per_day=idle.usd_per_day, used=idle.utilisation)
    usd, on = lead.charge.used_usd_per_day, f"{place(found, lead)}{modelled(lead)}"
    text = f"Paying only for the tokens used, that volume costs {cents(usd)} USD a day on {on}."
    yield _on("volume_used", text, lead, usd_per_day=usd)


def _against_api(found: Cost) -> Iterator[Statement]:
    """From which volume on renting costs less than the API, and the own cost of both sides as the API weighs them."""
    asked, api = found.asked, found.api
    if api is None:
        lacking = API_PRICES["input" if asked.api_input is None and asked.api_output else "output"]
        too = "the other price too" if asked.api_input or asked.api_output else "an API's price"
        text = f'Enter {too} ("{lacking}") to see from which volume on renting is cheaper than the API.'
        yield finding("api", text)
        return
    own, usd, even, split = api.own, api.usd_per_million, api.even, api.split
    price = f"{number(usd)} USD per million {asked.kind.words}{_all_in(found)}"
    subject, short = (f"{place(found, own, variant=named)}{modelled(own)}" for named in (None, False))
    values = {"tokens_per_day": even.first} if even else {}
    if even is None:
        is_level = cost.cheaper(own.usd_per_million, usd) == "tie"
        least = "as dear as" if is_level else "dearer at every volume than"
        compared, end = f"is {least}", f": {number(own.usd_per_million)} USD at best"
    else:
        compared = "rented around the clock, is cheaper than"
        end = (
            f" from {spoken(even.first)} tokens a day on, {used(even.first / even.capacity)} of one instance"
        )
    comma = "," if even else ""
    told = [f"{who}{comma} {compared} the API{of}{end}." for who, of in
            ((subject, f" ({price})"), (short, f" ({price})"), (subject, ""), (short, ""))]  # fmt: skip
    text = wording.opened(wording.fitting(*told, longest=wording.FINDING))
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
            f" {number(split.split_output)} per million output tokens, against {number(asked.api_input)} and"
            f" {number(asked.api_output)}."
        )
        yield _on("api_split", text, own, input=split.split_input, output=split.split_output)


def _all_in(found: Cost) -> str:
    """What of the other side's tokens is in the API's price."""
    asked, api = found.asked, found.api
    if asked.tokens in ("blended", "total") or api is None:
        return " at this workload's mix"
    kind, many = "prompt" if asked.tokens == "output" else "output", api.with_each
    if asked.api_sides[1] is None:
        return f", its {kind} tokens not counted"
    tokens = "token that comes" if many == 1 else "tokens that come"
    return f", with the {number(many)} {kind} {tokens} with each" if many else ""


def _apart(found: Cost) -> tuple[list[str], list[str]]:
    """What the first deployment is configured with unlike all others, and of two the second too."""
    lead, *others = found.facts
    differing = likeness.everywhere([(lead, other) for other in others], CONFIGURED)
    named = [one for one in differing if one.fact.key != found.asked.group]
    own, theirs = (
        [_configured(one.fact.key, side[0]) for one in named if len(side := getattr(one, name)) == 1]
        for name in "ab"
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


def _caveats(found: Cost, *, opening: bool) -> Iterator[Statement]:
    """What the costs stand on: limits, prices, and what is unlike, flagged, worked out or left out."""
    text = "No limit is set: priced at peak throughput, whatever the latency."
    own = " They are Kneepoint's choice, since you set none; change them under Limits." if opening else ""
    if found.limits:
        text = f"Limits: {limits.words(found.limits)}.{own}"
    yield caveat("limits", text, limits=len(found.limits), opening=opening)
    known = {one.price.accelerator: one.price for one in found.deployments}
    yield from prices.told(found.choice, known, [*known, *found.unpriced])
    yield from _of_prices(found)
    yield from _of_points(found)
    yield from _of_missed(found)
    if found.groups > len(found.deployments):
        text = f"Only the {len(found.deployments)} cheapest of {found.groups:,} deployments are shown."
        yield caveat("most", text, groups=found.groups)


def _of_prices(found: Cost) -> Iterator[Statement]:
    """Age and terms of the quotes, and those for more chips than a deployment has."""
    every = list(dict.fromkeys(one.quote for own in found.deployments for one in own.quotes))
    terms = [names.terms(one) for one in sorted({one.terms for one in every})]
    if len(terms) > 1:
        yield caveat("unlike_terms", f"Price terms differ: {joined(terms, at_most=9)}.")
    days = sorted(str(one.as_of) for one in every if one.as_of is not None)
    ages = [f"{len(days)} as of {' to '.join(dict.fromkeys((days[0], days[-1])))}"] if days else []
    ages += [f"{len(every) - len(days)} undated"] if len(days) < len(every) else []
    yield caveat("ages", f"{counted(len(every), 'quote')}: {joined(ages)}.", quotes=len(every))
    larger = {one.quote for own in found.deployments for one in own.quotes
              if one.quote.accelerators > own.point.accelerators}  # fmt: skip
    if larger:
        text = (
            f"{counted(len(larger), 'quote')} {is_or_are(len(larger))} for more chips than the deployment has"
        )
        yield caveat("larger_quotes", f"{text}; the price per chip is used.", quotes=len(larger))


def _of_points(found: Cost) -> Iterator[Statement]:
    """What is unlike between the operating points, worked out, not measured, flagged, or measured long apart."""
    group = {"accelerators": "chips", "tp": "layout"}.get(found.asked.group, found.asked.group)
    if unlike := likeness.mixed(found.facts, (*NOT_COMPARED, group)):
        text = wording.listing("The deployments differ: ", unlike, ".", by="; ", longest=wording.CAVEAT).text
        yield caveat("unlike", text, facts=len(unlike))
    if derived := sum(one.is_derived for one in found.deployments):
        text = f"Input tokens of {counted(derived, 'deployment')} are worked out"
        text += ": output x input length / output length."
        yield caveat("derived", text, deployments=derived)
    others = Counter(one.evidence for one in found.facts if one.evidence != "measured")
    if others:
        listed = joined([f"{many} {kind}" for kind, many in others.items()])
        yield caveat("not_measured", f"Not measured, drawn hollow: {listed}.")
    flagged = [one for one in found.facts if flags.telling(one.flag_kinds)]
    if flagged:
        kinds = joined(flags.telling(wording.flags_of(flagged)), at_most=9)
        text = f"{len(flagged)} of {counted(len(found.facts), 'operating point')} flagged: {kinds}."
        if len(found.facts) == 1:
            seen = [flag["seen"] for flag in json.loads(flagged[0].flags or "[]")]
            text = f"The operating point has {counted(len(seen), 'flag')}: {' '.join(seen)}"
        yield caveat("flags", text, [one.point_id for one in flagged], flagged=len(flagged))
    days = sorted(one.date for one in found.facts if one.date is not None)
    if days and (days[-1] - days[0]).days > likeness.DAYS_APART:
        yield caveat("apart", f"Measured between {days[0]} and {days[-1]}.", days=(days[-1] - days[0]).days)


def _of_missed(found: Cost) -> Iterator[Statement]:
    """Who is not compared because it states no figure for the limits, and who because it never keeps them."""
    metrics, several = limits.metrics(found.limits), found.asked.group == DEPLOYMENT
    for stated, kind, words in (
        (False, "unknown", f"Left out, since they do not state {metrics}"),
        (True, "beyond", "Never within the limits"),
    ):
        missed = [names.of_best(found.asked.group, one) for one in found.missed if one.stated is stated]
        own = list(dict.fromkeys(missed))
        told = f"{counted(len(missed), 'deployment')} on {joined(own)}" if several else joined(own)
        if missed:
            yield caveat(kind, f"{words}: {told}.", groups=len(own))
