"""The rows of a query as a data frame: every kind of value DuckDB has, and nothing invented."""

from __future__ import annotations

import warnings

import duckdb
import pandas as pd
import pytest

from bench.export.rows.files import csv, excel, parquet
from bench.library.user_sql.frame import frame


def one(sql: str) -> pd.Series:
    """The values of an expression, and of NULL after it."""
    with duckdb.connect() as connection:
        return frame(connection.sql(f"SELECT unnest([{sql}, NULL]) AS value").to_arrow_table())["value"]


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("7::UTINYINT", 7),
        ("9007199254740993", 9007199254740993),
        ("170141183460469231731687303715884105727::HUGEINT", 2.0**127),
        ("1.50::DECIMAL(9, 2)", 1.5),
        ("'inf'::DOUBLE", float("inf")),
        ("true", True),
        ("'x'", "x"),
        ("'a'::ENUM('a', 'b')", "a"),
        ("DATE '2026-01-02'", pd.Timestamp("2026-01-02")),
        ("TIMESTAMPTZ '2026-01-02 03:00+02'", pd.Timestamp("2026-01-02 01:00")),
        ("DATE 'infinity'", "beyond the calendar"),
        ("TIMESTAMP '290000-01-01'", "beyond the calendar"),
        ("TIME '12:00'", "12:00:00"),
        ("INTERVAL '1 month 2 days 3 seconds'", "1 months 2 days 3 s"),
        ("INTERVAL '0 days'", "0 s"),
        ("{'a': 1, 'b': [1, NULL]}", '{"a": 1, "b": [1, null]}'),
        ("['größer']", '["größer"]'),
        ("{'i': [INTERVAL 1 DAY, NULL], 't': TIME '12:00'}", '{"i": ["1 days", null], "t": "12:00:00"}'),
        ("[DATE '-infinity']", "beyond the calendar"),
        ("'\\x41'::BLOB", "41"),
        ("'6f1e4f5e-2b0c-4c3e-9a3e-111111111111'::UUID", "6f1e4f5e-2b0c-4c3e-9a3e-111111111111"),
    ],
)
def test_a_value_is_a_number_a_day_a_boolean_or_a_word_and_absent_is_absent(sql: str, value: object) -> None:
    assert one(sql)[0] == value
    assert one(sql).isna().tolist() == [False, True]


def test_what_is_no_number_is_absent() -> None:
    assert one("'NaN'::DOUBLE").isna().all()


def test_any_kind_of_value_can_be_saved() -> None:
    with duckdb.connect() as connection:
        table = connection.sql("FROM test_all_types()").to_arrow_table()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = frame(table)
        assert rows.shape == (table.num_rows, table.num_columns)
        for format_ in (csv, excel, parquet):
            assert format_(rows)
