"""Tables are taken apart as any reader of their format would, and every row keeps its number."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.formats.reading.text_file import MAX_DEPTH, check_depth
from bench.formats.table.csv_slices import BLOCK, CsvTable
from bench.formats.table.json_slices import JsonTable

CELL = st.text(st.sampled_from('ab ,"\n;é'), max_size=4)
LINES = st.lists(st.lists(CELL, min_size=1, max_size=4), max_size=12)


def rows_of(table: CsvTable | JsonTable) -> tuple[dict[int, dict[str, Any]], dict[int, str]]:
    """Every row by its number, without blank cells, and every broken one."""
    rows: dict[int, dict[str, Any]] = {}
    broken: dict[int, str] = {}
    for part in table.slices():
        broken |= part.broken
        cells = {name: column.to_pylist() for name, column in part.columns.items()}
        for place, number in enumerate(part.numbers.tolist()):
            rows[number] = {name: values[place] for name, values in cells.items() if values[place]}
    return rows, broken


@given(lines=LINES)
def test_csv_rows_are_those_of_the_standard_reader(lines: list[list[str]], tmp_path_factory: Any) -> None:
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([["x", "tpot_ms_p50", "y"], *lines])
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    rows, broken = rows_of(CsvTable(path))
    expected = {
        number: {name: cell for name, cell in zip(("x", "tpot_ms_p50", "y"), line, strict=True) if cell}
        for number, line in enumerate(lines, start=2)
        if len(line) == 3
    }
    assert rows == expected
    assert sorted(broken) == [number for number, line in enumerate(lines, start=2) if len(line) != 3]


def test_row_numbers_hold_across_blocks(tmp_path: Path) -> None:
    wide = "x" * 2000
    lines = [f"{number},{wide}" for number in range(2, 3 * BLOCK // 2000)]
    for number in (4000, 4001, 6000):
        lines[number - 2] += ",one too many"
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["number,text", *lines]))
    rows, broken = rows_of(CsvTable(path))
    assert sorted(broken) == [4000, 4001, 6000]
    assert all(row["number"] == str(number) for number, row in rows.items())
    assert len(rows) + len(broken) == len(lines)


def test_a_row_longer_than_a_block_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1," + "x" * (2 * BLOCK + 2))
    with pytest.raises(InputError, match="is longer than"):
        rows_of(CsvTable(path))


@given(objects=st.lists(st.dictionaries(st.sampled_from("abc"), st.integers() | CELL | st.none()), max_size=8))
def test_a_list_and_lines_of_json_hold_the_same_rows(objects: list[dict[str, Any]], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("json")
    (folder / "list.json").write_text(json.dumps(objects, indent=1))
    (folder / "lines.json").write_text("\n".join(json.dumps(row) for row in objects) or "\n")
    expected = {
        number: {key: str(value).strip() for key, value in row.items() if str(value or 0).strip() and value is not None}
        for number, row in enumerate(objects, start=1)
    }
    expected = {number: {k: v for k, v in row.items() if v} for number, row in expected.items()}
    assert rows_of(JsonTable(folder / "list.json")) == (expected, {})
    assert rows_of(JsonTable(folder / "lines.json")) == (expected, {})


def test_a_bad_line_of_json_breaks_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1}\n{"a": \n\n[1]\n{"a": 1, "a": 2}\n{"a": "\\ud800"}\n{"a": 1e5}')
    rows, broken = rows_of(JsonTable(path))
    assert rows == {1: {"a": "1"}, 7: {"a": "1e5"}}
    assert sorted(broken) == [2, 4, 5, 6]


NESTED = st.recursive(
    st.text(st.sampled_from('[]{}"\\a'), max_size=5) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=20,
)


def depth_of(value: object) -> int:
    """How deep a decoded JSON value is nested."""
    if isinstance(value, dict):
        value = list(value.values())
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


@given(value=NESTED, more=st.integers(0, 70))
def test_depth_is_measured_before_json_is_decoded(value: object, more: int) -> None:
    text = "[" * more + json.dumps(value) + "]" * more
    if more + depth_of(value) > MAX_DEPTH:
        with pytest.raises(InputError, match="nested more than"):
            check_depth("t.json", io.BytesIO(text.encode()))
    else:
        check_depth("t.json", io.BytesIO(text.encode()))
