"""A run as a whole: what was planned, on what and from where it was measured, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd

from bench import chart
from bench.catalogue import Metric
from bench.formats.journal import EndLine, PointLine, Session
from bench.runs import sentences
from bench.runs.levels import LevelCurve, curves, latency_of, loads_words, table
from bench.runs.remeasure import Retry, again
from bench.sweep.checks.endpoint_checks import EndpointCheck
from bench.sweep.folder import Folder
from bench.sweep.planning.plan import Plan
from bench.wording import counted, joined, number

LabelledTexts = tuple[tuple[str, str], ...]
MACHINE = {"cpu": "Processor", "cores": "Cores", "os": "System", "kernel": "Kernel", "python": "Python"}
OBJECTIVES = {"ttft_ms": "TTFT", "tpot_ms": "TPOT", "itl_ms": "longest ITL", "e2el_ms": "E2EL"}


@dataclass(frozen=True)
class RunStory:
    """A run. `points` has a row for each measured point, `curves` what they come to, `latency` what it is charted by.

    `planned` and `environment` are labels with what stands beside them; `checks` what the preflight found. `source` is
    the source its points have in the library.
    """

    id: str
    state: str
    source: str
    title: str | None
    headline: str
    findings: tuple[str, ...]
    caveats: tuple[str, ...]
    lines: tuple[PointLine, ...]
    points: pd.DataFrame
    curves: tuple[LevelCurve, ...]
    latency: Metric
    planned: LabelledTexts
    toml: str
    environment: LabelledTexts
    checks: tuple[EndpointCheck, ...]
    sessions: pd.DataFrame
    again: Retry
    status: Mapping[str, Any]

    @property
    def simulated(self) -> bool:
        """Whether what was measured is no engine."""
        return bool(len(self.sessions)) and bool((self.sessions["evidence"] == "simulated").any())


def story(folder: Folder) -> RunStory:
    """What a sweep's folder tells, whatever state it is in.

    InputError when its plan or its journal cannot be read.
    """
    plan, journal, status = folder.plan, folder.read, folder.status
    lines = tuple(line for line, _ in sorted(journal.points, key=lambda drawn: drawn[0].number))
    drawn, latency = curves(lines), latency_of(lines)
    retry = again(plan, lines)
    state = str(status.get("state", "starting"))
    return RunStory(
        id=folder.id,
        state=state,
        source=f"sweep-{folder.id}",
        title=plan.title,
        headline=sentences.headline(plan, journal.sessions, lines, drawn, latency.key, state),
        findings=sentences.findings(plan, drawn, latency.key, journal.ends),
        caveats=sentences.caveats(journal.sessions, lines, retry, status),
        lines=lines,
        points=table(lines, drawn),
        curves=drawn,
        latency=latency,
        planned=tuple(_planned(plan)),
        toml=plan.to_toml(),
        environment=tuple(_environment(plan, journal.sessions, lines)),
        checks=tuple(
            EndpointCheck(str(check.get("name")), check.get("passed"), str(check.get("said")))
            for check in status.get("checks") or []
            if isinstance(check, Mapping)
        ),
        sessions=_sessions(journal.sessions, journal.points, journal.ends),
        again=retry,
        status=status,
    )


def _planned(plan: Plan) -> Iterator[tuple[str, str]]:
    """The plan in words; what is left to a default is in its TOML."""
    levels = list(dict.fromkeys(load for shape in plan.shapes for load in plan.levels(shape)))
    if plan.based_on:
        yield "Profile", plan.based_on
    yield "Asked", joined([shape.key for shape in plan.shapes], at_most=8)
    yield "Loads", loads_words(levels)
    if plan.search != "grid":
        yield "Search", plan.search
    if plan.repeats > 1:
        yield "Repeats", number(plan.repeats)
    yield "Each point ends after", _until(plan)
    goals = [f"{OBJECTIVES[key]} {number(most)} ms" for key, most in plan.slo.model_dump(exclude_none=True).items()]
    yield "Objectives", joined(goals) or "none stated"
    yield "Seed", "drawn at the start" if plan.seed is None else str(plan.seed)
    caps = plan.caps
    yield (
        "Never beyond",
        f"{counted(caps.requests, 'request')}, {caps.tokens:,} tokens, {number(caps.minutes)} minutes",
    )


def _until(plan: Plan) -> str:
    point = plan.point
    ends = [
        f"{number(point.duration_s)} s" if point.duration_s is not None else "",
        counted(point.requests, "request") if point.requests is not None else "",
        f"{counted(point.requests_per_concurrency, 'request')} for each under way at once"
        if point.requests_per_concurrency is not None
        else "",
        f"an estimate within {number(point.steady_within * 100)} %" if point.steady_within is not None else "",
    ]
    return joined([end for end in ends if end], "or") or "30 s, or the end of its trace"


def _environment(plan: Plan, sessions: Sequence[Session], lines: Sequence[PointLine]) -> Iterator[tuple[str, str]]:
    """What served and what measured, as far as it is known."""
    yield from _endpoint(plan)
    for session in sessions[-1:]:
        for row in fields(session.deployment):
            value = getattr(session.deployment, row.name)
            if value is not None:
                yield chart.title(row.name), chart.value_label(row.name, value)
        if session.proxy:
            yield "Answered by", f"{session.proxy}, whose own time is inside TTFT"
        if session.simulates:
            yield "Stands for", session.simulates
        if session.max_model_len:
            yield chart.title("max_model_len"), number(session.max_model_len)
        for key, label in MACHINE.items():
            if key in session.machine:
                yield f"Client: {label.lower()}", str(session.machine[key])
        yield "Client: Kneepoint", session.tool_version or "not stated"
        if session.note:
            yield "Note", session.note
    workers = sorted({line.workers for line in lines})
    if workers:
        yield "Client: load processes", joined([str(many) for many in workers], "or")
    counted_by = sorted({line.token_source for line in lines if line.token_source})
    if counted_by:
        yield "Tokens counted by", joined(["the server" if one == "usage" else one for one in counted_by])


def _endpoint(plan: Plan) -> Iterator[tuple[str, str]]:
    """Whom the plan asks, and how."""
    endpoint = plan.endpoint
    yield "Endpoint", joined(endpoint.bases) or f"{endpoint.name} of endpoints.toml"
    if len(endpoint.bases) > 1:
        yield "Requests go", f"round robin over {len(endpoint.bases)} base URLs"
    yield "Model asked for", endpoint.model
    yield "API", f"{endpoint.api}, {'streamed' if endpoint.streaming else 'not streamed'}"
    if endpoint.path is not None:
        yield "Path", endpoint.path
    if endpoint.query is not None:
        yield "Query", joined([f"{name}={value}" for name, value in endpoint.query.items()])
    if sent := [*(endpoint.headers or ()), *(endpoint.header_env or ())]:
        yield "Headers", joined(sent)


def _sessions(
    sessions: Sequence[Session], points: Sequence[tuple[PointLine, Session]], ends: Sequence[EndLine]
) -> pd.DataFrame:
    """A row for each start and resume: when, how many points, how it ended; None where its process just went."""
    rows = []
    left = sorted(ends, key=lambda end: end.at)
    for place, session in enumerate(sessions):
        until = sessions[place + 1].started if place + 1 < len(sessions) else None
        own = next((end for end in left if end.at >= session.started and (until is None or end.at < until)), None)
        rows.append(
            {
                "started": session.started,
                "points": sum(of is session for _, of in points),
                "state": own.state if own else None,
                "reason": own.reason if own else None,
                "evidence": session.evidence,
                "tool_version": session.tool_version,
            }
        )
    return pd.DataFrame(rows, columns=["started", "points", "state", "reason", "evidence", "tool_version"])
