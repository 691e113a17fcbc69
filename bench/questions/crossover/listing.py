"""The answer without a chosen pair: the pairs of one model and workload that can be compared, and their verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from bench import names
from bench.chart import value_label
from bench.library import Library
from bench.questions.crossover import asked as asking
from bench.questions.crossover import chosen, defaults, divisors, headlines, pairs, reasons, sentences, versus
from bench.questions.crossover.asked import Asked, Per
from bench.questions.crossover.divisors import Prices
from bench.questions.crossover.pairs import Pair
from bench.selection import Clause
from bench.view import View
from bench.wording import counted, joined, number

COLUMNS = ("pair", "label_a", "label_b", "kind", "verdict", "crossing", "between", "from", "to",
           "a_lead_percent_low", "a_lead_percent_high", "knots", "a", "b")  # fmt: skip

DIVIDED_OTHERWISE = 40
"""Of so many pairs it is told how many cross per chip, dollar and watt."""


def told(library: Library, view: View, asked: Asked) -> chosen.Told:
    """Every pair's verdict, or why there is no pair."""
    narrowed = defaults.of_one_story(library, view, asked.a, asked.b)
    condition = asking.of_side(narrowed, None)
    pins = View(tuple(pair for pair in narrowed.where if pair not in view.where))
    found = pairs.candidates(library, view, condition, asked, pins)
    left = None
    if chosen_side := asked.a or asked.b:
        own = pins.with_where(**dict(chosen_side.where))
        left = pairs.candidates(library, view, asking.of_side(narrowed, chosen_side), asked, own)
    prices = divisors.prices(library, narrowed, asked, condition)
    listed, beyond = pairs.listed(found, left, asked, prices)
    about = _about(narrowed)
    otherwise = _otherwise(asked, listed, prices)
    listed_rows = [_row(place, pair, asked) for place, pair in enumerate(listed)]
    numbers = {
        "mode": "list",
        "along": asked.along,
        "metric": asked.metric.key,
        "per": asked.per,
        "unit": sentences.unit(asked),
        "better": asked.better,
        "candidates": len(found),
        "pairs": [{**row, **_more(pair)} for row, pair in zip(listed_rows, listed, strict=True)],
        "not_listed": beyond,
    }
    headline = (
        headlines.of_pairs(asked, listed, about, beyond, otherwise)
        if listed
        else _no_pair(library, condition, asked, found, left, about)
    )
    return chosen.Told(
        headline,
        pd.DataFrame(listed_rows, columns=list(COLUMNS)),
        _findings(asked, listed, otherwise),
        numbers,
        [*_caveats(view, narrowed, listed, beyond), *_priced(asked, listed, prices)],
        reasons.why(asked, prices),
    )


def _row(place: int, pair: Pair, asked: Asked) -> dict[str, Any]:
    found = pair.outcome.found
    crossings = [one for one in found.crossings if not one.within_tie] if found else []
    leads = [knot.lead_percent for knot in found.knots] if found else []
    first = crossings[0] if crossings else None
    overlap = found.overlap if found else None
    return {
        "pair": place,
        "label_a": pair.a.label,
        "label_b": pair.b.label,
        "kind": pair.outcome.kind,
        "verdict": sentences.brief(asked, pair.outcome, sentences.short((pair.a.label, pair.b.label))),
        "crossing": first.x if first else None,
        "between": f"{asking.place(first.below.x)} and {asking.place(first.above.x)}" if first else None,
        "from": overlap[0] if overlap else None,
        "to": overlap[1] if overlap else None,
        "a_lead_percent_low": min(leads, default=None),
        "a_lead_percent_high": max(leads, default=None),
        "knots": len(leads),
        "a": pair.a.value,
        "b": pair.b.value,
    }


def _more(pair: Pair) -> dict[str, Any]:
    found = pair.outcome.found
    return {
        "accelerator_a": pair.a.facts["accelerator"],
        "accelerator_b": pair.b.facts["accelerator"],
        "strip": [
            {"x": knot.x, "a": knot.y_a, "b": knot.y_b, "ratio": knot.y_a / knot.y_b, "lead_percent": knot.lead_percent,
             "tie": knot.tie, "settled": knot.settled}
            for knot in (found.knots if found else ())
        ],
        "crossings": [one.x for one in found.crossings if not one.within_tie] if found else [],
    }  # fmt: skip


def _about(view: View) -> str:
    models = [slug for value in view.values("model") for slug in names.matching("model", value)]
    words = value_label("model", models[0]) if len(models) == 1 else ""
    lengths = [view.values(key) for key in ("isl", "osl")]
    if all(len(values) == 1 for values in lengths):
        words += " at " + "/".join(number(float(values[0])) for values in lengths)
    return words.strip()


def _no_pair(library: Library, condition: Clause, asked: Asked, found: list[pairs.Candidate],
             left: list[pairs.Candidate] | None, about: str) -> str:  # fmt: skip
    start = f"{about}: " if about else ""
    along = asking.along_words(asked.along)
    if not found:
        unnamed = _without_accelerator(library, condition, asked)
        if unnamed:
            return (
                f"{start}{counted(unnamed, 'point')} along {along} with {sentences.subject(asked)}"
                f" {'states' if unnamed == 1 else 'state'} no accelerator, so 0 pairs can be compared; state it in the"
                " Data page's facts of their source."
            )
        return (
            f"{start}no two places along {along} were measured with {sentences.subject(asked)}, so 0 pairs can be"
            " compared; choose another axis or metric."
        )
    if left == []:
        return (
            f"{start}the side chosen has no two places along {along} with {sentences.subject(asked)}, so 0 pairs can be"
            " compared; choose another side."
        )
    chips = joined(sorted({value_label("accelerator", one.facts["accelerator"]) for one in found}))
    return (
        f"{start}{counted(len(found), 'curve')} of {chips} along {along}, but no 2 that can be compared: they need one"
        " model, the same stated lengths and kind of load, and ranges that overlap."
    )


def _without_accelerator(library: Library, condition: Clause, asked: Asked) -> int:
    """How many points have the metric along the axis but state no accelerator."""
    if not library.has(asked.metric.key):
        return 0
    found: int = library.fetch(
        f'SELECT count(*) FROM points WHERE {condition.sql} AND "{asked.metric.key}" > 0'
        f" AND ({asking.ALONG[asked.along]}) > 0 AND accelerator IS NULL",
        condition.params,
    )[0][0]
    return found


def _otherwise(asked: Asked, listed: list[Pair], prices: Prices) -> dict[Per, list[str]]:
    """The verdicts of the same pairs when divided otherwise; nothing of very many pairs, or of a latency."""
    if not asking.is_throughput(asked.metric) or not 0 < len(listed) <= DIVIDED_OTHERWISE:
        return {}
    return {
        per: [versus.compared(pair.match, asked, per, prices).kind for pair in listed]
        for per in asking.PERS
        if per != asked.per
    }


def _findings(asked: Asked, listed: list[Pair], otherwise: Mapping[Per, list[str]]) -> list[str]:
    """How many pairs cross when divided otherwise, and the closest race of those that do not cross."""
    told = []
    parts = []
    for per, kinds in otherwise.items():
        known = len(kinds) - kinds.count("not_known")
        words = asking.WORDS[per] if per != "raw" else "raw"
        parts.append(f"{words} {kinds.count('crosses')} of {known}" if known else f"{words} it is not known")
    if parts:
        told.append(f"Of the same pairs cross, divided otherwise: {'; '.join(parts)}.")
    closest = [pair for pair in listed if pair.outcome.found and pair.outcome.found.smallest]
    if closest:
        pair = min(closest, key=lambda one: abs(one.outcome.found.smallest.lead_percent))  # type: ignore[union-attr]
        labels = (pair.a.label, pair.b.label)
        told.append(f"The closest race without a crossing: {sentences.closest(asked, pair.outcome, labels)}.")
    return told


def _priced(asked: Asked, listed: list[Pair], prices: Prices) -> list[str]:
    if not listed or not asking.is_throughput(asked.metric):
        return []
    chips = sorted({side.facts["accelerator"] for pair in listed for side in (pair.a, pair.b)})
    found = [(value_label("accelerator", chip), prices.of("", chip)) for chip in chips]
    known = [f"{name} {price.words}" for name, price in found if price]
    return [f"Prices per chip from {prices.book}: {joined(known, at_most=4)}."] if known else []


def _caveats(view: View, narrowed: View, listed: list[Pair], beyond: int) -> list[str]:
    told = []
    added = {key: values for key, values in narrowed.where if not view.values(key)}
    if added:
        words = joined([f"{key} {joined(list(values))}" for key, values in added.items()])
        told.append(f"Pairs of one model and workload are listed: {words}; filter for another.")
    if beyond:
        told.append(f"{counted(beyond, 'further pair')} of more unlike sides not listed.")
    if listed:
        told.append(
            "The sides of a pair may differ in engine, precision and harness; choose a pair to see in what."
        )
    return told
