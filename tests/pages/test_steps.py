"""A page without an answer offers what leads to one: a button for a change on it, a link to a page that can."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import selectors
from tests.pages.drawn import Open, headline, query_of, text_of, view_of

KEPT_BY_NOTHING = "ttft_ms_p99<=0.001"


def step(at: AppTest) -> str:
    """What the first button says that leads on."""
    return str(at.button(key="step.0").label)


def links(at: AppTest) -> dict[str, str]:
    """The pages that a page links to, with the query of each."""
    return {one.proto.page: one.proto.query_string for one in at.get("page_link")}


def taken(at: AppTest) -> AppTest:
    """The page after its first step, which has a table and offers no more steps."""
    saved = [one.proto.label for one in at.get("download_button")]
    assert bool(at.dataframe) == ("CSV" in saved)
    before = headline(at)
    at = at.button(key="step.0").click().run()
    assert not at.exception
    assert headline(at) != before
    assert at.get("plotly_chart")
    assert at.dataframe
    assert not [one for one in at.button if (one.key or "").startswith("step.")]
    return at


@pytest.mark.parametrize("name", ["heatmap", "crossover", "cost", "scaling"])
def test_a_limit_that_nothing_keeps_is_lifted_on_every_page(opened: Open, name: str) -> None:
    at = opened(name, model="llama-3.1-70b", slo=KEPT_BY_NOTHING)
    assert "Lift the limit on p99 TTFT" in step(at)
    at = taken(at)
    assert view_of(at, name).slo == ("none",)
    assert KEPT_BY_NOTHING not in query_of(at)


def test_pareto_lifts_a_limit_under_the_chart_of_what_breaks_it(opened: Open) -> None:
    at = opened("pareto", model="flan-t5-xl", slo=KEPT_BY_NOTHING)
    assert step(at) == "Lift the limit on p99 TTFT"
    at = at.button(key="step.0").click().run()
    assert not [one for one in at.button if (one.key or "").startswith("step.")]


def test_crossover_shows_another_precision_where_one_has_no_pair(opened: Open) -> None:
    at = opened("crossover", model="llama-3.3-70b")
    assert step(at) == "Show FP4"
    at = taken(at)
    assert view_of(at, "crossover").values("precision") == ("fp4",)
    assert "precision=fp4" in query_of(at)


def test_cost_without_a_price_takes_the_prices_that_there_are(opened: Open) -> None:
    at = opened("cost", accelerator="mi325x")
    assert "no price" in headline(at)
    assert step(at) == "Take prices of any terms"
    assert "price_terms=every" in query_of(taken(at))


def test_memory_supposes_weights_where_no_point_states_them(opened: Open) -> None:
    at = opened("memory", model="flan-t5-xl")
    assert "the precision of its weights is not stated" in headline(at)
    assert step(at) == "Suppose BF16 weights"
    assert "BF16" in headline(taken(at))


def test_scaling_shows_another_throughput_where_that_gives_a_line(opened: Open) -> None:
    at = opened("scaling", model="deepseek-r1", metric="output_tokens_per_s")
    assert "No two of the 63 points used" in headline(at)
    assert step(at) == "Show MLPerf tokens per second"
    assert view_of(taken(at), "scaling").option("metric") == "mlperf_tokens_per_s"


def test_a_throughput_that_scaling_took_by_itself_goes_with_its_model(opened: Open) -> None:
    at = opened("scaling", model="deepseek-r1")
    assert "288 GB300 give" in headline(at)
    at = selectors.modelled(at, "llama-3.3-70b")
    assert view_of(at, "scaling").option("metric") == "output_tokens_per_s"
    assert "8 RTX PRO 6000 give" in headline(at)


def test_where_nothing_helps_on_a_page_another_one_that_answers_is_offered(opened: Open) -> None:
    at = opened("pareto", model="llama-3.1-405b", precision="fp8")
    assert "states both a latency and a throughput" in headline(at)
    ways = links(at)
    assert "llama-3.1-405b" in ways["data"]
    there = opened("heatmap", **dict(parse_qsl(ways["heatmap"])))
    assert there.get("plotly_chart")
    assert not [one for one in there.button if (one.key or "").startswith("step.")]


def test_memory_of_an_unknown_model_offers_nothing_that_would_not_help(opened: Open) -> None:
    at = opened("memory", model="none")
    assert "choose another model" in text_of(at)
    assert not [one for one in at.button if (one.key or "").startswith("step.")]
