"""The why of a scaling answer: each formula with what its first line puts into it, and its source."""

from __future__ import annotations

from collections.abc import Sequence

from bench import catalogue
from bench.catalogue import Metric
from bench.questions import Why
from bench.questions.scaling.defaults import Prepared
from bench.questions.scaling.measured import Line
from bench.questions.scaling.operating import INTERACTIVITY
from bench.questions.scaling.prices import source
from bench.questions.scaling.sentences import bracket, chips, where
from bench.wording import counted, joined, number


def reasons(this: Prepared, lines: Sequence[Line]) -> list[Why]:
    """Where each number comes from; the inputs are those of the first line."""
    metric = catalogue.metric(this.metric)
    first = next((line for line in lines if line.judged), None)
    found = [
        Why(metric.label, metric.formula, metric.definition, metric.source),
        _efficiency(lines, first, metric),
        Why("Line", "equal in everything but chips, layout and load; the best layout at each count of chips",
            f"{where(this.way, this.level)}; points of one run, or of one stated engine version",
            "Kneepoint's definition"),
    ]  # fmt: skip
    if first is not None and first.replicas:
        against = first.replicas[-1].against
        found.append(Why("Replicas (projected)", "chips / base chips x throughput of the base",
                         f"{first.label}: {against.accelerators} / {first.base.accelerators} x"
                         f" {number(first.base.throughput)} = {number(against.replicas_throughput)} {metric.unit};"
                         " independent instances of the smallest count, load spread evenly",
                         "Kneepoint's definition"))  # fmt: skip
    if this.way == INTERACTIVITY:
        found.append(_interpolated(this, lines))
    for line in lines:
        room = line.rooms[line.start]
        if room is not None:
            found.append(Why("Room for KV cache", "memory per chip x chips - parameters x bytes per weight",
                             f"{line.label} on {chips(room.accelerators)}: {number(room.memory_gb)} -"
                             f" {number(room.weights_gb)} = {number(room.room_gb)} GB of 1e9 bytes; an engine keeps"
                             " some of it for itself",
                             "published facts (data/models.csv, data/accelerators.csv)"))  # fmt: skip
            break
    return [*found, *_laws(lines), *_cost(this, first)]


def _efficiency(lines: Sequence[Line], first: Line | None, metric: Metric) -> Why:
    efficiency = catalogue.metric("scaling_efficiency")
    inputs = "the smallest measured count is the base; no two counts are compared here"
    if first is not None:
        place, value = first.judged[-1]
        wide = first.places[place]
        bases = joined(
            [f"{line.label} from {counted(line.base.accelerators, 'chip')}" for line in lines if line.judged],
            at_most=8,
        )
        inputs = (
            f"{first.label}: ({number(wide.throughput)} / {number(first.base.throughput)} {metric.unit}) /"
            f" ({wide.accelerators} / {first.base.accelerators}) = {number(value)}; the smallest measured count is the"
            f" base: {bases}"
        )
    return Why("Efficiency", efficiency.formula, inputs, efficiency.source)


def _interpolated(this: Prepared, lines: Sequence[Line]) -> Why:
    place = next((place for line in lines for place in line.places if place.between), None)
    inputs = "every count was measured there"
    if place is not None and place.between is not None and this.seen is not None and this.level is not None:
        one, other = place.between
        inputs = (
            f"{bracket(place)}: x0 = {number(one[this.seen])}, y0 = {number(one['value'])},"
            f" x1 = {number(other[this.seen])}, y1 = {number(other['value'])}, x = {number(this.level)}; never beyond"
            " the ends of a count's own frontier"
        )
    return Why("Throughput at equal interactivity", "y0 (y1 / y0)^(log(x / x0) / log(x1 / x0))", inputs,
               "straight lines on log-log axes")  # fmt: skip


def _laws(lines: Sequence[Line]) -> list[Why]:
    found = []
    amdahl = next((line for line in lines if line.amdahl is not None), None)
    usl = next((line for line in lines if line.usl is not None), None)
    if amdahl is not None and amdahl.amdahl is not None:
        law = amdahl.amdahl
        found.append(Why("Amdahl's law", "T(n) = T1 / (s + (1 - s) / n)",
                         f"{amdahl.label}: T1 = {number(law.unit_throughput)}, s = {number(law.contention)}; least"
                         " squares on measured / fitted - 1",
                         "Amdahl, AFIPS Spring Joint Computer Conference 1967"))  # fmt: skip
    if usl is not None and usl.usl is not None:
        law = usl.usl
        found.append(Why("Universal Scalability Law", "T(n) = λ n / (1 + σ (n - 1) + κ n (n - 1))",
                         f"{usl.label}: λ = {number(law.unit_throughput)}, σ = {number(law.contention)}, κ ="
                         f" {number(law.coherency)}; its peak is at sqrt((1 - σ) / κ), with Fieller's"
                         " interval; least squares on measured / fitted - 1",
                         "Gunther, Guerrilla Capacity Planning, Springer 2007; Fieller, Journal of the Royal"
                         " Statistical Society B 16, 1954"))  # fmt: skip
    return found


def _cost(this: Prepared, first: Line | None) -> list[Why]:
    if first is None or not first.replicas or first.replicas[-1].usd_per_million is None:
        return []
    cost, row = catalogue.metric("usd_per_million_output_tokens"), first.replicas[-1]
    price = this.prices[first.facts["accelerator"]]
    each = number(row.against.throughput_per_accelerator)
    inputs = (
        f"{first.label} on {chips(row.against.accelerators)}: {number(price.median)} USD/h per chip, {each} per chip,"
        f" always busy: {number(price.median)} / ({each} x 3,600) x 1,000,000 = {number(row.usd_per_million)};"
        f" {price.words}"
    )
    return [Why(cost.label, cost.formula, inputs, source(this.view))]
