"""What to know besides a scaling answer: which lines are not there, what is unlike, interpolated or projected."""

from __future__ import annotations

from collections.abc import Iterator

from bench.basis import likeness, limits
from bench.basis.evidence import Ranking
from bench.basis.statement import Statement, caveat
from bench.chart import title
from bench.questions.scaling.operating import BEST, PUSHED_ALIKE
from bench.questions.scaling.result import EVERY, MLPERF, Line, Scaling
from bench.questions.scaling.statements import dates, ids, where
from bench.wording import counted, joined, number

OWN = ("layout", "chips", "load", "variant")
"""What each line of a comparison has its own of."""

SUBMISSIONS = (
    "MLPerf submissions are compared where submitter, system, software, round, benchmark and scenario are the same and"
    " only the count of chips differs; how many instances a system runs is not stated, so none is set against replicas."
)
DERIVED = "Efficiencies and figures per chip are derived: no MLPerf results, and not verified by MLCommons."
PROJECTED = "Replicas are projected: so many times the smallest count, load spread evenly."


def told(found: Scaling, ranking: Ranking) -> Iterator[Statement]:
    """Which lines are not drawn, what is unlike among them, how counts are compared, and what is projected."""
    steps, field = found.steps, title(found.group).split(" (")[0].lower()
    unlike = likeness.mixed([line.facts for line in steps], (found.group, *OWN))
    bases = [f"{line.label} {line.base.accelerators}" for line in steps if line.base.accelerators > 1]
    designs = [line.label for line in steps if line.facts.disaggregated]
    several = found.other_lines > 0 and found.group != EVERY
    mlperf = any(line.facts.harness == MLPERF for line in steps)
    between = any(place.between for line in found.lines for place in line.places)
    for kind, holds, text in (
        ("limits", ranking.limits, f"Only points with {limits.words(ranking.limits)} are compared."),
        (
            "other_lines",
            several,
            f"One line for each {field}: {counted(found.other_lines, 'other line')} not drawn.",
        ),
        (
            "lone",
            found.lone and steps,
            f"On one count of chips only, with all else equal: {joined(found.lone)}.",
        ),
        ("unlike", unlike, f"The lines are unlike in {joined(unlike)}."),
        (
            "base",
            bases,
            f"Efficiency counts from the smallest measured chips, not from one: {joined(bases)}.",
        ),
        ("submissions", mlperf, SUBMISSIONS),
        ("derived", mlperf, DERIVED),
        ("designs", designs, f"Disaggregated, so each count of chips is another design: {joined(designs)}."),
        ("interpolation", between, "Interpolated on logarithmic axes; nothing is extrapolated."),
        ("projected", any(line.replicas for line in steps), PROJECTED),
        (
            "hollow",
            found.hollow,
            f"{counted(len(found.hollow), 'point')} drawn hollow, on no line.",
        ),
    ):
        if holds:
            yield caveat(kind, text)
    for line in found.lines:
        yield from _runs(line)
        yield from _loads(found, line) if line.judged and found.way == BEST else ()
    yield from _absent(found)


def _runs(line: Line) -> Iterator[Statement]:
    """Which counts are months apart without a version, and which stand in another run only."""
    if line.apart and line.judged:
        text = f"No engine version is stated and the runs differ, so they may be of other software: {dates(line)}."
        yield caveat("runs_apart", text, ids(line.places))
    if line.other_runs:
        counts = joined([str(one) for one in line.elsewhere])
        only = f", the only ones on {counts}" if counts else ""
        text = f"Left out: {counted(line.other_runs, 'point')} of other runs of {line.label}{only}."
        yield caveat("other_runs", text, points=line.other_runs)


def _loads(found: Scaling, line: Line) -> Iterator[Statement]:
    """Where the best of the counts are at loads per chip far apart: said, with those loads."""
    loads = [(place, load) for place in line.places if (load := place.point.load) is not None]
    each = [load / place.accelerators for place, load in loads]
    if len(each) > 1 and max(each) > PUSHED_ALIKE * min(each):
        parts = [f"{number(load)} on {place.accelerators}" for place, load in loads]
        text = f"The best loads of {line.label} are far apart per chip: {joined(parts)}."
        yield caveat("loads_apart", text, ids(line.places))
    elif any(not place.peaked for place, _ in loads):
        text = f"The throughput of {line.label} may still rise beyond its highest measured loads, alike per chip."
        yield caveat("may_rise", text, ids(line.places))


def _absent(found: Scaling) -> Iterator[Statement]:
    words = {
        "level": f"No usable point {where(found.way, found.level)}",
        "rising": "Throughput is still rising at the highest measured load, so the best is not known",
        "once": "Measured at one load only, so the best is not known",
    }
    for reason, lead in words.items():
        own = [one for one in found.absent if one.reason == reason]
        named = [f"{one.line} on {joined([str(count) for count in one.accelerators])}" for one in own]
        if named:
            yield caveat(f"absent_{reason}", f"{lead}: {joined(named)}.")
