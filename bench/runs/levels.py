"""The points of a run as a curve: throughput against latency, level by level, and the knee of each shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import pandas as pd

from bench import catalogue
from bench.catalogue import Metric
from bench.flags import words as flag_words
from bench.formats.journal import PointLine
from bench.maths import pareto
from bench.records import Load
from bench.sweep.planning.shapes import load_words
from bench.wording import joined, number, share

THROUGHPUT = "output_tokens_per_s"
LATENCIES = ("interactivity_tokens_per_s_per_user_p50", "e2el_ms_p50")
"""What throughput is charted against: the first that a point has; answers in one piece have no interactivity."""
SHOWN = (
    THROUGHPUT,
    "interactivity_tokens_per_s_per_user_p50",
    "ttft_ms_p50",
    "ttft_ms_p99",
    "tpot_ms_p50",
    "itl_ms_p99",
    "e2el_ms_p50",
    "requests_per_s",
    "goodput_requests_per_s",
)
MOST_LOADS = 16


@dataclass(frozen=True)
class Level:
    """A load of one shape, its repeats together: the median throughput and latency, and the numbers of its points."""

    shape: str
    load: Load
    throughput: float
    latency: float | None
    points: tuple[int, ...]

    @property
    def words(self) -> str:
        """The load in words: "concurrency 64"."""
        return load_words(self.load)


@dataclass(frozen=True)
class LevelCurve:
    """The levels of one shape in ascending order of their load, and which of them is its knee, if any."""

    shape: str
    levels: tuple[Level, ...]
    knee: Level | None

    @property
    def peak(self) -> Level:
        """The level with the highest throughput."""
        return max(self.levels, key=lambda level: level.throughput)


def latency_of(lines: Sequence[PointLine]) -> Metric:
    """The metric the throughput of these points is charted against."""
    told = next((key for key in LATENCIES if any(key in line.metrics for line in lines)), LATENCIES[0])
    return catalogue.metric(told)


def curves(lines: Sequence[PointLine]) -> tuple[LevelCurve, ...]:
    """A curve for each shape and kind of load that has a throughput, in the order they were measured."""
    against = latency_of(lines)
    grouped: dict[tuple[str, str], dict[Load, list[PointLine]]] = {}
    for line in lines:
        if THROUGHPUT in line.metrics:
            shapes = grouped.setdefault((shape_words(line), line.load.load_kind), {})
            shapes.setdefault(line.load, []).append(line)
    return tuple(_curve(shape, loads, against) for (shape, _), loads in grouped.items())


def _curve(shape: str, loads: dict[Load, list[PointLine]], against: Metric) -> LevelCurve:
    levels = sorted(
        (_level(shape, load, lines, against.key) for load, lines in loads.items()),
        key=lambda level: level.load.concurrency or level.load.request_rate or 0,
    )
    placed = [level for level in levels if level.latency is not None]
    x = [level.latency for level in placed if level.latency is not None]
    y = [level.throughput for level in placed]
    front = pareto.frontier(x, y, against.better)
    knee = pareto.knee([x[place] for place in front], [y[place] for place in front], against.better)
    return LevelCurve(shape, tuple(levels), placed[int(front[knee])] if knee is not None else None)


def _level(shape: str, load: Load, lines: Sequence[PointLine], latency: str) -> Level:
    across = [line.metrics[latency] for line in lines if latency in line.metrics]
    return Level(
        shape,
        load,
        median(line.metrics[THROUGHPUT] for line in lines),
        median(across) if across else None,
        tuple(line.number for line in lines),
    )


def table(lines: Sequence[PointLine], drawn: Sequence[LevelCurve]) -> pd.DataFrame:
    """One row for each point: what was asked, the metrics of SHOWN that any has, what failed, its flags."""
    knees = {number for curve in drawn if curve.knee for number in curve.knee.points}
    rows = [
        {
            "number": line.number,
            "load": load_words(line.load),
            "shape": shape_words(line),
            "repeat": line.repeat,
            "is_knee": line.number in knees,
            "flags": ", ".join(
                [*(() if line.measured else ("failed",)), *(flag_words(flag.kind) for flag in line.flags)]
            ),
            **{key: line.metrics.get(key) for key in SHOWN},
            "requests_ok": line.requests_ok,
            "requests_failed": line.requests_failed + line.warmup_failed,
        }
        for line in lines
    ]
    shown = pd.DataFrame(rows)
    absent = [key for key in SHOWN if not rows or shown[key].isna().all()]
    once = ["repeat"] if rows and (shown["repeat"] == 1).all() else []
    return shown.drop(columns=[*absent, *once], errors="ignore").convert_dtypes()


def loads_words(loads: Sequence[Load]) -> str:
    """Several loads in words: "concurrency 1, 4 and 16, and 0.5 and 2 requests/s"."""
    closed = [f"{load.concurrency:,}" for load in loads if load.concurrency is not None]
    rates = [f"{load.request_rate:,.6g}" for load in loads if load.request_rate is not None]
    parts = [f"concurrency {joined(closed, at_most=MOST_LOADS)}"] if closed else []
    parts += [f"{joined(rates, at_most=MOST_LOADS)} requests/s"] if rates else []
    return ", and ".join(parts) or "as the trace has it"


def shape_words(line: PointLine) -> str:
    """The shape of a point's requests in words: "256 in / 64 out"."""
    workload = line.workload
    words = f"{_length(line.isl, workload.isl)} in / {_length(line.osl, workload.osl)} out"
    if workload.shared_prefix_share:
        words += f", {share(workload.shared_prefix_share)} shared"
    return words


def _length(planned: str | None, mean: float | None) -> str:
    """A length in words, as the plan has it or else the mean one."""
    text = planned or ("" if mean is None else str(round(mean)))
    return number(float(text)) if text.isdigit() else text or "as it comes"
