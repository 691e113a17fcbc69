"""The sentences of a scaling answer: its headline, what more chips and replicas give, and what to know besides."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bench import catalogue
from bench.chart import value_label
from bench.maths.scaling import Law
from bench.questions.scaling import memory, operating
from bench.questions.scaling.defaults import Prepared
from bench.questions.scaling.lines import Selected
from bench.questions.scaling.measured import Line, Replicas, told
from bench.questions.scaling.operating import BEST, INTERACTIVITY
from bench.wording import counted, inline, joined, number

LISTED = 2
"""A headline compares up to this many lines; the findings go on."""

LISTED_BELOW = 8
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
    """The way counts are compared, in words: "at concurrency 128", "at 29 tokens/s per user", "at their best load"."""
    if way == BEST:
        return "at its best load"
    if level is None:
        return f"at equal {way.replace('_', ' ')}"
    if way == INTERACTIVITY:
        return f"at {number(level)} tokens/s per user"
    return f"at {number(level)} requests/s" if way == "request_rate" else f"at {way} {number(level)}"


def headline(this: Prepared, lines: Sequence[Line], held: Selected) -> str:
    """The one sentence: how many times the smallest count's throughput the largest gives."""
    if not held.selected:
        return "No point is selected."
    steps = [line for line in lines if len(line.places) > 1]
    if not steps:
        return _nothing(this, held)
    alike = [line for line in steps if _story(line) == _story(steps[0])]
    first, *others = alike
    saturated = all(line.facts["load_kind"] in ("saturated", "scenario") for line in steps)
    way = "" if this.way == BEST and saturated else f" {where(this.way, this.level)}"
    said = f"On {subject(alike)}, {_gives(first)}{way}"
    if others:
        said += "".join(
            f"; {line.widest.accelerators} {line.label} give {number(line.speedup(-1))} times {_from(line)}"
            f" ({percent(line.efficiencies[-1])})"
            for line in others[: LISTED - 1]
        )
    elif len(steps) > 1:
        apart = counted(len(steps) - 1, "other line is", "other lines are")
        said += f"; {apart} of another model, precision or workload"
    elif first.replicas and first.replicas[-1].against.ratio > 1 + GAIN:
        against = first.replicas[-1].against
        said += (
            f"; {against.replicas} replicas of {_chips(first.base.accelerators)} would give"
            f" {number(against.ratio)} times that (projected)"
        )
    return f"{said}."


def _story(line: Line) -> tuple[object, ...]:
    return (line.facts["model"], line.facts["precision"], *lengths(line))


def lengths(line: Line) -> tuple[float | None, float | None]:
    """Input and output length; requests drawn from a data set are never equally long, so theirs are none."""
    isl, osl = (
        line.facts[key] if line.facts[f"{key}_requested"] or not line.facts["dataset"] else None
        for key in ("isl", "osl")
    )
    return isl, osl


def _gives(line: Line) -> str:
    """How many times the smallest count's throughput a line reaches; where it grows most beyond proportion, too."""
    wide, base = line.widest.accelerators, line.base.accelerators
    smallest = f"{'one' if base == 1 else base} {line.label}"
    best = max(range(len(line.places)), key=lambda place: line.efficiencies[place])
    share = f"{percent(line.efficiencies[-1])} efficiency"
    if line.efficiencies[best] > STRIKING and best < len(line.places) - 1:
        return (
            f"{line.places[best].accelerators} chips give {number(line.speedup(best))} times and {wide} chips"
            f" {number(line.speedup(-1))} times the throughput of {smallest} ({share})"
        )
    return f"{wide} chips give {number(line.speedup(-1))} times the throughput of {smallest} ({share})"


def _from(line: Line) -> str:
    return "one" if line.base.accelerators == 1 else str(line.base.accelerators)


def _nothing(this: Prepared, held: Selected) -> str:
    metric = inline(catalogue.metric(this.metric))
    usable = held.selected - held.without_chips - held.without_metric - held.other_evidence
    about = f"the {counted(held.selected, 'selected point')}"
    if not usable:
        return f"None of {about} is measured and states both its chips and its {metric}."
    if this.way != BEST and this.level is None:
        return (
            f"None of {about} that could be compared states its {this.way.replace('_', ' ')}; choose another way to"
            " compare."
        )
    if this.way != BEST and this.common is not None and this.common != this.level:
        return (
            f"No two counts of chips were measured {where(this.way, this.level)}; most share"
            f" {number(this.common)}: choose that level."
        )
    return (
        f"None of {about} was measured on two counts of chips with all else equal, so more chips cannot be judged;"
        " choose another model or lift a filter."
    )


def findings(this: Prepared, lines: Sequence[Line]) -> list[str]:
    """Beyond the headline: growth beyond linear explained, every efficiency, replicas, and the fitted laws."""
    steps = [line for line in lines if len(line.places) > 1]
    said = [text for line in steps if line.super_linear for text in _explained(line)]
    if steps:
        parts = [_efficiencies(line) for line in steps]
        said.append(f"Efficiency against the smallest count: {'; '.join(parts[:LISTED_BELOW])}.")
    for line in [line for line in steps if line.replicas][:LISTED]:
        said += _replicas(this, line, line.replicas[-1])
    return [*said, *(text for line in steps for text in _laws(line))]


def _efficiencies(line: Line) -> str:
    parts = [
        f"{percent(value)} on {place.accelerators}"
        for place, value in list(zip(line.places, line.efficiencies, strict=True))[1:]
    ]
    base = "" if line.base.accelerators == 1 else f" (from {line.base.accelerators})"
    return f"{line.label}{base} {joined(parts, at_most=LISTED_BELOW)}"


def _explained(line: Line) -> list[str]:
    """Why some count gives more than its share: what the weights leave for the cache, or that it is not known."""
    position = line.super_linear[0]
    small, wide = line.rooms[0], line.rooms[position]
    base, chips = line.base.accelerators, line.places[position].accelerators
    lead = (
        f"{line.label}: {chips} chips give {number(line.speedup(position))} times the throughput of {_chips(base)},"
        f" {percent(line.efficiencies[position])}"
    )
    flagged = seen_in(line.base.row["flags"])
    if flagged:
        return [f"{lead}; the figure of {_chips(base)} has a flag: {flagged[0]}"]
    if small is None or wide is None or not memory.explains(small, wide, line.speedup(position)):
        if small is None or wide is None:
            return [f"{lead}; what the weights leave of its memory is not known, so neither is why."]
        return [
            f"{lead}; memory does not explain it, the weights take {number(small.weights_gb)} of"
            f" {number(small.memory_gb)} GB on {_chips(base)}."
        ]
    room = (
        f"the weights take {number(small.weights_gb)} of {number(small.memory_gb)} GB on {_chips(base)} and"
        f" {number(wide.weights_gb)} of {number(wide.memory_gb)} GB on {chips}, so the room for KV cache grows"
        f" {number(wide.room_gb / small.room_gb)} times, from {number(small.room_gb)} to {number(wide.room_gb)} GB"
    )
    tokens = ""
    if small.tokens and wide.tokens:
        length = sum(line.facts[key] or 0 for key in ("isl", "osl"))
        whole = line.facts["isl"] and line.facts["osl"]
        requests = (
            f", {number(small.tokens / length, 0)} and {number(wide.tokens / length, 0)} requests of"
            f" {number(length)}"
            if whole
            else ""
        )
        tokens = f" (at most {_rough(small.tokens)} and {_rough(wide.tokens)} tokens{requests})"
    return [f"{lead}: {room}{tokens}."]


def _replicas(this: Prepared, line: Line, row: Replicas) -> list[str]:
    against, unit = row.against, catalogue.metric(this.metric).unit
    each = _chips(line.base.accelerators)
    said = (
        f"{line.label}: one instance on {against.accelerators} chips gives {number(against.throughput)} {unit},"
        f" {number(against.throughput_per_accelerator)} per chip; {against.replicas} replicas of {each} are projected"
        f" to give {number(against.replicas_throughput)}, {number(against.replicas_throughput_per_accelerator)} per"
        f" chip, {_times(against.ratio)}"
    )
    if row.each_load is not None and row.total_load is not None:
        said += f", serving {_load(this, row.total_load)} in all instead of {number(row.each_load)}"
    gain = _gain(this, row)
    texts = [f"{said}{f'; the wide one {gain}' if gain else ''}."]
    if row.shared_throughput is not None and row.each_load is not None:
        shared = (
            f"Sharing the same {_load(this, row.each_load)}, those {against.replicas} replicas are projected to give"
            f" {number(row.shared_throughput)} {unit}, {number(row.shared_throughput / against.throughput)} times the"
            " wide instance"
        )
        wide_tpot = line.latency(-1, line.tpot)
        if row.shared_tpot_ms is not None and wide_tpot is not None:
            shared += f", at a TPOT of {number(row.shared_tpot_ms)} ms against {number(wide_tpot)}"
        texts.append(f"{shared}.")
    return texts


def _times(ratio: float) -> str:
    """Replicas against the wide instance: "4.57 times as much", "a quarter": below 1 the wide one's lead is told."""
    if ratio >= 1:
        return f"{number(ratio)} times as much"
    return f"so the wide instance gives {number(1 / ratio)} times as much"


def _gain(this: Prepared, row: Replicas) -> str:
    """What the wide instance gains in latency, and what it costs more or less than the replicas."""
    against = row.against
    saved = [
        f"{number(abs(value))} ms {'less' if value > 0 else 'more'} {name}"
        for name, value in (("TPOT", against.tpot_saved_ms), ("TTFT", against.ttft_saved_ms))
        if value is not None
    ]
    parts = [f"has {joined(saved)}"] if saved else []
    extra = against.extra_usd_per_million_tokens
    if extra is not None and row.usd_per_million is not None and row.replicas_usd_per_million is not None:
        cost = (
            f"costs {number(row.usd_per_million)} USD per million {tokens_of(this)}, {number(abs(extra))}"
            f" {'more' if extra > 0 else 'less'} than they do"
        )
        if against.extra_usd_per_tpot_ms is not None and extra > 0:
            cost += f", {number(against.extra_usd_per_tpot_ms)} USD for each ms of TPOT"
        parts.append(cost)
    return " and ".join(parts)


def _laws(line: Line) -> list[str]:
    """The laws that fit, with their parameters and how far they are off; that none does where none does."""
    if line.amdahl is None and line.usl is None:
        return []
    said = []
    if line.amdahl is not None and told(line.amdahl):
        said.append(
            f"Amdahl's law fits with a serial share of {percent(line.amdahl.contention)} ({_fit(line.amdahl)})"
        )
    if line.usl is not None and told(line.usl) and (not said or line.usl.coherency > 0):
        peak, at = line.usl.peak, ""
        if peak is not None and peak.measured and peak.observed:
            at = f", its peak at {number(peak.count)} chips inside the measured counts"
        said.append(
            f"the Universal Scalability Law fits with contention {percent(line.usl.contention)} and coherency"
            f" {number(line.usl.coherency)} ({_fit(line.usl)}){at}"
        )
    if said:
        return [f"{line.label}: {'; '.join(said)}."]
    off = [
        f"{name} is {percent(law.error)} off"
        for name, law in (("Amdahl's", line.amdahl), ("the Universal Scalability Law", line.usl))
        if law is not None
    ]
    return [f"{line.label} follows no scaling law: {joined(off)}, so no peak is predicted."]


def _fit(law: Law) -> str:
    free = counted(law.degrees_of_freedom, "degree")
    return f"{percent(law.error)} off on {counted(len(law.counts), 'count')}, {free} of freedom"


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


def _load(this: Prepared, value: float) -> str:
    word = {"request_rate": "requests/s", "batch": "sequences"}.get(this.way, "concurrent requests")
    return f"{number(value)} {word}"


def _chips(count: int) -> str:
    return "one chip" if count == 1 else f"{count} chips"


def _rough(tokens: float) -> str:
    return f"{float(f'{tokens:.2g}'):,.0f}"


def ways(offered: Sequence[str]) -> list[tuple[str, str]]:
    """The words for each way counts are compared."""
    words = {INTERACTIVITY: "Equal interactivity", "concurrency": "Equal concurrency", "batch": "Equal batch",
             "request_rate": "Equal request rate", BEST: "Each at its best load"}  # fmt: skip
    return [(way, words[way]) for way in operating.WAYS if way in offered]
