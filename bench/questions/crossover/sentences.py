"""What a crossover says: who overtakes whom and where, who leads throughout, or why there is no answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.maths.crossover import Crossing, Knot
from bench.maths.leads import Break
from bench.questions.crossover import passing, percents
from bench.questions.crossover.asked import SIDES, UNITS, USERS, WORDS, Asked, along_words, at, place
from bench.questions.crossover.percents import percent
from bench.questions.crossover.versus import Outcome, Verdict
from bench.wording import counted, joined, lowered, number

SHOWN_CROSSINGS = 4

Labels = tuple[str, str]


def headline(
    asked: Asked, outcome: Outcome, labels: Labels, about: str, turns: Sequence[Mapping[str, Any]]
) -> str:
    """The one sentence on a pair; `turns` are those of `passing.numbers`."""
    start = f"{about}: " if about else ""
    what = subject(asked)
    if outcome.kind == "not_comparable":
        return f"{_begun(start, 'not comparable')}: {outcome.reason}."
    if outcome.kind == "no_points":
        return f"{_begun(start, 'no comparison')}: {outcome.reason}."
    if outcome.kind == "not_known":
        return f"{_begun(start, 'who leads')} in {what} is not known: {outcome.reason}."
    found = outcome.found
    assert found is not None
    if outcome.kind == "no_overlap":
        return (
            f"{start}the ranges do not overlap: {labels[0]} was measured from {span(asked, found.range_a)},"
            f" {labels[1]} from {span(asked, found.range_b)}."
        )
    if outcome.kind == "tie":
        return f"{start}{labels[0]} and {labels[1]} tie in {what} at every place from {span(asked, _overlap(outcome))}."
    if outcome.kind == "crosses":
        return f"{start}{_crosses(asked, outcome, labels)} in {what}{passing.besides(asked, turns, labels)}."
    if outcome.kind == "passes":
        return f"{start}{passing.headline(asked, found, turns, labels, what)}."
    leader, other = labels if outcome.kind == "a_leads" else labels[::-1]
    return (
        f"{start}{other} never overtakes {leader} in {what} from {span(asked, _known_range(outcome))}:"
        f" {leader} leads {by(outcome)}{tied(asked, outcome)}{_open(asked, outcome)}."
    )


def _known_range(outcome: Outcome) -> tuple[float, float]:
    """From the first to the last place at which who leads is settled."""
    assert outcome.found is not None
    knots = outcome.found.knots
    xs = [knot.x for knot in knots if knot.settled] or [knot.x for knot in knots]
    return xs[0], xs[-1]


def _open(asked: Asked, outcome: Outcome, *, short: bool = False) -> str:
    """Where it is not known who leads, since the one behind lacks its best series there: "; not known above 512"."""
    breaks = (*outcome.found.breaks, *outcome.found.lacking) if outcome.found else ()
    if not breaks:
        return ""
    knots = outcome.found.knots if outcome.found else ()
    open_ends = [knot.x for knot in (knots[0], knots[-1]) if not knot.settled]
    words = dict.fromkeys(_part(asked, one, open_ends, short=short) for one in breaks)
    told = joined(list(words), at_most=3)
    return (
        f", not known {told}" if short else f"; {told} it is not known, since a best series was not run there"
    )


def _part(asked: Asked, cut: Break, open_ends: Sequence[float], *, short: bool) -> str:
    """The part of the axis that a break leaves open: "above 512", or "between 128 and 512" where it ends before."""
    first, last = sorted((cut.x, cut.until))
    if cut.until in open_ends:
        return f"{cut.beyond} {place(cut.x) if short else at(asked.along, cut.x)}"
    return f"between {place(first) if short else at(asked.along, first)} and {place(last)}"


def short(labels: Labels) -> Labels:
    """The labels by what comes before their first comma, where that tells them apart."""
    cut = (labels[0].split(",")[0], labels[1].split(",")[0])
    return cut if cut[0] != cut[1] else labels


def brief(asked: Asked, outcome: Outcome, labels: Labels) -> str:
    """A verdict in a cell of a table."""
    if outcome.kind in ("not_comparable", "not_known", "no_points"):
        word = {"not_comparable": "not comparable", "not_known": "not known", "no_points": "not measured"}[
            outcome.kind
        ]
        return f"{word}: {outcome.reason}"
    if outcome.kind == "no_overlap":
        return "ranges do not overlap"
    if outcome.kind == "tie":
        return "a tie throughout"
    if outcome.kind == "passes":
        assert outcome.found is not None
        return passing.brief(outcome.found, labels)
    if outcome.kind == "crosses":
        return joined([_passes(one, labels) for one in _decided(outcome)], at_most=SHOWN_CROSSINGS)
    leader = labels[0] if outcome.kind == "a_leads" else labels[1]
    return (
        f"{leader} leads {by(outcome)}{tied(asked, outcome, short=True)}{_open(asked, outcome, short=True)}"
    )


def _passes(crossing: Crossing, labels: Labels) -> str:
    return f"{_leader(crossing, labels)} from {place(crossing.x)}"


def _crosses(asked: Asked, outcome: Outcome, labels: Labels) -> str:
    crossings = _decided(outcome)
    first = crossings[0]
    leader = _leader(first, labels)
    other = labels[1] if leader == labels[0] else labels[0]
    if len(crossings) == 1:
        return f"{leader} overtakes {other} at {at(asked.along, first.x)}, between {_between(first)},"
    places = joined([_passes(one, labels) for one in crossings], at_most=SHOWN_CROSSINGS)
    return f"the lead changes {counted(len(crossings), 'time')} along {along_words(asked.along)} ({places})"


def _between(crossing: Crossing) -> str:
    ties = [place(knot.x) for knot in (crossing.below, crossing.above) if knot.tie]
    tie = f" ({' and '.join(ties)} itself a tie)" if ties else ""
    return f"the measured {place(crossing.below.x)} and {place(crossing.above.x)}{tie}"


def _ends(asked: Asked, outcome: Outcome, labels: Labels) -> list[str]:
    """Who leads by how much at both ends of what was measured of both."""
    if outcome.found is None or outcome.kind != "crosses":
        return []
    first, last = outcome.found.knots[0], outcome.found.knots[-1]
    return [f"At the ends: {_lead(asked, first, labels)}, {_lead(asked, last, labels)}."]


def closest(asked: Asked, outcome: Outcome, labels: Labels) -> str:
    """Where the leader's lead is smallest: "H100 SXM, rvLLM leads 4 x TPU v6e by 2.8 % at batch 512"."""
    assert outcome.found is not None
    assert outcome.found.smallest is not None
    knot = outcome.found.smallest
    leader, other = labels if outcome.kind == "a_leads" else labels[::-1]
    if knot.tie:
        return f"{leader} and {other} tie at {at(asked.along, knot.x)}"
    return f"{leader} is ahead of {other} by {percent(knot.lead_percent)} at {at(asked.along, knot.x)}"


def _lead(asked: Asked, knot: Knot, labels: Labels) -> str:
    where = at(asked.along, knot.x)
    if knot.tie:
        return f"a tie at {where}"
    return f"{labels[0] if knot.lead_percent > 0 else labels[1]} by {percent(knot.lead_percent)} at {where}"


def findings(asked: Asked, outcome: Outcome, labels: Labels) -> list[str]:
    """How well each crossing is known, and the closest and widest lead."""
    found = outcome.found
    if found is None or not found.knots:
        return []
    told = [*_ends(asked, outcome, labels), *(_known(asked, one, labels) for one in found.crossings)]
    if outcome.kind in ("a_leads", "b_leads") and found.smallest and found.largest:
        told.append(
            f"The closest is {_lead(asked, found.smallest, labels)}; the widest {_lead(asked, found.largest, labels)}."
        )
    beyond = _beyond(outcome, labels)
    return [*told, *([beyond] if beyond else [])]


def changes(
    asked: Asked,
    crossings: Sequence[Mapping[str, Any]],
    breaks: Sequence[Mapping[str, Any]],
    lacking: Sequence[Mapping[str, Any]],
    labels: Labels,
    turns: Sequence[Mapping[str, Any]],
) -> list[str]:
    """Where a side's best series changes within a crossing's bracket, and where the lead passes on without one."""
    told = []
    whose = dict(zip(SIDES, labels, strict=True))
    for one in crossings:
        told += [
            f"Within the bracket of {place(one['x'])} {whose[side]} changes from {words[0]} to {words[1]}."
            for side, words in one["changes"].items()
        ]
    told += passing.missing(asked, turns, labels)
    told += [passing.lacks(asked, one, whose) for one in lacking[: passing.MOST_TOLD]]
    for one in [] if turns else breaks[: passing.MOST_TOLD]:
        word = "further" if one["beyond"] == "above" else "lower"
        other = whose["b" if one["side"] == "a" else "a"]
        told.append(
            f"At {at(asked.along, one['x'])} the best series of {whose[one['side']]}, {one['member']}, ends: nobody"
            f" measured it {word}. Of what was measured just {one['beyond']} it, {other} leads: no crossing."
        )
    return told


def _known(asked: Asked, crossing: Crossing, labels: Labels) -> str:
    leader = _leader(crossing, labels)
    held = crossing.interval
    start = f"{leader} leads after {at(asked.along, crossing.x)}"
    if crossing.within_tie:
        return f"{start}, but nobody by more than a tie around it."
    if held.source == "bracket":
        return (
            f"{start}, interpolated: it lies somewhere between {place(held.low)} and {place(held.high)}, and without"
            " repeats no more is known."
        )
    ends = [
        f"{'beyond ' if is_open else ''}{place(end)}"
        for end, is_open in ((held.low, held.open_low), (held.high, held.open_high))
    ]
    return f"{start}; by the repeats, with 95 % confidence between {ends[0]} and {ends[1]}."


def _beyond(outcome: Outcome, labels: Labels) -> str:
    """Where only one side was measured, so nothing is said."""
    found = outcome.found
    if found is None or found.overlap is None:
        return ""
    low, high = found.overlap
    ranges = (found.range_a, found.range_b)
    wider = {
        f"above {place(high)}": [label for label, span in zip(labels, ranges, strict=True) if span[1] > high],
        f"below {place(low)}": [label for label, span in zip(labels, ranges, strict=True) if span[0] < low],
    }
    parts = [
        f"{where} only {who[0]} was measured" if len(who) == 1 else f"{where} no series of both share a place"
        for where, who in wider.items()
        if who
    ]
    return f"{_sentence(joined(parts))}, so nothing is said there." if parts else ""


def _begun(start: str, text: str) -> str:
    """What a sentence begins with: a model and its workload, where both sides have one, else the text itself."""
    return f"{start}{text}" if start else _sentence(text)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def by(outcome: Outcome) -> str:
    """By how much the leader leads: "by 2.8 % to 55 %", leaving knots at which it does not out."""
    knots = [knot for knot in outcome.found.knots if not knot.tie] if outcome.found else []
    return percents.by([knot.lead_percent for knot in [one for one in knots if one.settled] or knots])


def tied(asked: Asked, outcome: Outcome, *, short: bool = False) -> str:
    """Where the two tie while one leads elsewhere: ", a tie at 16"."""
    ties = [place(knot.x) if short else at(asked.along, knot.x) for knot in outcome.ties]
    return f", a tie at {joined(ties, at_most=3)}" if ties and outcome.kind != "crosses" else ""


def price_sentence(label: str, best: dict[str, Any], now: float | None, asked: Asked, other: str) -> str:
    """Below which price a side wins per dollar, at the place where it may cost the most."""
    chips = best.get("accelerators")
    whole = f"{number(best['usd_per_hour'])} USD/h for its {chips} chips, " if chips and chips > 1 else ""
    rate = f"{number(best['usd_per_accelerator_hour'], 3)} USD per chip and hour"
    price = f" (now {number(now)})" if now is not None else ""
    left_out = best["places_left_out"]
    open_words = (
        f"; {counted(left_out, 'place')} where a best series was not run left out" if left_out else ""
    )
    return (
        f"Per dollar {label} wins below {whole}{rate}{price}, at {at(asked.along, best['x'])} against"
        f" {other}{open_words}."
    )


def verdict_words(asked: Asked, verdict: Verdict) -> str:
    """What is held equal for a verdict: "Same batch", "Same concurrency, 4 chips each"."""
    words = f"Same {along_words(verdict.along)}"
    if verdict.along == USERS and asked.along == "batch":
        words = "Same batch per chip"
    return (
        f"{words}, {verdict.chips} {'chip' if verdict.chips == 1 else 'chips'} each"
        if verdict.chips
        else words
    )


def subject(asked: Asked) -> str:
    """What is compared: "output throughput per dollar"."""
    words = lowered(asked.metric.label)
    return words if asked.per == "raw" else f"{words} {WORDS[asked.per]}"


def unit(asked: Asked) -> str:
    """The unit of what is compared."""
    return f"{asked.metric.unit}{UNITS[asked.per]}"


def span(asked: Asked, ends: tuple[float, float]) -> str:
    """A range along the axis: "batch 1 to 512"."""
    low, high = ends
    return at(asked.along, low) if low == high else f"{at(asked.along, low)} to {place(high)}"


def _overlap(outcome: Outcome) -> tuple[float, float]:
    assert outcome.found is not None
    assert outcome.found.overlap is not None
    return outcome.found.overlap


def _decided(outcome: Outcome) -> list[Crossing]:
    return [one for one in outcome.found.crossings if not one.within_tie] if outcome.found else []


def _leader(crossing: Crossing, labels: Labels) -> str:
    return labels[0] if crossing.leads_after == "a" else labels[1]
