"""What a link to the Data page asks for: all of it is written out, and nonsense is told."""

from __future__ import annotations

import pytest

from bench.errors import UsageError
from bench.holdings import data_link
from bench.view import View


def options(**stated: str) -> dict[str, str]:
    return dict(data_link.complete(View.of({}, stated)).options)


def test_a_bare_link_is_the_first_page_of_all_sources() -> None:
    assert options() == {"tab": "sources", "sort": "-points", "page": "1"}


def test_an_opened_source_begins_with_its_points() -> None:
    found = options(source_id="0" * 64)
    assert (found["tab"], found["sort"]) == ("points", "source")


def test_an_order_of_another_table_is_not_kept() -> None:
    assert options(tab="sources", sort="-output_tokens_per_s")["sort"] == "-points"
    assert options(tab="points", sort="-output_tokens_per_s")["sort"] == "-output_tokens_per_s"
    assert options(tab="points", sort="title")["sort"] == "source"


def test_what_is_no_table_has_no_order_and_no_page() -> None:
    assert options(tab="changes", sort="title", page="3") == {"tab": "changes"}
    assert options(point_id="0123456789abcdef", page="3", tab="points").keys() == {"tab", "point_id"}


def test_a_completed_link_stays_as_it_is() -> None:
    view = data_link.complete(View.of({"model": ["x"]}, {"tab": "points", "search": "a b", "tag": "t"}))
    assert data_link.complete(View.from_query(view.query())) == view


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tab", "nonsense"),
        ("page", "-1"),
        ("page", "1e9"),
        ("sort", "drop"),
        ("source_id", "../../etc/passwd"),
        ("point_id", "'; --"),
        ("tag", "a,b"),
        ("colour", "red"),
    ],
)
def test_nonsense_is_told(key: str, value: str) -> None:
    with pytest.raises(UsageError):
        data_link.check(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tab", "changes"),
        ("sort", "-ttft_ms_p99"),
        ("source_id", "20261122-001447-ceed91"),
        ("point_id", "0123456789abcdef"),
        ("tag", "rerun wanted"),
        ("search", "any' text"),
    ],
)
def test_what_pages_write_is_taken(key: str, value: str) -> None:
    data_link.check(key, value)
