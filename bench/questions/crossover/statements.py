"""What a crossover's answer says: who overtakes whom and where, who leads throughout, or why nobody does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench import flags
from bench.basis import evidence, likeness, limits, prices
from bench.basis.evidence import Ranking
from bench.basis.points import PointFacts
from bench.basis.prices import Choice
from bench.basis.statement import Statement, Value, caveat, coverage, finding, headline, untold
from bench.basis.variations import Verdict
from bench.basis.wording import NOTHING_SELECTED, fitting, flagged, flags_of, opened, selected
from bench.basis.wording import subject as about
from bench.chart import setting, value_label
from bench.maths.crossover import Crossing, Knot
from bench.questions import Why
from bench.questions.crossover import result
from bench.questions.crossover.curves import MOST_CURVES
from bench.questions.crossover.options import (
    LENGTHS,
    LOADS,
    CrossoverOptions,
    Per,
    axis_noun,
    axis_words,
    between,
    crossed,
    place,
    reach,
)
from bench.questions.crossover.pair_words import PER_WORDS, SHOWN, Phrasing, alone, apart, interpolated, member
from bench.questions.crossover.result import OTHER, SIDES, Compared, Leads, Pair, PairList, Side
from bench.view import View
from bench.wording import counted, inline, is_or_are, joined, number

MOST_TOLD = 3
"""So many changes are told."""

VARIED = ("load", "load_kind", "isl", "osl", "context_tokens", "max_model_len", "dataset", "chips")
"""What points of one side differ in along their curve, or by the layout that is free."""

NEXT = {
    "price": "Enter the price of A and of B in USD per chip and hour (price_a, price_b), or choose other price terms.",
    "power": "Compare raw, per accelerator or per dollar instead.",
    "chips": "Compare raw instead.",
    "not_comparable": "Choose sides of one model with the same stated lengths and kind of load.",
    "no_points": "Choose another axis or metric above the chart, or another side.",
    "no_overlap": "Nothing is extrapolated: measure both in one range, or choose another axis.",
}


def statements(answer: result.CrossoverResult, ranking: Ranking) -> Iterator[Statement]:
    """Headline, findings and caveats."""
    yield from _of_pair(answer, ranking) if isinstance(answer, Pair) else _of_listing(answer, ranking)
    if ranking.limits:
        yield caveat("limits", f"Only points with {limits.words(ranking.limits)} are compared.")
    yield from evidence.left_out(answer.tally)


def verdict(outcome: result.Outcome, tell: Phrasing) -> Verdict | None:
    """What a comparison comes to in one code, and in words; None where it comes to nothing."""
    match outcome:
        case Compared(kind="crosses"):
            order = [one.leads_after for one in outcome.crossings]
            once = f"{tell.who(order[-1])} overtakes {tell.who(OTHER[order[-1]])}"
            words = once if len(order) == 1 else f"the lead changes hands at {len(order)} places"
            return Verdict(f"crosses {''.join(order)}", words)
        case Leads():
            return Verdict(f"leads {outcome.leader}", f"{tell.who(outcome.leader)} leads throughout")
        case Compared():
            passes = "each leads somewhere without a known crossing"
            return Verdict(outcome.kind, "the two tie" if outcome.kind == "tie" else passes)
        case _:
            return None


def _of_pair(pair: Pair, ranking: Ranking) -> Iterator[Statement]:
    outcome, tell = pair.outcome, Phrasing.short(pair.asked, pair.a, pair.b)
    own = [one for one in pair.verdicts if one.along == pair.asked.along and one.per == "accelerator"]
    yield _headline(pair, (pair.a, pair.b, outcome), own[0].outcome if own else None)
    if isinstance(outcome, Compared):
        yield from _crossings(outcome, tell)
        yield from _extremes(outcome, tell)
        yield from _changes(outcome, tell)
    yield from (_even(pair, one, tell) for one in pair.even.values())
    step = NEXT.get(outcome.code if isinstance(outcome, result.NotKnown) else outcome.kind)
    if step:
        yield finding("next", step)
    ids = [{point.point_id for point in side.points} for side in (pair.a, pair.b)]
    if ids[0] and ids[0] == ids[1]:
        yield caveat("same", "Both sides are the same points.")
    elif isinstance(outcome, Compared):
        yield from _unlike(outcome, tell)
        yield from _users(pair, outcome)
    yield from _priced(pair, tell)


def _users(pair: Pair, outcome: Compared) -> Iterator[Statement]:
    """That one concurrency is not one load a chip where the sides' counts of chips differ at every place."""
    if pair.asked.along != "concurrency" or pair.asked.per == "raw":
        return
    at = [[outcome.member(side, knot).facts.accelerators for side in SIDES] for knot in outcome.found.knots]
    if all(a and b and a != b for a, b in at):
        text = "At one concurrency the two have unlike loads a chip: along users per chip they have the same."
        yield caveat("unlike_loads", text)


def _of_listing(pairs: PairList, ranking: Ranking) -> Iterator[Statement]:
    if not pairs.pairs:
        yield untold("no_pair", _no_pair(pairs, ranking))
        if pairs.curves > 1:
            yield finding(
                "next", "Two curves compare when model, stated lengths and kind of load agree and ranges overlap."
            )
        return
    pair, (per_chip, *_) = pairs.pairs[0], pairs.otherwise.get("accelerator", (None,))
    yield _headline(pairs, (pair.a, pair.b, pair.outcome), per_chip)
    many = len(pairs.pairs) + pairs.beyond
    text = f"This is on the most alike of {many:,} comparable pairs." if many > 1 else ""
    yield finding("most_alike", text or "No other pair can be compared.", pairs=many)
    yield from _races(pairs)
    if pairs.beyond:
        yield coverage("beyond", f"{counted(pairs.beyond, 'more pair')}, less alike, not listed.", pairs=pairs.beyond)
    if pairs.uneven:
        left = f"{counted(pairs.uneven, 'pair')} of unequal chip counts {is_or_are(pairs.uneven)} left out"
        divide = "; divide by chips to compare them" if pairs.asked.is_divisible else ""
        yield coverage("uneven", f"{left}{divide}.", pairs=pairs.uneven)
    if pairs.curves >= MOST_CURVES:
        yield coverage("curves", f"Only the {MOST_CURVES} curves with the most measured places are compared.")
    if pairs.asked.is_divisible:
        known = {one.accelerator: one for one in pairs.prices}
        yield from prices.statements(pairs.choice, known, known)


def _headline(
    answer: result.CrossoverResult, compared: tuple[Side, Side, result.Outcome], per_chip: result.Outcome | None
) -> Statement:
    """The sentence on one pair; what both sides say stands before it, who leads `per_chip` instead behind it."""
    a, b, outcome = compared
    points = [one for side in (a, b) for one in side.points]
    named = outcome.named(*_named_knots(outcome)) if isinstance(outcome, Compared) else []
    model = about([replace(one, precision=None, isl=None, osl=None) for one in points])
    leads = [*answer.known.leads(model), *answer.known.least(model)]
    flags_told = flagged(flags_of(named))
    uneven = per_chip if answer.asked.per == "raw" and a.counts != b.counts else None
    wordings = list(_wordings(answer.asked, compared, uneven, points))
    texts = [f"{lead}{on and f'{on} '}{text}{flags_told}." for lead in leads for _, on, text in wordings]
    for of, on, text in () if leads else wordings:
        start = f"{' '.join(filter(None, (of, on)))}: " if of else on and f"{on} "
        texts.append(f"{start}{text if start else opened(text)}{flags_told}.")
    text = fitting(*texts)
    kind = outcome.kind if isinstance(answer, Pair) else "pairs"
    first = outcome.crossings[0] if isinstance(outcome, Compared) and outcome.crossings else None
    leader = outcome.leader if isinstance(outcome, Leads) else first.leads_after if first else None
    leads_by = [knot.ratio for knot in outcome.found.decided] if isinstance(outcome, Leads) else []
    ratios = {"least_ratio": min(leads_by), "most_ratio": max(leads_by)} if leads_by else {}
    values: dict[str, Value] = {**answer.known.values, **ratios}
    if isinstance(uneven, Leads) and (outcome.kind, leader) != ("leads", uneven.leader):
        values["per_chip_leader"] = uneven.leader
    opening = headline if isinstance(outcome, Compared) else untold
    return opening(kind, text, [one.point_id for one in named], x=first.x if first else None, leader=leader, **values)


def _wordings(
    options: CrossoverOptions,
    compared: tuple[Side, Side, result.Outcome],
    per_chip: result.Outcome | None,
    points: Sequence[PointFacts],
) -> Iterator[tuple[str, str, str]]:
    """What a headline is of, on what hardware where its sides are not called by that, and what it says, the fullest
    first."""
    a, b, outcome = compared
    shared = [part for part in a.parts if part in b.parts]
    precisions = {(one.precision or "").upper() for one in points}
    same = tuple(precisions) if len(precisions) == 1 else ()
    # Along a length what else was fixed: the other length and the load, where all points state one.
    is_length = options.along in LENGTHS
    is_whole = len({(one.isl, one.osl) for one in points}) == 1
    told = (options.along, *(("isl", "osl") if is_whole else ()))
    keys = [key for key in (*LENGTHS, *LOADS) if key not in told and is_length]
    fixed = {key: {getattr(one, key) for one in points} for key in keys}
    held = [setting(key, values.pop()) for key, values in fixed.items() if len(values) == 1 and None not in values]
    whole = about(points)
    model = about([replace(one, isl=None, osl=None) for one in points])
    bare = about([replace(one, precision=None, isl=None, osl=None) for one in points])
    every = [whole, *(part for part in shared if {part} != precisions), *held]
    full = Phrasing.full(options, a, b, (*shared, *same, *_builds(a, b)))
    short = Phrasing.short(options, a, b)
    lengths = ", ".join(dict.fromkeys(filter(None, (whole, *held))))
    on = f"on {a.hardware}" if alone(a, b) else ""
    for of, tell, terse in (
        (", ".join(dict.fromkeys(filter(None, every))), full, 0),
        (lengths, full, 0),
        (lengths, full, 1),
        (lengths, short, 1),
        (model, full, 1),
        (model, short, 1),
        (bare, short, 1),
        (model, short, 2),
        (bare, short, 3),
        (bare, short, 4),
    ):
        text = f"{tell.sentence(outcome, terse)}{_otherwise(outcome, per_chip, short)}"
        yield of if points else "", on if tell is short else "", text


def _otherwise(outcome: result.Outcome, per_chip: result.Outcome | None, tell: Phrasing) -> str:
    """Who leads per chip, where that is not who leads with nothing divided; "" where it is, or is not known."""
    own, other = verdict(outcome, tell), verdict(per_chip, tell) if per_chip else None
    if own is None or other is None or own.code == other.code:
        return ""
    if isinstance(per_chip, Leads):
        return f"; per chip {tell.who(per_chip.leader)} leads"
    return "; per chip the two tie" if other.code == "tie" else "; per chip each leads somewhere"


def _builds(a: Side, b: Side) -> set[str]:
    """The variants of two sides, which nobody names where the hardware tells them apart: "snapshot 250052d4"."""
    return {one.variant for side in (a, b) for one in side.points if one.variant} if a.hardware != b.hardware else set()


def _named_knots(outcome: Compared) -> list[Knot]:
    """The knots whose points a headline names: those around a crossing, or of the smallest and the largest lead."""
    if outcome.kind == "crosses":
        return [knot for one in outcome.crossings[:SHOWN] for knot in (one.below, one.above)]
    if isinstance(outcome, Leads):
        return [outcome.smallest, outcome.largest]
    turns = outcome.found.turns
    return [turns[0].below, turns[0].above] if len(turns) == 1 else []


def _said(kind: str, text: str, outcome: Compared, *knots: Knot, **values: Value) -> Statement:
    """A finding on knots, with the flags of their points."""
    named = outcome.named(*knots)
    return finding(kind, f"{text}{flagged(flags_of(named))}.", [one.point_id for one in named], **values)


def _crossings(outcome: Compared, tell: Phrasing) -> Iterator[Statement]:
    """Who leads at both ends, how well each crossing is known, and what changes within its bracket."""
    if outcome.kind == "crosses":
        ends = (outcome.found.knots[0], outcome.found.knots[-1])
        text = f"At the ends: {', '.join(map(tell.lead_at, ends))}"
        yield _said("ends", text, outcome, *ends, first=ends[0].leader, last=ends[1].leader)
    for one in outcome.found.crossings:
        kind, held = "touch" if one.within_tie else "crossing", one.interval
        values = dict[str, Value](x=one.x, leader=one.leads_after, low=held.low, high=held.high)
        yield _said(kind, _known(outcome, one, tell), outcome, one.below, one.above, **values)
        for side in SIDES:
            before, after = outcome.member(side, one.below), outcome.member(side, one.above)
            if said := () if one.within_tie else apart(before.facts, after.facts):
                text = f"Around the crossing at {crossed(one)} the best of {tell.who(side)} changes from"
                yield finding("bracket", f"{text} {' to '.join(said)}.", x=one.x, side=side)


def _known(outcome: Compared, one: Crossing, tell: Phrasing) -> str:
    held, begin = one.interval, f"{tell.who(one.leads_after)} leads from {tell.at_crossings([one])} on"
    if one.within_tie:
        return f"The two meet at {tell.at_crossings([one])}, but neither pulls ahead by more than a tie: no crossing"
    if held.source == "bracket":
        return f"{begin}, {interpolated(outcome.found, one)}; no repeats narrow it down"
    ends = ((held.low, held.open_low), (held.high, held.open_high))
    low, high = (f"{'beyond ' if is_open else ''}{between(end, held.low, held.high)}" for end, is_open in ends)
    return f"{begin}; the repeats put it between {low} and {high} with 95 % confidence"


def _extremes(outcome: Compared, tell: Phrasing) -> Iterator[Statement]:
    """Where a lead is smallest and largest, and where only one side was measured."""
    if isinstance(outcome, Leads) and len(outcome.found.knots) > 1:
        ends = (outcome.smallest, outcome.largest)
        text = f"Smallest lead: {tell.lead_at(ends[0])}; largest: {tell.lead_at(ends[1])}"
        yield _said("extremes", text, outcome, *ends, smallest=ends[0].x, largest=ends[1].x, leader=outcome.leader)
    low, high = outcome.found.knots[0].x, outcome.found.knots[-1].x
    spans = {"a": outcome.found.range_a, "b": outcome.found.range_b}
    for where, x, who in (
        ("above", high, [side for side in SIDES if spans[side][1] > high]),
        ("below", low, [side for side in SIDES if spans[side][0] < low]),
    ):
        if who:
            words = "the two were not measured at the same places"
            words = f"only {tell.who(who[0])} was measured" if len(who) == 1 else words
            text = f"{opened(where)} {place(x)} {words}, so nothing is said there."
            yield finding("beyond", text, x=x, where=where, sides="".join(who))


def _changes(outcome: Compared, tell: Phrasing) -> Iterator[Statement]:
    """Where the lead passes on, or stays, only because a side's best deployment was not measured further."""
    crossing = outcome.found
    for turn in [one for one in crossing.turns if one.crossing is None][:MOST_TOLD]:
        if turn.cut is not None:
            ends = [outcome.member(turn.cut.side, knot) for knot in (turn.below, turn.above)]
            ends[turn.cut.beyond == "below"] = outcome.curves[turn.cut.side].members[turn.cut.member]
            said = [*zip(apart(*(end.facts for end in ends)), ends, strict=False)]
            changes = " to ".join(f"{words} (measured at {reach(*end.span)})" for words, end in said)
            text = f"Between {place(turn.below.x)} and {place(turn.above.x)}"
            text += f" the best of {tell.who(turn.cut.side)} changes from {changes}, so" if said else ""
            text += " the crossing there is not known."
            yield finding("change", text, below=turn.below.x, above=turn.above.x, side=turn.cut.side)
    for one in (crossing.lacking or (() if crossing.turns else crossing.breaks))[:MOST_TOLD]:
        low, high = sorted((one.x, one.until))
        knots = [knot for knot in crossing.knots if low <= knot.x <= high and not knot.tie and knot.x != one.x]
        words = ", ".join(member(outcome.curves[one.side].members[one.member].facts))
        other = OTHER[one.side]
        leads = tell.leads(other, knots, whom=False) if knots else f"{tell.who(other)} leads"
        text = (
            f"{opened(tell.who(one.side))}'s best deployment ({words}) was not measured {one.beyond} {tell.at(one.x)};"
            f" there {leads}, against what was measured."
        )
        yield finding("lacking", text, x=one.x, side=one.side, ratio=max((knot.ratio for knot in knots), default=1.0))


def _even(found: Pair, best: result.BreakEvenPrice, tell: Phrasing) -> Statement:
    """Below which price a side wins per dollar, at the place where it may cost the most."""
    chips, each, now = best.accelerators, best.usd_per_accelerator_hour, found.sides[best.side].price
    usd = number(each, 3 if each < 10 else None)
    more = [f"now {number(now.usd)}"] if now else []
    more += [f"{number(each * chips)} for its {chips} chips"] if chips and chips > 1 else []
    in_brackets = f" ({'; '.join(more)})" if more else ""
    left_out = f" Left out: {counted(best.left_out, 'place')} where a best deployment was not run."
    text = (
        f"Per dollar {tell.who(best.side)} beats {tell.who(OTHER[best.side])} below {usd} USD per chip and hour"
        f"{in_brackets}, at {tell.at(best.x)}.{left_out if best.left_out else ''}"
    )
    return finding("break_even", text, side=best.side, x=best.x, usd_per_accelerator_hour=each, left_out=best.left_out)


def _unlike(outcome: Compared, tell: Phrasing) -> Iterator[Statement]:
    """In what the compared points of both sides are unlike, what differs within one, and their flags."""
    a, b = ([place.point for one in outcome.best(side) for place in one.places] for side in SIDES)
    counted_lengths = any(one.dataset for one in (*a, *b))
    lengths = [key for key in LENGTHS if key != tell.asked.along and not counted_lengths]
    yield from likeness.unlike((tell.a, tell.b), a, b, (*likeness.DEPLOYED, *lengths, "chips"))
    couples = [tuple(outcome.member(side, knot).facts for side in SIDES) for knot in outcome.found.knots]
    hidden = sorted(set(likeness.DEPLOYED) - {one.fact.key for one in likeness.differences(a, b)})
    at = Counter(one.fact for x, y in couples for one in likeness.differences([x], [y], hidden))
    parts = [f"{fact.one} at {many} of {counted(len(couples), 'place')}" for fact, many in at.most_common()]
    if parts:
        text = f"The compared deployments differ in {joined(parts, at_most=9)}."
        yield caveat("unlike_places", text, (), **{fact.key: many for fact, many in at.items()})
    for side, name, points, best in zip(SIDES, (tell.a, tell.b), (a, b), zip(*couples, strict=True), strict=True):
        kinds = Counter(kind for point in points for kind in flags.printed(point.flag_kinds))
        words = joined([f"{kind} on {count} of {len(points)}" for kind, count in sorted(kinds.items())])
        if words:
            yield caveat("flags", f"Flags of {name}: {words}.", side=side, flagged=sum(kinds.values()))
        if parts := likeness.mixed(best, VARIED):
            text = f"{name} takes its best deployment at each place, among {joined(parts)}."
            yield caveat("mixed", text, side=side, places=len(best))


def _priced(pair: Pair, tell: Phrasing) -> Iterator[Statement]:
    """The prices behind a dollar: the listed ones of both sides, and those the reader states."""
    chips: dict[str, None] = {}
    for key, side in pair.sides.items() if pair.asked.is_divisible else ():
        if side.price and side.price.stated:
            text = f"{tell.who(key)} is priced at {side.price.words} for a chip."
            yield caveat("stated", text, side=key, usd_per_accelerator_hour=side.price.usd)
        else:
            chips |= dict.fromkeys(one.accelerator for one in side.points if one.accelerator)
    known = {one.accelerator: one for one in pair.prices}
    wanted = chips if pair.asked.per == "dollar" else known.keys() & chips.keys()
    yield from prices.statements(pair.choice, known, sorted(wanted))


def _races(pairs: PairList) -> Iterator[Statement]:
    """How many pairs cross, and that divided otherwise; the closest race of those that do not."""
    many = len(pairs.pairs)
    crossing = sum(one.outcome.kind == "crosses" for one in pairs.pairs)
    yield finding("crossing", _crossing(crossing, many), crossing=crossing, pairs=many)
    if parts := [_divided(pairs.pairs, per, outcomes) for per, outcomes in pairs.otherwise.items()]:
        text = f"Divided otherwise, of these pairs {'; '.join(parts)}."
        crossed_per = {per: sum(one.kind == "crosses" for one in of) for per, of in pairs.otherwise.items()}
        yield finding("otherwise", text, (), **crossed_per)
    races = [(pair, pair.outcome) for pair in pairs.pairs if isinstance(pair.outcome, Leads)]
    if races:
        pair, outcome = min(races, key=lambda row: abs(row[1].smallest.lead_percent))
        knot, named = outcome.smallest, outcome.named(outcome.smallest)
        texts = []
        builds = _builds(pair.a, pair.b)
        for tell in (Phrasing.full(pairs.asked, pair.a, pair.b, builds), Phrasing.short(pairs.asked, pair.a, pair.b)):
            race = f"{tell.a} and {tell.b} tie" if knot.tie else tell.leads(outcome.leader, [knot])
            texts.append(
                f"The closest race without a crossing: {race}{tell.per} at {tell.at(knot.x)}{flagged(flags_of(named))}."
            )
        ids = [one.point_id for one in named]
        yield finding("closest", fitting(*texts), ids, x=knot.x, ratio=knot.ratio, leader=outcome.leader)


def _divided(pairs: Sequence[result.ListedPair], per: Per, outcomes: Sequence[result.Outcome]) -> str:
    """How many of the pairs cross divided by something else, and in how many somebody else leads throughout."""
    known = [one for one in outcomes if not isinstance(one, result.NotKnown)]
    if not known:
        return f"{PER_WORDS[per]} nothing is known"
    crossing = sum(one.kind == "crosses" for one in known)
    both = [(pair.outcome, one) for pair, one in zip(pairs, outcomes, strict=True)]
    turned = sum(isinstance(a, Leads) and isinstance(b, Leads) and a.leader != b.leader for a, b in both)
    of = "" if len(known) == len(pairs) else f" of {len(known):,} known"
    cross = f"{PER_WORDS[per]} {crossing or 'none'}{of} {'crosses' if crossing == 1 else 'cross'}"
    return f"{cross} and {turned} {'has' if turned == 1 else 'have'} another leader" if turned else cross


def _crossing(crossing: int, many: int) -> str:
    """How many of the listed pairs cross: "None of the 6 listed pairs cross.", "The two cross."."""
    if many == 1:
        return f"The two {'cross' if crossing else 'do not cross'}."
    if crossing in (0, many):
        return f"{'All' if crossing else 'None'} of the {many:,} listed pairs cross."
    return f"{crossing} of the {many:,} listed pairs {'crosses' if crossing == 1 else 'cross'}."


def _no_pair(pairs: PairList, ranking: Ranking) -> str:
    """Why there is no pair to list."""
    what = f"{Phrasing(pairs.asked, '', '').what} along {axis_words(pairs.asked.along)}"
    if not pairs.tally.selected:
        return NOTHING_SELECTED
    none, of = f"No point of {selected(ranking.view)}", f"(0 of {pairs.tally.selected:,})"
    beyond, silent = pairs.tally.of("beyond_limit"), pairs.tally.of("unknown_limit")
    if not pairs.tally.used and beyond + silent:
        which, of = limits.named(ranking.limits), f"(0 of {beyond + silent:,})"
        among = "" if beyond + silent == pairs.tally.selected else f" with {what}"
        none += among
        if not beyond:
            short = f"No point of {selected(_of_models(ranking.view))}{among}"
            stated = (limits.metrics(ranking.limits), f"what {which} {'is' if len(ranking.limits) == 1 else 'are'} on")
            return fitting(*(f"{start} states {one} {of}; lift {which}." for one in stated for start in (none, short)))
        ease = f"ease {'it' if len(ranking.limits) == 1 else 'them'}"
        return f"{none} {'is known to keep' if silent else 'keeps'} {which} {of}; {ease}."
    if not pairs.curves and pairs.tally.of("unnamed"):
        return f"{none} with {what} states its accelerator; state it on the Data page."
    within = f" within {limits.named(ranking.limits)}" if ranking.limits else ""
    if not pairs.curves:
        return _no_curve(pairs, ranking, within)
    if pairs.left == 0:
        what = f"{inline(pairs.asked.row)} at more than one {axis_noun(pairs.asked.along)}"
        return f"No deployment on the side chosen has {what}; choose another side."
    chips = [value_label("accelerator", one) for one in pairs.accelerators]
    if pairs.curves == 1:
        models = selected(_of_models(ranking.view))
        only = f"only 1 curve of {what} {'keeps the limits' if ranking.limits else 'was measured'}"
        of = selected(ranking.view)
        return fitting(*(f"{one}: {only}{on}." for one in (of, models) for on in (f", on {joined(chips)}", "")))
    return fitting(
        *(
            f"No 2 of {pairs.curves:,} curves of {what} can be compared, on {joined(chips, at_most=most)}."
            for most in (6, 3, 1)
        )
    )


def _of_models(view: View) -> View:
    """A View of the same models, whatever else was chosen."""
    return View.of({"model": view.values("model")})


def _no_curve(found: PairList, ranking: Ranking, within: str) -> str:
    """What no point states, or that no deployment was measured at two places."""
    of, noun, what = selected(ranking.view), axis_noun(found.asked.along), inline(found.asked.row)
    one, tally = f"a{'n' if noun[0] in 'aeiou' else ''} {noun}", found.tally
    silent, every = tally.of("no_axis"), tally.selected
    if tally.used:
        return f"No deployment of {of}{within} has {what} at more than one {noun}."
    if tally.of("no_metric"):
        return f"No ranked point of {of} that states {one} has {what}."
    if silent < every:
        return f"No {'ranked point' if silent else 'point'} of {of} {f'states {one}' if silent else 'may be ranked'}."
    return (
        f"None of the {every:,} points of {of} states {one}."
        if every > 1
        else f"The only point of {of} states no {noun}."
    )


def why(options: CrossoverOptions, choice: Choice) -> tuple[Why, ...]:
    """Formula, inputs and source of what is told."""
    reasons = (
        Why("Crossing", "each run of a deployment is straight between its own neighbouring points on log-log axes and"
            " says nothing outside its range; a side is the best of them at each place; where both meet is exact",
            f"{options.row.label} along {axis_words(options.along)} of all ranked points; of repeats the middle one",
            "log-log interpolation, as between points of a power law"),
        Why("Interval", "with repeats every place at which the 95 % interval of the ratio holds 1 (Welch's t on"
            " logarithms); without, the two knots around the crossing", "points that number their repeats",
            "E. C. Fieller, Biometrika 24 (1932); B. L. Welch, Biometrika 34 (1947)"),
        Why("Lead", "better / worse; within 1 % of 1, or with a 95 % interval that holds 1, it is a tie",
            "both sides' values at a place", "Kneepoint's definition"),
        Why(options.row.axis, options.row.formula, options.row.definition, options.row.source),
        Why("Break-even price", "price of A's chip = price of B's chip x (A per chip / B per chip)",
            f"prices: {choice.words}, unless stated by you", "both sides give the same tokens per dollar"),
        Why("Per watt", "throughput / (rated power of one chip x chips)", "rated power (TDP) of data/accelerators.csv",
            "data sheets as cited there; no power was measured"),
    )  # fmt: skip
    return reasons if options.is_divisible else reasons[:4]
