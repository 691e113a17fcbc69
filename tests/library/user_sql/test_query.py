"""People's SQL: one SELECT, in a process that can read the results, do nothing else and be stopped."""

from __future__ import annotations

import math
import os
import signal

import duckdb
import pytest

from bench.errors import QueryRefused
from bench.library import Library
from bench.library.user_sql import query
from bench.library.user_sql.child import answered
from tests.library.files import sweep
from tests.thorough import some

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    place = tmp_path_factory.mktemp("people")
    library = Library.open(place / "library", shipped=False)
    library.add([sweep(place, 1)])
    (place / "library" / "endpoints.toml").write_text("secret")
    (place / "library" / "points-of-another").write_text("secret")
    return library


def test_rows_come_back_from_the_process_with_every_kind_of_value(library: Library) -> None:
    result = query.run(
        library,
        "SELECT concurrency AS a, 2 AS a, date, restated_in, {'a': 1} AS struct, [1, NULL] AS list, 'x'::BLOB AS bytes,"
        " MAP {'k': 2} AS map, INTERVAL 1 DAY AS gap, '6f1e4f5e-2b0c-4c3e-9a3e-111111111111'::UUID AS id,"
        " 170141183460469231731687303715884105727::HUGEINT AS huge, 'NaN'::DOUBLE AS nan, TIME '12:00' AS clock,"
        " TIMESTAMPTZ '2026-01-01 00:00Z' AS moment, 'a'::ENUM('a', 'b') AS kind, '101'::BIT AS bits,"
        " 'größer 模型 🚀' AS t, chr(0) AS nul FROM points ORDER BY 1 -- all of them",
    )
    rows = result.table.to_pylist()
    assert [(row["a"], row["a_2"]) for row in rows] == [(1, 2), (2, 2), (4, 2)]
    assert (rows[0]["struct"], rows[0]["list"], rows[0]["kind"]) == ({"a": 1}, [1, None], "a")
    assert (rows[0]["t"], rows[0]["nul"], rows[0]["restated_in"]) == ("größer 模型 🚀", "\0", None)
    assert math.isnan(rows[0]["nan"])
    assert not result.truncated


def test_a_time_of_day_keeps_its_offset(library: Library) -> None:
    table, _ = answered(library, 'SELECT TIMETZ \'12:30:00+02:00\' AS t, 1 AS "a ""b""", TIMETZ \'01:00:00-05\' AS t')
    assert table.to_pylist() == [{"t": "12:30:00+02", 'a "b"': 1, "t_2": "01:00:00-05"}]
    table, _ = answered(library, "SELECT [TIMETZ '12:30:00+02:00'] AS several, {'at': TIMETZ '01:00:00-05'} AS one")
    assert table.to_pylist() == [{"several": ["12:30:00+02"], "one": {"at": "01:00:00-05"}}]


@pytest.mark.parametrize("sql", ["FROM range(20000)", "FROM " + ", ".join(f"points p{n}" for n in range(9))])
def test_rows_are_cut_at_the_limit(library: Library, sql: str) -> None:
    table, truncated = answered(library, sql)
    assert (table.num_rows, truncated) == (query.ROW_LIMIT, True)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT * FROM read_text('/etc/passwd')", "not available"),
        ("SELECT * FROM '{library}/audit.jsonl'", "no table named"),
        ("SELECT nothing FROM points", 'Line 1: Referenced column "nothing" not found.* Candidate bindings: '),
        ("SELECT concurrency,\n  max(isl)\nFROM points", "^Line 1: column .*GROUP BY"),
        ("SELECT 1 / 'x'", "Could not convert string"),
        ("SELECT (range::VARCHAR || 'x')::INT FROM range(5000)", "Could not convert string"),
        ("SELECT $1", "parameter"),
        ("SELECT error('{library}')", "^the library$"),
    ],
)
def test_what_a_select_may_not_do(library: Library, sql: str, reason: str) -> None:
    with pytest.raises(QueryRefused, match=reason) as caught:
        answered(library, sql.replace("{library}", str(library.path)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM '/etc/passwd.csv'",
        "SELECT * FROM read_text('{library}/points/../endpoints.toml')",
        "SELECT * FROM read_text('{library}/points-of-another')",
        "SELECT * FROM enable_logging(storage = 'file', storage_path = '{library}/points/l')",
        "SET threads = 1",
        "INSTALL httpfs",
        "ATTACH '{library}/x.db'",
        "COPY notes TO '{library}/x.csv'",
    ],
)
def test_the_index_is_locked_whatever_the_check_of_a_statement_overlooks(library: Library, sql: str) -> None:
    with pytest.raises(duckdb.Error, match=r"Cannot|locked|disabled"):
        library.cursor().execute(sql.replace("{library}", str(library.path))).fetchall()


def test_a_change_is_refused_whatever_the_check_overlooks(library: Library) -> None:
    with library.cursor() as cursor:
        cursor.execute("BEGIN TRANSACTION READ ONLY")
        with pytest.raises(duckdb.Error, match="read-only"):
            cursor.execute("WITH gone AS (DELETE FROM notes RETURNING *) SELECT * FROM gone")


@pytest.mark.parametrize(
    "sql",
    some(
        [
            "SELECT repeat('x', 1500000000)",
            "SELECT * FROM " + "(SELECT * FROM " * 5_000 + "range(1)" + ")" * 5_000,
            "SELECT list(a.range) FROM range(10000000000) a",
            "SELECT repeat('x', 1000000) FROM range(1000)",
        ],
        2,
    ),
    ids=lambda sql: sql[:30],
)
def test_the_process_keeps_its_limits(library: Library, sql: str) -> None:
    before = sorted(os.walk(library.path))
    with pytest.raises(QueryRefused) as caught:
        query.run(library, sql)
    assert "\n" not in str(caught.value)
    assert str(library.path) not in str(caught.value)
    assert sorted(os.walk(library.path)) == before


@pytest.mark.parametrize(
    "sql",
    some(
        [
            "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t",
            "SELECT sum(sqrt(a.range)) FROM range(10000000000) a",
            "SELECT max(a.range * b.range + c.range) FROM range(10000) a, range(10000) b, range(10000000) c",
        ],
        1,
    ),
)
def test_a_query_without_end_is_ended_by_its_own_alarm(library: Library, sql: str) -> None:
    assert query.answer(query.worker(library), sql, 0.6) == (b"", -signal.SIGALRM)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT " + "1," * query.TEXT_LIMIT, "longer than 100,000 characters"),
        ("SELECT 1\0; DROP TABLE notes", "NUL character"),
        ("SELECT '\ud83d'", "Character 9 of the query is half a character"),
    ],
    ids=["huge", "NUL", "half a surrogate"],
)
def test_what_can_be_no_query_is_refused_before_a_process_sees_it(
    library: Library, sql: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "worker", None)
    with pytest.raises(QueryRefused, match=reason):
        query.readable(sql)


def test_a_metric_that_no_point_has_is_null_where_it_is_named(library: Library) -> None:
    """So that a query written on one library runs on another."""
    rows, _ = answered(
        library, "SELECT count(*) AS n, max(decode_step_ms_p90) AS x FROM points WHERE decode_step_ms_p90 IS NULL"
    )
    every, _ = answered(library, "SELECT * FROM points")
    assert rows.to_pylist() == [{"n": every.num_rows, "x": None}]
    assert "decode_step_ms_p90" not in every.column_names
    with pytest.raises(QueryRefused, match="decode_step_ms_pp"):
        answered(library, "SELECT decode_step_ms_pp, decode_step_ms_p90 FROM points")
