"""Rows as files: what a spreadsheet would run is text, and nothing is lost."""

from __future__ import annotations

import csv as reader
import io
import re

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from bench.export.rows import files
from bench.plain_text import QUOTED_FORMULA

CELLS = st.one_of(st.text(max_size=20), st.integers(-(10**9), 10**9), st.none())


def read_back(data: bytes) -> list[list[str]]:
    return list(reader.reader(io.StringIO(data.decode(), newline="")))


def test_a_formula_gets_a_leading_quote_and_a_number_stays_one() -> None:
    rows = pd.DataFrame(
        {"variant": ["=1+1", "@SUM(A1)", "+x", "-2", "plain"], "ttft_ms_p50": [1.5, -2.0, None, 4.0, 5.0]}
    )
    assert read_back(files.csv(rows)) == [
        ["variant", "ttft_ms_p50"],
        ["'=1+1", "1.5"],
        ["'@SUM(A1)", "-2.0"],
        ["'+x", ""],
        ["-2", "4.0"],
        ["plain", "5.0"],
    ]


def test_a_line_break_of_any_kind_begins_no_cell() -> None:
    rows = pd.DataFrame({"variant": ["\r=1+1", "a\r=1+1", "a\r\n@b", "\r0"]})
    assert read_back(files.csv(rows))[1:] == [["'\r=1+1"], ["a\r=1+1"], ["a\r\n@b"], ["\r0"]]


def test_a_day_is_written_as_a_day() -> None:
    rows = pd.DataFrame({"date": pd.to_datetime(["2026-03-02", None])})
    assert read_back(files.csv(rows))[:2] == [["date"], ["2026-03-02"]]


def test_a_list_is_one_cell() -> None:
    rows = pd.DataFrame({"restated_in": [["https://a.example", "=b"], None]})
    assert read_back(files.csv(rows)) == [["restated_in"], ["https://a.example; =b"], [""]]


@given(st.lists(CELLS, min_size=1, max_size=10))
def test_no_cell_begins_like_a_formula_unless_it_is_a_number(values: list[object]) -> None:
    for (cell,) in read_back(files.csv(pd.DataFrame({"variant": pd.Series(values, dtype=object)})))[1:]:
        if cell[:1] in ("=", "+", "-", "@", "\t", "\r"):
            float(cell)


def test_a_spreadsheet_is_told_the_encoding() -> None:
    rows = pd.DataFrame({"variant": ["=µ"]})
    assert files.excel(rows).decode("utf-8-sig") == "variant\r\n'=µ\r\n"
    assert files.excel(rows).startswith(b"\xef\xbb\xbf")


@given(st.lists(CELLS | st.sampled_from(["'=1", "''@", "'-2", "'plain", "-inf"]), min_size=1, max_size=10))
def test_a_reader_that_takes_the_quote_away_has_every_text_as_it_is(values: list[object]) -> None:
    rows = pd.DataFrame({"variant": pd.Series(values, dtype=object), "n": range(len(values))})
    cells = [re.sub(QUOTED_FORMULA, r"\1", cell) for cell, _ in read_back(files.csv(rows))[1:]]
    assert cells == ["" if value is None else str(value) for value in values]


def test_parquet_keeps_every_value_and_type() -> None:
    rows = pd.DataFrame(
        {"model": ["a", None], "isl": pd.array([128, None], dtype="Int64"), "ttft_ms_p50": [1.25, None]}
    )
    back = pd.read_parquet(io.BytesIO(files.parquet(rows)))
    pd.testing.assert_frame_equal(back, rows, check_dtype=False)
