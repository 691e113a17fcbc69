"""Two columns of any table as a chart: bars where x is words with one row each, markers elsewhere.

Bars begin at zero, so values that lie close together are markers as well: their differences would not be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from pandas.api import types

from bench import catalogue, chart
from bench.chart import MARKERS, Theme
from bench.chart.axis import MOST_TICKS, doubling_ticks, title_lines
from bench.plain_text import html

MOST_BARS = 60
"""Words on the x axis beyond which they cannot be read."""

MOST_COLOURS = 10
DRAWN_AS_SVG = 3_000
DOUBLING = frozenset({"isl", "osl", "concurrency", "batch", "accelerators", "context_tokens", "tp", "users"})
"""Columns that sweeps double from step to step; over three doublings and more their axis is logarithmic."""

NAMED = ("accelerator", "engine", "model")
CLOSE = 0.8
"""A least value beyond this share of the greatest makes bars of nearly one height."""


@dataclass(frozen=True)
class Columns:
    """What a table's columns can be in a chart; numbers and days for an axis, words with few values for colour."""

    x: tuple[str, ...]
    y: tuple[str, ...]
    colour: tuple[str, ...]


@dataclass(frozen=True)
class ChartColumns:
    """The columns of a chart; `colour` None for one colour."""

    x: str
    y: str
    colour: str | None = None


def columns(rows: pd.DataFrame) -> Columns:
    """What each column of these rows can be."""
    usable = [str(name) for name in rows if rows[name].notna().any()]
    plain = [name for name in usable if _is_number(rows[name]) or _is_day(rows[name]) or _is_word(rows[name])]
    return Columns(
        x=tuple(plain),
        y=tuple(name for name in plain if _is_number(rows[name])),
        colour=tuple(name for name in plain if _is_word(rows[name]) and 1 < rows[name].nunique() <= MOST_COLOURS),
    )


def chosen(rows: pd.DataFrame, wanted: Mapping[str, str]) -> ChartColumns | None:
    """The columns asked for as x, y and colour, the rest as suits the rows; None when they have nothing to draw."""
    can = columns(rows)
    if len(rows) < 2 or not can.y or len(can.x) < 2:
        return None
    y_asked = wanted.get("y") if wanted.get("y") in can.y else None
    x = (
        wanted["x"]
        if wanted.get("x") in can.x and wanted["x"] != y_asked
        else next(name for name in can.x if name != y_asked)
    )
    left = [name for name in can.y if name != x]
    if not left:
        return None
    # A column that is measured rather than counted, where there is one.
    y = y_asked or next((name for name in left if types.is_float_dtype(rows[name].dtype)), left[0])
    colour = wanted.get("colour")
    if colour not in can.colour:
        colour = None if colour == "" else _first_colour(can, x)
    return ChartColumns(x, y, colour)


def figure(rows: pd.DataFrame, of: ChartColumns, theme: Theme) -> go.Figure:
    """The chart of two columns of these rows; rows that lack one of them are left out."""
    wanted = list(dict.fromkeys(name for name in (of.x, of.y, of.colour) if name))
    drawn = rows[wanted].dropna(subset=[of.x, of.y])
    words = _is_word(drawn[of.x])
    if words:
        drawn = drawn[drawn[of.x].isin(drawn[of.x].drop_duplicates().head(MOST_BARS))]
    as_bars = (
        words and _is_spread(drawn[of.y]) and not drawn.duplicated([name for name in wanted if name != of.y]).any()
    )
    figure = chart.layout(go.Figure(), theme)
    for name, part, colour, marker in _parts(drawn, of.colour, theme):
        figure.add_trace(_trace(part, of, name, colour, marker, as_bars=as_bars))
    if not figure.data:
        return chart.empty("No row has both columns.", theme)
    figure.update_xaxes(**_x_axis(drawn[of.x], of.x))
    figure.update_yaxes(
        title_text=title_lines(_title(of.y)), tickformat=_numbers(of.y), rangemode="tozero" if as_bars else "normal"
    )
    figure.update_layout(
        barmode="group", bargap=0.25, showlegend=of.colour is not None, legend={"y": 1.02, "yanchor": "bottom"}
    )
    return figure


def left_out(rows: pd.DataFrame, of: ChartColumns) -> int:
    """How many words of x the chart leaves out."""
    column = rows.dropna(subset=[of.x, of.y])[of.x]
    return max(0, column.nunique() - MOST_BARS) if _is_word(column) else 0


def _trace(
    part: pd.DataFrame, of: ChartColumns, name: str, colour: str, marker: str, *, as_bars: bool
) -> dict[str, Any]:
    words = _is_word(part[of.x])
    x = [chart.value_label(of.x, value) for value in part[of.x]] if words else part[of.x].tolist()
    about = html(f"{name}: ") if name else ""
    hover = f"{about}%{{x}}<br>{html(_title(of.y))}: <b>%{{y:,.4~g}}</b><extra></extra>"
    common: dict[str, Any] = {"x": [html(label) for label in x] if words else x, "y": part[of.y].astype(float).tolist()}
    common |= {"name": html(name), "hovertemplate": hover}
    if as_bars:
        return {**common, "type": "bar", "marker": {"color": colour}}
    look = {"color": colour, "size": 8, "symbol": marker, "opacity": 0.9}
    return {**common, "type": "scattergl" if len(part) > DRAWN_AS_SVG else "scatter", "mode": "markers", "marker": look}


def _parts(drawn: pd.DataFrame, colour: str | None, theme: Theme) -> list[tuple[str, pd.DataFrame, str, str]]:
    """The rows of each value of the colour column with its words, its colour and its marker."""
    if drawn.empty:
        return []
    if colour is None:
        return [("", drawn, chart.PALETTES[theme.name][0], MARKERS[0])]
    values = [str(value) for value in drawn[colour].dropna().drop_duplicates()]
    colours = chart.colours(colour, values, theme)
    parts = [
        (
            chart.value_label(colour, value),
            drawn[drawn[colour].astype("string") == value],
            colours[value],
            chart.engine_marker(value) if colour == "engine" else MARKERS[place % len(MARKERS)],
        )
        for place, value in enumerate(values)
    ]
    unstated = drawn[drawn[colour].isna()]
    return parts if unstated.empty else [*parts, ("not stated", unstated, theme.muted, MARKERS[0])]


def _x_axis(column: pd.Series[Any], name: str) -> dict[str, Any]:
    title = {"title_text": title_lines(_title(name))}
    if _is_word(column):
        return {**title, "type": "category"}
    if _is_day(column):
        return {**title, "type": "date"}
    values = sorted(set(column.astype(float)))
    if name not in DOUBLING or values[0] <= 0 or values[-1] / values[0] < 8:
        return {**title, "type": "linear", "tickformat": _numbers(name)}
    ticks = values if len(values) <= MOST_TICKS else doubling_ticks(values[0], values[-1])
    return {**title, "type": "log", "tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]}


def _numbers(name: str) -> str:
    """How plotly writes the numbers of a column at an axis."""
    return ",~%" if catalogue.is_share(name) else ",~g"


def _is_spread(column: pd.Series[Any]) -> bool:
    values = column.astype(float)
    return bool(values.min() < CLOSE * values.max())


def _title(name: str) -> str:
    """A metric's or a known column's words with its unit; any other column as the query calls it."""
    known = catalogue.is_metric(name) or name in chart.COLUMN_TITLES
    return chart.title(name) if known else name


def _first_colour(can: Columns, x: str) -> str | None:
    others = [name for name in can.colour if name != x]
    return next((name for name in NAMED if name in others), others[0] if others else None)


def _is_number(column: pd.Series[Any]) -> bool:
    return types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype)


def _is_day(column: pd.Series[Any]) -> bool:
    return types.is_datetime64_any_dtype(column.dtype)


def _is_word(column: pd.Series[Any]) -> bool:
    return types.is_string_dtype(column.dtype) or types.is_bool_dtype(column.dtype)
