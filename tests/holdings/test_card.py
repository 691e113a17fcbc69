"""A point's card: what it says of a point, and how points of one chart are told apart in words."""

from __future__ import annotations

import pytest

from bench.errors import NotFound
from bench.holdings.card import card, in_words
from bench.library import Library
from tests.holdings.made import made, point_of, source_of


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return made(tmp_path_factory.mktemp("card"))


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("shipped") / "library")


def test_a_card_says_what_was_measured_on_what_and_under_which_load(library: Library) -> None:
    told = card(library, point_of(library, 16))
    assert told.deployment.startswith("Llama 3.1 70B, FP8, 4 x H100 SXM, vLLM 0.10.1")
    assert told.workload == "1,024 in / 256 out, concurrency 16"
    assert dict(told.facts) | {"Source": ""} == {"Evidence": "measured", "Measured": "2026-03-02", "Source": ""}
    assert told.source_id == source_of(library, "mine.csv")
    assert told.run is None


def test_latencies_stand_by_statistic_and_only_those_stated(library: Library) -> None:
    told = card(library, point_of(library, 16)).latencies
    assert list(told.columns) == ["TTFT (ms)", "TPOT (ms)", "Interactivity (tokens/s/user)"]
    assert told.index.tolist() == ["Median"]
    assert told.loc["Median"].tolist() == ["96", "18", "55.6"]


def test_statistics_run_from_the_mean_over_the_median_to_the_tail(shipped: Library) -> None:
    found = shipped.fetch(
        "SELECT point_id FROM points WHERE ttft_ms_mean IS NOT NULL AND ttft_ms_p99 IS NOT NULL"
        " AND tpot_ms_p50 IS NOT NULL ORDER BY point_id LIMIT 1"
    )
    told = card(shipped, found[0][0]).latencies
    order = ["Mean", "Standard deviation", "Smallest", "Median", "p90", "p95", "p99", "Largest"]
    assert [name for name in order if name in told.index] == told.index.tolist()
    assert next(iter(told.columns)) == "TTFT (ms)"


def test_throughputs_stand_side_by_side_of_the_deployment_and_of_each_chip(library: Library) -> None:
    told = card(library, point_of(library, 16)).throughputs
    assert told.to_dict("index") == {"Output": {"tokens/s": "840", "per accelerator": "210"}}


def test_costs_are_those_that_the_answer_says(library: Library) -> None:
    id = point_of(library, 16)
    assert card(library, id).costs == ()
    beside = {"usd_per_million_output_tokens": 1.234, "ttft_ms_p50": 5.0}
    assert card(library, id, beside).costs == (("Cost per million output tokens", "1.23 USD"),)


def test_every_flag_says_what_was_seen_why_and_what_to_do(shipped: Library) -> None:
    found = shipped.fetch("SELECT point_id FROM points WHERE flags LIKE '%littles-law%' ORDER BY 1 LIMIT 1")
    (flag, *_) = card(shipped, found[0][0]).flags
    assert flag.kind == "littles-law"
    assert all((flag.seen, flag.why, flag.do))


def test_a_card_says_how_each_of_its_figures_was_read(library: Library) -> None:
    held = card(library, point_of(library, 16)).passports
    assert {"output_tokens_per_s", "ttft_ms_p50", "tpot_ms_p50"} <= set(held["metric"])


def test_a_score_and_what_is_not_there_have_no_card(library: Library, shipped: Library) -> None:
    with pytest.raises(NotFound):
        card(library, "0" * 16)
    with pytest.raises(NotFound, match="a quality score"):
        card(shipped, shipped.fetch("SELECT score_id FROM scores LIMIT 1")[0][0])


def test_points_of_a_chart_are_told_apart_and_what_they_share_is_not_repeated(library: Library) -> None:
    ids = [point_of(library, 1), point_of(library, 16)]
    words = in_words(library, ids)
    assert list(words) == ids
    assert words[ids[1]] == "4 x H100 SXM, vLLM 0.10.1, =1+1, concurrency 16"
    alone = in_words(library, ids[:1])[ids[0]]
    assert alone.startswith("Llama 3.1 70B, FP8, 4 x H100 SXM")
    assert in_words(library, ["0" * 16]) == {}


def test_no_two_points_of_the_shipped_library_have_the_same_words(shipped: Library) -> None:
    ids = [id for (id,) in shipped.fetch("SELECT point_id FROM points")]
    words = in_words(shipped, ids)
    assert len(words) == len(ids) == len(set(words.values()))
