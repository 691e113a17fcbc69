"""The matrix of accelerators and models: how many measured points there are of each pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme, colouring, value_label
from bench.chart.texts import text_at
from bench.chart.traces import HOVER, marker, scatter
from bench.plain_text import html
from bench.questions.overview.result import MatrixCell, Overview
from bench.view import View

STOPS = {"light": ("#e6edf3", "#8fb4d0", "#0b4a7c"), "dark": ("#1d2a36", "#33668c", "#8fcbf5")}
"""One quiet hue: the matrix says how much is there, not how good it is."""

ROW, ROOM = 22, 150
"""Pixels for one accelerator, and for the models' names and the margins."""

MEASURED = "The number in a cell counts measured points; a click opens the page that compares them"

NAME_PX = 128
"""Room for the longest name of an accelerator."""


def figure(result: Overview, theme: Theme) -> go.Figure:
    """A cell for each accelerator and model with its measured points, blank where nothing was ever measured.

    A number in brackets counts points that are not measured, where there are no others.
    """
    pairs = result.pairs
    models, chips = list(dict.fromkeys(map(_model, pairs))), _most_first(pairs)
    drawn = chart.layout(go.Figure(), theme, height=max(240, ROW * len(chips) + ROOM))
    if pairs:
        _add_cells(drawn, pairs, models, chips, theme)
        _label(drawn, models, chips)
    return drawn


def opens(pair: MatrixCell) -> str:
    """What a click in a cell is told by: the query of a View of its model and accelerator; "" where one is unknown."""
    if not (pair.model and pair.accelerator):
        return ""
    return View.of({"model": [pair.model], "accelerator": [pair.accelerator]}).query()


def _label(drawn: go.Figure, models: list[str], chips: list[str]) -> None:
    """Name every column above it and every row beside it, however narrow the chart."""
    bare = {"type": "category", "showgrid": False, "ticks": "", "showline": False, "automargin": False}
    common = {**bare, "tickmode": "linear", "dtick": 1, "tickfont": {"size": 12}}
    drawn.update_xaxes(**common, side="top", tickangle=-60, range=[-0.5, len(models) - 0.5])
    drawn.update_yaxes(**common, ticklabelstandoff=8, range=[len(chips) - 0.5, -0.5])
    margin = {"t": ROOM - 24, "b": 24, "l": NAME_PX, "r": 64}
    drawn.update_layout(margin=margin, showlegend=False, uirevision="overview")
    drawn.add_annotation(text_at(MEASURED, 0, 0, "paper paper", "left top", shift=(0, -4), size=11))


def _add_cells(
    drawn: go.Figure, pairs: Sequence[MatrixCell], models: list[str], chips: list[str], theme: Theme
) -> None:
    """Colour the cells with measured points, write the numbers, and lay over each a marker that is not seen.

    A heatmap's own cells cannot be clicked; a marker is clicked by the query of where its cell leads.
    """
    counts = np.full((len(chips), len(models)), np.nan)
    for pair in pairs:
        counts[chips.index(_chip(pair)), models.index(_model(pair))] = pair.measured or np.nan
    scale = replace(colouring.of_values(counts[~np.isnan(counts)], "higher", log=True), stops=STOPS[theme.name])
    shown = {"zmin": scale.low, "zmax": scale.high, "colorscale": list(scale.stops), "showscale": False}
    grid = {"x": [html(one) for one in models], "y": [html(one) for one in chips], "xgap": 2, "ygap": 2}
    drawn.add_trace(go.Heatmap(z=scale.of(counts), hoverinfo="skip", **shown, **grid))
    dark = scale.dark_ink(np.array([pair.measured or 1.0 for pair in pairs]))
    inks = [colouring.DARK_INK if one else colouring.LIGHT_INK for one in dark]
    colours = [ink if pair.measured else theme.muted for ink, pair in zip(inks, pairs, strict=True)]
    texts = [f"{pair.measured:,}" if pair.measured else f"({pair.other_evidence:,})" for pair in pairs]
    xs, ys = [html(_model(pair)) for pair in pairs], [html(_chip(pair)) for pair in pairs]
    drawn.add_trace(scatter(xs, ys, mode="text", text=texts, textfont={"size": 11, "color": colours}))
    told = {"hovertext": [_hover(pair) for pair in pairs], "hovertemplate": HOVER}
    told |= {"customdata": [opens(pair) for pair in pairs]}
    unseen = {"marker": {"opacity": 0}}
    look = {"marker": marker("square", ROW, theme.muted, 0, 0), "selected": unseen, "unselected": unseen}
    drawn.add_trace(scatter(xs, ys, told, **look))


def _hover(pair: MatrixCell) -> str:
    others = f"<br>{pair.other_evidence:,} not measured" if pair.other_evidence else ""
    newest = f"<br>newest {pair.newest}" if pair.newest else ""
    return (
        f"<b>{html(_model(pair))}</b><br>{html(_chip(pair))}<br>{pair.measured:,} measured points,"
        f" {pair.series:,} series, {pair.sources:,} sources{others}{newest}"
    )


def _model(pair: MatrixCell) -> str:
    return value_label("model", pair.model)


def _chip(pair: MatrixCell) -> str:
    return value_label("accelerator", pair.accelerator)


def _most_first(pairs: Sequence[MatrixCell]) -> list[str]:
    """The accelerators' labels, those with the most measured points first."""
    totals: Counter[str] = Counter()
    for pair in sorted(pairs, key=_chip):
        totals[_chip(pair)] += pair.measured
    return [label for label, _ in totals.most_common()]
