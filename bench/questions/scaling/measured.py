"""A line of a scaling chart with its numbers: efficiencies, laws, memory, and replicas against wide instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from bench.maths import cost, interpolation, scaling
from bench.maths.scaling import Instance, Law, ReplicaComparison
from bench.pricing import ChipPrice
from bench.questions.scaling import laws, memory, operating
from bench.questions.scaling.lines import LOADS, MLPERF
from bench.questions.scaling.memory import Room
from bench.questions.scaling.operating import BEST, INTERACTIVITY, Place
from bench.questions.scaling.runs import Day, Kept

LINEAR = 1.01
"""An efficiency up to this is linear: a tie, within 1 %."""


@dataclass(frozen=True)
class Replicas:
    """A wide instance against replicas of the smallest: `each` as measured, and `shared`, the wide one's load divided.

    `each_load` is the load of every replica (None where it is not held equal) and `total_load` that of all of them.
    `shared_throughput` is the projected throughput of the replicas when they share the wide instance's load, None
    where the smallest count was not measured down to it.
    """

    against: ReplicaComparison
    each_load: float | None
    total_load: float | None
    shared_throughput: float | None
    shared_tpot_ms: float | None
    usd_per_million: float | None
    replicas_usd_per_million: float | None


@dataclass(frozen=True)
class Line:
    """One line: whose it is, its places from few chips to many, and everything computed from them.

    An efficiency is None where its place is not judged, and everywhere unless two are. `start` is the position of the
    smallest judged one. `missing` are counts that were measured elsewhere only; `rising` are those of them whose
    throughput still rises at its highest measured load, `once` those measured at one load. `peaked` says of each
    place whether its throughput is known to rise no further. `apart` is as in `Kept`. `replicas` are none of a
    disaggregated deployment, and none of an MLPerf system, which may itself be replicas.
    """

    owner: Any
    label: str
    facts: Mapping[str, Any]
    places: tuple[Place, ...]
    start: int
    efficiencies: tuple[float | None, ...]
    amdahl: Law | None
    usl: Law | None
    rooms: tuple[Room | None, ...]
    replicas: tuple[Replicas, ...]
    tpot: str | None
    ttft: str | None
    missing: tuple[int, ...]
    rising: tuple[int, ...]
    once: tuple[int, ...]
    peaked: tuple[bool, ...]
    apart: tuple[tuple[int, Day], ...]

    @property
    def base(self) -> Place:
        """The smallest count that is judged; the smallest at all where none is."""
        return self.places[self.start]

    @property
    def judged(self) -> list[tuple[int, float]]:
        """The positions beyond the base that have an efficiency, and that."""
        return [
            (place, value)
            for place, value in enumerate(self.efficiencies)
            if value is not None and place > self.start
        ]

    @property
    def is_told_first(self) -> bool:
        """Whether a headline may be built on it: two counts are judged, and none of another unknown version."""
        return bool(self.judged) and not self.apart

    @property
    def is_of_mlperf(self) -> bool:
        """Whether it is of MLPerf submissions: whole systems, by MLCommons' rules."""
        return bool(self.facts["harness"] == MLPERF)

    @property
    def super_linear(self) -> list[int]:
        """The positions of the places that give more than their count of the smallest would."""
        return [place for place, value in self.judged if value > LINEAR and not self.apart]

    def speedup(self, position: int) -> float | None:
        """How many times the throughput of the base a place has; None where it has no efficiency."""
        if self.efficiencies[position] is None:
            return None
        return self.places[position].throughput / self.base.throughput

    def latency(self, position: int, key: str | None) -> float | None:
        """A measured place's latency; None between points, where none was measured."""
        place = self.places[position]
        value = None if key is None or place.interpolated else place.row[key]
        return None if value is None else float(value)


def line(owner: Any, label: str, kept: Kept, way: str, level: float | None, seen: str | None,
         price: ChipPrice | None, metric: str) -> Line | None:  # fmt: skip
    """The line of these points compared there; None when no count of chips was measured there."""
    points = kept.points
    found = operating.places(points, way, level, seen)
    if not found:
        return None
    chips, values = [place.accelerators for place in found], [place.throughput for place in found]
    judged = [value if place.is_judged else None for place, value in zip(found, values, strict=True)]
    comparable = sum(value is not None for value in judged) > 1
    start = scaling.base(chips, judged) if comparable else 0
    counts = operating.counts_of(points)
    missing = sorted(set(counts) - set(chips))
    rising = [
        count for count in missing if way == BEST and len({operating.load(row) for row in counts[count]}) > 1
    ]
    facts = found[0].row
    here = Line(
        owner=owner, label=label, facts=facts, places=tuple(found), start=start or 0,
        efficiencies=tuple(scaling.efficiencies(chips, judged)) if comparable else (None,) * len(found),
        amdahl=scaling.amdahl(chips, judged), usl=scaling.usl(chips, judged),
        rooms=tuple(_room(facts, count) for count in chips), replicas=(),
        tpot=operating.usual(points, "tpot_ms"), ttft=operating.usual(points, "ttft_ms"),
        missing=tuple(missing), rising=tuple(rising),
        once=tuple(count for count in missing if way == BEST and count not in rising),
        peaked=tuple(operating.has_known_best(counts[count]) for count in chips), apart=kept.apart,
    )  # fmt: skip
    if facts["disaggregated"] or facts["load_kind"] == "scenario":
        return here
    own = counts[here.base.accelerators]
    compared = (_replicas(here, position, own, way, level, price, metric) for position, _ in here.judged)
    return replace(here, replicas=tuple(one for one in compared if one is not None))


def numbers(one: Line) -> dict[str, Any]:
    """The line as plain values, rounded nowhere."""
    return {
        "owner": _plain(one.owner),
        "label": one.label,
        "deployment": {key: _plain(one.facts[key]) for key in (
            "source", "harness", "model", "precision", "kv_precision", "engine", "engine_version", "accelerator",
            "speculation", "disaggregated", "variant", "dataset", "load_kind", "isl", "osl")},
        "base": one.base.accelerators,
        "counts": [_place(one, position) for position in range(len(one.places))],
        "measured_elsewhere": list(one.missing),
        "still_rising": list(one.rising),
        "runs_apart": {count: None if day is None else str(day) for count, day in one.apart},
        "super_linear": [one.places[position].accelerators for position in one.super_linear],
        "amdahl": laws.numbers(one.amdahl),
        "usl": laws.numbers(one.usl),
        "memory": [None if room is None else {**asdict(room), "room_gb": room.room_gb} for room in one.rooms],
        "replicas": [_compared(one, row) for row in one.replicas],
    }  # fmt: skip


def _place(one: Line, position: int) -> dict[str, Any]:
    place = one.places[position]
    return {
        "accelerators": place.accelerators,
        "throughput": place.throughput,
        "throughput_per_accelerator": place.throughput / place.accelerators,
        "speedup": one.speedup(position),
        "ideal": one.base.throughput * place.accelerators / one.base.accelerators,
        "efficiency": one.efficiencies[position],
        "interpolated": place.interpolated,
        "between": None
        if place.between is None
        else [{key: _plain(row[key]) for key in LOADS} for row in place.between],
        "tpot_ms": one.latency(position, one.tpot),
        "ttft_ms": one.latency(position, one.ttft),
        "layout": {
            key: _plain(place.row[key])
            for key in ("tp", "pp", "dp", "ep", "prefill_accelerators", "decode_accelerators")
        },
        "load": {key: None if place.interpolated else _plain(place.row[key]) for key in LOADS},
        "point_ids": list(place.point_ids),
    }


def _compared(one: Line, row: Replicas) -> dict[str, Any]:
    rest = {key: value for key, value in asdict(row).items() if key != "against"}
    return {"base": one.base.accelerators, "projected": True, **asdict(row.against), **rest}


def _room(facts: Mapping[str, Any], chips: int) -> Room | None:
    return memory.room(facts["model"], facts["precision"], facts["kv_precision"], facts["accelerator"], chips)


def _replicas(one: Line, position: int, own: Sequence[dict[str, Any]], way: str, level: float | None,
              price: ChipPrice | None, metric: str) -> Replicas | None:  # fmt: skip
    wide, base = one.places[position], one.base
    usd = price.median if price is not None and "tokens" in metric else None
    against = scaling.against_replicas(
        _instance(one, position), _instance(one, one.start), usd_per_accelerator_hour=usd
    )
    if against is None:
        return None
    loaded = way not in (BEST, INTERACTIVITY)
    shared = shared_tpot = None
    if loaded and level is not None:
        curve: dict[float, dict[str, Any]] = {}
        for row in sorted(own, key=lambda row: float(row["value"])):
            if row[way] is not None:
                curve[float(row[way])] = row
        part = level / against.replicas
        each = interpolation.at(list(curve), [row["value"] for row in curve.values()], part)
        shared = scaling.replicas(wide.accelerators, base.accelerators, each)
        if one.tpot is not None:
            shared_tpot = interpolation.at(list(curve), [row[one.tpot] for row in curve.values()], part)
    return Replicas(
        against=against,
        each_load=level if loaded else None,
        total_load=level * against.replicas if loaded and level is not None else None,
        shared_throughput=shared,
        shared_tpot_ms=shared_tpot,
        usd_per_million=cost.usd_per_million(usd, against.throughput_per_accelerator),
        replicas_usd_per_million=cost.usd_per_million(usd, against.replicas_throughput_per_accelerator),
    )


def _instance(one: Line, position: int) -> Instance:
    place = one.places[position]
    return Instance(place.accelerators, place.throughput, one.latency(position, one.tpot),
                    one.latency(position, one.ttft))  # fmt: skip


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
