"""What an answer says, from words that are data: the template of a kind, filled with the values that are said.

    "cheapest": "{hardware} is cheapest: {usd} USD per million {tokens}; {second} costs {ratio:times}."

Behind the colon stands how a value is written:

    {x}                      a number with the digits it deserves, text as it is, a list as a list
    {x:accelerator}          the name of a value of this column, of each where it is a list; so too model, engine, …;
                             of None "accelerator not stated"; {x:accelerator all} names them all
    {x:count chip}           a count and its noun: "1 chip", "8 chips"; with its plural: {x:count series/series}
    {x:verb is/are}          the verb for a count
    {x:all}                  every entry of a list
    {x:share}                a ratio as a percentage
    {x:below}                a bound from above, rounded down: whatever is below what is written is below it
    {x:times} {x:ahead}      a ratio: "2.6 times", "31 % more"; by how much a leader leads: "by 31 %"
    {x:speed}                a ratio of speeds: "30 % faster", "2.1 times as fast"
    {x:margin}               the least and the most ratio of a leader: "by 2.8 to 55 %"; from 1 on "by up to 55 %"
    {x:range}                the least and the most of some numbers: "1.2 to 1.8", one number where they read alike
    {x:metric}               a metric's name from its key: "p99 TTFT"
    {x:column}               a column's name: "input length", of each where it is a list
    {x:in ttft_ms_p99}       a metric's value with its unit; {x:in {metric}} where the key is a value, too
    {x:named ttft_ms_p99}    the same with the metric's name, where the unit does not tell it: "43 ms p99 TTFT"
    {x:each part}            a list of mappings, each by the template `part`, "; " between them
    {x:every part}           the same without leaving any out

Of a list the first LISTED are named and the rest is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from string import Formatter
from typing import Any

from bench import catalogue, flags
from bench.basis.points import PointFacts
from bench.basis.statement import Role, Statement
from bench.basis.wording import TWICE, ahead, between, column_words, flags_of, opened, speed, times
from bench.chart import value_label
from bench.names import KINDS
from bench.wording import counted, inline, joined, number, number_below, quantity, share

LISTED = 3
DAGGER = "†"
"""Stands behind a sentence that names a flagged point; a note says which flags those are."""
COLUMNS = (*KINDS, "precision", "column")
NAMED_BY_UNIT = (
    "interactivity_tokens_per_s_per_user_mean",
    "interactivity_tokens_per_s_per_user_p50",
    "output_tokens_per_s",
    "output_tokens_per_s_per_accelerator",
    "joules_per_output_token",
)
"""The metrics that are meant where a value of their unit is told without a name."""


class Narrator(Formatter):
    """Tells what a question found; `words` are its templates by kind."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self.words = words

    def verdict(self, kind: str, points: Iterable[PointFacts] = (), /, **values: Any) -> Statement:
        """The sentence an answer opens with; `points` are those that it names."""
        return self._told("headline", kind, points, values)

    def untold(self, kind: str, points: Iterable[PointFacts] = (), /, **values: Any) -> Statement:
        """The sentence of an answer that cannot tell what was asked: it says why."""
        return self._told("headline", kind, points, values, tells=False)

    def finding(self, kind: str, points: Iterable[PointFacts] = (), /, **values: Any) -> Statement:
        """A further sentence of what was found."""
        return self._told("finding", kind, points, values)

    def note(self, kind: str, points: Iterable[PointFacts] = (), /, **values: Any) -> Statement:
        """A sentence of what was left out, what is unlike, or how it was reckoned."""
        return self._told("caveat", kind, points, values)

    def text(self, kind: str, values: Mapping[str, Any]) -> str:
        """The template of a kind filled with these values."""
        return self.vformat(self.words[kind], (), values)

    def format_field(self, value: Any, spec: str) -> str:
        """A value as the part of a template behind the colon asks; KeyError for one that is unknown."""
        how, _, rest = spec.partition(" ")
        if how in ("each", "every"):
            shown = [self.text(rest, one) for one in (value if how == "every" else value[:LISTED])]
            more = len(value) - len(shown)
            return "; ".join([*shown, f"{more} more"] if more > 0 else shown)
        if how == "in":
            return quantity(value, rest)
        if how == "named":
            name = "" if rest in NAMED_BY_UNIT else f" {inline(catalogue.metric(rest))}"
            return f"{quantity(value, rest)}{name}"
        if how == "verb":
            return rest.split("/")[0 if value == 1 else 1]
        if how == "count":
            return counted(value, *rest.split("/"))
        if how in COLUMNS:
            several = value if isinstance(value, (list, tuple)) else [value]
            return joined([_named(how, one) for one in several], at_most=len(several) if rest == "all" else LISTED)
        return HOW[how](value)

    def _told(
        self, role: Role, kind: str, points: Iterable[PointFacts], values: Mapping[str, Any], *, tells: bool = True
    ) -> Statement:
        named = tuple(points)
        flagged = tuple(flags.printed(flags_of(named)))
        text = opened(self.text(kind, values))
        if flagged:
            text = f"{text.removesuffix('.')} {DAGGER}."
        ids = tuple(dict.fromkeys(one.point_id for one in named))
        return Statement(role, kind, text, dict(values), ids, tells, flagged)


def _named(column: str, value: Any) -> str:
    if column == "column":
        return column_words(value)
    if value is None:
        return f"{column} not stated"
    return value.upper() if column == "precision" else value_label(column, value)


def _written(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return joined([_written(one) for one in value], at_most=LISTED)
    return number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _margin(ends: Sequence[float]) -> str:
    least, most = ends
    if least > 1:
        return between(least, most)
    return f"up to {ahead(most)}" if most >= TWICE else f"by up to {share(most - 1)}"


HOW: Mapping[str, Callable[[Any], str]] = {
    "": _written,
    "all": lambda several: joined([_written(one) for one in several], at_most=len(several)),
    "share": share,
    "below": number_below,
    "times": times,
    "ahead": ahead,
    "speed": speed,
    "margin": _margin,
    "range": lambda ends: " to ".join(dict.fromkeys(map(number, ends))),
    "metric": lambda key: inline(catalogue.metric(key)),
}


def flagged_note(said: Sequence[Statement]) -> list[Statement]:
    """What the dagger of these sentences stands for: every kind of flag of the points that they name."""
    marked = [one for one in said if one.flags]
    kinds = list(dict.fromkeys(flag for one in marked for flag in one.flags))
    ids = tuple(dict.fromkeys(id for one in marked for id in one.point_ids))
    return [Statement("caveat", "flagged", f"{DAGGER} Flagged: {joined(kinds, at_most=9)}.", {}, ids)] if kinds else []
