"""The lead passing on without a crossing: where a side's best series ends or begins, told of what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bench.maths.crossover import Crossover, Knot, Turn
from bench.questions.crossover import likeness, percents
from bench.questions.crossover.asked import USERS, Asked, at, place
from bench.questions.crossover.curves import Curve
from bench.questions.crossover.likeness import Point
from bench.wording import counted, joined

Labels = tuple[str, str]

MOST_TOLD = 3
"""Of so many changes, or series of a side, each is told; of more they are counted."""


def numbers(found: Crossover, lines: Mapping[str, Curve], told: Mapping[str, Point]) -> list[dict[str, Any]]:
    """Every turn of the lead: between which knots, by which crossing, else which side's series change there.

    `told` are the points' facts by id. `x` is None without a crossing. Of a series `at` is where it ends or begins
    and None where it was measured on both knots.
    """
    return [_turn(one, lines, told) for one in found.turns]


def _turn(one: Turn, lines: Mapping[str, Curve], told: Mapping[str, Point]) -> dict[str, Any]:
    about: dict[str, Any] = {
        "leads_after": one.leads_after,
        "below": one.below.x,
        "above": one.above.x,
        "x": one.crossing.x if one.crossing else None,
        "side": None,
    }
    if one.cut is None:
        return about
    line = lines[one.cut.side]
    places = [knot.member_a if one.cut.side == "a" else knot.member_b for knot in (one.below, one.above)]
    places[one.cut.beyond == "below"] = one.cut.member
    points = [_newest(line, member, told) for member in places]
    ends = [max(line.members[places[0]]), min(line.members[places[1]])]
    words = _apart(*(likeness.layout(point) if point else "" for point in points))
    return {
        **about,
        "side": one.cut.side,
        "from": words[0],
        "from_ends_at": ends[0] if ends[0] < one.above.x else None,
        "to": words[1],
        "to_begins_at": ends[1] if ends[1] > one.below.x else None,
        "what": "layout" if likeness.of_one_kind(*(point for point in points if point)) else "series",
    }


def _newest(line: Curve, member: int, told: Mapping[str, Point]) -> Point | None:
    points = [told[one] for row in line.members[member].values() for one in row.point_ids if one in told]
    return points[-1] if points else None


def _apart(one: str, other: str) -> tuple[str, str]:
    """What the words of two series say that those of the other do not; as they are where that leaves one nothing."""
    parts = [words.split(", ") for words in (one, other)]
    left = [", ".join(part for part in parts[i] if part not in parts[1 - i]) for i in (0, 1)]
    return (left[0], left[1]) if all(left) else (one, other)


def headline(
    asked: Asked, found: Crossover, turns: Sequence[Mapping[str, Any]], labels: Labels, what: str
) -> str:
    """Who leads where of what was measured, and why nothing crosses: one turn with its series, several counted."""
    by_side = {"a": labels[0], "b": labels[1]}
    if len(turns) > 1:
        counts = {key: sum(_leads(knot) == key for knot in found.knots) for key in by_side}
        return (
            f"of {counted(len(found.knots), 'place')} {by_side['a']} leads at {counts['a']} and {by_side['b']} at"
            f" {counts['b']} in {what}: the lead passes on {counted(len(turns), 'time')}, always where a best series"
            " was not measured further, so no crossing is placed"
        )
    (turn,) = turns
    old, new = ("b", "a") if turn["leads_after"] == "a" else ("a", "b")
    parts = [
        f"{by_side[key]} leads in {what} {_span(asked, knots)}"
        if key == old
        else f"{by_side[key]} {_span(asked, knots, bare=True)}"
        for key, knots in (
            (old, [knot for knot in found.knots if knot.x <= turn["below"]]),
            (new, [knot for knot in found.knots if knot.x >= turn["above"]]),
        )
    ]
    return f"{', '.join(parts)}; {changing(turn, by_side)}, so no crossing is placed"


def changing(turn: Mapping[str, Any], by_side: Mapping[str, str]) -> str:
    """What changes where the lead passes on: "between 32 and 64 B changes layout from tp 2 …"."""
    start = f"between {place(turn['below'])} and {place(turn['above'])} {by_side[turn['side']]}"
    ended, begun = turn["from_ends_at"], turn["to_begins_at"]
    if turn["from"] == turn["to"] and None not in (ended, begun):
        return (
            f"{start} changes between two series of {turn['to']}, one not measured above {place(ended)} and one not"
            f" below {place(begun)}"
        )
    one = f"{turn['from']} (not measured above {place(ended)})" if ended is not None else turn["from"]
    other = f"{turn['to']} (not measured below {place(begun)})" if begun is not None else turn["to"]
    return f"{start} changes {turn['what']} from {one} to {other}"


def brief(found: Crossover, labels: Labels) -> str:
    """The same in a cell of a table."""
    turns = found.turns
    by_side = {"a": labels[0], "b": labels[1]}
    if len(turns) > 1:
        return (
            f"{by_side['a']} and {by_side['b']} in turns, {counted(len(turns), 'time')} where a best series ends:"
            " no crossing"
        )
    (turn,) = turns
    old = by_side["b" if turn.leads_after == "a" else "a"]
    new = by_side[turn.leads_after]
    whose = by_side[turn.cut.side] if turn.cut else new
    return f"{old} to {place(turn.below.x)}, {new} from {place(turn.above.x)}, where {whose}'s best changes"


def missing(asked: Asked, turns: Sequence[Mapping[str, Any]], labels: Labels) -> list[str]:
    """What a lead without a crossing rests on: that the other side's best nearby was not measured there."""
    by_side = {"a": labels[0], "b": labels[1]}
    told = []
    for turn in [one for one in turns if one["x"] is None][:MOST_TOLD]:
        ended = turn["from_ends_at"] is not None and turn["side"] != turn["leads_after"]
        which, where = (
            ("from", f"above {place(turn['below'])}") if ended else ("to", f"below {place(turn['above'])}")
        )
        told.append(
            f"{_capital(where)} {by_side[turn['side']]} was not measured with {turn[which]}, so whether it would lead"
            f" there is not known: the lead told there is of what was measured."
        )
    return told


def lacks(asked: Asked, one: Mapping[str, Any], by_side: Mapping[str, str]) -> str:
    """That a lead rests on the one behind not having been measured there with its best series nearby."""
    whose, leader = by_side[one["side"]], by_side["b" if one["side"] == "a" else "a"]
    return (
        f"{_capital(one['beyond'])} {at(asked.along, one['x'])} {whose} was not measured with {one['member']}: that"
        f" {leader} leads {percents.by(one['lead_percents'])} there is of what was measured."
    )


def ranges(label: str, line: Curve, told: Mapping[str, Point]) -> list[str]:
    """Where each of a side's few best series was measured, that its lead rests on; nothing of one or of many."""
    points = [(place, _newest(line, place, told)) for place in line.winning]
    if not 1 < len(points) <= MOST_TOLD:
        return []
    words = [likeness.layout(point).split(", ") if point else [] for _, point in points]
    common = set(words[0]).intersection(*words[1:])
    spans = [(min(line.members[member]), max(line.members[member])) for member, _ in points]
    if len(set(spans)) == 1:
        return []
    parts = [
        f"{', '.join(part for part in each if part not in common) or 'another series'} at {_range(*span)}"
        for each, span in zip(words, spans, strict=True)
    ]
    return [f"{label} was measured with {joined(parts)}."]


def _range(low: float, high: float) -> str:
    return place(low) if low == high else f"{place(low)} to {place(high)}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def besides(asked: Asked, turns: Sequence[Mapping[str, Any]], labels: Labels) -> str:
    """That the lead also passes on without a crossing, for a headline on crossings; "" where it does not."""
    others = [turn for turn in turns if turn["x"] is None]
    if not others:
        return ""
    if len(others) > 1:
        return f"; {counted(len(others), 'more time')} it passes on where a best series ends"
    (turn,) = others
    leader = labels[0] if turn["leads_after"] == "a" else labels[1]
    return f"; {leader} leads {at(asked.along, turn['above'])} too, where a best series ends"


def _span(asked: Asked, knots: Sequence[Knot], *, bare: bool = False) -> str:
    """Where and by how much one side leads: "at concurrency 4 to 32 (by 14 % to 30 %)"."""
    low, high = knots[0].x, knots[-1].x
    start = place(low) if bare else at(asked.along, low)
    where = f"{start} to {place(high)}" if low != high else start
    if asked.along == USERS and not bare and low != high:
        where = f"{place(low)} to {at(asked.along, high)}"
    return f"at {where} ({percents.by([knot.lead_percent for knot in knots if not knot.tie])})"


def _leads(knot: Knot) -> str:
    return "tie" if knot.tie else "a" if knot.lead_percent > 0 else "b"
