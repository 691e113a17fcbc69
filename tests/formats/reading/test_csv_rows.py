"""The rows of a tool's CSV: cells come back by the header's names, whatever they are, and ragged rows are refused."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.formats.reading import SourceFile
from bench.formats.reading.csv_rows import rows

CELL = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=8)


def file(folder: Path, text: str) -> SourceFile:
    path = folder / "bench.csv"
    path.write_text(text, newline="")
    return SourceFile(path)


@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=8))
def test_cells_come_back_by_name_and_empty_ones_are_absent(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str, str]]
) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([("a", "b", "c"), *cells])
    found = list(rows(file(tmp_path_factory.getbasetemp(), text.getvalue())))
    assert found == [
        (f"row {number}", {key: cell for key, cell in zip("abc", row, strict=True) if cell})
        for number, row in enumerate(cells, start=1)
    ]


def test_blank_rows_count_and_say_nothing(tmp_path: Path) -> None:
    assert list(rows(file(tmp_path, "\ufeff# of a tool\n\na,b\n1,2\n\n3,4\n"))) == [
        ("row 1", {"a": "1", "b": "2"}),
        ("row 3", {"a": "3", "b": "4"}),
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a,b\n1,2\n3\n", "Row 2 of bench.csv has 1 cells"),
        ("", "bench.csv is empty"),
        ("# a,b\n1,2\n3,4,5\n", "Row 1 of bench.csv has 3 cells"),
    ],
)
def test_a_row_that_is_no_row_of_the_table_is_named(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        list(rows(file(tmp_path, text)))
