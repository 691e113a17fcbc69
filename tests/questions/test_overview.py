"""The overview: its counts are the library's, its sentences are true of the points, its links open what they say."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bench.audit import plain
from bench.chart import DARK, LIGHT, value_label
from bench.library import Library
from bench.questions import overview, questions
from bench.view import View

PER_CHIP = overview.PER_CHIP


def table(path: Path, rows: list[dict[str, object]]) -> Path:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def point(throughput: float, tpot: float, chip: str = "h100-sxm", **facts: object) -> dict[str, object]:
    return {
        "model": "llama-3.1-70b", "precision": "fp8", "engine": "vllm", "accelerator": chip, "accelerators": 2,
        "isl": 1024, "osl": 256, "concurrency": 8, "evidence": "measured", "date": "2026-01-31",
        "output_tokens_per_s": throughput, "tpot_ms_p50": tpot, **facts,
    }  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """H100 gives 100 per chip at concurrency 8 and H200 250; at 16 they are 150 and 200; a projection beats all."""
    folder = tmp_path_factory.mktemp("small")
    library = Library.open(folder / "library", shipped=False)
    rows = [
        point(200, 20), point(180, 20, engine_version="0.9"), point(500, 10, "h200-sxm", date="2026-02-21"),
        point(300, 40, concurrency=16), point(400, 25, "h200-sxm", concurrency=16, date="2026-02-28"),
        point(9000, 1, "h200-sxm", evidence="projected"), point(60, 50, "tpu-v6e", model="gemma-4-31b"),
        point(5000, 8, "b200-sxm", engine="sglang"),
    ]  # fmt: skip
    assert not library.add([table(folder / "made.csv", rows)]).refused
    return library


def test_the_headline_counts_what_is_loaded(small):
    answer = overview.answer(small, View())
    assert answer.headline == "8 points are loaded: 2 models on 4 accelerators from 1 source."
    assert answer.findings[0] == "6 series, the last measured on 2026-02-28."
    assert answer.result.selected.measured == 7
    assert "1 point was not measured: in brackets in the chart, ranked in no sentence." in answer.caveats


def test_a_sentence_on_a_point_that_was_not_measured_says_what_it_is(small):
    answer = overview.answer(small, View.of({"evidence": ["projected"]}))
    said = {one.kind: one.text for one in answer.statements}
    assert all("(projected)" in said[kind] for kind in ("per_chip", "stream"))
    assert "no sentence" not in said["not_measured"]
    assert "(projected)" not in said["loaded"]


def test_the_sentences_worked_out_by_hand(small):
    """B200's engine is another, so the gap is H200's 250 against H100's 100 at concurrency 8, not B200's 2,500."""
    said = {one.kind: one.text for one in overview.answer(small, View()).statements if one.role == "finding"}
    assert list(said) == ["loaded", "stands_out", "newest", "per_chip", "stream", "gap"]
    assert said["per_chip"] == (
        "Most output per chip: 2,500 tokens/s on 2 x B200 SXM, concurrency 8, Llama 3.1 70B FP8 at 1,024/256."
    )
    assert said["stream"] == (
        "Fastest stream for one user: 125 tokens/s/user on 2 x B200 SXM, concurrency 8, Llama 3.1 70B FP8 at"
        " 1,024/256."
    )
    assert said["gap"] == (
        "Largest gap at equal conditions: H200 SXM gives 2.50 times the output per chip of H100 SXM, Llama 3.1 70B"
        " FP8 at 1,024/256."
    )
    assert said["newest"] == (
        "Loaded last: 8 points of Gemma 4 31B and Llama 3.1 70B on B200 SXM, H100 SXM, H200 SXM and 1 more from made,"
        " measured up to 2026-02-28."
    )


def test_what_stands_out_is_what_the_page_behind_it_says(small, shipped):
    """A page that contradicts the sentence that leads to it would be worse than none."""
    for library, where in ((small, {}), (shipped, {}), (shipped, {"model": ["llama-3.3-70b"]}),
                           (shipped, {"accelerator": ["tpu-v6e"]})):  # fmt: skip
        answer = overview.answer(library, View.of(where))
        (link,) = [link for link in answer.result.links if link.kind == "stands_out"]
        shown = questions()[link.page].answer(library, View.from_query(link.view.query()))
        assert answer.result.stands_out.text == shown.headline
        assert len(answer.headline.split()) <= 25


def test_what_the_reader_brought_last_is_what_is_new(tmp_path):
    """Before that, what was published last, not the sweeps that come along as examples."""
    library = Library.open(tmp_path / "library")
    first = overview.answer(library, View()).result.newest
    published = "SELECT max(date) FROM points WHERE origin = 'published'"
    assert (first.day, first.imported) == (library.fetch(published)[0][0], False)
    library.add([table(tmp_path / "mine.csv", [point(100, 10, date="")])])
    newest = overview.answer(library, View()).result.newest
    assert (newest.source, newest.points, newest.day, newest.imported) == ("mine", 1, None, True)


@pytest.mark.parametrize("layout", [{"tp": 8, "ep": 8}, {}])
def test_an_accelerator_that_is_not_stated_is_told_so_in_words(tmp_path, layout):
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([table(tmp_path / "odd.csv", [point(1336, 10, "", **layout, accelerators=8,
                                                    output_tokens_per_s_per_accelerator=167)])])  # fmt: skip
    said = {one.kind: one.text for one in overview.answer(library, View()).statements}
    assert all(said[kind].count("accelerator not stated") == 1 for kind in ("counts", "per_chip", "newest"))
    assert not any("  " in text or " on not" in text or "on 0" in text for text in said.values())


def test_limits_under_which_points_are_ranked_are_said(small):
    def said(slo):
        answer = overview.answer(small, View.of({}, slo=slo))
        return answer.result.per_chip.value, [one.text for one in answer.statements if one.kind == "limits"]

    assert said(()) == (2500, [])
    assert said(("tpot_ms_p50>=9",)) == (250, ["Only points with median TPOT of 9 ms or more are ranked."])


def test_a_selection_is_told_against_the_whole(small):
    answer = overview.answer(small, View.of({"accelerator": ["h100"]}))
    assert answer.headline.startswith("3 of 8 loaded points are selected: ")
    assert set(answer.rows["accelerator"]) == {"h100-sxm"}
    assert not any("largest gap" in finding for finding in answer.findings)
    nothing = overview.answer(small, View.of({"model": ["gpt-9"]}))
    assert nothing.headline == "None of the 8 loaded points is selected."
    assert nothing.caveats == ("Nothing is loaded for model gpt-9.",)
    overview.figure(nothing.result, LIGHT)


def test_the_matrix_counts_measured_points_and_never_says_zero(small):
    answer = overview.answer(small, View())
    counts = {(row["model"], row["accelerator"]): row["measured"] for row in answer.rows.to_dict("records")}
    assert counts == {
        ("llama-3.1-70b", "h100-sxm"): 3, ("llama-3.1-70b", "h200-sxm"): 2, ("llama-3.1-70b", "b200-sxm"): 1,
        ("gemma-4-31b", "tpu-v6e"): 1,
    }  # fmt: skip
    for theme in (LIGHT, DARK):
        texts = [
            text
            for trace in overview.figure(answer.result, theme).data
            for text in np.ravel(trace.text)
            if text
        ]
        assert sorted(texts) == ["1", "1", "2", "3"]


def test_a_cell_of_the_matrix_is_clicked_by_its_model_and_accelerator(small):
    answer = overview.answer(small, View())
    (ways,) = [trace for trace in overview.figure(answer.result, LIGHT).data if trace.customdata is not None
               and trace.type == "scatter"]  # fmt: skip
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
    assert answer.headline.startswith(f"{points:,} points are loaded")
    assert answer.result.selected.models == models
    assert answer.rows["model"].nunique() <= overview.SHOWN_MODELS


def test_sources_of_scores_alone_are_counted_beside_those_of_points(shipped):
    """Together the sources of points and those of scores only are as many as the Data page lists."""
    answer = overview.answer(shipped, View())
    held, with_points = answer.result.loaded, answer.result.selected.sources
    assert f" from {with_points} sources." in answer.headline
    others = held["sources"] - with_points
    assert f"; {held['scores']:,} quality scores from {others} more sources." in answer.findings[0]


@pytest.fixture(scope="module")
def standing(shipped):
    return plain.read(shipped).standing(View())


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
        if one[0] != other[0]
        and (pd.isna(one[2]) or pd.isna(other[2]) or abs((one[2] - other[2]).days) <= 30)
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
    library.add([table(tmp_path / "odd.csv", [point(100, 10, odd, model="m<b>odd")])])
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
    library.add([table(tmp_path / "many.csv", [*rows, point(50, 10, "tpu-v6e", model="last")])])
    answer = overview.answer(library, View())
    assert "tpu-v6e" not in set(answer.rows["accelerator"])
    assert answer.caveats == (
        f"The chart shows the {overview.SHOWN_MODELS} models with the most measured points; 1 more is loaded,"
        " the only ones on TPU v6e.",
    )


def test_every_accelerator_of_the_shipped_library_is_drawn_or_named(shipped):
    answer = overview.answer(shipped, View())
    (caveat,) = [one for one in answer.caveats if one.startswith("The chart shows")]
    every = {
        chip
        for (chip,) in shipped.fetch("SELECT DISTINCT accelerator FROM points WHERE accelerator IS NOT NULL")
    }
    beside = every - set(answer.rows["accelerator"].dropna())
    assert beside
    assert all(value_label("accelerator", chip) in caveat for chip in beside)
