"""The strips under the names of pairs, drawn."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import pytest

from bench import chart, names
from bench.chart import DARK, LIGHT, Theme
from bench.library import Library
from bench.maths.colour import contrast, distance
from bench.questions import crossover
from bench.view import View
from tests.questions.crossover.results import A, Rows, asked, library_of, points, with_sources
from tests.questions.saying import headline

# How far A, or B where below 0, is ahead in percent.
LEADS = {1: -51, 8: -61, 64: -32, 128: 2, 256: 68, 512: 126, 768: 162}
TABLES: Mapping[str, Sequence[Rows]] = {
    "leads": (
        points("h100-sxm", {x: 100 * (1 + lead / 100 if lead > 0 else 1) for x, lead in LEADS.items()}),
        points("h200-sxm", {x: 100 * (1 - lead / 100 if lead < 0 else 1) for x, lead in LEADS.items()}),
    ),
    "alike": (points("b200-sxm", {1: 5, 8: 9}), points("b300-sxm", {1: 9, 8: 5})),
    "three": (
        points("tpu-v6e", {1: 50, 64: 1000}),
        points("h100-sxm", {1: 100, 64: 1000}),
        points("h200-sxm", {1: 120, 64: 900}),
    ),
    "far": (points("h100-sxm", {1: 100, 512: 400}), points("h200-sxm", {1: 50, 512: 900})),
}
ALIKE = {"a": "accelerator=b200-sxm", "b": "accelerator=b300-sxm"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(tmp_path_factory.mktemp("strips"), *with_sources(TABLES))


def listed(library: Library, source: str, theme: Theme = LIGHT) -> go.Figure:
    return crossover.figure(crossover.answer(library, View.of({"source": [source]})).result, theme)


def strips(figure: go.Figure) -> list[Any]:
    return [trace for trace in figure.data if trace.type == "heatmap"]


def colours(figure: go.Figure) -> list[str]:
    """The colours of the curves."""
    return [trace.line.color for trace in figure.data if trace.type == "scatter" and trace.mode == "lines"]


def test_no_text_of_a_strip_is_wider_than_its_cell(made: Library) -> None:
    """At 800 px the cell at 768 is 33 px wide, too narrow for any text; "A 2.26×" does not fit the 38 px at 512."""
    (texts,) = [one.text for one in listed(made, "leads").data if one.type == "scatter" and one.mode == "text"]
    assert [shown_at(text, 800) for text in texts] == ["B +51%", "B +61%", "B +32%", "A +2.0%", "A +68%", "2.26×", ""]
    assert [shown_at(text, 1440) for text in texts][-2:] == ["A 2.26×", "A 2.62×"]
    assert [shown_at(text, 390) for text in texts] == ["B +51%", "B +61%", "B +32%", "", "", "", ""]


def test_a_lead_in_latency_is_times_as_fast_in_the_strip_the_hover_the_sentence_and_the_rows(tmp_path: Path) -> None:
    """100 ms against 182 ms is 1.82 times as fast, as 182 tokens/s against 100 would be; no percentage of a time."""
    rows = [
        {**row, "output_tokens_per_s": None, "e2el_ms_p50": row["output_tokens_per_s"]}
        for chip, ms in (("h100-sxm", 100), ("h200-sxm", 182))
        for row in points(chip, {1: ms, 64: ms})
    ]
    library, along = library_of(tmp_path, rows), {"metric": "e2el_ms_p50", "along": "concurrency"}
    for answer in (crossover.answer(library, View.of({}, along)), asked(library, **along)):
        drawn = crossover.figure(answer.result, LIGHT)
        (texts,) = [one.text for one in drawn.data if one.type == "scatter" and one.mode == "text"]
        assert {shown_at(text, 1440) for text in texts} == {"A 1.82×"}
        hovers = [
            text for one in drawn.data if one.hovertemplate == "%{hovertext}<extra></extra>" for text in one.hovertext
        ]
        assert hovers
        assert all("A is 1.82 times as fast" in text for text in hovers)
        kind, values = headline(answer)
        assert (kind, values["least_ratio"]) == ("leads_faster", pytest.approx(1.82))
        leads = answer.rows.filter(regex="^a_lead_percent").astype(float).stack().dropna()
        assert leads.tolist() == pytest.approx([82.0] * 2)


def test_eight_pairs_have_a_strip_or_forty_and_names_have_lines_that_a_phone_has_room_for(shipped: Library) -> None:
    few, every = (
        crossover.answer(shipped, View.of({"model": ["deepseek-r1"]}, {"strips": many})).result
        for many in ("few", "all")
    )
    assert len(few.pairs) > 40
    drawn, whole = crossover.figure(few, LIGHT), crossover.figure(every, LIGHT)
    assert 0 < len(strips(drawn)) <= 8
    assert len(strips(whole)) == sum(bool(pair.knots) for pair in every.pairs[:40])
    assert whole.layout.height > drawn.layout.height
    lines = [line for note in drawn.layout.annotations for line in note.text.split("<br>")]
    assert [line for line in lines if len(shown_at(line, 390)) > 60] == []


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_curves_and_words_of_a_pair_can_be_told_apart_and_read(made: Library, theme: Theme) -> None:
    drawn = crossover.figure(asked(made, "alike", **ALIKE).result, theme)
    assert distance(*colours(drawn)) >= 20
    for figure in (drawn, listed(made, "alike", theme)):
        assert all(contrast(note.font.color, theme.background) >= 4.5 for note in figure.layout.annotations)
    every = [chart.accelerator_colour(row.slug, theme) for row in names.accelerators()]
    others = [one for one in chart.OKABE_ITO[3:] if contrast(one, theme.background) >= 3]
    assert all(any(distance(one, other) >= 20 for other in others) for one in every)


def test_the_strip_of_a_pair_has_the_colours_of_its_curves(made: Library) -> None:
    """The H100's curve is blue, as the strip is where it leads, though it is B; shades of one colour are not used."""
    figure = crossover.figure(asked(made, "three", a="accelerator=tpu-v6e", b=A).result, LIGHT)
    (strip,) = strips(figure)
    assert [strip.colorscale[end][1] for end in (-1, 0)] == colours(figure)
    figure = crossover.figure(asked(made, "three").result, LIGHT)
    (strip,) = strips(figure)
    assert not {*colours(figure)} & {stop for _, stop in strip.colorscale}


def test_every_place_of_a_strip_can_be_clicked(made: Library) -> None:
    """No two unseen markers of a strip lie further apart than a marker is wide, at the width of a wide page."""
    figure = listed(made, "far")
    (cells,) = [trace for trace in figure.data if trace.customdata is not None]
    low, high = figure.layout.xaxis.range
    places = sorted(math.log10(x) for x in cells.x)
    assert max(after - before for before, after in pairwise(places)) / (high - low) * 1400 <= cells.marker.size
    assert set(cells.customdata) == {"0"}


def shown_at(text: str, width: int) -> str:
    """What of a text the style sheet shows on a page of this width, by its rules, without its marks."""

    def shown(span: re.Match[str]) -> str:
        style, words = span.groups()
        starts, ends = (map(int, re.findall(rf"--{key}:(\d+)", style)) for key in ("from", "until"))
        return words if all(width >= px for px in starts) and all(width < px for px in ends) else ""

    return re.sub("<[^>]*>", "", re.sub(r"<span style='([^']*)'>(.*?)</span>", shown, text))
