"""The lines over the points: roofs of a chip, ceilings over requests, and what other hardware or batches would do."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from bench import names
from bench.basis import roofline
from bench.basis.roofline import Deployed, RooflinePhase, ServedModel, Use
from bench.library import Library
from bench.questions.roofline.measured import FetchedPoint
from bench.questions.roofline.result import CeilingCurve, HeldPoint, ProjectedUse, Projection, Rig, Roof

MOST_CHIPS, MOST_DOUBLINGS = 64, 20
"""What is projected is on at most so many chips, with at most two to the power of this many requests in a step."""

BEYOND, REACH = 2.0, 4.0
"""A curve over requests goes to so many times the last point's, as far as they fit; a projection to so many times the
batches that lend it their shares, above and below."""

STEPS = 4
"""Places of a curve for each doubling."""

JUST = 1 - 1e-9
"""What just fits still fits when it is reckoned the other way round."""

NEARER = 2**0.5
"""A batch is measured where a point is nearer than half a doubling."""


@dataclass(frozen=True)
class RigPoints:
    """What was measured on a rig, and one of its points that stands for most: their deployment and lengths."""

    rig: Rig
    usual: FetchedPoint
    points: tuple[HeldPoint, ...]

    @cached_property
    def batches(self) -> dict[float, HeldPoint]:
        """The best point below its ceiling of each number of requests that are known to share a step, rounded."""
        best: dict[float, HeldPoint] = {}
        for one in self.points:
            if one.enters and not one.is_above and one.use.requests is not None and one.load.step_ms:
                key = float(round(one.use.requests))
                if key not in best or one.use.share > best[key].use.share:
                    best[key] = one
        return best

    def at(self, model: ServedModel, requests: float, phase: RooflinePhase) -> Use | None:
        """What so many requests in a step would take there, at one unit a second; None where they do not fit."""
        load = self.usual.load
        if model.room is not None and model.room < requests * model.cache(load.context):
            return None
        return roofline.use(model, load._replace(requests=requests, rate=1.0, step_ms=None, ttft_ms=1.0), phase)


def rigs(found: Sequence[FetchedPoint], held: Sequence[HeldPoint]) -> list[RigPoints]:
    """The rigs with points, the one with most of them first."""
    of_id = {one.facts.point_id: one for one in found}
    grouped: dict[Rig, list[HeldPoint]] = defaultdict(list)
    for one in held:
        grouped[one.rig].append(one)
    ordered = sorted(grouped.items(), key=lambda row: (-len(row[1]), row[0]))
    return [RigPoints(rig, _usual([of_id[one.facts.point_id] for one in own]), tuple(own)) for rig, own in ordered]


def _usual(found: Sequence[FetchedPoint]) -> FetchedPoint:
    """The first of the points that most are alike in deployment and lengths."""
    kinds = [(one.deployed, one.load.isl, one.load.osl, one.load.context) for one in found]
    return found[kinds.index(Counter(kinds).most_common(1)[0][0])]


def roofs(rigs: Sequence[RigPoints], projected: ProjectedRig | None) -> tuple[Roof, ...]:
    """The limits of one chip of each accelerator at each precision, those with most points first."""
    found = {_key(one.rig): _roof(one.rig, one.usual.model) for one in rigs}
    if projected is not None and _key(rig := projected.projection.rig) not in found:
        found[_key(rig)] = replace(_roof(rig, projected.model), is_projected=True)
    return tuple(found.values())


def _key(rig: Rig) -> tuple[str, str]:
    return rig.accelerator, rig.precision


def _roof(rig: Rig, model: ServedModel) -> Roof:
    limits, chips = model.limits, model.chips
    operations = None if limits.operations is None else limits.operations / chips
    return Roof(*_key(rig), (limits.bandwidth or 0.0) / chips, operations)


def curve(one: RigPoints, model: ServedModel, rig: Rig, phase: RooflinePhase, last: float) -> CeilingCurve:
    """The ceiling of a rig over how many requests share a step, from one to as many as are asked for and fit."""
    most = min(last, (model.fitting(None, one.usual.load.context) or last) * JUST)
    steps = math.ceil(STEPS * math.log2(max(most, 1.0)))
    places = [min(most, 2 ** (step / STEPS)) for step in range(steps + 1)]
    told = [(place, use) for place in places if (use := one.at(model, place, phase)) is not None]
    return CeilingCurve(rig, tuple(place for place, _ in told), tuple(use.ceiling / use.chips for _, use in told))


def curves(rigs: Sequence[RigPoints], phase: RooflinePhase) -> Iterator[CeilingCurve]:
    """The ceilings of all rigs over requests, to twice as many as any point has."""
    batches = [point.use.requests for one in rigs for point in one.points if point.use.requests is not None]
    if batches:
        yield from (curve(one, one.usual.model, one.rig, phase, BEYOND * max(batches)) for one in rigs)


@dataclass(frozen=True)
class ProjectedRig:
    """A projection with the facts of its hardware and the rig whose shares it takes."""

    projection: Projection
    model: ServedModel
    lender: RigPoints

    def curves(self, phase: RooflinePhase) -> Iterator[CeilingCurve]:
        """Its ceiling as far as it is projected, where it is of a rig that has none."""
        places = self.projection.places
        if places and self.projection.rig != self.lender.rig:
            last = max(one.requests for one in places)
            yield replace(curve(self.lender, self.model, self.projection.rig, phase, last), is_projected=True)


def projected(
    library: Library, rigs: Sequence[RigPoints], accelerator: str, phase: RooflinePhase
) -> ProjectedRig | None:
    """What an accelerator would do at the batches at which it was not measured; None where nothing lends it a share.

    It takes the shares of its own rig with the most batches, else of any other with the most. It has as many chips as
    that, or as hold the weights; it is without places where MOST_CHIPS do not.
    """
    lending = sorted((one for one in rigs if one.batches), key=lambda one: -len(one.batches))
    own = [one for one in lending if one.rig.accelerator == accelerator]
    lender = next(iter(own or lending), None)
    if lender is None:
        return None
    chips = lender.rig.accelerators
    while (model := roofline.served_model(library, _moved(lender.usual.deployed, accelerator, chips))) is not None:
        rig = lender.rig._replace(accelerator=accelerator, accelerators=chips)
        if lender.at(model, 1.0, phase) is not None or 2 * chips > MOST_CHIPS:
            places = tuple(_places(lender, model, phase, is_measured=rig == lender.rig))
            is_least = any(one.use.is_least for one in lender.batches.values())
            return ProjectedRig(Projection(rig, lender.rig, places, is_least), model, lender)
        chips *= 2
    return None


def _moved(deployed: Deployed, accelerator: str, chips: int) -> Deployed:
    """The same deployment on other chips, as wide in tensor parallelism as it was over all devices."""
    moved = deployed._replace(accelerator=accelerator, accelerators=chips)
    wider = _devices(moved) / _devices(deployed)
    return moved._replace(tp=max(1, round(deployed.tp * wider)) if deployed.tp else None)


def _devices(deployed: Deployed) -> int:
    known = names.accelerator(deployed.accelerator)
    return deployed.accelerators * ((known.devices_per_chip if known else None) or 1)


def _places(
    lender: RigPoints, model: ServedModel, phase: RooflinePhase, *, is_measured: bool
) -> Iterator[ProjectedUse]:
    """Doublings of requests as far as they fit; of a rig that was measured those far from every batch of it."""
    batches = lender.batches
    doublings = [float(1 << step) for step in range(1 if phase == "prefill" else MOST_DOUBLINGS)]
    for requests in doublings:
        near = min(batches, key=lambda one: abs(math.log(one / requests)))
        apart, use = max(near / requests, requests / near), lender.at(model, requests, phase)
        if use is None:
            return
        if apart <= REACH and not (is_measured and apart < NEARER):
            lent = batches[near]
            yield ProjectedUse(requests, replace(use, rate=lent.use.share * use.ceiling), lent.facts.point_id)
