"""A session's first page: its answer is begun with before the session is there."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest

from bench.view import View
from pages.shared import cached, prefetch
from tests.pages.drawn import Open, first_run, text_of


def test_a_page_without_a_chart_is_whole_at_once(opened: Open) -> None:
    at, whole = first_run("pareto", model="no-such-model"), opened("pareto", model="no-such-model")
    assert not whole.get("plotly_chart")
    assert text_of(at) == text_of(whole)
    assert [one.label for one in at.button] == [one.label for one in whole.button]


@pytest.mark.parametrize("query", ["", "model=deepseek-r1&x=ttft_ms_p99"])
def test_the_answer_of_a_document_is_the_one_its_session_shows(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[tuple[str, View]] = []
    figure = cached.figure
    monkeypatch.setattr(cached, "figure", lambda *of: worked_out.append(of[:2]) or figure(*of))
    assert prefetch.begin("pareto", query)
    prefetch._THREAD.submit(lambda: None).result()
    assert prefetch.BEGUN.is_set()
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
