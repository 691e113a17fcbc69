"""A View's lines with their numbers: efficiencies, laws, memory, and replicas against wide instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from bench import catalogue, selection
from bench.basis.evidence import Ranking
from bench.basis.likeness import fact_words
from bench.basis.prices import ChipPrice, Choice
from bench.chart import setting
from bench.library import Library
from bench.maths import interpolation, scaling
from bench.maths.scaling import Instance
from bench.questions.scaling import operating
from bench.questions.scaling.lines import LinePoints, census
from bench.questions.scaling.operating import BEST, FEWEST_COUNTS, INTERACTIVITY, Own
from bench.questions.scaling.result import EVERY, AbsentCounts, ChipCount, Line, Replicas, Scaling, Way
from bench.view import View

MOST_LINES = 8
TOLD_APART = tuple(
    (
        "model precision kv_precision engine engine_version speculation disaggregated scenario dataset harness source "
        "load_kind variant"
    ).split()
)
"""What names a line where there is one for each deployment."""


@dataclass(frozen=True)
class DrawnLines:
    """The lines of a selection that are drawn, at most MOST_LINES, what tells them apart, and what else is held.

    `shares_a_load` is that some line, drawn or not, has two counts at one load.
    """

    group: str
    lines: tuple[LinePoints, ...]
    lone: tuple[Any, ...]
    several: int
    shares_a_load: bool

    @property
    def points(self) -> list[Own]:
        """The points of each line."""
        return [one.points for one in self.lines]

    @property
    def seen(self) -> str | None:
        """The interactivity that most of the points state."""
        return _usual(self, operating.INTERACTIVE)


def drawn(library: Library, ranking: Ranking, metric: str, group: str) -> DrawnLines:
    """The lines to draw: of each group the first whose counts can be compared, else the one most worth drawing."""
    held, lone, several = census(library, ranking, metric, group)
    groups: dict[Any, list[LinePoints]] = {}
    for place, one in enumerate(held):
        groups.setdefault(place if group == EVERY else one.owner, []).append(one)
    firsts = (
        next((one for one in own if operating.compared(one.points) >= FEWEST_COUNTS), own[0]) for own in groups.values()
    )
    lines = tuple(islice(firsts, MOST_LINES))
    return DrawnLines(group, lines, tuple(lone), several, any(one.shared >= FEWEST_COUNTS for one in held))


def disaggregated(library: Library, view: View) -> list[tuple[str, View]]:
    """Disaggregated deployments, which are left out unless they are chosen, where the selection has some."""
    if view.values("disaggregated") or not library.has("disaggregated"):
        return []
    split = view.with_where(disaggregated=["true"])
    return [("Compare disaggregated deployments", split)] if selection.count(library, split) else []


def scaling_lines(
    metric: str, way: Way, level: float | None, chosen: DrawnLines, prices: Mapping[str, ChipPrice], choice: Choice
) -> Scaling:
    """The answer's lines, those with an ordinary base and the most counts first."""
    common = operating.level_of(chosen.points, way, chosen.seen)
    here = Scaling(
        metric,
        way,
        common if level is None and way != BEST else level,
        common,
        chosen.group,
        seen=chosen.seen,
        tpot=_usual(chosen, "tpot_ms"),
        ttft=_usual(chosen, "ttft_ms"),
        lone=tuple(sorted(word(chosen.group, one) for one in chosen.lone)),
        other_lines=chosen.several - len(chosen.lines),
        shares_a_load=chosen.shares_a_load,
        prices=prices if metric in catalogue.PRICED.values() else {},
        choice=choice,
    )
    lines, absent = [], []
    for held, (label, beside) in zip(chosen.lines, _names(chosen), strict=True):
        met = operating.places(held.points, way, here.level, here.seen)
        absent += _absent(label, way, held.points, met)
        if met:
            lines.append(_judged(here, Line(held.owner, label, beside, tuple(met)), held.points))
    lines.sort(key=lambda one: (one.is_starved, -len(one.judged), -len(one.places)))
    return replace(here, lines=tuple(lines), absent=tuple(absent))


def with_law(line: Line) -> Line:
    """The line with the law that fits its counts best; Amdahl's is none of one that gives more than its share."""
    if not line.judged:
        return line
    counts, values = zip(*((place.accelerators, place.throughput) for place in line.compared), strict=True)
    amdahl = None if line.beyond_linear else scaling.amdahl(counts, values)
    fitted = [law for law in (amdahl, scaling.usl(counts, values)) if law is not None and law.fits]
    law = min(fitted, key=lambda one: (one.predicted is None, one.error), default=None)
    return replace(line, law=law, is_amdahl=law is not None and law is amdahl)


def _judged(this: Scaling, line: Line, points: Own) -> Line:
    """The line with the efficiencies, rooms and replicas that follow from its places."""
    near = [place for place in line.places if place.is_near]
    if len(near) < FEWEST_COUNTS:
        return line
    base, facts = near[0], line.facts
    shares = scaling.efficiencies([one.accelerators for one in near], [one.throughput for one in near])
    judged = {
        one.accelerators: replace(one, efficiency=share, speedup=one.throughput / base.throughput)
        for one, share in zip(near, shares, strict=True)
    }
    places = tuple(judged.get(one.accelerators, one) for one in line.places)
    line = replace(line, places=places)
    if facts.disaggregated or facts.load_kind == "scenario":
        return line
    smallest = operating.counts_of(points)[base.accelerators]
    replicas = (_replicas(this, line, wide, smallest) for wide in line.judged)
    return replace(line, replicas=tuple(one for one in replicas if one is not None))


def _absent(label: str, way: Way, points: Own, met: Sequence[ChipCount]) -> list[AbsentCounts]:
    """The counts of a line that were not measured where counts are compared, and why."""
    there = {place.accelerators for place in met}
    loads = {chips: {one.load for one in own} for chips, own in operating.counts_of(points).items()}
    gone = tuple(chips for chips in loads if chips not in there)
    rising = tuple(chips for chips in gone if len(loads[chips]) > 1)
    once = tuple(chips for chips in gone if chips not in rising)
    told = [AbsentCounts(label, "rising", rising), AbsentCounts(label, "once", once)]
    return [one for one in (told if way == BEST else [AbsentCounts(label, "level", gone)]) if one.accelerators]


def _replicas(this: Scaling, line: Line, wide: ChipCount, smallest: Own) -> Replicas | None:
    """The place against replicas of the base; None where the base's chips do not divide its own."""
    base, price = line.base, this.prices.get(line.facts.accelerator or "")
    usd = None if price is None else price.usd / this.choice.utilisation
    against = scaling.against_replicas(_instance(this, wide), _instance(this, base), usd)
    if against is None:
        return None
    loaded = this.way not in (BEST, INTERACTIVITY) and this.level is not None
    each, tpot = _at_part(this, against.replicas, smallest) if loaded else (None, None)
    return Replicas(
        place=f"{base.point.facts.point_id}:{against.replicas}",
        against=against,
        each_load=this.level if loaded else None,
        shared_throughput=None if each is None else each * against.replicas,
        shared_tpot_ms=tpot,
    )


def _at_part(this: Scaling, replicas: int, smallest: Own) -> tuple[float | None, float | None]:
    """Throughput and TPOT of the smallest count at its part of the level, as measured there or around it."""
    loads = ((one.load_of(this.way), one) for one in sorted(smallest, key=lambda one: one.value) if one.kept)
    curve = {load: one for load, one in loads if load is not None}
    values, tpots = zip(*((one.value, one.figures.get(this.tpot or "")) for one in curve.values()), strict=True)
    part = (this.level or 0) / replicas
    return interpolation.at(list(curve), values, part), interpolation.at(list(curve), tpots, part)


def _instance(this: Scaling, place: ChipCount) -> Instance:
    return Instance(place.accelerators, place.throughput, place.figure(this.tpot), place.figure(this.ttft))


def _names(chosen: DrawnLines) -> list[tuple[str, str]]:
    """The names of the lines, with and without their accelerator: their group's value, or what tells them apart."""
    firsts = [one.points[0] for one in chosen.lines]
    if chosen.group != EVERY:
        labels = [word(chosen.group, one.owner) for one in chosen.lines]
        return [(label, "" if chosen.group == "accelerator" else label) for label in labels]
    keys = [key for key in TOLD_APART if len({getattr(one.facts, key) for one in firsts}) > 1]
    apart = len({one.asked for one in firsts}) > 1
    names = []
    for one in firsts:
        told = [(key, getattr(one.facts, key)) for key in keys]
        told += [("isl", one.asked[0]), ("osl", one.asked[1])] * apart
        beside = ", ".join(word(key, value) for key, value in told if value is not None)
        accelerator = word("accelerator", one.facts.accelerator)
        names.append((", ".join(filter(None, (accelerator, beside))), beside))
    return names


def word(key: str, value: Any) -> str:
    """A value of a column as it names a line: "FP8", "no speculation", "1,000 tokens in"."""
    return setting(key, value) if key in ("isl", "osl") else fact_words(key, value)


def _usual(chosen: DrawnLines, base: str) -> str | None:
    return operating.usual((one for own in chosen.points for one in own), base)
