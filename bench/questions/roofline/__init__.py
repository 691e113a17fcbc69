"""How close to the hardware? Points against what memory, compute units and links give at most, and what bound them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, cast

import pandas as pd

from bench import basis, catalogue, names
from bench.basis import evidence, side_by_side, stated_share, story, variations
from bench.basis.options import Option
from bench.basis.roofline import RooflinePhase
from bench.basis.story import Needs, Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.chart import value_label
from bench.errors import UnknownName
from bench.library import Library
from bench.questions import Answer, Choices, Column, Steps, Why, counting, pipeline
from bench.questions.roofline import ceilings, measured, verdict
from bench.questions.roofline.figure import figure as figure
from bench.questions.roofline.paths import UNITS
from bench.questions.roofline.result import BATCH, INTENSITY, HeldPoint, Roofline, closest
from bench.records import LOAD_AXES
from bench.view import View
from bench.wording import joined, number, share

TITLE = "Roofline"
QUESTION = "How close to the hardware?"
SECTION = "Size"
ORDER = 72
NEEDS = "points"
NONE = "none"
NOT_TOLD = "not told"
PHASES: dict[RooflinePhase, str] = {"served": "Prompts and outputs", "decode": "Decode steps", "prefill": "Prompts"}
AXES = {INTENSITY: "Operations per byte", BATCH: "Requests per step"}

OPTIONS = (
    Option("phase", "Phase", "choice", "What of a point is held against its ceiling.", tuple(PHASES), default="served"),
    Option(
        "axis",
        "Horizontal axis",
        "choice",
        "What lies across: the classic roofline, or the load.",
        tuple(AXES),
        default=INTENSITY,
    ),
    Option(
        "project",
        "Project onto",
        "choice",
        "An accelerator to draw hollow at batches it was not measured at.",
        default=NONE,
    ),
)
COLUMNS = (
    Column("requests_per_step", "Requests per step", "", 1),
    Column("ceiling", "Ceiling", "tokens/s", 0),
    Column("bound_by", "Bound by"),
    Column("intensity", "Operations per byte", "FLOP/byte", 1),
    Column("tflops_per_chip", "Operations per chip", "TFLOP/s", 2),
    Column("step_ms", "Step", "ms"),
    Column("memory_ms", "Reading takes", "ms"),
    Column("compute_ms", "Computing takes", "ms"),
    Column("exchange_ms", "Exchange takes", "ms"),
    Column("at_least", "At least"),
    Column("enters", "Ranked"),
)
STEPS = Steps(counting("accelerator", "is held against its ceiling", "are held against their ceilings"))

FACTS = tuple("model precision accelerator accelerators tp pp dp ep engine engine_version isl osl load_kind".split())
LAST = ("variant", "evidence", "source", "date", "source_url", "flags", "source_id")
SOURCE = "bench/maths/roofline.py names the source of each formula; docs/sizing.md, Roofline"


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and the story that the reader left open filled in."""
    return _story(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The phases, the axes, and every accelerator whose bandwidth is published."""
    chips = sorted((value_label("accelerator", slug), slug) for slug in _known())
    return {
        "phase": list(PHASES.items()),
        "axis": list(AXES.items()),
        "project": [(NONE, "Nothing"), *((slug, label) for label, slug in chips)],
    }


def answer(library: Library, view: View) -> Answer[Roofline]:
    """The points of a View against their ceilings."""
    chosen = _story(library, view)
    whole = chosen.view
    roofline = _roofline(library, whole)
    shown = [one.rig.model for one in roofline.points]
    said = (
        *verdict.statements(roofline),
        *side_by_side.left_out(library, whole, shown, "no point that can be held against a ceiling"),
    )
    why = _why(roofline) if roofline.points else ()
    return pipeline.answer(library, QUESTION, whole, roofline, said, _rows(roofline), why, chosen, roofline.known)


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the same accelerator gets closest to its ceiling with one choice changed at a time."""
    whole = complete(library, view)
    phase = cast(RooflinePhase, whole.option("phase"))
    ranking = evidence.read(whole)
    if ranking.limits and not evidence.deciding(library, ranking, measured.usable_sql(library, phase)).names_a_best:
        return None

    def of_variation(one: Variation) -> Verdict | None:
        points = measured.held(measured.fetched(library, one.ranking, phase), phase)
        first = next(iter(closest(points)), None)
        if first is None:
            return None
        return Verdict(" ".join(map(str, first.rig)), f"{first.rig.hardware} gets closest to its limits")

    return variations.of(library, whole, None, of_variation, measured.usable_sql(library, phase))


def _story(library: Library, view: View) -> Story:
    """What the answer is about, its View complete."""
    basis.check_every(view, OPTIONS)
    phase = cast(RooflinePhase, view.option("phase", "served"))
    needs = Needs("point that can be held against a ceiling", measured.usable_sql(library, phase))
    chosen = story.of(library, view, needs)
    options = {"phase": phase, "axis": view.option("axis", INTENSITY), "project": _project(view.option("project"))}
    return replace(chosen, view=basis.written_out(chosen.view.with_options(**options)))


def _project(text: str) -> str:
    """The accelerator to project onto, by slug, alias or family; UnknownName for one of unknown bandwidth."""
    if text in ("", NONE):
        return NONE
    known = _known()
    spelled = (names.accelerator_slug(text), *names.matching("accelerator", text))
    slug = next((one for one in spelled if one in known), None)
    if slug is None:
        raise UnknownName("accelerator to project onto", text, known)
    return slug


def _known() -> list[str]:
    return [row.slug for row in names.accelerators() if row.hbm_tb_s]


def _roofline(library: Library, whole: View) -> Roofline:
    phase, ranking = cast(RooflinePhase, whole.option("phase")), evidence.read(whole)
    found = measured.fetched(library, ranking, phase)
    points = measured.held(found, phase)
    deciding = evidence.deciding(library, ranking, measured.usable_sql(library, phase))
    names_a_best = not ranking.limits or deciding.names_a_best
    rigs = ceilings.rigs(found, points)
    asked = whole.option("project")
    projected = None if asked == NONE else ceilings.projected(library, rigs, asked, phase)
    curves = [*ceilings.curves(rigs, phase)] if whole.option("axis") == BATCH else []
    return Roofline(
        phase=phase,
        axis=whole.option("axis"),
        points=points,
        closest=closest(points) if names_a_best else (),
        roofs=ceilings.roofs(rigs, projected),
        curves=(*curves, *(projected.curves(phase) if projected and curves else ())),
        projection=projected.projection if projected else None,
        breakdowns=tuple(measured.breakdowns(library, {one.rig for one in rigs})),
        tally=measured.tally(library, ranking, phase, sum(one.enters for one in points)),
        limits=ranking.limits,
        deciding=deciding,
        known=stated_share.of_headline(library, whole, deciding),
    )


def _rows(found: Roofline) -> pd.DataFrame:
    """One row for each point that is drawn, the nearest to its ceiling first."""
    ordered = sorted(found.points, key=lambda one: (not one.enters, -one.use.share, one.facts.point_id))
    return pd.DataFrame([_row(one, found.phase) for one in ordered], columns=None if ordered else ["point_id", *FACTS])


def _row(one: HeldPoint, phase: RooflinePhase) -> dict[str, Any]:
    facts, use = one.facts, one.use
    units = (one.load.isl if phase == "prefill" else use.requests) or 1.0
    times = {"memory_ms": use.least.memory, "compute_ms": use.least.compute, "exchange_ms": use.least.exchange}
    return {
        "point_id": facts.point_id,
        **{key: getattr(facts, key) for key in (*FACTS, *LOAD_AXES)},
        "requests_per_step": use.requests,
        "output_tokens_per_s": one.load.rate,
        "ceiling": use.ceiling,
        "ceiling_share": use.share,
        "model_bandwidth_utilisation": use.bandwidth,
        "model_flop_utilisation": use.compute,
        "bound_by": one.bound_by or NOT_TOLD,
        "intensity": use.work.intensity,
        "tflops_per_chip": use.operations_per_chip / 1e12,
        "step_ms": one.load.step_ms,
        **{key: None if time is None else 1000 * units * time for key, time in times.items()},
        "at_least": use.is_least,
        "enters": one.enters,
        **{key: getattr(facts, key) for key in LAST},
    }


def _why(roofline: Roofline) -> Iterator[Why]:
    """The formulas, with what went in of the point that the headline names."""
    first = next(iter(roofline.closest or roofline.points))
    use, facts = first.use, first.facts
    for key in ("ceiling_share", "model_bandwidth_utilisation", "model_flop_utilisation"):
        metric = catalogue.metric(key)
        value = {"ceiling_share": use.share, "model_bandwidth_utilisation": use.bandwidth}.get(key, use.compute)
        if value is not None:
            yield Why(metric.label, metric.formula, f"{share(value)} of {facts.words()}", metric.source)
    work, many = use.work, use.requests or 1.0
    inputs = [
        f"{number(use.rate)} {UNITS[roofline.phase].lower()}/s",
        f"{number(many)} requests per step" if use.requests is not None else "",
        f"{number(work.bytes / 1e9 * many)} GB read per step" if work.bytes and roofline.phase != "prefill" else "",
        f"{number(work.operations / 1e9)} GFLOP per token",
        f"at most {number(use.ceiling)}/s",
    ]
    yield Why(
        "Ceiling",
        "1 / (max(bytes / bandwidth, operations / peak) + bytes exchanged / link), for each token",
        joined([one for one in inputs if one], at_most=len(inputs)),
        SOURCE,
    )
    yield Why(
        "Bound by",
        "the largest of: bandwidth used, compute used, and latency, which is what the lightest step of the series takes"
        " beyond reading, computing and exchanging; scheduling where requests wait more than half of their time for"
        " their first token; not told where more than that is left over",
        f"the lightest step has at most {measured.LIGHT} requests",
        "Kneepoint's definition; docs/sizing.md, Roofline",
    )
