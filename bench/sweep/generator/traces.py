"""Trace files: when each request came, how long its input was and how long its output. CSV or JSONL.

The arrival's column says its unit: `at_s`, `arrival_s` or `timestamp_s`, and the same with `_ms`. Two public traces
are known by their own columns: Azure's (TIMESTAMP as date and time, ContextTokens, GeneratedTokens) and Mooncake's
(timestamp in ms beside hash_ids, input_length, output_length).
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.errors import InputError
from bench.sweep.generator.prompt_files import MAX_ROWS, decoded, lines
from bench.sweep.planning.shapes import MOST_TOKENS

TIMES: Mapping[str, float] = {
    **{
        f"{name}_{unit}": scale
        for name in ("at", "arrival", "timestamp")
        for unit, scale in (("s", 1.0), ("ms", 0.001))
    }
}
ISL = ("isl", "input_length", "input_tokens", "contexttokens")
OSL = ("osl", "output_length", "output_tokens", "generatedtokens")
MOST_SECONDS = 14 * 86_400
EXAMPLE = "a trace has the columns at_s, isl and osl"


@dataclass(frozen=True)
class TracedRequest:
    """One request of a trace: seconds after the first one, and its lengths in tokens."""

    at_s: float
    isl: int
    osl: int


def read_trace(path: Path) -> tuple[TracedRequest, ...]:
    """The requests of a trace in the order of their arrival, the first at 0 s.

    InputError when the file cannot be read, lacks a column, or a row does not hold a time and two lengths.
    """
    requests = []
    for number, row in _rows(path):
        requests.append(
            TracedRequest(_time(path, number, row), _length(path, number, row, ISL), _length(path, number, row, OSL))
        )
        if len(requests) > MAX_ROWS:
            raise InputError(f"{path.name} has more than {MAX_ROWS:,} requests; take fewer.")
    if not requests:
        raise InputError(f"{path.name} has no request; {EXAMPLE}.")
    requests.sort(key=lambda arrival: arrival.at_s)
    start = requests[0].at_s
    if requests[-1].at_s - start > MOST_SECONDS:
        raise InputError(f"{path.name} spans more than {MOST_SECONDS // 86_400} days; check the unit of its times.")
    return tuple(TracedRequest(arrival.at_s - start, arrival.isl, arrival.osl) for arrival in requests)


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    numbered = lines(path)
    first = next(numbered, None)
    if first is None:
        return
    if first[1].lstrip().startswith("{"):
        yield _object(path, *first)
        for number, text in numbered:
            yield _object(path, number, text)
        return
    header = [name.strip().lower() for name in _cells(path, *first)]
    for number, text in numbered:
        cells = _cells(path, number, text)
        if len(cells) != len(header):
            raise InputError(f"{path.name}, line {number}, has {len(cells)} cells under {len(header)} columns.")
        yield number, dict(zip(header, cells, strict=True))


def _cells(path: Path, number: int, text: str) -> list[str]:
    try:
        return next(csv.reader([text]))
    except csv.Error as problem:
        raise InputError(f"{path.name}, line {number}, is no line of a CSV file: {problem}.") from problem


def _object(path: Path, number: int, text: str) -> tuple[int, Mapping[str, Any]]:
    row = decoded(path, f"line {number}", text)
    if not isinstance(row, Mapping):
        raise InputError(f"{path.name}, line {number}, is no object; {EXAMPLE}.")
    return number, {str(key).lower(): value for key, value in row.items()}


def _time(path: Path, number: int, row: Mapping[str, Any]) -> float:
    column = next((name for name in TIMES if row.get(name) is not None), None)
    if column is not None:
        return _number(path, number, column, row[column]) * TIMES[column]
    stamp = row.get("timestamp")
    if stamp is not None and "hash_ids" in row:
        return _number(path, number, "timestamp", stamp) / 1000
    if stamp is not None and "contexttokens" in row:
        return _moment(path, number, stamp)
    raise InputError(
        f"{path.name}, line {number}, does not say when its request came; {EXAMPLE} "
        f"(or a time named {', '.join(list(TIMES)[1:])})."
    )


def _moment(path: Path, number: int, stamp: object) -> float:
    """Seconds of a date and time such as 2023-11-16 18:15:46.6805900, whose seventh digit Python does not read."""
    text = str(stamp).strip()[:40]
    whole, _, fraction = text.partition(".")
    digits = fraction.removesuffix("Z").partition("+")[0]
    try:
        moment = datetime.fromisoformat(whole)
        return moment.replace(tzinfo=UTC).timestamp() + (float(f"0.{digits}") if digits else 0.0)
    except ValueError as problem:
        raise InputError(
            f"{path.name}, line {number}: timestamp is {text!r}; write 2023-11-16 18:15:46.68."
        ) from problem


def _length(path: Path, number: int, row: Mapping[str, Any], names: Sequence[str]) -> int:
    column = next((name for name in names if row.get(name) is not None), None)
    if column is None:
        raise InputError(f"{path.name}, line {number}, has no {names[0]}; {EXAMPLE}.")
    value = _number(path, number, column, row[column])
    if not 1 <= value <= MOST_TOKENS or value != int(value):
        raise InputError(
            f"{path.name}, line {number}: {column} is {str(row[column])[:40]!r}; "
            f"write a whole number from 1 to {MOST_TOKENS:,}."
        )
    return int(value)


def _number(path: Path, number: int, column: str, value: object) -> float:
    try:
        parsed = math.nan if isinstance(value, bool) or len(str(value)) > 40 else float(str(value))
    except ValueError:
        parsed = math.nan
    if not 0 <= parsed < 1e15:
        raise InputError(f"{path.name}, line {number}: {column} is {str(value)[:40]!r}; write a number of 0 or more.")
    return parsed
