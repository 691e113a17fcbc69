"""What people's SQL may say: one SELECT over the library's tables, with functions that only compute."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import QueryRefused
from bench.library import Library
from bench.library.user_sql.grammar import TABLES, checked


@pytest.fixture(scope="module")
def cursor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    library = Library.open(tmp_path_factory.mktemp("grammar") / "library", shipped=False)
    with library.cursor() as cursor:
        yield cursor
    library.close()


def refusal(cursor: duckdb.DuckDBPyConnection, sql: str) -> str:
    with pytest.raises(QueryRefused) as caught:
        checked(cursor, sql)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SELECT model, max(output_tokens_per_s) FROM points GROUP BY ALL;",
        "FROM main.points -- all of them",
        'SELECT * FROM "Points" AS p JOIN scores USING (model)',
        "DESCRIBE points",
        "SUMMARIZE points",
        "FROM (PIVOT points ON isl IN (128, 512) USING max(output_tokens_per_s) GROUP BY model)",
        "WITH fast AS (SELECT * FROM points), held AS (FROM fast) SELECT * FROM held, FAST",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 9) SELECT * FROM t",
        "SELECT unnest([1, 2]), list_transform([1], lambda x: x + 1)",
        "SELECT * FROM points a ASOF JOIN points b ON a.isl >= b.isl, range(3) r, LATERAL (SELECT a.isl)",
        "SELECT quantile_cont(ttft_ms_p50, 0.5) OVER (PARTITION BY model) FROM points QUALIFY row_number() OVER () < 3",
        "SELECT * FROM json_each('[1]')",
        "SELECT " + "+".join(["1"] * 900),
    ],
)
def test_one_select_over_the_tables_may_run(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    assert checked(cursor, sql).strip().rstrip(";") in sql


@pytest.mark.parametrize(
    ("sql", "holds"),
    [
        ("", "holds none"),
        ("/* nothing */", "holds none"),
        ("SELECT 1; DROP TABLE notes", "holds 2"),
        ("UPDATE notes SET text = ''", "UPDATE"),
        ("DROP VIEW points", "DROP"),
        ("EXPLAIN ANALYZE DELETE FROM notes", "EXPLAIN"),
        ("COPY points TO 'out.csv'", "COPY"),
        ("COPY notes FROM '/etc/passwd'", "COPY"),
        ("ATTACH 'other.db'", "ATTACH"),
        ("SET memory_limit = '100GB'", "SET"),
        ("PRAGMA version", "this is"),
        ("CALL pragma_version()", "this is"),
        ("INSTALL httpfs", "this is"),
        ("LOAD httpfs", "LOAD"),
        ("EXECUTE a", "EXECUTE"),
        ("COMMIT", "TRANSACTION"),
        ("WITH gone AS (DELETE FROM notes RETURNING *) SELECT * FROM gone", "DELETE"),
        ("PIVOT points ON isl USING max(output_tokens_per_s)", "a PIVOT is one when it states its values"),
    ],
)
def test_everything_but_one_select_is_refused(cursor: duckdb.DuckDBPyConnection, sql: str, holds: str) -> None:
    told = refusal(cursor, sql)
    assert told.startswith("Only one SELECT statement can be run here; ")
    assert holds in told


@pytest.mark.parametrize(
    "call",
    [
        "read_csv('/etc/passwd')",
        "glob('/*')",
        "duckdb_secrets()",
        "pragma_table_info('held')",
        "query('DELETE FROM notes')",
        "query_table('held')",
        "json_execute_serialized_sql('{}')",
        "enable_logging()",
        "system.main.read_text('/etc/passwd')",
        "\"READ_TEXT\"('/etc/passwd')",
    ],
)
def test_no_table_function_reads_files_or_the_server(cursor: duckdb.DuckDBPyConnection, call: str) -> None:
    for sql in (
        f"SELECT * FROM {call}",
        f"WITH a AS (FROM points, {call}) SELECT 1",
        f"SELECT (SELECT count(*) FROM {call})",
    ):
        assert "is not available here: a query reads points, scores, prices" in refusal(cursor, sql)


@pytest.mark.parametrize(
    "call",
    [
        "current_setting('threads')",
        "getvariable('x')",
        "write_log('x')",
        "nextval('s')",
        "getenv('HOME')",
        "system.main.current_setting('allowed_directories')",
    ],
)
def test_no_function_tells_about_the_server(cursor: duckdb.DuckDBPyConnection, call: str) -> None:
    for sql in (f"SELECT {call}", f"SELECT 1 FROM points WHERE isl = length({call}) GROUP BY {call}"):
        assert "nothing of the server" in refusal(cursor, sql)


@pytest.mark.parametrize(
    "table",
    [
        "held",
        "information_schema.tables",
        "sqlite_master",
        "duckdb_tables",
        "pg_catalog.pg_class",
        "system.main.duckdb_views",
        "other.main.points",
        "'/etc/passwd'",
        "'s3://bucket/x.parquet'",
        "'https://example.org/x.csv'",
        "poins",
    ],
)
def test_only_the_tables_for_people_can_be_read(cursor: duckdb.DuckDBPyConnection, table: str) -> None:
    for sql in (f"SELECT * FROM {table}", f"DESCRIBE {table}", f"WITH a AS (FROM {table}) SELECT 1"):
        assert "There is no table named" in refusal(cursor, sql)


def test_a_name_that_with_gives_counts_where_it_stands_alone(cursor: duckdb.DuckDBPyConnection) -> None:
    assert "named 'held'" in refusal(cursor, "SELECT * FROM (WITH held AS (SELECT 1) FROM held), held")
    assert "named 'main.held'" in refusal(cursor, "WITH held AS (SELECT 1) FROM main.held")


def test_a_slip_is_helped_with(cursor: duckdb.DuckDBPyConnection) -> None:
    assert "did you mean points" in refusal(cursor, "FROM poins")
    assert refusal(cursor, "SHOW TABLES").startswith(f"The tables are {', '.join(TABLES[:-1])}")
    assert refusal(cursor, "SELECT 1,\n\n FROM WHERE").startswith("Line 3: syntax error")


@pytest.mark.parametrize(
    "sql",
    ["SELECT " + "(" * 30_000 + "1" + ")" * 30_000, "SELECT 1" + "+1" * 40_000, "SELECT " + "NOT " * 20_000 + "true"],
    ids=["parentheses", "sum", "not"],
)
def test_what_is_nested_too_deeply_is_refused(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    assert "depth" in refusal(cursor, sql)


@given(st.text(max_size=200))
def test_any_text_is_a_select_or_refused_in_a_sentence(text: str) -> None:
    with duckdb.connect() as connection:
        try:
            checked(connection, text.replace("\0", ""))
        except QueryRefused as problem:
            assert "\n" not in str(problem)  # noqa: PT017 - either outcome is right
