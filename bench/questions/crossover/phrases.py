"""Sides, leads and verdicts in words: the pieces of a crossover's sentences, cells, boxes and labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from bench import names
from bench.basis import likeness
from bench.basis.likeness import fact_words
from bench.basis.points import Facts
from bench.basis.wording import TWICE, between
from bench.chart import setting, value_label
from bench.maths.crossover import Crossing, Knot, Turn
from bench.maths.leads import Break
from bench.questions.crossover import result
from bench.questions.crossover.asked import LENGTHS, USERS, Asked, Per, at, axis_words, place, span, written
from bench.questions.crossover.result import OTHER, SIDES, Compared, Member, Outcome, Side, SideKey, Verdict
from bench.view import FILTER_BY_KEY, View
from bench.wording import counted, inline, joined, number

PER_WORDS: dict[Per, str] = {
    "raw": "raw", "accelerator": "per chip", "dollar": "per dollar", "watt": "per rated watt",
}  # fmt: skip
SHOWN = 4
"""So many crossings are listed in a sentence; more are counted."""

UNNAMED = ("accelerator", "accelerators", "model", "series", "load_kind")
OF_SERIES = ("precision", "engine", "variant", "speculation")
"""What is told of a side that is chosen by its series, whose ids say nothing."""

IN_WORDS = ("precision", "speculation", "disaggregated")
SAID = ("precision", "engine", "speculation", "disaggregated")
"""What a side's words say where the other side is unlike in it throughout."""

TOLD_APART = ("accelerator", "engine", "precision", "speculation", "harness", "variant", "source")
"""Members alike in these are layouts of one deployment."""


def side(own: View, points: Collection[Facts]) -> Side:
    """A side with these filters in words, by what was measured of it: "4 x TPU v6e", "column B, server defaults".

    The hardware is "" where its filters leave more than two accelerators.
    """
    kinds = sorted({one.accelerator for one in points if one.accelerator})
    chips = [value_label("accelerator", one) for one in kinds] or list(map(_chip, own.values("accelerator")))
    counts = tuple(sorted({one.accelerators for one in points if one.accelerators}))
    stated = own.values("accelerators")
    count = stated[0] if len(stated) == 1 else str(counts[0]) if len(counts) == 1 else ""
    hardware = (
        " and ".join(sorted(value_label("accelerator", one) for one in kinds)) if len(kinds) <= 2 else ""
    )
    if count not in ("", "1") and len(kinds) == 1:
        hardware = f"{count} x {hardware}"
    parts = [
        joined([_shown(key, value) for value in values], last="or")
        for key, values in own.where
        if key not in UNNAMED
    ]
    for key in OF_SERIES if own.values("series") else ():
        found = {getattr(one, key) for one in points} - {None}
        parts += [fact_words(key, found.pop())] if len(found) == 1 else []
    only = kinds[0] if len(kinds) == 1 else None
    return Side(
        hardware, tuple(dict.fromkeys(filter(None, parts))), written(own), only, counts, points=tuple(points)
    )


def told_apart(a: Side, b: Side, knots: Sequence[tuple[Facts, Facts]]) -> tuple[Side, Side]:
    """Both sides with what they differ in at every compared knot in their words: "H200 SXM FP8", "A100 SXM FP16"."""
    for one in likeness.everywhere(knots, SAID):
        if len(one.a) == len(one.b) == 1:
            a, b = _saying(a, one.fact.key, one.a[0]), _saying(b, one.fact.key, one.b[0])
    return a, b


def member(facts: Facts) -> tuple[str, ...]:
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


def apart(one: Sequence[str], other: Sequence[str]) -> tuple[str, str]:
    """What of two members' words is not said of both; all where that leaves one nothing."""
    left = [part for part in one if part not in other], [part for part in other if part not in one]
    return (", ".join(left[0]), ", ".join(left[1])) if all(left) else (", ".join(one), ", ".join(other))


@dataclass(frozen=True)
class Teller:
    """How a comparison is told: what is asked, and what the two sides are called."""

    asked: Asked
    a: str
    b: str

    @classmethod
    def full(cls, asked: Asked, a: Side, b: Side, without: Collection[str] = ()) -> Teller:
        """With all words of both sides but some."""
        return cls(asked, a.without(without), b.without(without))

    @classmethod
    def short(cls, asked: Asked, a: Side, b: Side) -> Teller:
        """With the hardware of both sides, where that tells them apart."""
        one, other = a.name or a.hardware, b.name or b.hardware
        return cls(asked, one, other) if one and other and one != other else cls.full(asked, a, b)

    def who(self, side: SideKey) -> str:
        """What a side is called."""
        return self.a if side == "a" else self.b

    @property
    def what(self) -> str:
        """What is compared: "output throughput per dollar"."""
        words = inline(self.asked.row)
        return words if self.asked.per == "raw" else f"{words} {PER_WORDS[self.asked.per]}"

    def at(self, *xs: float) -> str:
        """Places on the axis: "batch 8"."""
        return at(self.asked.along, *xs)

    def span(self, knots: Sequence[Knot]) -> str:
        """Where some neighbouring knots are: "concurrency 4 to 32"."""
        return span(self.asked.along, knots[0].x, knots[-1].x)

    def leads(self, side: SideKey, knots: Iterable[Knot], *, whom: bool = True) -> str:
        """Who leads by how much: "H200 leads B200 by 2.8 % to 55 %", "H200 is 2.1 to 6.4 times as fast as B200"."""
        margin, is_times = _margin(knots)
        other = self.who(OTHER[side]) if whom else ""
        if is_times:
            return f"{self.who(side)} is {margin} as fast{f' as {other}' if whom else ''}"
        return f"{self.who(side)} leads {f'{other} ' if whom else ''}{margin}"

    def lead_at(self, knot: Knot) -> str:
        """Who leads at a knot by how much: "H200 SXM leads by 2.8 % at batch 512"."""
        return (
            f"{self.leads(knot.leader, [knot], whom=False) if knot.leader else 'a tie'} at {self.at(knot.x)}"
        )

    def sentence(self, outcome: Outcome) -> str:
        """Who overtakes whom and where, who leads by how much, or why nobody does, without a full stop."""
        match outcome:
            case result.Crosses():
                others = any(turn.crossing is None for turn in outcome.found.turns)
                more = "; elsewhere it passes on without a known crossing" if others else ""
                return f"{self._crossing(outcome.crossings)}{more}"
            case result.Leads():
                found = outcome.found
                knots = [knot for knot in found.knots if knot.settled] or list(found.knots)
                lead = f"{self.leads(outcome.leader, found.decided)} in {self.what} from {self.span(knots)}"
                return f"{lead}{self._open(outcome)}; no crossing"
            case result.Passes():
                return self._passing(outcome)
            case result.Tie():
                return f"{self.a} and {self.b} tie in {self.what} at every place from {self.span(outcome.found.knots)}"
            case result.NoOverlap():
                a, b = (span(self.asked.along, *ends) for ends in (outcome.range_a, outcome.range_b))
                return f"the ranges do not overlap: {self.a} was measured from {a}, {self.b} from {b}"
            case result.NotKnown():
                return f"who leads in {self.what} is not known: {self._reason(outcome)}"
            case result.NotComparable():
                return f"not comparable: {self._reason(outcome)}"
            case result.NoPoints():
                return f"no comparison: {self._reason(outcome)}"

    def brief(self, outcome: Outcome) -> str:
        """A verdict in a cell of a table."""
        match outcome:
            case result.Crosses():
                return self._changes(outcome.crossings)
            case result.Leads():
                lead = self.leads(outcome.leader, outcome.found.decided, whom=False)
                return f"{lead}{self._open(outcome, bare=True)}"
            case result.Tie():
                return "a tie throughout"
            case result.Passes():
                turns = outcome.found.turns
                if len(turns) > 1:
                    return f"{self._counts(outcome)}; no crossing known"
                old, new = self.who(OTHER[turns[0].leads_after]), self.who(turns[0].leads_after)
                return f"{old} to {place(turns[0].below.x)}, {new} from {place(turns[0].above.x)}; no crossing known"
            case result.NoOverlap():
                return "ranges do not overlap"
            case _:
                words = {
                    "not_known": "not known",
                    "not_comparable": "not comparable",
                    "no_points": "not measured",
                }
                return f"{words[outcome.kind]}: {self._reason(outcome)}"

    def held_equal(self, verdict: Verdict) -> str:
        """What is held equal for a verdict: "Same batch", "Same concurrency, 4 chips each"."""
        per_chip = verdict.along == USERS and self.asked.along == "batch"
        axis = "batch per chip" if per_chip else axis_words(verdict.along)
        return f"Same {axis}, {counted(verdict.chips, 'chip')} each" if verdict.chips else f"Same {axis}"

    def changing(self, turn: Turn, outcome: Compared) -> str:
        """What changes where the lead passes on without a crossing: "MI355X changes layout from tp 2 (…) to tp 4"."""
        assert turn.cut is not None
        before, after = _around(turn, turn.cut, outcome)
        ends, begins = before.span[1], after.span[0]
        ended = f" (not measured above {place(ends)})" if ends < turn.above.x else ""
        begun = f" (not measured below {place(begins)})" if begins > turn.below.x else ""
        kinds = {tuple(getattr(one.facts, key) for key in TOLD_APART) for one in (before, after)}
        one, other = apart(member(before.facts), member(after.facts))
        what = f"{'layout' if len(kinds) == 1 else 'deployment'} from {one}{ended} to {other}{begun}"
        again = f"between two runs of {one}{ended}{begun}"
        return f"{self.who(turn.cut.side)} changes {what if one != other else again}"

    def _crossing(self, crossings: Sequence[Crossing]) -> str:
        if len(crossings) > 1:
            many = f"{counted(len(crossings), 'place')} along {axis_words(self.asked.along)}"
            return f"the lead in {self.what} changes hands at {many}: {self._changes(crossings)}"
        (one,) = crossings
        who, whom = self.who(one.leads_after), self.who(OTHER[one.leads_after])
        ties = [place(knot.x) for knot in (one.below, one.above) if knot.tie]
        tie = f" ({' and '.join(ties)} itself a tie)" if ties else ""
        where = f"between the measured {place(one.below.x)} and {place(one.above.x)}{tie}"
        return f"{who} overtakes {whom} at {self.at(one.x)}, {where}, in {self.what}"

    def _changes(self, crossings: Sequence[Crossing]) -> str:
        return joined(
            [f"{self.who(one.leads_after)} from {place(one.x)}" for one in crossings], at_most=SHOWN
        )

    def _counts(self, outcome: Compared) -> str:
        a, b = (sum(knot.leader == key for knot in outcome.found.knots) for key in SIDES)
        return f"{self.a} leads at {a} and {self.b} at {b} of {counted(len(outcome.found.knots), 'place')}"

    def _passing(self, outcome: Compared) -> str:
        """Who leads where of what was measured, without a crossing: one turn with its ends, several counted."""
        found = outcome.found
        if len(found.turns) > 1:
            why = "no crossing is known, since the best of each were measured at different places"
            return f"{self._counts(outcome)} along {axis_words(self.asked.along)} in {self.what}; {why}"
        (turn,) = found.turns
        before = [knot for knot in found.knots if knot.x <= turn.below.x]
        after = [knot for knot in found.knots if knot.x >= turn.above.x]
        old, new = (self._ahead([knot for knot in knots if not knot.tie]) for knots in (before, after))
        return (
            f"{self.who(OTHER[turn.leads_after])} leads in {self.what} at {self.span(before)} ({old}),"
            f" {self.who(turn.leads_after)} at {reach(after[0].x, after[-1].x)} ({new}); no crossing is known between"
            f" {place(turn.below.x)} and {place(turn.above.x)}"
        )

    def _ahead(self, knots: Iterable[Knot]) -> str:
        margin, is_times = _margin(knots)
        return f"{margin} as fast" if is_times else margin

    def _open(self, outcome: Compared, *, bare: bool = False) -> str:
        """Where the two tie while one leads elsewhere, and where it leads only because the other's best was not run."""
        knots = outcome.found.knots
        ties, rest = (
            [one.x for one in knots if one.tie],
            [one.x for one in knots if not (one.tie or one.settled)],
        )
        tied, left = (
            joined(list(map(place, xs)), at_most=3) if bare or not xs else self.at(*xs) for xs in (ties, rest)
        )
        tie = f", a tie at {tied}" if ties else ""
        return f"{tie}, and at {left} of what was measured" if rest else tie

    def _reason(self, why: Outcome) -> str:
        """Why there is no verdict, in a few words; "" where there is one."""
        match why:
            case result.NotKnown():
                chips = joined([value_label("accelerator", one) for one in why.accelerators]) or "a side"
                unstated = f"the number of chips of {chips} is not stated"
                power = f"no rated power of {chips} is known here"
                return {"chips": unstated, "price": f"no such price of {chips}", "power": power}[why.code]
            case result.NoPoints():
                who = self.who(why.side)
                return {
                    "nothing": f"nothing is measured of {who}",
                    "not_ranked": f"no point of {who} may be ranked",
                    "axis": f"{who} has no {inline(self.asked.row)} along {axis_words(self.asked.along)}",
                    "chips": f"the number of chips of {who} is not stated",
                }[why.code]
            case result.NotComparable() if why.key in ("model", "load_kind"):
                a, b = (
                    joined([value_label(why.key, one) for one in told], at_most=2) for told in (why.a, why.b)
                )
                return f"the {'models' if why.key == 'model' else 'kinds of load'} differ, {a} against {b}"
            case result.NotComparable():
                values = f"{number(float(why.a[0]))} against {number(float(why.b[0]))}"
                unit = " tokens" if why.key in LENGTHS else ""
                return f"the {axis_words(why.key)}s differ, {values}{unit}"
            case _:
                return ""


def reach(low: float, high: float) -> str:
    """A range without the axis's name: "4 to 32", "8"."""
    return " to ".join(dict.fromkeys((place(low), place(high))))


def _margin(knots: Iterable[Knot]) -> tuple[str, bool]:
    """By how much somebody leads, "by 14 % to 30 %" or "1.6 to 3.2 times", and whether it is told as times."""
    ratios = [knot.ratio for knot in knots] or [1.0]
    return between(min(ratios), max(ratios)), max(ratios) >= TWICE


def _around(turn: Turn, cut: Break, outcome: Compared) -> tuple[Member, Member]:
    """The best members of the side that a turn without a crossing is due to: the one below and the one above."""
    missing = outcome.curve(cut.side).members[cut.member]
    if cut.beyond == "below":
        return outcome.member(cut.side, turn.below), missing
    return missing, outcome.member(cut.side, turn.above)


def _saying(side: Side, key: str, word: str) -> Side:
    if word in side.parts:
        return side
    if key == "precision" and side.hardware:
        return replace(side, hardware=f"{side.hardware} {word}")
    return replace(side, parts=(word, *side.parts))


def _chip(text: str) -> str:
    """An accelerator or a family of them as a filter names it."""
    slugs = names.matching("accelerator", text)
    return value_label("accelerator", slugs[0]) if len(slugs) == 1 else text.upper()


def _shown(key: str, value: str) -> str:
    row = FILTER_BY_KEY[key]
    if row.kind == "number":
        return setting(key, float(value))
    if row.kind == "name":
        return names.display_name(row.column, value)
    return fact_words(key, value) if key in IN_WORDS else value
