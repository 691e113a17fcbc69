"""The why of a scaling answer: each formula with what its first line puts into it, and its source."""

from __future__ import annotations

from collections.abc import Iterator

from bench import catalogue
from bench.questions import Why
from bench.questions.scaling.operating import INTERACTIVITY
from bench.questions.scaling.result import STARVED, Line, Scaling
from bench.questions.scaling.statements import chips, where
from bench.wording import number

OWN = "Kneepoint's definition"
FILLED_IN = Why(
    "Model, precision and workload, where nobody chose them",
    "the story with the most points times accelerators among those with two counts of chips at one load",
    f"first those where no count of chips gives over {STARVED:g} times its share of the smallest, which is short of"
    " memory there",
    OWN,
)


def why(scaling: Scaling, *, chosen: bool = False) -> tuple[Why, ...]:
    """Where each number comes from, and of a story that nobody chose how it was; the inputs are of the first line."""
    metric, efficiency = scaling.row, catalogue.metric("scaling_efficiency")
    first = next(iter(scaling.headline_lines or scaling.steps), None)
    inputs = "the smallest measured count is the base; no two counts are compared here"
    if first is not None:
        last, base = first.judged[-1], first.base
        inputs = (
            f"{first.label}: ({number(last.throughput)} / {number(base.throughput)} {metric.unit}) /"
            f" ({last.accelerators} / {base.accelerators}) = {number(last.efficiency)}"
        )
    return (
        Why(metric.label, metric.formula, metric.definition, metric.source),
        Why("Efficiency", efficiency.formula, inputs, efficiency.source),
        Why(
            "Line",
            "equal in everything but chips, layout and load; the best layout at each count of chips",
            f"{where(scaling.way, scaling.level)}; newest runs, of one stated engine version",
            OWN,
        ),
        *(_of(scaling, first) if first is not None else ()),
        *(() if chosen else (FILLED_IN,)),
    )


def _of(scaling: Scaling, first: Line) -> Iterator[Why]:
    """The formulas behind what else is said of the first line."""
    if first.replicas:
        against = first.replicas[-1].against
        yield Why(
            "Replicas (projected)",
            "chips / base chips x throughput of the base",
            f"{first.label}: {against.accelerators} / {first.base.accelerators} x {number(first.base.throughput)}"
            f" = {number(against.replicas_throughput)} {scaling.row.unit}",
            OWN,
        )
        usd, price = against.usd_per_million, scaling.prices.get(first.facts.accelerator or "")
        if usd is not None and price is not None:
            cost = catalogue.metric("usd_per_million_output_tokens")
            each, used = number(against.throughput_per_accelerator), number(scaling.choice.utilisation)
            yield Why(
                cost.label,
                cost.formula,
                f"{first.label} on {chips(against.accelerators)}: {number(price.usd)} / ({each} x {used} x 3,600)"
                f" x 1,000,000 = {number(usd)}; {price.words}",
                scaling.choice.words,
            )
    if scaling.way == INTERACTIVITY:
        yield Why(
            "Throughput at equal interactivity",
            "y0 (y1 / y0)^(log(x / x0) / log(x1 / x0))",
            "between the two measured points around it, never beyond the ends of a count's own frontier",
            "straight lines on log-log axes",
        )
    room = first.rooms[first.start]
    if room is not None:
        yield Why(
            "Room for KV cache",
            "memory per chip x chips - parameters x bytes per weight",
            f"{first.label} on {chips(room.accelerators)}: {number(room.memory_gib)} - {number(room.weights_gib)}"
            f" = {number(room.room_gib)} GiB; an engine keeps some of it for itself",
            "published facts (data/models.csv, data/accelerators.csv)",
        )
    yield from _laws(first)


def _laws(line: Line) -> Iterator[Why]:
    fitted = "; least squares on measured / fitted - 1"
    for law in line.laws:
        unit, share = number(law.unit_throughput), number(law.contention)
        if law is line.amdahl:
            yield Why(
                "Amdahl's law",
                "T(n) = T1 / (s + (1 - s) / n)",
                f"{line.label}: T1 = {unit}, s = {share}{fitted}",
                "Amdahl, AFIPS Spring Joint Computer Conference 1967",
            )
        else:
            yield Why(
                "Universal Scalability Law",
                "T(n) = λ n / (1 + σ (n - 1) + κ n (n - 1))",
                f"{line.label}: λ = {unit}, σ = {share}, κ = {number(law.coherency)}; its peak is at"
                f" sqrt((1 - σ) / κ), with Fieller's interval{fitted}",
                "Gunther, Guerrilla Capacity Planning, Springer 2007; Fieller, Journal of the Royal Statistical"
                " Society B 16, 1954",
            )
