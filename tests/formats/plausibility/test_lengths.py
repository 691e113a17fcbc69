"""Lengths that are not those asked for are told, as our own sweeps tell them."""

from __future__ import annotations

import pytest

from bench.formats.plausibility.front_door import judged
from bench.records import Deployment, Flag, Load, Point, Workload
from bench.sweep.measured import honesty
from bench.sweep.measured.window import MeasuredPoint, Window


def flags_of(*before: Flag, **lengths: float | None) -> tuple[Flag, ...]:
    """The flags of a point with these lengths that had others before."""
    workload = Workload(**lengths)  # type: ignore[arg-type]
    return judged(Point(Deployment(), workload, Load("unknown"), {}, "a", "b", flags=before)).flags


@pytest.mark.parametrize("which", ["isl", "osl"])
@pytest.mark.parametrize("actual", [48.375, 61.25, 94.9, 105.1, 4000.0])
def test_a_length_off_target_is_told_as_in_a_sweep(which: str, actual: float) -> None:
    (told,) = flags_of(**{f"{which}_actual": actual, f"{which}_requested": 100})
    found = MeasuredPoint(Window(0, 1), {}, {}, timed=1, **{f"{which}_actual": actual, f"{which}_asked": 100.0})  # type: ignore[arg-type]
    (ours,) = honesty.off_target(found, isl_known=True, osl_held=True)
    assert (told.kind, told.why) == (ours.kind, ours.why)
    assert told.do.endswith("compare at the actual length.")


@pytest.mark.parametrize(
    ("actual", "asked"), [(95.0, 100), (105.0, 100), (100.0, 100), (None, 100), (48.0, None), (0.0, 0)]
)
def test_a_length_near_its_target_or_without_one_is_not_told(actual: float | None, asked: int | None) -> None:
    assert flags_of(isl_actual=actual, isl_requested=asked, osl_actual=actual, osl_requested=asked) == ()


def test_other_flags_stay_first() -> None:
    failures = Flag("failures", "1 of 2 failed.", "Why.", "Do.")
    told = flags_of(failures, isl_actual=48.0, isl_requested=100, osl_actual=20.0, osl_requested=128)
    assert [flag.kind for flag in told] == ["failures", "osl_off_target", "isl_off_target"]
