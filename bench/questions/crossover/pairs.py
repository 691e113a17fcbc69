"""The pairs that can be compared when the reader has chosen none: who could be a side, and each pair's verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

from bench.chart import value_label
from bench.library import Library
from bench.questions.crossover import asked as asking
from bench.questions.crossover import versus
from bench.questions.crossover.asked import SIDE_LENGTH, Asked
from bench.questions.crossover.curves import Measured, fixed_columns, measured
from bench.questions.crossover.divisors import Prices
from bench.questions.crossover.versus import Match, Outcome, Side
from bench.selection import Clause
from bench.view import View

NAMED = ("engine", "precision", "variant", "speculation", "disaggregated", "harness", "source")
"""What tells apart the curves of one accelerator, in the order in which it is named."""

FEWEST = 2
"""A curve of fewer places is none."""
MOST_PAIRS = 200
MOST_CANDIDATES = 400
KINDS = ("crosses", "tie", "a_leads", "b_leads")


@dataclass(frozen=True)
class Candidate:
    """One curve that can be a side: what it is by column, what is fixed along it, and its points."""

    facts: Mapping[str, Any]
    fixed: tuple[Any, ...]
    rows: tuple[Measured, ...]
    label: str = ""
    value: str = ""

    @cached_property
    def xs(self) -> frozenset[float]:
        """Where it was measured."""
        return frozenset(row.x for row in self.rows)


@dataclass(frozen=True)
class Pair:
    """Two candidates and what their comparison came to."""

    a: Candidate
    b: Candidate
    match: Match
    outcome: Outcome


def owners(asked: Asked) -> tuple[str, ...]:
    """What a candidate is told apart by; the count of chips too, unless values are divided by it."""
    return ("accelerator", *(() if asked.per != "raw" else ("accelerators",)), *NAMED)


def candidates(library: Library, view: View, condition: Clause, asked: Asked) -> list[Candidate]:
    """Every curve of at least two places, labelled and with the filters that choose it, longest first."""
    columns = owners(asked)
    groups: dict[tuple[Any, ...], list[Measured]] = {}
    for row in measured(library, condition, asked.along, asked.metric, columns):
        if row.accelerator is not None:
            groups.setdefault((row.owner, row.fixed), []).append(row)
    every = [
        Candidate(dict(zip(columns, owner, strict=True)), fixed, tuple(rows))
        for (owner, fixed), rows in groups.items()
    ]
    found = sorted((one for one in every if len(one.xs) >= FEWEST), key=lambda one: -len(one.xs))
    return _chosen_by(library, view, asked, _labelled(found[:MOST_CANDIDATES], asked), every)


def _labelled(found: Sequence[Candidate], asked: Asked) -> list[Candidate]:
    """The candidates in words: chips and accelerator, then what tells them apart from others."""
    engines = len({one.facts["engine"] for one in found}) > 1
    labelled = []
    for one in found:
        mates = [other for other in found if hardware(other.facts) == hardware(one.facts)]
        words = [hardware(one.facts)]
        for key in NAMED:
            alike = [other for other in mates if other.facts[key] == one.facts[key]]
            if len(alike) < len(mates) or (key == "engine" and engines):
                words.append(fact(key, one.facts[key]) if one.facts[key] is not None else "")
            mates = alike
        labelled.append((one, [word for word in words if word]))
    texts = [", ".join(dict.fromkeys(words)) for _, words in labelled]
    twice = Counter(texts)
    columns = fixed_columns(asked.along)
    return [
        Candidate(one.facts, one.fixed, one.rows, text + (_of_workload(columns, one) if twice[text] > 1 else ""))
        for (one, _), text in zip(labelled, texts, strict=True)
    ]  # fmt: skip


def hardware(facts: Mapping[str, Any]) -> str:
    """Chips and accelerator: "4 x TPU v6e"; the accelerator alone where the count is free or one."""
    name = value_label("accelerator", facts["accelerator"])
    count = facts.get("accelerators")
    return f"{count:g} x {name}" if count and count > 1 else name


def fact(key: str, value: Any) -> str:
    """A fact as a label names it."""
    if key == "precision":
        return str(value).upper()
    if key == "speculation":
        return "no speculation" if value == "none" else f"{str(value).upper()} speculation"
    if key == "disaggregated":
        return "disaggregated" if value else "not disaggregated"
    return value_label(key, value)


def _of_workload(columns: Sequence[str], one: Candidate) -> str:
    fixed = dict(zip(columns, one.fixed, strict=True))
    words = [
        f"{value_label(key, fixed[key])} {word}"
        for key, word in (
            ("isl", "in"),
            ("osl", "out"),
            ("context_tokens", "of context"),
            ("dataset", "data"),
        )
        if fixed.get(key) is not None
    ]
    return f" ({', '.join(words)})" if words else ""


def _chosen_by(library: Library, view: View, asked: Asked, found: list[Candidate],
               every: Sequence[Candidate]) -> list[Candidate]:  # fmt: skip
    """The candidates with the filters that choose them, in words where words do, else by their series.

    `every` are all curves of the selection, those of one place too: none of them may be chosen along.
    """
    kept: dict[str, Candidate] = {}
    for one in found:
        where = _apart(one, every, view, asked)
        if any(value is None for value in where.values()):
            value = asking.written(View.of({"series": _series(library, one)}))
        else:
            value = asking.written(View.of({key: (_written(part),) for key, part in where.items()}))
        if len(value) <= SIDE_LENGTH:
            kept.setdefault(value, Candidate(one.facts, one.fixed, one.rows, one.label, value))
    return list(kept.values())


def _apart(one: Candidate, every: Sequence[Candidate], view: View, asked: Asked) -> dict[str, Any]:
    """As few facts of a curve as tell it apart from all others of its accelerator and workload."""
    where = {"accelerator": one.facts["accelerator"]}
    mates = [mate for mate in every if mate.facts["accelerator"] == one.facts["accelerator"]]
    if "accelerators" in one.facts and len({mate.facts["accelerators"] for mate in mates}) > 1:
        where["accelerators"] = one.facts["accelerators"]
        mates = [mate for mate in mates if mate.facts["accelerators"] == one.facts["accelerators"]]
    columns = fixed_columns(asked.along)
    lengths = [key for key in ("isl", "osl") if not view.values(key) and key in columns]
    own = dict(zip(columns, one.fixed, strict=True))
    alone = [
        key
        for key in NAMED
        if all(mate.facts[key] != one.facts[key] for mate in mates if mate.facts != one.facts)
    ]
    for key in alone[:1] or NAMED:
        narrower = [mate for mate in mates if mate.facts[key] == one.facts[key]]
        if len(narrower) < len(mates):
            where[key], mates = one.facts[key], narrower
    for key in lengths:
        place = columns.index(key)
        if len({mate.fixed[place] for mate in mates}) > 1 and own[key] is not None:
            where[key] = own[key]
    return where


def _series(library: Library, one: Candidate) -> list[str]:
    ids = [point for row in one.rows for point in row.point_ids]
    return [
        row[0]
        for row in library.fetch(
            "SELECT DISTINCT series_id FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[]))) ORDER BY 1",
            (ids,),
        )
    ]


def listed(found: Sequence[Candidate], left: Sequence[Candidate] | None, asked: Asked,
           prices: Prices) -> tuple[list[Pair], int]:  # fmt: skip
    """The pairs of comparable candidates, the most telling first, and how many are beyond MOST_PAIRS.

    Pairs are of different accelerators, where more than one is selected; with a `left` side chosen, of it and others.
    """
    several = len({one.facts["accelerator"] for one in found}) > 1
    usable = []
    for a, b in _couples(found, left):
        if several and a.facts["accelerator"] == b.facts["accelerator"]:
            continue
        if versus.unlike_fixed(a.fixed, b.fixed, asked.along):
            continue
        knots = versus.shared(a.xs, b.xs)
        if knots >= FEWEST:
            usable.append((_unlike(a, b), -knots, a.label, b.label, a, b))
    usable.sort(key=lambda row: row[:4])
    told = []
    for _, _, _, _, a, b in usable[:MOST_PAIRS]:
        match = Match(Side(a.label, a.rows), Side(b.label, b.rows))
        told.append(Pair(a, b, match, versus.compared(match, asked, asked.per, prices)))
    return sorted(told, key=_telling), max(0, len(usable) - MOST_PAIRS)


def _couples(
    found: Sequence[Candidate], left: Sequence[Candidate] | None
) -> Iterable[tuple[Candidate, Candidate]]:
    if left is None:
        return combinations(sorted(found, key=_first), 2)
    ids = {point for one in left for row in one.rows for point in row.point_ids}
    others = [one for one in found if not any(point in ids for row in one.rows for point in row.point_ids)]
    return ((one, other) for one in left for other in others)


def _first(one: Candidate) -> tuple[Any, ...]:
    """TPUs before others, as the side asked about; else by name."""
    return (not str(one.facts["accelerator"]).startswith("tpu"), one.label)


def _unlike(a: Candidate, b: Candidate) -> int:
    return sum(a.facts[key] != b.facts[key] for key in a.facts if key not in ("accelerator", "variant"))


def _telling(pair: Pair) -> tuple[Any, ...]:
    """Pairs that cross first, those in which each leads the most before others; then the closest races."""
    kind, found = pair.outcome.kind, pair.outcome.found
    place = KINDS.index(kind) if kind in KINDS else len(KINDS)
    smallest = abs(found.smallest.lead_percent) if found and found.smallest else 0.0
    leads = [knot.lead_percent for knot in found.knots] if found else [0.0]
    both = min(max(leads), -min(leads)) if kind == "crosses" else 0.0
    return (min(place, 2) if place < len(KINDS) else place, smallest, -both, pair.a.label, pair.b.label)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
