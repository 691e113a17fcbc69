"""What a memory answer says: the fewest chips that hold the model, or why nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.basis import wording
from bench.basis.statement import Statement, caveat, finding, headline
from bench.chart import value_label
from bench.maths.model_memory import WEIGHT_BYTES
from bench.questions.memory.result import CHIPS, DRAWN, Allocation, Fit, Memory, named
from bench.wording import counted, joined, number, share


def statements(answer: Memory) -> Iterator[Statement]:
    """Headline, findings and caveats of one model."""
    fewest, what = answer.fewest(), _what(answer)
    if fewest:
        first = fewest[0]
        few = first.accelerators
        needed = "fits on one chip" if few == 1 else f"needs at least {counted(few, 'chip')}"
        text = f"{what} {needed}: {_held(first, answer.tokens)}."
        yield headline("fits", text, accelerators=first.accelerators, requests=first.requests, tokens=answer.tokens)
    else:
        yield headline("fits", _nowhere(answer, what), accelerators=None)
    if not answer.fits:
        return
    for chips in dict.fromkeys(one.accelerators for one in fewest):
        on = named(one.accelerator for one in fewest if one.accelerators == chips)
        yield finding("fewest", f"{counted(chips, 'chip')} at least: {on}.", accelerators=chips)
    if len(answer.by_precision) > 1:
        yield _by_precision(answer)
    if answer.unknown:
        yield caveat("unknown", f"Not known, for a fact that is not published: {named(answer.unknown)}.")
    yield from _reserved(answer)
    yield from map(_allocated, answer.allocations)
    many = len({one.accelerator for one in answer.fits})
    if answer.chart == "chips" and many > DRAWN:
        text = f"The chart has the {DRAWN} accelerators that need the fewest chips, the table all {many}."
        yield caveat("drawn", text, drawn=DRAWN, accelerators=many)
    yield caveat("at_most", _at_most(answer), utilisation=answer.utilisation, reserve_gib=answer.reserve_gib)
    if answer.is_latent and answer.layout == "tp":
        yield caveat("latent", "In tensor parallel every device keeps the whole latent cache of every request.")
    if answer.has_computed_params:
        params = number((answer.total_params or 0) / 1e9)
        text = f"{params} B parameters, computed from the shapes in its config.json."
        yield caveat("computed", text, total_params=answer.total_params)


def _by_precision(answer: Memory) -> Statement:
    """The fewest chips at each precision, of which the reader chose none: "In BF16 8 chips at least, in FP4 2"."""
    (first, most), *others = [(name.upper(), one.accelerators) for name, one in answer.by_precision]
    text = f"In {first} {counted(most, 'chip')} at least{''.join(f', in {name} {chips}' for name, chips in others)}."
    return finding("precisions", text, widest=most, narrowest=answer.by_precision[-1][1].accelerators)


def _reserved(answer: Memory) -> Iterator[Statement]:
    """Which count is the first beside what an engine was logged to reserve, where that is another."""
    first, reserved = answer.fewest(), answer.fewest_reserved()
    if not first or answer.reserve_range_gib is None or all(one.requests is None for one in answer.fits):
        return
    most = answer.reserve_range_gib[1]
    if answer.reserve_gib >= most:
        return  # the reader's reserve is as much, and taken off already
    beside = f"Beside the {most:g} GiB a device that vLLM was logged to reserve at most"
    if not reserved:
        text = f"{beside} it fits on no count up to {CHIPS[-1]} chips."
        yield finding("reserved", text, reserve_gib=most, accelerators=None)
    elif (reserved[0].accelerators, reserved[0].accelerator) != (first[0].accelerators, first[0].accelerator):
        slug, chips = reserved[0].accelerator, reserved[0].accelerators
        text = f"{beside} it needs at least {counted(chips, 'chip')} ({value_label('accelerator', slug)})."
        yield finding("reserved", text, reserve_gib=most, accelerators=chips, accelerator=slug)
    else:
        left = reserved[0].requests_reserved
        text = f"{beside}, {counted(left or 0, 'request')} of {number(first[0].requests or 0)} are left."
        yield finding("reserved", text, reserve_gib=most, accelerators=first[0].accelerators, requests=left)


def _allocated(one: Allocation) -> Statement:
    """What an engine's log says of a device, and what is predicted minus that."""
    on = f"{one.accelerators} {value_label('accelerator', one.accelerator)}"
    engine = value_label("engine", one.engine)
    text = f"{engine} logged on {on} {number(one.weights_gib)} GiB of weights a device (predicted minus allocated "
    text += _signed(one.weights_off_gib)
    least, most = one.cache_off_gib or (None, None)
    if one.cache_gib is not None and least is not None and most is not None:
        text += f") and {number(one.cache_gib)} for cache ({_signed(least)} to {_signed(most)}"
    return finding(
        "allocated",
        f"{text}).",
        accelerator=one.accelerator,
        accelerators=one.accelerators,
        weights_gib=one.weights_gib,
        weights_off_gib=one.weights_off_gib,
        cache_gib=one.cache_gib,
        cache_off_least_gib=least,
        cache_off_most_gib=most,
    )


def _signed(gib: float) -> str:
    return f"{gib:+.1f}"


def _at_most(answer: Memory) -> str:
    """What is not reckoned with."""
    used = f"At most: {share(answer.utilisation)} of the memory is used"
    if answer.reserve_gib:
        return f"{used}, {number(answer.reserve_gib)} GiB of each device reserved (GiB: 2^30 bytes)."
    if answer.reserve_range_gib is None:
        return f"{used} (GiB: 2^30 bytes), and activations and buffers take some of it."
    least, most = (f"{gib:g}" for gib in answer.reserve_range_gib)
    return f"{used}; activations and buffers, {least} to {most} GiB a device in vLLM's logs, are not taken off."


def _nowhere(answer: Memory, what: str) -> str:
    """Why no count of chips can be told, by the fact that is missing, and what to do."""
    if answer.model is None:
        return "No model is selected; choose one."
    if answer.fits:
        return f"{what} does not fit on up to {CHIPS[-1]} chips; choose other accelerators or a lower precision."
    if not answer.total_params:
        return f"What {what} needs is not known: no parameter count of it is published here; choose another model."
    if answer.precision is None:
        return f"What {what} needs is not known: the precision of its weights is not stated; choose one."
    if answer.precision.lower() not in WEIGHT_BYTES:
        return f"What {what} needs is not known: the size of {answer.precision.upper()} weights is not known here."
    return f"What {what} needs is not known: no memory of {named(answer.unknown)} is published."


def _held(one: Fit, tokens: float) -> str:
    on = f"{'one' if one.accelerators == 1 else one.accelerators} {value_label('accelerator', one.accelerator)}"
    if not one.requests:
        return on
    verb = "holds" if one.accelerators == 1 else "hold"
    return f"{on} {verb} {counted(one.requests, 'request')} of {number(tokens)} tokens at once"


def of_models(founds: Sequence[Memory]) -> Iterator[Statement]:
    """What each of several models needs at least; those of which that is not known come first of the caveats."""
    each = [(one, [*statements(one)]) for one in founds]
    fewest = [(one.fewest()[0].accelerators, one, said) for one, said in each if one.fewest()]
    known = sorted(fewest, key=lambda row: row[0])
    if not known:
        yield each[0][1][0]
    else:
        parts = [
            (_what(one), counted(chips, "chip"), value_label("accelerator", one.fewest()[0].accelerator))
            for chips, one, _ in known
        ]
        (what, first, on), *others = parts
        whole = [f"{what} needs at least {first} ({on})", *(f"{what} {chips} ({on})" for what, chips, on in others)]
        bare = [f"{what} needs at least {first}", *(f"{what} {chips}" for what, chips, _ in others)]
        yield headline("fits", wording.fitting(*(f"{joined(one)}." for one in (whole, bare))), accelerators=known[0][0])
    for one, said in each:
        if not one.fewest() and (known or one is not founds[0]):
            yield caveat("model_left_out", f"Left out: {said[0].text}")
    caveats: dict[str, Statement] = {}
    for _, one, said in known:
        found = (row for row in said if row.role == "finding")
        yield from (replace(row, text=f"For {_what(one)}, {row.text[0].lower()}{row.text[1:]}") for row in found)
        caveats |= {row.text: row for row in said if row.role not in ("headline", "finding")}
    yield from caveats.values()


def _what(found: Memory) -> str:
    """A model with its precision: "DeepSeek-R1 FP8"."""
    return f"{found.name or 'No model'} {(found.precision or '').upper()}".strip()
