"""How fast hardware lets a model be: bytes from memory, operations and what chips exchange, each at its published peak.

    time of a unit    = max(bytes / bandwidth, operations / peak) + exchanged / link
    bytes of a step   = weights that a token of it passes + what is kept of each request in it
    operations        = 2 for each parameter a token passes + 2 for each multiply-add of attention
    exchanged by each = layers x 2 x 2 (tp - 1) / tp x tokens x hidden x 2 bytes

The maximum of the first two is the roofline (Williams, Waterman and Patterson, CACM 2009); reading the weights once for
all requests of a step and their caches once each is the decode cost of Pope et al. (Efficiently scaling transformer
inference, arXiv 2211.05102); 2 operations for each parameter are Kaplan et al.'s (arXiv 2001.08361, section 2.1). In
tensor parallel each layer sums over the devices twice (Megatron-LM, arXiv 1909.08053), and a sum over n devices sends
2 (n - 1) / n times its size from each (Patarasuk and Yuan, JPDC 2009); engines do not compute meanwhile, so that is
added. Switches that sum by themselves send about half.

A unit is a step of a decode, a prompt, or an output token of a served point with its share of both: prompts take their
operations from the same chips, and as they ride along with the steps of others (chunked prefill, Sarathi-Serve, arXiv
2403.02310) no weights are read for them alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bench.maths.model_memory import SIXTEEN_BIT, DeviceLayout
from bench.maths.model_shape import LayerGroup, ModelShape

Binding = Literal["bandwidth", "compute", "latency", "scheduling"]

ALL_REDUCES = 2
"""Sums over the devices of a tensor-parallel group in each layer: after attention and after the feed-forward part."""


@dataclass(frozen=True)
class ValueBytes:
    """Bytes of a weight with its scales, of one that stays at 16 bit, and of a cached value."""

    weight: float
    cached: float
    sixteen_bit: float = SIXTEEN_BIT


@dataclass(frozen=True)
class HardwareLimits:
    """What the chips of a deployment do at most.

    `bandwidth` in bytes/s and `operations` in FLOP/s of all of them together, `link` in bytes/s that one device sends
    to the others; None where that is not published.
    """

    bandwidth: float | None
    operations: float | None
    link: float | None = None


@dataclass(frozen=True)
class UnitWork:
    """What a unit takes: bytes read by all devices together, operations, and bytes that each device sends.

    `bytes` is None where it is not known how many requests share a step.
    """

    bytes: float | None
    operations: float
    exchanged: float = 0.0

    def each(self, units: float) -> UnitWork:
        """What one of so many units takes of it."""
        return UnitWork(
            None if self.bytes is None else self.bytes / units, self.operations / units, self.exchanged / units
        )

    def beside(self, other: UnitWork) -> UnitWork:
        """Both: the operations and the exchange of the other are added, whose weights are read for this one anyway."""
        return UnitWork(self.bytes, self.operations + other.operations, self.exchanged + other.exchanged)

    @property
    def intensity(self) -> float | None:
        """Operations for each byte; None where the bytes are not known."""
        return self.operations / self.bytes if self.bytes else None


@dataclass(frozen=True)
class LeastTime:
    """How long a unit takes at least, in seconds: to read its bytes, to compute, and to exchange between devices.

    None where a limit is not published or the bytes are not known.
    """

    memory: float | None
    compute: float | None
    exchange: float = 0.0

    @property
    def whole(self) -> float | None:
        """The longer of the first two and the exchange; None where neither is known."""
        known = [one for one in (self.memory, self.compute) if one is not None]
        return max(known) + self.exchange if known else None

    @property
    def per_s(self) -> float | None:
        """The ceiling: so many units a second at most."""
        return 1 / self.whole if self.whole else None


def least_time(work: UnitWork, limits: HardwareLimits) -> LeastTime:
    """How long a unit of this work takes at least."""
    return LeastTime(
        None if work.bytes is None or not limits.bandwidth else work.bytes / limits.bandwidth,
        work.operations / limits.operations if limits.operations else None,
        work.exchanged / limits.link if limits.link else 0.0,
    )


def weights_read(shape: ModelShape, sizes: ValueBytes, layout: DeviceLayout, requests: float) -> float | None:
    """Bytes of weights that all devices read in a step with so many requests; None where no size is known.

    What is no expert is read by each data-parallel group. Experts are read where a token of the step is routed to them,
    as many as are expected (`ModelShape.distinct_experts`); where they are not published, those that one token passes.
    """
    if shape.total_params is None or shape.active_params is None:
        return None
    together = layout.is_expert_parallel or layout.dp == 1
    routed = shape.routed_params_read(requests if together else max(1.0, requests / layout.dp))
    if routed is None or shape.routed_params is None:
        return (shape.active_params - shape.lookup_params) * sizes.weight
    rest = shape.total_params - shape.routed_params - shape.lookup_params
    kept = min(max(0.0, shape.sixteen_bit_params - shape.lookup_params), rest)
    of_rest = kept * max(sizes.sixteen_bit, sizes.weight) + (rest - kept) * sizes.weight
    return layout.dp * of_rest + (1 if together else layout.dp) * routed * sizes.weight


def token_operations(shape: ModelShape, context: float) -> float:
    """Operations of one output token that looks back on so many; 0 where the parameters are not known."""
    looked_back = sum(group.layers * group.attention_width * group.looked_at(context) for group in shape.groups)
    return 2 * _multiplied(shape) + 2 * looked_back


def prompt_operations(shape: ModelShape, tokens: float) -> float:
    """Operations of a whole prompt of so many tokens, each of which looks back on those before it."""
    looked_back = sum(group.layers * _prompt_width(group) * _triangle(group, tokens) for group in shape.groups)
    return 2 * _multiplied(shape) * tokens + 2 * looked_back


def exchanged_bytes(shape: ModelShape, layout: DeviceLayout, tokens: float) -> float:
    """Bytes that each device of a tensor-parallel group sends for so many tokens of it; 0 where sizes are not known."""
    if layout.tp < 2 or not shape.hidden:
        return 0.0
    return shape.layers * ALL_REDUCES * 2 * (layout.tp - 1) / layout.tp * tokens * shape.hidden * SIXTEEN_BIT


def step_work(
    shape: ModelShape, sizes: ValueBytes, layout: DeviceLayout, requests: float, context: float | None
) -> UnitWork:
    """A step of a decode in which so many requests get a token each, looking back on so many.

    Without a context, or where it is not known what layers cache, the weights alone are read and multiplied.
    """
    weights, looked_back = weights_read(shape, sizes, layout, requests), context or 0.0
    cache = requests * layout.tp * shape.read_bytes(looked_back, sizes.cached, layout.tp) if looked_back else 0.0
    return UnitWork(
        None if weights is None else weights + cache,
        requests * token_operations(shape, looked_back),
        exchanged_bytes(shape, layout, requests / layout.dp),
    )


def prompt_work(shape: ModelShape, sizes: ValueBytes, layout: DeviceLayout, tokens: float) -> UnitWork:
    """A prompt of so many tokens by itself: the weights are read once, and what is cached of it is written."""
    weights = weights_read(shape, sizes, layout, tokens)
    cache = layout.tp * shape.cache_bytes(tokens, sizes.cached, layout.tp)
    exchanged = exchanged_bytes(shape, layout, tokens)
    return UnitWork(None if weights is None else weights + cache, prompt_operations(shape, tokens), exchanged)


def served_work(step: UnitWork, requests: float, prompt: UnitWork | None, osl: float | None) -> UnitWork:
    """An output token of a served point: its share of a step, and of the prompt that comes before so many of them."""
    token = step.each(requests)
    return token if prompt is None or not osl else token.beside(prompt.each(osl))


def least_served_work(
    shape: ModelShape, sizes: ValueBytes, requests: float | None, context: float | None, lengths: tuple[float, float]
) -> UnitWork:
    """The least that an output token takes, whatever the layout and the router: no step and no prompt takes less.

    Neither attention is counted among the operations, nor the head for prompts; `lengths` are of prompt and output.
    """
    looked_back, (isl, osl) = context or 0.0, lengths
    cache = shape.read_bytes(looked_back, sizes.cached) if looked_back else 0.0
    multiplied = (shape.active_params or 0.0) - shape.lookup_params
    head = (shape.hidden or 0) * (shape.vocabulary or 0)
    prompt = max(0.0, multiplied - head) * isl / osl if osl else 0.0
    weights = None if shape.active_params is None else multiplied * sizes.weight
    return UnitWork(None if weights is None or not requests else weights / requests + cache, 2 * (multiplied + prompt))


def resident(requests: float | None, room: float | None, each: float) -> float | None:
    """How many requests are in a step at most: as many as are sent, and as their caches have room for, at least one.

    None where neither is known.
    """
    fits = max(1.0, room / each) if room is not None and each > 0 else None
    known = [one for one in (requests, fits) if one is not None]
    return min(known) if known else None


def bound_by(shares: Mapping[Binding, float]) -> Binding | None:
    """What takes most of a point's time, by the shares of it that each is known to take at least; None if none does.

    Bandwidth and compute go on at the same time, so what nothing explains is the time without the longer of the two
    and without latency. Where that is more than any share, nobody can tell. `scheduling`, requests that wait for their
    first token, is of the requests' time and not of the chips': it binds where it is over half and nothing else is.
    """
    of_chips: dict[Binding, float] = {key: share for key, share in shares.items() if key != "scheduling"}
    if not of_chips:
        return None
    first: Binding = max(of_chips, key=lambda key: of_chips[key])
    if shares.get("scheduling", 0.0) > 1 / 2 > of_chips[first]:
        return "scheduling"
    busy = max(of_chips.get("bandwidth", 0.0), of_chips.get("compute", 0.0))
    rest = 1 - busy - of_chips.get("latency", 0.0)
    return first if of_chips[first] >= rest else None


def _multiplied(shape: ModelShape) -> float:
    """Parameters that a token is multiplied with: the active ones, of a dense model without the table of tokens.

    Active parameters of mixtures of experts are published with and without that table.
    """
    active = shape.active_params or 0.0
    return active if shape.is_moe else active - shape.lookup_params


def _prompt_width(group: LayerGroup) -> int:
    return group.attention_width if group.prompt_width is None else group.prompt_width


def _triangle(group: LayerGroup, tokens: float) -> float:
    """The entries that all tokens of a prompt look back on together, each on as many as its layer reads."""
    most = min(group.window or tokens, tokens if group.read is None else group.read * group.every, tokens)
    return (most * most / 2 + (tokens - most) * most) / group.every
