"""The raw samples of a point: streamed to plain files while it runs, so that memory stays flat.

A worker writes three files: rows of 64-bit numbers, a row per request; the arrivals and tokens of all chunks, one
request after another; and a line of JSON per request with its words. Workers' files follow each other when read.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bench.sweep.folder import not_written, writing
from bench.sweep.generator.samples import ABSENT, OUTCOMES, ROW, SOURCES, Samples, finish_of
from bench.sweep.wire.exchange import Exchange

MORE = ("number", "connect_ns", "headers_ns", "first_content_ns", "connection")
COLUMNS = (*ROW, *MORE)
PARTS = ("rows", "stamps", "tokens", "words")
BUFFER = 1 << 18


class Spool:
    """Where one worker's exchanges of one point go as they end."""

    def __init__(self, stem: Path) -> None:
        self._stem = stem
        self._files: list[BinaryIO] = []
        with writing(stem):
            for part in PARTS:
                self._files.append(part_of(stem, part).open("wb", buffering=BUFFER))

    def add(self, one: Exchange, isl: int | None, osl: int) -> None:
        """Keep the exchange. NotWritten when the disk is full."""
        rows, stamps, tokens, words = self._files
        row = array("q", (
            _or_absent(one.intended_ns), one.sent_ns, _or_absent(one.first_ns), one.end_ns,
            _or_absent(one.input_tokens), _or_absent(one.output_tokens), _or_absent(isl), osl,
            OUTCOMES.index(one.outcome), SOURCES.index(one.token_source), finish_of(one.finish), len(one.stamps_ns),
            one.number, _or_absent(one.connect_ns), _or_absent(one.headers_ns), _or_absent(one.first_content_ns),
            one.connection,
        ))  # fmt: skip
        with writing(self._stem):
            rows.write(row)
            stamps.write(one.stamps_ns)
            tokens.write(one.tokens)
            words.write(json.dumps([one.finish, one.response_id, one.error]).encode() + b"\n")

    def close(self) -> None:
        """Write all of it to the files."""
        problem: OSError | None = None
        for file in self._files:
            try:
                file.close()
            except OSError as full:
                problem = full
        if problem is not None:
            raise not_written(self._stem, problem) from problem


@dataclass(frozen=True)
class Spooled:
    """What the workers of a point have written: columns by name, and each request's words."""

    columns: dict[str, Any]
    stamps: Any
    tokens: Any
    words: list[list[str | None]]

    @property
    def samples(self) -> Samples:
        """The columns that metrics are made of."""
        own = {name: self.columns[name] for name in ROW}
        return Samples(**own, stamps_ns=self.stamps, tokens=self.tokens)

    def __len__(self) -> int:
        return len(self.columns["sent_ns"])


def part_of(stem: Path, part: str) -> Path:
    """The file of one part."""
    return stem.with_name(f"{stem.name}.{part}")


def gathered(stems: Sequence[Path]) -> Spooled:
    """Everything the workers wrote, concatenated."""
    import numpy as np

    tables = [np.fromfile(part_of(stem, "rows"), dtype=np.int64).reshape(-1, len(COLUMNS)) for stem in stems]
    table = np.concatenate(tables)
    words: list[list[str | None]] = []
    for stem in stems:
        with part_of(stem, "words").open("rb") as lines:
            words += [json.loads(line) for line in lines]
    return Spooled(
        {name: np.ascontiguousarray(table[:, place]) for place, name in enumerate(COLUMNS)},
        np.concatenate([np.fromfile(part_of(stem, "stamps"), dtype=np.int64) for stem in stems]),
        np.concatenate([np.fromfile(part_of(stem, "tokens"), dtype=np.int32) for stem in stems]).astype(np.int64),
        words,
    )


def clear(folder: Path, keep: Iterable[str] = ()) -> None:
    """Remove what an interrupted point left among the samples, all but these files."""
    kept = set(keep)
    with writing(folder):
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path.is_file() and path.name not in kept:
                path.unlink()


def _or_absent(value: int | None) -> int:
    return ABSENT if value is None else value
