"""What a cost answer says first: what a million tokens cost, on what, at whose price; and the words all of it uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.chart import value_label
from bench.maths.grid import TIE
from bench.pricing import terms_in_words
from bench.questions.cost import conditions
from bench.questions.cost.defaults import DEPLOYMENT, Asked
from bench.questions.cost.deployments import Found
from bench.questions.cost.rates import KINDS
from bench.wording import counted, inline, joined, number, share


def million(found: Found) -> str:
    """What is priced: "A million output tokens of Gemma 4 31B BF16 at 512/256"."""
    about = _about(found.points)
    return f"A million {KINDS[found.asked.tokens].words}{' of ' + about if about else ''}"


def headline(found: Found) -> str:
    """The one sentence: what a million tokens cost, on what, at whose price."""
    tally = found.tally
    if not tally.selected:
        return "No point is selected."
    if not tally.entering:
        return _none_enters(found)
    if not found.deployments:
        return _none_priced(found)
    lead = found.lead
    own = f"{where(lead, found, *under(lead, found))} {_use(found.asked)}"
    left = _not_compared(found)
    if len(found.deployments) == 1:
        return f"{million(found)} cost {spread(lead['lowest'], lead['highest'])} on {own}: {_quotes(lead)}{left}."
    second = found.deployments[1]
    if second["median"] / lead["median"] <= 1 + TIE:
        both = joined([where(row, found, *under(row, found)) for row in (lead, second)])
        return (
            f"{million(found)} cost the same within 1 % on {both} {_use(found.asked)}: {usd(lead['median'])}, each at"
            f" its median quote{left}."
        )
    others = [row["median"] for row in found.deployments[1:]]
    rest = f"{spread(min(others), max(others))} on {len(others)} others"
    if len(others) == 1:
        rest = f"{usd(others[0])} on {where(second, found, *under(second, found))}"
    return f"{million(found)} cost least on {own}: {usd(lead['median'])}{_by(lead)}, against {rest}{left}."


def under(row: Mapping[str, Any], found: Found) -> list[str]:
    """What a cost's operating point is like: its flags, and without a limit its latencies; what is stated."""
    seen = "" if found.asked.limits else conditions.latency_words(row["latencies"])
    return [word for word in (seen, conditions.flagged(row)) if word]


def _not_compared(found: Found) -> str:
    """How many groups the limits leave out of a comparison: "; 3 more state no p90 interactivity"."""
    told = []
    silent = sum(not one.stated for one in found.missed)
    beyond = len(found.missed) - silent
    if silent:
        metrics = joined([inline(metric) for metric, _ in found.asked.limits], last="or")
        told.append(f"{silent} more {'states' if silent == 1 else 'state'} no {metrics}")
    if beyond:
        told.append(f"{beyond} more {'does' if beyond == 1 else 'do'} not keep {_the_limit(found.asked)}")
    return f"; {joined(told)}" if told else ""


def _the_limit(asked: Asked) -> str:
    return "the limit" if len(asked.limits) == 1 else "the limits"


def _by(lead: Mapping[str, Any]) -> str:
    """The prices behind a deployment's cost: " at the median of 6 quotes"."""
    if not lead["offered"]:
        return " at a modelled price"
    return " at one quote" if lead["quotes"] == 1 else f" at the median of {lead['quotes']} quotes"


def _about(points: Sequence[Mapping[str, Any]]) -> str:
    models = list(dict.fromkeys(value_label("model", row["model"]) for row in points if row["model"]))
    words = joined(models) if len(models) <= 2 else counted(len(models), "model")
    precisions = {row["precision"] for row in points}
    if len(precisions) == 1 and None not in precisions:
        words += f" {precisions.pop().upper()}"
    workloads = {(row["isl"], row["osl"]) for row in points}
    if len(workloads) == 1:
        isl, osl = workloads.pop()
        if isl is not None and osl is not None:
            words += f" at {number(isl)}/{number(osl)}"
    return words.strip()


def _quotes(lead: Mapping[str, Any]) -> str:
    """The quotes behind one deployment's range: "6 quotes, the cheapest Lambda's at 2.49 USD/h per chip"."""
    price = f"{number(lead['cheapest']['usd_per_accelerator_hour'])} USD/h per chip"
    if not lead["offered"]:
        return f"{counted(lead['quotes'], 'modelled cost')} and no offer, the lowest {price}"
    name, terms = lead["cheapest"]["provider"], terms_in_words(lead["cheapest"]["terms"])
    if lead["quotes"] == 1:
        return f"one quote, {name}'s at {price} ({stated(terms)})"
    return f"{lead['quotes']} quotes, the cheapest {name}'s at {price} ({stated(terms)})"


def stated(terms: str) -> str:
    """Terms in a sentence: "on demand", "terms unstated"."""
    return "terms unstated" if terms == "unstated" else terms


def chips(row: Mapping[str, Any]) -> str:
    """The hardware of a deployment: "one H100 SXM", "8 x H200 SXM"."""
    count, name = int(row["accelerators"]), value_label("accelerator", row["accelerator"])
    return f"one {name}" if count == 1 else f"{count} x {name}"


def where(row: Mapping[str, Any], found: Found, *told: str) -> str:
    """What a cost is on: the hardware or the group's words; in brackets the model of several, variant and `told`."""
    group = found.asked.group
    words = [_variant(row, group)]
    if group in ("accelerator", DEPLOYMENT):
        model = value_label("model", row["model"]) if found.models > 1 and row["model"] else ""
        engine = value_label("engine", row["engine"]) if group == DEPLOYMENT and row["engine"] else ""
        words = [model, engine, *words]
    about = [", ".join(word for word in words if word), *told]
    name = chips(row) if group in ("accelerator", DEPLOYMENT) else row["deployment"]
    stated = "; ".join(word for word in about if word)
    return f"{name} ({stated})" if stated else str(name)


def _variant(row: Mapping[str, Any], group: str) -> str:
    return str(row["variant"]) if row["variant"] and group != "variant" else ""


def _use(asked: Asked) -> str:
    used = "at full use" if asked.utilisation == 1 else f"used to {share(asked.utilisation)}"
    if not asked.limits:
        return f"{used} and peak throughput, whatever the latency"
    return f"{used} with {limit_words(asked)}"


def limit_words(asked: Asked) -> str:
    """The reader's limits: "median interactivity of 50 tokens/s/user or more"."""
    return joined(
        [
            f"{inline(metric)} of {number(limit)} {metric.unit} or {'less' if metric.direction == 'lower' else 'more'}"
            for metric, limit in asked.limits
        ]
    )


def _none_enters(found: Found) -> str:
    """Why no selected point can be priced, and what to do."""
    tally, asked = found.tally, found.asked
    of = (
        "the selected point"
        if tally.selected == 1
        else f"any of the {counted(tally.selected, 'selected point')}"
    )
    if tally.beyond_limit or tally.no_limit_metric:
        limits = limit_words(asked)
        return f"{limits[0].upper()}{limits[1:]} was not measured for {of}; ease {_the_limit(asked)}."
    if tally.other_evidence:
        return f"No throughput was measured for {of}; choose their evidence in the filters to price them all the same."
    if tally.no_chips:
        return f"Accelerator and chip count are not stated for {of}, so nothing can be priced; choose others."
    return f"No throughput of {KINDS[asked.tokens].words} is stated for {of}; choose other tokens or other models."


def _none_priced(found: Found) -> str:
    """Which accelerators lack a price, and where there is one."""
    named = joined([value_label("accelerator", chip) for chip in found.unpriced])
    books = sorted({book for own in found.elsewhere.values() for book in own})
    if not books:
        return (
            f"No price of {named} is loaded, so a token has no cost there; add one to a book in data/prices."
        )
    asked = found.asked
    kind = f" {terms_in_words(asked.terms)}" if asked.terms else ""
    has = "has one" if len(books) == 1 else "have one"
    lacks = f"{asked.book} has no" if asked.book else "No book has a"
    whose, wider = (f" by {asked.provider}", ", every provider") if asked.provider else ("", "")
    choose = f"choose every book{wider} and every terms"
    return f"{lacks}{kind} price{whose} of {named}; {joined(books)} {has}, so {choose}."


def spoken_volume(volume: float) -> str:
    """A count of tokens: "100 million", "1.5 billion"."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if volume >= size:
            return f"{number(volume / size)} {word}"
    return number(volume)


def spread(low: float, high: float) -> str:
    """Two costs as a range: "0.549 to 1.19 USD"."""
    return usd(low) if number(low) == number(high) else f"{number(low)} to {usd(high)}"


def usd(value: float, unit: str = "USD") -> str:
    """An amount with its unit."""
    return f"{number(value)} {unit}"


def cents(value: float) -> str:
    """An amount of a bill to the cent, without cents where it has none or is of five digits."""
    is_whole = value >= 10_000 or round(value, 2).is_integer()
    return f"{value:,.0f}" if is_whole else f"{value:,.2f}"
