"""How a session of a sweep ends, and why, in a sentence: all measured, a cap, an endpoint that answers no more."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.flags import weight
from bench.formats.journal import PointLine
from bench.records import Flag
from bench.sweep.folder import Folder
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.plan_parts import StopRules, where_stated
from bench.sweep.planning.searches import CLIMBS, Stop
from bench.sweep.planning.shapes import load_words
from bench.wording import counted, joined, number, share

if TYPE_CHECKING:  # with numpy, which no sweep waits for before its load
    from bench.sweep.measured.finishing import FinishedLoad

LOST_IN_A_ROW = 2
"""A sweep is given up after so many points in a row without a figure, once its patience is over too."""
MOST_TOLD = 4
"""So many failed points are named in the sentence that ends a sweep."""


@dataclass(frozen=True)
class SessionEnd:
    """How a session ended. `state` is done, stopped (at a cap), cancelled, interrupted or failed."""

    state: str
    reason: str


CANCELLED = SessionEnd("cancelled", "It was cancelled; resume measures what is missing.")


def status_of(ended: SessionEnd, lines: Iterable[PointLine], *, strict: bool = False) -> int:
    """The exit status: 0 when all was measured, 1 when the sweep or a point failed, 3 when a strict one has flags."""
    known = list(lines)
    if ended.state not in ("done", "stopped") or not all(line.measured for line in known):
        return 1
    return 3 if strict and any(weight(flag.kind) != "notes" for line in known for flag in line.flags) else 0


def over(plan: Plan, stop: Stop, lines: Sequence[PointLine]) -> SessionEnd:
    """The end once nothing is left to measure: done only where every point has a figure."""
    failed = [line for line in lines if not line.measured]
    if not failed:
        return SessionEnd("done", stop.reason)
    said = [f"point {line.number} ({_load_and_lengths(line)}): {line.error}" for line in failed]
    todo = "Resume measures the failed points again."
    if not any(line.failures for line in failed):
        todo = "Give each point more time in a new sweep."
    reason = stop.reason if plan.search in CLIMBS else ""
    told = f"{len(failed):,} of {counted(len(lines), 'point')} failed, {joined(said, at_most=MOST_TOLD)}. {todo}"
    return SessionEnd("failed", f"{reason} {told}".strip())


def empty(plan: Plan, ran: FinishedLoad, cap: str | None) -> SessionEnd:
    """The end at a point that sent nothing: a cap left no room for a request, or none came in its time."""
    if cap is not None:
        return used_up(plan, cap)
    return SessionEnd(
        "failed",
        f"No request came within the {number(ran.limits.warmup_s + (ran.limits.duration_s or 0))} s of "
        f"{ran.point.words}: give each point more time or a higher request rate, in a new sweep.",
    )


def used_up(plan: Plan, name: str) -> SessionEnd:
    """The end at a cap."""
    cap = getattr(plan.caps, name)
    where = where_stated(plan.endpoint)
    return SessionEnd(
        "stopped", f"caps.{name} of {cap:,g} is used up: raise it{where} and measure the rest in a new sweep."
    )


def patience_s(plan: Plan) -> float:
    """How long a sweep goes on without a good answer, as its plan states it."""
    return (plan.stop or StopRules()).patience_s


def given_up(plan: Plan, lines: Sequence[PointLine]) -> SessionEnd | None:
    """The end at points that keep failing: no good answer for too long, or more failures in one than are allowed."""
    last, rules = lines[-1], plan.stop
    failed = last.requests_failed + last.warmup_failed
    lost = failed / max(1, failed + last.requests_ok + last.warmup_ok)
    if plan.search == "grid" and rules and rules.error_rate is not None and lost > rules.error_rate:
        return SessionEnd(
            "failed",
            f"{share(lost)} of the requests failed at {_load_and_lengths(last)}, and stop.error_rate allows "
            f"{share(rules.error_rate)}. Look at the endpoint, then resume.",
        )
    silent = list(takewhile(lambda line: not line.measured, reversed(lines)))
    seconds = sum(line.seconds or 0.0 for line in silent)
    if len(silent) < LOST_IN_A_ROW or seconds < patience_s(plan):
        return None
    return SessionEnd(
        "failed",
        f"No request succeeded for {seconds:,.0f} s, over {counted(len(silent), 'point')}: {silent[0].error}. "
        "Look at the endpoint, then resume.",
    )


def capped(cap: str, requests: int) -> Flag:
    """What is said of a point that a cap cut short."""
    return Flag(
        "capped",
        f"The point ended after {counted(requests, 'request')} because caps.{cap} was used up.",
        "It has fewer requests than planned, so it is less certain than the points beside it.",
        f"Raise caps.{cap} and measure it again.",
    )


def _load_and_lengths(line: PointLine) -> str:
    """A point's load and lengths in words."""
    return f"{load_words(line.load)}, isl {line.isl or 'as it comes'}, osl {line.osl or 'as it comes'}"


def enter(folder: Folder, library: Path) -> int:
    """How many points of an ended sweep the library shows, now from a pack; it shows each since it was finished.

    Raises:
        BenchError: the library cannot be written. Its readers then go on reading the journal itself.
    """
    from bench.library import Library

    if not folder.read.measured:
        return 0
    held = Library.open(library, shipped=False)
    try:
        held.settle()
        shown: int = held.fetch("SELECT count(*) FROM points WHERE source_id = ?", [folder.id])[0][0]
        return shown
    finally:
        held.close()
