"""Rows as files: what a spreadsheet would run is text, and nothing is lost."""

from __future__ import annotations

import csv as reader
import io

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from bench.export import csv, parquet

CELLS = st.one_of(st.text(max_size=20), st.integers(-(10**9), 10**9), st.none())


def read_back(data: bytes) -> list[list[str]]:
    return list(reader.reader(io.StringIO(data.decode(), newline="")))


def test_a_formula_gets_a_leading_quote_and_a_number_stays_one() -> None:
    rows = pd.DataFrame(
        {"variant": ["=1+1", "@SUM(A1)", "+x", "-2", "plain"], "ttft_ms_p50": [1.5, -2.0, None, 4.0, 5.0]}
    )
    assert read_back(csv.written(rows)) == [
        ["variant", "ttft_ms_p50"],
        ["'=1+1", "1.5"],
        ["'@SUM(A1)", "-2.0"],
        ["'+x", ""],
        ["-2", "4.0"],
        ["plain", "5.0"],
    ]


def test_a_line_break_of_any_kind_begins_no_cell() -> None:
    rows = pd.DataFrame({"variant": ["\r=1+1", "a\r=1+1", "a\r\n@b", "\r0"]})
    assert read_back(csv.written(rows))[1:] == [["'\n=1+1"], ["a\n=1+1"], ["a\n@b"], ["\n0"]]


def test_a_list_is_one_cell() -> None:
    rows = pd.DataFrame({"restated_in": [["https://a.example", "=b"], None]})
    assert read_back(csv.written(rows)) == [["restated_in"], ["https://a.example; =b"], [""]]


def test_the_rows_themselves_are_left_alone() -> None:
    rows = pd.DataFrame({"variant": ["=1"]})
    csv.written(rows)
    assert rows["variant"].tolist() == ["=1"]


@given(st.lists(CELLS, min_size=1, max_size=10))
def test_no_cell_begins_like_a_formula_unless_it_is_a_number(values: list[object]) -> None:
    for (cell,) in read_back(csv.written(pd.DataFrame({"variant": pd.Series(values, dtype=object)})))[1:]:
        if cell[:1] in ("=", "+", "-", "@"):
            float(cell)


def test_parquet_keeps_every_value_and_type() -> None:
    rows = pd.DataFrame(
        {"model": ["a", None], "isl": pd.array([128, None], dtype="Int64"), "ttft_ms_p50": [1.25, None]}
    )
    back = pd.read_parquet(io.BytesIO(parquet.written(rows)))
    pd.testing.assert_frame_equal(back, rows, check_dtype=False)
