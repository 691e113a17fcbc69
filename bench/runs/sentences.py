"""What a run says in sentences: its result, what else is worth knowing, and what to hold against it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bench import catalogue
from bench.chart import deployment_words
from bench.flags import words as flag_words
from bench.formats.journal import EndLine, PointLine, Session
from bench.runs.levels import THROUGHPUT, Level, LevelCurve
from bench.runs.remeasure import Retry
from bench.sweep.folder import UNDER_WAY
from bench.sweep.planning.searches import highest
from bench.wording import counted, inline, joined, quantity

if TYPE_CHECKING:
    from bench.sweep.planning.plan import Plan

LATER = ("done", "queued", *UNDER_WAY)
"""The states in which nothing is missing that will not come by itself."""

MOST_CURVES = 6


def subject(plan: Plan, sessions: Sequence[Session]) -> str:
    """What was measured on what, in a few words; the plan's own, before a session has found out more."""
    if not sessions:
        return plan.endpoint.model
    found = sessions[-1].deployment
    words = deployment_words(vars(found))
    return words if found.model else ", ".join(part for part in (plan.endpoint.model, words) if part)


def headline(
    plan: Plan,
    sessions: Sequence[Session],
    lines: Sequence[PointLine],
    curves: Sequence[LevelCurve],
    latency: str,
    state: str,
) -> str:
    """The result in one sentence: the peak and the knee, or what there is instead."""
    what = subject(plan, sessions)
    if not lines:
        return f"{what}: {_without_points(state)}."
    if not curves:
        return f"{what}: no request succeeded at {counted(len(lines), 'point')}, so there is no throughput."
    best = max(curves, key=lambda curve: curve.peak.throughput)
    among = f" with {best.shape}" if len(curves) > 1 else ""
    said = f"{what} gives at most {_throughput(best.peak)} at {best.peak.words}{among}"
    if best.knee is None:
        return f"{said}; no knee in {counted(len(best.levels), 'level')}."
    if best.knee == best.peak:
        return f"{said}, which is its knee too{_at_latency(best.knee, latency)}."
    return f"{said}; its knee is at {best.knee.words}: {_throughput(best.knee)}{_at_latency(best.knee, latency)}."


def findings(plan: Plan, curves: Sequence[LevelCurve], latency: str, ends: Sequence[EndLine]) -> tuple[str, ...]:
    """Each shape's peak and knee where there are several, the goodput where there are objectives, how it ended."""
    said = []
    if len(curves) > 1:
        said += [_of_curve(curve, latency) for curve in curves[:MOST_CURVES]]
        if len(curves) > MOST_CURVES:
            said.append(f"{len(curves) - MOST_CURVES} more shapes are in the table.")
    said += [highest(told) for told in (ends[-1].sustained if ends else ())]
    if ends and plan.search != "grid":
        said.append(ends[-1].reason)
    return tuple(said)


def caveats(
    sessions: Sequence[Session], lines: Sequence[PointLine], again: Retry, status: Mapping[str, Any]
) -> tuple[str, ...]:
    """What to hold against the result: that it is simulated, cut short, flagged."""
    said = []
    simulated = next((one for one in sessions if one.evidence == "simulated"), None)
    if simulated is not None:
        stands = f" ({simulated.simulates})" if simulated.simulates else ""
        said.append(f"Simulated: the endpoint only plays an engine{stands}, so these are no measurements of one.")
    state = str(status.get("state", ""))
    if state not in LATER:
        reason = f": {status['reason']}" if status.get("reason") else ""
        said.append(f"It {_ended(state)} after {counted(len(lines), 'point')}{reason}".rstrip(".") + ".")
    failed = [line for line in lines if not line.measured]
    if failed and state in LATER:
        said.append(f"{counted(len(failed), 'point')} failed: {failed[0].error}.")
    if again.missing and state not in LATER:
        said.append(_missing(again))
    flags = Counter(flag.kind for line in lines for flag in line.flags)
    if flags:
        flagged = sum(bool(line.flags) for line in lines)
        kinds = [f"{flag_words(kind)} ({many:,})" for kind, many in flags.most_common()]
        carry = "carries" if flagged == 1 else "carry"
        said.append(f"{flagged:,} of {counted(len(lines), 'point')} {carry} flags: {joined(kinds)}.")
    if len({(one.tool_version, one.deployment) for one in sessions}) > 1:
        said.append("It was resumed under another Kneepoint version or deployment; its sessions say which.")
    return tuple(said)


def _of_curve(curve: LevelCurve, latency: str) -> str:
    said = f"{curve.shape}: at most {_throughput(curve.peak)} at {curve.peak.words}"
    if curve.knee is None:
        return f"{said}."
    return f"{said}, knee at {curve.knee.words}{_at_latency(curve.knee, latency)}."


def _throughput(level: Level) -> str:
    return quantity(level.throughput, THROUGHPUT).replace("tokens/s", "output tokens/s")


def _at_latency(level: Level, latency: str) -> str:
    if level.latency is None:
        return ""
    return f" with {inline(catalogue.metric(latency))} {quantity(level.latency, latency)}"


def _missing(again: Retry) -> str:
    if again.climbs:
        return f"The next level would be {again.missing[0].words}."
    return f"{counted(len(again.missing), 'point')} of the plan {'is' if len(again.missing) == 1 else 'are'} missing."


def _ended(state: str) -> str:
    return {"stopped": "stopped at a cap", "cancelled": "was cancelled", "interrupted": "was interrupted"}.get(
        state, state or "ended"
    )


def _without_points(state: str) -> str:
    words = {
        "queued": "the sweep waits for its turn",
        "starting": "the sweep is starting",
        "checking": "the sweep is looking at the endpoint",
        "running": "the sweep is measuring its first point",
    }
    return words.get(state, f"the sweep {_ended(state)} before its first point")
