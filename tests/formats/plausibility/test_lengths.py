"""Lengths that are not those asked for are told, as our own sweeps tell them."""

from __future__ import annotations

import pytest

from bench.formats.plausibility.lengths import judged
from bench.records import Deployment, Flag, Load, Point, Workload
from bench.sweep.measured import honesty
from bench.sweep.measured.window import MeasuredPoint, Window


def flags_of(*before: Flag, **lengths: float | None) -> tuple[Flag, ...]:
    """The flags of a point with these lengths that had others before."""
    workload = Workload(**lengths)  # type: ignore[arg-type]
    (point,) = judged([Point(Deployment(), workload, Load("unknown"), {}, "a", "b", flags=before)])
    return point.flags


@pytest.mark.parametrize("which", ["isl", "osl"])
@pytest.mark.parametrize("actual", [48.375, 61.25, 94.9, 105.1, 4000.0])
def test_a_length_off_target_is_told_as_in_a_sweep(which: str, actual: float) -> None:
    (told,) = flags_of(**{f"{which}_actual": actual, f"{which}_requested": 100})
    found = MeasuredPoint(Window(0, 1), {}, {}, timed=1, **{f"{which}_actual": actual, f"{which}_asked": 100.0})  # type: ignore[arg-type]
    ours = honesty.isl_off_target(actual, 100) if which == "isl" else honesty.osl_off_target(found, held=True)
    assert ours is not None
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


@pytest.mark.parametrize(
    ("failed", "of_whom"), [({"requests_failed": 0.0}, "one of them"), ({}, "requests that failed")]
)
def test_requests_sent_at_once_that_took_next_to_nothing_of_the_run_are_told(
    failed: dict[str, float], of_whom: str
) -> None:
    # 1.4794 s of 900 s are 0.16 %; a server that takes them in turn makes half of the run of them.
    metrics = {"duration_s": 900.0, "requests_ok": 1000.0, "e2el_ms_mean": 1479.4, **failed}

    def flags(load: Load, mean: float) -> tuple[Flag, ...]:
        point = Point(Deployment(), Workload(), load, {**metrics, "e2el_ms_mean": mean}, "a", "b")
        return judged([point])[0].flags

    (told,) = flags(Load("saturated"), 1479.4)
    assert told.kind == "mostly_idle"
    assert "1,479 ms" in told.seen
    assert f"either {of_whom} took far longer" in told.why
    assert flags(Load("saturated"), 450_000.0) == flags(Load("open", request_rate=1.0), 1479.4) == ()


@pytest.mark.parametrize(
    ("load", "kinds"),
    [
        (Load("closed", concurrency=8), ["littles-law"]),
        (Load("closed", concurrency=2), []),
        (Load("open", request_rate=2.0), []),
        (Load("saturated"), []),
    ],
)
def test_requests_in_flight_are_held_against_a_closed_loop_alone(load: Load, kinds: list[str]) -> None:
    # 2 requests/s of 1 s each are 2 in flight.
    metrics = {"requests_per_s": 2.0, "e2el_ms_mean": 1000.0, "e2el_ms_max": 1100.0, "requests_ok": 200.0}
    (point,) = judged([Point(Deployment(), Workload(), load, metrics, "a", "b")])
    assert [flag.kind for flag in point.flags] == kinds
