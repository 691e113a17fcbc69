"""In what compared points are unlike: one list of facts for every answer, and the sentences about it.

Points are `PointFacts`, None where nothing is stated. What both sides of a comparison leave out does not tell
them apart; what one alone states is told as such.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench import names
from bench.basis.points import PointFacts
from bench.basis.statement import Statement, caveat
from bench.chart import setting, value_label
from bench.view import FILTER_BY_KEY
from bench.wording import counted, joined, number

LAYOUT = ("tp", "pp", "dp", "ep")
DAYS_APART = 30
"""Measurements further apart than this may be of other software."""

NAMED_ALONE = ("speculation", "disaggregated")
"""Of these the values are words enough: "MTP speculation and no speculation"."""

NAMED, SHORT = 3, 80
"""So many values of one fact are named, in so many characters; more are counted."""


@dataclass(frozen=True)
class Fact:
    """Something points can be unlike in: the words for it, one and several, and the columns it is read from."""

    key: str
    one: str
    several: str
    columns: tuple[str, ...]


FACTS = (
    Fact("accelerator", "accelerator", "accelerators", ("accelerator",)),
    Fact("model", "model", "models", ("model",)),
    Fact("precision", "precision", "precisions", ("precision",)),
    Fact("kv_precision", "KV precision", "KV precisions", ("kv_precision",)),
    Fact("isl", "input length", "input lengths", ("isl",)),
    Fact("osl", "output length", "output lengths", ("osl",)),
    Fact("context_tokens", "context", "contexts", ("context_tokens",)),
    Fact("dataset", "data set", "data sets", ("dataset",)),
    Fact("max_model_len", "context limit", "context limits", ("max_model_len",)),
    Fact("load_kind", "kind of load", "kinds of load", ("load_kind",)),
    Fact("load", "load", "loads", ("concurrency", "request_rate", "batch", "scenario")),
    Fact("engine", "engine", "engines", ("engine",)),
    Fact("engine_version", "engine version", "engine versions", ("engine_version",)),
    Fact("speculation", "speculation", "kinds of speculation", ("speculation",)),
    Fact("disaggregated", "disaggregation", "kinds of aggregation", ("disaggregated",)),
    Fact("variant", "variant", "variants", ("variant",)),
    Fact("harness", "harness", "harnesses", ("harness",)),
    Fact("source", "source", "sources", ("source",)),
    Fact("chips", "chips", "chip counts", ("accelerators",)),
    Fact("layout", "layout", "layouts", LAYOUT),
)
BY_KEY = {fact.key: fact for fact in FACTS}
DEPLOYED = (
    "precision",
    "kv_precision",
    "engine",
    "speculation",
    "disaggregated",
    "harness",
    "source",
    "dataset",
    "max_model_len",
)
"""What a comparison of two sides tells before its verdict; chips, layout and version are each side's own choice."""

ONE_SIDED = ("isl", "osl", "context_tokens", "precision", "engine")
"""What is told where one side alone states it."""


@dataclass(frozen=True)
class Difference:
    """A fact in which two sides differ, with each side's values in words; of one side none where it states nothing."""

    fact: Fact
    a: tuple[str, ...]
    b: tuple[str, ...]

    @property
    def words(self) -> str:
        """It in a sentence: "precision (FP8 against FP16)"."""
        sides = (joined(list(side), at_most=NAMED) if side else "not stated" for side in (self.a, self.b))
        return f"{self.fact.one} ({' against '.join(sides)})"


def fact_words(key: str, value: Any) -> str:
    """A value of a column as a sentence names it: "FP8", "MTP speculation", "disaggregated", "H200 SXM"."""
    if value is None:
        return f"{BY_KEY[key].one if key in BY_KEY else key.replace('_', ' ')} not stated"
    if key in ("precision", "kv_precision"):
        return str(value).upper()
    if key == "speculation":
        return "no speculation" if value == "none" else f"{str(value).upper()} speculation"
    if key == "disaggregated":
        return "disaggregated" if value in (True, "true") else "aggregated"
    return value_label(key, value)


def filter_words(key: str, value: str) -> str:
    """A filter's value as a sentence names it; a family of accelerators in capitals, as they are written."""
    kind = FILTER_BY_KEY[key].kind
    if kind == "number":
        return setting(key, float(value))
    if key == "series":
        return f"series {value}"
    slugs = names.matching(key, value) if kind == "name" else (value,)
    return fact_words(key, slugs[0]) if len(slugs) == 1 else value.upper()


def differences(
    a: Sequence[PointFacts], b: Sequence[PointFacts], keys: Iterable[str] = DEPLOYED
) -> tuple[Difference, ...]:
    """The facts in which two sets of points differ: both state it and not the same, or of ONE_SIDED one alone does."""
    unequal = []
    for key in keys:
        fact = BY_KEY[key]
        one, other = ({_value(fact, point) for point in side} - {None} for side in (a, b))
        alone = bool(one) != bool(other) and key in ONE_SIDED
        if (one and other and one != other) or alone:
            unequal.append(Difference(fact, _named(fact, one), _named(fact, other)))
    return tuple(unequal)


def everywhere(pairs: Iterable[tuple[PointFacts, PointFacts]], keys: Iterable[str]) -> tuple[Difference, ...]:
    """The facts in which every compared pair differs, so that they cannot be told apart from what is compared."""
    couples = list(pairs)
    if not couples:
        return ()
    sets = [{one.fact.key for one in differences([a], [b], keys)} for a, b in couples]
    always = set.intersection(*sets)
    both = differences([a for a, _ in couples], [b for _, b in couples], keys)
    return tuple(one for one in both if one.fact.key in always)


def mixed(rows: Sequence[PointFacts], besides: Collection[str] = ("accelerator",)) -> list[str]:
    """The facts in which points differ among themselves, with their values: "engines SGLang (4) and vLLM (2)"."""
    facts = []
    for fact in FACTS:
        values = Counter(_value(fact, row) for row in rows)
        if fact.key in besides or len(values) < 2:
            continue
        named = [_words(fact, value) for value, _ in values.most_common()]
        if len(rows) > len(values):
            named = [f"{_words(fact, value)} ({count})" for value, count in values.most_common()]
        facts.append(f"{fact.several} {joined(named, at_most=NAMED)}")
    return facts


def several(key: str, values: Iterable[Any]) -> str:
    """How many unlike values of a fact are stated, of a few their names: "2 engines (SGLang and vLLM)"; "" for one."""
    fact, stated = BY_KEY[key], sorted({value for value in values if value is not None}, key=str)
    if len(stated) < 2:
        return ""
    words = joined([_words(fact, value) for value in stated]) if len(stated) <= NAMED else ""
    if key == "disaggregated":
        return "aggregated and disaggregated"
    if key == "speculation" and len(stated) == 2 and "none" in stated:
        return f"with and without {_words(fact, next(one for one in stated if one != 'none'))}"
    if key in NAMED_ALONE and words:
        return words
    return f"{counted(len(stated), fact.one, fact.several)}{f' ({words})' if 0 < len(words) <= SHORT else ''}"


def unlike(
    labels: tuple[str, str],
    a: Sequence[PointFacts],
    b: Sequence[PointFacts],
    keys: Iterable[str] = (*DEPLOYED, "isl", "osl", "context_tokens", "chips"),
) -> list[Statement]:
    """What differs between two sides, what one alone states, and how far apart in time they were measured."""
    said = []
    unequal = differences(a, b, keys)
    both = [one.words for one in unequal if one.a and one.b]
    if both:
        said.append(caveat("unlike", f"The two sides differ in {joined(both, at_most=12)}.", unlike=len(both)))
    alone = [
        f"{one.fact.one} {joined(list(one.a or one.b), at_most=NAMED)} for {labels[0 if one.a else 1]}"
        for one in unequal
        if not (one.a and one.b)
    ]
    if alone:
        said.append(caveat("one_sided", f"Stated on one side only: {joined(alone)}.", one_sided=len(alone)))
    return [*said, *apart(labels, a, b)]


def apart(labels: tuple[str, str], a: Sequence[PointFacts], b: Sequence[PointFacts]) -> list[Statement]:
    """That two sides were measured more than DAYS_APART days apart, or that one states no date."""
    days = [sorted(point.date for point in side if point.date is not None) for side in (a, b)]
    if all(days):
        gap = max(days[0][-1] - days[1][0], days[1][-1] - days[0][0]).days
        if gap <= DAYS_APART:
            return []
        spans = [_span(side) for side in days]
        text = f"Measured up to {gap} days apart: {labels[0]} {spans[0]}, {labels[1]} {spans[1]}."
        return [caveat("apart", text, days=gap)]
    if any(days):
        dated = 0 if days[0] else 1
        text = f"{labels[dated]} was measured {_span(days[dated])}; {labels[1 - dated]} states no date."
        return [caveat("undated", text)]
    return []


def _value(fact: Fact, point: PointFacts) -> Any:
    """A point's value of a fact, of several columns the stated ones together; None where nothing is stated."""
    if len(fact.columns) == 1:
        return getattr(point, fact.columns[0])
    stated = tuple((column, getattr(point, column)) for column in fact.columns)
    held = tuple(pair for pair in stated if pair[1] is not None)
    return held or None


def _words(fact: Fact, value: Any) -> str:
    if value is None:
        return "not stated"
    if isinstance(value, tuple):
        return ", ".join(f"{column.replace('_', ' ')} {value_label(column, one)}" for column, one in value)
    if fact.key in ("isl", "osl", "context_tokens", "max_model_len"):
        return f"{number(float(value))} tokens"
    return fact_words(fact.columns[0], value)


def _named(fact: Fact, values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(_words(fact, value) for value in sorted(values, key=lambda one: (str(type(one)), one)))


def _span(days: Sequence[datetime.date]) -> str:
    first, last = days[0].isoformat(), days[-1].isoformat()
    return f"on {first}" if first == last else f"between {first} and {last}"
