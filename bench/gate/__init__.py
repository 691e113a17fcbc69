"""Whether a candidate may take a baseline's place: two sets of result files compared, and a verdict for each metric."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench import catalogue
from bench.errors import InputError, UsageError
from bench.library import Library
from bench.questions import Answer, compare
from bench.questions.compare.result import Comparison, MetricRatio
from bench.view import View

GateVerdict = Literal["better", "same", "worse", "unknown"]

BASELINE, CANDIDATE = "baseline", "candidate"
ALLOWED = 0.02
"""The loss that is allowed where none is stated, as a share; the page Compare calls as much the same."""


@dataclass(frozen=True)
class GateLine:
    """A metric of the candidate over the baseline's, the loss that is allowed, as a share, and what follows.

    `loss` is how much worse the candidate is by the best estimate, below 0 where it is better; `most` is the upper end
    of its 95 % interval, None where that is not known.
    """

    ratio: MetricRatio
    allowed: float
    loss: float
    most: float | None
    verdict: GateVerdict


@dataclass(frozen=True)
class Gate:
    """Both sides' files, a line for each metric that was judged, the one that is told first above the others."""

    baseline: tuple[str, ...]
    candidate: tuple[str, ...]
    lines: tuple[GateLine, ...]
    answer: Answer[Comparison]

    @property
    def verdict(self) -> GateVerdict:
        """Worse where any metric is, else unknown where any is, else better or the same as the first."""
        told = {one.verdict for one in self.lines}
        if "worse" in told or not told:
            return "worse" if told else "unknown"
        return "unknown" if "unknown" in told else self.lines[0].verdict

    @property
    def repeats(self) -> int | None:
        """How many more runs of each side would likely decide all that is unknown; None where nobody can tell."""
        needed = [one.ratio.repeats for one in self.lines if one.verdict == "unknown"]
        return None if not needed or None in needed else max(one or 1 for one in needed)


@contextmanager
def judged(baseline: Sequence[Path], candidate: Sequence[Path], allowed: Mapping[str, float]) -> Iterator[Gate]:
    """The candidate's result files against the baseline's, in a library that is gone when the block ends.

    `allowed` are the losses by metric, as shares; where any are stated, those metrics alone are judged. InputError for
    a side without a figure, UsageError for a metric that the files do not hold.
    """
    with tempfile.TemporaryDirectory(prefix="kneepoint-check-") as folder:
        library = Library.open(Path(folder) / "library", shipped=False)
        names = _added(library, baseline, BASELINE), _added(library, candidate, CANDIDATE)
        view = View.of(options={"a": f"source={BASELINE}", "b": f"source={CANDIDATE}"})
        answer = compare.answer(library, view)
        yield Gate(*names, tuple(_lines(answer.result, allowed)), answer)
        library.close()


def _added(library: Library, files: Sequence[Path], side: str) -> tuple[str, ...]:
    """The names of the files that one side consists of, now in the library under the side's name."""
    report = library.add(files, {"source": side})
    if report.refused:
        raise InputError(f"{report.refused[0].file} of the {side} is not read: {report.refused[0].reason}")
    if report.already:
        raise InputError(f"{report.already[0].file} is on both sides; give the {side} files of its own.")
    if not any(one.points for one in report.imported):
        raise InputError(f"The {side} holds no measured point; give it files of a benchmark's results.")
    return tuple(Path(one.file).name for one in report.imported)


def _lines(found: Comparison, allowed: Mapping[str, float]) -> Iterator[GateLine]:
    held = {one.metric: one for one in found.metrics}
    for metric in allowed:
        catalogue.metric(metric)
        if metric not in held and found.metrics:
            raise UsageError(
                f"{metric} is not compared here; both sides tell {', '.join(held)}. Name one of these after --allow."
            )
    for one in found.metrics:
        if not allowed or one.metric in allowed:
            yield line(one, allowed.get(one.metric, ALLOWED))


def line(one: MetricRatio, allowed: float) -> GateLine:
    """What a metric's ratio means for the gate.

    Worse where the comparison calls it slower and the best estimate of the loss is beyond what is allowed. It passes
    where the comparison calls it faster or the same, or where the whole interval of the loss is within what is allowed:
    the non-inferiority test of E. Lesaffre, Bulletin of the NYU Hospital for Joint Diseases 66 (2008).
    """
    up = one.row.better == "higher"
    loss = 1 - one.ratio if up else one.ratio - 1
    edge = one.low if up else one.high
    most = None if edge is None else (1 - edge if up else edge - 1)
    if one.verdict == "slower" and loss > allowed:
        verdict: GateVerdict = "worse"
    elif one.verdict == "faster":
        verdict = "better"
    elif one.verdict == "same" or (most is not None and most <= allowed):
        verdict = "same"
    else:
        verdict = "unknown"
    return GateLine(one, allowed, loss, most, verdict)
