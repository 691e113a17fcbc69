"""SQL: a link runs nothing, Run does, what is refused is one sentence, and who may not ask gets no rows."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from bench.dictionary import TO_BEGIN, examples
from bench.library import Library
from bench.library.user_sql import query
from pages.shared import cached
from tests.pages.drawn import Open, headline, query_of, text_of

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("at_this_machine")]

COUNT = "SELECT accelerator, count(*) AS n FROM points GROUP BY 1 ORDER BY 2 DESC"


@pytest.fixture(scope="module", autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    cached.desk().close()


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever would run a query fails."""
    monkeypatch.setattr(query, "answer", None)


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


def test_the_rows_of_a_query_stand_below_what_is_damaged(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Library, "incomplete", lambda library: ["Line 3 of retractions.jsonl is damaged."])
    page = opened("sql")
    assert not page.warning
    page = run(page, "SELECT 7 AS n")
    told = [part.value.replace("\\", "") for part in page.warning]
    assert (told, rows(page)) == (["Line 3 of retractions.jsonl is damaged."], [[7]])


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


def test_a_link_fills_the_box_and_runs_nothing_and_any_table_can_be_looked_at(opened: Open, nothing_runs: None) -> None:
    page = opened("sql", query=COUNT, x="accelerator", y="n")
    assert not page.exception
    assert page.text_area(key="sql.text").value == COUNT
    assert page.info[0].value == "This query came with the link and has not run. Read it, then press Run."
    assert not rows(page)
    page = page.pills(key="sql.table").select("scores").run()
    assert "standard_error" in page.dataframe[0].value["name"].tolist()


def test_a_query_from_a_link_is_run_on_a_press_and_its_chart_and_link_follow_what_is_picked(opened: Open) -> None:
    page = opened("sql", query=examples()[4].sql, x="memory_gb", y="highest_usd_per_h", colour="")
    page = page.button(key="sql.run").click().run()
    assert not page.info
    page = page.selectbox(key="sql.y").select("offers").run()
    assert not page.exception
    assert link(page)["y"] == ["offers"]
    assert link(page)["x"] == ["memory_gb"]
    assert [chart.proto.alt for chart in page.get("plotly_chart")] == ["offers over memory_gb"]


def test_what_is_refused_is_one_sentence(opened: Open) -> None:
    page = run(opened("sql"), "SELECT '<b>'\n + nothing FROM points")
    assert not page.exception
    assert len(page.warning) == 1
    assert "Line 2" in said(page)
    assert not rows(page)


def test_more_rows_than_a_page_takes_are_cut_and_said(opened: Open) -> None:
    page = run(opened("sql"), "FROM range(20000)")
    assert "The first 10,000 rows" in said(page)
    assert "more rows than a page takes" in page.warning[0].value


def test_a_query_too_long_for_a_link_runs_without_one_and_its_names_are_text(opened: Open) -> None:
    named = 'SELECT \':red[x]\' AS "<b>**x**</b>", 1 AS ":smile:", INTERVAL 1 DAY AS i'
    page = run(opened("sql"), f"{named} -- {'x' * 7000}")
    assert not page.exception
    assert rows(page) == [[":red[x]", 1, "1 days"]]
    assert "**x**" not in text_of(page)
    assert "query" not in link(page)


def test_in_read_only_mode_nothing_runs(opened: Open, nothing_runs: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    page = opened("sql", query=COUNT)
    assert "read-only" in said(page)
    assert next(code.value for code in page.code) == COUNT
    assert not page.text_area
    assert "sql.run" not in [button.key for button in page.button]
    page = page.button(key="example.0").click().run()
    assert not page.exception
    assert next(code.value for code in page.code) == examples()[0].sql
    assert not rows(page)


def test_a_token_opens_the_box(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", "a-token-of-16-characters")
    page = opened("sql")
    assert not page.text_area
    page.text_input(key="token.typed").set_value("a-token-of-16-characters").run()
    assert rows(run(page, TO_BEGIN))
    assert "a-token-of-16" not in str(dict(page.query_params)) + said(page)
