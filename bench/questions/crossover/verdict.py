"""What a crossover's answer says: who overtakes whom and where, who leads by how much, or why nobody does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from bench import flags
from bench.basis import evidence, likeness, limits, prices
from bench.basis.evidence import Ranking
from bench.basis.narrator import Narrator
from bench.basis.stated_share import StatedShare
from bench.basis.statement import Statement
from bench.basis.variations import Verdict
from bench.basis.wording import TWICE
from bench.chart import value_label
from bench.maths.crossover import Crossing, Knot
from bench.questions.crossover import result
from bench.questions.crossover.curves import MOST_CURVES
from bench.questions.crossover.options import AXES, LENGTHS, LOADS, PER_WORDS, CrossoverOptions, Per, at, crossed
from bench.questions.crossover.result import OTHER, SIDES, Compared, Leads, ListedPair, Outcome, Pair, PairList, SideKey
from bench.questions.crossover.side_names import names
from bench.questions.crossover.words import WORDS
from bench.wording import joined

SAY = Narrator(WORDS)
NO_NAMES = {"a": "A", "b": "B"}
FINDINGS, MOST_TOLD = 5, 3
"""So many findings are told, the best first; so many crossings, and so many changes without one."""

VARIED = ("load", "load_kind", "isl", "osl", "context_tokens", "max_model_len", "dataset", "chips")
"""What points of one side differ in along their curve, or by the layout that is free."""

Names = Mapping[str, str]
SaidValues = dict[str, Any]


def statements(found: result.CrossoverResult, ranking: Ranking, known: StatedShare) -> Iterator[Statement]:
    """Verdict, findings and notes; `known` is how many points say whether they keep the limits."""
    if isinstance(found, PairList) and not found.pairs:
        kind, values = _no_pair(found, ranking)
        yield SAY.untold(kind, **values)
        if found.curves > 1:
            yield SAY.finding("next_no_pair")
    else:
        first = found if isinstance(found, Pair) else found.pairs[0]
        yield _verdict(found, first, ranking, known)
        of_all = _of_pair(found) if isinstance(found, Pair) else _of_list(found)
        yield from islice(chain(_findings(found, first, ranking), of_all), FINDINGS)
        yield from _likeness(found, first)
        yield from _notes_of_pair(found) if isinstance(found, Pair) else _notes_of_list(found)
    yield from evidence.left_out(found.tally)


def brief(outcome: Outcome, asked: CrossoverOptions, named: Names) -> str:
    """What a comparison comes to in a cell of a table."""
    kind, values = _outcome(outcome, asked, named)
    cell = next(one for one in (f"cell_{kind}", f"cell_{outcome.kind}", kind) if one in WORDS)
    return SAY.text(cell, values).removesuffix(".")


def lead_at(knot: Knot, asked: CrossoverOptions, named: Names) -> str:
    """Who leads at one place by how much; "a tie"."""
    if not knot.leader:
        return "a tie"
    kind, values = lead_of(asked, [knot])
    return SAY.text(f"cell_leads{kind}", {**_who(named, knot.leader), **values})


def short(outcome: Outcome, asked: CrossoverOptions, named: Names) -> Verdict | None:
    """What a comparison comes to in one code, and in words; None where it comes to nothing."""
    if not isinstance(outcome, Compared):
        return None
    kind, values = _outcome(outcome, asked, named)
    leaders = outcome.leader if isinstance(outcome, Leads) else "".join(one.leads_after for one in outcome.crossings)
    code = f"{outcome.kind} {leaders}" if outcome.kind in ("crosses", "leads") else outcome.kind
    return Verdict(code, SAY.text(f"short_{kind if kind == 'swaps' else outcome.kind}", values))


def _outcome(outcome: Outcome, asked: CrossoverOptions, named: Names) -> tuple[str, SaidValues]:
    """The kind of the sentence on what a comparison came to, and its values."""
    match outcome:
        case Leads():
            kind, lead = lead_of(asked, outcome.found.knots)
            return f"leads{kind}", {"leader": outcome.leader, **_who(named, outcome.leader), **lead}
        case Compared(kind="crosses"):
            kind, values = _crossing(outcome, outcome.crossings[0], asked, named)
            times = len(outcome.crossings)
            changes = [{"who": named[one.leads_after], "at": crossed(one)} for one in outcome.crossings]
            return ("swaps" if times > 1 else f"crosses{kind}"), {**values, **named, "times": times, "changes": changes}
        case Compared(kind="passes"):
            return _passing(outcome, asked, named)
        case Compared():
            return "tie", dict(named)
        case result.NoOverlap():
            places = "lengths" if asked.along in LENGTHS else "loads"
            return "no_overlap", {**named, "axis": places}
        case result.NotKnown():
            chips = [value_label("accelerator", one) for one in outcome.accelerators] or ["a side"]
            return f"not_known_{outcome.code}", {"chips": chips}
        case result.NoPoints():
            values = {"who": named[outcome.side], "what": asked.what, "axis": AXES[asked.along][0]}
            return f"no_points_{outcome.code}", values
    fact = AXES[outcome.key][0] if outcome.key in AXES else likeness.BY_KEY[outcome.key].one
    a, b = ([value_label(outcome.key, one) for one in side] for side in (outcome.a, outcome.b))
    return "not_comparable", {"fact": fact, "of_a": a, "of_b": b}


def lead_of(asked: CrossoverOptions, knots: Sequence[Knot]) -> tuple[str, SaidValues]:
    """By how much somebody leads at these places, as the end of a kind and values; `lead` begins at 1 with a tie.

    Where less is better it is always times: half as long is twice as fast, and neither "50 %" nor "100 %" ahead.
    """
    decided = [knot for knot in knots if not knot.tie]
    ratios = [knot.ratio for knot in decided if knot.settled] or [knot.ratio for knot in decided] or [1.0]
    least, most = min(ratios), max(ratios)
    kind = "_faster" if asked.row.better == "lower" else "_times" if most >= TWICE else ""
    lead = [1.0 if len(decided) < len(knots) else least, most]
    return kind, {"least_ratio": least, "most_ratio": most, "lead": lead}


def _crossing(outcome: Compared, one: Crossing, asked: CrossoverOptions, named: Names) -> tuple[str, SaidValues]:
    """Who overtakes at a crossing, and between which places that both sides were run at, as the end of a kind."""
    low, high = outcome.found.run_on_both(one)
    values = {
        "x": one.x,
        "leader": one.leads_after,
        **_who(named, one.leads_after),
        "at": at(asked.along, crossed(one)),
    }
    nearest = low or high
    if low and high:
        return ("_on", values) if low == high else ("", {**values, "run": [low.x, high.x]})
    if nearest is None:
        return "_unrun", values
    alone = sum(knot.measured_a and knot.measured_b for knot in outcome.found.knots) == 1
    return "_only" if alone else "_near", {**values, "run": nearest.x, "where": "above" if low else "below"}


def _passing(outcome: Compared, asked: CrossoverOptions, named: Names) -> tuple[str, SaidValues]:
    """Who leads where of what was measured, without a crossing: one turn with its ends, of several who leads most."""
    turns, knots = outcome.found.turns, outcome.found.knots
    if len(turns) == 1:
        below, above = turns[0].below.x, turns[0].above.x
        who = _who(named, OTHER[turns[0].leads_after])
        return "passes", {**who, "below": below, "at": at(asked.along, below), "above": above}
    many: Counter[SideKey] = Counter(knot.leader for knot in knots if knot.leader)
    (most, leading), (_, trailing) = many.most_common()
    return "passes_often", {**_who(named, most), "leading": leading, "trailing": trailing}


def _who(named: Names, leader: SideKey) -> SaidValues:
    return {"who": named[leader], "whom": named[OTHER[leader]]}


def _verdict(
    found: result.CrossoverResult, first: Pair | ListedPair, ranking: Ranking, known: StatedShare
) -> Statement:
    """The sentence on a pair; of which model it is where the View does not hold one alone."""
    outcome, named = first.outcome, names(first.a, first.b)
    kind, values = _outcome(outcome, found.asked, named)
    per_chip = _per_chip(found, first)
    if isinstance(per_chip, Leads):
        values["per_chip_leader"] = per_chip.leader
    points = outcome.named(*_named_knots(outcome)) if isinstance(outcome, Compared) else []
    say = SAY.verdict if isinstance(outcome, Compared) else SAY.untold
    said = say(kind, points, **{"x": None, "leader": None, **values, **known.values})
    models = {one.model for side in (first.a, first.b) for one in side.points}
    if len(ranking.view.values("model")) == 1 or len(models) != 1:
        return said
    return replace(said, text=SAY.text("of_model", {"model": models.pop(), "verdict": said.text}))


def _named_knots(outcome: Compared) -> list[Knot]:
    """The knots whose points a verdict names: those around a crossing, or of the smallest and the largest lead."""
    if outcome.kind == "crosses":
        return [knot for one in outcome.crossings for knot in (one.below, one.above)]
    if isinstance(outcome, Leads):
        return [outcome.smallest, outcome.largest]
    turns = outcome.found.turns
    return [turns[0].below, turns[0].above] if len(turns) == 1 else []


def _per_chip(found: result.CrossoverResult, first: Pair | ListedPair) -> Outcome | None:
    """What a pair of unequal counts of chips comes to per chip, where that is something else than undivided."""
    if found.asked.per != "raw" or first.a.counts == first.b.counts:
        return None
    if isinstance(found, Pair):
        each = [one for one in found.verdicts if one.along == found.asked.along and one.per == "accelerator"]
        per_chip = each[0].outcome if each else None
    else:
        per_chip = next(iter(found.otherwise.get("accelerator", ())), None)
    named = names(first.a, first.b)
    own, other = short(first.outcome, found.asked, named), per_chip and short(per_chip, found.asked, named)
    return per_chip if own and other and own.code != other.code else None


def _findings(found: result.CrossoverResult, first: Pair | ListedPair, ranking: Ranking) -> Iterator[Statement]:
    """What is told of a pair alone: what it is of, who leads per chip instead, and how well each crossing is known."""
    outcome, asked, named = first.outcome, found.asked, names(first.a, first.b)
    per_chip = _per_chip(found, first)
    other = short(per_chip, asked, named) if per_chip else None
    if other:
        yield SAY.finding("per_chip", verdict=other.words)
    if both := _both(found, first, ranking):
        yield SAY.finding("both", both=", ".join(both))
    if not isinstance(outcome, Compared):
        return
    for one in outcome.crossings[:MOST_TOLD]:
        kind, values = _crossing(outcome, one, asked, named)
        values |= {"low": one.interval.low, "high": one.interval.high}
        points = outcome.named(one.below, one.above)
        if one.interval.source == "repeats" and not (one.interval.open_low or one.interval.open_high):
            yield SAY.finding("repeats", points, **values)
        elif not kind or len(outcome.crossings) > 1:
            yield SAY.finding(f"crossing{kind}", points, **values)
    for turn in [one for one in outcome.found.turns if one.crossing is None and one.cut is not None][:MOST_TOLD]:
        below, above = turn.below.x, turn.above.x
        side: SideKey = turn.cut.side if turn.cut else "a"
        yield SAY.finding("change", below=below, above=above, side=side, who=named[side])


def _both(found: result.CrossoverResult, first: Pair | ListedPair, ranking: Ranking) -> list[str]:
    """What both sides are, as far as neither the View says so nor their names do."""
    a, b, along = first.a, first.b, found.asked.along
    points = [*a.points, *b.points]
    settings = [key for key in (*LENGTHS, *(LOADS if along in LENGTHS else ())) if key != along]
    told = [a.hardware] if a.hardware == b.hardware and a.hardware not in names(a, b).values() else []
    for key in ("precision", "engine", "speculation", *settings):
        values = {getattr(one, key) for one in points}
        if len(values) == 1 and None not in values and len(ranking.view.values(key)) != 1:
            told += [at(key, value) if key in settings else likeness.fact_words(key, value) for value in values]
    return list(filter(None, dict.fromkeys([*told, *(part for part in a.parts if part in b.parts)])))


def _of_pair(pair: Pair) -> Iterator[Statement]:
    """Below which price a side wins per dollar, at the place where it may cost the most; what to do instead."""
    named = names(pair.a, pair.b)
    for side, one in pair.even.items():
        usd, now = one.usd_per_accelerator_hour, pair.sides[side].price
        values = {"side": side, "x": one.x, "usd_per_accelerator_hour": usd, "left_out": one.left_out}
        more = {"at": at(pair.asked.along, one.x), "now": now.usd if now else "not known"}
        yield SAY.finding("break_even", **values, **more, **_who(named, side))
    step = f"next_{pair.outcome.code if isinstance(pair.outcome, result.NotKnown) else pair.outcome.kind}"
    if step in WORDS:
        yield SAY.finding(step)


def _of_list(found: PairList) -> Iterator[Statement]:
    """How many pairs cross, and of how many the verdict is another one divided otherwise."""
    many = len(found.pairs) + found.beyond
    crossing = sum(one.outcome.kind == "crosses" for one in found.pairs)
    kind = "most_alike_alone" if many == 1 else "most_alike" if crossing else "most_alike_none"
    yield SAY.finding(kind, pairs=many, crossing=crossing)
    ways = [_changed(found, per, outcomes) for per, outcomes in found.otherwise.items()]
    if changed := [one for one in ways if one["pairs"]]:
        yield SAY.finding("otherwise", changed=changed)


def _changed(found: PairList, per: Per, outcomes: Sequence[Outcome]) -> SaidValues:
    """Of how many pairs whose verdict is known divided by something else it is another one there."""
    both = [
        [short(outcome, found.asked, NO_NAMES) for outcome in couple]
        for couple in zip((one.outcome for one in found.pairs), outcomes, strict=True)
    ]
    known = [own.code != other.code for own, other in both if own and other]
    return {"per": PER_WORDS[per].strip() or "undivided", "pairs": sum(known), "known": len(known)}


def _likeness(found: result.CrossoverResult, first: Pair | ListedPair) -> Iterator[Statement]:
    """In what the compared points of both sides are unlike, and what differs within one."""
    outcome, named = first.outcome, names(first.a, first.b)
    if not isinstance(outcome, Compared):
        return
    if {one.point_id for one in first.a.points} == {one.point_id for one in first.b.points}:
        yield SAY.note("same")
        return
    a, b = ([place.point for one in outcome.best(side) for place in one.places] for side in SIDES)
    by_dataset = any(one.dataset for one in (*a, *b))
    lengths = [key for key in LENGTHS if key != found.asked.along and not by_dataset]
    yield from likeness.unlike((named["a"], named["b"]), a, b, (*likeness.DEPLOYED, *lengths, "chips"))
    couples = [tuple(outcome.member(side, knot).facts for side in SIDES) for knot in outcome.found.knots]
    hidden = sorted(set(likeness.DEPLOYED) - {one.fact.key for one in likeness.differences(a, b)})
    at_places = Counter(one.fact for x, y in couples for one in likeness.differences([x], [y], hidden))
    if at_places:
        unlike = [{"fact": fact.one, "places": many} for fact, many in at_places.most_common()]
        counts = {fact.key: many for fact, many in at_places.items()}
        yield SAY.note("unlike_places", unlike=unlike, places=len(couples), **counts)
    for side, points, best in zip(SIDES, (a, b), zip(*couples, strict=True), strict=True):
        kinds = Counter(kind for point in points for kind in flags.printed(point.flag_kinds))
        told = [{"kind": kind, "points": many, "of": len(points)} for kind, many in sorted(kinds.items())]
        if told:
            yield SAY.note("flags", side=side, flagged=sum(kinds.values()), who=named[side], flags=told)
        if among := likeness.mixed(best, VARIED):
            yield SAY.note("mixed", side=side, places=len(best), who=named[side], among=joined(among))
    yield from _open_ends(outcome, found.asked, named)


def _open_ends(outcome: Compared, asked: CrossoverOptions, named: Names) -> Iterator[Statement]:
    """Where only one side was measured, and where a lead stays only as the other's best was not run further."""
    crossing = outcome.found
    low, high = crossing.knots[0].x, crossing.knots[-1].x
    above = [side for side, ends in zip(SIDES, (crossing.range_a, crossing.range_b), strict=True) if ends[1] > high]
    below = [side for side, ends in zip(SIDES, (crossing.range_a, crossing.range_b), strict=True) if ends[0] < low]
    for where, x, sides in (("above", high, above), ("below", low, below)):
        if sides:
            values = {"x": x, "where": where, "sides": "".join(sides), "at": at(asked.along, x)}
            yield SAY.note("beyond_one" if len(sides) == 1 else "beyond_both", **values, who=named[sides[0]])
    for one in (crossing.lacking or (() if crossing.turns else crossing.breaks))[:MOST_TOLD]:
        values = {"x": one.x, "side": one.side, "where": one.beyond, "at": at(asked.along, one.x)}
        yield SAY.note("lacking", **values, **_who(named, one.side))


def _notes_of_pair(pair: Pair) -> Iterator[Statement]:
    """That one concurrency is not one load a chip, and the prices behind a dollar: listed ones and the reader's."""
    outcome, named = pair.outcome, names(pair.a, pair.b)
    if isinstance(outcome, Compared) and pair.asked.along == "concurrency" and pair.asked.per != "raw":
        counts = [[outcome.member(side, knot).facts.accelerators for side in SIDES] for knot in outcome.found.knots]
        if all(a and b and a != b for a, b in counts):
            yield SAY.note("unlike_loads")
    chips: dict[str, None] = {}
    for key, side in pair.sides.items() if pair.asked.is_divisible else ():
        if side.price and side.price.stated:
            usd, price = side.price.usd, side.price.words
            yield SAY.note("stated", side=key, usd_per_accelerator_hour=usd, who=named[key], price=price)
        else:
            chips |= dict.fromkeys(one.accelerator for one in side.points if one.accelerator)
    known = {one.accelerator: one for one in pair.prices}
    wanted = chips if pair.asked.per == "dollar" else known.keys() & chips.keys()
    yield from prices.statements(pair.choice, known, sorted(wanted))


def _notes_of_list(found: PairList) -> Iterator[Statement]:
    """The pairs and curves that are left out, and the prices behind a dollar."""
    if found.beyond:
        yield SAY.note("beyond", pairs=found.beyond)
    if found.uneven:
        yield SAY.note("uneven" if found.asked.is_divisible else "uneven_latency", pairs=found.uneven)
    if found.curves >= MOST_CURVES:
        yield SAY.note("curves", curves=MOST_CURVES)
    if found.asked.is_divisible:
        known = {one.accelerator: one for one in found.prices}
        yield from prices.statements(found.choice, known, known)


def _no_pair(found: PairList, ranking: Ranking) -> tuple[str, SaidValues]:
    """Why there is no pair to list, as a kind and its values."""
    tally, asked = found.tally, found.asked
    beyond, silent = tally.of("beyond_limit"), tally.of("unknown_limit")
    values = {"what": asked.what, "axis": AXES[asked.along][0], "points": tally.selected}
    if not tally.selected:
        return "no_pair_selected", values
    if not tally.used and beyond + silent:
        kind = "no_pair_within" if beyond else "no_pair_stating"
        return kind, {**values, "metrics": limits.metrics(ranking.limits), "points": beyond + silent}
    if not found.curves and tally.of("unnamed"):
        return "no_pair_unnamed", values
    if not found.curves and not tally.used:
        values["silent"] = tally.of("no_axis")
        lacking = next((code for code in ("metric", "axis") if tally.of(f"no_{code}")), "ranked")
        return f"no_pair_{lacking}", values
    if not found.curves:
        return "no_pair_curve", values
    if found.left == 0:
        return "no_pair_left", values
    kind = "no_pair_alone" if found.curves == 1 else "no_pair_alike"
    return kind, {**values, "curves": found.curves, "accelerators": found.accelerators}
