"""What a chart opens: a point's card and a cell's points, by link and by the picker, and where a card leads."""

from __future__ import annotations

from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from bench.flags import weight_words, words
from bench.holdings.card import card
from bench.library import Library
from bench.questions import question
from bench.questions.scaling.statements import projection
from bench.view import View
from pages.shared import visitor
from tests.pages.drawn import Open, query_of, text_of, view_of

CHARTS = ["pareto", "cost", "scaling"]


def picker(at: AppTest, name: str, kind: str = "point"):
    return at.selectbox(key=f"{name}.open.{kind}")


def link(at: AppTest, label: str):
    (found,) = (one for one in at.get("page_link") if one.proto.label == label)
    return found.proto


def leader(at: AppTest, name: str) -> str:
    answer = question(name).answer(Library.open(), view_of(at, name))
    if name == "scaling":
        return answer.result.lines[0].places[0].point.facts.point_id
    return str(answer.rows["point_id"].iloc[0])


@pytest.mark.parametrize("name", CHARTS)
def test_a_link_opens_a_points_card_with_its_figures(name: str, opened: Open) -> None:
    at = opened(name)
    id = leader(at, name)
    at = opened(name, **at.query_params, point=id)
    assert not at.exception
    assert not at.warning
    told, text = card(Library.open(), id), text_of(at).replace("\\", "")
    assert f"**{told.deployment}**  \n{told.workload}" in text
    for label in told.latencies.columns:
        assert label in text
    assert picker(at, name).value == id
    assert f"point={id}" in query_of(at)


def test_a_points_flags_read_the_same_on_its_card_and_on_data(opened: Open) -> None:
    held, at = Library.open(), opened("pareto")
    shown = question("pareto").answer(held, view_of(at, "pareto")).rows
    id = str(shown.loc[shown["flags"].str.contains('"seen"', na=False), "point_id"].iloc[0])
    flags = card(held, id).flags
    assert flags
    for name, asked in (("pareto", {**at.query_params, "point": id}), ("data", {"point_id": id})):
        text = text_of(opened(name, **asked)).replace("\\", "")
        for flag in flags:
            told = f"**{words(flag.kind)}** ({weight_words(flag.kind)}): {flag.seen} {flag.why} {flag.do}"
            assert told in text


def test_the_picker_opens_a_card_and_the_close_button_closes_it(opened: Open) -> None:
    at = opened("pareto")
    at = picker(at, "pareto").select(picker(at, "pareto").options[1]).run()
    assert "point=" in query_of(at)
    assert link(at, "Open point")
    at = at.button(key="close.point").click().run()
    assert "point=" not in query_of(at)
    assert picker(at, "pareto").value is None
    assert not [one for one in at.get("page_link") if one.proto.label == "Open point"]


def test_the_choice_survives_what_keeps_the_point_and_goes_with_what_does_not(opened: Open) -> None:
    at = opened("pareto")
    id = leader(at, "pareto")
    at = opened("pareto", **at.query_params, point=id)
    at = at.selectbox(key="pareto.group").select("engine").run()
    assert f"point={id}" in query_of(at)
    at = at.selectbox(key="pareto.group").select("accelerator").run()
    assert picker(at, "pareto").value == id
    at.session_state["kept"].views["pareto"] = view_of(at, "pareto").with_where(model=["llama-3.3-70b"])
    at.session_state["kept"].where = (("model", ("llama-3.3-70b",)),)
    at.session_state["kept"].changed = True
    at = at.run()
    assert "point=" not in query_of(at)
    assert not at.warning


def test_a_link_to_a_point_that_is_not_in_the_chart_says_so(opened: Open) -> None:
    at = opened("pareto", point="f" * 16)
    assert "What this link opens is not in the chart" in text_of(at)
    assert at.session_state["kept"].opened["pareto"] == {}


def test_no_answer_depends_on_what_is_opened(opened: Open) -> None:
    at = opened("pareto")
    id = leader(at, "pareto")
    shown = opened("pareto", **at.query_params, point=id)
    assert view_of(shown, "pareto") == view_of(at, "pareto")


def test_a_card_leads_to_the_point_and_to_its_source(opened: Open) -> None:
    at = opened("pareto")
    id = leader(at, "pareto")
    at = opened("pareto", **at.query_params, point=id)
    told = card(Library.open(), id)
    assert dict(parse_qsl(link(at, "Open point").query_string))["point_id"] == id
    assert dict(parse_qsl(link(at, "Source").query_string))["source_id"] == told.source_id
    assert not {"Open run", "Measure again"} & {one.proto.label for one in at.get("page_link")}


def test_a_projected_place_opens_the_measured_point_behind_it(opened: Open) -> None:
    at = opened("scaling")
    answer = question("scaling").answer(Library.open(), view_of(at, "scaling"))
    place = next(row.place for line in answer.result.headline_lines for row in line.replicas)
    at = opened("scaling", **at.query_params, point=place)
    found = projection(answer.result, place)
    assert found is not None
    assert found[1] in text_of(at).replace("\\", "")
    assert dict(parse_qsl(link(at, "Open point").query_string))["point_id"] == found[0]


def test_a_cell_opens_its_points_and_one_of_them_its_card(opened: Open) -> None:
    at = opened("heatmap")
    answer = question("heatmap").answer(Library.open(), view_of(at, "heatmap"))
    peak = answer.result.peak
    at = opened("heatmap", **at.query_params, cell=peak.place, point=peak.best.point_id)
    assert picker(at, "heatmap", "cell").value == peak.place
    assert picker(at, "heatmap").value == peak.best.point_id
    assert "behind this cell" in text_of(at)
    assert dict(parse_qsl(link(at, "Open point").query_string))["point_id"] == peak.best.point_id
    at = at.button(key="close.point").click().run()
    assert "cell=" in query_of(at)
    assert "point=" not in query_of(at)
    at = at.button(key="close.cell").click().run()
    assert "cell=" not in query_of(at)


def test_an_empty_cell_is_offered_to_be_measured(opened: Open) -> None:
    at = opened("heatmap")
    name = picker(at, "heatmap", "cell").options[-1]
    at = picker(at, "heatmap", "cell").select(name).run()
    if name.endswith("not measured"):
        assert link(at, "Measure this").page == "launch"


def test_a_pair_of_crossover_opens_the_points_of_its_curves(opened: Open) -> None:
    at = opened("crossover", a="accelerator=h200-sxm", b="accelerator=mi355x", model="deepseek-r1")
    assert not at.exception
    options = picker(at, "crossover").options
    at = picker(at, "crossover").select(options[0]).run()
    assert link(at, "Open point")


def test_who_may_hide_a_point_is_led_to_where_that_is_done(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    at = opened("pareto")
    query, id = dict(at.query_params), leader(at, "pareto")
    for may in (True, False):
        monkeypatch.setattr(visitor.access, "may", lambda *_, may=may: may)
        at = opened("pareto", **query, point=id)
        labels = {one.proto.label for one in at.get("page_link")}
        assert ("Hide or correct" in labels) == may
        shown = view_of(at, "pareto").where
        ways = [
            View.from_query(link(at, label).query_string)
            for label in ("Open point", "Hide or correct")
            if label in labels
        ]
        assert all(way.where == shown and way.option("point_id") == id for way in ways)
        assert [way.option("correct") for way in ways] == ["", "yes"][: len(ways)]
