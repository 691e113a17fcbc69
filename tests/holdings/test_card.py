"""A point's card: what it says of a point, and how points of one chart are told apart in words."""

from __future__ import annotations

import pytest

from bench.errors import NotFound
from bench.holdings.card import card, in_words
from bench.library import Library
from tests.holdings.made import point_of, source_of


def test_a_card_says_what_was_measured_on_what_and_under_which_load(kept: Library) -> None:
    told = card(kept, point_of(kept, 16))
    assert told.deployment.startswith("Llama 3.1 70B, FP8, 4 x H100 SXM, vLLM 0.10.1")
    assert told.workload == "1,024 in / 256 out, concurrency 16"
    assert dict(told.facts) | {"Source": ""} == {"Evidence": "measured", "Measured": "2026-03-02", "Source": ""}
    assert told.source_id == source_of(kept, "mine.csv")
    assert told.run is None


def test_latencies_stand_by_statistic_and_only_those_stated(kept: Library) -> None:
    told = card(kept, point_of(kept, 16)).latencies
    assert list(told.columns) == ["TTFT (ms)", "TPOT (ms)", "Interactivity (tokens/s/user)"]
    assert told.index.tolist() == ["Median"]
    assert told.loc["Median"].tolist() == ["96", "18", "55.6"]


def test_throughputs_stand_side_by_side_of_the_deployment_and_of_each_chip(kept: Library) -> None:
    told = card(kept, point_of(kept, 16)).throughputs
    assert told.to_dict("index") == {"Output": {"tokens/s": "840", "per accelerator": "210"}}


def test_costs_are_those_that_the_answer_says(kept: Library) -> None:
    id = point_of(kept, 16)
    assert card(kept, id).costs == ()
    beside = {"usd_per_million_output_tokens": 1.234, "ttft_ms_p50": 5.0}
    assert card(kept, id, beside).costs == (("Cost per million output tokens", "1.23 USD"),)


def test_a_score_and_what_is_not_there_have_no_card(kept: Library, shipped: Library) -> None:
    with pytest.raises(NotFound):
        card(kept, "0" * 16)
    with pytest.raises(NotFound, match="a quality score"):
        card(shipped, shipped.fetch("SELECT score_id FROM scores LIMIT 1")[0][0])


def test_points_of_a_chart_are_told_apart_and_what_they_share_is_not_repeated(kept: Library) -> None:
    ids = [point_of(kept, 1), point_of(kept, 16)]
    words = in_words(kept, ids)
    assert list(words) == ids
    assert words[ids[1]] == "4 x H100 SXM, vLLM 0.10.1, =1+1, concurrency 16"
    alone = in_words(kept, ids[:1])[ids[0]]
    assert alone.startswith("Llama 3.1 70B, FP8, 4 x H100 SXM")
    assert in_words(kept, ["0" * 16]) == {}


def test_no_two_points_of_the_shipped_library_have_the_same_words(shipped: Library) -> None:
    ids = [id for (id,) in shipped.fetch("SELECT point_id FROM points")]
    words = in_words(shipped, ids)
    assert len(words) == len(ids) == len(set(words.values()))
