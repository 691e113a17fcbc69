"""Damaged files are refused in a sentence or read correctly; they never end in a traceback or a wrong number."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.catalogue import is_metric
from bench.errors import InputError
from bench.formats.table.csv_slices import header_cells
from tests.formats.mutations import MutatedFile, mutated_files
from tests.formats.reading_of import reading
from tests.thorough import some

COUNT, SEED = 300, 20261120
csv.field_size_limit(1 << 24)


DAMAGED = some(mutated_files(COUNT, SEED), 40)


def test_damaged_files_are_refused_or_read_correctly(tmp_path: Path) -> None:
    read, refused = 0, []
    for file in DAMAGED:
        path = tmp_path / file.name
        path.write_bytes(file.content)
        try:
            found = reading(path)
            points = [point for batch in found.batches() for point in batch.to_pylist()]
        except InputError as problem:
            refused.append((file.name, str(problem)))
            continue
        read += bool(points)
        scores = found.scores.to_pylist() if found.scores is not None else []
        assert points or scores or found.refusals, file.story
        assert all((one.file, one.row is not None) == (file.name, True) for one in found.refusals), file.story
        assert len({row["locator"] for row in points}) == len(points), file.story
        said = what_the_file_says(file)
        for row in (*points, *scores):
            place = int(row["locator"].removeprefix("row "))
            assert place not in {one.row for one in found.refusals}, file.story
            check_row(row, said.get(place) if said else None)
    assert all(name in said and len(said.splitlines()) == 1 for name, said in refused)
    # The damage is neither so light nor so heavy that one of the two promises goes untested.
    assert len(DAMAGED) * 0.1 < read < len(DAMAGED) * 0.9


def check_row(row: dict[str, Any], cells: dict[str, str] | None) -> None:
    """Every number is possible and is the one an independent reader finds in the row's cell."""
    assert row["model"]
    for key, value in row.items():
        if value is None or not (is_metric(key) or key == "value"):
            continue
        assert math.isfinite(value)
        assert value >= 0 or key == "value"
        if cells is not None:
            assert float(cells[key]) == value


def what_the_file_says(file: MutatedFile) -> dict[int, dict[str, str]] | None:
    """The rows by number as Python's own CSV and JSON readers find them; None where they have no say."""
    if file.content.startswith(b"PAR1"):
        return None
    encoding = "utf-16" if file.content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    text = file.content.decode(encoding)
    if text.lstrip()[:1] not in ("[", "{"):
        return numbered(text)
    if file.name.endswith("jsonl") or not text.lstrip().startswith("["):
        return None
    rows = enumerate(json.loads(text, parse_int=str), start=1)
    return {number: {key.strip(): row[key] for key in row} for number, row in rows if isinstance(row, dict)}


def numbered(text: str) -> dict[int, dict[str, str]]:
    """The rows of a CSV by number; every blank line counts as a row."""
    cells, delimiter = header_cells(text)
    lines: Iterable[list[str]] = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    names = [cell.strip() for cell in cells]
    return {number: dict(zip(names, line, strict=False)) for number, line in enumerate(lines, start=1)}
