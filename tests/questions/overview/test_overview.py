"""The overview: its counts are the library's, its sentences are true of the points, its links open what they say."""

from __future__ import annotations

import datetime
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from bench.basis.narrator import Narrator
from bench.basis.points import PointFacts
from bench.basis.variations import Robustness, Verdict
from bench.chart import DARK, LIGHT
from bench.library import Library
from bench.questions import answered, overview, pareto, question
from bench.view import View
from tests.library.files import SCORE, published, table
from tests.questions.audited import reference_answers
from tests.questions.heatmap.results import library_of
from tests.questions.heatmap.results import point as made
from tests.questions.saying import headline, kinds, said, statement, tells

PER_CHIP = overview.PER_CHIP


def point(throughput, tpot, chip="h100-sxm", **facts):
    own = {"accelerator": chip, "accelerators": 2, "tp": 2, "concurrency": 8, "engine_version": None, **facts}
    return made(1024, 256, throughput, tpot_ms_p50=tpot, **{"date": "2026-01-31", **own})


SMALL = [
    point(200, 20),
    point(180, 20, engine_version="0.9"),
    point(500, 10, "h200-sxm", date="2026-02-21"),
    point(300, 40, concurrency=16),
    point(400, 25, "h200-sxm", concurrency=16, date="2026-02-28"),
    point(9000, 1, "h200-sxm", evidence="projected"),
    point(60, 50, "tpu-v6e", model="gemma-4-31b"),
    point(3000, 8, "b200-sxm", engine="sglang"),
]
"""H100 gives 100 per chip at concurrency 8 and H200 250; at 16 they are 150 and 200; a projection beats all."""


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return library_of(tmp_path_factory.mktemp("small"), SMALL)


def test_the_headline_counts_what_is_loaded(small):
    answer = overview.answer(small, View())
    counts = {"points": 8, "loaded": 8, "models": 2, "accelerators": 4, "sources": 1}
    assert headline(answer) == ("counts", counts)
    assert said(answer, "loaded") == {"series": 6, "newest": datetime.date(2026, 2, 28)}
    assert {"refused", "scores", "scores_apart"}.isdisjoint(kinds(answer))
    assert (answer.result.selected.measured, answer.result.selected.newest) == (7, datetime.date(2026, 2, 28))
    assert said(answer, "not_measured") == {"points": 1}


def test_the_findings_worked_out_by_hand(small):
    """B200's engine is another, so the gap is H200's 250 against H100's 100 at concurrency 8, not B200's 1,500."""
    answer = overview.answer(small, View())
    assert kinds(answer, "finding") == ["stands_out", "newest_imported", "per_chip", "stream", "gap"]
    assert [said(answer, kind)["value"] for kind in ("per_chip", "stream")] == [1500, 125]
    assert [said(answer, kind)["about"] for kind in ("per_chip", "stream")] == ["Llama 3.1 70B FP8 at 1,024/256"] * 2
    for kind, best in (("per_chip", answer.result.per_chip), ("stream", answer.result.stream)):
        assert (best.point.accelerator, best.point.accelerators, best.point.concurrency) == ("b200-sxm", 2, 8)
        assert statement(answer, kind).point_ids == (best.point.point_id,)
    gap, newest = answer.result.gap, answer.result.newest
    about = said(answer, "per_chip")["about"]
    assert said(answer, "gap") == {"about": about, "ratio": 2.5, "first": "h200-sxm", "last": "h100-sxm"}
    assert (gap.first.accelerator, gap.last.accelerator, gap.most, gap.least) == ("h200-sxm", "h100-sxm", 250, 100)
    assert statement(answer, "gap").point_ids == (gap.first.point_id, gap.last.point_id)
    tells(answer, {"newest_imported": {"points": 8, "source": "results", "day": datetime.date(2026, 2, 28)}})
    assert (newest.day, newest.imported) == (datetime.date(2026, 2, 28), True)
    assert ({*newest.models}, len(newest.accelerators)) == ({"gemma-4-31b", "llama-3.1-70b"}, 4)


def test_what_stands_out_is_what_the_page_behind_it_says(small, shipped):
    """A page that contradicts the sentence that leads to it would be worse than none."""
    for library, where in ((small, {}), (shipped, {}), (shipped, {"model": ["llama-3.3-70b"]})):
        answer = overview.answer(library, View.of(where))
        (link,) = [link for link in answer.result.links if link.kind == "stands_out"]
        shown = answered(link.page, library, View.from_query(link.view.query()))
        assert statement(answer, "stands_out").text == answer.result.stands_out.text == shown.headline


def test_what_stands_out_is_undecided_where_its_page_says_so(small, monkeypatch):
    leads, another = Verdict("a", "a leads"), Verdict("b", "b leads")
    monkeypatch.setattr(
        pareto, "robustness", lambda library, view: Robustness(leads, (("with older runs too", another),))
    )
    answer = overview.answer(small, View())
    (link,) = [link for link in answer.result.links if link.kind == "stands_out"]
    shown = answered(link.page, small, link.view)
    assert link.page == "pareto"
    assert shown.verdict.startswith("Undecided: ")
    assert statement(answer, "stands_out").text == shown.headline


def test_a_flag_of_what_stands_out_is_told_below(small, shipped, monkeypatch):
    """Where another page's headline has a dagger, this one explains it, too."""
    told = Narrator({"best": "A best."}).verdict("best", [PointFacts("p1", flags='[{"kind": "decode-only"}]')])

    class Flagged:
        @staticmethod
        def answer(library, view):
            return replace(question("heatmap").answer(shipped, View()), statements=(told,))

        @staticmethod
        def robustness(library, view):
            return None

    monkeypatch.setattr(overview, "question", lambda name: Flagged)
    answer = overview.answer(small, View())
    assert (statement(answer, "stands_out").flags, statement(answer, "stands_out").point_ids) == (told.flags, ("p1",))
    assert "decode only" in statement(answer, "flagged").text


def test_what_the_reader_brought_last_is_what_is_new(tmp_path):
    """Before that, what was published last, not the sweeps that come along as examples."""
    library = Library.open(tmp_path / "library")
    first = overview.answer(library, View()).result.newest
    newest_day = "SELECT max(date) FROM points WHERE origin = 'published'"
    assert (first.day, first.imported) == (library.fetch(newest_day)[0][0], False)
    library.add([published(tmp_path / "mine.csv", [point(100, 10, date="")])])
    newest = overview.answer(library, View()).result.newest
    assert (newest.source, newest.points, newest.day, newest.imported) == ("mine", 1, None, True)


def test_a_selection_is_told_against_the_whole(small):
    answer = overview.answer(small, View.of({"accelerator": ["h100"]}))
    counts = {"points": 3, "loaded": 8, "models": 1, "accelerators": 1, "sources": 1}
    assert headline(answer) == ("counts_selected", counts)
    assert set(answer.rows["accelerator"]) == {"h100-sxm"}
    assert "gap" not in kinds(answer)
    nothing = overview.answer(small, View.of({"model": ["gpt-9"]}))
    assert (headline(nothing), nothing.is_told) == (("none_selected", {"loaded": 8}), False)
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


@pytest.mark.parametrize("where", [{}, {"model": ["llama-3.1-70b"]}])
def test_the_heatmap_behind_a_best_and_behind_the_gap_shows_the_same_figure(shipped, where):
    answer = overview.answer(shipped, View.of(where))
    links = {link.kind: View.from_query(link.view.query()) for link in answer.result.links}
    findings = {one.kind for one in answer.statements if one.role == "finding"}
    assert links.keys() == {"loaded", *("newest" if one.startswith("newest") else one for one in findings)}
    for kind, best in (("per_chip", answer.result.per_chip), ("stream", answer.result.stream)):
        assert (best is None) == (kind not in links)
        if best is not None:
            peak = question("heatmap").answer(shipped, links[kind]).result.peak
            assert (peak.value, peak.best) == (best.value, best.point)
    if answer.result.gap is not None:
        ratio = question("heatmap").answer(shipped, links["gap"]).result.peak
        assert ratio.value == pytest.approx(answer.result.gap.ratio)


def test_the_shipped_library_is_told_as_sql_counts_it(shipped):
    """Together the sources of points and those of scores only are as many as the Data page lists."""
    answer = overview.answer(shipped, View())
    points, models = shipped.fetch("SELECT count(*), count(DISTINCT model) FROM points")[0]
    counted, held = said(answer, "counts"), answer.result.loaded
    assert (counted["points"], counted["loaded"], counted["models"]) == (points, points, models)
    assert answer.rows["model"].nunique() <= overview.SHOWN_MODELS
    with_points = answer.result.selected.sources
    assert counted["sources"] == with_points
    assert said(answer, "scores_apart") == {"scores": held["scores"], "sources": held["sources"] - with_points}


def test_the_largest_gap_is_the_largest_of_all_pairs_alike_but_for_the_accelerator(shipped):
    alike = defaultdict(list)
    for row in reference_answers.read(shipped).standing(View()):
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


def test_a_library_of_nothing_says_so(tmp_path):
    answer = overview.answer(Library.open(tmp_path / "library", shipped=False), View())
    assert headline(answer) == ("none_loaded", {"loaded": 0})
    assert kinds(answer) == ["none_loaded"]


def test_hostile_names_are_text(tmp_path):
    library = library_of(tmp_path, [point(100, 10, "<img src=x>\u202e%{y}", model="m<b>odd")])
    drawn = overview.figure(overview.answer(library, View()).result, LIGHT).to_json()
    assert "<img" not in drawn
    assert "<b>odd" not in drawn.replace("<b>m", "")


UNSTATED = point(1336, 10, "", accelerators=8, output_tokens_per_s_per_accelerator=167)
MANY = [
    point(100 + level, 10, model=f"model-{place:02}", concurrency=level)
    for place in range(overview.SHOWN_MODELS)
    for level in (1, 2)
]
SAID = {
    "a limit": (SMALL, View.of(slo=["tpot_ms_p50>=9"]), {"per_chip": {"value": 250}, "limits": {}}),
    "one point": (
        [point(100, 10)],
        View(),
        {"counts": {"points": 1}, "loaded": {"series": 1}, "newest_imported": {"points": 1}},
    ),
    "no day": (
        [point(100, 10, date="")],
        View(),
        {"loaded_undated": {"series": 1}, "newest_imported": {"points": 1, "day": None}},
    ),
    "stated in part": (
        [UNSTATED, point(100, 10)],
        View(),
        {"counts": {"accelerators": 1}, "newest_imported": {"points": 2}},
    ),
    "a small gap": ([point(100, 10), point(150, 10, "h200-sxm")], View(), {"gap": {"ratio": 1.5}}),
    "two models too many": (
        [*MANY, point(50, 10, model="last"), point(50, 10, model="least")],
        View(),
        {"hidden": {"models": 2}},
    ),
    "a model too many and its accelerator": (
        [*MANY, point(50, 10, "tpu-v6e", model="last")],
        View(),
        {"hidden_chips": {"models": 1, "accelerators": ["tpu-v6e"]}},
    ),
}


@pytest.mark.parametrize(("rows", "view", "wanted"), SAID.values(), ids=SAID)
def test_what_is_said(rows, view, wanted, tmp_path):
    tells(overview.answer(library_of(tmp_path, rows), view), wanted)


def test_a_sentence_on_a_point_that_was_not_measured_says_what_it_is(small):
    answer = overview.answer(small, View.of({"evidence": ["projected"]}))
    tells(answer, {"per_chip": {"value": 4500}, "stream": {"value": 1000}, "not_measured_ranked": {"points": 1}})
    assert all("(projected)" in said(answer, kind)["about"] for kind in ("per_chip", "stream"))
    assert "(projected)" not in statement(answer, "loaded").text


def test_an_accelerator_that_is_not_stated_is_told_so_in_words(tmp_path):
    answer = overview.answer(library_of(tmp_path, [UNSTATED]), View())
    tells(answer, {"counts_unstated": {"accelerators": 0}, "per_chip": {"value": 167}})
    texts = [statement(answer, kind).text for kind in ("per_chip", "newest_imported")]
    assert all(text.count("accelerator not stated") == 1 for text in texts)


def test_what_was_refused_and_scores_are_counted_beside_the_series(tmp_path):
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([published(tmp_path / "made.csv", [point(100, 10), point("bad", 10)])])
    library.add([table(tmp_path / "scores.csv", {"source": "other"}, base=SCORE)])
    tells(overview.answer(library, View()), {"refused": {"refused": 1}, "scores_apart": {"scores": 1, "sources": 1}})
