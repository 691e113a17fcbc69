"""SQL: a link runs nothing, Run does, what is refused is one sentence, and who may not ask gets no rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from bench.library.user_sql import query
from bench.sql_examples import TO_BEGIN, examples
from pages.shared import cached
from tests.pages.drawn import Open, headline, query_of, text_of

pytestmark = pytest.mark.long

COUNT = "SELECT accelerator, count(*) AS n FROM points GROUP BY 1 ORDER BY 2 DESC"


@pytest.fixture(autouse=True)
def at_this_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The server and the reader's browser are on this machine; Streamlit's runner has neither."""
    stated = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: "127.0.0.1" if name == "server.address" else stated(name))
    monkeypatch.setattr(type(st.context), "ip_address", property(lambda _: "127.0.0.1"))
    monkeypatch.setattr(type(st.context), "headers", property(lambda _: {"Host": "localhost:8501"}))
    yield
    cached.desk().close()


def said(page: AppTest) -> str:
    """What the page says, without the escapes of Markdown."""
    return text_of(page).replace("\\", "")


def link(page: AppTest) -> dict[str, list[str]]:
    """What the address says."""
    return parse_qs(query_of(page), keep_blank_values=True)


def run(page: AppTest, sql: str) -> AppTest:
    page.text_area(key="sql.text").set_value(sql)
    return page.button(key="sql.run").click().run()


def rows(page: AppTest) -> list[list[object]]:
    """The rows of the query; none where the page shows only the columns of a table."""
    tables = [one.value for one in page.dataframe if "holds" not in one.value.columns]
    return tables[0].astype(object).to_numpy().tolist() if tables else []


def test_a_cold_page_tells_what_can_be_asked(opened: Open) -> None:
    page = opened("sql")
    assert "points" in headline(page)
    assert [button.label.replace("\\", "") for button in page.button if str(button.key).startswith("example.")] == [
        example.question for example in examples()
    ]
    assert page.text_area(key="sql.text").value == ""
    assert set(page.dataframe[0].value.columns) == {"name", "unit", "holds", "kind"}
    assert "isl" in page.dataframe[0].value["name"].tolist()
    assert not page.warning


def test_a_query_is_run_and_stands_in_the_address(opened: Open) -> None:
    page = run(opened("sql"), COUNT)
    assert not page.exception
    assert headline(page).replace("\\", "").startswith("34 rows and 2 columns in ")
    assert rows(page)[0][1] > rows(page)[1][1]
    assert link(page)["query"] == [COUNT]
    labels = [button.label for button in page.get("download_button")]
    assert {"CSV", "Parquet"} <= set(labels)
    assert any("bench query" in code.value and "--csv" in code.value for code in page.code)


def test_a_link_fills_the_box_and_runs_nothing(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "result_by", None)
    page = opened("sql", query=COUNT, x="accelerator", y="n")
    assert not page.exception
    assert page.text_area(key="sql.text").value == COUNT
    assert page.info[0].value == "This query came with the link and has not run. Read it, then press Run."
    assert not rows(page)
    monkeypatch.undo()


def test_a_query_from_a_link_is_run_on_a_press_with_its_chart(opened: Open) -> None:
    page = opened("sql", query=COUNT, x="accelerator", y="n", colour="")
    page = page.button(key="sql.run").click().run()
    assert not page.info
    assert len(page.get("plotly_chart")) == 1
    assert page.selectbox(key="sql.y").value == "n"
    assert link(page)["x"] == ["accelerator"]


@pytest.mark.parametrize("number", range(len(examples())))
def test_an_example_fills_the_box_and_runs(opened: Open, number: int) -> None:
    page = opened("sql").button(key=f"example.{number}").click().run()
    assert not page.exception
    assert not page.warning
    assert page.text_area(key="sql.text").value == examples()[number].sql
    assert rows(page)


def test_a_chart_shows_the_columns_picked_and_so_does_its_link(opened: Open) -> None:
    page = opened("sql", query=examples()[4].sql, x="memory_gb", y="highest_usd_per_h")
    page = page.button(key="sql.run").click().run()
    page = page.selectbox(key="sql.y").select("offers").run()
    assert not page.exception
    assert link(page)["y"] == ["offers"]
    assert link(page)["x"] == ["memory_gb"]
    assert page.get("plotly_chart")[0].proto.alt == "offers over memory_gb"


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("", "Only one SELECT statement can be run here; this text holds none."),
        ("-- nothing", "Only one SELECT statement can be run here; this text holds none."),
        ("DELETE FROM notes", "Only one SELECT statement can be run here; this is DELETE."),
        ("SELECT 1; SELECT 2", "Only one SELECT statement can be run here; this text holds 2."),
        ("SELECT * FROM read_csv('/etc/passwd')", "read_csv is not available here"),
        ("SELECT\n  nothing FROM points", "Line 2: Referenced column"),
        ("SELECT repeat('x', 1500000000)", "The query needed more memory than a query may have; select less."),
        ("SELECT 1\0", "The query holds a NUL character; take it out."),
        ("SELECT '<b>' + FROM", "Line 1: syntax error"),
    ],
)
def test_what_is_refused_is_one_sentence(opened: Open, sql: str, sentence: str) -> None:
    page = run(opened("sql"), sql)
    assert not page.exception
    assert len(page.warning) == 1
    assert sentence in said(page)
    assert headline(page) == "The query gave no rows\\."
    assert not rows(page)


def test_more_rows_than_a_page_takes_are_cut_and_said(opened: Open) -> None:
    page = run(opened("sql"), "FROM range(20000)")
    assert "The first 10,000 rows" in said(page)
    assert "more rows than a page takes" in page.warning[0].value


def test_no_row_is_no_error(opened: Open) -> None:
    page = run(opened("sql"), "SELECT model FROM points WHERE isl = -1")
    assert headline(page).replace("\\", "").startswith("0 rows")
    assert not page.warning


def test_a_query_too_long_for_a_link_runs_without_one(opened: Open) -> None:
    page = run(opened("sql"), f"SELECT 1 AS n -- {'x' * 7000}")
    assert rows(page) == [[1]]
    assert "query" not in link(page)


def test_every_table_can_be_looked_at(opened: Open) -> None:
    page = opened("sql")
    page.pills(key="sql.table").select("scores").run()
    assert "standard_error" in page.dataframe[0].value["name"].tolist()


def test_names_from_a_query_are_text(opened: Open) -> None:
    page = run(opened("sql"), "SELECT ':red[x]' AS \"<b>**x**</b>\", 1 AS \":smile:\" UNION ALL SELECT 'b', 2")
    assert not page.exception
    assert rows(page)[0][0] == ":red[x]"
    assert "**x**" not in text_of(page)


def test_in_read_only_mode_nothing_runs(opened: Open, own_library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    page = opened("sql", query=COUNT)
    assert not page.exception
    assert "read-only" in said(page)
    assert next(code.value for code in page.code) == COUNT
    assert not page.text_area
    assert "sql.run" not in [button.key for button in page.button]
    page = page.button(key="example.0").click().run()
    assert next(code.value for code in page.code) == examples()[0].sql
    assert not rows(page)
    assert cached.desk()._ready is None


def test_a_token_opens_the_box(opened: Open, own_library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", "a-token-of-16-characters")
    page = opened("sql")
    assert not page.text_area
    page.text_input(key="token.typed").set_value("a-token-of-16-characters").run()
    assert rows(run(page, TO_BEGIN))
    assert "a-token-of-16" not in str(dict(page.query_params)) + said(page)


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("SELECT DATE '-infinity' AS d, 1 AS n", ["beyond the calendar", 1]),
        ("SELECT INTERVAL 1 DAY AS i, TIME '12:00' AS t, 1 AS n", ["1 days", "12:00:00", 1]),
        ("SELECT [INTERVAL 1 DAY] AS i, {'t': TIME '12:00'} AS t", ['["1 days"]', '{"t": "12:00:00"}']),
    ],
)
def test_spans_times_and_what_no_calendar_reaches_are_rows_like_others(
    sql: str, row: list[object], opened: Open
) -> None:
    page = run(opened("sql"), sql)
    assert not page.exception
    assert not page.error
    assert rows(page) == [row]


def test_spans_and_times_in_one_column_are_refused_in_a_sentence(opened: Open) -> None:
    page = run(opened("sql"), "SELECT INTERVAL 1 DAY UNION ALL SELECT TIME '12:00'")
    assert not page.exception
    assert not page.error
    assert rows(page) == []
    assert "INTERVAL" in said(page)
