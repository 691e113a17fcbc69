"""What really happened: for each request when it was read, admitted and ended, and when each write was due and sent."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, Any

from bench.errors import InputError

PLAIN = tuple(
    (
        "number id request_id connection api stream status failure ended received_ns admitted_ns end_ns input_tokens "
        "cached_tokens output_asked output_tokens tokens_per_chunk chunks_per_write"
    ).split()
)


@dataclass(slots=True)
class Truth:
    """One request. Times are CLOCK_MONOTONIC ns; `sent_ns` is taken just before the bytes are given to the kernel.

    `status` is None when no status was sent. `ended` is whole, failed (as asked for), refused, client_left or open
    (the endpoint was stopped first). `sent_ns` and `due_ns` have one entry per write of `chunks_per_write` chunks.
    """

    number: int
    connection: int
    received_ns: int
    id: str = ""
    request_id: str = ""
    api: str = ""
    stream: bool = False
    status: int | None = None
    failure: str | None = None
    ended: str = "open"
    admitted_ns: int | None = None
    end_ns: int | None = None
    input_tokens: int | None = None
    cached_tokens: int = 0
    output_asked: int | None = None
    output_tokens: int = 0
    tokens_per_chunk: int = 1
    chunks_per_write: int = 1
    sent_ns: array[int] = field(default_factory=lambda: array("q"))
    due_ns: array[int] = field(default_factory=lambda: array("q"))

    def chunks_sent_ns(self) -> list[int]:
        """When each chunk with tokens was sent; the one document, where nothing was streamed."""
        if not self.stream:
            return list(self.sent_ns)
        chunks = -(-self.output_tokens // self.tokens_per_chunk)
        return [self.sent_ns[place // self.chunks_per_write] for place in range(chunks)]


class Log:
    """A file of JSON lines, one per request that has ended; times of writes are the first and then the gaps."""

    def __init__(self, path: Path) -> None:
        try:
            self._file: IO[str] = path.open("w", encoding="utf-8", buffering=1 << 16)
        except OSError as problem:
            raise InputError(f"The log {path} cannot be written ({problem.strerror}); choose another --log.") from None

    def add(self, truth: Truth) -> None:
        """Write one request down."""
        plain = {name: getattr(truth, name) for name in PLAIN}
        stamps = {"sent_ns": _gaps(truth.sent_ns), "due_ns": _gaps(truth.due_ns)}
        self._file.write(json.dumps({**plain, **stamps}, separators=(",", ":")) + "\n")

    def flush(self) -> None:
        """Give the system all that was added."""
        self._file.flush()

    def close(self) -> None:
        """Flush and close."""
        self._file.close()


def read(path: Path) -> list[Truth]:
    """The requests of a log, in the order in which they ended."""
    with path.open(encoding="utf-8") as lines:
        return [_decoded(json.loads(line)) for line in lines]


def _decoded(row: Mapping[str, Any]) -> Truth:
    truth = Truth(**{name: row[name] for name in PLAIN})
    truth.sent_ns.extend(accumulate(row["sent_ns"]))
    truth.due_ns.extend(accumulate(row["due_ns"]))
    return truth


def _gaps(stamps: array[int]) -> list[int]:
    return [*stamps[:1], *(later - earlier for earlier, later in pairwise(stamps))]
