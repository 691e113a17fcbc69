"""The last step of every reader: its points are checked, judged and handed over, with what nobody read.

A format files its figures and says what they are of; what holds for the results of all tools is done here, once.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from bench.errors import InputError
from bench.formats.plausibility import front_door
from bench.formats.reading import request_samples
from bench.formats.reading.fields import Fields
from bench.formats.reading.metric_collector import OF_SUCCESSES, MetricCollector, PointMetrics, failures_flag, note_of
from bench.formats.reading.point_table import Reading, points_table
from bench.formats.reading.source_file import SourceFile
from bench.records import Point, Refusal


def finished(
    file: SourceFile,
    points: Iterable[Point],
    figures: MetricCollector,
    *,
    fields: Iterable[Fields] = (),
    unread: Iterable[str] = (),
    refusals: Sequence[Refusal] = (),
    because: str = front_door.NOT_ONLY_SERVING,
    why_failures: str = OF_SUCCESSES,
    whole_run: bool = False,
    checked: bool = False,
    numbered: bool = False,
    ignore: tuple[str, ...] = (),
) -> Reading:
    """The reading of these points, whose figures are filed; InputError where there is none, or one cannot be.

    `fields` are the objects that the points were read from, `unread` is what else nobody read, and keys that begin with
    one of `ignore` are known. `because` says why other requests than asked for may have been under way, `why_failures`
    what those that failed do to the latencies. `whole_run`: the duration is from before the first request to after the
    last answer, and throughputs are sums over it. `checked`: the front door has checked the figures before.
    `numbered`: runs are appended to such a file, so equal points are repeats.
    """
    taken = list(points)
    if not taken:
        why = f"no result that could be taken: {refusals[0].reason}" if refusals else "a header and no rows."
        raise InputError(f"{file.name} has {why}")
    request_samples.name(taken)
    taken = [_remarked(point, why_failures) for point in taken]
    taken = [
        front_door.judged(point, because)
        if checked
        else front_door.admitted(file.name, point, because, whole_run=whole_run)
        for point in taken
    ]
    strange = [key.removeprefix(f"{one.path}.") for one in fields for key in one.not_understood()]
    return Reading(
        figures.format,
        points_table(_numbered(taken) if numbered else taken),
        passports=figures.passports(),
        refusals=list(refusals),
        tool_version=figures.tool_version,
        not_understood=tuple(dict.fromkeys(key for key in (*strange, *unread) if not key.startswith(ignore))),
    )


def each_row(
    rows: Iterable[Fields], read_one: Callable[[Fields], Point], refusals: list[Refusal]
) -> tuple[list[Fields], list[Point]]:
    """The rows of a table that give a point, and their points; one whose values cannot be is refused alone."""
    taken: list[Fields] = []
    points: list[Point] = []
    for row in rows:
        try:
            point = read_one(row)
            front_door.check(row.file, point)
        except InputError as problem:
            refusals.append(Refusal(row.file, str(problem)))
        else:
            taken.append(row)
            points.append(point)
    return taken, points


def _remarked(point: Point, why_failures: str) -> Point:
    """The point as measured, with what its figures say of failures and of latencies that were left out."""
    metrics = point.metrics
    zeros = metrics.zeros_left_out() if isinstance(metrics, PointMetrics) else None
    failures = failures_flag(metrics.get("requests_failed"), metrics.get("requests_ok"), why_failures)
    return dataclasses.replace(
        point, evidence="measured", note=note_of(point.note, zeros), flags=(*failures, *point.flags)
    )


def _numbered(points: Sequence[Point]) -> list[Point]:
    """The points of a file that runs are appended to: those of one deployment, workload and load are repeats 1, 2, …

    A run that states which repeat it is keeps that; lengths that were counted tell no runs apart.
    """
    conditions = [
        (point.deployment, dataclasses.replace(point.workload, isl_actual=None, osl_actual=None), point.load)
        for point in points
    ]
    often = Counter(conditions)
    so_far = Counter[object]()
    numbered = []
    for point, same in zip(points, conditions, strict=True):
        so_far[same] += 1
        alone = often[same] == 1 or point.repeat is not None
        numbered.append(point if alone else dataclasses.replace(point, repeat=so_far[same]))
    return numbered
