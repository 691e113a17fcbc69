"""What a roofline answer says: who gets closest to the hardware, what binds, and what lies above its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bench.basis import evidence, wording
from bench.basis.statement import Statement, Value, caveat, coverage, finding, headline, untold
from bench.basis.wording import FINDING, NOTHING_SELECTED, flagged, flags_of, listing, subject
from bench.chart import value_label, workload_words
from bench.maths.roofline import Binding
from bench.questions.roofline.result import BATCH, HeldPoint, Projection, Rig, Roofline, StepBreakdown
from bench.wording import counted, is_or_are, joined, number, share

OF_PHASE = {"served": "its ceiling", "decode": "its decode ceiling", "prefill": "its prefill ceiling"}

BINDINGS: dict[Binding, str] = {
    "bandwidth": "bandwidth",
    "compute": "compute",
    "latency": "latency",
    "scheduling": "scheduling",
}
"""What binds, inside a sentence."""


def statements(answer: Roofline) -> Iterator[Statement]:
    """Headline, findings and caveats."""
    if not answer.ranked:
        yield untold("nothing", _nothing(answer), selected=answer.tally.selected)
    else:
        yield _headline(answer)
        yield from _findings(answer)
    yield from evidence.left_out(answer.tally)
    yield from _caveats(answer)


def _nothing(answer: Roofline) -> str:
    """Why no point is held against a ceiling, by the commonest reason."""
    counts = {one.words: many for one in answer.tally.reasons if (many := answer.tally.of(one.code))}
    if not counts:
        return NOTHING_SELECTED
    words, many = max(counts.items(), key=lambda row: row[1])
    if answer.tally.selected == 1:
        return f"The 1 point cannot be held against a ceiling: it is {words}."
    none = f"None of {counted(answer.tally.selected, 'point')} can be held against a ceiling"
    few = "all" if many == answer.tally.selected else f"{many:,}"
    shorter = ["beyond the limits"] if many == answer.tally.of(evidence.BEYOND) else []
    return wording.fitting(*(f"{none}: {few} are {one}." for one in (words, *shorter)))


def _headline(answer: Roofline) -> Statement:
    """Who gets closest to its ceiling; of several models each one's closest."""
    below, model = [one for one in answer.ranked if not one.is_above], value_label("model", answer.ranked[0].rig.model)
    leads = answer.known.leads(model)
    known: dict[str, Value] = dict(answer.known.values)
    their = OF_PHASE[answer.phase].replace("its", "their")
    if not below:
        text = f"All {counted(len(answer.ranked), 'point')} lie above {their}{_flags(answer.ranked)}."
        return headline("all_above", text, _ids(answer.ranked), points=len(answer.ranked))
    if not answer.closest:
        low, high = min(one.use.share for one in below), max(one.use.share for one in below)
        text = f"points reach {share(low)} to {share(high)} of {their}."
        told = [f"{lead}{text}" for lead in leads] or [wording.opened(text)]
        return headline("reach", wording.fitting(*told), (), low=low, high=high, **known)
    if len(answer.closest) > 1:
        return _of_models(answer.closest, leads, known)
    first = answer.closest[0]
    texts = _of_one(first, subject([one.facts for one in answer.ranked]), OF_PHASE[answer.phase], leads)
    return headline(
        "closest",
        wording.fitting(*texts),
        _ids([first]),
        share=first.use.share,
        accelerator=first.rig.accelerator,
        accelerators=first.rig.accelerators,
        bound_by=first.bound_by,
        **known,
    )


def _of_one(first: HeldPoint, of: str, ceiling: str, leads: Sequence[str]) -> Iterator[str]:
    """Where a model gets closest to the hardware, the fullest first."""
    reached, by, hardware = f"{_share(first)} of {ceiling}", _bound(first.bound_by), first.rig.hardware
    starts = [f"{lead}{hardware} gets closest to its limits: {reached}" for lead in leads]
    starts = starts or [f"{of} gets closest to the hardware on {hardware}: {reached}"]
    for end in dict.fromkeys((f"{_at(first)}{by}", by, "")):
        yield from (f"{start}{end}{_flags([first])}." for start in starts)
    yield f"{of} reaches {reached} on {hardware}{_flags([first])}."


def _of_models(closest: Sequence[HeldPoint], leads: Sequence[str], known: Mapping[str, Value]) -> Statement:
    """The closest of each of several models, the nearest to its ceiling first."""
    start = f"{leads[-1]}closest to the hardware: " if leads else "Closest to the hardware: "
    named = [f"{value_label('model', one.rig.model)} {_share(one)}" for one in closest]
    whole = [f"{name} on {one.rig.hardware}{_flags([one])}" for name, one in zip(named, closest, strict=True)]
    bare = [f"{name}{_flags([one])}" for name, one in zip(named, closest, strict=True)]
    told = [listing(start, parts, ".") for parts in (whole, bare)]
    text, shown = next((one for one in told if one.shown == len(closest)), told[-1])
    return headline("closest", text, _ids(closest[:shown]), share=closest[0].use.share, models=len(closest), **known)


def _findings(answer: Roofline) -> Iterator[Statement]:
    if len(answer.closest) == 1:
        yield _utilisation(answer, answer.closest[0])
    if len(answer.ranked) > 1:
        yield _bindings(answer)
        yield from _reached(answer)
    yield from _above(answer)
    yield from map(_breakdown, answer.breakdowns)
    if answer.projection is not None:
        yield _projected(answer.projection)


def _utilisation(answer: Roofline, one: HeldPoint) -> Statement:
    """How much of bandwidth and of compute the closest point uses, and what half of all reach."""
    least = "at least " * one.use.is_least
    used = [f"{least}{share(one.use.bandwidth)} of the bandwidth"] if one.use.bandwidth is not None else []
    used += [f"{share(one.use.compute)} of the compute peak"] if one.use.compute is not None else []
    text, flags = f"That point uses {joined(used)}", _flags([one])
    texts = [f"{text}{flags}."]
    if answer.middle is not None and len(answer.ranked) > 2:
        half = f"half of {counted(len(answer.ranked), 'point')} reach {share(answer.middle)}"
        texts = [f"{text}; {half} of their ceiling{flags}.", f"{text}; {half}{flags}.", *texts]
    return finding(
        "utilisation",
        wording.fitting(*texts, longest=FINDING),
        _ids([one]),
        bandwidth=one.use.bandwidth,
        compute=one.use.compute,
        middle=answer.middle,
    )


def _bindings(answer: Roofline) -> Statement:
    """How many points are bound by what, and of how many nobody can tell."""
    counts, of = answer.bindings, counted(len(answer.ranked), "point")
    parts, unknown = [(BINDINGS[key], many) for key, many in counts.items() if key is not None], counts.get(None, 0)
    text = f"What binds the {of} cannot be told."
    if parts:
        (first, many), *others = parts
        bound = joined([f"{first} binds {many:,}", *(f"{words} {more:,}" for words, more in others)])
        text = f"Of {of}, {bound}{f'; of {unknown:,} it cannot be told' if unknown else ''}."
    return finding("bound_by", text, (), **{str(key or "unknown"): many for key, many in counts.items()})


def _reached(answer: Roofline) -> Iterator[Statement]:
    """The best of each rig below its ceiling, the nearest first."""
    best: dict[Rig, HeldPoint] = {}
    for one in sorted(answer.ranked, key=lambda one: (-one.use.share, one.facts.point_id)):
        if not one.is_above:
            best.setdefault(one.rig, one)
    if len(best) < 2 or not answer.closest:
        return
    named = [one.rig.words if answer.compares_models else one.rig.hardware for one in best.values()]
    parts = [f"{name} {_share(one)}{_flags([one])}" for name, one in zip(named, best.values(), strict=True)]
    text, shown = listing("Nearest to its ceiling each: ", parts, ".", longest=FINDING)
    yield finding("reached", text, _ids(list(best.values())[:shown]), rigs=len(best), shown=shown)


def _above(answer: Roofline) -> Iterator[Statement]:
    """The points beyond what any engine can, and those that only their expected ceiling lies below."""
    beyond = sorted((one for one in answer.points if one.is_beyond), key=lambda one: -one.use.rate / (one.bound or 1))
    if beyond:
        parts = [f"{one.rig.hardware}{_at(one)}" for one in beyond]
        start, end = f"{_lie(beyond)} above what any engine can reach: ", f"{_flags(beyond)}."
        yield finding("beyond", listing(start, parts, end, longest=FINDING).text, _ids(beyond), points=len(beyond))
    if above := [one for one in answer.points if one.is_above and not one.is_beyond]:
        text = f"{_lie(above)} above the ceiling that is expected, not above what an engine can reach{_flags(above)}."
        yield finding("above", text, _ids(above), points=len(above))


def _breakdown(step: StepBreakdown) -> Statement:
    """Where a step's time went, as a profiler saw it."""
    parts = [f"{part.name} {part.ms:g}{_inside(step, part.name)}" for part in step.parts if part.within == "step"]
    what = f"{step.rig.hardware} {step.rig.precision.upper()} at batch {step.batch}"
    text = f"{step.profiler}, {what}: of {step.step_ms:g} ms {joined(parts)}"
    if step.memory_ms is not None:
        text += f"; reading takes {number(step.memory_ms)} at least"
    return finding("breakdown", f"{text}.", step_ms=step.step_ms, memory_ms=step.memory_ms, batch=step.batch)


def _inside(step: StepBreakdown, name: str) -> str:
    inner = [f"{part.name} {part.ms:g}" for part in step.parts if part.within == name]
    return f" ({joined(inner)})" if inner else ""


def _projected(projection: Projection) -> Statement:
    """At whose shares of the ceiling what is hollow is drawn."""
    rig, lender = projection.rig, projection.lender
    if not projection.places:
        words = "is measured at every batch" if rig == lender else "has no room for it"
        return finding("not_projected", f"Nothing is projected: {rig.hardware} {words}.", places=0)
    shares = sorted(one.use.share for one in projection.places)
    low, high = share(shares[0]), share(shares[-1])
    reached = low if low == high else f"{low.removesuffix(' %')} to {high}"
    reached = f"{'at least ' * projection.is_least}{reached}"
    who = "it" if rig == lender else lender.hardware
    text = f"Projected, not measured: {rig.hardware} at the share of its ceiling, {reached}, that {who} reached"
    values = {"low": shares[0], "high": shares[-1], "places": len(projection.places)}
    return finding("projected", f"{text} at the nearest measured batch.", (), **values)


def _caveats(answer: Roofline) -> Iterator[Statement]:
    """What is supposed, and what is only known to be at least so much."""
    ranked = answer.ranked
    if least := [one for one in ranked if one.use.is_least]:
        some, they = counted(len(least), "point"), "it uses" if len(least) == 1 else "they use"
        text = (
            f"{some} {_do(least)} not state batch, context or experts: {they} at least what is told, and may be closer."
        )
        if answer.phase == "prefill":
            text = f"Prompts may have waited for their first token, so {some} used at least what is told."
        yield caveat("at_least", text, points=len(least))
    if supposed := [one for one in ranked if one.supposed_cache_bits and answer.phase != "prefill"]:
        bits = [f"{one:g} bit" for one in sorted({one.supposed_cache_bits or 0.0 for one in supposed})]
        sizes = f"{joined(bits, last='or')} {is_or_are(len(bits))} supposed"
        text = f"{counted(len(supposed), 'point')} {_do(supposed)} not state the cache's precision: {sizes}."
        yield caveat("cache_supposed", text, points=len(supposed))
    if lacking := [one for one in ranked if one.use.compute is None]:
        of = joined(sorted({one.rig.precision.upper() for one in lacking}))
        text = f"No peak is known for {of} on these chips, so of {counted(len(lacking), 'point')} compute is not told."
        yield caveat("no_peak", text, points=len(lacking))
    if answer.axis == BATCH and (apart := sum(one.use.requests is None for one in answer.points)):
        text = f"{counted(apart, 'point')} without a number of requests {is_or_are(apart)} not drawn on this axis."
        yield coverage("no_batch", text, points=apart)
    if answer.phase != "served" and any(one.is_flagged for one in answer.points):
        text = "The flag 'beyond the roofline' is of prompts and outputs together, not of this phase alone."
        yield caveat("flag_line", text)


def _lie(points: Sequence[HeldPoint]) -> str:
    return f"{counted(len(points), 'point')} {'lies' if len(points) == 1 else 'lie'}"


def _do(points: Sequence[HeldPoint]) -> str:
    return "does" if len(points) == 1 else "do"


def _share(one: HeldPoint) -> str:
    return f"{'at least ' * one.use.is_least}{share(one.use.share)}"


def _bound(binding: Binding | None) -> str:
    return "" if binding is None else f", bound by {BINDINGS[binding]}"


def _at(one: HeldPoint) -> str:
    """At which load, without the lengths: " at concurrency 64", " when saturated"; "" where that is not stated."""
    words = workload_words({**one.facts.row, "isl": None, "osl": None})
    return f" {'when' if one.facts.load_kind == 'saturated' else 'at'} {words}" if words else ""


def _flags(points: Iterable[HeldPoint]) -> str:
    return flagged(flags_of(one.facts for one in points))


def _ids(points: Iterable[HeldPoint]) -> list[str]:
    return [one.facts.point_id for one in points]
