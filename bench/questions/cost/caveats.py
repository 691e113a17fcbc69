"""What a cost answer stands on: limits, prices and their age, and what is unlike, flagged, worked out or left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from bench import flags
from bench.basis import likeness, limits, prices, wording
from bench.basis.statement import Statement, caveat
from bench.questions.cost.names import of_best
from bench.questions.cost.result import Cost
from bench.wording import counted, is_or_are, joined

NOT_COMPARED = ("accelerator", "chips", "layout", "load", "engine_version")
"""What every deployment chooses for itself, and so is not told as unlike."""


def told(found: Cost, *, opening: bool) -> Iterator[Statement]:
    """The caveats of an answer with a cost; `opening` says that the limits are those that the page opens with."""
    text = "Priced at peak throughput, whatever the latency."
    own = " They are Kneepoint's choice where nothing is asked; change them under Limits." if opening else ""
    if found.limits:
        text = f"Priced within limits: {limits.words(found.limits)}.{own}"
    yield caveat("limits", text, limits=len(found.limits), opening=opening)
    known = {one.price.accelerator: one.price for one in found.deployments}
    yield from prices.told(found.choice, known, [*known, *found.unpriced])
    yield from _of_prices(found)
    yield from _of_points(found)
    yield from _of_missed(found)
    if found.groups > len(found.deployments):
        text = f"The {len(found.deployments)} cheapest of {found.groups:,} deployments are priced."
        yield caveat("most", text, groups=found.groups)


def _of_prices(found: Cost) -> Iterator[Statement]:
    """Age and terms of the quotes, and those for more chips than a deployment has."""
    every = list(dict.fromkeys(one.quote for own in found.deployments for one in own.quotes))
    terms = [prices.terms_in_words(one).replace(",", "") for one in sorted({one.terms for one in every})]
    if len(terms) > 1:
        yield caveat("unlike_terms", f"Prices of unlike terms: {joined(terms, at_most=9)}.")
    days = sorted(str(one.as_of) for one in every if one.as_of is not None)
    ages = [f"{len(days)} as of {' to '.join(dict.fromkeys((days[0], days[-1])))}"] if days else []
    ages += [f"{len(every) - len(days)} undated"] if len(days) < len(every) else []
    yield caveat("ages", f"{prices.counted_quotes(len(every))}: {joined(ages)}.", quotes=len(every))
    larger = {one.quote for own in found.deployments for one in own.quotes
              if one.quote.accelerators > own.point.accelerators}  # fmt: skip
    if larger:
        text = f"{prices.counted_quotes(len(larger))} {is_or_are(len(larger))} for more chips than the deployment has"
        yield caveat("larger_quotes", f"{text}, taken per chip.", quotes=len(larger))


def _of_points(found: Cost) -> Iterator[Statement]:
    """What is unlike between the operating points, worked out, not measured, flagged, or measured long apart."""
    group = {"accelerators": "chips", "tp": "layout"}.get(found.asked.group, found.asked.group)
    if unlike := likeness.mixed(found.facts, (*NOT_COMPARED, group)):
        yield caveat("unlike", f"Unlike deployments are compared: {'; '.join(unlike)}.", facts=len(unlike))
    if derived := sum(one.is_derived for one in found.deployments):
        text = f"Prompt tokens of {counted(derived, 'deployment')} worked out as output x input length / output length."
        yield caveat("derived", text, deployments=derived)
    others = Counter(one.evidence for one in found.facts if one.evidence != "measured")
    if others:
        listed = joined([f"{many} {kind}" for kind, many in others.items()])
        yield caveat("not_measured", f"Not measured, drawn open: {listed}.")
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
    silent, beyond = (
        list(dict.fromkeys(of_best(found.asked.group, one) for one in found.missed if one.stated is stated))
        for stated in (False, True)
    )
    if silent:
        text = f"Not compared, for {limits.metrics(found.limits)} is not stated: {joined(silent)}."
        yield caveat("unknown", text, groups=len(silent))
    if beyond:
        yield caveat("beyond", f"Never within the limits: {joined(beyond)}.", groups=len(beyond))
