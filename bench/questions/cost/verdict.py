"""What a cost answer says: the cheapest deployment, the price of latency, a volume's bill, an API beside it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from bench import flags
from bench.basis import evidence, likeness, limits, prices, wording
from bench.basis.narrator import Narrator
from bench.basis.stated_share import StatedShare
from bench.basis.statement import Statement
from bench.maths.grid import TIE
from bench.questions.cost import labels
from bench.questions.cost.priced import DEPLOYMENT
from bench.questions.cost.result import KINDS, Api, Cost, PricedDeployment
from bench.questions.cost.words import WORDS
from bench.questions.operating_points import NO_CHIPS, NO_RATE
from bench.wording import number

SAY = Narrator(WORDS)

FINDINGS = 5
"""So many findings are said, the first."""

DEARER = 1.15
"""The price of latency is told from this many times the peak's cost on, at up to three limits."""

IDLE = 0.5
"""The bill of what is cheapest per token is told beside the cheapest bill where it would be used less than this."""

NOT_COMPARED = ("accelerator", "chips", "layout", "load", "engine_version")
"""What every deployment chooses for itself, and so is not told as unlike."""


def statements(costs: Cost, known: StatedShare) -> Iterator[Statement]:
    """Verdict, findings and notes; `known` is how many of the selected points decide."""
    if not costs.deployments:
        yield from _none(costs)
    else:
        yield _verdict(costs, known)
    if costs.is_decided:
        yield from islice(_findings(costs), FINDINGS)
        yield from _of_api(costs)
    yield from evidence.left_out(costs.tally)
    if costs.deployments:
        yield from _of_prices(costs)
        yield from _of_points(costs)


def _verdict(costs: Cost, known: StatedShare) -> Statement:
    """Which deployment is the cheapest, that two are alike, what the only one costs, or why none is the cheapest."""
    lead, usd = costs.lead, costs.lead.usd_per_million
    said: dict[str, Any] = {"tokens": costs.asked.kind.words, **known.values}
    if not costs.is_decided:
        said |= {"lowest": usd, "highest": costs.deployments[-1].usd_per_million}
        if not costs.unlike:
            return SAY.verdict("undecided", **said)
        return SAY.verdict("undecided_unlike", unlike=[one.fact.several for one in costs.unlike], **said)
    said |= {"who": labels.name(costs, lead), "usd_per_million": usd}
    if len(costs.deployments) == 1:
        quotes = [one.usd_per_million for one in lead.offers]
        return SAY.verdict("one", [lead.facts], lowest=quotes[0], highest=quotes[-1], quotes=len(quotes), **said)
    second = costs.deployments[1]
    ratio = second.usd_per_million / usd
    said |= {"second": labels.name(costs, second), "second_usd_per_million": second.usd_per_million, "ratio": ratio}
    kind = "even" if wording.is_tie(ratio) else "cheapest" if said["who"] != said["second"] else "cheapest_of_like"
    return SAY.verdict(kind, [lead.facts, second.facts], **said)


def _none(costs: Cost) -> Iterator[Statement]:
    """Why no selected point can be priced, and what other prices there are."""
    tally, words = costs.tally, costs.asked.kind.words
    unknown, beyond = tally.of("unknown_limit"), tally.of("beyond_limit")
    if costs.unpriced:
        terms, whose = prices.adjective(costs.choice), [{"one": one} for one in costs.choice.whose]
        yield SAY.untold("none_priced", accelerators=list(costs.unpriced), terms=terms, whose=whose)
        if costs.priced_as:
            yield SAY.note("priced_as", terms=[{"one": prices.terms_in_words(one)} for one in costs.priced_as])
    elif unknown or beyond:
        kind, many = "beyond_limit" if beyond else "unknown_limit", len(costs.limits)
        yield SAY.untold(kind, points=unknown + beyond, limits=many, metrics=limits.metrics(costs.limits))
    elif tally.selected:
        whole = (code for code in ("other_evidence", NO_CHIPS, NO_RATE) if tally.of(code) == tally.selected)
        yield SAY.untold(next(whole, "none_enters"), points=tally.selected, tokens=words)
    else:
        yield SAY.untold("nothing")


def _findings(costs: Cost) -> Iterator[Statement]:
    """What else was found of the cheapest deployment, best first."""
    lead, serving = costs.lead, costs.serving
    if lead.speeds:
        speeds = [{"metric": key, "value": value} for key, value in lead.speeds.items()]
        yield _finding(costs, "speeds", lead, speeds=speeds)
    if costs.api:
        yield _against_api(costs, costs.api)
    if costs.limits and costs.peak:
        times = lead.usd_per_million / costs.peak
        yield _finding(costs, "limits_free" if times <= 1 + TIE else "limits_cost", lead, times=times)
    if serving:
        bill, idle = serving.charge.rented, lead.charge.rented
        used = {"millions": costs.asked.volume / 1e6, "instances": bill.instances, "used": bill.utilisation}
        yield _finding(costs, "volume", serving, usd_per_day=bill.usd_per_day, **used)
        if idle.usd_per_day > bill.usd_per_day and (idle.utilisation or 1) < IDLE:
            yield _finding(costs, "volume_on_cheapest", lead, usd_per_day=idle.usd_per_day, used=idle.utilisation)
    yield from _latency(costs)
    if len(costs.deployments) == 1 and len(lead.offers) > 1:
        ends = {"lowest": lead.offers[0].usd_per_million, "highest": lead.offers[-1].usd_per_million}
        yield _finding(costs, "quotes", lead, quotes=len(lead.offers), **ends)
    bargain = min(costs.deployments, key=lambda one: one.offers[0].usd_per_million)
    usd, quote = bargain.offers[0].usd_per_million, bargain.offers[0].quote
    if bargain is not lead and not quote.is_modelled:
        yield _finding(costs, "bargain", bargain, quote=prices.quoted(quote), usd_per_million=usd)


def _finding(costs: Cost, kind: str, one: PricedDeployment, **values: Any) -> Statement:
    return SAY.finding(kind, [one.facts], who=labels.name(costs, one), tokens=costs.asked.kind.words, **values)


def _latency(costs: Cost) -> Iterator[Statement]:
    """What a token costs within harder and harder limits on one metric; of limits that cost the same the hardest."""
    metric, lead = costs.asked.latency, costs.lead
    harder = list({number(one.usd_per_million): one for one in costs.ladder if one.times >= DEARER}.values())
    if metric is None or not harder:
        return
    shown = [harder[place] for place in dict.fromkeys((0, len(harder) // 2, len(harder) - 1))]
    rungs = [{"usd_per_million": one.usd_per_million, "limit": one.limit, "metric": metric.key} for one in shown]
    if costs.asked.group == DEPLOYMENT:
        yield _finding(costs, "latency", lead, metric=metric.key, rungs=rungs)
        return
    who = labels.of_group(costs.asked.group, lead.group, lead.point.accelerator)
    who = f"{who} (modelled price)" if lead.price.modelled else who
    yield SAY.finding("latency", who=who, tokens=costs.asked.kind.words, metric=metric.key, rungs=rungs)


def _against_api(costs: Cost, api: Api) -> Statement:
    """From which volume on renting costs less than the API, if from any."""
    even, usd = api.even, api.own.usd_per_million
    if even is None:
        return _finding(costs, "api_never", api.own, usd_per_million=usd)
    used = {"tokens_per_day": even.first, "millions": even.first / 1e6, "used": even.first / even.capacity}
    return _finding(costs, "api", api.own, **used)


def _of_api(costs: Cost) -> Iterator[Statement]:
    """What the API's price is of, and up to where it is cheaper again after each step; that it cannot be compared."""
    asked, api, tokens = costs.asked, costs.api, costs.asked.kind.words
    if api is None:
        if any(price is not None for price in asked.api_sides):
            yield SAY.note("api_unknown")
        return
    kind = "api_price_with" if api.with_each else "api_price"
    kind = "api_price_alone" if asked.api_sides[1] is None else kind
    others = KINDS["input" if asked.tokens == "output" else "output"].words
    yield SAY.note(kind, usd_per_million=api.usd_per_million, tokens=tokens, others=others, with_each=api.with_each)
    many, again = (api.even.settled_instances, api.even.settled) if api.even else (None, None)
    if again is not None and many is not None and many > 1:
        yield SAY.note("api_again", tokens_per_day=again, millions=again / 1e6, instances=many, tokens=tokens)


def _of_prices(costs: Cost) -> Iterator[Statement]:
    """That there is no limit, what the prices are, and age and size of the quotes behind them."""
    if not costs.limits:
        yield SAY.note("limits", limits=0)
    known = {one.price.accelerator: one.price for one in costs.deployments}
    yield from prices.statements(costs.choice, known, [*known, *costs.unpriced])
    quotes = {(one.quote, own.point.accelerators) for own in costs.deployments for one in own.quotes}
    every, larger = {one for one, _ in quotes}, {one for one, chips in quotes if one.accelerators > chips}
    days = [one.as_of for one in every if one.as_of is not None]
    undated = len(every) - len(days)
    yield SAY.note("ages" if days else "undated", quotes=len(every), undated=undated, oldest=str(min(days, default="")))
    if larger:
        yield SAY.note("larger_quotes", quotes=len(larger))


def _of_points(costs: Cost) -> Iterator[Statement]:
    """What is unlike between the deployments, worked out, not measured, flagged, long apart, left out or not shown."""
    facts, group, many = costs.facts, costs.asked.group, len(costs.deployments)
    unlike = likeness.mixed(facts, (*NOT_COMPARED, {"accelerators": "chips", "tp": "layout"}.get(group, group)))
    if unlike:
        yield SAY.note("unlike", facts=len(unlike), unlike=[{"one": one} for one in unlike])
    if derived := sum(one.is_derived for one in costs.deployments):
        yield SAY.note("derived", deployments=derived)
    if others := [one for one in facts if one.evidence != "measured"]:
        yield SAY.note("not_measured", points=len(others))
    flagged = [one for one in facts if flags.printed(one.flag_kinds)]
    if flagged and many > 1:
        yield SAY.note("flags", flagged, flagged=len(flagged), deployments=many)
    days = sorted(one.date for one in facts if one.date is not None)
    if days and (apart := (days[-1] - days[0]).days) > likeness.DAYS_APART:
        yield SAY.note("apart", first=str(days[0]), last=str(days[-1]), days=apart)
    for stated, kind in ((False, "unknown"), (True, "beyond")):
        missed = [one for one in costs.missed if one.stated is stated]
        groups = list(dict.fromkeys(labels.of_group(group, one.group, one.accelerator) for one in missed))
        if groups:
            yield SAY.note(kind, metrics=limits.metrics(costs.limits), groups=groups)
    if costs.groups > many:
        yield SAY.note("most", deployments=many, groups=costs.groups)
