"""What to know besides a scaling answer: what was left out, what is unlike, interpolated, projected or flagged."""

from __future__ import annotations

from collections.abc import Sequence

from bench import catalogue
from bench.chart import value_label
from bench.questions.scaling.defaults import Prepared
from bench.questions.scaling.lines import EVERY, PUSHED_ALIKE, Selected
from bench.questions.scaling.measured import Line
from bench.questions.scaling.operating import BEST, counts_of, load
from bench.questions.scaling.prices import source
from bench.questions.scaling.sentences import dates, lengths, seen_in, value_word, where
from bench.wording import counted, inline, joined, number

UNLIKE = ("model", "precision", "engine", "engine_version", "harness", "source", "speculation", "disaggregated",
          "load_kind", "scenario", "dataset")  # fmt: skip


def caveats(this: Prepared, lines: Sequence[Line], held: Selected, projected: int) -> list[str]:
    """What was left out, what is unlike among the lines, what is interpolated and what is projected."""
    said = []
    steps = [line for line in lines if line.judged]
    others = this.held - len(this.lines)
    if others > 0 and this.group != EVERY:
        said.append(
            f"One line for each {value_word(this.group)}, the one with the most counts: {counted(others, 'other line')}"
            " not drawn."
        )
    single = sorted(value_label(this.group, one) for one in held.groups if one not in this.several)
    if single and steps and this.group != EVERY:
        whole = "in one piece " if this.split else ""
        said.append(f"Not measured {whole}on two counts of chips with all else equal: {joined(single)}.")
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
    said += _submissions(steps) + _designs(this, steps) + _runs(this, lines) + _loads(this, steps)
    said += _not_there(this, lines)
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
            (sum(one.kept.left_out for one in this.lines), "of other runs of these lines"),
        )
        if count
    ]
    if left_out:
        said.append(f"Left out: {joined(left_out)}.")
    said += _flagged(lines)
    return said + _prices(this, lines)


def _submissions(steps: Sequence[Line]) -> list[str]:
    """How MLPerf submissions are paired, and what of these figures MLCommons does not answer for."""
    if not any(line.is_of_mlperf for line in steps):
        return []
    return [
        "MLPerf submissions are compared where submitter, system, software, round, benchmark and scenario are the same"
        " and only the count of chips differs. How many instances a system runs is not stated, so none is set against"
        " replicas.",
        "Efficiencies and figures per chip are derived here: they are not MLPerf results and were not verified by"
        " MLCommons.",
    ]


def _designs(this: Prepared, steps: Sequence[Line]) -> list[str]:
    """What to know of disaggregated deployments: drawn ones, and those left out."""
    said = []
    drawn = [line.label for line in steps if line.facts["disaggregated"]]
    if drawn:
        said.append(
            f"Disaggregated, so each count of chips is another design, with its own split of prefill and decode:"
            f" {joined(drawn)}; their efficiencies compare designs."
        )
    if this.split and this.lines:
        said.append(
            f"{counted(this.split, 'line')} of disaggregated deployments left out: other chips are other designs."
        )
    return said


def _runs(this: Prepared, lines: Sequence[Line]) -> list[str]:
    """Which counts are months apart without a version, and which stand in another run only."""
    said = [
        f"No engine version is stated and the runs differ, so its efficiencies may be those of other software:"
        f" {dates(line)}."
        for line in lines
        if line.apart and line.judged
    ]
    other = [
        f"{one.label} on {joined([str(count) for count in one.kept.elsewhere])}"
        for one in this.lines
        if one.kept.elsewhere
    ]
    if other:
        said.append(f"Measured only in another run, with no engine version stated: {joined(other)}.")
    return said


def _loads(this: Prepared, steps: Sequence[Line]) -> list[str]:
    """Where the best of the counts are at loads per chip far apart: said, with those loads."""
    if this.way != BEST:
        return []
    said = []
    for line in steps:
        found = [(place.accelerators, load(place.row)) for place in line.places]
        each = [one / chips for chips, one in found if one is not None]
        if len(each) > 1 and max(each) > PUSHED_ALIKE * min(each):
            parts = [f"{number(one)} on {chips}" for chips, one in found if one is not None]
            said.append(f"The best loads of {line.label} are far apart per chip: {joined(parts)}.")
        elif any(one is not None and not line.peaked[place] for place, (_, one) in enumerate(found)):
            said.append(
                f"The throughput of {line.label} may still rise beyond its highest measured loads, about the same per"
                " chip on every count."
            )
    return said


def _not_there(this: Prepared, lines: Sequence[Line]) -> list[str]:
    drawn = {line.label for line in lines}
    absent = {one.label: counts_of(one.kept.points) for one in this.lines if one.label not in drawn}
    missing = [(line.label, line.missing, line.rising) for line in lines if line.missing]
    for label, counts in absent.items():
        swept = tuple(chips for chips, own in counts.items() if len({load(row) for row in own}) > 1)
        missing.append((label, tuple(counts), swept))
    if this.way != BEST:
        gone = [_on(label, counts) for label, counts, _ in missing]
        return [f"No usable point {where(this.way, this.level)}: {joined(gone)}."] if gone else []
    rising = [_on(label, swept) for label, _, swept in missing if swept]
    once = [_on(label, left) for label, counts, swept in missing if (left := sorted({*counts} - {*swept}))]
    said = []
    if rising:
        said.append(
            "Throughput is still rising at the highest measured load, so the best and its efficiency are not known:"
            f" {joined(rising)}."
        )
    if once:
        said.append(f"Measured at one load only, so the best is not known: {joined(once)}.")
    return said


def _on(label: str, counts: Sequence[int]) -> str:
    return f"{label} on {joined([str(one) for one in counts])}"


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
    known = [
        f"{value_label('accelerator', chip)} {this.prices[chip].words}"
        for chip in used
        if chip in this.prices
    ]
    unknown = [value_label("accelerator", chip) for chip in used if chip not in this.prices]
    said = [f"Priced per chip hour at {'; '.join(known)}; {source(this.view)}."] if known else []
    return said + ([f"No price of {joined(unknown)} in {source(this.view)}."] if unknown else [])
