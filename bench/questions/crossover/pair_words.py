"""Sides, leads and verdicts in words: the pieces of a crossover's sentences, cells, boxes and labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from bench.basis import likeness
from bench.basis.likeness import fact_words, filter_words
from bench.basis.points import PointFacts
from bench.basis.wording import TWICE, between
from bench.chart import value_label
from bench.maths.crossover import Crossing, Crossover, Knot
from bench.questions.crossover import result
from bench.questions.crossover.options import (
    LENGTHS,
    USERS,
    CrossoverOptions,
    at,
    at_crossings,
    axis_words,
    crossed,
    place,
    reach,
    span,
    written,
)
from bench.questions.crossover.result import OTHER, SIDES, Compared, NormalisedVerdict, Outcome, Side, SideKey
from bench.view import View
from bench.wording import counted, inline, joined, number

PER_WORDS = {"raw": "raw", "accelerator": "per chip", "dollar": "per dollar", "watt": "per rated watt"}
SHOWN = 4
"""So many crossings are listed in a sentence; more are counted."""

UNNAMED = ("accelerator", "accelerators", "model", "series", "load_kind")
OF_SERIES = ("precision", "engine", "variant", "speculation")
"""What is told of a side that is chosen by its series, whose ids say nothing."""

SAID = ("precision", "engine", "speculation", "disaggregated")
"""What a side's words say where the other side is unlike in it throughout."""


def side(own: View, points: Collection[PointFacts]) -> Side:
    """A side with these filters in words, by what was measured of it: "4 x TPU v6e", "column B, server defaults".

    The hardware is "" where its filters leave more than two accelerators.
    """
    kinds = sorted({one.accelerator for one in points if one.accelerator})
    chips = sorted(filter_words("accelerator", one) for one in kinds or own.values("accelerator"))
    counts = tuple(sorted({one.accelerators for one in points if one.accelerators}))
    stated = own.values("accelerators")
    count = stated[0] if len(stated) == 1 else str(counts[0]) if len(counts) == 1 else "1"
    hardware = f"{'' if count == '1' else f'{count} x '}{chips[0]}" if len(chips) == 1 else ""
    hardware = " and ".join(chips) if len(chips) == 2 else hardware
    told = [(key, values) for key, values in own.where if key not in UNNAMED]
    parts = [joined([filter_words(key, value) for value in values], last="or") for key, values in told]
    for key in OF_SERIES if own.values("series") else ():
        found = {getattr(one, key) for one in points} - {None}
        parts += [fact_words(key, found.pop())] if len(found) == 1 else []
    only = kinds[0] if len(kinds) == 1 else None
    return Side(hardware, tuple(dict.fromkeys(parts)), written(own), only, counts, points=tuple(points))


def told_apart(a: Side, b: Side, knots: Sequence[tuple[PointFacts, PointFacts]]) -> tuple[Side, Side]:
    """Both sides with what they differ in at every compared knot in their words: "H200 SXM FP8", "A100 SXM FP16"."""
    counts = [{facts.accelerators for facts in side} for side in zip(*knots, strict=True)]
    if len(counts) == 2 and all(len(own) == 1 for own in counts) and counts[0] != counts[1]:
        a, b = _on_chips(a, counts[0].pop()), _on_chips(b, counts[1].pop())
    for one in likeness.everywhere(knots, SAID):
        if len(one.a) == len(one.b) == 1:
            a, b = _saying(a, one.fact.key, one.a[0]), _saying(b, one.fact.key, one.b[0])
    return a, b


def _on_chips(side: Side, chips: int | None) -> Side:
    """The side with how many chips it ran on in its words, where its own filters do not say."""
    if chips in (None, 1) or side.accelerator is None or side.hardware != filter_words("accelerator", side.accelerator):
        return side
    return replace(side, hardware=f"{chips} x {side.hardware}")


def member(facts: PointFacts) -> tuple[str, ...]:
    """What a member is: chips, layout, engine, speculation, variant and date."""
    words = [counted(facts.accelerators, "chip")] if facts.accelerators else []
    words += [f"{key} {getattr(facts, key)}" for key in likeness.LAYOUT if (getattr(facts, key) or 0) > 1]
    if facts.engine:
        words.append(" ".join(filter(None, (value_label("engine", facts.engine), facts.engine_version))))
    if facts.speculation and facts.speculation != "none":
        words.append(fact_words("speculation", facts.speculation))
    words += ["disaggregated"] if facts.disaggregated else []
    words += [facts.variant] if facts.variant else []
    return (*words, *([facts.date.isoformat()] if facts.date else []))


def apart(*members: PointFacts) -> tuple[str, ...]:
    """What of two members' words is not said of both; all where that leaves one nothing; none for equal words."""
    said = [member(one) for one in members]
    keys = likeness.DEPLOYED if said[0] == said[1] else ("precision",)
    unlike = likeness.differences(members[:1], members[1:], keys)
    more = [*zip(*((", ".join(of.a), ", ".join(of.b)) for of in unlike), strict=True)] or [(), ()]
    one, other = (*more[0], *said[0]), (*more[1], *said[1])
    left = [part for part in one if part not in other], [part for part in other if part not in one]
    return tuple(map(", ".join, left if all(left) else (one, other) if one != other else ()))


def alone(a: Side, b: Side) -> tuple[str, str] | None:
    """What each of two sides on the same hardware has and the other has not; None where that is not known."""
    own = [part for part in a.parts if part not in b.parts], [part for part in b.parts if part not in a.parts]
    if a.name or not a.hardware or a.hardware != b.hardware or not all(own):
        return None
    return ", ".join(own[0]), ", ".join(own[1])


@dataclass(frozen=True)
class Phrasing:
    """How a comparison is told: what is asked, and what the two sides are called."""

    asked: CrossoverOptions
    a: str
    b: str

    @classmethod
    def full(cls, options: CrossoverOptions, a: Side, b: Side, without: Collection[str] = ()) -> Phrasing:
        """With all words of both sides but some."""
        a, b = (replace(one, parts=tuple(part for part in one.parts if part not in without)) for one in (a, b))
        return cls(options, a.label, b.label)

    @classmethod
    def short(cls, options: CrossoverOptions, a: Side, b: Side) -> Phrasing:
        """With the hardware of both sides, where that tells them apart, else with what each alone has besides."""
        one, other = a.name or a.hardware, b.name or b.hardware
        if one and other and one != other:
            return cls(options, one, other)
        own = alone(a, b)
        return cls(options, *own) if own else cls.full(options, a, b)

    def who(self, side: SideKey) -> str:
        """What a side is called."""
        return self.a if side == "a" else self.b

    @property
    def what(self) -> str:
        """What is compared: "output throughput per dollar"."""
        return f"{inline(self.asked.row)}{self.per}"

    @property
    def per(self) -> str:
        """What it is divided by, behind a verdict that does not say what is compared: " per chip"."""
        return "" if self.asked.per == "raw" else f" {PER_WORDS[self.asked.per]}"

    def at(self, *xs: float) -> str:
        """Measured places on the axis: "batch 8"."""
        return at(self.asked.along, *xs)

    def at_crossings(self, crossings: Sequence[Crossing]) -> str:
        """Where crossings are on the axis: "batch 130"."""
        return at_crossings(self.asked.along, crossings)

    def span(self, knots: Sequence[Knot]) -> str:
        """Where some neighbouring knots are: "concurrency 4 to 32"."""
        return span(self.asked.along, knots[0].x, knots[-1].x)

    def leads(self, side: SideKey, knots: Iterable[Knot], *, whom: bool = True, what: bool = False) -> str:
        """Who leads by how much: "H200 leads B200 by 2.8 to 55 %", "H200 is 2.1 to 6.4 times as fast as B200".

        With `what` it says in what: "H200 gives 2.1 to 6.4 times the output throughput of B200".
        """
        (margin, is_times), other = self._margin(knots), self.who(OTHER[side]) if whom else ""
        if is_times and what and self.asked.row.better == "higher":
            return f"{self.who(side)} gives {margin.removesuffix(' as fast')} the {self.what} of {other}"
        of = f" in {self.what}" if what else ""
        if is_times:
            return f"{self.who(side)} is {margin}{f' as {other}' if other else ''}{of}"
        return f"{self.who(side)} leads {f'{other} ' if other else ''}{margin}{of}"

    def lead_at(self, knot: Knot) -> str:
        """Who leads at a knot by how much: "H200 SXM leads by 2.8 % at batch 512"."""
        who = self.leads(knot.leader, [knot], whom=False) if knot.leader else "a tie"
        return f"{who} at {self.at(knot.x)}"

    def sentence(self, outcome: Outcome, terse: int = 0) -> str:
        """Who overtakes whom and where, who leads by how much, or why nobody does, without a full stop.

        At `terse` 1 it leaves out ranges and brackets, at 2 the metric too, at 3 margins instead, and at 4 both.
        """
        match outcome:
            case Compared(kind="crosses"):
                others = any(turn.crossing is None for turn in outcome.found.turns)
                where = "more changes elsewhere" if terse else "elsewhere the lead changes without a known crossing"
                return f"{self._crossing(outcome, terse)}{f'; {where}' if others else ''}"
            case result.Leads():
                return self._leading(outcome, terse)
            case Compared(kind="passes"):
                return self._passing(outcome, terse)
            case Compared():
                whole = "" if terse else f" from {self.span(outcome.found.knots)}"
                return f"{self.a} and {self.b} tie in {self.what} at every place{whole}"
            case result.NoOverlap():
                a, b = (span(self.asked.along, *ends) for ends in (outcome.range_a, outcome.range_b))
                if terse:
                    return f"{self.a} and {self.b} were measured at different {self._places}"
                return f"the ranges do not overlap: {self.a} was measured from {a}, {self.b} from {b}"
            case result.NotKnown():
                return f"who leads{'' if terse > 1 else f' in {self.what}'} is not known: {self._reason(outcome)}"
            case _:
                said = {"not_comparable": "not comparable"}
                return f"{said.get(outcome.kind, 'no comparison')}: {self._reason(outcome)}"

    def brief(self, outcome: Outcome) -> str:
        """A verdict in a cell of a table."""
        match outcome:
            case Compared(kind="crosses"):
                return self._changes(outcome.crossings)
            case result.Leads():
                lead = self.leads(outcome.leader, outcome.found.decided, whom=False)
                return f"{lead}{self._open(outcome, bare=True)}"
            case Compared(kind="tie"):
                return "a tie throughout"
            case Compared() if len(outcome.found.turns) > 1:
                return f"{self._counts(outcome)}; no crossing known"
            case Compared():
                (turn,) = outcome.found.turns
                old, new = self.who(OTHER[turn.leads_after]), self.who(turn.leads_after)
                return f"{old} to {place(turn.below.x)}, {new} from {place(turn.above.x)}; no crossing known"
            case result.NoOverlap():
                return "ranges do not overlap"
            case _:
                return f"{'not known' if outcome.kind == 'not_known' else 'not compared'}: {self._reason(outcome)}"

    def held_equal(self, verdict: NormalisedVerdict) -> str:
        """What is held equal for a verdict: "Same batch", "Same concurrency, 4 chips each"."""
        per_chip = verdict.along == USERS and self.asked.along == "batch"
        axis = "batch per chip" if per_chip else axis_words(verdict.along)
        return f"Same {axis}, {counted(verdict.chips, 'chip')} each" if verdict.chips else f"Same {axis}"

    @property
    def _places(self) -> str:
        """What places on the axis are called: "loads", "lengths"."""
        return "lengths" if self.asked.along in LENGTHS else "loads"

    def _leading(self, outcome: result.Leads, terse: int) -> str:
        """Who leads, by how much, and from where to where."""
        knots = [knot for knot in outcome.found.knots if knot.settled] or outcome.found.knots
        if not terse:
            lead = self.leads(outcome.leader, outcome.found.decided, what=True)
            return f"{lead} from {self.span(knots)}{self._open(outcome)}"
        tie = ", with ties" if any(knot.tie for knot in outcome.found.knots) else ""
        if terse > 2:
            what = f" in {self.what}" if terse == 3 else self.per
            return f"{self.who(outcome.leader)} leads {self.who(OTHER[outcome.leader])}{what}{tie}"
        lead = self.leads(outcome.leader, outcome.found.decided, what=terse == 1)
        return f"{lead}{self.per if terse > 1 else ''}{tie}"

    def _crossing(self, outcome: Compared, terse: int) -> str:
        crossings = outcome.crossings
        if len(crossings) > 1:
            if terse:
                where = self.at_crossings(crossings)
                return f"{self.a} and {self.b} swap the lead in {self.what} at {where}"
            many = f"{counted(len(crossings), 'place')} along {axis_words(self.asked.along)}"
            return f"the lead in {self.what} changes hands at {many}: {self._changes(crossings)}"
        (one,) = crossings
        who, whom = self.who(one.leads_after), self.who(OTHER[one.leads_after])
        ties = [place(knot.x) for knot in (one.below, one.above) if knot.tie]
        tie = f" ({' and '.join(ties)} itself a tie)" if ties else ""
        where = interpolated(outcome.found, one, briefly=terse > 0) + ("" if terse else tie)
        what = self.per if terse > 1 else f" in {self.what}"
        return f"{who} overtakes {whom}{what} at {self.at_crossings([one])}, {where}"

    def _changes(self, crossings: Sequence[Crossing]) -> str:
        told = [f"{self.who(one.leads_after)} from {crossed(one)}" for one in crossings]
        return joined(told, at_most=SHOWN)

    def _counts(self, outcome: Compared) -> str:
        a, b = (sum(knot.leader == key for knot in outcome.found.knots) for key in SIDES)
        return f"{self.a} leads at {a} and {self.b} at {b} of {len(outcome.found.knots)} {self._places}"

    def _passing(self, outcome: Compared, terse: int) -> str:
        """Who leads where of what was measured, without a crossing: one turn with its ends, several counted."""
        crossing = outcome.found
        if len(crossing.turns) > 1:
            many = {key: sum(knot.leader == key for knot in crossing.knots) for key in SIDES}
            most, least = sorted(SIDES, key=lambda key: -many[key])
            why = "" if terse > 1 else "; no crossing known"
            return (
                f"{self.who(most)} leads in {self.what} at {many[most]} of {len(crossing.knots)} {self._places},"
                f" {self.who(least)} at {many[least]}{why}"
            )
        (turn,) = crossing.turns
        before = [knot for knot in crossing.knots if knot.x <= turn.below.x]
        after = [knot for knot in crossing.knots if knot.x >= turn.above.x]
        old, new = (self._margin(knot for knot in knots if not knot.tie)[0] for knots in (before, after))
        who, whom = self.who(OTHER[turn.leads_after]), self.who(turn.leads_after)
        if terse:
            why = "" if terse > 1 else "; no crossing known"
            what = self.per if terse > 2 else f" in {self.what}"
            return f"{who} leads{what} up to {self.at(turn.below.x)}, {whom} from {place(turn.above.x)}{why}"
        return (
            f"{who} leads in {self.what} at {self.span(before)} ({old}), {whom} at"
            f" {reach(after[0].x, after[-1].x)} ({new}); no crossing is known between {place(turn.below.x)} and"
            f" {place(turn.above.x)}"
        )

    def _margin(self, knots: Iterable[Knot]) -> tuple[str, bool]:
        """By how much somebody leads, "by 14 to 30 %", "1.6 to 3.2 times as fast", and whether it is told as times.

        Where less is better it is always times: half as long is twice as fast, and neither "50 %" nor "100 %" ahead.
        """
        ratios = [knot.ratio for knot in knots] or [1.0]
        least, most = min(ratios), max(ratios)
        if self.asked.row.better == "lower":
            ends = dict.fromkeys(map(number, (least, most)))
            return f"{' to '.join(ends)} times as fast", True
        is_times = most >= TWICE
        return f"{between(least, most)}{' as fast' if is_times else ''}", is_times

    def _open(self, outcome: Compared, *, bare: bool = False) -> str:
        """Where the two tie while one leads elsewhere, and where it leads only because the other's best was not run."""

        def where(xs: Sequence[float]) -> str:
            return joined(list(map(place, xs)), at_most=3) if bare else self.at(*xs)

        ties = [one.x for one in outcome.found.knots if one.tie]
        rest = [one.x for one in outcome.found.knots if not (one.tie or one.settled)]
        tie = f", a tie at {where(ties)}" if ties else ""
        return f"{tie}, and at {where(rest)} against what was measured" if rest else tie

    def _reason(self, why: Outcome) -> str:
        """Why there is no verdict, in a few words; "" where there is one."""
        match why:
            case result.NotKnown():
                chips = joined([value_label("accelerator", one) for one in why.accelerators], "or") or "a side"
                unstated = f"the number of chips of {chips} is not stated"
                power = f"the rated power of {chips} is not known here"
                return {"chips": unstated, "price": f"{chips} has no price under the terms chosen", "power": power}[
                    why.code
                ]
            case result.NoPoints():
                who = self.who(why.side)
                return {
                    "nothing": f"nothing is measured of {who}",
                    "not_ranked": f"no point of {who} may be ranked",
                    "axis": f"{who} has no {inline(self.asked.row)} along {axis_words(self.asked.along)}",
                    "chips": f"the number of chips of {who} is not stated",
                }[why.code]
            case result.NotComparable() if why.key in ("model", "load_kind"):
                sides = ([value_label(why.key, one) for one in told] for told in (why.a, why.b))
                a, b = (joined(told, at_most=2) for told in sides)
                return f"the {'models' if why.key == 'model' else 'kinds of load'} differ, {a} against {b}"
            case result.NotComparable():
                values = f"{number(float(why.a[0]))} against {number(float(why.b[0]))}"
                loads = f"the loads differ, {axis_words(why.key)} {values}"
                return f"the {axis_words(why.key)}s differ, {values} tokens" if why.key in LENGTHS else loads
            case _:
                return ""


def interpolated(found: Crossover, crossing: Crossing, *, briefly: bool = False) -> str:
    """Between which places a crossing is interpolated, by those that were measured on both sides."""
    low, high = found.run_on_both(crossing)
    nearest = low or high
    if low and low == high:
        return "run on both"
    if low and high:
        return f"between {place(low.x)} and {place(high.x)}{'' if briefly else ', run on both'}"
    if nearest:
        where = f"interpolated {'above' if low else 'below'} {place(nearest.x)}"
        return where if briefly else f"{where}, the nearest run on both"
    return "interpolated" if briefly else "interpolated, and no place was run on both"


def _saying(side: Side, key: str, word: str) -> Side:
    if word in side.parts:
        return side
    if key == "precision" and side.hardware:
        return replace(side, hardware=f"{side.hardware} {word}")
    return replace(side, parts=(word, *side.parts))
