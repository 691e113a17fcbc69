"""Locust's CSV of a run (`locust --csv`): a row for each kind of request and each event of the locustfile.

Read: Locust 1 to 2.47, `<prefix>_stats.csv` with `<prefix>_stats_history.csv` and `<prefix>_failures.csv` beside it.
The rows of POST are requests to a model; each is a point. Other methods, and the sum of all rows, are passed over.

Formulas, from locust/stats.py, clients.py and contrib/fasthttp.py (407343d):
    Response Time       request sent - answer read to its end, in ms, over ALL requests, those that failed too. Of a
                        streamed answer only to its headers, unless the locustfile says otherwise
    percentiles         of times rounded to whole ms, from 100 ms on to two digits (147 is 150): one may be above the
                        largest; mean, smallest and largest are exact
    Requests/s          all requests / (last request - start of the run, or the reset of its figures)
    Average Content Size    0 of a streamed answer without a content-length, and of OpenAIUser's
Whether times are of whole answers is not in the file. They are not where the first token took longer, nor, with answers
of no size, where they do not fill the time of the users; then they are left out.

Events have the name and the formula that the locustfile gives them. Taken are `ttft`, and an `itl` that comes more
often than requests, which is pooled gaps; one for each request might be TPOT or something else.

Tokens are not counted. Not in the file: version, model, engine, accelerator, chips, lengths.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.errors import InputError
from bench.formats.plausibility import front_door, no_more_than_all, soundness
from bench.formats.reading import (
    Fields,
    KeyShape,
    MetricCollector,
    PointMetrics,
    Reading,
    SourceFile,
    by_keys,
    companion_rows,
    csv_rows,
    day_of_seconds,
    finished,
    note_of,
)
from bench.records import Deployment, Load, Point, Refusal, Workload

NAME = "locust"
TITLE = "Locust"

STATS = KeyShape(
    tuple("Type|Name|Request Count|Failure Count|Average Response Time|Max Response Time|Requests/s".split("|")),
    ("csv",),
)
MAIN, HISTORY, FAILURES, EXCEPTIONS = "_stats.csv", "_stats_history.csv", "_failures.csv", "_exceptions.csv"
REQUEST, SUM = "POST", "Aggregated"
TEXTS = frozenset(("Type", "Method", "Name", "Error", "First Seen", "Last Seen"))

EXACT = {"Average Response Time": "mean", "Min Response Time": "min", "Max Response Time": "max"}
ROUNDED = {"Median Response Time": "p50"} | {f"{p}%": f"p{p}".replace(".", "_") for p in (75, 90, 95, 99, 99.9)}
LEFT_OUT = ("Average Content Size", "Failures/s", "50%", "66%", "80%", "98%", "99.99%", "100%")
TWO_DIGITS_MS = 10
"""A percentile below has one digit: 4.4 is 4."""
TTFT, ITL = ("ttft", "time_to_first_token"), ("itl", "inter_token_latency")
STEADY = 0.8
"""The share of a run's time that its most users are there, ramp and tail left out of it, for them to be its load."""

WELL_A_SECOND = "converted: Requests/s x (Request Count - Failure Count) / Request Count, as it counts failed ones too"
OVER_ALL = "over all requests that came so far, those that failed too"
DIGITS = "rounded by Locust to two digits (147 is 150), at most the largest; of one digit left out"
WHY_FAILURES = (
    "Locust's latencies are over all requests: those that fail at once make it look faster than it is, those that time "
    "out slower."
)
PAUSES = "users may wait between their requests (wait_time), and that is no time of the endpoint's"
STREAMED = "they end with the headers, as those of streamed answers do"

recognises = by_keys(STATS)
"""Whether the header is that of the statistics of requests."""


@dataclass(frozen=True)
class LocustRun:
    """What the requests of a run share: its users where they are one load, its day, failures, and events by metric."""

    figures: MetricCollector
    users: int | None
    day: datetime.date | None
    failures: Sequence[Fields]
    events: Mapping[str, Fields] = field(default_factory=dict)


def companions(path: Path) -> tuple[Path, ...]:
    """The course of the run, its failures and the locustfile's own exceptions, beside its statistics."""
    prefix = path.name.removesuffix(MAIN)
    beside = [path.with_name(prefix + ending) for ending in (HISTORY, FAILURES, EXCEPTIONS)]
    return tuple(one for one in beside if prefix != path.name and one.is_file())


def read(file: SourceFile) -> Reading:
    """One point for each row of POST; where there are several, the load of each is unknown.

    Raises:
        InputError: there is no such row, or a value is not what it must be.
    """
    refusals: list[Refusal] = []
    rows = [Fields(file.name, cells, where) for where, cells in _cells(file)]
    requests = [row for row in rows if row.text("Type") == REQUEST and row.count("Request Count")]
    others = [row for row in rows if row not in requests and row.text("Name") != SUM]
    if not requests:
        raise InputError(f"{file.name} counts no request in a row of Type {REQUEST}, as those to a model are.")
    users, day = _users(companion_rows(file, HISTORY, _cells, refusals))
    figures = MetricCollector(NAME, None, window="the whole run, or from the reset of Locust's figures on")
    run = LocustRun(figures, None, day, companion_rows(file, FAILURES, _cells, refusals))
    if len(requests) == 1:
        run = LocustRun(figures, users, day, run.failures, _events(others, requests[0]))
    points = [_point(row, run, None if len(requests) == 1 else row.text("Name")) for row in requests]
    strange = [f"{row.text('Type')} {row.text('Name')}" for row in others if row not in run.events.values()]
    return finished(
        file,
        points,
        figures,
        fields=requests,
        unread=strange,
        refusals=refusals,
        because=PAUSES,
        why_failures=WHY_FAILURES,
        checked=True,
    )


def _cells(file: SourceFile) -> list[tuple[str, dict[str, object]]]:
    stated = [(where, {key: cell for key, cell in row.items() if cell != "N/A"}) for where, row in csv_rows.rows(file)]
    return [(where, csv_rows.typed(row, TEXTS)) for where, row in stated]


def _users(history: Iterable[Fields]) -> tuple[int | None, datetime.date | None]:
    """The users of a run, None where they changed, and its day."""
    sums = [row for row in history if row.text("Name") == SUM]
    counts = [users for row in sums if (users := row.count("User Count"))]
    most = max(counts, default=None)
    steady = most is not None and counts.count(most) >= STEADY * len(counts)
    return most if steady else None, day_of_seconds(sums[0].number("Timestamp")) if sums else None


def _events(rows: Iterable[Fields], request: Fields) -> dict[str, Fields]:
    """The rows of events that are a latency of the catalogue, by its key."""
    events: dict[str, Fields] = {}
    for row in rows:
        name = re.sub(r"\W+", "_", row.text("Name") or "").lower()
        if name in TTFT:
            events.setdefault("ttft_ms", row)
        elif name in ITL and (row.count("Request Count") or 0) > (request.count("Request Count") or 0):
            events.setdefault("itl_ms", row)
    return events


def _point(row: Fields, run: LocustRun, kind: str | None) -> Point:
    metrics = run.figures.of_point()
    sent, failed, name = row.number("Request Count"), row.number("Failure Count"), row.text("Name")
    no_more_than_all(row.file, {"Failure Count": failed}, "Request Count", sent)
    ok = None if failed is None or sent is None else sent - failed
    metrics.file_failures(failed, ok)
    said = _file_times(row, run, metrics)
    errors = [
        f"{many:,.0f} x {(one.text('Error') or '')[:80]}"
        for one in run.failures
        if one.text("Method") == REQUEST and one.text("Name") == name and (many := one.number("Occurrences"))
    ]
    row.passed_over(*LEFT_OUT)
    return Point(
        Deployment(),
        Workload(dataset=kind),
        Load("closed", concurrency=run.users) if run.users else Load(),
        metrics,
        row.path,
        NAME,
        harness=NAME,
        date=run.day,
        note=note_of(said, f"Failed: {', '.join(errors[:5])}." if errors else None),
    )


def _file_times(row: Fields, run: LocustRun, metrics: PointMetrics) -> str | None:
    """A sentence on the times that are of no whole answer; rates and latencies are filed, held against all requests."""
    sent, rate = row.number("Request Count") or 0.0, row.number("Requests/s") or 0.0
    if rate:
        metrics.file("duration_s", sent / rate, definition="converted: Request Count / Requests/s")
    if rate and "requests_ok" in metrics:
        well = rate * metrics["requests_ok"] / sent
        metrics.file("requests_per_s", well, definition=WELL_A_SECOND)
    for key, event in run.events.items():
        _file(metrics, key, _times(event), f"the event {event.text('Name')} of the locustfile")
    whole, said = _of_whole_answers(row, run, metrics, rate)
    _file(metrics, "e2el_ms", whole, "answer read to its end - request sent")
    latencies = {key: value for key, value in metrics.items() if not key.startswith("requests_")}
    counts = [sent, *(event.number("Request Count") or 0 for event in run.events.values())]
    checked = {**latencies, "requests_ok": max(counts)}
    front_door.check(row.file, Point(Deployment(), Workload(), Load(), checked, row.path, NAME))
    return said


def _times(row: Fields) -> dict[str, float]:
    """The statistics of a row's times; a rounded one is within the smallest and the largest, which are exact."""
    times = {statistic: row.number(key) for key, statistic in EXACT.items()}
    least, most = times["min"], times["max"]
    for key, statistic in ROUNDED.items():
        value = row.number(key)
        if value is not None and value >= TWO_DIGITS_MS:
            times[statistic] = min(max(value, least or 0.0), value if most is None else most)
    return {statistic: value for statistic, value in times.items() if value is not None}


def _file(metrics: PointMetrics, base: str, times: Mapping[str, float], definition: str) -> None:
    for statistic, value in times.items():
        said = f"{definition}, {OVER_ALL}" + (f"; {DIGITS}" if statistic.startswith("p") else "")
        metrics.file(f"{base}_{statistic}", value, unit="ms", definition=said)


def _of_whole_answers(
    row: Fields, run: LocustRun, metrics: Mapping[str, float], rate: float
) -> tuple[dict[str, float], str | None]:
    """The latencies of a row as far as they are of whole answers, and a sentence on what was left out."""
    times = _times(row)
    mean, first = times.get("mean", 0.0), metrics.get("ttft_ms_mean")
    if first is not None and mean < first:
        took = f"{mean:.4g} ms on average where the first token took {first:.4g} ms"
        return {}, f"Its response times, {took}, were left out: {STREAMED}."
    busy = run.users is not None and rate * mean / 1000 >= run.users / soundness.LITTLE_TOLERANCE
    if first is None and row.number("Average Content Size") == 0 and not busy:
        return {}, f"Its response times were left out: the answers have no size, so {STREAMED}."
    sooner = [key for key, value in times.items() if value < metrics.get(f"ttft_ms_{key}", 0.0)]
    said = f"Response times below the TTFT, of requests without an answer, were left out: {', '.join(sooner)}."
    return {key: value for key, value in times.items() if key not in sooner}, said if sooner else None
