"""The overview: its counts are the library's, its sentences are true of the points, its links open what they say."""

from __future__ import annotations

import datetime
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest

from bench.audit import reference_answers
from bench.chart import DARK, LIGHT, value_label
from bench.library import Library
from bench.questions import overview, questions
from bench.view import View
from tests.library.files import published
from tests.questions.overview.results import SMALL, library_of, point
from tests.questions.saying import headline, kinds, said, statement

PER_CHIP = overview.PER_CHIP


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return library_of(tmp_path_factory.mktemp("small"), SMALL)


def test_the_headline_counts_what_is_loaded(small):
    answer = overview.answer(small, View())
    counts = {"points": 8, "loaded": 8, "models": 2, "accelerators": 4, "sources": 1}
    assert headline(answer) == ("counts", counts)
    assert said(answer, "loaded") == {"series": 6, "refused": 0, "scores": 0}
    assert (answer.result.selected.measured, answer.result.selected.newest) == (7, datetime.date(2026, 2, 28))
    assert said(answer, "not_measured") == {"points": 1}


def test_a_sentence_on_a_point_that_was_not_measured_says_what_it_is(small):
    answer = overview.answer(small, View.of({"evidence": ["projected"]}))
    text = {one.kind: one.text for one in answer.statements}
    assert all("(projected)" in text[kind] for kind in ("per_chip", "stream"))
    assert "no sentence" not in text["not_measured"]
    assert "(projected)" not in text["loaded"]


def test_the_findings_worked_out_by_hand(small):
    """B200's engine is another, so the gap is H200's 250 against H100's 100 at concurrency 8, not B200's 2,500."""
    answer = overview.answer(small, View())
    assert kinds(answer, "finding") == ["loaded", "stands_out", "newest", "per_chip", "stream", "gap"]
    assert [said(answer, kind) for kind in ("per_chip", "stream")] == [{"value": 2500}, {"value": 125}]
    for kind, best in (("per_chip", answer.result.per_chip), ("stream", answer.result.stream)):
        assert (best.point.accelerator, best.point.accelerators, best.point.concurrency) == ("b200-sxm", 2, 8)
        assert statement(answer, kind).point_ids == (best.point.point_id,)
    gap, newest = answer.result.gap, answer.result.newest
    assert said(answer, "gap") == {"ratio": 2.5}
    assert (gap.first.accelerator, gap.last.accelerator, gap.most, gap.least) == ("h200-sxm", "h100-sxm", 250, 100)
    assert statement(answer, "gap").point_ids == (gap.first.point_id, gap.last.point_id)
    assert said(answer, "newest") == {"points": 8, "source": "made"}
    assert (newest.day, newest.imported) == (datetime.date(2026, 2, 28), True)
    assert ({*newest.models}, len(newest.accelerators)) == ({"gemma-4-31b", "llama-3.1-70b"}, 4)


def test_what_stands_out_is_what_the_page_behind_it_says(small, shipped):
    """A page that contradicts the sentence that leads to it would be worse than none."""
    for library, where in (
        (small, {}),
        (shipped, {}),
        (shipped, {"model": ["llama-3.3-70b"]}),
        (shipped, {"accelerator": ["tpu-v6e"]}),
    ):
        answer = overview.answer(library, View.of(where))
        (link,) = [link for link in answer.result.links if link.kind == "stands_out"]
        shown = questions()[link.page].answer(library, View.from_query(link.view.query()))
        assert answer.result.stands_out.text == shown.headline
        assert len(answer.headline.split()) <= 25


def test_what_the_reader_brought_last_is_what_is_new(tmp_path):
    """Before that, what was published last, not the sweeps that come along as examples."""
    library = Library.open(tmp_path / "library")
    first = overview.answer(library, View()).result.newest
    newest_day = "SELECT max(date) FROM points WHERE origin = 'published'"
    assert (first.day, first.imported) == (library.fetch(newest_day)[0][0], False)
    library.add([published(tmp_path / "mine.csv", [point(100, 10, date="")])])
    newest = overview.answer(library, View()).result.newest
    assert (newest.source, newest.points, newest.day, newest.imported) == ("mine", 1, None, True)


@pytest.mark.parametrize("layout", [{"tp": 8, "ep": 8}, {}])
def test_an_accelerator_that_is_not_stated_is_told_so_in_words(tmp_path, layout):
    library = Library.open(tmp_path / "library", shipped=False)
    library.add(
        [
            published(
                tmp_path / "odd.csv",
                [point(1336, 10, "", **layout, accelerators=8, output_tokens_per_s_per_accelerator=167)],
            )
        ]
    )
    text = {one.kind: one.text for one in overview.answer(library, View()).statements}
    assert all(text[kind].count("accelerator not stated") == 1 for kind in ("counts", "per_chip", "newest"))
    assert not any("  " in one or " on not" in one or "on 0" in one for one in text.values())


def test_limits_under_which_points_are_ranked_are_said(small):
    free, bound = (overview.answer(small, View.of({}, slo=slo)) for slo in ((), ("tpot_ms_p50>=9",)))
    assert (said(free, "per_chip"), "limits" in kinds(free)) == ({"value": 2500}, False)
    assert (said(bound, "per_chip"), "limits" in kinds(bound)) == ({"value": 250}, True)


def test_a_selection_is_told_against_the_whole(small):
    answer = overview.answer(small, View.of({"accelerator": ["h100"]}))
    assert (said(answer, "counts")["points"], said(answer, "counts")["loaded"]) == (3, 8)
    assert set(answer.rows["accelerator"]) == {"h100-sxm"}
    assert "gap" not in kinds(answer)
    nothing = overview.answer(small, View.of({"model": ["gpt-9"]}))
    assert (said(nothing, "counts")["points"], said(nothing, "counts")["loaded"]) == (0, 8)
    assert kinds(nothing, "coverage", "caveat") == ["not_loaded"]
    overview.figure(nothing.result, LIGHT)


def test_the_matrix_counts_measured_points_and_never_says_zero(small):
    answer = overview.answer(small, View())
    counts = {(row["model"], row["accelerator"]): row["measured"] for row in answer.rows.to_dict("records")}
    assert counts == {
        ("llama-3.1-70b", "h100-sxm"): 3,
        ("llama-3.1-70b", "h200-sxm"): 2,
        ("llama-3.1-70b", "b200-sxm"): 1,
        ("gemma-4-31b", "tpu-v6e"): 1,
    }
    for theme in (LIGHT, DARK):
        texts = [text for trace in overview.figure(answer.result, theme).data for text in np.ravel(trace.text) if text]
        assert sorted(texts) == ["1", "1", "2", "3"]


def test_a_cell_of_the_matrix_is_clicked_by_its_model_and_accelerator(small):
    answer = overview.answer(small, View())
    (ways,) = [
        trace
        for trace in overview.figure(answer.result, LIGHT).data
        if trace.customdata is not None and trace.type == "scatter"
    ]
    told = [View.from_query(query) for query in ways.customdata]
    pairs = {(row["model"], row["accelerator"]) for row in answer.rows.to_dict("records")}
    assert {(view.values("model")[0], view.values("accelerator")[0]) for view in told} == pairs
    assert ways.marker.opacity == 0


def test_every_number_has_its_reason(small, shipped):
    answer = overview.answer(small, View())
    reasons = ["Output throughput per accelerator", "Interactivity, median", "Largest gap"]
    assert [why.what for why in answer.why] == reasons
    assert [why.what for why in overview.answer(shipped, View()).why] == [*reasons, "Newest results"]
    assert all(why.formula and why.inputs and why.source for why in answer.why)


def test_the_links_open_what_the_sentences_say(shipped):
    answer = overview.answer(shipped, View())
    links = {link.kind: link for link in answer.result.links}
    assert links.keys() == {one.kind for one in answer.statements if one.role == "finding"}
    for link in links.values():
        if link.page in questions():
            assert len(questions()[link.page].answer(shipped, View.from_query(link.view.query())).rows)


@pytest.mark.parametrize(
    "where", [{}, {"model": ["llama-3.1-70b"]}, {"source": ["inferencex"]}, {"precision": ["fp4"]}]
)
def test_the_heatmap_behind_a_best_and_behind_the_gap_shows_the_same_figure(shipped, where):
    answer = overview.answer(shipped, View.of(where))
    links = {link.kind: View.from_query(link.view.query()) for link in answer.result.links}
    for kind, best in (("per_chip", answer.result.per_chip), ("stream", answer.result.stream)):
        assert (best is None) == (kind not in links)
        if best is not None:
            peak = questions()["heatmap"].answer(shipped, links[kind]).result.peak
            assert (peak.value, peak.best) == (best.value, best.point)
    if answer.result.gap is not None:
        ratio = questions()["heatmap"].answer(shipped, links["gap"]).result.peak
        assert ratio.value == pytest.approx(answer.result.gap.ratio)


def test_the_shipped_library_is_told_as_sql_counts_it(shipped):
    answer = overview.answer(shipped, View())
    points, models = shipped.fetch("SELECT count(*), count(DISTINCT model) FROM points")[0]
    counted = said(answer, "counts")
    assert (counted["points"], counted["loaded"], counted["models"]) == (points, points, models)
    assert answer.result.selected.models == models
    assert answer.rows["model"].nunique() <= overview.SHOWN_MODELS


def test_sources_of_scores_alone_are_counted_beside_those_of_points(shipped):
    """Together the sources of points and those of scores only are as many as the Data page lists."""
    answer = overview.answer(shipped, View())
    held, with_points = answer.result.loaded, answer.result.selected.sources
    assert said(answer, "counts")["sources"] == with_points
    assert said(answer, "loaded")["scores"] == held["scores"] > 0
    others = held["sources"] - with_points
    assert f" from {others} more sources" in statement(answer, "loaded").text


@pytest.fixture(scope="module")
def standing(shipped):
    return reference_answers.read(shipped).standing(View())


def test_the_largest_gap_is_the_largest_of_all_pairs_alike_but_for_the_accelerator(shipped, standing):
    alike = defaultdict(list)
    for row in standing:
        if (row[PER_CHIP] or 0) > 0 and row["accelerator"] and row["disaggregated"] is not True:
            key = tuple(str(row[name]) for name in overview.ALIKE)
            alike[key].append((row["accelerator"], row[PER_CHIP], row["date"]))
    largest = max(
        one[1] / other[1]
        for rows in alike.values()
        for one in rows
        for other in rows
        if one[0] != other[0] and (pd.isna(one[2]) or pd.isna(other[2]) or abs((one[2] - other[2]).days) <= 30)
    )
    gap = overview.answer(shipped, View()).result.gap
    assert gap.ratio == pytest.approx(largest)
    assert gap.ratio == pytest.approx(11.26, abs=0.005)
    assert (gap.first.accelerator, gap.last.accelerator) == ("h200-sxm", "l40s")


@pytest.mark.parametrize("where", [{}, {"source": ["inferencex"]}, {"accelerator": ["h100"]}])
def test_the_bests_are_the_largest_of_their_story(shipped, standing, where):
    answer = overview.answer(shipped, View.of(where))
    for best in (answer.result.per_chip, answer.result.stream):
        values = [
            row[best.metric]
            for row in standing
            if all(str(row[name]) == str(getattr(best.point, name)) for name in ("model", "precision"))
            and (row["isl"], row["osl"]) == (best.point.isl, best.point.osl)
            and ("source" not in where or row["source"] == "inferencex")
            and ("accelerator" not in where or str(row["accelerator"]).startswith("h100"))
        ]
        assert best.value == max(one for one in values if one is not None)


def test_hostile_names_are_text(tmp_path):
    library = Library.open(tmp_path / "library", shipped=False)
    odd = "<img src=x>\u202e%{y}"
    library.add([published(tmp_path / "odd.csv", [point(100, 10, odd, model="m<b>odd")])])
    drawn = overview.figure(overview.answer(library, View()).result, LIGHT).to_json()
    assert "<img" not in drawn
    assert "<b>odd" not in drawn.replace("<b>m", "")


def test_what_the_chart_has_no_room_for_is_counted_and_named(tmp_path):
    """As many models as there is room for have two points each; the last has one, on an accelerator of its own."""
    library = Library.open(tmp_path / "library", shipped=False)
    rows = [
        point(100 + level, 10, model=f"model-{place:02}", concurrency=level)
        for place in range(overview.SHOWN_MODELS)
        for level in (1, 2)
    ]
    library.add([published(tmp_path / "many.csv", [*rows, point(50, 10, "tpu-v6e", model="last")])])
    answer = overview.answer(library, View())
    assert "tpu-v6e" not in set(answer.rows["accelerator"])
    assert kinds(answer, "coverage", "caveat") == ["hidden"]
    assert said(answer, "hidden") == {"models": 1}
    assert "TPU v6e" in statement(answer, "hidden").text


def test_every_accelerator_of_the_shipped_library_is_drawn_or_named(shipped):
    answer = overview.answer(shipped, View())
    caveat = statement(answer, "hidden").text
    every = {chip for (chip,) in shipped.fetch("SELECT DISTINCT accelerator FROM points WHERE accelerator IS NOT NULL")}
    beside = every - set(answer.rows["accelerator"].dropna())
    assert beside
    assert all(value_label("accelerator", chip) in caveat for chip in beside)
