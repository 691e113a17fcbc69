"""Two sides against each other: whether they can be compared, who leads where, and that under every normalisation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bench.chart import value_label
from bench.maths import crossover
from bench.maths.crossover import Crossover, Knot
from bench.questions.crossover.asked import (
    LENGTHS,
    LOADS,
    PERS,
    SIDES,
    USERS,
    Asked,
    Per,
    along_words,
    is_throughput,
)
from bench.questions.crossover.curves import Curve, Group, Measured, curve, fixed_columns
from bench.questions.crossover.divisors import Prices, divisor, lacking
from bench.wording import number

Kind = Literal[
    "crosses",
    "a_leads",
    "b_leads",
    "tie",
    "passes",
    "no_overlap",
    "not_comparable",
    "not_known",
    "no_points",
]
MOST_COUNTS = 4
"""The verdict at equal chips is told for at most so many counts that both sides were measured on."""


@dataclass(frozen=True)
class Side:
    """One side of a pair: its words and what was measured of it."""

    label: str
    rows: Sequence[Measured]
    held: dict[tuple[Any, ...], Curve | str] = field(default_factory=dict, compare=False, repr=False)
    """The curves worked out so far, and why there is none, by what they are divided by."""

    def curve(self, key: str, asked: Asked, per: Per, prices: Prices) -> Curve | str:
        """Its curve as the side `key`, divided by `per`; or why that is not known."""
        wanted = (per, key if per == "dollar" else "", asked.better)
        if wanted not in self.held:
            found = curve(self.rows, divisor(per, key, prices), asked.better)
            self.held[wanted] = found or lacking(per, list(self.rows), key, prices)
        return self.held[wanted]


@dataclass(frozen=True)
class Outcome:
    """What a comparison came to; `found` and the curves are None where there is nothing to compare, for `reason`."""

    kind: Kind
    reason: str = ""
    found: Crossover | None = None
    a: Curve | None = None
    b: Curve | None = None

    @property
    def ties(self) -> tuple[Knot, ...]:
        """The knots that are a tie, where the verdict is that one side leads."""
        if self.found is None or self.kind not in ("a_leads", "b_leads", "crosses", "passes"):
            return ()
        return tuple(knot for knot in self.found.knots if knot.tie)


@dataclass(frozen=True)
class Verdict:
    """The outcome under one normalisation: what is held equal (`along`; also `chips`), and divided by what."""

    along: str
    chips: int | None
    per: Per
    outcome: Outcome


@dataclass(frozen=True)
class Match:
    """The workloads of both sides that are compared, and how many points of other workloads are left out."""

    a: Side
    b: Side
    reason: str = ""
    left_out: tuple[int, int] = (0, 0)


def fitting(a: Sequence[Group], b: Sequence[Group], along: str) -> tuple[tuple[Group, Group] | None, str]:
    """Of what each side holds the two groups that can be compared and share the most of the axis, or why none can."""
    best: tuple[tuple[int, int, list[str]], tuple[Group, Group]] | None = None
    reasons: list[tuple[int, str]] = []
    models = {group.fixed[0] for group in a} & {group.fixed[0] for group in b}
    for one in a:
        for other in b:
            if models and one.fixed[0] != other.fixed[0]:
                continue
            reason = unlike_fixed(one.fixed, other.fixed, along)
            size = len(one.xs) + len(other.xs)
            if reason:
                reasons.append((size, reason))
                continue
            rank = (shared(one.xs, other.xs), size, sorted((repr(one.fixed), repr(other.fixed))))
            if best is None or rank > best[0]:
                best = rank, (one, other)
    return (best[1], "") if best is not None else (None, max(reasons)[1] if reasons else "")


def shared(a: Iterable[float], b: Iterable[float]) -> int:
    """How many knots two curves have where both were measured; 0 when the ranges do not overlap."""
    xs_a, xs_b = set(a), set(b)
    low, high = max(min(xs_a), min(xs_b)), min(max(xs_a), max(xs_b))
    return len([x for x in xs_a | xs_b if low <= x <= high])


def unlike_fixed(a: tuple[Any, ...], b: tuple[Any, ...], along: str) -> str:
    """Why two curves cannot be compared, "" when they can: other models, stated lengths that differ, other loads."""
    columns = fixed_columns(along)
    one, other = dict(zip(columns, a, strict=True)), dict(zip(columns, b, strict=True))
    if one["model"] != other["model"]:
        names = [value_label("model", side["model"]) for side in (one, other)]
        return f"the models differ, {names[0]} against {names[1]}"
    words = {"isl": "input lengths", "osl": "output lengths", "context_tokens": "contexts"}
    for key in LENGTHS:
        if key in columns and None not in (one[key], other[key]) and one[key] != other[key]:
            return f"the {words[key]} differ, {number(one[key])} against {number(other[key])} tokens"
    if along not in LENGTHS and one["load_kind"] != other["load_kind"]:
        return f"the kinds of load differ, {one['load_kind']} against {other['load_kind']}"
    for key in set(columns) & {"batch", "concurrency", "request_rate"}:
        if None not in (one[key], other[key]) and one[key] != other[key]:
            return f"the loads differ, {along_words(key)} {number(one[key])} against {number(other[key])}"
    return ""


def compared(match: Match, asked: Asked, per: Per, prices: Prices) -> Outcome:
    """Who leads where when both are divided by `per`."""
    if match.reason:
        unlike = "differ" in match.reason or match.reason.startswith("no model")
        return Outcome("not_comparable" if unlike else "no_points", match.reason)
    a, b = (side.curve(key, asked, per, prices) for key, side in zip(SIDES, (match.a, match.b), strict=True))
    for why in (a, b):
        if isinstance(why, str):
            return Outcome("not_known", why)
    assert isinstance(a, Curve)
    assert isinstance(b, Curve)
    found = crossover.compared(a.envelope, b.envelope)
    return Outcome(found.verdict, "", found, a, b)


def under_every(match: Match, asked: Asked, prices: Prices) -> list[Verdict]:
    """The verdict at the same load, at the same load on the same count, and at the same load per chip, each divided
    by nothing, chips, dollars and watts; a latency is divided by nothing."""
    pers = PERS if is_throughput(asked.metric) else ("raw",)
    told = []
    for along, chips in held_equal(match, asked):
        narrowed = _on(match, chips) if chips else _per_chip(match, asked.along, along)
        told += [Verdict(along, chips, per, compared(narrowed, asked, per, prices)) for per in pers]
    return told


def held_equal(match: Match, asked: Asked) -> list[tuple[str, int | None]]:
    """What can be held equal between the sides: (axis, count of chips or None for the best layout)."""
    if match.reason:
        return [(asked.along, None)]
    counts = [{row.accelerators for row in side.rows if row.accelerators} for side in (match.a, match.b)]
    common = sorted(counts[0] & counts[1]) if len(counts[0] | counts[1]) > 1 else []
    equal: list[tuple[str, int | None]] = [(asked.along, None)]
    if asked.along != USERS:
        equal += [(asked.along, chips) for chips in common[:MOST_COUNTS]]
    if asked.along in ("batch", "concurrency"):
        equal.append((USERS, None))
    elif asked.along == USERS:
        equal.append(("concurrency", None))
        equal += [("concurrency", chips) for chips in common[:MOST_COUNTS]]
    return equal


def _on(match: Match, chips: int) -> Match:
    """Only what was measured on so many chips; along a load per chip that is the load itself but for a factor."""
    a, b = (
        Side(side.label, [row for row in side.rows if row.accelerators == chips])
        for side in (match.a, match.b)
    )
    return replace(match, a=a, b=b)


def _per_chip(match: Match, now: str, wanted: str) -> Match:
    """The same points along the load per chip instead of the load, or the other way round."""
    if now == wanted:
        return match

    def moved(row: Measured) -> Measured | None:
        if not row.accelerators:
            return None
        return replace(row, x=row.x / row.accelerators if wanted == USERS else row.x * row.accelerators)

    rows = [[one for row in side.rows if (one := moved(row))] for side in (match.a, match.b)]
    if not all(rows):
        return replace(match, reason="the number of accelerators is not stated")
    return replace(match, a=Side(match.a.label, rows[0]), b=Side(match.b.label, rows[1]))


def workload_words(match: Match, along: str) -> str:
    """What was asked of both sides alike, where stated: "8,192 in / 1,024 out"."""
    columns = fixed_columns(along)
    fixed = {
        key: one
        for key, one, other in zip(columns, match.a.rows[0].fixed, match.b.rows[0].fixed, strict=True)
        if one == other
    }
    stated = [
        (fixed.get("isl"), "in"),
        (fixed.get("osl"), "out"),
        (fixed.get("context_tokens"), "of context"),
    ]
    lengths = " / ".join(f"{number(value)} {word}" for value, word in stated if value is not None)
    loads = [f"{along_words(key)} {number(fixed[key])}" for key in LOADS if fixed.get(key) is not None]
    return ", ".join(part for part in (lengths, *loads) if part)
