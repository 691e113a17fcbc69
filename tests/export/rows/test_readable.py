"""Rows as people read them."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from bench.export.rows.readable import table, web_link


def test_names_are_words_and_ids_are_left_out() -> None:
    point = {"point_id": "0", "ttft_ms_p50": 12.5, "accelerator": "h200-sxm", "model": "deepseek-r1", "batch": None}
    shown = table(pd.DataFrame([point]))
    assert list(shown) == ["model", "accelerator", "ttft_ms_p50"]
    assert shown.iloc[0].tolist() == ["DeepSeek-R1", "H200 SXM", 12.5]


def test_first_columns_lead_and_a_column_may_hold_another_fields_values() -> None:
    rows = pd.DataFrame({"model": ["deepseek-r1"], "panel": ["h200-sxm"], "value": [3.0], "source": ["x"]})
    shown = table(rows, first=("panel", "value"), fields={"panel": "accelerator"})
    assert list(shown) == ["panel", "value", "model", "source"]
    assert shown["panel"].tolist() == ["H200 SXM"]


def test_invisible_characters_are_written_out() -> None:
    assert table(pd.DataFrame({"variant": ["a\u202eb"]}))["variant"].tolist() == [
        "a\N{WHITE MEDIUM SMALL SQUARE}U+202Eb"
    ]


def test_a_list_is_joined_and_an_absent_value_stays_absent() -> None:
    shown = table(pd.DataFrame({"restated_in": [["a", "b"], None], "isl": [1, 2]}))
    assert shown["restated_in"].tolist()[0] == "a, b"
    assert shown["restated_in"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "data:text/html,x", "//example.org", "https://a b", 'https://a"b', "ftp://a", ""]
)
def test_nothing_but_a_web_address_may_become_a_link(address: str) -> None:
    for one in ("https://example.org/a?b=c#d", "http://example.org"):
        assert web_link(one) == one
    assert web_link(address) is None
    assert table(pd.DataFrame({"source_url": [address, "https://example.org"]}))["source_url"].isna().tolist()[0]


def test_a_day_is_a_day_and_no_count_of_milliseconds() -> None:
    shown = table(pd.DataFrame({"newest": pd.Series([date(2026, 6, 11), None], dtype=object), "n": [1, 2]}))
    assert pd.api.types.is_datetime64_any_dtype(shown["newest"])
    assert shown["newest"].isna().tolist() == [False, True]
