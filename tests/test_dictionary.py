"""The data dictionary is whole: every column of every table has a word, and says what the index has."""

from __future__ import annotations

from bench import catalogue, dictionary
from bench.library import Library
from bench.library.user_sql.grammar import TABLES


def test_every_table_is_told_with_its_rows_and_columns(shipped: Library) -> None:
    told = {table.name: table for table in dictionary.tables(shipped)}
    assert tuple(told) == TABLES
    assert dictionary.ABOUT.keys() == set(TABLES)
    assert told["points"].rows == shipped.fetch("SELECT count(*) FROM points")[0][0]
    for name, table in told.items():
        columns = [row[0] for row in shipped.fetch(f"DESCRIBE {name}")]
        left_out = set(columns) - {column.name for column in table.columns}
        assert all(catalogue.is_metric(key) for key in left_out)
        assert all(column.holds and column.kind for column in table.columns)


def test_a_metric_has_its_unit_and_label_from_the_catalogue(shipped: Library) -> None:
    points = next(table for table in dictionary.tables(shipped) if table.name == "points")
    ttft = next(column for column in points.columns if column.name == "ttft_ms_p50")
    assert (ttft.unit, ttft.holds, ttft.kind) == ("ms", "TTFT, median", "number")
