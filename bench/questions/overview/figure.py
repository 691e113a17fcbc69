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
from bench.plain_text import html
from bench.questions.overview.result import MatrixCell
from bench.view import View

STOPS = {"light": ("#e6edf3", "#8fb4d0", "#0b4a7c"), "dark": ("#1d2a36", "#33668c", "#8fcbf5")}
"""One quiet hue: the matrix says how much is there, not how good it is."""

ROW, ROOM = 22, 150
"""Pixels for one accelerator, and for the models' names and the margins."""

MEASURED = "The number in a cell counts measured points; a click opens the page that compares them"

NAME_PX = 128
"""Room for the longest name of an accelerator."""


def draw(pairs: Sequence[MatrixCell], theme: Theme) -> go.Figure:
    """A cell for each accelerator and model with its measured points, blank where nothing was ever measured.

    A number in brackets counts points that are not measured, where there are no others.
    """
    models = list(dict.fromkeys(value_label("model", pair.model) for pair in pairs))
    chips = _most_first(pairs)
    figure = chart.layout(go.Figure(), theme, height=max(240, ROW * len(chips) + ROOM))
    if not pairs:
        return figure
    counts = np.full((len(chips), len(models)), np.nan)
    hover = np.full(counts.shape, "", dtype=object)
    bracketed, ways = [], []
    for pair in pairs:
        model, chip = value_label("model", pair.model), value_label("accelerator", pair.accelerator)
        place = chips.index(chip), models.index(model)
        newest = f"<br>newest {pair.newest}" if pair.newest else ""
        others = f"<br>{pair.other_evidence:,} not measured" if pair.other_evidence else ""
        hover[place] = (
            f"<b>{html(model)}</b><br>{html(chip)}<br>{pair.measured:,} measured points, {pair.series:,} series,"
            f" {pair.sources:,} sources{others}{newest}"
        )
        if pair.model and pair.accelerator:
            ways.append((model, chip, opens(pair), hover[place]))
        if pair.measured:
            counts[place] = pair.measured
        else:
            bracketed.append((model, chip, f"({pair.other_evidence:,})"))
    _add_cells(figure, models, chips, counts, hover, theme)
    _add_text(figure, bracketed, theme.muted)
    _add_ways(figure, ways)
    _label(figure, models, chips)
    return figure


def opens(pair: MatrixCell) -> str:
    """What a click in a cell is told by: the query of a View of its model and accelerator; "" where one is unknown."""
    if not (pair.model and pair.accelerator):
        return ""
    return View.of({"model": [pair.model], "accelerator": [pair.accelerator]}).query()


def _label(figure: go.Figure, models: list[str], chips: list[str]) -> None:
    """Name every column above it and every row beside it, however narrow the chart."""
    common = {
        "type": "category",
        "showgrid": False,
        "ticks": "",
        "showline": False,
        "tickmode": "linear",
        "dtick": 1,
        "tickfont": {"size": 12},
        "automargin": False,
    }
    figure.update_xaxes(**common, side="top", tickangle=-60, range=[-0.5, len(models) - 0.5])
    figure.update_yaxes(**common, ticklabelstandoff=8, range=[len(chips) - 0.5, -0.5])
    figure.update_layout(
        margin={"t": ROOM - 24, "b": 24, "l": NAME_PX, "r": 64}, showlegend=False, uirevision="overview"
    )
    figure.add_annotation(text_at(MEASURED, 0, 0, "paper paper", "left top", shift=(0, -4), size=11))


def _add_cells(
    figure: go.Figure, models: list[str], chips: list[str], counts: np.ndarray, hover: np.ndarray, theme: Theme
) -> None:
    filled = ~np.isnan(counts)
    if not filled.any():
        return
    scale = replace(colouring.of_values(counts[filled], "higher", log=True), stops=STOPS[theme.name])
    dark = scale.dark_ink(np.nan_to_num(counts, nan=1.0))
    for ink, inked in ((colouring.DARK_INK, filled & dark), (colouring.LIGHT_INK, filled & ~dark)):
        written = np.where(inked, np.vectorize(lambda count: f"{count:,.0f}")(np.nan_to_num(counts)), "")
        figure.add_trace(
            {"type": "heatmap", "x": _safe(models), "y": _safe(chips), "z": np.where(inked, scale.of(counts), np.nan),
             "zmin": scale.low, "zmax": scale.high, "text": written, "texttemplate": "%{text}",
             "textfont": {"size": 11, "color": ink}, "customdata": hover,
             "hovertemplate": "%{customdata}<extra></extra>", "hoverongaps": False, "xgap": 2, "ygap": 2,
             "showscale": False,
             "colorscale": [[place / (len(scale.stops) - 1), stop] for place, stop in enumerate(scale.stops)]}
        )  # fmt: skip


def _add_text(figure: go.Figure, cells: list[tuple[str, str, str]], colour: str) -> None:
    if cells:
        figure.add_trace(
            go.Scatter(
                x=_safe([cell[0] for cell in cells]),
                y=_safe([cell[1] for cell in cells]),
                mode="text",
                text=[cell[2] for cell in cells],
                textfont={"size": 11, "color": colour},
                hoverinfo="skip",
            )
        )


def _add_ways(figure: go.Figure, ways: Sequence[tuple[str, str, str, str]]) -> None:
    """Lay a marker that is not seen over each cell that leads somewhere: a heatmap's own cells cannot be clicked."""
    x, y, queries, hover = zip(*ways, strict=True) if ways else ((), (), (), ())
    unseen = {"marker": {"opacity": 0}}
    figure.add_trace(
        go.Scatter(
            x=_safe(list(x)),
            y=_safe(list(y)),
            mode="markers",
            customdata=queries,
            hovertext=hover,
            marker={"symbol": "square", "size": ROW, "opacity": 0},
            selected=unseen,
            unselected=unseen,
            hovertemplate="%{hovertext}<extra></extra>",
            showlegend=False,
        )
    )


def _most_first(pairs: Sequence[MatrixCell]) -> list[str]:
    """The accelerators' labels, those with the most measured points first."""
    totals: Counter[str] = Counter()
    for pair in sorted(pairs, key=lambda one: value_label("accelerator", one.accelerator)):
        totals[value_label("accelerator", pair.accelerator)] += pair.measured
    return [label for label, _ in totals.most_common()]


def _safe(labels: list[str]) -> list[str]:
    return [html(label) for label in labels]
