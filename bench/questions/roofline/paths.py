"""Where lines and points of a roofline chart lie: roofs over operations for each byte, or ceilings over requests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.basis.roofline import Use
from bench.chart import line_names, value_label
from bench.chart.axis import MOST_TICKS, LogAxis, decade_ticks, doubling_ticks
from bench.questions.roofline.result import BATCH, CeilingCurve, HeldPoint, Rig, Roof, Roofline
from bench.wording import number

TERA = 1e12
AROUND = 2.5
"""A chart shows its axis over operations for each byte to so many times beyond points and ridges."""

UP_ROOM = 0.06
UNITS = {"served": "Output tokens", "decode": "Output tokens", "prefill": "Prompt tokens"}


@dataclass(frozen=True)
class LinePath:
    """A line of the chart: the group of the legend that it and its points are in, its name, and where it goes.

    `about` are its limits in words; `rank` tells apart lines of one accelerator.
    """

    group: str
    name: str
    accelerator: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]
    about: str
    is_projected: bool = False
    rank: int = 0


@dataclass(frozen=True)
class RooflinePlot:
    """Both axes and the lines over them."""

    across: LogAxis
    up: LogAxis
    lines: tuple[LinePath, ...]


def plot(result: Roofline) -> RooflinePlot:
    """The axes and lines of an answer that has something to draw."""
    places = [where for one in uses(result) if (where := place(result, one)) is not None]
    return _over_requests(result, places) if result.axis == BATCH else _over_intensity(result, places)


def uses(result: Roofline) -> Iterator[Use]:
    """What the drawn points used, and what is projected."""
    yield from (one.use for one in result.points)
    if result.projection is not None:
        yield from (one.use for one in result.projection.places)


def place(result: Roofline, use: Use) -> tuple[float, float] | None:
    """Where a use lies in the units of the axes; None where what the horizontal axis shows is not known."""
    if result.axis == BATCH:
        return None if use.requests is None else (use.requests, use.rate / use.chips)
    across = use.work.intensity
    return None if across is None else (across, use.operations_per_chip / TERA)


def group(result: Roofline, rig: Rig) -> str:
    """The line that a rig's points belong to: over requests its own, else that of its chip at its precision."""
    return " ".join(map(str, rig)) if result.axis == BATCH else f"{rig.accelerator} {rig.precision}"


def _over_intensity(result: Roofline, places: Sequence[tuple[float, float]]) -> RooflinePlot:
    ridges = [one.operations / one.bandwidth for one in result.roofs if one.operations]
    xs, ys = [x for x, _ in places], [y for _, y in places]
    first, last = min([*xs, *ridges]) / AROUND, max([*xs, *ridges]) * AROUND
    precisions = {one.precision for one in result.roofs}
    lines = tuple(_roof(one, first, last, several=len(precisions) > 1) for one in result.roofs)
    tops = [one.operations / TERA for one in result.roofs if one.operations] or [max(line.ys) for line in lines]
    return RooflinePlot(
        _across("Operations per byte read (FLOP/byte)", first, last, [one.name for one in lines], decades=True),
        LogAxis.around("Operations per second and chip (TFLOP/s)", min([*ys, *tops]) / 1.5, max([*ys, *tops]), UP_ROOM),
        lines,
    )


def _roof(one: Roof, first: float, last: float, *, several: bool) -> LinePath:
    """One chip's roof: up with the bandwidth to its ridge, then flat at its peak; without a peak it goes on up."""
    ridge = min(last, one.operations / one.bandwidth) if one.operations else last
    xs = (first, ridge, last) if ridge < last else (first, last)
    ys = tuple(min(x * one.bandwidth, one.operations or x * one.bandwidth) / TERA for x in xs)
    name = value_label("accelerator", one.accelerator)
    peak = f", {number(one.operations / TERA)} TFLOP/s {one.precision.upper()}" if one.operations else ""
    about = f"{name}: {number(one.bandwidth / TERA)} TB/s{peak}"
    label = f"{name} {one.precision.upper()}" if several else name
    return LinePath(f"{one.accelerator} {one.precision}", label, one.accelerator, xs, ys, about, one.is_projected)


def _over_requests(result: Roofline, places: Sequence[tuple[float, float]]) -> RooflinePlot:
    ranks: dict[str, int] = {}
    lines = []
    for one in result.curves:
        rank = ranks.setdefault(one.rig.accelerator, 0)
        ranks[one.rig.accelerator] += 1
        lines.append(_curve(result, one, rank))
    xs = [x for x, _ in places] + [x for line in lines for x in line.xs]
    ys = [y for _, y in places] + [y for line in lines for y in line.ys]
    title = "Requests that share a step" if result.phase != "prefill" else "Requests at once"
    return RooflinePlot(
        _across(title, min(xs) / 1.1, max(xs) * 1.1, [line.name for line in lines], decades=False),
        LogAxis.around(f"{UNITS[result.phase]} per second and chip", min(ys), max(ys), UP_ROOM),
        tuple(lines),
    )


def _curve(result: Roofline, one: CeilingCurve, rank: int) -> LinePath:
    words = one.rig.words if result.compares_models else one.rig.hardware
    return LinePath(
        group(result, one.rig), words, one.rig.accelerator, one.requests, one.per_chip, f"Ceiling of {words}",
        one.is_projected, rank,
    )  # fmt: skip


def _across(title: str, first: float, last: float, names: Sequence[str], *, decades: bool) -> LogAxis:
    """The horizontal axis, with room at its end for the longest name of a line."""
    high = line_names.axis_end(first, last, lambda pages: [pages.fitting(name) for name in names])
    ticks = decade_ticks(first, last, MOST_TICKS) if decades else doubling_ticks(first, last)
    return LogAxis(title, first, high, tuple(ticks))


def owner(result: Roofline, one: HeldPoint) -> str:
    """Whose colour a point has: its model's where several are compared, else its accelerator's."""
    return one.rig.model if result.compares_models else one.rig.accelerator
