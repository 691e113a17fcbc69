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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

from bench.catalogue import is_metric, metric
from bench.errors import InputError
from bench.records import Deployment, Flag, Load, LoadKind, Passport, Point, Workload

if TYPE_CHECKING:
    from bench.formats import Recognition
    from bench.formats.reading import Reading, SourceFile

NAME = "journal"
TITLE = "Kneepoint sweep journal"

VERSION = 1
MARK = "kneepoint_journal"
HARNESS = "kneepoint"
FILE = "journal.jsonl"
MAX_BYTES, MAX_LINE = 2**30, 2**20
MAX_TEXT = 1000
MOST = 2.0**53

Record = TypeVar("Record")


@dataclass(frozen=True)
class Session:
    """One run of a sweep, from a start or a resume to its end, and what was found out before its first point.

    `evidence` is simulated when the endpoint says that it is; `simulates` is then what it stands for. `started` is
    an ISO time in UTC. `machine` is what sent the load: cpu, cores, os, kernel, python.
    """

    sweep: str
    started: str
    deployment: Deployment
    tool_version: str | None = None
    evidence: str = "measured"
    simulates: str | None = None
    title: str | None = None
    profile: str | None = None
    api: str | None = None
    streaming: bool = True
    seed: int | None = None
    max_model_len: int | None = None
    note: str | None = None
    machine: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True)
class PointLine:
    """One measured point. `metrics` is its steady state and `whole` the run with warm-up and drain, by catalogue keys.

    `isl` and `osl` are the lengths as the plan writes them, `workload` what they come to in tokens. `telemetry` is
    what the engine said of itself meanwhile, `samples` the file of its requests, beside the journal. `window_s` is
    how long the steady state is, and `window_start_s` where it begins, in seconds since the point's start.
    """

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
    failures: Mapping[str, int] = field(default_factory=dict)
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


@dataclass(frozen=True)
class EndLine:
    """How a session ended: done, stopped, cancelled or failed, and why in a sentence."""

    state: str
    reason: str
    at: str
    sustained: tuple[Mapping[str, Any], ...] = ()


Line = Session | PointLine | EndLine


@dataclass(frozen=True)
class Journal:
    """A journal as it was read: points with the session each belongs to, and how many of its bytes hold whole lines."""

    sessions: tuple[Session, ...]
    points: tuple[tuple[PointLine, Session], ...]
    ends: tuple[EndLine, ...]
    whole_bytes: int


def encode(line: Line) -> bytes:
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
    points: dict[int, tuple[PointLine, Session]] = {}
    ends: list[EndLine] = []
    keys: set[str] = set()
    whole = 0
    for place, raw in _lines(path):
        where = f"{path.name}, line {place}"
        line = _decoded(where, raw)
        whole += len(raw)
        if isinstance(line, Session):
            sessions.append(line)
        elif not sessions:
            raise InputError(f"{where}, comes before any session; a journal begins with one.")
        elif isinstance(line, EndLine):
            ends.append(line)
        elif line.number in points or line.key in keys:
            raise InputError(
                f"{where}, is about point {line.number}, which an earlier line is about already."
            )
        else:
            points[line.number] = (line, sessions[-1])
            keys.add(line.key)
    return Journal(tuple(sessions), tuple(points.values()), tuple(ends), whole)


def recognises(file: SourceFile) -> Recognition:
    """Whether the file begins with the line of a session."""
    from bench.formats import Recognition

    first = file.head.partition(b"\n")[0]
    if first.startswith(f'{{"{MARK}":'.encode()):
        return Recognition(10, f"its first line has {MARK}")
    return Recognition(0, f"its first line has no {MARK}")


def read(file: SourceFile) -> Reading:
    """The points of a sweep, finished or not: origin own, evidence as their session says, rates per chip derived."""
    from bench.formats.reading import Reading, passports_table, points_table

    journal = decode(file.path)
    if not journal.points:
        raise InputError(f"{file.name} has no finished point yet.")
    first = journal.sessions[0]
    keys = dict.fromkeys(key for line, _ in journal.points for key in line.metrics)
    about = {"title": first.title} if first.title else {}
    return Reading(
        NAME,
        points_table([_point(line, session) for line, session in journal.points]),
        passports=passports_table([_passport(key, journal) for key in keys]) if keys else None,
        tool_version=first.tool_version,
        about=about,
    )


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
    sources = {line.token_source for line, _ in journal.points if line.token_source}
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
    """Every whole line with its number; one without an end was cut off while it was written."""
    try:
        with path.open("rb") as stream:
            if path.stat().st_size > MAX_BYTES:
                raise InputError(f"{path.name} is larger than {MAX_BYTES:,} bytes; no sweep is.")
            place = 0
            while raw := stream.readline(MAX_LINE + 1):
                place += 1
                if not raw.endswith(b"\n"):
                    if len(raw) > MAX_LINE:
                        raise InputError(f"{path.name}, line {place}, is longer than {MAX_LINE:,} bytes.")
                    return
                yield place, raw
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}.") from problem


def _decoded(where: str, raw: bytes) -> Line:
    try:
        stated = json.loads(raw)
    except (ValueError, RecursionError) as problem:
        raise InputError(f"{where}, is not valid JSON: the journal was changed or damaged.") from problem
    if not isinstance(stated, dict):
        raise InputError(f"{where}, is no line of a journal.")
    try:
        if MARK in stated:
            if stated.pop(MARK) != VERSION:
                raise _Unfit(f"is of another version than {VERSION}: read it with a newer Kneepoint")
            return _session(stated)
        kind = stated.pop("line", None)
        if kind == "point":
            return _point_line(stated)
        if kind == "end":
            return _record(EndLine, stated, sustained=_maps)
        raise _Unfit("is neither a session nor a point nor an end")
    except _Unfit as problem:
        raise InputError(f"{where}, {problem}.") from problem


class _Unfit(ValueError):
    """Something in a line that cannot be; the message continues "line 3, "."""


def _session(stated: dict[str, Any]) -> Session:
    found = _record(Session, stated, deployment=_deployment, machine=_words)
    if found.evidence not in ("measured", "simulated"):
        raise _Unfit(f"has the evidence {found.evidence[:40]!r}; a sweep measures or simulates")
    return found


def _point_line(stated: dict[str, Any]) -> PointLine:
    return _record(
        PointLine,
        stated,
        load=_load,
        workload=lambda value: _record(Workload, _table(value)),
        metrics=_metrics,
        whole=_metrics,
        failures=_counts,
        flags=lambda value: tuple(_record(Flag, _table(row)) for row in _maps(value)),
        telemetry=_table,
        client=_numbers,
    )


def _record(kind: type[Record], stated: dict[str, Any], **readers: Callable[[Any], Any]) -> Record:
    """A record of these fields: plain ones by the type they are annotated with, the others by their readers."""
    hints = get_type_hints(kind)
    found: dict[str, Any] = {}
    for key, value in stated.items():
        if key not in hints:
            raise _Unfit(f"has the field {key[:40]!r}, which no {kind.__name__} has")
        found[key] = readers[key](value) if key in readers else _value(key, value, hints[key])
    try:
        return kind(**found)
    except TypeError:
        needed = {row.name for row in dataclasses.fields(kind)  # type: ignore[arg-type]
                  if row.default is dataclasses.MISSING and row.default_factory is dataclasses.MISSING}  # fmt: skip
        raise _Unfit(f"lacks {', '.join(sorted(needed - found.keys()))}") from None


def _value(key: str, value: Any, hint: Any) -> Any:
    kinds = get_args(hint) or (hint,)
    if isinstance(value, bool):
        fits = bool in kinds
    elif isinstance(value, int | float):
        fits = (float in kinds or (int in kinds and isinstance(value, int))) and 0 <= value <= MOST
        value = float(value) if int not in kinds and fits else value
    else:
        fits = isinstance(value, str) and str in kinds and len(value) <= MAX_TEXT and "\0" not in value
    if not fits:
        raise _Unfit(f"has {key} {str(value)[:40]!r}, which cannot be")
    return value


def _deployment(value: Any) -> Deployment:
    return _record(Deployment, _table(value))


def _load(value: Any) -> Load:
    table = _table(value)
    kind = table.pop("load_kind", "unknown")
    if kind not in get_args(LoadKind):
        raise _Unfit(f"has the load kind {str(kind)[:40]!r}")
    return dataclasses.replace(_record(Load, table), load_kind=kind)


def _metrics(value: Any) -> dict[str, float]:
    found = _numbers(value)
    for key in found:
        if not is_metric(key):
            raise _Unfit(f"has the metric {key[:40]!r}, which the catalogue does not know")
    return found


def _numbers(value: Any) -> dict[str, float]:
    return {key: float(_value(key, inner, float)) for key, inner in _table(value).items()}


def _words(value: Any) -> dict[str, str | int]:
    return {key: _value(key, inner, str | int) for key, inner in _table(value).items()}


def _counts(value: Any) -> dict[str, int]:
    return {key: _value(key, inner, int) for key, inner in _table(value).items()}


def _maps(value: Any) -> tuple[dict[str, Any], ...]:
    if not isinstance(value, list) or len(value) > 1000:
        raise _Unfit("has something else where a list belongs")
    return tuple(_table(row) for row in value)


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > 1000:
        raise _Unfit("has something else where an object belongs")
    return value
