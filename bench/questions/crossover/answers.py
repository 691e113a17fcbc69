"""The two answers and their rows: a chosen pair under every normalisation, or every pair of a story."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pandas as pd

from bench.basis import evidence, prices
from bench.basis.evidence import Ranking, Reason, Tally
from bench.library import Library
from bench.questions import Column
from bench.questions.crossover import asked as asking
from bench.questions.crossover import curves, pairs, phrases, result, versus
from bench.questions.crossover.asked import ALONG, Asked, axis_words, place
from bench.questions.crossover.curves import Priced
from bench.questions.crossover.phrases import Teller, member
from bench.questions.crossover.result import SIDES, Compared, Listing, NoOverlap, Outcome, Pair, Side
from bench.questions.crossover.versus import Held, Match
from bench.selection import Clause
from bench.view import View
from bench.wording import inline

PER_COLUMN = {"raw": "", "accelerator": "_per_chip", "dollar": "_per_usd_per_h", "watt": "_per_w"}
COLUMNS = tuple(map(Column, *zip(
    ("pair", "Pair"), ("kind", "Outcome"), ("a", "Filters of A"), ("b", "Filters of B"),
    ("users_per_accelerator", "Users per chip"), ("a_over_b", "A / B"), ("leads", "Leads (a, b or tie)"),
    ("a_lead_percent", "Lead of A (%, better over worse)"), ("a_measured", "A measured"), ("b_measured", "B measured"),
    ("tie", "Tie"), ("settled", "Settled"), ("a_series", "A: the best deployment"), ("label_a", "A"), ("label_b", "B"),
    ("b_series", "B: the best deployment"), ("verdict", "Verdict"), ("crossing", "First crossing"), ("knots", "Places"),
    ("between", "Between the measured"), ("from", "Compared from"), ("to", "Compared to"),
    ("a_lead_percent_low", "A leads by at least (%, below 0 B leads)"),
    ("a_lead_percent_high", "A leads by at most (%, below 0 B leads)"), strict=True,
)))  # fmt: skip
LISTED = ("pair", "model", "label_a", "label_b", "kind", "verdict", "crossing", "between", "from", "to",
          "a_lead_percent_low", "a_lead_percent_high", "knots", "a", "b")  # fmt: skip


def pair(library: Library, whole: View, asked: Asked) -> Pair:
    """The answer for a chosen pair."""
    ranking, choice = evidence.read(whole), prices.read(library, whole)
    listed = prices.chip_prices(library, choice, points=either(library, ranking, asked))
    priced, match = Priced(asked, choice, listed), versus.matched(library, ranking, asked)
    outcome = versus.compared(match, asked, asked.per, priced)
    told = []
    for key, side in zip(SIDES, named(asked, match, outcome), strict=True):
        curve = outcome.curves[key] if isinstance(outcome, Compared | NoOverlap) else None
        hollow = _hollow(match.a if key == "a" else match.b, priced, key)
        told.append(replace(side, curve=curve, hollow=hollow, price=priced.of_all(key, side.points)))
    chips = {one.accelerator for side in told for one in side.points}
    return Pair(
        asked, told[0], told[1], outcome, versus.under_every(match, asked, priced),
        versus.break_even(match, asked, priced), choice, _tally(library, ranking, asked, match),
        prices=tuple(price for chip, price in listed.items() if chip in chips),
    )  # fmt: skip


def listing(library: Library, whole: View, asked: Asked) -> Listing:
    """Every pair's verdict, or why there is no pair."""
    ranking, choice = evidence.read(whole), prices.read(library, whole)
    found = pairs.candidates(library, whole, ranking, asked)
    listed = prices.chip_prices(library, choice, points=evidence.ranked(library, ranking))
    priced = Priced(asked, choice, listed)
    told, otherwise, beyond = pairs.listed(found, asked, priced)
    chips = {side.accelerator for one in told for side in (one.a, one.b)}
    return Listing(
        asked, told, beyond, curves=len(found[0]), left=len(found[1]) if found[1:] else None, otherwise=otherwise,
        accelerators=tuple(sorted({one.side.accelerator or "" for one in found[0]})), choice=choice,
        prices=tuple(price for chip, price in priced.chips.items() if chip in chips),
        tally=evidence.tally(library, ranking, _reasons(library, asked)),
    )  # fmt: skip


def named(asked: Asked, match: Match, outcome: Outcome | None = None) -> tuple[Side, Side]:
    """Both sides in words, with what they differ in at every compared knot, and their points."""
    a, b = phrases.side(asked.a or View(), match.a.points), phrases.side(asked.b or View(), match.b.points)
    couples = [(one, other) for one in a.points for other in b.points[:1]]
    couples += [(one, other) for one in a.points[:1] for other in b.points]
    if isinstance(outcome, Compared):
        best = [[outcome.member(side, knot).facts for side in SIDES] for knot in outcome.found.knots]
        couples = [(one, other) for one, other in best]
    a, b = phrases.told_apart(a, b, couples)
    return (replace(a, name="A"), replace(b, name="B")) if a.label == b.label else (a, b)


def sides(library: Library, whole: View, asked: Asked) -> dict[str, str]:
    """What can be a side of this selection, and the sides chosen: each accelerator, count of it and curve, in words."""
    ranking = evidence.read(whole)
    (found,) = pairs.candidates(library, whole, ranking, replace(asked, a=None, b=None))
    told = [phrases.side(own, ()) for own in (asked.a, asked.b) if own]
    if asked.is_pair:
        told = [*named(asked, versus.matched(library, ranking, asked))]
    for chip in sorted({one.side.accelerator or "" for one in found}):
        points = [point for one in found if one.side.accelerator == chip for point in one.held.points]
        counts = sorted({one.accelerators for one in points if one.accelerators})
        every = [(), *((count,) for count in counts if len(counts) > 1)]
        owns = (View.of({"accelerator": [chip], "accelerators": only}) for only in every)
        told += [phrases.side(own, points) for own in owns]
    labels = [(side.filters, side.label) for side in (*told, *(one.side for one in found))]
    first = dict(reversed(labels))
    return {filters: first[filters] for filters, _ in labels}


def either(library: Library, ranking: Ranking, asked: Asked) -> Clause:
    """The points of any of the sides that are chosen; of the whole View when none is."""
    owns: list[View | None] = [own for own in (asked.a, asked.b) if own]
    conditions = [asking.of_side(library, ranking, own) for own in owns or [None]]
    sql = " OR ".join(f"({one.sql})" for one in conditions)
    return Clause(f"({sql})", tuple(value for one in conditions for value in one.params))


def _hollow(held: Held, priced: Priced, side: result.SideKey) -> tuple[result.Place, ...]:
    """The places of points that a flag keeps out of every ranking, under the compared workload."""
    curve = curves.divided(held.hollow, curves.divisor(priced.asked.per, side, priced), priced.asked.better)
    return tuple(place for one in (curve.members if curve else ()) for place in one.places)


def _tally(library: Library, ranking: Ranking, asked: Asked, match: Match) -> Tally:
    """What becomes of every point that either side selects."""
    told = []
    for own, fixed in zip((asked.a, asked.b), match.fixed or (None, None), strict=True):
        further = _reasons(library, asked)
        if fixed is not None:
            same = curves.narrowed(Clause("TRUE", ()), asked.along, fixed)
            words = "of other lengths or loads"
            further.append(Reason("other_workload", words, f"NOT ({same.sql})", same.params))
        told.append(evidence.tally(library, asking.narrowed(ranking, own), further))
    counts = Counter(told[0].counts) + Counter(told[1].counts)
    return Tally(dict(counts), told[0].reasons)


def _reasons(library: Library, asked: Asked) -> list[Reason]:
    """Why a ranked point is on no curve."""
    no_value = f"{asking.value_sql(library, asked.metric)} IS NULL"
    no_axis = f"NOT coalesce({ALONG[asked.along]} > 0, FALSE)"
    told = [Reason("no_axis", f"without {axis_words(asked.along)}", no_axis)]
    told += [Reason("no_metric", f"without {inline(asked.row)}", no_value)]
    unnamed = Reason("unnamed", "that state no accelerator", "accelerator IS NULL")
    return told if asked.is_pair else [*told, unnamed]


def rows(found: result.Result) -> pd.DataFrame:
    """One row for each knot of a pair, or one for each pair."""
    if isinstance(found, Pair):
        return _of_knots(found)
    told = pd.DataFrame([_of_pair(one, found.asked) for one in found.pairs], columns=list(LISTED))
    return told if told["model"].nunique() > 1 else told.drop(columns="model")


def value_columns(asked: Asked) -> tuple[str, str]:
    """What both sides' values are called as columns: "a_output_tokens_per_s_per_chip"."""
    value = f"{asked.metric}{PER_COLUMN[asked.per]}"
    return f"a_{value}", f"b_{value}"


def _of_knots(found: Pair) -> pd.DataFrame:
    """One row for each knot."""
    asked, outcome = found.asked, found.outcome
    a, b = value_columns(asked)
    columns = [asked.along, a, b, "a_measured", "b_measured", "a_over_b", "leads", "a_lead_percent",
               "a_lead_percent_low", "a_lead_percent_high", "tie", "settled", "a_series", "b_series", "a_point_id",
               "b_point_id"]  # fmt: skip
    rows = []
    if isinstance(outcome, Compared):
        for knot in outcome.found.knots:
            best = [outcome.member(side, knot) for side in SIDES]
            points = [one.at(knot.x) for one in best]
            rows.append([
                knot.x, knot.y_a, knot.y_b, knot.measured_a, knot.measured_b, knot.y_a / knot.y_b,
                knot.leader or "tie", knot.lead_percent, knot.lead_low, knot.lead_high, knot.tie, knot.settled,
                *(", ".join(member(one.facts)) for one in best), *(one and one.point.point_id for one in points),
            ])  # fmt: skip
    return pd.DataFrame(rows, columns=columns)


def _of_pair(pair: result.ListedPair, asked: Asked) -> list[object]:
    first = pair.crossings[0] if pair.crossings else None
    leads = [knot.lead_percent for knot in pair.knots]
    ends = (pair.knots[0].x, pair.knots[-1].x) if pair.knots else (None, None)
    kind = f"{pair.outcome.leader}_leads" if isinstance(pair.outcome, result.Leads) else pair.outcome.kind
    verdict = Teller.short(asked, pair.a, pair.b).brief(pair.outcome)
    between = f"{place(first.below.x)} and {place(first.above.x)}" if first else None
    return [
        pair.place, pair.a.points[0].model, pair.a.label, pair.b.label, kind, verdict,
        first.x if first else None, between, *ends, min(leads, default=None), max(leads, default=None), len(leads),
        pair.a.filters, pair.b.filters,
    ]  # fmt: skip
