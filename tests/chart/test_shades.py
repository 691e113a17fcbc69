"""Lines of one chart are told apart in both themes, what is written can be read, and what marks is seen."""

from __future__ import annotations

from itertools import combinations

import pytest

from bench import chart
from bench.chart import DARK, LIGHT
from bench.chart.shades import LEAST_DISTANCE, MARK_CONTRAST, TEXT_CONTRAST, faint, ink, told_apart
from bench.errors import BenchError
from bench.maths.colour import contrast, distance, mixed
from bench.questions import question
from bench.view import View
from tests.thorough import some

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
GROUPS = ("accelerator", "engine", "precision")


def lines_of(figure):
    """The lines of a chart: of each group the colour and the colours of its markers and texts."""
    return {trace.legendgroup: trace for trace in figure.data if trace.mode == "lines+markers" and trace.legendgroup}


@pytest.fixture(scope="module")
def figures(shipped):
    """Pareto and Scaling charts of models that ship, a line for each of some fields, in both themes."""
    models = [row[0] for row in shipped.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL ORDER BY 1")]
    asked = [(name, model, "accelerator") for model in some(models, 1, 8) for name in ("pareto", "scaling")]
    asked += [(name, "deepseek-r1", group) for name in ("pareto", "scaling") for group in some(GROUPS, 1)]
    found = []
    for name, model, group in asked:
        try:
            answer = question(name).answer(shipped, View.of({"model": [model]}, {"group": group}))
        except BenchError:
            continue
        found += [(theme, question(name).figure(answer.result, theme)) for theme in (LIGHT, DARK)]
    assert len(found) >= len(asked)
    return found


def test_any_two_lines_of_a_shipped_chart_are_told_apart(figures):
    many = 0
    for theme, figure in figures:
        colours = [trace.line.color for trace in lines_of(figure).values()]
        coloured = [one for one in colours if one != theme.rest]
        assert len(colours) - len(coloured) <= 1  # grey is an accelerator that is not stated, or a processor
        for one, other in combinations(coloured, 2):
            assert distance(one, other) >= LEAST_DISTANCE, (one, other)
        assert all(distance(one, theme.rest) >= LEAST_DISTANCE for one in coloured)
        many = max(many, len(coloured))
    assert many >= 9


def test_what_marks_is_seen_and_what_is_written_can_be_read(figures):
    for theme, figure in figures:
        for trace in figure.data:
            if trace.mode == "lines+markers":
                assert contrast(trace.line.color, theme.background) >= MARK_CONTRAST
            if trace.mode in ("text", "markers+text"):
                assert contrast(trace.textfont.color, theme.background) >= TEXT_CONTRAST
            if trace.mode == "markers" and isinstance(trace.marker.color, str) and trace.legendgroup:
                opacities = trace.marker.opacity if isinstance(trace.marker.opacity, tuple) else ()
                for opacity in set(opacities):
                    seen = mixed(theme.background, trace.marker.color, opacity)
                    assert contrast(seen, theme.background) >= MARK_CONTRAST
        for note in figure.layout.annotations:
            assert contrast(note.font.color or figure.layout.font.color, theme.background) >= TEXT_CONTRAST


@THEMES
def test_the_words_of_a_chart_can_be_read(theme):
    assert all(contrast(one, theme.background) >= TEXT_CONTRAST for one in (theme.text, theme.muted))
    assert contrast(theme.rest, theme.background) >= MARK_CONTRAST


@THEMES
def test_the_palette_of_other_fields_is_told_apart(theme):
    palette = chart.PALETTES[theme.name]
    for one, other in combinations((*palette, theme.rest), 2):
        assert distance(one, other) >= LEAST_DISTANCE
    assert all(contrast(one, theme.background) >= MARK_CONTRAST for one in palette)
    given = chart.colours("engine", [str(place) for place in range(12)], theme)
    assert list(given.values()) == [*palette, theme.rest, theme.rest]


@THEMES
def test_the_leaders_keep_their_colour_and_the_rest_turns_grey(theme):
    colours = dict.fromkeys("abc", chart.PALETTES[theme.name][1])
    assert told_apart(colours, theme) == {"a": colours["a"], "b": theme.rest, "c": theme.rest}


@THEMES
@pytest.mark.parametrize("colour", ["#ffee00", "#000080", "#777777"])
def test_ink_and_faint_marks_go_as_far_as_they_must(theme, colour):
    assert contrast(ink(colour, theme), theme.background) >= TEXT_CONTRAST
    assert 0.5 < faint(colour, theme) <= 1
    assert ink(theme.text, theme) == theme.text
