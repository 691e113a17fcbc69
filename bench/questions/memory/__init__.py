"""What fits in memory? The chips that hold a model's weights, and how many requests' KV cache fits beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

import pandas as pd

from bench import basis, names, selection
from bench.basis import model_shape, side_by_side, story, subject
from bench.basis.memory import weight_format
from bench.basis.options import Option
from bench.basis.subject import Subject
from bench.basis.variations import Robustness
from bench.chart import value_label
from bench.library import Library
from bench.maths import model_memory
from bench.maths.model_shape import LATENT, ModelShape
from bench.questions import Answer, Choices, Column, Steps, Why, counting, pipeline
from bench.questions.memory import fitting, verdict
from bench.questions.memory.figure import figure as figure
from bench.questions.memory.fitting import BEST, DP, TP, MemorySettings
from bench.questions.memory.result import Fit, Memory
from bench.view import View

TITLE = "Memory"
QUESTION = "What fits in memory?"
SECTION = "Size"
ORDER = 71
NEEDS = "facts"
WEIGHTS = {
    "bf16": "BF16",
    "fp8": "FP8",
    "int8": "INT8",
    "fp4": "FP4",
    "nvfp4": "NVFP4",
    "mxfp4": "MXFP4",
    "int4": "INT4",
}
SPAN = ("bf16", "fp8", "fp4")
"""The widths that weights are served at, for the range where the reader chose no precision."""
STATED = "stated"
CHARTS = {"chips": "Requests by chips", "requests": "Requests by length", "longest": "Longest request"}
LAYOUTS = {BEST: "As holds the most", TP: "Tensor parallel", DP: "Data parallel, experts over all"}

OPTIONS = (
    Option("weights", "Weights", "choice", "The precision of the weights.", (STATED, *WEIGHTS), default=STATED),
    Option("cache", "KV cache", "choice", "The precision of the KV cache.", ("bf16", "fp8"), default="bf16"),
    Option("context", "Tokens of a request", "number", "Prompt and output together, in tokens.", least=1, most=1e7),
    Option("chart", "Chart", "choice",
           "What is drawn: requests by chips, or a heatmap of requests or of the longest request.", tuple(CHARTS),
           default="chips"),
    Option("on", "Accelerator", "choice", "The accelerator that a heatmap is of."),
    Option("layout", "Devices share", "choice", "How the devices of a deployment share the model.", tuple(LAYOUTS),
           default=BEST),
    Option("memory_used", "Memory used", "number", "The share of its memory that an engine uses, from 0.01 to 1.",
           least=0.01, most=1, example="0.9", default="0.9"),
    Option("reserve", "Reserved (GiB)", "number", "GiB of each device kept for activations and buffers.", least=0,
           most=1000, example="5", default="0"),
)  # fmt: skip
COLUMNS = (
    Column("memory_gib", "Memory", "GiB"),
    Column("weights_gib", "Weights", "GiB"),
    Column("room_gib", "Room for KV cache", "GiB"),
    Column("requests", "Requests that fit", "", 0),
    Column("requests_reserved", "With the reserve of vLLM", "", 0),
    Column("longest", "Longest request", "tokens", 0),
    Column("tp", "TP", "", 0),
    Column("dp", "DP", "", 0),
    Column("at_least", "Weights at least"),
    *(Column(f"fewest_{one}", f"Fewest chips, {WEIGHTS[one]}", "", 0) for one in SPAN),
)
STEPS = Steps(counting("accelerator", "is compared", "are compared"))

SOURCE = "published facts: data/models.csv or a config.json, and data/accelerators.csv; docs/sizing.md has each formula"
WHY = Why(
    "Requests that fit",
    "(share used x memory - reserve - weights) / KV cache of a request, on each device",
    "weights at the precision, embeddings and head at 16 bit; cache by kind of attention",
    SOURCE,
)


def complete(library: Library, view: View) -> View:
    """The View with the story filled in, a BF16 cache and requests of the story's lengths."""
    basis.check_every(view, OPTIONS)
    filled = story.of(library, view).view
    lengths = sum(float(filled.values(key)[0]) for key in ("isl", "osl") if filled.values(key))
    defaults = {one.key: one.default for one in OPTIONS if one.default}
    defaults["context"] = selection.written(lengths or 2048.0)
    whole = basis.written_out(filled.with_options(**{key: filled.option(key) or one for key, one in defaults.items()}))
    if whole.option("chart") == "chips":
        return whole
    drawn = _memory(library, whole, next(iter(side_by_side.models(library, whole)), None)).on
    return whole.with_options(on=drawn) if drawn else whole


def choices(library: Library, view: View) -> Choices:
    """The precisions of weights and cache, the charts, and the accelerators that are compared."""
    known = [slug for slug in _accelerators(library, view) if (chip := names.accelerator(slug)) and chip.memory_gb]
    return {
        "weights": [(STATED, "As stated"), *WEIGHTS.items()],
        "cache": [("bf16", "BF16"), ("fp8", "FP8")],
        "chart": list(CHARTS.items()),
        "layout": list(LAYOUTS.items()),
        "on": [(slug, value_label("accelerator", slug)) for slug in known],
    }


def answer(library: Library, view: View) -> Answer[Memory]:
    """What fits on the selected accelerators, else on all that are known."""
    whole = complete(library, view)
    first, *others = [_memory(library, whole, model) for model in side_by_side.models(library, whole) or (None,)]
    said = verdict.of_models((first, *others)) if others else verdict.statements(first)
    result, rows = replace(first, beside=tuple(others)), _rows((first, *others))
    made = pipeline.answer(library, QUESTION, whole, result, said, rows, (WHY,))
    return replace(made, subject=_subject(whole, (first, *others)))


def robustness(library: Library, view: View) -> Robustness | None:
    """None: facts are the same whatever way one looks."""
    return None


def _subject(view: View, founds: Sequence[Memory]) -> Subject:
    """What it is about: the models by the names that people gave them, and the precision that the weights are taken in.

    Models side by side that differ in precision have none in common; the verdict names each one's.
    """
    named = tuple(one.name for one in founds if one.name)
    precisions = {one.precision for one in founds}
    return replace(subject.of(view), models=named, precision=precisions.pop() if len(precisions) == 1 else None)


def _rows(founds: Sequence[Memory]) -> pd.DataFrame:
    """One row for each count of chips with the accelerator's range over precisions, of several models with whose it is;
    where the precision is not known one for each accelerator, with its range alone."""
    rows = [
        {
            **fit,
            **({"model": one.model} if len(founds) > 1 else {}),
            **{f"fewest_{name}": chips for name, chips in one.ranges.get(fit["accelerator"], {}).items()},
        }
        for one in founds
        for fit in (list(map(asdict, one.fits)) or [{"accelerator": slug} for slug in one.ranges])
    ]
    return pd.DataFrame(rows, columns=None if rows else list(Fit.__dataclass_fields__))


def _memory(library: Library, view: View, one: str | None) -> Memory:
    """What fits of one model, else of the View's only one."""
    model, precision = ((view.values(key) or (None,))[0] for key in ("model", "precision"))
    model, chosen = one or model, view.option("weights")
    if model and not precision:  # the filter's points state none: that of the model's own story
        alone = story.of(library, View.of({"model": [model]})).view
        precision = (alone.values("precision") or (None,))[0]
    if model and precision and chosen == STATED:
        alike = view.with_where(model=[model], precision=[precision])
        precision = weight_format(precision, _checkpoints(library, alike))
    precision = precision if chosen == STATED else chosen
    settings = MemorySettings(
        (precision or "").lower(),
        view.option("cache"),
        float(view.option("memory_used")),
        float(view.option("reserve")),
        view.option("layout"),
        float(view.option("context")),
    )
    slugs, shape = _accelerators(library, view), model_shape.of(library, model)
    memory = Memory(
        model,
        precision,
        settings.kv_precision,
        settings.tokens,
        () if shape is None else tuple(fitting.fits(shape, settings, slugs)),
        (),
        utilisation=settings.utilisation,
        reserve_gib=settings.reserve_gib,
        layout=settings.layout,
        chart=view.option("chart"),
        name=library.model_name(model) if model else None,
    )
    known = [slug for slug in slugs if (chip := names.accelerator(slug)) and chip.memory_gb]
    memory = replace(memory, unknown=tuple(slug for slug in slugs if slug not in known))
    if shape is None:
        return memory
    if shape.total_params and chosen == STATED and not story.own_choice(view).values("precision"):
        memory = _with_range(memory, shape, settings, known)
    return _with_shape(memory, shape, settings, view.option("on"))


def _checkpoints(library: Library, view: View) -> list[str | None]:
    """The checkpoints that a View's points state, None for one that states none."""
    condition = selection.clause(View(view.where))
    rows = library.fetch(f"SELECT DISTINCT checkpoint FROM points WHERE {condition.sql}", condition.params)
    return [one for (one,) in rows]


def _with_range(memory: Memory, shape: ModelShape, settings: MemorySettings, slugs: Sequence[str]) -> Memory:
    """The same with the fewest chips that have room for a request at each width of weights, the widest first."""
    ways = ((one, fitting.fits(shape, replace(settings, precision=one), slugs)) for one in SPAN)
    fewest = {one: replace(memory, fits=tuple(fits)).fewest() for one, fits in ways}
    chips = {one: {fit.accelerator: fit.accelerators for fit in first} for one, first in fewest.items()}
    return replace(
        memory,
        by_precision=tuple((one, first[0]) for one, first in fewest.items() if first),
        ranges={slug: {one: chips[one].get(slug) for one in SPAN} for slug in slugs},
    )


def _with_shape(memory: Memory, shape: ModelShape, settings: MemorySettings, on: str) -> Memory:
    """The same with what follows from the model's shape: heatmaps of one accelerator, reserves and engines' logs."""
    there = [one.accelerator for one in (*memory.fewest(), *memory.fits)]
    drawn = on if on in there else next(iter(there), None)
    reserved = model_memory.reserve(shape)
    return replace(
        memory,
        total_params=shape.total_params,
        has_computed_params=shape.has_computed_params,
        is_latent=any(group.kind == LATENT for group in shape.groups),
        reserve_range_gib=(reserved.least_gib, reserved.most_gib),
        on=drawn,
        requests_by=() if drawn is None else tuple(fitting.requests_by(shape, settings, drawn)),
        longest_by=() if drawn is None else tuple(fitting.longest_by(shape, settings, drawn)),
        allocations=tuple(fitting.allocations(shape, settings.precision)),
    )


def _accelerators(library: Library, view: View) -> list[str]:
    """The accelerators of the View's filter, else all that are known, those that the View has points on first.

    What fits needs no measurement, so a filter of accelerators is answered for whatever it names.
    """
    asked = [slug for text in view.values("accelerator") for slug in names.matching("accelerator", text)]
    if asked:
        return list(dict.fromkeys(asked))
    condition = selection.clause(View(view.where))
    found = library.fetch(f"SELECT DISTINCT accelerator FROM points WHERE {condition.sql} ORDER BY 1", condition.params)
    measured = [slug for (slug,) in found if slug]
    return list(dict.fromkeys([*measured, *(row.slug for row in names.accelerators())]))
