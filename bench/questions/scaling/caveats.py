"""What to know besides a scaling answer: what was left out, what is unlike, interpolated, projected or flagged."""

from __future__ import annotations

from collections.abc import Sequence

from bench import catalogue
from bench.chart import value_label
from bench.pricing import terms_in_words
from bench.questions.scaling.defaults import Prepared
from bench.questions.scaling.lines import EVERY, LOADS, Selected
from bench.questions.scaling.measured import Line
from bench.questions.scaling.operating import BEST
from bench.questions.scaling.sentences import lengths, seen_in, value_word, where
from bench.wording import counted, inline, joined, number

UNLIKE = ("model", "precision", "engine", "engine_version", "harness", "source", "speculation", "disaggregated",
          "load_kind")  # fmt: skip


def caveats(this: Prepared, lines: Sequence[Line], held: Selected, projected: int) -> list[str]:
    """What was left out, what is unlike among the lines, what is interpolated and what is projected."""
    said = []
    steps = [line for line in lines if len(line.places) > 1]
    others = this.held - sum(line.comparable > 1 for line, _, _ in this.lines)
    if others > 0 and this.group != EVERY:
        said.append(
            f"One line for each {value_word(this.group)}, the one with the most counts: {counted(others, 'other line')}"
            " not drawn."
        )
    single = sorted(value_label(this.group, one) for one in held.groups if one not in this.several)
    if single and steps and this.group != EVERY:
        said.append(f"Not measured on two counts of chips with all else equal: {joined(single)}.")
    unlike = [
        f"{value_word(key)} ({joined(sorted(values))})"
        for key in UNLIKE
        if key != this.group and len(values := {value_label(key, line.facts[key]) for line in steps}) > 1
    ]
    if unlike:
        said.append(f"The lines are unlike in {joined(unlike)}.")
    workloads = {lengths(line) for line in steps}
    if len(workloads) > 1:
        said.append(f"The lines are of {len(workloads)} workloads.")
    bases = [f"{line.label} {line.base.accelerators}" for line in steps if line.base.accelerators > 1]
    if bases:
        said.append(f"Efficiency counts from the smallest measured chips, not from one: {joined(bases)}.")
    said += _not_there(this, lines)
    if this.way == BEST and steps and all(_at_one_load(this, line) for line in steps):
        said.append("Every count was measured at one load only, the same for all.")
    if any(place.interpolated for line in lines for place in line.places):
        said.append("Interpolated between measured points on logarithmic axes; nothing is extrapolated.")
    if any(line.replicas for line in steps):
        said.append("Replicas are projected: so many times the smallest count, load spread evenly.")
    if projected:
        said.append(f"{counted(projected, 'point')} not measured: drawn open, in no line.")
    left_out = [
        f"{count:,} {what}"
        for count, what in (
            (held.without_chips, "without stated chips"),
            (held.without_metric, f"without {inline(catalogue.metric(this.metric))}"),
            (held.failed, "that failed most requests"),
            (this.older, "of older runs of the same layout"),
        )
        if count
    ]
    if left_out:
        said.append(f"Left out: {joined(left_out)}.")
    said += _flagged(lines)
    return said + _prices(this, lines)


def _at_one_load(this: Prepared, line: Line) -> bool:
    points = next(points for _, label, points in this.lines if label == line.label)
    loads = {tuple(row[name] for name in LOADS) for row in points}
    return len(loads) == 1 and any(value is not None for value in loads.pop())


def _not_there(this: Prepared, lines: Sequence[Line]) -> list[str]:
    missing = [
        f"{line.label} on {joined([str(one) for one in line.missing])}" for line in lines if line.missing
    ]
    drawn = {line.label for line in lines}
    missing += [label for _, label, _ in this.lines if label not in drawn]
    if not missing:
        return []
    if this.way == BEST:
        return [f"Measured at one load only, so its best is not known: {joined(missing)}."]
    return [f"No usable point {where(this.way, this.level)}: {joined(missing)}."]


def _flagged(lines: Sequence[Line]) -> list[str]:
    flagged = [
        place.row["flags"]
        for line in lines
        for place in line.places
        if place.row["flags"] and place.row["flags"] != "[]"
    ]
    if not flagged:
        return []
    seen = list(dict.fromkeys(text for flags in flagged for text in seen_in(flags)))
    has = "has a flag" if len(flagged) == 1 else "have a flag"
    return [f"{counted(len(flagged), 'point')} {has}: {' '.join(seen[:1])}"]


def _prices(this: Prepared, lines: Sequence[Line]) -> list[str]:
    used = [line.facts["accelerator"] for line in lines if line.replicas]
    if not used or not this.prices or "tokens" not in this.metric:
        return []
    book, terms = this.view.option("price_book"), terms_in_words(this.view.option("price_terms"))
    known = [
        f"{value_label('accelerator', chip)} {number(this.prices[chip].median)}"
        for chip in used
        if chip in this.prices
    ]
    unknown = [value_label("accelerator", chip) for chip in used if chip not in this.prices]
    said = [f"Priced in USD per chip hour at {joined(known)} ({book}, {terms}, medians)."] if known else []
    return said + ([f"{book} has no {terms} price for {joined(unknown)}."] if unknown else [])
