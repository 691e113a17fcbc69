"""A point's requests as a Parquet file. Columns are made from their buffers: pa.array would import pandas first."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.errors import InputError
from bench.library.store import sync_folder
from bench.sweep.folder import writing
from bench.sweep.generator.samples import IntColumn, Samples, Spooled
from bench.sweep.generator.spool import ABSENT, OUTCOMES, ROW, SOURCES, finish_of
from bench.sweep.measured.telemetry import EngineReading

ROWS_IN_A_GROUP = 4096
NUMBERS = ("number", "connection", "intended_ns", "sent_ns", "connect_ns", "headers_ns", "first_ns", "first_content_ns",
           "end_ns", "asked_isl", "asked_osl", "input_tokens", "output_tokens")  # fmt: skip
WORDS = ("finish", "response_id", "error")
READINGS = b"kneepoint_telemetry"
"""Where in the file's metadata the engine's own figures are kept."""


@dataclass(frozen=True)
class KeptRequests:
    """The requests of a point as their file keeps them, times in nanoseconds since the point's start.

    `connect_ns` is how long the set-up of the connection took, ABSENT where it was there already; `error` says why a
    request failed, None where it did not. `readings` are the engine's own figures, none where it tells none.
    """

    samples: Samples
    number: IntColumn
    connect_ns: IntColumn
    headers_ns: IntColumn
    error: tuple[str | None, ...]
    readings: tuple[EngineReading, ...] = ()

    def __len__(self) -> int:
        return len(self.number)


def from_parquet(path: Path) -> KeptRequests:
    """The requests that `to_parquet` has kept.

    InputError when the file is gone, or is none of ours.
    """
    try:
        table = pq.read_table(path).combine_chunks()
        return _kept(table)
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError, RecursionError) as problem:
        raise InputError(
            f"{path} cannot be read as the requests of a point: it was moved, changed or damaged."
        ) from problem


def to_parquet(spooled: Spooled, start_ns: int, path: Path, readings: Sequence[EngineReading] = ()) -> None:
    """Write the requests to the file, which is there whole or not at all.

    Times are nanoseconds since the point's start, but `connect_ns`, which is how long the set-up took; `chunks_ns`
    has the arrival of each chunk and `chunk_tokens` what it carried. The engine's `readings` are in its metadata.
    """
    beside = path.with_name(f".{path.name}")
    with writing(path):
        table = _table(spooled, start_ns).replace_schema_metadata({READINGS: _readings(readings, start_ns)})
        pq.write_table(table, beside, compression="zstd", row_group_size=ROWS_IN_A_GROUP)
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        beside.replace(path)
        sync_folder(path.parent)


def _table(spooled: Spooled, start_ns: int) -> pa.Table:
    made: dict[str, Any] = {}
    for name in NUMBERS:
        column = spooled.columns[name]
        moment = name.endswith("_ns") and name != "connect_ns"
        made[name] = _numbers(column - start_ns if moment else column, column != ABSENT)
    made["outcome"] = _texts([OUTCOMES[place] for place in spooled.columns["outcome"].tolist()])
    made["token_source"] = _texts([SOURCES[place] for place in spooled.columns["source"].tolist()])
    for place, name in enumerate(WORDS):
        made[name] = _texts([row[place] or None for row in spooled.words])
    offsets = _numbers(np.concatenate(([0], np.cumsum(spooled.columns["chunks"]))))
    for name, values in (("chunks_ns", spooled.stamps - start_ns), ("chunk_tokens", spooled.tokens)):
        made[name] = pa.LargeListArray.from_arrays(offsets, _numbers(values))
    return pa.Table.from_arrays(list(made.values()), names=list(made))


def _kept(table: pa.Table) -> KeptRequests:
    def whole(name: str) -> IntColumn:
        column = table.column(name)
        return np.asarray(column.fill_null(ABSENT).to_numpy(), dtype=np.int64)

    columns = {name: whole(name) for name in ROW if name not in ("outcome", "source", "finish", "chunks")}
    kinds = {name: place for place, name in enumerate(OUTCOMES)}
    lists = table.column("chunks_ns")
    samples = Samples(
        **columns,
        outcome=np.array([kinds[one] for one in table.column("outcome").to_pylist()], dtype=np.int64),
        source=np.array(_sources(table), dtype=np.int64),
        finish=np.array([finish_of(word) for word in table.column("finish").to_pylist()], dtype=np.int64),
        chunks=np.asarray(pc.list_value_length(lists).to_numpy(), dtype=np.int64),
        stamps_ns=_flat(lists),
        tokens=_flat(table.column("chunk_tokens")),
    )
    readings = json.loads((table.schema.metadata or {}).get(READINGS, b"[]"))
    return KeptRequests(
        samples,
        whole("number"),
        whole("connect_ns"),
        whole("headers_ns"),
        tuple(table.column("error").to_pylist()),
        tuple(EngineReading(**one) for one in readings),
    )


def _sources(table: pa.Table) -> list[int]:
    """Who counted each request's tokens; an older file only says whether the server did."""
    if "by_usage" in table.column_names:
        return [SOURCES.index("usage" if told else "chunks") for told in table.column("by_usage").to_pylist()]
    return [SOURCES.index(told) for told in table.column("token_source").to_pylist()]


def _flat(lists: Any) -> IntColumn:
    parts = [chunk.flatten().to_numpy() for chunk in lists.chunks]
    return np.concatenate([np.array([], dtype=np.int64), *parts]).astype(np.int64)


def _readings(readings: Sequence[EngineReading], start_ns: int) -> bytes:
    since = [asdict(replace(one, at_ns=one.at_ns - start_ns)) for one in readings]
    return json.dumps([{key: value for key, value in one.items() if value is not None} for one in since]).encode()


def _numbers(values: Any, known: Any = None) -> pa.Array:
    mask = None if known is None or known.all() else pa.py_buffer(np.packbits(known, bitorder="little"))
    return pa.Array.from_buffers(pa.int64(), len(values), [mask, pa.py_buffer(values.astype(np.int64))])


def _texts(values: list[str | None]) -> pa.Array:
    builder = pa.lib.StringBuilder()
    builder.append_values(values)
    return builder.finish()
