"""The journal of a sweep: one JSON line for each session and each measured point, and a result format like any other.

A line is written once its point is finished and is never changed. The first line, and the first after every resume, is
a session's: what is said there about the deployment holds for the points below it. A line that was cut off in the
middle of its writing, which only the last can be, says nothing.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.catalogue import metric
from bench.errors import InputError
from bench.formats import journal_fields as fields
from bench.formats.journal_fields import Unfit
from bench.records import Deployment, Flag, Load, Passport, Point, Refusal, Workload

if TYPE_CHECKING:
    from bench.formats import Recognition
    from bench.formats.reading import Reading, SourceFile

NAME = "journal"
TITLE = "Kneepoint sweep journal"

VERSION = 1
MARK = "kneepoint_journal"
HARNESS = "kneepoint"
FILE = "journal.jsonl"
SWEEPS = "sweeps"
"""The folder of a library's sweeps, each in a folder named by its id."""

SWEEP_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
MAX_BYTES, MAX_LINE = 2**30, 2**20
FAILED = "failed"
ONLY_FIELDS = {"extra": "forbid"}
"""A line has no field that its record has not, nor has a record in it."""

DAMAGED = "the journal was changed or damaged; put a good copy in its place, or cut it off before this line"


@dataclass(frozen=True)
class Session:
    """One run of a sweep, from a start or a resume to its end, and what was found out before its first point.

    `evidence` is simulated when the endpoint says that it is; `simulates` is then what it stands for. `started` is
    an ISO time in UTC. `machine` is what sent the load: cpu, cores, os, kernel, python.
    `proxy` is what answers in the engine's place, and `base_urls` over how many URLs requests go round.
    `usd_per_accelerator_hour` is what the plan says an hour of one accelerator costs.
    """

    __pydantic_config__ = ONLY_FIELDS

    sweep: str
    started: str
    deployment: Deployment
    tool_version: str | None = None
    evidence: str = "measured"
    simulates: str | None = None
    proxy: str | None = None
    base_urls: int = 1
    title: str | None = None
    profile: str | None = None
    api: str | None = None
    streaming: bool = True
    seed: int | None = None
    max_model_len: int | None = None
    note: str | None = None
    usd_per_accelerator_hour: float | None = None
    machine: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class PointLine:
    """One point that was under load. `metrics` is its steady state and `whole` the run with warm-up and drain, by
    catalogue keys.

    `state` is measured, or failed where so few requests ended well that it has no figure; `error` then says what they
    ended in, and a later line may be about the same point. `requests_ok`, `requests_failed`, `warmup_ok`,
    `warmup_failed` and `cancelled` add up to `requests_sent`; `failures` counts all that failed by their kinds.
    `refused` are those that the endpoint answered with 429 or 503, `rested_s` how long the places of a closed loop
    waited after these and other failures, all together.

    `isl` and `osl` are the lengths as the plan writes them, `workload` what they come to in tokens. `telemetry` is
    what the engine said of itself meanwhile, `samples` the file of its requests, beside the journal. `window_s` is
    how long the steady state is, and `window_start_s` where it begins, in seconds since the point's start.
    """

    __pydantic_config__ = ONLY_FIELDS

    number: int
    key: str
    load: Load
    workload: Workload
    metrics: Mapping[str, float]
    repeat: int = 1
    isl: str | None = None
    osl: str | None = None
    started: str | None = None
    seconds: float | None = None
    why_not_steady: str | None = None
    window_s: float | None = None
    window_start_s: float | None = None
    whole: Mapping[str, float] = field(default_factory=dict)
    requests_ok: int = 0
    requests_failed: int = 0
    warmup_ok: int = 0
    warmup_failed: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    state: str = "measured"
    error: str | None = None
    refused: int = 0
    rested_s: float | None = None
    cancelled: int = 0
    timed: int = 0
    tokens_asked: int = 0
    requests_sent: int = 0
    token_source: str | None = None
    workers: int = 1
    flags: tuple[Flag, ...] = ()
    telemetry: Mapping[str, Any] = field(default_factory=dict)
    client: Mapping[str, float] = field(default_factory=dict)
    samples: str | None = None

    @property
    def measured(self) -> bool:
        """Whether it has a figure."""
        return self.state != FAILED


@dataclass(frozen=True)
class EndLine:
    """How a session ended: done, stopped, cancelled or failed, and why in a sentence."""

    __pydantic_config__ = ONLY_FIELDS

    state: str
    reason: str
    at: str
    sustained: tuple[Mapping[str, Any], ...] = ()


JournalLine = Session | PointLine | EndLine


@dataclass(frozen=True)
class Journal:
    """A journal as it was read: points with the session each belongs to, and how many of its bytes hold whole lines.

    Of a point that failed and was asked for again only the last line is in `points`, those before it are in `repeated`.
    `cut` is the number of a last line that has no end; None where there is none.
    """

    sessions: tuple[Session, ...]
    points: tuple[tuple[PointLine, Session], ...]
    ends: tuple[EndLine, ...]
    whole_bytes: int
    cut: int | None = None
    repeated: tuple[PointLine, ...] = ()

    @property
    def measured(self) -> tuple[tuple[PointLine, Session], ...]:
        """The points that have a figure."""
        return tuple((line, session) for line, session in self.points if line.measured)


def encode(line: JournalLine) -> bytes:
    """The line's bytes, its end included; what is absent is left out."""
    stated = _plain(dataclasses.asdict(line))
    if isinstance(line, Session):
        stated = {MARK: VERSION, **stated}
    else:
        stated = {"line": "point" if isinstance(line, PointLine) else "end", **stated}
    return json.dumps(stated, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def decode(path: Path) -> Journal:
    """What a journal says.

    Raises:
        InputError: a line is not ours, or two are about one point.
    """
    sessions: list[Session] = []
    points: dict[str, tuple[PointLine, Session]] = {}
    ends: list[EndLine] = []
    repeated: list[PointLine] = []
    numbers: set[int] = set()
    whole, cut = 0, None
    for place, raw in _lines(path):
        if not raw.endswith(b"\n"):
            cut = place
            break
        where = f"{path.name}, line {place}"
        line = _decoded(where, raw)
        whole += len(raw)
        if isinstance(line, Session):
            sessions.append(line)
        elif not sessions:
            raise InputError(f"{where}, comes before any session; a journal begins with one.")
        elif isinstance(line, EndLine):
            ends.append(line)
        elif line.number in numbers or (line.key in points and points[line.key][0].measured):
            raise InputError(f"{where}, is about point {line.number}, which an earlier line is about already.")
        else:
            if line.key in points:
                repeated.append(points.pop(line.key)[0])
            points[line.key] = (line, sessions[-1])
            numbers.add(line.number)
    return Journal(tuple(sessions), tuple(points.values()), tuple(ends), whole, cut, tuple(repeated))


def recognises(file: SourceFile) -> Recognition:
    """Whether the file begins with the line of a session."""
    from bench.formats import Recognition

    first = file.head.partition(b"\n")[0]
    if first.startswith(f'{{"{MARK}":'.encode()):
        return Recognition(10, f"its first line has {MARK}")
    return Recognition(0, f"its first line has no {MARK}")


def read(file: SourceFile) -> Reading:
    """The points of a sweep, finished or not: origin own, evidence as their session says, rates per chip derived.

    A point that failed has no figure: it is refused, with what its requests ended in.
    """
    journal = decode(file.path)
    if not journal.measured:
        raise InputError(f"{file.name} has no measured point yet.")
    result = reading(journal, file.name)
    for line, _ in journal.points:
        if not line.measured:
            reason = f"Point {line.number} failed: {line.error or 'no request succeeded'}"
            result.refusals.append(Refusal(file.name, reason, line.number))
    if journal.cut is not None:
        result.refusals.append(
            Refusal(file.name, "The line was cut off while it was written: its point is not known.", journal.cut)
        )
    return result


def reading(journal: Journal, name: str) -> Reading:
    """The points of a journal that has some, checked and judged as a result file's; `name` is the file's.

    One whose figures cannot be true together is refused alone: the sweep may still be running.
    """
    from bench.formats.plausibility import front_door
    from bench.formats.reading.point_table import Reading, passports_table, points_table

    first = journal.sessions[0]
    points, refusals = [], []
    for line, session in journal.measured:
        try:
            points.append(front_door.admitted(name, _point(line, session)))
        except InputError as problem:
            refusals.append(Refusal(name, str(problem), line.number))
    if not points:
        raise InputError(f"{name} has no point that could be taken: {refusals[0].reason}")
    keys = dict.fromkeys(key for line, _ in journal.measured for key in line.metrics)
    about = {"title": first.title} if first.title else {}
    return Reading(
        NAME,
        points_table(points),
        passports=passports_table([_passport(key, journal) for key in keys]) if keys else None,
        tool_version=first.tool_version,
        refusals=refusals,
        about=about,
        usd_per_accelerator_hour=next(
            (one.usd_per_accelerator_hour for one in reversed(journal.sessions) if one.usd_per_accelerator_hour), None
        ),
    )


def sweep_of(path: Path) -> str | None:
    """The id of the sweep whose journal this is; None when it is none."""
    try:
        with path.open("rb") as stream:
            stated = json.loads(stream.readline(MAX_LINE))
    except (OSError, ValueError, RecursionError):
        return None
    sweep = stated.get("sweep") if isinstance(stated, dict) and MARK in stated else None
    return sweep if isinstance(sweep, str) else None


def _point(line: PointLine, session: Session) -> Point:
    return Point(
        deployment=session.deployment,
        workload=dataclasses.replace(line.workload, max_model_len=session.max_model_len),
        load=line.load,
        metrics=line.metrics,
        locator=f"point {line.number}",
        source=f"sweep-{session.sweep}",
        evidence="simulated" if session.evidence == "simulated" else "measured",
        origin="own",
        harness=HARNESS,
        harness_version=session.tool_version,
        date=_day(line.started or session.started),
        repeat=line.repeat,
        note=session.note,
        flags=line.flags,
    )


def _passport(key: str, journal: Journal) -> Passport:
    sources = {line.token_source for line, _ in journal.measured if line.token_source}
    return Passport(
        metric=key,
        format=NAME,
        tool_version=journal.sessions[0].tool_version,
        unit_in_file=metric(key).unit,
        window="steady state, warm-up and drain cut off",
        token_source=" and ".join(sorted(sources)) or None,
    )


def _day(moment: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(moment[:10])
    except ValueError:
        return None


def _plain(value: Any) -> Any:
    """The value in JSON's types, without what is absent, empty or not finite."""
    if isinstance(value, Mapping):
        found = {str(key): _plain(inner) for key, inner in value.items()}
        return {key: inner for key, inner in found.items() if inner not in (None, {}, [])}
    if isinstance(value, tuple | list):
        return [_plain(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Every line with its number; only the last may have no end."""
    try:
        with path.open("rb") as stream:
            if path.stat().st_size > MAX_BYTES:
                raise InputError(f"{path.name} is larger than {MAX_BYTES:,} bytes; no sweep is.")
            place = 0
            while raw := stream.readline(MAX_LINE + 1):
                place += 1
                if len(raw) > MAX_LINE:
                    raise InputError(f"{path.name}, line {place}, is longer than {MAX_LINE:,} bytes: {DAMAGED}.")
                yield place, raw
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}.") from problem


def _decoded(where: str, raw: bytes) -> JournalLine:
    try:
        stated = json.loads(raw)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{where}, is not valid JSON: {DAMAGED}.") from problem
    if not isinstance(stated, dict):
        raise InputError(f"{where}, is no line of a journal: {DAMAGED}.")
    try:
        if MARK in stated:
            _demand_version(stated.pop(MARK))
            return _session(stated)
        kind = stated.pop("line", None)
        if kind == "point":
            return fields.record(PointLine, stated)
        if kind == "end":
            return fields.record(EndLine, stated)
        raise Unfit(f"is neither a session nor a point nor an end: {DAMAGED}")
    except Unfit as problem:
        raise InputError(f"{where}, {problem}.") from problem
    except RecursionError as problem:
        raise InputError(f"{where}, is nested too deep: {DAMAGED}.") from problem


def _demand_version(version: object) -> None:
    """Raise the error that fits a version of another kind of line, the future's as such."""
    if isinstance(version, int) and version > VERSION:
        raise Unfit(f"is of version {version}, and this Kneepoint reads up to {VERSION}: read it with a newer one")
    if version != VERSION or isinstance(version, bool):
        raise Unfit(f"is of the version {str(version)[:40]!r}, which there never was: {DAMAGED}")


def _session(stated: dict[str, Any]) -> Session:
    found = fields.record(Session, stated)
    if found.evidence not in ("measured", "simulated"):
        raise Unfit(f"has the evidence {found.evidence[:40]!r}; a sweep measures or simulates")
    return found
