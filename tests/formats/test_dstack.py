"""dstack's table: a row that says two things is refused, and without its ratio it is not taken for dstack's."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from bench.errors import InputError
from bench.formats import recognise
from bench.formats.reading import SourceFile
from tests.formats.reading_of import read_points, reading

TABLE = Path(__file__).parents[1] / "samples" / "dstack" / "results.csv"


def changed(folder: Path, **cells: str | None) -> Path:
    """The table's header and first row with these cells; a column of None is left out."""
    with TABLE.open(newline="") as stream:
        row = next(csv.DictReader(stream)) | cells
    kept = {key: value for key, value in row.items() if value is not None}
    path = folder / "results.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([kept, kept.values()])
    return path


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"conc": "64"}, "row 1.conc in results.csv is 64"),
        ({"isl": "1.5"}, "row 1.isl in results.csv is 1.5"),
        ({"prefill": "-1"}, "row 1.prefill in results.csv is -1"),
        ({"date": "yesterday"}, "row 1.date in results.csv is 'yesterday'"),
        ({"mean_ttft_ms": "0.335", "median_ttft_ms": "0.255", "p99_ttft_ms": "0.839"}, "ttft_ms"),  # seconds
    ],
)
def test_a_value_that_is_not_what_it_must_be_is_named(
    cells: dict[str, str | None], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as problem:
        reading(changed(tmp_path, **cells))
    assert reason in str(problem.value)


def test_a_rate_is_an_open_load(tmp_path: Path) -> None:
    (found,), _ = read_points(changed(tmp_path, request_rate="8.0", max_concurrency=""))
    assert (found["load_kind"], found["request_rate"]) == ("open", 8.0)


def test_a_table_without_the_ratio_is_told_what_it_is(tmp_path: Path) -> None:
    path = changed(tmp_path, prefill=None, decode=None)
    with pytest.raises(InputError, match="somebody made of vLLM results"):
        recognise(SourceFile(path))
