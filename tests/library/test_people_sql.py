"""People's SQL: one SELECT, in a process that can read the results and do nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path

import duckdb
import pytest

from bench.errors import QueryRefused
from bench.library import Library, people_sql
from tests.library.files import sweep

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    place = tmp_path_factory.mktemp("people")
    library = Library.open(place / "library", shipped=False)
    library.add([sweep(place, 1)])
    (place / "library" / "endpoints.toml").write_text("secret")
    (place / "library" / "points-of-another").write_text("secret")
    return library


def refused(library: Library, sql: str) -> str:
    with pytest.raises(QueryRefused) as caught:
        people_sql.run(library, sql)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_rows_come_back_typed(library: Library) -> None:
    result = people_sql.run(
        library, "SELECT concurrency, date, restated_in FROM points ORDER BY 1 -- all of them"
    )
    assert [row["concurrency"] for row in result.table.to_pylist()] == [1, 2, 4]
    assert not result.truncated


def test_rows_are_cut_at_the_limit(library: Library) -> None:
    result = people_sql.run(library, "FROM range(20000)")
    assert (result.table.num_rows, result.truncated) == (people_sql.ROW_LIMIT, True)


@pytest.mark.parametrize(
    "sql",
    [
        "",
        ";",
        "-- nothing",
        "SELECT 1; SELECT 2",
        "DELETE FROM notes",
        "DROP VIEW points",
        "EXPLAIN ANALYZE DELETE FROM notes",
        "CREATE TABLE t AS SELECT 1",
        "COPY points TO 'out.csv'",
        "ATTACH 'other.db'",
        "CHECKPOINT",
        "SET memory_limit = '100GB'",
        "PRAGMA version",
        "CALL pragma_version()",
        "INSTALL httpfs",
        "LOAD httpfs",
        "PREPARE a AS SELECT 1",
        "EXPORT DATABASE 'out'",
        "BEGIN",
    ],
)
def test_everything_but_one_select_is_refused_before_it_runs(library: Library, sql: str) -> None:
    with pytest.raises(QueryRefused, match="Only one SELECT"):
        people_sql.checked(library.cursor(), sql)


def test_text_that_is_no_sql_is_refused(library: Library) -> None:
    with pytest.raises(QueryRefused, match="syntax error"):
        people_sql.checked(library.cursor(), "SELECT FROM WHERE")


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT * FROM read_text('/etc/passwd')", "Cannot access"),
        ("SELECT * FROM read_csv('/etc/passwd')", "Cannot access"),
        ("SELECT * FROM glob('/*')", "Cannot access"),
        ("SELECT * FROM '/etc/passwd.csv'", "Cannot access"),
        ("SELECT * FROM read_text('{library}/endpoints.toml')", "Cannot access"),
        ("SELECT * FROM read_text('{library}/points/../endpoints.toml')", "Cannot access"),
        ("SELECT * FROM read_text('{library}/points-of-another')", "Cannot access"),
        ("SELECT * FROM duckdb_secrets()", "Cannot access"),
        ("SELECT * FROM enable_logging(storage = 'file', storage_path = '{library}/points/l')", "locked"),
        ("SELECT getenv('HOME')", "does not exist"),
        ("SELECT nothing FROM points", "not found"),
        ("WITH gone AS (DELETE FROM notes RETURNING *) SELECT * FROM gone", "read-only"),
    ],
)
def test_what_a_select_may_not_do(library: Library, sql: str, reason: str) -> None:
    folders = [(str(path), own) for path, own in library.folders]
    with pytest.raises(QueryRefused, match=reason) as caught:
        people_sql.answered(folders, sql.replace("{library}", str(library.path)))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("WITH gone AS (DELETE FROM notes RETURNING *) SELECT * FROM gone", "read-only"),
        ("SELECT repeat('x', 1500000000)", "emory"),
        ("SELECT repeat('x', 1000000) FROM range(1000)", "emory"),
    ],
)
def test_the_process_keeps_its_limits(library: Library, sql: str, reason: str) -> None:
    before = sorted(os.walk(library.path))
    assert reason in refused(library, sql)
    assert sorted(os.walk(library.path)) == before


def test_a_query_without_end_is_stopped(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_sql, "TIME_LIMIT_S", 0.6)
    began = time.monotonic()
    assert "stopped after 0.6 s" in refused(library, "SELECT sum(sqrt(a.range)) FROM range(10000000000) a")
    assert time.monotonic() - began < 8


def test_a_query_of_endless_length_is_refused(library: Library) -> None:
    assert "longer than" in refused(library, "SELECT " + "1," * people_sql.TEXT_LIMIT)


def test_settings_tell_nothing_and_cannot_be_changed(library: Library) -> None:
    result = people_sql.run(
        library, "SELECT value FROM duckdb_settings() WHERE name = 'enable_external_access'"
    )
    assert result.table.to_pylist() == [{"value": "false"}]


def test_the_readers_own_index_is_locked_as_well(library: Library, tmp_path: Path) -> None:
    outside = tmp_path / "x.csv"
    outside.write_text("a\n1\n")
    for sql in (f"SELECT * FROM '{outside}'", "SET threads = 1", "INSTALL httpfs", f"ATTACH '{outside}.db'"):
        with pytest.raises(duckdb.Error):
            library.cursor().execute(sql).fetchall()
