"""A metric at fixed loads over the runs of a deployment, interpolated where a load was not measured, and its levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from bench import catalogue
from bench.basis import interpolated, load_curves
from bench.basis.interpolated import PredictionError
from bench.library import Library
from bench.maths import change_points
from bench.maths.change_points import ALARMS, FEWEST, Levels
from bench.maths.load_curve import LoadCurve
from bench.questions.history import method
from bench.questions.history.method import Passports
from bench.questions.history.result import FixedLoad, LoadValue, Run, SpeedChange

MOST_LOADS = 4
"""So many loads are followed where the reader names none."""

AS_A_WHOLE = {"output_tokens_per_s_per_accelerator": "output_tokens_per_s"}
"""Per chip it is the same curve along the load as of the whole deployment."""

AXES = {"closed": "concurrency", "open": "request_rate", "batch": "batch"}


def usual(runs: Sequence[Run], metric: str) -> tuple[float, ...]:
    """The loads that the runs have in common, up to MOST_LOADS of them from the smallest to the largest.

    Those that half as many runs state as the commonest does; where two runs state several loads, they alone count.
    """
    stated = [[load for load, one in run.points.items() if metric in one.metrics] for run in runs]
    broad = [own for own in stated if len(own) > 1]
    counts = Counter(load for own in (broad if len(broad) > 1 else stated) for load in own)
    most = max(counts.values(), default=0)
    common = sorted(load for load, many in counts.items() if 2 * many >= most and (many > 1 or most == 1))
    if len(common) <= MOST_LOADS:
        return tuple(common)
    last = len(common) - 1
    return tuple(common[round(place * last / (MOST_LOADS - 1))] for place in range(MOST_LOADS))


def followed(
    library: Library, runs: Sequence[Run], metric: str, loads: Sequence[float], least: float
) -> tuple[FixedLoad, ...]:
    """The metric at each of these loads: first one with most runs of one method, of equals one with a change, then the
    largest load."""
    known = method.passports(library, metric)
    lower = catalogue.metric(metric).direction == "lower"
    found = []
    for load in loads:
        values = _values(library, runs, metric, load, known)
        if len(values) > 1:
            axis = AXES.get(values[-1].measured.facts.load_kind or "", "load")
            found.append(FixedLoad(load, axis, lower, values, _stretches(values), ()))
    tested = sum(end - start >= FEWEST for one in found for start, end, _ in one.stretches)
    told = [_levelled(one, ALARMS / max(tested, 1), least) for one in found]
    return tuple(sorted(told, key=_rank))


def _rank(one: FixedLoad) -> tuple[float, ...]:
    start, end, _ = one.longest_stretch
    return start - end, one.verdict != "changed", -one.load


def _values(library: Library, runs: Sequence[Run], metric: str, load: float, known: Passports) -> tuple[LoadValue, ...]:
    values: list[LoadValue] = []
    for place, run in enumerate(runs):
        one = _value(library, run, place, metric, load)
        if one is not None:
            unlike = method.changes(values[-1].measured, one.measured, known) if values else ()
            values.append(replace(one, changes=unlike))
    return tuple(values)


def _value(library: Library, run: Run, place: int, metric: str, load: float) -> LoadValue | None:
    """A run's metric at a load: its own point's, else between its neighbours'; None beyond what it measured."""
    stating = {own: one for own, one in sorted(run.points.items()) if metric in one.metrics}
    if load in stating:
        one = stating[load]
        return LoadValue(place, one.metrics[metric], (one.facts.point_id,), one)
    below, above = [own for own in stating if own < load], [own for own in stating if own > load]
    if not below or not above:
        return None
    key = AS_A_WHOLE.get(metric, metric)
    curve = LoadCurve.of([*stating], [one.metrics[metric] for one in stating.values()], load_curves.grows(key))
    value, gap = curve.at(load), curve.gap(load)
    if value is None or gap is None:
        return None
    error = interpolated.of(library, key, gap, source=run.source)
    around = (stating[below[-1]], stating[above[0]])
    return LoadValue(place, value, tuple(one.facts.point_id for one in around), around[0], gap, error)


def _stretches(values: Sequence[LoadValue]) -> tuple[tuple[int, int, Levels], ...]:
    """The stretches of one method, their levels not yet told apart."""
    starts = [place for place, one in enumerate(values) if place == 0 or one.changes]
    ends = [*starts[1:], len(values)]
    return tuple(
        (start, end, Levels(tuple(one.value for one in values[start:end]), (), None, is_tested=False))
        for start, end in zip(starts, ends, strict=True)
    )


def _levelled(one: FixedLoad, alarms: float, least: float) -> FixedLoad:
    """The same with the levels of each stretch, and the changes between them."""
    stretches = tuple(
        (start, end, change_points.of(levels.values, alarms=alarms, least=least))
        for start, end, levels in one.stretches
    )
    changes = [
        _change(one, start, levels, place) for start, _, levels in stretches for place in range(len(levels.changes))
    ]
    return replace(one, stretches=stretches, changes=tuple(changes))


def _change(one: FixedLoad, start: int, levels: Levels, place: int) -> SpeedChange:
    found = levels.changes[place]
    (first, _), (_, last) = levels.bounds[place : place + 2]
    errors = [value.error for value in one.values[start + first : start + last] if value.is_interpolated]
    speed, low, high = found.ratio, found.low, found.high
    if one.lower:
        speed, low, high = 1 / speed, 1 / high, 1 / low
    before, after = (one.values[start + found.at + step].run for step in (-1, 0))
    return SpeedChange(before, after, speed, low, high, found.p, _is_beyond(speed, errors))


def _is_beyond(speed: float, errors: Sequence[PredictionError | None]) -> bool:
    """Whether a change is larger than nine of ten interpolated values have been wrong; not where that is not known."""
    known = [one.p90 for one in errors if one is not None]
    return len(known) == len(errors) and max(speed, 1 / speed) > 1 + max(known, default=0.0)
