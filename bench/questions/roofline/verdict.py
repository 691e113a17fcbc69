"""What a roofline answer says: who gets closest to the hardware, what binds, and what lies above its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bench.basis import evidence
from bench.basis.narrator import Narrator
from bench.basis.points import PointFacts
from bench.basis.statement import Statement
from bench.chart import workload_words
from bench.questions.roofline.result import BATCH, HeldPoint, Projection, Rig, Roofline, StepBreakdown
from bench.questions.roofline.words import CEILINGS, WORDS

SAY = Narrator(WORDS)


def statements(found: Roofline) -> Iterator[Statement]:
    """Verdict, findings and notes."""
    yield _verdict(found) if found.ranked else _nothing(found)
    if found.ranked:
        yield from _findings(found)
    yield from evidence.left_out(found.tally)
    yield from _notes(found)


def _nothing(found: Roofline) -> Statement:
    """That no point is held against a ceiling, by the commonest reason."""
    counts = {one.words: many for one in found.tally.reasons if (many := found.tally.of(one.code))}
    if not counts:
        return SAY.untold("nothing_selected", selected=found.tally.selected)
    reason, many = max(counts.items(), key=lambda row: row[1])
    reason = "beyond the limits" if many == found.tally.of(evidence.BEYOND) else reason
    return SAY.untold("nothing", selected=found.tally.selected, points=many, reason=reason)


def _verdict(found: Roofline) -> Statement:
    """Who gets closest to its ceiling; of several models each one's closest."""
    below = [one for one in found.ranked if not one.is_above]
    ceiling, known = CEILINGS[found.phase], found.known.values
    if not below:
        return SAY.verdict("all_above", _facts(found.ranked), points=len(found.ranked), ceiling=ceiling)
    if not found.closest:
        shares = [one.use.share for one in below]
        return SAY.verdict("reach", low=min(shares), high=max(shares), ceiling=ceiling, **known)
    if len(found.closest) > 1:
        closest = [
            {"model": one.rig.model, "hardware": one.rig.hardware, "share": one.use.share} for one in found.closest
        ]
        return SAY.verdict("closest_models", _facts(found.closest), closest=closest, models=len(closest), **known)
    first = found.closest[0]
    return SAY.verdict(
        f"closest{'_least' * first.use.is_least}{'_bound' * bool(first.bound_by)}",
        [first.facts],
        hardware=first.rig.hardware,
        share=first.use.share,
        ceiling=ceiling,
        accelerator=first.rig.accelerator,
        accelerators=first.rig.accelerators,
        bound_by=first.bound_by,
        **known,
    )


def _findings(found: Roofline) -> Iterator[Statement]:
    if len(found.closest) == 1:
        yield from _used(found.closest[0])
    if len(found.ranked) > 1:
        if found.middle is not None:
            yield SAY.finding("middle", points=len(found.ranked), middle=found.middle)
        bindings = [{"by": key or "not known", "points": many} for key, many in found.bindings.items()]
        yield SAY.finding("bound_by", bindings=bindings)
        yield from _reached(found)
    yield from _above(found)
    yield from map(_breakdown, found.breakdowns)
    if found.projection is not None:
        yield _projected(found.projection)


def _used(one: HeldPoint) -> Iterator[Statement]:
    """How much of bandwidth and of compute the closest point uses."""
    bandwidth, compute = one.use.bandwidth, one.use.compute
    kind = "used_bandwidth" if compute is None else "used_compute" if bandwidth is None else "used_both"
    if bandwidth is None and compute is None:
        return
    load = workload_words({**one.facts.row, "isl": None, "osl": None}) or "its load"
    load = "full load" if one.facts.load_kind == "saturated" else load
    yield SAY.finding(kind, [one.facts], load=load, bandwidth=bandwidth, compute=compute)


def _reached(found: Roofline) -> Iterator[Statement]:
    """The best of each rig below its ceiling, the nearest first."""
    best: dict[Rig, HeldPoint] = {}
    for one in sorted(found.ranked, key=lambda one: (-one.use.share, one.facts.point_id)):
        if not one.is_above:
            best.setdefault(one.rig, one)
    if len(best) < 2 or not found.closest:
        return
    rigs = [
        {"name": one.rig.words if found.compares_models else one.rig.hardware, "share": one.use.share}
        for one in best.values()
    ]
    yield SAY.finding("reached", _facts(best.values()), rigs=rigs)


def _above(found: Roofline) -> Iterator[Statement]:
    """The points beyond what any engine can, and those that only their expected ceiling lies below."""
    beyond = sorted((one for one in found.points if one.is_beyond), key=lambda one: -one.use.rate / (one.bound or 1))
    if beyond:
        hardware = list(dict.fromkeys(one.rig.hardware for one in beyond))
        yield SAY.finding("beyond", _facts(beyond), points=len(beyond), hardware=hardware)
    if above := [one for one in found.points if one.is_above and not one.is_beyond]:
        yield SAY.finding("above", _facts(above), points=len(above))


def _breakdown(step: StepBreakdown) -> Statement:
    """Where a step's time went, as a profiler saw it."""
    return SAY.finding(
        "breakdown",
        profiler=step.profiler,
        hardware=step.rig.hardware,
        precision=step.rig.precision,
        parts=[{"name": part.name, "ms": part.ms} for part in step.parts if part.within == "step"],
        step_ms=step.step_ms,
        memory_ms=step.memory_ms,
        batch=step.batch,
    )


def _projected(projection: Projection) -> Statement:
    """At whose shares of the ceiling what is hollow is drawn."""
    rig, lender = projection.rig, projection.lender
    if not projection.places:
        kind = "not_projected_measured" if rig == lender else "not_projected_room"
        return SAY.finding(kind, hardware=rig.hardware, places=0)
    shares = [one.use.share for one in projection.places]
    return SAY.finding(
        "projected",
        hardware=rig.hardware,
        lender="it" if rig == lender else lender.hardware,
        low=min(shares),
        high=max(shares),
        places=len(shares),
    )


def _notes(found: Roofline) -> Iterator[Statement]:
    """What is supposed, and what is only known to be at least so much."""
    if unstated := sum(one.use.is_unstated for one in found.ranked):
        yield SAY.note("at_least_prefill" if found.phase == "prefill" else "at_least", points=unstated)
    if least := sum(one.use.is_least and not one.use.is_unstated for one in found.ranked):
        yield SAY.note("at_least_weights", points=least)
    if supposed := [one for one in found.ranked if one.supposed_cache_bits and found.phase != "prefill"]:
        bits = sorted({one.supposed_cache_bits or 0.0 for one in supposed})
        yield SAY.note("cache_supposed", points=len(supposed), bits=bits)
    if lacking := [one for one in found.ranked if one.use.compute is None]:
        yield SAY.note("no_peak", points=len(lacking), precisions=sorted({one.rig.precision for one in lacking}))
    if found.axis == BATCH and (apart := sum(one.use.requests is None for one in found.points)):
        yield SAY.note("no_batch", points=apart)
    if found.phase != "served" and any(one.is_flagged for one in found.points):
        yield SAY.note("flag_line")


def _facts(points: Iterable[HeldPoint]) -> list[PointFacts]:
    return [one.facts for one in points]
