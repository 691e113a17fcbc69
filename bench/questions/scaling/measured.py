"""A line of a scaling chart with its numbers: efficiencies, laws, memory, and replicas against wide instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.maths import interpolation, scaling
from bench.maths.cost import MILLION, SECONDS_PER_HOUR
from bench.maths.scaling import Instance, Law, ReplicaComparison
from bench.pricing import ChipPrice
from bench.questions.scaling import memory, operating
from bench.questions.scaling.lines import LOADS
from bench.questions.scaling.memory import Room
from bench.questions.scaling.operating import BEST, INTERACTIVITY, Place

TRUSTED_ERROR = 0.10
"""A law that misses the measured throughputs by more than this, as a root mean square, is not told as a finding."""

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
    """One line: whose it is, its places from few chips to many, and everything computed from them."""

    owner: Any
    label: str
    facts: Mapping[str, Any]
    places: tuple[Place, ...]
    efficiencies: tuple[float, ...]
    amdahl: Law | None
    usl: Law | None
    rooms: tuple[Room | None, ...]
    replicas: tuple[Replicas, ...]
    tpot: str | None
    ttft: str | None
    missing: tuple[int, ...]

    @property
    def base(self) -> Place:
        """The smallest measured count."""
        return self.places[0]

    @property
    def widest(self) -> Place:
        """The largest measured count."""
        return self.places[-1]

    @property
    def super_linear(self) -> list[int]:
        """The positions of the places that give more than their count of the smallest would."""
        return [place for place, value in enumerate(self.efficiencies) if value > LINEAR]

    def speedup(self, position: int) -> float:
        """How many times the throughput of the smallest count a place has."""
        return self.places[position].throughput / self.base.throughput

    def latency(self, position: int, key: str | None) -> float | None:
        """A measured place's latency; None between points, where none was measured."""
        place = self.places[position]
        value = None if key is None or place.interpolated else place.row[key]
        return None if value is None else float(value)


def line(owner: Any, label: str, points: Sequence[dict[str, Any]], way: str, level: float | None,
         seen: str | None, price: ChipPrice | None, metric: str) -> Line | None:  # fmt: skip
    """The line of these points compared there; None when no count of chips was measured there."""
    found = operating.places(points, way, level, seen)
    if not found:
        return None
    counts, values = [place.accelerators for place in found], [place.throughput for place in found]
    facts = found[0].row
    tpot, ttft = operating.usual(points, "tpot_ms"), operating.usual(points, "ttft_ms")
    efficiencies = tuple(value for value in scaling.efficiencies(counts, values) if value is not None)
    here = Line(
        owner=owner, label=label, facts=facts, places=tuple(found), efficiencies=efficiencies,
        amdahl=scaling.amdahl(counts, values), usl=scaling.usl(counts, values),
        rooms=tuple(_room(facts, chips) for chips in counts), replicas=(), tpot=tpot, ttft=ttft,
        missing=tuple(sorted({int(row["accelerators"]) for row in points} - set(counts))),
    )  # fmt: skip
    if facts["disaggregated"]:
        return here
    own = operating.counts_of(points)[here.base.accelerators]
    compared = (
        _replicas(here, position, own, way, level, price, metric) for position in range(1, len(found))
    )
    return Line(**{**here.__dict__, "replicas": tuple(one for one in compared if one is not None)})


def told(law: Law | None) -> bool:
    """Whether a fitted law misses the measured throughputs by little enough to be told."""
    return law is not None and law.error <= TRUSTED_ERROR


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
        "super_linear": [one.places[position].accelerators for position in one.super_linear],
        "amdahl": _law(one.amdahl),
        "usl": _law(one.usl),
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
        "tpot_ms": one.latency(position, one.tpot),
        "ttft_ms": one.latency(position, one.ttft),
        "layout": {
            key: _plain(place.row[key])
            for key in ("tp", "pp", "dp", "ep", "prefill_accelerators", "decode_accelerators")
        },
        "load": {key: None if place.interpolated else _plain(place.row[key]) for key in LOADS},
        "point_ids": list(place.point_ids),
    }


def _law(law: Law | None) -> dict[str, Any] | None:
    if law is None:
        return None
    peak = law.peak
    return {
        "unit_throughput": law.unit_throughput,
        "contention": law.contention,
        "coherency": law.coherency,
        "error": law.error,
        "degrees_of_freedom": law.degrees_of_freedom,
        "told": told(law),
        "peak": None
        if peak is None
        else {**asdict(peak), "told": told(law) and peak.measured and peak.observed},
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
        _instance(one, position), _instance(one, 0), usd_per_accelerator_hour=usd
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
        usd_per_million=_cost(usd, against.throughput_per_accelerator),
        replicas_usd_per_million=_cost(usd, against.replicas_throughput_per_accelerator),
    )


def _instance(one: Line, position: int) -> Instance:
    place = one.places[position]
    return Instance(place.accelerators, place.throughput, one.latency(position, one.tpot),
                    one.latency(position, one.ttft))  # fmt: skip


def _cost(usd: float | None, per_accelerator: float) -> float | None:
    return None if usd is None else usd / (per_accelerator * SECONDS_PER_HOUR) * MILLION


def _plain(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
