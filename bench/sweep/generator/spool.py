"""The raw samples of a point: streamed to plain files while it runs, so that memory stays flat.

A worker writes three files: rows of 64-bit numbers, a row per request; the arrivals and tokens of all chunks, one
request after another; and a line of JSON per request with its words. Workers' files follow each other when read.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, get_args

from bench.sweep.folder import not_written, writing
from bench.sweep.wire.exchange import Exchange, RequestOutcome, TokenSource

ABSENT = -1
"""What stands in a column for None."""

OUTCOMES: tuple[RequestOutcome, ...] = get_args(RequestOutcome)
OK, CANCELLED = OUTCOMES.index("ok"), OUTCOMES.index("cancelled")

SOURCES: tuple[TokenSource, ...] = get_args(TokenSource)
FINISHES = ("", "stop", "length")
"""How an answer said it ended, as far as that explains its length; what says anything else is as if it said nothing."""
STOPPED, FILLED = FINISHES.index("stop"), FINISHES.index("length")

ROW = ("intended_ns", "sent_ns", "first_ns", "end_ns", "input_tokens", "output_tokens", "asked_isl", "asked_osl",
       "outcome", "source", "finish", "chunks")  # fmt: skip
"""The columns with one entry per request."""

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
        with writing(self._stem):
            rows.write(row_of(one, isl, osl))
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


def row_of(one: Exchange, isl: int | None, osl: int | None) -> array[int]:
    """The exchange's numbers in the order of COLUMNS; `isl` and `osl` are the lengths that were asked for."""
    return array("q", (
        _or_absent(one.intended_ns), one.sent_ns, _or_absent(one.first_ns), one.end_ns,
        _or_absent(one.input_tokens), _or_absent(one.output_tokens), _or_absent(isl), _or_absent(osl),
        OUTCOMES.index(one.outcome), SOURCES.index(one.token_source), finish_of(one.finish), len(one.stamps_ns),
        one.number, _or_absent(one.connect_ns), _or_absent(one.headers_ns), _or_absent(one.first_content_ns),
        one.connection,
    ))  # fmt: skip


def part_of(stem: Path, part: str) -> Path:
    """The file of one part."""
    return stem.with_name(f"{stem.name}.{part}")


def clear(folder: Path, keep: Iterable[str] = ()) -> None:
    """Remove what an interrupted point left among the samples, all but these files."""
    kept = set(keep)
    with writing(folder):
        folder.mkdir(exist_ok=True)
        for path in folder.iterdir():
            if path.is_file() and path.name not in kept:
                path.unlink()


def finish_of(word: str | None) -> int:
    """The place in FINISHES of a finish_reason."""
    return FINISHES.index(word) if word in FINISHES else 0


def _or_absent(value: int | None) -> int:
    return ABSENT if value is None else value
