"""A session's first page: its chart before what follows it, and its answer begun with before the session is there."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from bench.view import View
from pages.shared import cached, first_paint, prefetch
from tests.pages.drawn import MAIN, Open, text_of


def first_run(name: str, **query: str) -> AppTest:
    at = AppTest.from_file(str(MAIN), default_timeout=60)
    for key, value in query.items():
        at.query_params[key] = value
    at.switch_page(f"{name}.py")
    return at.run()


@pytest.mark.parametrize(
    "name",
    ["pareto", "scaling", "crossover", "cost", "heatmap", "memory", "roofline", "capacity", "history", "compare"],
)
def test_a_sessions_first_page_is_its_headline_and_its_chart_until_that_is_drawn(name: str) -> None:
    at = first_run(name)
    assert not at.exception
    assert (len(at.get("plotly_chart")), len(at.dataframe), len(at.selectbox)) == (1, 0, 0)
    at.session_state[first_paint.KEY] = True
    at.run()
    assert len(at.get("plotly_chart")) == 1
    assert at.dataframe
    assert "Model" in [one.label for one in at.selectbox]


def test_a_page_without_a_chart_is_whole_at_once(opened: Open) -> None:
    at, whole = first_run("pareto", model="no-such-model"), opened("pareto", model="no-such-model")
    assert not whole.get("plotly_chart")
    assert text_of(at) == text_of(whole)
    assert [one.label for one in at.button] == [one.label for one in whole.button]


@pytest.mark.parametrize("query", ["", "model=llama-3.1-8b", "model=deepseek-r1&x=ttft_ms_p99"])
def test_the_answer_of_a_document_is_the_one_its_session_shows(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[tuple[str, View]] = []
    figure = cached.figure
    monkeypatch.setattr(cached, "figure", lambda *of: worked_out.append(of[:2]) or figure(*of))
    assert prefetch.begin("pareto", query)
    prefetch._THREAD.submit(lambda: None).result()
    assert prefetch.has_begun()
    begun = worked_out.pop()
    first_run("pareto", **dict(parse_qsl(query)))
    assert set(worked_out) == {begun}


def test_a_page_without_a_question_and_a_crowd_begin_nothing() -> None:
    assert not prefetch.begin("launch", "")
    held = [prefetch._PLACES.acquire(blocking=False) for _ in range(prefetch.MOST_WAITING)]
    try:
        assert not prefetch.begin("pareto", "")
    finally:
        for _ in filter(None, held):
            prefetch._PLACES.release()
    assert prefetch.begin("pareto", "")


def test_a_link_that_cannot_be_read_costs_no_later_reader_his_place() -> None:
    for _ in range(3 * prefetch.MOST_WAITING):
        prefetch.begin("pareto", "slo=%00&model=%ff&x=nothing")
        prefetch._THREAD.submit(lambda: None).result()
    assert prefetch.begin("pareto", "")
