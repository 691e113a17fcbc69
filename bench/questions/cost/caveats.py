"""What a cost answer stands on: the prices' age and terms, what is unlike, flagged, worked out or left out."""

from __future__ import annotations

import json
from collections import Counter

from bench.chart import value_label
from bench.flags import words as flag_words
from bench.pricing import terms_in_words
from bench.questions.cost import bars, conditions
from bench.questions.cost.defaults import DEPLOYMENT, Asked
from bench.questions.cost.deployments import Found
from bench.questions.cost.operating import Missed
from bench.questions.cost.rates import KINDS
from bench.wording import counted, inline, joined


def caveats(found: Found) -> list[str]:
    """What the prices stand on, what is unlike, flagged, worked out or left out, and how many."""
    tally, told = found.tally, []
    if found.deployments:
        told += [*_of_prices(found), *_of_points(found)]
    if found.unpriced and found.deployments:
        names = [value_label("accelerator", chip) for chip in found.unpriced]
        told.append(f"No price in force for {joined(names)}: no bar.")
    reasons = [
        (tally.no_rate, f"without a throughput of {KINDS[found.asked.tokens].words}"),
        (tally.no_chips, "without accelerator or chip count"),
        (tally.other_evidence, "not measured"),
        (
            tally.no_limit_metric,
            f"without {joined([inline(metric) for metric, _ in found.asked.limits], last='or')}",
        ),
    ]
    left_out = [f"{count:,} {words}" for count, words in reasons if count]
    if left_out:
        told.append(f"Of {counted(tally.selected, 'selected point')} left out: {joined(left_out)}.")
    told += _of_missed(found)
    undrawn = bars.undrawn([row["median"] for row in found.deployments])
    if undrawn:
        told.append(f"{counted(undrawn, 'dearer deployment')} without a bar, in the table.")
    if found.groups > len(found.points):
        told.append(f"The {len(found.points)} cheapest of {found.groups:,} deployments are priced.")
    return told


def _of_missed(found: Found) -> list[str]:
    """Who is not compared because it states no figure for the limits, and who because it never keeps them."""
    if not found.tally.entering:
        return []
    limits = found.asked.limits
    silent, beyond = (
        joined(list(dict.fromkeys(_named(one, found.asked) for one in found.missed if one.stated is stated)))
        for stated in (False, True)
    )
    on = joined([inline(metric) for metric, _ in limits])
    told = []
    if silent:
        told.append(f"Not compared, for {on} {'is' if len(limits) == 1 else 'are'} not stated: {silent}.")
    if beyond:
        told.append(f"Never within the {'limit' if len(limits) == 1 else 'limits'}: {beyond}.")
    return told


def _named(one: Missed, asked: Asked) -> str:
    chip = value_label("accelerator", one.accelerator)
    if asked.group in ("accelerator", DEPLOYMENT):
        return chip
    value = {"true": True, "false": False, "": None}.get(one.owner, one.owner)
    return f"{conditions.group_words(asked.group, {asked.group: value})} on {chip}"


def _of_prices(found: Found) -> list[str]:
    """Age and terms of the quotes, and those for more chips than a deployment has."""
    quotes = found.quotes
    told = []
    kinds = [terms_in_words(terms).replace(",", "") for terms in sorted({quote.terms for quote in quotes})]
    if len(kinds) > 1:
        told.append(f"Prices of unlike terms: {joined(kinds, at_most=9)}.")
    elif kinds == ["unstated"]:
        told.append("The prices' terms are not stated.")
    undated = sum(quote.as_of is None for quote in quotes)
    days = sorted(quote.as_of for quote in quotes if quote.as_of is not None)
    span = f"{days[0]}" if days and days[0] == days[-1] else f"{days[0]} to {days[-1]}" if days else ""
    ages = [f"{len(days)} as of {span}"] if days else []
    ages += [f"{undated} undated"] if undated else []
    told.append(f"{counted(len(quotes), 'price')}: {joined(ages)}.")
    names = ("book", "provider", "terms", "region", "instance", "accelerator", "usd_per_accelerator_hour")
    above = (row for row in found.rows if row["quoted_for"] > row["accelerators"])
    larger = len({tuple(row[name] for name in names) for row in above})
    if larger:
        told.append(
            f"{counted(larger, 'price')} {'is' if larger == 1 else 'are'} for more chips than the deployment has, taken"
            " per chip."
        )
    return told


def _of_points(found: Found) -> list[str]:
    told = []
    mixed = conditions.unlike(found.points, found.asked.group)
    if mixed:
        told.append(f"Unlike deployments are compared: {'; '.join(mixed)}.")
    derived = sum(bool(row["derived"]) for row in found.points)
    if derived:
        told.append(
            f"Prompt tokens of {counted(derived, 'deployment')} worked out as output x input length / output length."
        )
    if found.asked.any_evidence:
        others = Counter(row["evidence"] for row in found.points if row["evidence"] != "measured")
        if others:
            told.append(f"Not measured, drawn open: {joined([f'{n} {kind}' for kind, n in others.items()])}.")
    flagged = [flag for row in found.points for flag in json.loads(row["flags"] or "[]")]
    if len(found.points) == 1 and flagged:
        told.append(
            f"The operating point has {counted(len(flagged), 'flag')}: {' '.join(flag['seen'] for flag in flagged)}"
        )
    elif flagged:
        points = sum(bool(conditions.flag_kinds(row)) for row in found.points)
        kinds = joined([flag_words(kind) for kind in dict.fromkeys(flag["kind"] for flag in flagged)])
        told.append(f"{points} of {counted(len(found.points), 'operating point')} flagged: {kinds}.")
    days = sorted({str(row["date"])[:10] for row in found.points if row["date"] is not None})
    if len(days) > 1:
        engines = any(
            len({row[key] for row in found.points} - {None}) > 1 for key in ("engine", "engine_version")
        )
        told.append(
            f"Measured between {days[0]} and {days[-1]}{', on unlike engines or versions' if engines else ''}."
        )
    return told
