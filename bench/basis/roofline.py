"""A point against the hardware it ran on: the facts that bound it, what it used of them, and when nobody can tell.

Two lines are held against a point, by one arithmetic (`bench.maths.roofline`). No engine gets above its *bound*: one
token's weights without scales, every cache once, nothing exchanged; a point that does has the flag `roofline`. Its
*ceiling* is what its layout and batch are expected to take, and its utilisation is told of that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

from bench import names
from bench.basis import model_shape
from bench.basis.evidence import Reason
from bench.basis.memory import BYTES, GIB, KEPT
from bench.library import Library
from bench.maths import model_memory, roofline
from bench.maths.model_memory import WEIGHT_BYTES, DeviceLayout
from bench.maths.model_shape import ModelShape
from bench.maths.roofline import HardwareLimits, LeastTime, UnitWork, ValueBytes

RooflinePhase = Literal["served", "decode", "prefill"]

PEAKS: Mapping[str, str] = {
    "bf16": "bf16_tflops",
    "fp16": "bf16_tflops",
    "fp8": "fp8_tflops",
    "fp4": "fp4_tflops",
    "nvfp4": "fp4_tflops",
    "mxfp4": "fp4_tflops",
}
"""Which peak a precision of the weights is held against. Weights of INT8 and INT4 are mostly multiplied at 16 bit, and
seldom does a source say so: they are held against none."""

LEAST_BYTES: Mapping[str, float] = {**BYTES, "nvfp4": BYTES["fp4"], "mxfp4": BYTES["fp4"]}
FP8, SIXTEEN_BIT = 1.0, 2.0
TERA, GIGA = 1e12, 1e9
PLAIN_SLUG = re.compile(r"[a-z0-9._-]+")

DEPLOYED = ("model", "precision", "kv_precision", "accelerator", "accelerators", "tp", "dp", "dp_attention")
STEPS = ("decode_step_ms_mean", "tpot_ms_mean", "tpot_ms_p50", "itl_ms_mean")
FIRST = ("ttft_ms_mean", "ttft_ms_p50")
"""What says how long a step took, and how long a first token: the first of them that a point states."""


class Deployed(NamedTuple):
    """What was deployed on what, as the columns DEPLOYED of a point have it."""

    model: str
    precision: str
    kv_precision: str | None
    accelerator: str
    accelerators: int
    tp: int | None = None
    dp: int | None = None
    dp_attention: bool | None = None


class ServedLoad(NamedTuple):
    """What a point was asked and gave: requests at once, lengths in tokens, output tokens/s, and times in ms."""

    requests: float | None
    isl: float | None
    osl: float | None
    context: float | None
    rate: float
    step_ms: float | None = None
    ttft_ms: float | None = None


def load_sql(library: Library) -> tuple[str, ...]:
    """The DuckDB expressions of a ServedLoad's fields, in their order.

    Lengths are those that were counted, else those asked for. On average a request holds its prompt and half of its
    output; a decode loop says how much it holds, and each of its steps gives a token to all of its batch.
    """
    isl, osl = "coalesce(isl_actual, isl)", "coalesce(osl_actual, osl)"
    step, first = ([f"nullif({key}, 0)" for key in keys if library.has(key)] for keys in (STEPS, FIRST))
    rate = "output_tokens_per_s" if library.has("output_tokens_per_s") else "NULL"
    looped = f"CASE WHEN load_kind = 'batch' THEN 1000.0 * batch / nullif({rate}, 0) END"
    return (
        "CASE load_kind WHEN 'closed' THEN concurrency WHEN 'batch' THEN batch END",
        isl,
        osl,
        f"coalesce({isl} + {osl} / 2, CASE WHEN load_kind = 'batch' THEN context_tokens END)",
        rate,
        f"coalesce({', '.join([*step, looped])})",
        f"coalesce({', '.join([*first, 'NULL'])})",
    )


def reasons(library: Library) -> tuple[Reason, ...]:
    """Why a point is held against no line, in the order in which one that has several is counted."""
    models = _listed(slug for slug in _models(library) if _is_sized(model_shape.of(library, slug)))
    chips = _listed(row.slug for row in names.accelerators() if row.hbm_tb_s)
    sizes = _listed(LEAST_BYTES)
    reused = "prefix_caching OR shared_prefix_share > 0 OR turns > 1"
    rate = "output_tokens_per_s IS NULL OR output_tokens_per_s <= 0" if library.has("output_tokens_per_s") else "TRUE"
    return (
        Reason("speculative", "with speculation", "coalesce(speculation, 'none') <> 'none'"),
        Reason("disaggregated", "disaggregated", "coalesce(disaggregated, FALSE)"),
        Reason("reused", "that reuse caches", f"coalesce({reused}, FALSE)"),
        Reason("no_rate", "without output throughput", rate),
        Reason("no_chips", "without chip count", "accelerator IS NULL OR coalesce(accelerators, 0) <= 0"),
        Reason("no_size", "of models of unknown size", f"coalesce(model NOT IN ({models}), TRUE)"),
        Reason("no_precision", "of unknown precision", f"coalesce(lower(precision) NOT IN ({sizes}), TRUE)"),
        Reason("no_bandwidth", "on chips of unknown bandwidth", f"coalesce(accelerator NOT IN ({chips}), TRUE)"),
    )


def usable_sql(library: Library) -> str:
    """The DuckDB condition of a point that can be held against both lines; never NULL."""
    return " AND ".join(f"NOT ({one.sql})" for one in reasons(library))


def _models(library: Library) -> set[str]:
    return {*(row.slug for row in names.models()), *library.dropped_models}


def _is_sized(shape: ModelShape | None) -> bool:
    return shape is not None and bool(shape.total_params and shape.active_params)


def _listed(slugs: Iterable[str]) -> str:
    """Slugs as a list in SQL, "NULL" for none; a name that is no plain slug is none of a point either."""
    return ", ".join(sorted(f"'{slug}'" for slug in slugs if PLAIN_SLUG.fullmatch(slug))) or "NULL"


@dataclass(frozen=True)
class ServedModel:
    """A model as it lies on the chips of a deployment: its shape, the bytes of its values, the layout and the limits.

    `least` are the bytes of its values at least: without scales, and a cache of unstated precision as small as weights.
    `has_least_weights` says that its weights are a lower bound even in `sizes`, as of FP4 they are. `memory` is in
    bytes, of all chips; None where it is not published.
    """

    shape: ModelShape
    sizes: ValueBytes
    least: ValueBytes
    layout: DeviceLayout
    limits: HardwareLimits
    memory: float | None
    chips: int
    has_stated_cache: bool
    has_least_weights: bool = False

    def cache(self, context: float | None) -> float:
        """Bytes that a request of so many tokens keeps at least; 0 where that is not known."""
        return self.shape.cache_bytes(context, self.least.cached) if context else 0.0

    @cached_property
    def room(self) -> float | None:
        """Bytes that the weights leave for caches at most, of the share of the memory that an engine uses."""
        if self.memory is None or self.shape.total_params is None:
            return None
        return (1 - KEPT) * self.memory - self.shape.total_params * self.least.weight

    def fitting(self, requests: float | None, context: float | None) -> float | None:
        """How many of so many requests have their caches in memory at once, at most."""
        return roofline.resident(requests, self.room, self.cache(context))


def served_model(library: Library, deployed: Deployed) -> ServedModel | None:
    """A deployment's facts; None where a point of it has one of `reasons`."""
    shape, chip = model_shape.of(library, deployed.model), names.accelerator(deployed.accelerator)
    precision = (deployed.precision or "").lower()
    least = LEAST_BYTES.get(precision)
    if shape is None or chip is None or least is None or not _is_sized(shape) or not chip.hbm_tb_s:
        return None
    stated = BYTES.get((deployed.kv_precision or "").lower())
    smallest = min(SIXTEEN_BIT, least)
    layout, chips = _layout(deployed, chip), deployed.accelerators
    peak: float | None = getattr(chip, PEAKS[precision]) if precision in PEAKS else None
    return ServedModel(
        shape,
        ValueBytes(max(least, WEIGHT_BYTES.get(precision, least)), stated or max(FP8, smallest)),
        ValueBytes(least, stated or smallest),
        layout,
        HardwareLimits(chip.hbm_tb_s * TERA * chips, peak * TERA * chips if peak else None, _link(chip, layout)),
        chip.memory_gb * GIB * chips if chip.memory_gb else None,
        chips,
        stated is not None,
        model_memory.is_lower_bound(precision),
    )


def _layout(deployed: Deployed, chip: names.Accelerator) -> DeviceLayout:
    """How the devices share the model, as far as the point says it: else everything is read once.

    Experts divide over all devices: data-parallel groups of a mixture of experts hold no copies of them (vLLM's
    documentation, Data Parallel Deployment).
    """
    if deployed.dp_attention:
        return DeviceLayout(1, deployed.accelerators * (chip.devices_per_chip or 1), is_expert_parallel=True)
    return DeviceLayout(deployed.tp or 1, deployed.dp or 1, is_expert_parallel=True)


def _link(chip: names.Accelerator, layout: DeviceLayout) -> float | None:
    """Bytes/s that a device sends to the others of its group; None where they reach beyond what is linked up."""
    domain = re.match(r"\d+", (chip.scale_up_domain or "").replace(",", ""))
    devices = chip.devices_per_chip or 1
    if not chip.scale_up_gb_s or domain is None or layout.tp > int(domain[0]) * devices:
        return None
    return chip.scale_up_gb_s * GIGA / devices


@dataclass(frozen=True)
class Bound:
    """The line that no engine gets above: output tokens/s at most, by memory and by compute, None where not known.

    `requests` are in a step at most, each with `context` tokens.
    """

    requests: float | None
    context: float | None
    by_memory: float | None
    by_compute: float | None

    @property
    def per_s(self) -> float | None:
        """The lower of the two."""
        known = [one for one in (self.by_memory, self.by_compute) if one is not None]
        return min(known, default=None)


def bound(model: ServedModel, load: ServedLoad) -> Bound:
    """The line of a point that no engine gets above, which the audit holds all points against."""
    requests = model.fitting(load.requests, load.context)
    lengths = (load.isl or 0.0, load.osl or 0.0)
    work = roofline.least_served_work(model.shape, model.least, requests, load.context, lengths)
    time = roofline.least_time(work, model.limits)
    by_memory, by_compute = (1 / one if one else None for one in (time.memory, time.compute))
    return Bound(requests, load.context, by_memory, by_compute)


@dataclass(frozen=True)
class Use:
    """What a point used of its hardware in one phase.

    `rate` are units a second: output tokens, of a prefill prompt tokens. `requests` are in a step on average, None
    where nobody can tell; `work` is that of a unit and `least` its least time. `is_least` says that the bytes may be
    more than those counted: the weights are a lower bound, or `is_unstated`: the batch or the cache is not stated, or
    the experts are not published.
    """

    rate: float
    requests: float | None
    work: UnitWork
    least: LeastTime
    is_least: bool
    chips: int
    is_unstated: bool = False

    @property
    def ceiling(self) -> float:
        """Units a second at most; infinite where neither limit is known."""
        return self.least.per_s or float("inf")

    @property
    def share(self) -> float:
        """The share of its ceiling that the point reached."""
        return self.rate / self.ceiling

    @property
    def bandwidth(self) -> float | None:
        """Model-bandwidth utilisation: bytes read over what the memory gives; None where they are not known."""
        return None if self.least.memory is None else self.rate * self.least.memory

    @property
    def compute(self) -> float | None:
        """Model-FLOP utilisation: operations over the peak; None where that is not known."""
        return None if self.least.compute is None else self.rate * self.least.compute

    @property
    def operations_per_chip(self) -> float:
        """FLOP/s of each chip."""
        return self.rate * self.work.operations / self.chips


def use(model: ServedModel, load: ServedLoad, phase: RooflinePhase) -> Use | None:
    """What a point used of its hardware; None for the prefill of one that does not say how long its prompt took.

    Whether it says how long a step took, which a decode is told by, a caller knows.
    """
    if phase == "prefill":
        return _prefill(model, load)
    requests = batch(model, load)
    step = roofline.step_work(model.shape, model.sizes, model.layout, requests or 1.0, load.context)
    if requests is None:
        step = replace(step, bytes=None)
    prompt = None
    if phase == "served" and load.isl:
        prompt = roofline.prompt_work(model.shape, model.sizes, model.layout, load.isl)
    work = roofline.served_work(step, requests or 1.0, prompt, load.osl)
    unstated = not (load.step_ms and load.context and model.shape.groups and model.shape.routed_params is not None)
    is_least = unstated or model.has_least_weights
    return Use(load.rate, requests, work, roofline.least_time(work, model.limits), is_least, model.chips, unstated)


def batch(model: ServedModel, load: ServedLoad) -> float | None:
    """How many requests get a token in a step: rate x time of a step (Little's law), at most those sent and fitting.

    Without a step's time as many as are sent and fit; a step has at least one.
    """
    most = model.fitting(load.requests, load.context)
    known = [one for one in (most, load.rate * load.step_ms / 1000 if load.step_ms else None) if one is not None]
    return max(1.0, min(known)) if known else None


def _prefill(model: ServedModel, load: ServedLoad) -> Use | None:
    """A prompt in the time to its first token, in which it may have waited: at least so much was used."""
    if not load.ttft_ms or not load.isl:
        return None
    work = roofline.prompt_work(model.shape, model.sizes, model.layout, load.isl).each(load.isl)
    rate = 1000 * load.isl / load.ttft_ms
    return Use(rate, load.requests, work, roofline.least_time(work, model.limits), True, model.chips, True)


def step_overhead(use: Use) -> float | None:
    """Seconds of a decode's step beyond reading, computing and exchanging; None where that is not known."""
    if use.requests is None or use.least.whole is None:
        return None
    return use.requests / use.rate - use.requests * use.least.whole
