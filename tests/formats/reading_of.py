"""Reads files the way an import does, and gives plain Python back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.formats import companions, recognise
from bench.formats.reading import Reading, SourceFile
from bench.records import Refusal


def reading(path: Path) -> Reading:
    """The reading of a file in whatever format it is recognised as."""
    module = recognise(SourceFile(path))
    return module.read(SourceFile(path, companions(module, path)))


def passports_of(found: Reading) -> dict[str, dict[str, Any]]:
    """The passports of a reading, by metric."""
    assert found.passports is not None
    return {row["metric"]: row for row in found.passports.to_pylist()}


def passports(path: Path) -> dict[str, dict[str, Any]]:
    """The passports of a file, by metric."""
    return passports_of(reading(path))


def one_point(path: Path) -> dict[str, Any]:
    """The only point of a file none of whose rows is refused."""
    (found,), refused = read_points(path)
    assert refused == []
    return found


def read_points(path: Path) -> tuple[list[dict[str, Any]], list[Refusal]]:
    """The points a file holds, absent fields left out, and the rows refused."""
    found = reading(path)
    rows = [row for batch in found.batches() for row in batch.to_pylist()]
    return [{key: value for key, value in row.items() if value is not None} for row in rows], found.refusals


def read_scores(path: Path) -> tuple[list[dict[str, Any]], list[Refusal]]:
    """The scores a file holds, absent fields left out, and the rows refused."""
    found = reading(path)
    rows = found.scores.to_pylist() if found.scores is not None else []
    return [{key: value for key, value in row.items() if value is not None} for row in rows], found.refusals
