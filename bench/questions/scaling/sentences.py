"""What a scaling answer says first, or why it can say nothing; and the words all of it uses."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench import catalogue
from bench.chart import value_label
from bench.questions.scaling import operating
from bench.questions.scaling.defaults import Prepared
from bench.questions.scaling.lines import LOADS, Selected
from bench.questions.scaling.measured import Line
from bench.questions.scaling.operating import BEST, INTERACTIVITY, WIDEST_BRACKET, Place
from bench.wording import counted, inline, joined, number

LISTED = 2
"""A headline compares up to this many lines; the findings go on."""

GAIN = 0.01
STRIKING = 1.25
"""An efficiency above this belongs into the headline."""


def percent(ratio: float) -> str:
    """An efficiency with three digits: "21.9 %", "261 %"."""
    return f"{number(ratio * 100)} %"


def subject(lines: Sequence[Line]) -> str:
    """What the lines are about: "Gemma 4 31B BF16 at 512/256"; models beyond two are counted."""
    facts = [line.facts for line in lines]
    models = list(dict.fromkeys(value_label("model", row["model"]) for row in facts))
    words = joined(models) if len(models) <= 2 else counted(len(models), "model")
    precisions = {row["precision"] for row in facts}
    if len(precisions) == 1 and None not in precisions:
        words += f" {precisions.pop().upper()}"
    pairs = {lengths(line) for line in lines}
    if len(pairs) == 1 and None not in (pair := pairs.pop()):
        words += f" at {number(pair[0])}/{number(pair[1])}"
    return words


def where(way: str, level: float | None) -> str:
    """The way counts are compared, in words: "at concurrency 128", "at 29 tokens/s per user", "each at its best"."""
    if way == BEST:
        return "each at its best load"
    if level is None:
        return f"at equal {way.replace('_', ' ')}"
    if way == INTERACTIVITY:
        return f"at {number(level)} tokens/s per user"
    return f"at {number(level)} requests/s" if way == "request_rate" else f"at {way} {number(level)}"


def headline(this: Prepared, lines: Sequence[Line], held: Selected) -> str:
    """The one sentence: how many times the smallest count's throughput the largest gives."""
    if not held.selected:
        return "No point is selected."
    steps = [line for line in lines if line.is_told_first]
    if not steps:
        return _unjudged(this, lines) or _nothing(this, lines, held)
    alike = [line for line in steps if _story(line) == _story(steps[0])]
    first, *others = alike
    saturated = all(line.facts["load_kind"] in ("saturated", "scenario") for line in steps)
    way = (
        ""
        if this.way == BEST and saturated
        else f"{', ' if this.way == BEST else ' '}{where(this.way, this.level)}"
    )
    said = f"On {subject(alike)}, {_gives(first)}{way}"
    if others:
        said += "".join(
            f"; {_last(line).accelerators} {line.label} give {number(line.speedup(line.judged[-1][0]))} times"
            f" {_from(line)} ({percent(line.judged[-1][1])})"
            for line in others[: LISTED - 1]
        )
    elif len(steps) > 1:
        apart = counted(len(steps) - 1, "other line is", "other lines are")
        said += f"; {apart} of another model, precision, workload or scenario"
    elif first.replicas and first.replicas[-1].against.ratio > 1 + GAIN:
        against = first.replicas[-1].against
        said += (
            f"; {against.replicas} replicas of {chips(first.base.accelerators)} would give"
            f" {number(against.ratio)} times that (projected)"
        )
    return f"{said}."


def _last(line: Line) -> Place:
    """The largest count with an efficiency."""
    return line.places[line.judged[-1][0]]


def _story(line: Line) -> tuple[object, ...]:
    return (*(line.facts[key] for key in ("model", "precision", "dataset", "scenario")), *lengths(line))


def lengths(line: Line) -> tuple[float | None, float | None]:
    """Input and output length; requests drawn from a data set are never equally long, so theirs are none."""
    isl, osl = (
        line.facts[key] if line.facts[f"{key}_requested"] or not line.facts["dataset"] else None
        for key in ("isl", "osl")
    )
    return isl, osl


def _gives(line: Line) -> str:
    """How many times the smallest count's throughput a line reaches; where it grows most beyond proportion, too."""
    base, (last, share) = line.base.accelerators, line.judged[-1]
    wide = line.places[last].accelerators
    smallest = f"{'one' if base == 1 else base} {line.label}"
    best, most = max(line.judged, key=lambda one: one[1])
    told = f"{percent(share)} efficiency"
    if most > STRIKING and best < last:
        return (
            f"{line.places[best].accelerators} chips give {number(line.speedup(best))} times and {wide} chips"
            f" {number(line.speedup(last))} times the throughput of {smallest} ({told})"
        )
    return f"{wide} chips give {number(line.speedup(last))} times the throughput of {smallest} ({told})"


def _from(line: Line) -> str:
    return "one" if line.base.accelerators == 1 else str(line.base.accelerators)


def _unjudged(this: Prepared, lines: Sequence[Line]) -> str:
    """Why no efficiency can be told though counts can be set side by side; empty where they cannot."""
    found = next((line for line in lines if len(line.places) > 1), None)
    if found is None:
        return ""
    lead = f"What more chips give on {subject([found])} cannot be told {where(this.way, this.level)}"
    if found.apart and found.judged:
        return f"{lead}: the runs are {dates(found)}, and no engine version says that they ran the same software."
    far = [bracket(place) for place in found.places if not place.is_judged]
    return (
        f"{lead}: {found.label} is interpolated {joined(far)}, loads more than {number(WIDEST_BRACKET)} times apart;"
        " choose another level or another way to compare."
    )


def dates(line: Line) -> str:
    """When each count of a line was measured: "H100 on 4 chips is of 2025-12-19, on 8 of 2026-03-23"."""
    parts = [f"on {chips(count)} of {'an unstated day' if day is None else day}" for count, day in line.apart]
    return f"{line.label} {joined(parts)}"


def bracket(place: Place) -> str:
    """The measured points a count lies between: "on 28 chips between concurrency 3 and 102"."""
    low, high = place.between or (place.row, place.row)
    kind = next((name for name in LOADS if low[name] is not None and high[name] is not None), None)
    if kind is None:
        return f"on {chips(place.accelerators)} between points of unstated load"
    word = kind.replace("_", " ")
    return f"on {chips(place.accelerators)} between {word} {number(low[kind])} and {number(high[kind])}"


def _nothing(this: Prepared, lines: Sequence[Line], held: Selected) -> str:
    metric = inline(catalogue.metric(this.metric))
    usable = held.selected - held.without_chips - held.without_metric - held.other_evidence
    about = f"the {counted(held.selected, 'selected point')}"
    if not usable:
        return f"None of {about} is measured and states both its chips and its {metric}."
    if not this.lines:
        return _never(this, about)
    if this.way == BEST:
        return (
            f"What more chips give cannot be told from {about}: no two counts of chips of one line show where their"
            " throughput ends, nor were all swept up to the same load per chip; choose another way to compare or lift a"
            " filter."
        )
    if this.level is None:
        word = this.way.replace("_", " ")
        stated = this.seen if this.way == INTERACTIVITY else this.way
        if stated and any(row[stated] is not None for one in this.lines for row in one.kept.points):
            return f"No two counts of chips of one line were measured at one {word}; choose another way to compare."
        return f"None of {about} that could be compared states its {word}; choose another way to compare."
    if this.common is not None and this.common != this.level:
        return (
            f"No two counts of chips were measured {where(this.way, this.level)}; most share"
            f" {number(this.common)}: choose that level."
        )
    return (
        f"No two counts of chips of one line were measured {where(this.way, this.level)}; choose another way to compare"
        " or lift a filter."
    )


def _never(this: Prepared, about: str) -> str:
    if this.split:
        return (
            f"Of {about} only disaggregated deployments were measured on two counts of chips, and each of those is"
            " another design for another load; choose disaggregated=true to compare them all the same."
        )
    return (
        f"None of {about} was measured on two counts of chips with all else equal, so more chips cannot be judged;"
        " choose another model or lift a filter."
    )


def seen_in(flags: str | None) -> list[str]:
    """What the flags of a point say was seen."""
    return [flag["seen"] for flag in json.loads(flags or "[]")]


def value_word(key: str) -> str:
    """A column's word inside a sentence: "engine version"."""
    return {"isl": "input length", "osl": "output length", "line": "deployment"}.get(
        key, key.replace("_", " ")
    )


def tokens_of(this: Prepared) -> str:
    """What a price is for: "output tokens", "tokens"."""
    part = this.metric.partition("_")[0]
    return "tokens" if part == "total" else f"{part} tokens"


def chips(count: int) -> str:
    """A count of chips in words."""
    return "one chip" if count == 1 else f"{count} chips"


def ways(offered: Sequence[str]) -> list[tuple[str, str]]:
    """The words for each way counts are compared."""
    words = {INTERACTIVITY: "Equal interactivity", "concurrency": "Equal concurrency", "batch": "Equal batch",
             "request_rate": "Equal request rate", BEST: "Each at its best load"}  # fmt: skip
    return [(way, words[way]) for way in operating.WAYS if way in offered]
