"""What a cost answer says beyond its headline: providers, the price of latency, a volume's bill, and an API's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.chart import value_label
from bench.maths import cost
from bench.maths.grid import TIE
from bench.pricing import terms_in_words
from bench.questions.cost import bills, conditions, deployments, sentences
from bench.questions.cost.bills import PER_DOLLAR
from bench.questions.cost.defaults import API_PRICES, DEPLOYMENT
from bench.questions.cost.deployments import Found, is_modelled
from bench.questions.cost.rates import KINDS
from bench.wording import counted, inline, joined, number, share

LISTED, LISTED_LONG = 8, 5
"""A ranking names up to this many deployments, fewer where their names are long."""

LEAST_TOLD, MOST_LEVELS = 1.15, 3
"""The price of latency is told from this many times the peak's cost on, at up to three limits."""


def findings(found: Found) -> list[str]:
    """Ranking, price of latency, the bill of the volume both ways, the break-even, and modelled costs."""
    if not found.deployments:
        return []
    return [
        *_operating(found),
        *_spread(found),
        *_ranking(found),
        *_latency(found),
        *_bill(found),
        *_against_api(found),
        *_modelled(found),
    ]


def _operating(found: Found) -> list[str]:
    """The latency at which the first deployment is priced, and the worst among the others'."""
    priced = {row["point_id"]: row for row in found.deployments}
    points = [point for point in found.points if point["point_id"] in priced]
    extreme = [point for point in conditions.slowest(points) if point["point_id"] != found.lead["point_id"]]
    told = [
        f"{sentences.chips(row)} with {words}{_engine(row)}"
        for row in (found.lead, *(priced[point["point_id"]] for point in extreme))
        if (words := conditions.latency_words(row["latencies"]))
    ]
    if len(priced) < 2 or not told:
        return []
    slowest = f"; the slowest of the others: {joined(told[1:])}" if told[1:] else ""
    return [f"Priced at unlike speeds: {told[0]}{slowest}."]


def _engine(row: Mapping[str, Any]) -> str:
    return f" ({value_label('engine', row['engine'])})" if row["engine"] else ""


def _spread(found: Found) -> list[str]:
    """What the first deployment costs at each quote, or at the ends of many; and a bargain elsewhere."""
    lead, key = found.lead, found.asked.usd.key
    own = [row for row in found.rows if row["point_id"] == lead["point_id"]]
    offers = [row for row in own if not is_modelled(row)]
    told = []
    if 1 < len(offers) <= LISTED:
        named = [f"{_quoted(row, offers)} {number(row[key])}" for row in offers]
        told.append(
            f"By provider, in USD per million on {sentences.chips(lead)}: {joined(named, at_most=LISTED)}."
        )
    elif offers and len(offers) > 1:
        first, last = offers[0], offers[-1]
        told.append(
            f"The dearest of {counted(len(offers), 'quote')} for {sentences.chips(lead)} is"
            f" {number(last[key] / first[key])} times the cheapest: {_priced(last)} against {_priced(first)}."
        )
    bargain = min(found.deployments, key=lambda row: float(row["usd_per_million"]))
    if bargain is not lead and bargain["offered"]:
        price, there = _priced(bargain["cheapest"]), sentences.usd(bargain["usd_per_million"])
        told.append(
            f"The cheapest single quote is another's: {price} makes it {there} on {sentences.where(bargain, found)},"
            f" whose median is {number(bargain['median'])}."
        )
    return told


def _quoted(row: Mapping[str, Any], offers: Sequence[Mapping[str, Any]]) -> str:
    """A quote's provider, with what tells it from the same provider's others."""
    same = [one for one in offers if one["provider"] == row["provider"]]
    if len(same) == 1:
        return str(row["provider"])
    for key in ("terms", "instance", "region", "book"):
        if len({one[key] for one in same}) == len(same):
            words = terms_in_words(row[key]) if key == "terms" else row[key]
            return f"{row['provider']} ({words})" if words else str(row["provider"])
    return f"{row['provider']} (at {number(row['usd_per_accelerator_hour'])} USD/h)"


def _priced(row: Mapping[str, Any]) -> str:
    """A quote in words: "Lambda's 2.49 USD/h per chip (on demand)"."""
    return (
        f"{row['provider']}'s {number(row['usd_per_accelerator_hour'])} USD/h per chip"
        f" ({sentences.stated(terms_in_words(row['terms']))})"
    )


def _ranking(found: Found) -> list[str]:
    lead = found.lead
    words = KINDS[found.asked.tokens].words
    if len(found.deployments) == 1:
        return [
            f"A dollar an hour buys {number(round(lead[PER_DOLLAR]))} {words} a second, fully used, at the cheapest"
            f" quote: {number(lead['tokens_per_s'])} for {sentences.usd(lead['cheapest']['usd_per_hour'], 'USD/h')}."
        ]
    ranked = sorted(found.deployments, key=lambda row: -row[PER_DOLLAR])
    most = LISTED_LONG if found.asked.group == DEPLOYMENT else LISTED
    named = [f"{number(round(row[PER_DOLLAR]))} on {row['deployment']}" for row in ranked[:most]]
    rest = f"; {len(ranked) - most} more give less" if len(ranked) > most else ""
    return [
        f"{words[0].upper()}{words[1:]} a second for each dollar an hour, fully used, each at its cheapest quote:"
        f" {'; '.join(named)}{rest}."
    ]


def _limits(found: Found) -> list[str]:
    """What the reader's limits cost the first deployment."""
    asked, lead = found.asked, found.lead
    if not asked.limits or not found.peak:
        return []
    several = len(asked.limits) > 1
    times = found.peak / (lead["tokens_per_s"] / lead["accelerators"])
    subject, them = ("The limits", "them") if several else ("The limit", "it")
    if times <= 1 + TIE:
        told = f"{subject} {'cost' if several else 'costs'} nothing: the peak keeps {them}"
    else:
        told = (
            f"{subject} {'make' if several else 'makes'} a token {number(times)} times as dear as at the peak"
        )
    return [f"{told}, on {lead['deployment']}."]


def _latency(found: Found) -> list[str]:
    asked, lead = found.asked, found.lead
    told = _limits(found)
    dearer = [row for row in found.ladder if row["times_the_peak_cost"] >= LEAST_TOLD]
    if not dearer or asked.limit_on is None:
        return told
    places = dict.fromkeys((0, len(dearer) // 2, len(dearer) - 1))
    more = "or less" if asked.limit_on.direction == "lower" else "or more"
    parts: list[str] = []
    for row in (dearer[place] for place in places):
        cost_there = sentences.usd(deployments.at_rate(lead, row["tokens_per_s_per_accelerator"]))
        limit = f"{number(row['limit'])} {asked.limit_on.unit} {more}" if not parts else number(row["limit"])
        parts.append(f"{cost_there} at {limit} ({number(row['times_the_peak_cost'])} times the peak's)")
    alone = " alone" if asked.limits else ""
    return [
        *told,
        f"Latency has its price: with a limit on {inline(asked.limit_on)}{alone}, a million on"
        f" {lead['deployment']} cost {joined(parts)}.",
    ]


def _bill(found: Found) -> list[str]:
    lead, volume = found.lead, sentences.spoken_volume(found.asked.volume)
    own = lead["cheapest"]
    rented, used = own["rented_usd_per_day"], own["used_usd_per_day"]
    if rented is None or used is None:
        return []
    whose = f"{own['provider']}'s" if lead["offered"] else "a modelled"
    price = f"{whose} {sentences.usd(own['usd_per_hour'], 'USD/h')}"
    return [
        f"{volume} {KINDS[found.asked.tokens].words} a day on {sentences.where(lead, found)} at {price}:"
        f" {counted(own['rented_instances'], 'instance')} rented around the clock,"
        f" {used_share(own['rented_share'])} used,"
        f" {sentences.cents(rented)} USD a day or {sentences.cents(rented * cost.DAYS_PER_MONTH)} a month; if only used"
        f" tokens were paid, {sentences.cents(used)} a day or {sentences.cents(used * cost.DAYS_PER_MONTH)} a month."
    ]


def used_share(ratio: float) -> str:
    """A utilisation in percent with one decimal: "91.9 %"."""
    return f"{ratio * 100:.1f} %"


def _against_api(found: Found) -> list[str]:
    asked, api, lead = found.asked, found.api, found.lead
    if asked.api_input is None and asked.api_output is None:
        return [
            "To see from which volume on this costs less than an API, state the API's price of output tokens"
            f' ("{API_PRICES["output"]}").'
        ]
    if api is None:
        lacking = "input" if asked.api_input is None else "output"
        return [
            f'To compare with the API, state its price of {lacking} tokens too ("{API_PRICES[lacking]}").'
        ]
    words = KINDS[asked.tokens].words
    priced = f"an API at {sentences.usd(api)} per million {words}{_all_in(found)}"
    own = f"{sentences.where(lead, found)} at {lead['cheapest']['provider']}'s price"
    even = found.even
    verdict = cost.cheaper(lead["usd_per_million"], api)
    if even is None:
        least = "is at best as dear" if verdict == "tie" else "is dearer at every volume"
        return [
            f"Against {priced}, {own} {least}: {sentences.usd(lead['usd_per_million'])} at best.",
            *_shared_out(found),
        ]
    told = (
        f"Against {priced}, {own} rented around the clock costs less from"
        f" {sentences.spoken_volume(even.first)} tokens a day on, {used_share(even.first / even.capacity)} of what one"
        f" instance can serve; if only used tokens were paid, {share(even.cost_ratio)} of the API's price at every"
        " volume."
    )
    if even.settled is not None and even.settled_instances and even.settled_instances > 1:
        told += (
            " Each further instance is a step up, so the API is cheaper again in between, up to"
            f" {sentences.spoken_volume(even.settled)} a day on {even.settled_instances:,} instances."
        )
    return [told, *_shared_out(found)]


def _shared_out(found: Found) -> list[str]:
    """The own cost of each side, weighed as the API weighs them."""
    asked, lead = found.asked, found.lead
    split = bills.shared_out(asked, found.lead_point, lead["cheapest"]["usd_per_hour"])
    if split is None or split.split_input is None or split.split_output is None:
        return []
    return [
        f"Shared out as the API does, the own cost is {sentences.usd(split.split_input)} per million input and"
        f" {sentences.usd(split.split_output)} per million output tokens, against {number(asked.api_input)} and"
        f" {number(asked.api_output)}."
    ]


def _all_in(found: Found) -> str:
    asked = found.asked
    if asked.tokens in ("blended", "total"):
        return " at this workload's mix"
    other = asked.api_input if asked.tokens == "output" else asked.api_output
    many = bills.with_each(asked, found.lead_point)
    kind = "prompt" if asked.tokens == "output" else "output"
    if other is None:
        return f", its {kind} tokens not counted"
    if not many:
        return ""
    return f", the {number(many)} {kind} {'token that comes' if many == 1 else 'tokens that come'} with each included"


def _modelled(found: Found) -> list[str]:
    spread = found.lead["modelled"]
    if not spread:
        return []
    there = sentences.where(found.lead, found)
    return [
        f"Modelled ownership costs, which nobody offers, would make it {sentences.spread(*spread)} on {there}."
    ]
