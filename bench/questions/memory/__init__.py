"""What fits in memory? The chips that hold a model's weights, and how many requests' KV cache fits beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import pandas as pd

from bench import basis, names, selection
from bench.basis import memory, side_by_side, story
from bench.basis.options import Option
from bench.basis.statement import caveat
from bench.basis.variations import Robustness
from bench.library import Library
from bench.questions import Answer, Choices, Column, Why
from bench.questions.memory import statements
from bench.questions.memory.figure import figure
from bench.questions.memory.result import CHIPS, Fit, Memory
from bench.view import View

__all__ = ["COLUMNS", "NEEDS", "OPTIONS", "ORDER", "QUESTION", "SECTION", "TITLE", "Fit", "Memory", "answer", "choices",
           "complete", "figure", "robustness"]  # fmt: skip

TITLE = "Memory"
QUESTION = "What fits in memory?"
SECTION = "Explore"
ORDER = 25
NEEDS = "facts"
OPTIONS = (
    Option("cache", "KV cache", "choice", "The precision of the KV cache.", ("bf16", "fp8")),
    Option("context", "Tokens of a request", "number", "Prompt and output together.", least=1, most=1e7),
)
COLUMNS = (
    Column("memory_gib", "Memory", "GiB"), Column("weights_gib", "Weights", "GiB"),
    Column("room_gib", "Room for KV cache", "GiB"), Column("requests", "Requests that fit", "", 0),
)  # fmt: skip

SOURCE = "published facts: data/models.csv and data/accelerators.csv"


def complete(library: Library, view: View) -> View:
    """The View with the story filled in, a BF16 cache and requests of the story's lengths."""
    basis.check_every(view, OPTIONS)
    told = story.told(library, view).view
    lengths = sum(float(told.values(key)[0]) for key in ("isl", "osl") if told.values(key))
    tokens = told.option("context") or selection.written(lengths or 2048.0)
    cached = told.option("cache") or "bf16"
    return basis.written_out(told.with_options(cache=cached, context=tokens))


def choices(library: Library, view: View) -> Choices:
    """The precisions a KV cache can have."""
    return {"cache": [("bf16", "BF16"), ("fp8", "FP8")]}


def answer(library: Library, view: View) -> Answer[Memory]:
    """What fits on the selected accelerators, else on those the story was measured on, else on every known one."""
    whole = complete(library, view)
    first, *others = [
        _found(library, whole, model) for model in side_by_side.models(library, whole) or (None,)
    ]
    found, said = (
        replace(first, beside=tuple(others)),
        statements.of_models((first, *others)) if others else statements.told(first),
    )
    gone = (caveat("not_loaded", text) for text in selection.not_loaded(library, whole))
    return Answer(
        QUESTION, whole, found, (*said, *gone), _rows((first, *others)),
        (Why("Requests that fit", "(0.9 x memory - weights) / KV cache of a request",
             "parameters x bytes of the precision; KV bytes of a token x tokens, a window's layers up to the window",
             SOURCE),),
        library.version,
    )  # fmt: skip


def robustness(library: Library, view: View) -> Robustness | None:
    """None: facts are the same whatever way one looks."""
    return None


def _rows(founds: Sequence[Memory]) -> pd.DataFrame:
    """One row for each count of chips; of several models with whose it is."""
    rows = [
        {**asdict(fit), **({"model": one.model} if len(founds) > 1 else {})}
        for one in founds
        for fit in one.fits
    ]
    return pd.DataFrame(rows, columns=None if rows else list(Fit.__dataclass_fields__))


def _found(library: Library, view: View, one: str | None) -> Memory:
    """What fits of one model, else of the View's only one."""
    model, precision = ((view.values(key) or (None,))[0] for key in ("model", "precision"))
    if one and not precision:
        alone = story.told(library, View(story.own_choice(view).with_where(model=[one]).where)).view
        precision = (alone.values("precision") or (None,))[0]
    model = one or model
    kv, tokens = view.option("cache"), float(view.option("context"))
    each = memory.cache_gib(model, kv, tokens)
    slugs = _accelerators(library, view)
    rooms = [(slug, memory.room(model, precision, kv, slug, chips)) for slug in slugs for chips in CHIPS]
    fits = tuple(
        Fit(slug, room.accelerators, room.memory_gib, room.weights_gib, room.served_gib, room.holds(each))
        for slug, room in rooms
        if room is not None
    )
    known = {one.accelerator for one in fits}
    return Memory(model, precision, kv, tokens, fits, tuple(slug for slug in slugs if slug not in known))


def _accelerators(library: Library, view: View) -> list[str]:
    condition = selection.clause(View(view.where))
    found = library.fetch(
        f"SELECT DISTINCT accelerator FROM points WHERE {condition.sql} ORDER BY 1", condition.params
    )
    measured = [slug for (slug,) in found if slug]
    asked = [slug for text in view.values("accelerator") for slug in names.matching("accelerator", text)]
    return list(
        dict.fromkeys(asked or measured or [row.slug for row in names.accelerators() if row.memory_gb])
    )
