"""A real server, called by hand: who may not ask gets the tables and the examples, and no row."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.sql_examples import examples
from tests.pages.test_by_hand import PROXIED, REFUSED, ByHand, served
from tests.thorough import some

pytestmark = pytest.mark.long

SQL = "SELECT 40 + 2 AS forty_two_by_hand"


@pytest.mark.parametrize(
    ("address", "headers", "why"),
    some([("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, PROXIED), ("0.0.0.0", {}, REFUSED)], 1),
)
def test_who_may_not_ask_gets_no_rows_by_hand(address: str, headers: dict[str, str], why: str, tmp_path: Path) -> None:
    with served(tmp_path / "library", address) as server:
        reader = ByHand(server, **headers)
        page = reader.opened("sql", query=SQL)
        assert why in page
        assert SQL in page
        assert examples()[3].question in page
        assert '"sql.run"' not in page
        for asked in (
            {"trigger": {"key": "sql.run"}},
            {"trigger": {"key": "sql.run"}, "widget_state": {"sql.text": SQL}},
            {"trigger": {"key": "example.3"}},
            {"page": "sql", "query_params": {"query": [SQL]}, "trigger": {"key": "sql.run"}},
        ):
            answer = json.dumps(reader.ask(**asked))
            assert "rows and" not in answer
            assert "1 row and" not in answer
            assert "save.kneepoint-sql" not in answer


def test_at_this_machine_there_is_an_answer(tmp_path: Path) -> None:
    with served(tmp_path / "library", "127.0.0.1") as server:
        reader = ByHand(server)
        page = reader.opened("sql", query=SQL)
        assert '"sql.run"' in page
        assert "1 row and" not in page
        assert "1 row and 1 column" in reader.pressed("sql.run")
