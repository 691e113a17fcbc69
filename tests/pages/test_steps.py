"""A page without an answer offers what leads to one: a button for a change on it, a link to a page that can."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from bench.questions import question
from bench.view import View
from pages.shared import cached
from tests.pages import selectors
from tests.pages.drawn import Open, headline, query_of, text_of, view_of

KEPT_BY_NOTHING = "ttft_ms_p99<=0.001"


def steps(at: AppTest) -> list[str]:
    """What the buttons say that lead on."""
    return [one.label for one in at.button if (one.key or "").startswith("step.")]


def taken(at: AppTest) -> AppTest:
    """The page after its first step, which has a chart and a table and offers no more steps."""
    before = headline(at)
    at = at.button(key="step.0").click().run()
    assert not at.exception
    assert headline(at) != before
    assert at.get("plotly_chart")
    assert at.dataframe
    assert steps(at) == []
    return at


def test_a_limit_that_nothing_keeps_is_lifted(opened: Open) -> None:
    at = opened("heatmap", model="llama-3.1-70b", slo=KEPT_BY_NOTHING)
    assert "Lift the limit on p99 TTFT" in steps(at)[0]
    at = taken(at)
    assert view_of(at, "heatmap").slo == ("none",)
    assert KEPT_BY_NOTHING not in query_of(at)


def test_pareto_lifts_a_limit_under_the_chart_of_what_breaks_it(opened: Open) -> None:
    at = opened("pareto", model="flan-t5-xl", slo=KEPT_BY_NOTHING)
    assert steps(at)[0] == "Lift the limit on p99 TTFT"
    assert steps(at.button(key="step.0").click().run()) == []


def test_a_throughput_that_scaling_took_by_itself_goes_with_its_model(opened: Open) -> None:
    at = opened("scaling", model="deepseek-r1")
    assert view_of(at, "scaling").option("metric") == "mlperf_tokens_per_s"
    at = selectors.modelled(at, "llama-3.3-70b")
    assert view_of(at, "scaling").option("metric") == "output_tokens_per_s"


def test_where_nothing_helps_on_a_page_another_one_that_answers_is_offered(opened: Open) -> None:
    at = opened("pareto", model="llama-3.1-405b", precision="fp8")
    ways = {one.proto.page: one.proto.query_string for one in at.get("page_link")}
    assert "llama-3.1-405b" in ways["data"]
    assert question("heatmap").answer(cached.library(), View.from_query(ways["heatmap"])).is_told


def test_memory_of_an_unknown_model_offers_nothing_that_would_not_help(opened: Open) -> None:
    at = opened("memory", model="none")
    assert "choose another model" in text_of(at)
    assert steps(at) == []
