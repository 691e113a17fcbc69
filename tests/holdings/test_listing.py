"""Long tables: searched, filtered, sorted and paged by DuckDB, a hundred rows at a time."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.errors import UsageError
from bench.holdings import data_link, listing
from bench.library import Library
from bench.view import View
from tests.holdings.made import point_of, source_of
from tests.thorough import times


@pytest.fixture(scope="module")
def library(kept: Library, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The library with a note and tags."""
    place = shutil.copytree(kept.path, tmp_path_factory.mktemp("listing") / "library")
    opened = Library.open(place, shipped=False)
    opened.annotate(point_of(opened, 16), "Throttled after minute 3")
    opened.tag(point_of(opened, 64), "rerun wanted")
    opened.tag(source_of(opened, "theirs.csv"), "trusted")
    return opened


def points(where: dict[str, list[object]] | None = None, **options: str) -> View:
    return data_link.complete(View.of(where or {}, {"tab": "points", **options}))


def loads(library: Library, view: View) -> list[int]:
    rows = listing.points(library, view).rows
    return [int(value) for value in rows["concurrency"]] if len(rows) else []


def test_points_come_in_the_order_asked_for(library: Library) -> None:
    assert loads(library, points({"source": ["mine"]})) == [1, 16, 64]
    opened = data_link.complete(View.of({}, {"source_id": source_of(library, "theirs.csv")}))
    assert loads(library, opened) == [1, 2]
    assert loads(library, points(sort="-output_tokens_per_s")) == [64, 16, 2, 1, 1]
    assert loads(library, points(sort="output_tokens_per_s")) == [1, 1, 2, 16, 64]


def test_what_a_point_lacks_comes_last_either_way(library: Library) -> None:
    for sort in ("tpot_ms_p50", "-tpot_ms_p50"):
        rows = listing.points(library, points(sort=sort)).rows
        assert list(rows["source"][-2:]) == ["theirs", "theirs"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("llama", [1, 16, 64]),
        ("LLAMA h100", [1, 16, 64]),
        ("llama mi300x", []),
        ("throttled", [16]),
        ("their table", [1, 2]),
        ("100%", []),
        ("_", []),
        ("' OR 1=1 --", []),
    ],
)
def test_every_word_of_a_search_is_in_the_point_its_notes_or_its_source(
    library: Library, words: str, found: list[int]
) -> None:
    assert sorted(loads(library, points(search=words))) == found


@settings(max_examples=times(20, 8))
@given(st.text(max_size=30))
def test_no_search_is_sql(library: Library, words: str) -> None:
    found = listing.points(library, points(search=words))
    assert 0 <= found.total <= 5
    assert len(found.rows) == found.total


def test_a_tag_narrows_to_points_and_to_all_of_a_tagged_source(library: Library) -> None:
    assert loads(library, points(tag="rerun wanted")) == [64]
    assert sorted(loads(library, points(tag="trusted"))) == [1, 2]
    assert listing.points(library, points(tag="nobody's")).total == 0
    assert listing.tags(library) == ["rerun wanted", "trusted"]
    rows = listing.points(library, points({"source": ["mine"]})).rows.set_index("concurrency")
    assert list(rows["tags"][64]) == ["rerun wanted"]
    assert rows["notes"][16] == "Throttled after minute 3"


def test_sources_are_searched_sorted_and_narrowed_by_the_filters(library: Library) -> None:
    def titles(where: dict[str, list[object]] | None = None, **options: str) -> list[str]:
        found = listing.sources(library, data_link.complete(View.of(where or {}, options)))
        return [str(title).rsplit("/", 1)[-1] for title in found.rows["title"]]

    assert titles() == ["mine.csv", "Their table"]
    assert titles(sort="points") == ["Their table", "mine.csv"]
    assert titles(search="cc-by their") == ["Their table"]
    assert titles(tag="trusted") == ["Their table"]
    assert titles({"model": ["llama-3.1-70b"]}) == ["mine.csv"]
    assert titles(search="nothing") == []


def test_pages_hold_every_point_once(shipped: Library) -> None:
    view = points({"source": ["mlperf"]}, sort="-output_tokens_per_s")
    first = listing.points(shipped, view)
    seen: list[str] = []
    values: list[float] = []
    for page in range(1, first.pages + 1):
        rows = listing.points(shipped, view.with_options(page=str(page))).rows
        seen += list(rows["point_id"])
        values += list(rows.get("output_tokens_per_s", np.full(len(rows), np.nan)))
    assert len(seen) == len(set(seen)) == first.total > 5 * listing.ROWS
    stated = [value for value in values if not np.isnan(value)]
    assert stated == sorted(stated, reverse=True)
    assert np.isnan(values[len(stated) :]).all()


def test_a_page_beyond_the_last_is_the_last(library: Library) -> None:
    found = listing.points(library, points(page="999999"))
    assert (found.page, found.pages, len(found.rows)) == (1, 1, 5)


def test_a_file_has_all_of_the_selection_in_its_order(shipped: Library) -> None:
    view = points({"source": ["ibm-llm-pilot"]}, sort="-concurrency", page="2")
    rows = listing.file(shipped, view)
    assert len(rows) == 526
    assert rows["concurrency"].is_monotonic_decreasing


def test_an_order_is_a_column_and_nothing_else(library: Library) -> None:
    with pytest.raises(UsageError):
        data_link.check("sort", "point_id; DROP TABLE points")
    hostile = points().with_options(sort='-"); DROP VIEW points; --')
    assert listing.points(library, hostile).total == 5
    assert {"source", "output_tokens_per_s", "interactivity_tokens_per_s_per_user_p50"} <= set(listing.orders(library))


def test_sources_say_what_tells_them_apart(library: Library) -> None:
    rows = listing.sources(library, data_link.complete(View())).rows.set_index("file")
    mine = rows.loc["mine.csv"]
    assert mine[["model", "accelerator", "concurrency"]].tolist() == ["Llama 3.1 70B", "H100 SXM", "1, 16 and 64"]
    assert mine["output_tokens_per_s"] == "70, 840 and 2,400"


def test_sources_of_one_title_are_called_by_what_they_differ_in() -> None:
    alike = {"title": "vllm.json", "model": "m"}
    rows = pd.DataFrame(
        [
            {**alike, "source_id": "a" * 64, "concurrency": "4", "output_tokens_per_s": "100"},
            {**alike, "source_id": "b" * 64, "concurrency": "16", "output_tokens_per_s": "300"},
            {"title": "other", "source_id": "c" * 64, "concurrency": "4"},
        ]
    )
    told = listing.called(rows)
    assert told["a" * 64] == "vllm.json (concurrency 4, output throughput 100)"
    assert told["b" * 64] == "vllm.json (concurrency 16, output throughput 300)"
    assert told["c" * 64] == "other"
    twins = pd.DataFrame([{"title": "t", "source_id": one * 64} for one in "de"])
    assert listing.called(twins)["d" * 64] == "t (dddddddddddd)"
