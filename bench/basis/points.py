"""A point as answers tell it: what was deployed, what was asked of it, what is wrong with it and where it is from."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import pandas as pd

from bench import flags
from bench.chart import deployment_words, hardware_words, workload_words
from bench.library import Library


@dataclass(frozen=True)
class PointFacts:
    """The facts of a point, None where not stated; `flags` is the JSON of its column, lengths are in tokens."""

    point_id: str
    model: str | None = None
    precision: str | None = None
    kv_precision: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    accelerator: str | None = None
    accelerators: int | None = None
    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    ep: int | None = None
    speculation: str | None = None
    disaggregated: bool | None = None
    variant: str | None = None
    isl: float | None = None
    osl: float | None = None
    context_tokens: int | None = None
    max_model_len: int | None = None
    dataset: str | None = None
    load_kind: str | None = None
    concurrency: int | None = None
    request_rate: float | None = None
    batch: int | None = None
    scenario: str | None = None
    harness: str | None = None
    evidence: str | None = None
    source: str | None = None
    date: datetime.date | None = None
    source_url: str | None = None
    source_id: str | None = None
    flags: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> PointFacts:
        """The facts in a row that holds them by column, NaN and NaT as absent; other columns are passed over."""
        return cls(**{name: _stated(row.get(name)) for name in COLUMNS})

    @cached_property
    def flag_kinds(self) -> tuple[str, ...]:
        """The kinds of its flags, each once."""
        return flags.kinds_of(self.flags)

    @property
    def row(self) -> dict[str, Any]:
        """The facts by column."""
        return {name: getattr(self, name) for name in COLUMNS}

    @property
    def deployment(self) -> str:
        """What was deployed, in words: "Llama 3.1 70B, FP8, 8 x H200 SXM (tp 8), TensorRT-LLM 0.17"."""
        return deployment_words(self.row)

    @property
    def workload(self) -> str:
        """What was asked, in words: "1,024 in / 1,024 out, concurrency 64"."""
        return workload_words(self.row)

    @property
    def hardware(self) -> str:
        """Chips and accelerator in words, without the layout: "8 x H200 SXM"."""
        return hardware_words({"accelerator": self.accelerator, "accelerators": self.accelerators})

    def words(self, without: Iterable[str] = ()) -> str:
        """Deployment and workload in words, without some columns."""
        row = {**self.row, **dict.fromkeys(without)}
        return ", ".join(part for part in (deployment_words(row), workload_words(row)) if part)


COLUMNS = tuple(column.name for column in fields(PointFacts))
SQL = ", ".join(COLUMNS)
"""The columns of PointFacts as a query lists them."""

LOAD_KIND = "coalesce(load_kind, 'unknown')"
"""A point's kind of load as a DuckDB expression that is never NULL."""

AMONG = "point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))"
"""The condition of the points with the ids of a list."""


def named(library: Library, ids: Sequence[str]) -> dict[str, PointFacts]:
    """The facts of these points by id; an id that is not loaded is left out."""
    found = library.fetch(f"SELECT {SQL} FROM points WHERE {AMONG}", (list(dict.fromkeys(ids)),))
    return {row[0]: PointFacts(*row) for row in found}


def of_frame(frame: pd.DataFrame) -> list[PointFacts]:
    """The facts of each row of a table that holds them by column."""
    return [PointFacts.of({str(key): value for key, value in row.items()}) for row in frame.to_dict("records")]


def _stated(value: Any) -> Any:
    """A cell of a table as a plain value: None for NaN, NaT and NA, whole numbers as such."""
    if value is None or value is pd.NA or value is pd.NaT or value != value:
        return None
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, datetime.datetime):
        return value.date()
    return int(value) if isinstance(value, float) and value.is_integer() else value
