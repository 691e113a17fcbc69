"""The records everything else is about: a deployment, a workload, a load, and what was measured there.

None means not stated. Units are those of the catalogue: ms for latencies, s for durations, tokens/s, USD.
`POINT_FIELDS` is the one list of columns of a point: the published format, Parquet and SQL all use it.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

Evidence = Literal["measured", "simulated", "projected", "estimated", "unverified"]
Origin = Literal["own", "imported", "published"]
LoadKind = Literal["closed", "open", "batch", "saturated", "scenario", "unknown"]


@dataclass(frozen=True)
class Deployment:
    """What serves: a model at a precision on an engine on accelerators, in a layout.

    `accelerators` counts physical chips; `devices` counts what tp, pp, dp and ep count, which on a TPU v7x are two
    per chip. `variant` is free text that tells apart what the other fields cannot.
    """

    model: str | None = None
    checkpoint: str | None = None
    precision: str | None = None
    kv_precision: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    accelerator: str | None = None
    accelerators: int | None = None
    devices: int | None = None
    nodes: int | None = None
    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    ep: int | None = None
    dp_attention: bool | None = None
    disaggregated: bool | None = None
    prefill_accelerators: int | None = None
    decode_accelerators: int | None = None
    prefill_tp: int | None = None
    prefill_ep: int | None = None
    prefill_dp_attention: bool | None = None
    prefill_workers: int | None = None
    decode_workers: int | None = None
    speculation: str | None = None
    prefix_caching: bool | None = None
    variant: str | None = None


@dataclass(frozen=True)
class Workload:
    """What is asked: lengths in tokens, requested and actual, and where they come from."""

    isl_requested: int | None = None
    isl_actual: float | None = None
    osl_requested: int | None = None
    osl_actual: float | None = None
    context_tokens: int | None = None
    max_model_len: int | None = None
    dataset: str | None = None
    shared_prefix_share: float | None = None
    turns: float | None = None

    @property
    def isl(self) -> float | None:
        """The input length a chart puts on its axis: as requested, else as counted."""
        return self.isl_requested if self.isl_requested is not None else self.isl_actual

    @property
    def osl(self) -> float | None:
        """The output length a chart puts on its axis: as requested, else as counted."""
        return self.osl_requested if self.osl_requested is not None else self.osl_actual


@dataclass(frozen=True)
class Load:
    """How hard it is asked: the kind of load and that kind's own number.

    closed: concurrency; open: request_rate (requests/s) and arrivals; batch: a static batch; saturated: as much as
    it takes; scenario: MLPerf's. Different kinds never share an axis unless the reader asks.
    """

    load_kind: LoadKind = "unknown"
    concurrency: int | None = None
    request_rate: float | None = None
    arrivals: str | None = None
    batch: int | None = None
    scenario: str | None = None


@dataclass(frozen=True)
class Flag:
    """What is wrong with a point: what was seen, why it matters, what to do."""

    kind: str
    seen: str
    why: str
    do: str


@dataclass(frozen=True)
class Point:
    """One deployment under one workload at one load, measured once.

    `locator` names the place in the source (a row, a path in a JSON document); with the source id it makes the
    point id. `metrics` maps catalogue keys to values. `restated_in` lists other places that print the same
    measurement.
    """

    deployment: Deployment
    workload: Workload
    load: Load
    metrics: Mapping[str, float]
    locator: str
    source: str
    evidence: Evidence = "unverified"
    origin: Origin = "imported"
    harness: str | None = None
    harness_version: str | None = None
    date: datetime.date | None = None
    repeat: int | None = None
    source_url: str | None = None
    note: str | None = None
    restated_in: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True)
class Price:
    """What accelerators cost by the hour, at one provider under one set of terms.

    `usd_per_hour` buys `accelerators` chips; None when the source prints a placeholder instead of a price.
    """

    book: str
    provider: str
    accelerator: str
    accelerators: int
    terms: str
    usd_per_hour: float | None
    instance: str | None = None
    region: str | None = None
    as_of: datetime.date | None = None
    source_url: str | None = None
    note: str | None = None

    @property
    def usd_per_accelerator_hour(self) -> float | None:
        """The price of one chip for one hour; None without a price."""
        return None if self.usd_per_hour is None else self.usd_per_hour / self.accelerators


@dataclass(frozen=True)
class Passport:
    """How a tool's figure became a metric of the catalogue; one for each metric of a source."""

    metric: str
    format: str
    tool_version: str | None = None
    definition: str = "as catalogue"
    unit_in_file: str | None = None
    denominator: str | None = None
    window: str | None = None
    token_source: str | None = None


@dataclass(frozen=True)
class Refusal:
    """A file or a row that was not loaded, and why; row, column and value are None for a whole file.

    One that stands for `further` rows of a file says that they were refused too, but are not listed.
    """

    file: str
    reason: str
    row: int | None = None
    column: str | None = None
    value: str | None = None
    expected: str | None = None
    further: int = 0

    @property
    def many(self) -> int:
        """How many files or rows it is the refusal of."""
        return self.further or 1


DEPLOYMENT_FIELDS = tuple(column.name for column in fields(Deployment))
WORKLOAD_FIELDS = tuple(column.name for column in fields(Workload))
LOAD_FIELDS = tuple(column.name for column in fields(Load))
META_FIELDS = (
    "harness",
    "harness_version",
    "evidence",
    "origin",
    "date",
    "repeat",
    "source_url",
    "note",
    "restated_in",
    "flags",
)
POINT_FIELDS = ("source", "locator", *DEPLOYMENT_FIELDS, *WORKLOAD_FIELDS, *LOAD_FIELDS, *META_FIELDS)
"""Every column of a point but its ids, `isl`, `osl` and its metrics."""

LOAD_AXES = ("concurrency", "request_rate", "batch")
"""The columns a series runs along by default."""
