"""The one sentence on all pairs: of the most alike what came out, or of all where all are of two deployments' chips."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.chart import value_label
from bench.questions.crossover import sentences
from bench.questions.crossover.asked import WORDS, Asked, Per, along_words, at, place
from bench.questions.crossover.pairs import Pair
from bench.wording import counted, joined, lowered

MOST_PLACES = 4

Kinds = Mapping[Per, Sequence[str]]
"""What each pair's verdict is when divided otherwise."""


def of_pairs(asked: Asked, pairs: Sequence[Pair], about: str, beyond: int, otherwise: Kinds) -> str:
    """How many pairs cross and where, in how many one side leads; of different chips only of the most alike pairs."""
    start = f"{about}: " if about else ""
    what = sentences.subject(asked)
    chips = {(_hardware(pair)) for pair in pairs}
    if len(pairs) == 1:
        return f"{start}{_one(asked, pairs[0], what)}, in the one comparable pair."
    if len(chips) > 1:
        count = f"{len(pairs) + beyond:,} comparable pairs"
        return f"{start}{_one(asked, pairs[0], what)}, in the most alike of {count}{_how_many(pairs)}."
    return f"{start}{_of_two(asked, pairs, next(iter(chips)), what)}{_otherwise(otherwise)}."


def _of_two(asked: Asked, pairs: Sequence[Pair], hardware: tuple[str, str], what: str) -> str:
    crossing = [pair for pair in pairs if pair.outcome.kind == "crosses"]
    decided = [
        (one.x, one.leads_after)
        for pair in crossing
        for one in (pair.outcome.found.crossings if pair.outcome.found else ())
        if not one.within_tie
    ]
    of = f"{len(crossing)} of {counted(len(pairs), 'pair')}"
    a, b = hardware
    if not decided:
        leaders = {pair.outcome.kind for pair in pairs}
        if leaders == {"a_leads"} or leaders == {"b_leads"}:
            first, second = (a, b) if leaders == {"a_leads"} else (b, a)
            return f"{first} leads {second} in {what} in all {counted(len(pairs), 'pair')}"
        if "passes" in leaders:
            passed = sum(pair.outcome.kind == "passes" for pair in pairs)
            return (
                f"the lead between {a} and {b} in {what} passes on only where a best series ends, in {passed} of"
                f" {counted(len(pairs), 'pair')}"
            )
        return f"{a} and {b} change the lead in {what} in none of {counted(len(pairs), 'pair')}"
    if len({leads for _, leads in decided}) == 1:
        new, old = (a, b) if decided[0][1] == "a" else (b, a)
        start = f"{new} overtakes {old}"
    else:
        start = f"{a} and {b} overtake each other"
    xs = sorted(x for x, _ in decided)
    where = (
        joined([at(asked.along, xs[0]), *map(place, xs[1:])])
        if len(xs) <= MOST_PLACES
        else f"{at(asked.along, xs[0])} to {place(xs[-1])}"
    )
    return f"{start} in {what} at {where} in {of}"


def _otherwise(kinds: Kinds) -> str:
    """In how many of the same pairs it changes hands when divided otherwise: "; per chip and per dollar never"."""
    never = [
        WORDS[per] for per, found in kinds.items() if not {"not_known", "crosses", "passes"} & set(found)
    ]
    sometimes = [
        f"{WORDS[per]} in {found.count('crosses')}"
        for per, found in kinds.items()
        if "not_known" not in found and "crosses" in found
    ]
    told = [*sometimes, *([f"{joined(never)} never"] if never else [])]
    return f"; {', '.join(told)}" if told else ""


def _how_many(pairs: Sequence[Pair]) -> str:
    crossing = sum(pair.outcome.kind == "crosses" for pair in pairs)
    return f"; {crossing} of the {len(pairs)} listed cross" if crossing else "; none of those listed cross"


def _one(asked: Asked, pair: Pair, what: str) -> str:
    labels = (pair.a.label, pair.b.label)
    found = sentences.brief(asked, pair.outcome, labels)
    if pair.outcome.kind == "crosses":
        (first, *more) = [one for one in pair.outcome.found.crossings if not one.within_tie]  # type: ignore[union-attr]
        new, old = labels if first.leads_after == "a" else labels[::-1]
        if not more:
            return f"{new} overtakes {old} in {what} at {at(asked.along, first.x)}"
    if pair.outcome.kind in ("a_leads", "b_leads"):
        other = labels[1 if pair.outcome.kind == "a_leads" else 0]
        return f"{found} in {lowered(what)} against {other}"
    return f"{labels[0]} and {labels[1]} in {what} along {along_words(asked.along)}: {found}"


def _hardware(pair: Pair) -> tuple[str, str]:
    """The chips of both sides in words, a single one said so where the other side has more."""
    counts = [side.chips[0] if len(side.chips) == 1 else 0 for side in (pair.a, pair.b)]
    words = []
    for side, count in zip((pair.a, pair.b), counts, strict=True):
        name = value_label("accelerator", side.facts["accelerator"])
        words.append(
            f"{count} x {name}" if count > 1 else f"one {name}" if count == 1 and max(counts) > 1 else name
        )
    return words[0], words[1]
