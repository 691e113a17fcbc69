"""The points of a View held against their ceilings: what each used, and what bound it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any

from bench import names, selection
from bench.basis import evidence, memory, points, roofline
from bench.basis.evidence import PointTally, Ranking, Reason
from bench.basis.points import PointFacts
from bench.basis.roofline import Deployed, RooflinePhase, ServedLoad, ServedModel, Use
from bench.library import Library
from bench.maths.roofline import Binding, bound_by
from bench.questions.roofline.result import HeldPoint, Rig, StepBreakdown, StepPart

MOST_POINTS = 20_000
"""So many points are held against their ceilings, those with most output for each chip first; the rest is counted."""

LIGHT = 8
"""A step that at most so many requests share is nearly empty: what it takes beyond its least time, every step takes."""

WHOLE = "step"
"""The part that is all of a step."""

OF_A_STEP = ("model", "precision", "kv_precision", "accelerator", "accelerators", "tp", "batch", "context_tokens")

TOO_MANY = "too_many"
DRAWN = (evidence.USED, "flagged", "other_evidence")
"""What becomes of the points that are drawn: ranked, or hollow for a flag or their evidence."""


def reasons(library: Library, phase: RooflinePhase) -> tuple[Reason, ...]:
    """Why a ranked point is held against no ceiling."""
    *_, step, first = roofline.load_sql(library)
    lacking = {
        "decode": (Reason("no_step", "without TPOT, ITL or step time", f"({step}) IS NULL"),),
        "prefill": (Reason("no_ttft", "without TTFT or input length", f"({first}) IS NULL OR isl IS NULL"),),
    }
    return (*roofline.reasons(library), *lacking.get(phase, ()))


def usable_sql(library: Library, phase: RooflinePhase) -> str:
    """The DuckDB condition of a point that is held against a ceiling; never NULL."""
    return " AND ".join(f"NOT ({one.sql})" for one in reasons(library, phase))


def tally(library: Library, ranking: Ranking, phase: RooflinePhase, entering: int) -> PointTally:
    """What becomes of every selected point, of which so many enter; the other usable ones have no ceiling at all."""
    counted = evidence.tally(library, ranking, reasons(library, phase))
    beyond = max(0, counted.used - MOST_POINTS)
    further = {
        Reason(TOO_MANY, f"beyond the {MOST_POINTS:,} with most output for each chip", "FALSE"): beyond,
        Reason("no_ceiling", "without batch and peak", "FALSE"): counted.used - beyond - entering,
    }
    more = {one: many for one, many in further.items() if many}
    counts = {**counted.counts, evidence.USED: entering, **{one.code: many for one, many in more.items()}}
    return PointTally({code: many for code, many in counts.items() if many}, (*counted.reasons, *more))


@dataclass(frozen=True)
class FetchedPoint:
    """A point as it is drawn, with the deployment it lies on and its series."""

    facts: PointFacts
    load: ServedLoad
    deployed: Deployed
    model: ServedModel
    series: str
    enters: bool


def fetched(library: Library, ranking: Ranking, phase: RooflinePhase) -> list[FetchedPoint]:
    """The points that are drawn, those that enter first, then those with most output for each chip."""
    every = (*evidence.reasons(library, ranking), *reasons(library, phase), *evidence.limit_reasons(library, ranking))
    code, chosen = evidence.standing(every), selection.clause(ranking.view)
    loads = zip(ServedLoad._fields, roofline.load_sql(library), strict=True)
    rows = library.fetch(
        f"SELECT * FROM (SELECT {code.sql} AS code, series_id, dp_attention, checkpoint,"
        f" {', '.join(f'{sql} AS load_{key}' for key, sql in loads)}, {points.SQL}"
        f" FROM points WHERE {chosen.sql} AND {usable_sql(library, phase)}) WHERE code IN {DRAWN}"
        f" ORDER BY code <> '{evidence.USED}', load_rate / accelerators DESC, point_id LIMIT {MOST_POINTS}",
        (*code.params, *chosen.params),
    )
    return list(_fetched(library, rows))


def _fetched(library: Library, rows: Iterable[Sequence[Any]]) -> Iterator[FetchedPoint]:
    served = cache(lambda deployed: roofline.served_model(library, deployed))
    many = len(ServedLoad._fields)
    for code, series, dp_attention, checkpoint, *values in rows:
        load, one = ServedLoad(*values[:many]), PointFacts(*values[many:])
        precision = memory.weight_format(one.precision or "", [checkpoint])
        deployed = Deployed(
            one.model or "", precision, one.kv_precision, one.accelerator or "", one.accelerators or 1,
            one.tp, one.dp, dp_attention,
        )  # fmt: skip
        model = served(deployed)
        if model is not None:
            yield FetchedPoint(one, load, deployed, model, series, code == evidence.USED)


def held(found: Sequence[FetchedPoint], phase: RooflinePhase) -> tuple[HeldPoint, ...]:
    """Each point against its ceiling, with what bound it; left out are those whose limits are not known at all."""
    uses = [(one, roofline.use(one.model, one.load, phase)) for one in found]
    steps = {} if phase == "prefill" else _overheads(found)
    return tuple(
        _held(one, use, phase, steps.get(one.series)) for one, use in uses if use is not None and use.least.per_s
    )


def _held(one: FetchedPoint, use: Use, phase: RooflinePhase, overhead: float | None) -> HeldPoint:
    shares = dict(_shares(one, use, phase, overhead))
    line = None if phase == "prefill" else roofline.bound(one.model, one.load).per_s
    if phase == "decode" and line is not None:
        line = roofline.bound(one.model, one.load._replace(isl=None)).per_s
    return HeldPoint(
        one.facts,
        one.load,
        use,
        line,
        shares,
        None if use.share > 1 else bound_by(shares),
        one.enters,
        8 * one.model.sizes.cached if one.load.context and not one.model.has_stated_cache else None,
    )


def _shares(
    one: FetchedPoint, use: Use, phase: RooflinePhase, overhead: float | None
) -> Iterator[tuple[Binding, float]]:
    """The least shares of a point's time that memory, compute units and what every step takes were busy with.

    And of a closed loop's requests the share of their time before their first token. What nobody knows is left out.
    """
    if use.bandwidth is not None:
        yield "bandwidth", use.bandwidth
    if use.compute is not None:
        yield "compute", use.compute
    latency = use.rate * use.least.exchange
    if use.requests is not None and overhead is not None:
        latency = min(latency + overhead * use.rate / use.requests, 1.0)
    if latency:
        yield "latency", latency
    if phase == "prefill":
        return
    if one.facts.load_kind == "closed" and one.load.requests and one.load.step_ms:
        yield "scheduling", max(0.0, 1 - one.load.rate * one.load.step_ms / 1000 / one.load.requests)


def _overheads(points: Iterable[FetchedPoint]) -> Mapping[str, float]:
    """Seconds that every step of a series takes beyond its least time, by its point with the fewest requests in a step.

    Launches, synchronisation and the latency of exchanges are all of it where at most LIGHT requests share a step,
    since nothing queues there. A series without such a point has none.
    """
    lightest: dict[str, tuple[float, float]] = {}
    for one in points:
        use = roofline.use(one.model, one.load, "decode") if one.enters else None
        beyond = None if use is None else roofline.step_overhead(use)
        if use is None or beyond is None or use.requests is None or use.is_unstated or use.requests > LIGHT:
            continue
        if one.series not in lightest or use.requests < lightest[one.series][0]:
            lightest[one.series] = (use.requests, max(0.0, beyond))
    return {series: beyond for series, (_, beyond) in lightest.items()}


def breakdowns(library: Library, rigs: Collection[Rig]) -> Iterator[StepBreakdown]:
    """The steps that a profiler saw on these rigs."""
    for step, rows in groupby(names.table("step_times.csv"), key=lambda row: tuple(row[key] for key in OF_A_STEP)):
        model, precision, kv_precision, accelerator, chips, tp, batch, context = step
        rig, listed = Rig(model, precision, accelerator, int(chips)), list(rows)
        if rig not in rigs:
            continue
        parts = {row["part"]: StepPart(row["part"], float(row["ms"]), row["within"]) for row in listed}
        whole = parts.pop(WHOLE)
        deployed = Deployed(model, precision, kv_precision, accelerator, int(chips), int(tp))
        held = float(context) if context else None
        served = roofline.served_model(library, deployed)
        load = ServedLoad(float(batch), None, None, held, 1.0, whole.ms)
        use = (
            None
            if served is None
            else roofline.use(served, load._replace(rate=1000 * float(batch) / whole.ms), "decode")
        )
        memory = None if use is None or use.bandwidth is None else use.bandwidth * whole.ms
        yield StepBreakdown(
            rig,
            int(batch),
            int(context) if context else None,
            whole.ms,
            tuple(parts.values()),
            memory,
            listed[0]["profiler"],
            listed[0]["source"],
        )
