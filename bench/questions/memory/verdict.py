"""What a memory answer says: the fewest chips that hold the model, or why nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from bench.basis.narrator import Narrator
from bench.basis.statement import Statement
from bench.maths.model_memory import FP4_FORMATS, WEIGHT_BYTES
from bench.questions.memory.result import CHIPS, DRAWN, Allocation, Memory
from bench.questions.memory.words import WORDS
from bench.wording import lowered

SAY = Narrator(WORDS)
MOST_FINDINGS = 5
COUNTS = 2
"""Of so many counts of chips the accelerators are named."""


def statements(found: Memory) -> Iterator[Statement]:
    """Verdict, findings and notes of one model."""
    yield _verdict(found)
    if found.fits:
        yield from _findings(found)
        yield from _notes(found)
    elif found.by_precision:
        yield _precisions(found)
        yield from _without_memory(found)


def of_models(founds: Sequence[Memory]) -> Iterator[Statement]:
    """What each of several models needs at least, the one that needs fewest first; of which that is not known."""
    known = sorted((one for one in founds if one.fewest()), key=lambda one: one.fewest()[0].accelerators)
    if known:
        kind = "fits_models" if len({one.precision for one in founds}) == 1 else "fits_precisions"
        yield SAY.verdict(kind, models=[{**_fewest(one), "precision": one.precision} for one in known])
    else:
        yield _verdict(founds[0])
    for one in founds[0 if known else 1 :]:
        if not one.fewest():
            yield SAY.note("model_left_out", model=one.model, reason=lowered(_verdict(one).text))
    by_model = ([_of_model(one, said) for said in _findings(one)] for one in known)
    yield from [said for row in zip_longest(*by_model) for said in row if said][:MOST_FINDINGS]
    yield from _notes_of(known)


def _notes_of(known: Sequence[Memory]) -> Iterator[Statement]:
    """The notes that all models have in common once, the others each with its model."""
    notes: dict[str, list[tuple[Memory, Statement]]] = {}
    for one in known:
        for said in _notes(one):
            notes.setdefault(said.text, []).append((one, said))
    for same in notes.values():
        yield from [same[0][1]] if len(same) == len(known) else [_of_model(*one) for one in same]


def _of_model(found: Memory, said: Statement) -> Statement:
    text = SAY.text("of_model", {"model": found.model, "said": said.text})
    return replace(said, text=text, values={"model": found.model, **said.values})


def _fewest(found: Memory) -> dict[str, object]:
    first = found.fewest()[0]
    return {"model": found.model, "accelerators": first.accelerators, "accelerator": first.accelerator}


def _verdict(found: Memory) -> Statement:
    fewest = found.fewest()
    if fewest:
        first = fewest[0]
        values = {**_fewest(found), "requests": first.requests, "tokens": found.tokens}
        if not _leaves_reserve(found):
            return SAY.verdict(_kind(found, "fits" if first.requests else "fits_weights"), **values)
        beside = next(iter(found.fewest_reserved()), None)
        if beside is None:
            return SAY.verdict(_kind(found, "fits_bare"), **values)
        if (beside.accelerators, beside.accelerator) == (first.accelerators, first.accelerator):
            return SAY.verdict(_kind(found, "fits"), **values)
        reserved = {"reserved": beside.accelerators, "reserved_on": beside.accelerator}
        return SAY.verdict(_kind(found, "fits_reserved"), **values, **reserved)
    if found.model is None:
        return SAY.untold("no_model")
    if found.fits:
        return SAY.verdict("does_not_fit", most=CHIPS[-1])
    if not found.total_params:
        return SAY.untold("no_params")
    if found.precision is None:
        return SAY.untold("no_precision")
    if found.precision.lower() not in WEIGHT_BYTES:
        return SAY.untold("no_weight_size", precision=found.precision)
    return SAY.untold("no_memory", accelerators=list(found.unknown))


def _kind(found: Memory, kind: str) -> str:
    """The kind of a sentence with a figure that follows from the weights: it says "at least" of a lower bound."""
    return f"{kind}_least" if found.is_lower_bound else kind


def _findings(found: Memory) -> Iterator[Statement]:
    if len({one.accelerator for one in found.fits}) > 1 and found.fewest():
        yield _by_chips(found)
    if found.by_precision:
        yield _precisions(found)
    yield from _reserved(found)
    yield from (_allocated(found, one) for one in found.allocations)


def _precisions(found: Memory) -> Statement:
    """What the fewest chips are at each width that the weights may have, FP4 the last; once where they are as many."""
    counts = {one.accelerators for _, one in found.by_precision}
    if len(counts) == 1:
        return SAY.finding("precisions_alike", names=[name for name, _ in found.by_precision], chips=counts.pop())
    each = [
        {"precision": name, "chips": one.accelerators, "accelerator": one.accelerator}
        for name, one in found.by_precision
    ]
    return SAY.finding("precisions", precisions=each)


def _by_chips(found: Memory) -> Statement:
    """The accelerators by the fewest chips it takes of each; of those that take most their number."""
    by_chips: dict[int, list[str]] = {}
    for one in found.fewest():
        by_chips.setdefault(one.accelerators, []).append(one.accelerator)
    first = [*by_chips.items()][:COUNTS]
    fewest = [{"chips": chips, "on": on} for chips, on in first]
    named = {slug for _, on in first for slug in on}
    others = len({one.accelerator for one in found.fits} - named)
    if others:
        return SAY.finding(_kind(found, "fewest_more"), fewest=fewest, others=others)
    return SAY.finding(_kind(found, "fewest"), fewest=fewest)


def _leaves_reserve(found: Memory) -> bool:
    """Whether it fits, and the most that an engine was logged to reserve is not taken off already."""
    logged = found.reserve_range_gib
    is_known = logged is not None and any(one.requests is not None for one in found.fits)
    return bool(found.fewest()) and is_known and logged is not None and found.reserve_gib < logged[1]


def _reserved(found: Memory) -> Iterator[Statement]:
    """Which count is the first beside what an engine was logged to reserve; none where the reader takes off as much."""
    if not _leaves_reserve(found) or found.reserve_range_gib is None:
        return
    first, reserved, most = found.fewest(), found.fewest_reserved(), found.reserve_range_gib[1]
    if not reserved:
        yield SAY.finding("reserved_nowhere", reserve_gib=most, most=CHIPS[-1])
        return
    same = (reserved[0].accelerators, reserved[0].accelerator) == (first[0].accelerators, first[0].accelerator)
    yield SAY.finding(
        _kind(found, "reserved") if same else "reserved_more",
        reserve_gib=most,
        accelerators=reserved[0].accelerators,
        accelerator=reserved[0].accelerator,
        requests=reserved[0].requests_reserved,
    )


def _allocated(found: Memory, one: Allocation) -> Statement:
    """What an engine's log says of a device, and what is predicted."""
    least, most = one.cache_off_gib or (0.0, 0.0)
    cache = one.cache_gib
    return SAY.finding(
        _kind(found, "allocated" if cache is None else "allocated_cache"),
        engine=one.engine,
        accelerator=one.accelerator,
        accelerators=one.accelerators,
        weights_gib=one.weights_gib,
        weights_predicted_gib=one.weights_gib + one.weights_off_gib,
        cache_gib=cache,
        cache_least_gib=None if cache is None else cache + least,
        cache_most_gib=None if cache is None else cache + most,
    )


def _without_memory(found: Memory) -> Iterator[Statement]:
    """Every accelerator that nothing can be told of."""
    if found.unknown:
        yield SAY.note("unknown", accelerators=list(found.unknown))


def _notes(found: Memory) -> Iterator[Statement]:
    yield from _without_memory(found)
    many = len({one.accelerator for one in found.fits})
    if found.chart == "chips" and many > DRAWN:
        yield SAY.note("drawn", drawn=DRAWN, accelerators=many)
    logged = found.reserve_range_gib
    kind = "at_most" if found.reserve_gib else "at_most_unknown" if logged is None else "at_most_logged"
    least, most = logged or (None, None)
    yield SAY.note(kind, utilisation=found.utilisation, reserve_gib=found.reserve_gib, least_gib=least, most_gib=most)
    if found.is_lower_bound:
        is_named = (found.precision or "").lower() in FP4_FORMATS
        yield SAY.note("lower_bound" if is_named else "lower_bound_scales", precision=found.precision)
    if found.is_latent and found.layout == "tp":
        yield SAY.note("latent")
    if found.has_computed_params:
        yield SAY.note("computed", billions=(found.total_params or 0) / 1e9)
