"""The deployments of a selection that were measured at more than one time, each with its runs in their order."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bench.basis import evidence, points
from bench.basis.evidence import PointTally, Ranking, Reason
from bench.basis.load_curves import LOAD
from bench.basis.points import PointFacts
from bench.chart import deployment_words, value_label
from bench.library import Library
from bench.library.newest_runs import LINE
from bench.library.runs import RUN_GAP_DAYS
from bench.questions.history.result import Measurement, Run
from bench.wording import number

METRICS = (
    "output_tokens_per_s_per_accelerator",
    "output_tokens_per_s",
    "total_tokens_per_s",
    "requests_per_s",
    "tpot_ms_p50",
    "tpot_ms_mean",
    "itl_ms_p50",
    "ttft_ms_p50",
    "ttft_ms_mean",
    "ttft_ms_p99",
    "e2el_ms_p50",
    "e2el_ms_mean",
)
"""What a history can be of, the most asked for first."""

OF_METHOD = ("variant", "source", "harness", "evidence")
DEPLOYED = tuple(name for name in LINE if name not in OF_METHOD)
"""What the runs of one history have in common: the deployment without its engine's version, the workload and the kind
of load. How it was measured may change."""

LINE_SQL = f"hash({', '.join(DEPLOYED)})"
MOST_POINTS = 50_000
"""So many points are read, the newest first."""

OWN = len(points.COLUMNS) + len(DEPLOYED)
"""From this column on a row that is read holds a measurement's own figures."""

PER_USER = ("interactivity_tokens_per_s_per_user_p50", "interactivity_tokens_per_s_per_user_mean")
REQUESTS = "requests_ok"
DOUBT = "methodology"
"""The flag of a doubtful method."""


@dataclass(frozen=True)
class DeploymentHistory:
    """One deployment under one workload: a short name for links, what its runs have in common, and they in order."""

    code: str
    values: Mapping[str, Any]
    runs: tuple[Run, ...]

    @property
    def facts(self) -> PointFacts:
        """The facts of its newest measurement."""
        return next(iter(self.runs[-1].points.values())).facts

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """What two runs state at one load, the most asked for first; else what any states."""
        counts: Counter[tuple[str, float]] = Counter(
            (metric, load) for run in self.runs for load, one in run.points.items() for metric in one.metrics
        )
        twice = {metric for (metric, _), many in counts.items() if many > 1}
        return tuple(metric for metric in METRICS if metric in (twice or {metric for metric, _ in counts}))

    @cached_property
    def filled(self) -> int:
        """How many values of its first metric stand beside another of the same load."""
        first = self.metrics[:1]
        counts = Counter(
            load for run in self.runs for load, one in run.points.items() if {*first} <= one.metrics.keys()
        )
        return sum(many for many in counts.values() if many > 1)


@dataclass(frozen=True)
class Histories:
    """Every history of a selection, the best filled first, and what became of the selected points."""

    lines: tuple[DeploymentHistory, ...]
    ranking: Ranking

    @cached_property
    def labels(self) -> dict[str, str]:
        """The words for each by its code; where those of two are the same, with what else tells them apart."""
        common = dict.fromkeys(("model", "precision", "engine_version", "variant"))
        words = {one.code: deployment_words(one.facts.row | common) for one in self.lines}
        alike: dict[str, list[DeploymentHistory]] = defaultdict(list)
        for one in self.lines:
            alike[words[one.code]].append(one)
        for text, own in alike.items():
            unlike = [name for name in DEPLOYED if len({str(one.values[name]) for one in own}) > 1]
            for one in own if len(own) > 1 else ():
                further = [_further(one, name) for name in unlike[:3]]
                words[one.code] = f"{text}, {', '.join(further)}"
        return words

    def line(self, code: str) -> DeploymentHistory | None:
        """The history with this name; None where the selection has none such."""
        return next((one for one in self.lines if one.code == code), None)


def usable_sql(library: Library) -> str:
    """The DuckDB condition of a point that can stand in a history; never NULL."""
    return " AND ".join(f"NOT ({one.sql})" for one in _lacking(library))


def again_sql(library: Library) -> str:
    """The DuckDB condition of a point whose deployment was measured on two dates or more."""
    measured = f"SELECT {LINE_SQL} FROM points WHERE evidence = 'measured' AND {usable_sql(library)}"
    return f"{usable_sql(library)} AND {LINE_SQL} IN ({measured} GROUP BY 1 HAVING min(date) < max(date))"


def histories(library: Library, ranked: Ranking) -> Histories:
    """Every history of the points that are ranked."""
    held = [key for key in (*METRICS, *PER_USER, REQUESTS) if library.has(key)]
    chosen = evidence.ranked(library, ranked).also(usable_sql(library))
    columns = (*points.COLUMNS, *DEPLOYED, "harness_version", "load", *held)
    figures = "".join(f', "{key}"' for key in held)
    rows = library.fetch(
        f"WITH held AS (SELECT {points.SQL}, {', '.join(f'{name} AS of_{name}' for name in DEPLOYED)},"
        f" harness_version, {LOAD} AS load{figures}, {LINE_SQL} AS line FROM points WHERE {chosen.sql})"
        " SELECT * EXCLUDE (line) FROM held WHERE line IN (SELECT line FROM held GROUP BY line"
        f" HAVING min(date) < max(date)) ORDER BY date DESC, point_id LIMIT {MOST_POINTS}",
        chosen.params,
    )
    first = len(points.COLUMNS)
    grouped: dict[tuple[Any, ...], list[Measurement]] = defaultdict(list)
    for row in rows:
        grouped[row[first : first + len(DEPLOYED)]].append(_measurement(row, columns))
    lines = [_line(key, own) for key, own in grouped.items()]
    kept = [one for one in lines if one.filled]
    return Histories(
        tuple(sorted(kept, key=lambda one: (-one.filled, -one.runs[-1].date.toordinal(), one.code))), ranked
    )


def tally(library: Library, ranked: Ranking, line: DeploymentHistory | None, metric: str) -> PointTally:
    """What becomes of every selected point: those of the history that is shown are used, and why the others are not."""
    shown = {one.facts.point_id for run in line.runs for one in run.points.values()} if line else set()
    used = {id for run in line.runs for id, own in run.ids(metric) if own} if line else set()
    other = ("other_deployment", "of other deployments") if line else ("no_load_twice", "at loads of one run alone")
    further = (
        *_lacking(library),
        Reason("once", "of deployments measured once", f"NOT ({again_sql(library)})"),
        Reason(*other, f"NOT ({points.AMONG})", (sorted(shown),)),
        Reason("no_metric", "without this metric", f"NOT ({points.AMONG})", (sorted(used),)),
    )
    return evidence.tally(library, ranked, further)


def _lacking(library: Library) -> tuple[Reason, ...]:
    """Why a point can stand in no history."""
    stated = " OR ".join(f'"{key}" IS NOT NULL' for key in METRICS if library.has(key)) or "FALSE"
    return (
        Reason("undated", "without a date", "date IS NULL"),
        Reason("no_load", "without a load that is a number", f"coalesce({LOAD}, 0) <= 0"),
        Reason("no_figure", "without throughput or latency", f"NOT ({stated})"),
    )


def _measurement(row: Sequence[Any], columns: Sequence[str]) -> Measurement:
    facts = PointFacts(*row[: len(points.COLUMNS)])
    rest = dict(zip(columns[OWN:], row[OWN:], strict=True))
    load = float(rest["load"])
    metrics = {key: float(rest[key]) for key in METRICS if rest.get(key) and rest[key] > 0}
    user = next((float(rest[key]) for key in PER_USER if rest.get(key)), None)
    if user is None and facts.load_kind == "batch" and "output_tokens_per_s" in metrics:
        user = metrics["output_tokens_per_s"] / load  # every sequence of a static batch gets a token each step
    return Measurement(
        facts,
        facts.date or datetime.date.min,
        load,
        metrics,
        user,
        rest["harness_version"],
        rest.get(REQUESTS),
        _doubts(facts),
    )


def _doubts(facts: PointFacts) -> tuple[str, ...]:
    """What its flags say of the method of a measurement."""
    if DOUBT not in facts.flag_kinds or not facts.flags:
        return ()
    return tuple(str(one.get("seen", "")) for one in json.loads(facts.flags) if one.get("kind") == DOUBT)


def _line(key: tuple[Any, ...], own: Iterable[Measurement]) -> DeploymentHistory:
    code = hashlib.sha256(json.dumps(key, default=str).encode()).hexdigest()[:12]
    runs = sorted(_runs(own), key=lambda run: (run.date, run.version or "", run.variant or "", run.address))
    same: Counter[Any] = Counter()
    for place, run in enumerate(runs):
        same[run.date] += 1
        many = same[run.date]
        runs[place] = replace(run, name=f"{run.date}" if many == 1 else f"{run.date}.{many}")
    return DeploymentHistory(code, dict(zip(DEPLOYED, key, strict=True)), tuple(runs))


def _runs(own: Iterable[Measurement]) -> Iterator[Run]:
    """The runs of a deployment: points of one address, version and method, until a load comes again or after a gap."""
    grouped: dict[tuple[Any, ...], list[Measurement]] = defaultdict(list)
    for one in own:
        facts = one.facts
        address = facts.source_url or facts.source_id or ""
        method = (facts.source, facts.harness, one.harness_version, facts.variant, facts.evidence)
        grouped[address, facts.engine_version, *method].append(one)
    for (address, version, source, *_, variant, _), measured in grouped.items():
        held: dict[float, Measurement] = {}
        last = datetime.date.min
        for one in sorted(measured, key=lambda one: (one.date, one.load, one.facts.point_id)):
            if held and (one.load in held or (one.date - last).days > RUN_GAP_DAYS):
                yield Run(last, version, address, source, variant, held)
                held = {}
            held[one.load], last = one, one.date
        yield Run(last, version, address, source, variant, held)


def _further(line: DeploymentHistory, name: str) -> str:
    """What else tells a deployment apart: a column and its value, of the workload its lengths."""
    if name != "workload_id":
        return f"{name.replace('_', ' ')} {value_label(name, line.values[name])}"
    facts = line.facts
    lengths = (
        ("in", facts.isl),
        ("out", facts.osl),
        ("of context", facts.context_tokens),
        ("at most", facts.max_model_len),
    )
    stated = [f"{number(float(value))} {word}" for word, value in lengths if value is not None]
    return " / ".join([*stated, *([facts.dataset] if facts.dataset else [])]) or "lengths not stated"
