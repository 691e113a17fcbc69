"""The why of a scaling answer: each formula with what its first line puts into it, and its source."""

from __future__ import annotations

from collections.abc import Iterator

from bench import catalogue
from bench.questions import Why
from bench.questions.scaling.operating import INTERACTIVITY
from bench.questions.scaling.result import STARVED, Line, Scaling
from bench.questions.scaling.verdict import hardware, where
from bench.wording import number

OWN = "Kneepoint's definition"
FILLED_IN = Why(
    "Model, precision and workload, where nobody chose them",
    "the story with the most points times accelerators among those with two counts of chips at one load",
    f"first those where no count of chips gives over {STARVED:g} times its share of the smallest, which is short of"
    " memory there",
    OWN,
)
EQUAL_INTERACTIVITY = Why(
    "Throughput at equal interactivity",
    "y0 (y1 / y0)^(log(x / x0) / log(x1 / x0))",
    "between the two measured points around it, never beyond the ends of a count's own frontier",
    "straight lines on log-log axes",
)
AMDAHL = ("Amdahl's law", "T(n) = λ n / (1 + σ (n - 1))", "Amdahl, AFIPS Spring Joint Computer Conference 1967")
USL = (
    "Universal Scalability Law",
    "T(n) = λ n / (1 + σ (n - 1) + κ n (n - 1)), with its peak at sqrt((1 - σ) / κ)",
    "Gunther, Guerrilla Capacity Planning, Springer 2007; the peak's interval is Fieller's, Journal of the Royal"
    " Statistical Society B 16, 1954",
)


def why(found: Scaling, *, chosen: bool) -> Iterator[Why]:
    """Where each number comes from, and of a story that nobody chose how it was; the inputs are of the first line."""
    metric, efficiency, first = found.row, catalogue.metric("scaling_efficiency"), next(iter(found.steps), None)
    inputs = "the smallest measured count is the base; no two counts are compared here"
    if first is not None:
        last, base = first.judged[-1], first.base
        gained = f"({number(last.throughput)} / {number(base.throughput)} {metric.unit})"
        counts = f"({last.accelerators} / {base.accelerators})"
        inputs = f"{first.label}: {gained} / {counts} = {number(last.efficiency)}"
    yield Why(metric.label, metric.formula, metric.definition, metric.source)
    yield Why("Efficiency", efficiency.formula, inputs, efficiency.source)
    yield Why(
        "Line",
        "equal in everything but chips, layout and load; the best layout at each count of chips",
        f"{where(found.way, found.level)}; newest runs, of one stated engine version or else of one run",
        OWN,
    )
    if found.way == INTERACTIVITY:
        yield EQUAL_INTERACTIVITY
    if first is not None:
        yield from _of(found, first)
    if not chosen:
        yield FILLED_IN


def _of(found: Scaling, first: Line) -> Iterator[Why]:
    """The formulas behind what else is said of the first line."""
    if first.replicas:
        one = first.replicas[-1].against
        each, of = number(first.base.throughput), f"{one.accelerators} / {first.base.accelerators}"
        inputs = f"{first.label}: {of} x {each} = {number(one.replicas_throughput)} {found.row.unit}"
        yield Why("Replicas (projected)", "chips / base chips x throughput of the base", inputs, OWN)
        price = found.prices.get(first.facts.accelerator or "")
        if one.usd_per_million is not None and price is not None:
            each, used = number(one.throughput_per_accelerator), number(found.choice.utilisation)
            usd = f"{number(price.usd)} / ({each} x {used} x 3,600) x 1,000,000 = {number(one.usd_per_million)}"
            inputs = f"{hardware(first, one.accelerators)}: {usd}; {price.words}"
            yield Why(found.cost.label, found.cost.formula, inputs, found.choice.words)
    room = first.room(first.base)
    if room is not None:
        left = f"{number(room.memory_gib)} - {number(room.weights_gib)} = {number(room.room_gib)} GiB"
        left += " at most" * room.is_lower_bound
        yield Why(
            "Room for KV cache",
            "memory per chip x chips - parameters x bytes per weight",
            f"{hardware(first, room.accelerators)}: {left}; an engine keeps some of it for itself",
            "published facts (data/models.csv, data/accelerators.csv)",
        )
    if law := first.law:
        what, formula, source = AMDAHL if first.is_amdahl else USL
        unit, share, coherency = number(law.unit_throughput), number(law.contention), number(law.coherency)
        inputs = f"{first.label}: λ = {unit}, σ = {share}, κ = {coherency}; least squares on measured / fitted - 1"
        yield Why(what, formula, inputs, source)
