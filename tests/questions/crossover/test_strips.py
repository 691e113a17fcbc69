"""The strips under the names of pairs, drawn."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest

from bench import chart, names
from bench.chart import DARK, LIGHT
from bench.maths.colour import contrast, distance
from bench.questions import crossover
from bench.view import View
from tests.questions.crossover.results import A, asked, library_of, points


def test_no_text_of_a_strip_is_wider_than_its_cell(tmp_path):
    """At 800 px the cell at 768 is 33 px wide, too narrow for any text; "A +126%" does not fit the 38 px at 512."""
    leads = {1: -51, 8: -61, 64: -32, 128: 2, 256: 68, 512: 126, 768: 162}
    library = library_of(
        tmp_path,
        points("h100-sxm", {x: 100 * (1 + lead / 100 if lead > 0 else 1) for x, lead in leads.items()}),
        points("h200-sxm", {x: 100 * (1 - lead / 100 if lead < 0 else 1) for x, lead in leads.items()}),
    )
    drawn = crossover.figure(crossover.answer(library, View()).result, LIGHT)
    (texts,) = [trace.text for trace in drawn.data if trace.type == "scatter" and trace.mode == "text"]
    assert [shown_at(text, 800) for text in texts] == ["B +51%", "B +61%", "B +32%", "A +2.0%", "A +68%", "+126%", ""]
    assert [shown_at(text, 1440) for text in texts][-2:] == ["A +126%", "A +162%"]
    assert [shown_at(text, 390) for text in texts] == ["B +51%", "B +61%", "B +32%", "", "", "", ""]


def test_at_most_eight_pairs_have_a_strip_and_each_name_has_lines_that_a_phone_has_room_for(shipped):
    found = crossover.answer(shipped, View()).result
    drawn = crossover.figure(found, LIGHT)
    assert len(found.pairs) > 8
    assert len([trace for trace in drawn.data if trace.type == "heatmap"]) <= 8
    lines = [line for note in drawn.layout.annotations for line in note.text.split("<br>")]
    assert [line for line in lines if len(shown_at(line, 390)) > 60] == []


def test_all_pairs_have_a_strip_where_all_are_asked_for_up_to_forty(shipped):
    for model, many in (("gpt-oss-120b", None), ("deepseek-r1", 40)):
        found = crossover.answer(shipped, View.of({"model": [model]}, {"strips": "all"})).result
        drawn = crossover.figure(found, LIGHT)
        shown = found.pairs[:many]
        assert len([trace for trace in drawn.data if trace.type == "heatmap"]) == sum(
            bool(pair.knots) for pair in shown
        )
        few = crossover.figure(crossover.answer(shipped, View.of({"model": [model]})).result, LIGHT)
        assert (drawn.layout.height > few.layout.height) is (len(shown) > 8)
    assert len(shown) == 40


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_both_curves_of_any_two_accelerators_are_told_apart(tmp_path, theme):
    library = library_of(tmp_path, points("b200-sxm", {1: 5, 8: 9}), points("b300-sxm", {1: 4, 8: 11}))
    view = View.of({}, {"a": "accelerator=b200-sxm", "b": "accelerator=b300-sxm"})
    drawn = crossover.figure(crossover.answer(library, view).result, theme)
    a, b = (trace.line.color for trace in drawn.data if trace.type == "scatter" and trace.mode == "lines")
    assert distance(a, b) >= 20
    chips = [row.slug for row in names.accelerators()]
    every = [chart.accelerator_colour(slug, theme) for slug in chips]
    others = [one for one in chart.OKABE_ITO[3:] if contrast(one, theme.background) >= 3]
    assert all(any(distance(one, other) >= 20 for other in others) for one in every)


def test_words_of_the_chart_are_in_ink_that_is_read(tmp_path):
    library = library_of(tmp_path, points("b200-sxm", {1: 5, 8: 9}), points("b300-sxm", {1: 9, 8: 5}))
    view = View.of({}, {"a": "accelerator=b200-sxm", "b": "accelerator=b300-sxm"})
    for found in (crossover.answer(library, view).result, crossover.answer(library, View()).result):
        for theme in (LIGHT, DARK):
            notes = crossover.figure(found, theme).layout.annotations
            assert all(contrast(note.font.color, theme.background) >= 4.5 for note in notes)


def test_the_strip_of_a_pair_has_the_colours_of_its_curves(tmp_path):
    """The H100's curve is blue, as the strip is where it leads, though it is B; shades of one colour are not used."""
    rows = [points(chip, {1: y}) + points(chip, {64: 1000}) for chip, y in (("tpu-v6e", 50), ("h100-sxm", 100))]
    library = library_of(tmp_path, *rows, points("h200-sxm", {1: 120, 64: 900}))
    figure = crossover.figure(asked(library, "accelerator=tpu-v6e", A).result, LIGHT)
    (strip,) = [trace for trace in figure.data if trace.type == "heatmap"]
    curves = [trace.line.color for trace in figure.data if trace.type == "scatter" and trace.mode == "lines"]
    assert [strip.colorscale[end][1] for end in (-1, 0)] == curves
    figure = crossover.figure(asked(library).result, LIGHT)
    (strip,) = [trace for trace in figure.data if trace.type == "heatmap"]
    assert not {trace.line.color for trace in figure.data if trace.type == "scatter" and trace.mode == "lines"} & {
        stop for _, stop in strip.colorscale
    }


def test_every_place_of_a_strip_can_be_clicked(tmp_path):
    """No two unseen markers of a strip lie further apart than a marker is wide, at the width of a wide page."""
    library = library_of(tmp_path, points("h100-sxm", {1: 100, 512: 400}), points("h200-sxm", {1: 50, 512: 900}))
    figure = crossover.figure(crossover.answer(library, View()).result, LIGHT)
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
