"""What fits of one model on counts of chips, from its shape and published facts of accelerators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bench import names
from bench.maths import model_memory
from bench.maths.model_memory import CACHE_BYTES, GIB, DeviceLayout, DeviceRoom
from bench.maths.model_shape import ModelShape
from bench.questions.memory.result import CHIPS, Allocation, Fit, MemoryCell

BEST, TP, DP = "best", "tp", "dp"

FEWEST_TOKENS, MOST_TOKENS = 1024, 1_048_576
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class MemorySettings:
    """How a model is served: weights and cache by precision, the memory's share that is used, GiB of each device that
    are reserved, how the devices share the model, and the tokens of a request."""

    precision: str
    kv_precision: str
    utilisation: float
    reserve_gib: float
    layout: str
    tokens: float

    @property
    def value_bytes(self) -> float:
        """Bytes of a cached value."""
        return CACHE_BYTES[self.kv_precision]


def fits(shape: ModelShape, settings: MemorySettings, accelerators: Sequence[str]) -> Iterator[Fit]:
    """What fits on every count of those accelerators whose memory is published, where the weights' size is known."""
    most = max(settings.reserve_gib, model_memory.reserve(shape).most_gib)
    beside = replace(settings, reserve_gib=most)
    for slug in accelerators:
        for chips in CHIPS:
            rooms = rooms_of(shape, settings, slug, chips)
            if not rooms:
                break
            room = max(rooms, key=lambda one: (_requests(one, shape, settings) or 0, one.room * one.layout.devices))
            many = room.layout.devices
            yield Fit(
                slug,
                chips,
                room.memory * many / GIB,
                room.weights * many / GIB,
                room.room * many / GIB,
                _requests(room, shape, settings),
                _most(_requests(one, shape, settings) for one in rooms_of(shape, beside, slug, chips)),
                _most(one.longest(shape, 1, settings.value_bytes) for one in rooms),
                room.layout.tp,
                room.layout.dp,
                model_memory.is_lower_bound(settings.precision),
            )


def _requests(room: DeviceRoom, shape: ModelShape, settings: MemorySettings) -> int | None:
    return room.requests(shape, settings.tokens, settings.value_bytes)


def _most(found: Iterable[int | None]) -> int | None:
    """The most of those that are known."""
    return max((one for one in found if one is not None), default=None)


def rooms_of(shape: ModelShape, settings: MemorySettings, accelerator: str, chips: int) -> list[DeviceRoom]:
    """A device's room among so many chips, for each layout that is asked for; none where a size is not published.

    A chip with two devices gives each half of its memory.
    """
    chip = names.accelerator(accelerator)
    if chip is None or not chip.memory_gb:
        return []
    each = chip.devices_per_chip or 1
    rooms = (
        model_memory.device_room(
            shape,
            settings.precision,
            chip.memory_gb * GIB / each,
            layout,
            settings.utilisation,
            settings.reserve_gib * GIB,
        )
        for layout in layouts(shape, chips * each, settings.layout)
    )
    return [room for room in rooms if room is not None]


def layouts(shape: ModelShape, devices: int, layout: str) -> list[DeviceLayout]:
    """The layouts of so many devices: all in one group, each by itself, or every division into groups of 1, 2, 4 …

    Experts divide over all devices where there is more than one group.
    """
    widths = {TP: [devices], DP: [1]}.get(layout) or [1 << step for step in range(devices.bit_length())]
    return [
        DeviceLayout(tp, devices // tp, is_expert_parallel=shape.is_moe and tp < devices)
        for tp in widths
        if devices % tp == 0
    ]


def lengths(shape: ModelShape) -> list[int]:
    """Tokens of a request that a heatmap shows, doubled up to what the model allows."""
    most = min(shape.context or MOST_TOKENS, MOST_TOKENS)
    doubled = [FEWEST_TOKENS << step for step in range(11)]
    return [one for one in doubled if one <= most] or [most]


def requests_by(shape: ModelShape, settings: MemorySettings, accelerator: str) -> Iterator[MemoryCell]:
    """How many requests fit, by chips and tokens of a request."""
    for chips in CHIPS:
        rooms = rooms_of(shape, settings, accelerator, chips)
        for tokens in lengths(shape):
            held = (room.requests(shape, tokens, settings.value_bytes) for room in rooms)
            yield MemoryCell(chips, tokens, _most(held))


def longest_by(shape: ModelShape, settings: MemorySettings, accelerator: str) -> Iterator[MemoryCell]:
    """How many tokens each request can have, by chips and requests at once."""
    for chips in CHIPS:
        rooms = rooms_of(shape, settings, accelerator, chips)
        for batch in BATCHES:
            tokens = (room.longest(shape, batch, settings.value_bytes) for room in rooms)
            yield MemoryCell(chips, batch, _most(tokens))


def allocations(shape: ModelShape, precision: str) -> Iterator[Allocation]:
    """What engines were logged to allocate for this model, beside what is predicted with the log's own settings."""
    reserved = model_memory.reserve(shape)
    for row in names.table("allocations.csv"):
        if (row["model"], row["precision"]) != (shape.name, precision):
            continue
        settings = MemorySettings(precision, "bf16", float(row["utilisation"]), 0.0, TP, 1)
        rooms = rooms_of(shape, settings, row["accelerator"], int(row["accelerators"]))
        if not rooms:
            continue
        room = rooms[0]
        weights, cache = float(row["weights_gib"]), float(row["cache_gib"]) if row["cache_gib"] else None
        least, most = (room.room / GIB - one for one in (reserved.most_gib, reserved.least_gib))
        yield Allocation(
            row["accelerator"],
            int(row["accelerators"]),
            row["engine"],
            weights,
            cache,
            room.weights / GIB - weights,
            None if cache is None else (least - cache, most - cache),
            row["source"],
        )
