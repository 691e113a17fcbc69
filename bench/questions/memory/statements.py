"""What a memory answer says: the fewest chips that hold the model, or why nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench import names
from bench.basis import memory, wording
from bench.basis.statement import Statement, caveat, finding, headline
from bench.chart import value_label
from bench.questions.memory.result import CHIPS, Fit, Memory, named
from bench.wording import counted, joined, number


def told(found: Memory) -> Iterator[Statement]:
    """Headline, findings and caveats of one model."""
    fewest, what = found.fewest(), _what(found)
    if fewest:
        first = fewest[0]
        needed = f"{'one chip' if first.accelerators == 1 else counted(first.accelerators, 'chip')}: "
        yield headline(
            "fits", f"{what} needs at least {needed * bool(first.requests)}{_held(first, found.tokens)}."
        )
    else:
        yield headline("fits", _nowhere(found, what))
    if not found.fits:
        return
    for chips in dict.fromkeys(one.accelerators for one in fewest):
        on = named(one.accelerator for one in fewest if one.accelerators == chips)
        yield finding("fewest", f"{counted(chips, 'chip')} at least: {on}.", accelerators=chips)
    if found.unknown:
        yield caveat("unknown", f"Not known, for a fact that is not published: {named(found.unknown)}.")
    yield caveat(
        "at_most", "At most: an engine uses 90 % of the memory, and activations and buffers take some of it."
    )


def _nowhere(found: Memory, what: str) -> str:
    """Why no count of chips can be told, by the fact that is missing, and what to do."""
    known = names.model(found.model) if found.model else None
    if found.model is None:
        return "No model is selected; choose one."
    if found.fits:
        return (
            f"{what} does not fit on up to {CHIPS[-1]} chips; choose other accelerators or a lower precision."
        )
    if known is None or not known.total_params_b:
        return f"What {what} needs is not known: no parameter count of it is published here; choose another model."
    if found.precision is None:
        return f"What {what} needs is not known: the precision of its weights is not stated."
    if found.precision.lower() not in memory.BYTES:
        return f"What {what} needs is not known: the size of {found.precision.upper()} weights is not known here."
    return f"What {what} needs is not known: no memory of {named(found.unknown)} is published."


def _held(one: Fit, tokens: float) -> str:
    on = f"{'one' if one.accelerators == 1 else one.accelerators} {value_label('accelerator', one.accelerator)}"
    if not one.requests:
        return on
    verb = "holds" if one.accelerators == 1 else "hold"
    return f"{on} {verb} {counted(one.requests, 'request')} of {number(tokens)} tokens at once"


def of_models(founds: Sequence[Memory]) -> Iterator[Statement]:
    """What each of several models needs at least; those of which that is not known come first of the caveats."""
    each = [(one, [*told(one)]) for one in founds]
    fewest = [(one.fewest()[0].accelerators, one, said) for one, said in each if one.fewest()]
    known = sorted(fewest, key=lambda row: row[0])
    if not known:
        yield each[0][1][0]
    else:
        parts = [(_what(one), counted(chips, "chip"), value_label("accelerator", one.fewest()[0].accelerator))
                 for chips, one, _ in known]  # fmt: skip
        (what, first, on), *others = parts
        told_of = [
            f"{what} needs at least {first} ({on})",
            *(f"{what} {chips} ({on})" for what, chips, on in others),
        ]
        bare = [f"{what} needs at least {first}", *(f"{what} {chips}" for what, chips, _ in others)]
        yield headline("fits", wording.fitting(*(f"{joined(one)}." for one in (told_of, bare))))
    for one, said in each:
        if not one.fewest() and (known or one is not founds[0]):
            yield caveat("model_left_out", f"Left out: {said[0].text}")
    caveats: dict[str, Statement] = {}
    for _, one, said in known:
        found = (row for row in said if row.role == "finding")
        yield from (
            replace(row, text=f"For {_what(one)}, {row.text[0].lower()}{row.text[1:]}") for row in found
        )
        caveats |= {row.text: row for row in said if row.role not in ("headline", "finding")}
    yield from caveats.values()


def _what(found: Memory) -> str:
    """A model with its precision: "DeepSeek-R1 FP8"."""
    model = value_label("model", found.model) if found.model else "No model"
    return f"{model} {(found.precision or '').upper()}".strip()
