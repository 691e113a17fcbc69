"""A point's requests as a Parquet file. Columns are made from their buffers: pa.array would import pandas first."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.sweep.folder import sync_folder, writing
from bench.sweep.samples import ABSENT, OUTCOMES

if TYPE_CHECKING:
    import pyarrow as pa

    from bench.sweep.spool import Spooled

ROWS_IN_A_GROUP = 4096
NUMBERS = ("number", "connection", "intended_ns", "sent_ns", "connect_ns", "headers_ns", "first_ns", "first_content_ns",
           "end_ns", "asked_isl", "asked_osl", "input_tokens", "output_tokens")  # fmt: skip
WORDS = ("finish", "response_id", "error")


def to_parquet(found: Spooled, start_ns: int, path: Path) -> None:
    """Nothing; the requests are in the file, which is there whole or not at all.

    Times are nanoseconds since the point's start, but `connect_ns`, which is how long the set-up took; `chunks_ns`
    has the arrival of each chunk and `chunk_tokens` what it carried.
    """
    import pyarrow.parquet as pq

    beside = path.with_name(f".{path.name}")
    with writing(path):
        pq.write_table(_table(found, start_ns), beside, compression="zstd", row_group_size=ROWS_IN_A_GROUP)
        with beside.open("rb") as file:
            os.fsync(file.fileno())
        beside.replace(path)
        sync_folder(path.parent)


def _table(found: Spooled, start_ns: int) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    made: dict[str, Any] = {}
    for name in NUMBERS:
        column = found.columns[name]
        moment = name.endswith("_ns") and name != "connect_ns"
        made[name] = _numbers(column - start_ns if moment else column, column != ABSENT)
    made["outcome"] = _texts([OUTCOMES[place] for place in found.columns["outcome"].tolist()])
    made["by_usage"] = pa.Array.from_buffers(
        pa.bool_(), len(found), [None, _bits(found.columns["by_usage"] == 1)]
    )
    for place, name in enumerate(WORDS):
        made[name] = _texts([row[place] or None for row in found.words])
    offsets = pa.py_buffer(np.concatenate(([0], np.cumsum(found.columns["chunks"]))).astype(np.int64))
    for name, values in (("chunks_ns", found.stamps - start_ns), ("chunk_tokens", found.tokens)):
        inner = _numbers(values)
        made[name] = pa.Array.from_buffers(
            pa.large_list(pa.int64()), len(found), [None, offsets], children=[inner]
        )
    return pa.Table.from_arrays(list(made.values()), names=list(made))


def _numbers(values: Any, known: Any = None) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    held = None if known is None or known.all() else _bits(known)
    return pa.Array.from_buffers(pa.int64(), len(values), [held, pa.py_buffer(values.astype(np.int64))])


def _texts(values: list[str | None]) -> pa.Array:
    import numpy as np
    import pyarrow as pa

    written = [(value or "").encode() for value in values]
    offsets = np.concatenate(([0], np.cumsum([len(text) for text in written]))).astype(np.int32)
    known = _bits(np.array([value is not None for value in values], dtype=bool))
    buffers = [known, pa.py_buffer(offsets), pa.py_buffer(b"".join(written))]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)


def _bits(truths: Any) -> pa.Buffer:
    import numpy as np
    import pyarrow as pa

    return pa.py_buffer(np.packbits(truths, bitorder="little"))
