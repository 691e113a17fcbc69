"""The matrix of models and accelerators: how many measured points there are of each pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme, colouring, value_label
from bench.plain_text import html

STOPS = {"light": ("#e6edf3", "#8fb4d0", "#0b4a7c"), "dark": ("#1d2a36", "#33668c", "#8fcbf5")}
"""One quiet hue: the matrix says how much is there, not how good it is."""

ROW, ROOM = 24, 195
"""Pixels for one model, and for the accelerators' names and the margins."""


def draw(rows: pd.DataFrame, theme: Theme) -> go.Figure:
    """A cell for each model and accelerator with its measured points, blank where nothing was ever measured.

    A number in brackets counts points that are not measured, where there are no others.
    """
    models = list(dict.fromkeys(_labels("model", rows)))
    chips = _most_first(rows)
    figure = chart.layout(go.Figure(), theme, height=max(240, ROW * len(models) + ROOM))
    if rows.empty:
        return figure
    counts = np.full((len(models), len(chips)), np.nan)
    hover = np.full(counts.shape, "", dtype=object)
    placed = zip(rows.to_dict("records"), _labels("model", rows), _labels("accelerator", rows), strict=True)
    bracketed = []
    for row, model, chip in placed:
        place = models.index(model), chips.index(chip)
        newest = "" if pd.isna(row["newest"]) else f"<br>newest {str(row['newest'])[:10]}"
        others = f"<br>{row['other_evidence']:,} not measured" if row["other_evidence"] else ""
        hover[place] = (
            f"<b>{html(model)}</b><br>{html(chip)}<br>{row['measured']:,} measured points, {row['series']:,} series,"
            f" {row['sources']:,} sources{others}{newest}"
        )
        if row["measured"]:
            counts[place] = row["measured"]
        else:
            bracketed.append((model, chip, f"({row['other_evidence']:,})"))
    _add_cells(figure, models, chips, counts, hover, theme)
    _add_text(figure, bracketed, theme.muted)
    figure.update_xaxes(
        title_text="Accelerator (the number in a cell counts measured points)",
        title_font_size=13,
        type="category",
        tickangle=-45,
        showgrid=False,
        side="bottom",
        range=[-0.5, len(chips) - 0.5],
    )
    figure.update_yaxes(type="category", autorange="reversed", showgrid=False, ticks="", showline=False)
    figure.update_layout(margin={"t": 8, "b": 130, "l": 150}, showlegend=False, uirevision="overview")
    return figure


def _add_cells(figure: go.Figure, models: list[str], chips: list[str], counts: np.ndarray, hover: np.ndarray,
               theme: Theme) -> None:  # fmt: skip
    filled = ~np.isnan(counts)
    if not filled.any():
        return
    scale = replace(colouring.of_values(counts[filled], "higher", log=True), stops=STOPS[theme.name])
    written = np.where(filled, np.vectorize(lambda count: f"{count:,.0f}")(np.nan_to_num(counts)), "")
    figure.add_trace(
        {"type": "heatmap", "x": _safe(chips), "y": _safe(models), "z": scale.of(counts), "zmin": scale.low,
         "zmax": scale.high, "text": written, "texttemplate": "%{text}", "customdata": hover,
         "hovertemplate": "%{customdata}<extra></extra>", "hoverongaps": False, "xgap": 2, "ygap": 2,
         "showscale": False,
         "colorscale": [[place / (len(scale.stops) - 1), stop] for place, stop in enumerate(scale.stops)]}
    )  # fmt: skip


def _add_text(figure: go.Figure, cells: list[tuple[str, str, str]], colour: str) -> None:
    if cells:
        figure.add_trace(
            go.Scatter(x=_safe([cell[1] for cell in cells]), y=_safe([cell[0] for cell in cells]), mode="text",
                       text=[cell[2] for cell in cells], textfont={"size": 10.5, "color": colour}, hoverinfo="skip")
        )  # fmt: skip


def _labels(field: str, rows: pd.DataFrame) -> list[str]:
    return [
        value_label(field, value) for value in rows[field].astype(object).where(rows[field].notna(), None)
    ]


def _most_first(rows: pd.DataFrame) -> list[str]:
    """The accelerators' labels, those with the most measured points first."""
    labels = pd.Series(_labels("accelerator", rows), index=rows.index, dtype=object)
    totals = rows["measured"].groupby(labels).sum().sort_index().sort_values(ascending=False, kind="stable")
    return [str(label) for label in totals.index]


def _safe(labels: list[str]) -> list[str]:
    return [html(label) for label in labels]
