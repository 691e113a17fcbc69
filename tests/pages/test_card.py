"""What a chart opens: a point's card and a cell's points, by link and by the picker, and where a card leads."""

from __future__ import annotations

from urllib.parse import parse_qs, parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from bench.flags import weight_words, words
from bench.holdings.card import card
from bench.questions import Answer
from bench.questions.scaling.verdict import projection
from bench.view import View
from pages.shared import cached, visitor
from tests.pages.drawn import Open, query_of, text_of, view_of


def whole(name: str) -> View:
    """The View that a page opens on."""
    return cached.complete(name, View())


def told(name: str) -> Answer:
    """What it tells."""
    return cached.answer(name, whole(name))


def charted(opened: Open, name: str, **opens: str) -> AppTest:
    """That page, opened by its whole link with a point or a cell."""
    return opened(name, **parse_qs(whole(name).query()), **opens)


def leader(name: str) -> str:
    """The first point of what a page opens on."""
    return str(told(name).rows["point_id"].iloc[0])


def picker(at: AppTest, name: str, kind: str = "point"):
    return at.selectbox(key=f"{name}.open.{kind}")


def link(at: AppTest, label: str):
    (found,) = (one for one in at.get("page_link") if one.proto.label == label)
    return found.proto


def test_a_link_opens_a_points_card_which_leads_to_the_point_and_its_source(opened: Open) -> None:
    id = leader("cost")
    at = charted(opened, "cost", point=id)
    assert not at.exception
    assert not at.warning
    shown, text = card(cached.library(), id), text_of(at).replace("\\", "")
    assert f"**{shown.deployment}**  \n{shown.workload}" in text
    for label in shown.latencies.columns:
        assert label in text
    assert picker(at, "cost").value == id
    assert f"point={id}" in query_of(at)
    assert view_of(at, "cost") == whole("cost")
    assert dict(parse_qsl(link(at, "Open point").query_string))["point_id"] == id
    assert dict(parse_qsl(link(at, "Source").query_string))["source_id"] == shown.source_id
    assert not {"Open run", "Measure again"} & {one.proto.label for one in at.get("page_link")}


def test_a_points_flags_read_the_same_on_its_card_and_on_data(opened: Open) -> None:
    shown = told("pareto").rows
    id = str(shown.loc[shown["flags"].str.contains('"seen"', na=False), "point_id"].iloc[0])
    flags = card(cached.library(), id).flags
    assert flags
    for at in (charted(opened, "pareto", point=id), opened("data", point_id=id)):
        text = text_of(at).replace("\\", "")
        for flag in flags:
            line = f"**{words(flag.kind)}** ({weight_words(flag.kind)}): {flag.seen} {flag.why} {flag.do}"
            assert line in text


def test_the_picker_opens_a_card_that_goes_with_what_keeps_its_point_until_it_is_closed(opened: Open) -> None:
    at = opened("pareto")
    at = picker(at, "pareto").select(picker(at, "pareto").options[1]).run()
    id = picker(at, "pareto").value
    assert link(at, "Open point")
    at = at.selectbox(key="pareto.group").select("engine").run()
    assert f"point={id}" in query_of(at)
    at = at.button(key="close.point").click().run()
    assert "point=" not in query_of(at)
    assert picker(at, "pareto").value is None
    assert not [one for one in at.get("page_link") if one.proto.label == "Open point"]


def test_a_card_goes_with_what_does_not_keep_its_point(opened: Open) -> None:
    at = charted(opened, "pareto", point=leader("pareto"))
    at = at.selectbox(key="select.model").set_value("llama-3.3-70b").run()
    assert "point=" not in query_of(at)
    assert not at.warning


def test_a_link_to_a_point_that_is_not_in_the_chart_says_so(opened: Open) -> None:
    at = opened("pareto", point="f" * 16)
    assert "What this link opens is not in the chart" in text_of(at)
    assert at.session_state["kept"].opened["pareto"] == {}


def test_a_projected_place_opens_the_measured_point_behind_it(opened: Open) -> None:
    result = told("scaling").result
    place = next(row.place for line in result.steps for row in line.replicas)
    at = charted(opened, "scaling", point=place)
    found = projection(result, place)
    assert found is not None
    assert found[1] in text_of(at).replace("\\", "")
    assert dict(parse_qsl(link(at, "Open point").query_string))["point_id"] == found[0]


def test_a_cell_opens_its_points_and_one_of_them_its_card(opened: Open) -> None:
    peak = told("heatmap").result.peak
    at = charted(opened, "heatmap", cell=peak.place, point=peak.best.point_id)
    assert picker(at, "heatmap", "cell").value == peak.place
    assert picker(at, "heatmap").value == peak.best.point_id
    assert "behind this cell" in text_of(at)
    assert dict(parse_qsl(link(at, "Open point").query_string))["point_id"] == peak.best.point_id
    at = at.button(key="close.point").click().run()
    assert "cell=" in query_of(at)
    assert "point=" not in query_of(at)
    at = at.button(key="close.cell").click().run()
    assert "cell=" not in query_of(at)


def test_a_pair_of_crossover_opens_the_points_of_its_curves(opened: Open) -> None:
    at = opened("crossover", a="accelerator=h200-sxm", b="accelerator=mi355x", model="deepseek-r1")
    at = picker(at, "crossover").select(picker(at, "crossover").options[0]).run()
    assert not at.exception
    assert link(at, "Open point")


@pytest.mark.parametrize("may", [True, False])
def test_who_may_hide_a_point_is_led_to_where_that_is_done(
    may: bool, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    id = leader("pareto")
    monkeypatch.setattr(visitor.access, "may", lambda *_: may)
    at = charted(opened, "pareto", point=id)
    there = [one.proto.label for one in at.get("page_link")]
    assert ("Hide or correct" in there) == may
    ways = [View.from_query(link(at, label).query_string) for label in ("Open point", "Hide or correct")[: 1 + may]]
    assert all(way.where == whole("pareto").where and way.option("point_id") == id for way in ways)
    assert [way.option("correct") for way in ways] == ["", "yes"][: 1 + may]
