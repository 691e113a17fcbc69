"""How every chart looks: axes with units, colour for accelerator, marker for engine, open markers for not measured.

Colour means accelerator family and shade its generation (data/accelerators.csv); marker shape means engine
(data/engines.csv). A chart follows the theme it is drawn for and loads nothing from anywhere.
"""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import plotly.graph_objects as go

from bench import catalogue, names
from bench.plain_text import html
from bench.wording import number, share

OKABE_ITO = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#CC79A7",
    "#56B4E9",
    "#B8A800",
    "#7F7F7F",
    "#5B53B5",
    "#A3405F",
)
"""Okabe and Ito's colour-blind-safe set, its yellow darkened, grey and two more to make ten."""

PALETTES = {
    "light": ("#037288", "#c88203", "#069f72", "#de4606", "#c877a7", "#0579fe", "#7d7c02", "#6a4124", "#6148ad",
              "#9e3c5a"),
    "dark": ("#0158f5", "#d89310", "#1d9f74", "#e55702", "#d884bc", "#56b2e6", "#bbbe09", "#845f39", "#9e3baf",
             "#b14e61"),
}  # fmt: skip
"""That set for lines of each theme, moved apart until any two and the grey differ by 20 in CIEDE2000."""

MARKERS = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross", "x", "pentagon", "hexagon", "star")

FONT = "Source Sans, Source Sans Pro, sans-serif"
"""The app's own typeface, so that charts and text are of one page."""

LABELLED_LINES = 8
"""Up to this many lines are labelled at their end; more take a legend."""

CONFIG = {
    "displaylogo": False,
    "plotlyServerURL": "",
    "modeBarButtonsToRemove": ["sendChartToCloud", "lasso2d", "autoScale2d", "toImage"],
}
"""plotly.js settings for every chart: nothing is sent anywhere; plotly's own image would lack headline and link."""


@dataclass(frozen=True)
class Theme:
    """The colours a chart is drawn in."""

    name: str
    text: str
    muted: str
    grid: str
    background: str
    frontier: str
    rest: str
    """Of lines that no colour is left for."""


LIGHT = Theme(
    "light", text="#1c2733", muted="#667481", grid="#e3e7eb", background="#ffffff", frontier="#1c2733", rest="#919191"
)
DARK = Theme(
    "dark", text="#e8edf2", muted="#98a5b1", grid="#2a333c", background="#14171b", frontier="#e8edf2", rest="#7c7c7c"
)


def theme(name: str | None) -> Theme:
    """The theme with this name; the light one for anything else."""
    return DARK if name == "dark" else LIGHT


def accelerator_colour(slug: str | None, theme: Theme) -> str:
    """The colour of an accelerator on this theme; the muted colour when it is not stated or has none."""
    row = names.accelerator(slug) if slug else None
    colour = (row.colour_dark if theme.name == "dark" else row.colour_light) if row else None
    return colour or theme.muted


def colours(field: str, values: Sequence[str], theme: Theme) -> dict[str, str]:
    """A colour for each value of a field: the accelerators' own, or ten colour-blind-safe ones, grey for the rest."""
    if field == "accelerator":
        return {value: accelerator_colour(value, theme) for value in values}
    return dict(zip(values, itertools.chain(PALETTES[theme.name], itertools.repeat(theme.rest)), strict=False))


def engine_marker(slug: str | None, *, measured: bool = True) -> str:
    """The plotly symbol of an engine; open when the point was not measured."""
    row = names.engine(slug) if slug else None
    symbol = (row.marker if row else None) or MARKERS[0]
    return symbol if measured else f"{symbol}-open"


def look(theme: Theme, *, height: int = 520) -> dict[str, Any]:
    """The house's look as plotly layout settings, axes apart: no plotly template, room for titles."""
    return {
        "template": "none",
        "height": height,
        "paper_bgcolor": theme.background,
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": theme.text, "size": 13, "family": FONT},
        "margin": {"l": 72, "r": 24, "t": 40, "b": 60},
        "hoverlabel": {
            "bgcolor": theme.background,
            "font": {"color": theme.text, "family": FONT, "size": 12.5},
            "bordercolor": theme.muted,
            "align": "left",
        },
        "legend": {"orientation": "h", "y": -0.18, "x": 0, "title": {"text": ""}},
    }


def layout(figure: go.Figure, theme: Theme, *, height: int = 520) -> go.Figure:
    """The figure with the house's look and quiet grid."""
    figure.update_layout(look(theme, height=height))
    figure.update_xaxes(**look_of_axis(theme))
    figure.update_yaxes(**look_of_axis(theme))
    return figure


def look_of_axis(theme: Theme) -> dict[str, Any]:
    """The house's look as settings of a plotly axis."""
    return {
        "gridcolor": theme.grid,
        "linecolor": theme.muted,
        "zeroline": False,
        "ticks": "outside",
        "tickcolor": theme.muted,
        "title": {"standoff": 12},
        "automargin": True,
        "exponentformat": "none",
        "separatethousands": True,
    }


AT_THE_LEFT = {"orientation": "h", "x": 0, "xanchor": "left", "yanchor": "bottom", "traceorder": "normal"}
LINES_LEGEND = {
    **AT_THE_LEFT,
    "y": 1.01,
    "font": {"size": 12},
    "title": {"text": ""},
    "itemclick": "toggleothers",
    "itemdoubleclick": "toggle",
    "groupclick": "togglegroup",
}
"""plotly's legend of a chart's lines, above them: a click shows that line alone, another click all of them again.

What belongs to a line, its markers and its name, is in its legend group and comes and goes with it.
"""

KEYS_LEGEND = {
    **AT_THE_LEFT,
    "y": 0,
    "yref": "container",
    "font": {"size": 11},
    "title": {"text": ""},
    "itemclick": False,
    "itemdoubleclick": False,
}
"""plotly's second legend, below the chart: what shapes and dashes mean; nothing to click."""

KEY_LETTERS = 14


def key_lines(name: str) -> str:
    """A name in the legend of shapes, in lines short enough for two columns on a phone."""
    return "<br>".join(html(line) for line in textwrap.wrap(name, KEY_LETTERS, break_long_words=False))


def key(name: str, **look: Any) -> dict[str, Any]:
    """A trace that only adds an entry to KEYS_LEGEND."""
    return {"type": "scatter", "x": [None], "y": [None], "name": name, "hoverinfo": "skip", "legend": "legend2", **look}


def marker_key(name: str, symbol: str, theme: Theme, *, size: float = 8, opacity: float = 1) -> dict[str, Any]:
    """What a shape means, as an entry of KEYS_LEGEND."""
    look = {"symbol": symbol, "size": size, "opacity": opacity, "color": theme.muted}
    return key(key_lines(name), mode="markers", marker={**look, "line": {"width": 1.5, "color": theme.muted}})


def axes_layout(theme: Theme, x: dict[str, Any], y: dict[str, Any], *, height: int) -> dict[str, Any]:
    """The layout of a chart of lines and points over two axes with these settings, both legends with it."""
    look_of_both = look(theme, height=height)
    return {
        **look_of_both,
        "hovermode": "closest",
        "margin": {**look_of_both["margin"], "t": 28},
        "xaxis": {**look_of_axis(theme), **x},
        "yaxis": {**look_of_axis(theme), **y},
        "legend": LINES_LEGEND,
        "legend2": KEYS_LEGEND,
    }


EMPTY_HEIGHT = 120


def empty(text: str, theme: Theme) -> go.Figure:
    """A figure without points that says in their place why."""
    figure = layout(go.Figure(), theme, height=EMPTY_HEIGHT)
    figure.update_layout(margin={"t": 16, "b": 16})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_trace({"type": "scatter", "x": [], "y": [], "showlegend": False})
    figure.add_annotation(text=text, showarrow=False, font={"color": theme.muted, "size": 15})
    return figure


COLUMN_TITLES = {row["column"]: row["title"] for row in names.table("dictionary.csv") if row["title"]}


def title(key: str) -> str:
    """The words for a metric (label and unit) or a column of a point."""
    if catalogue.is_metric(key):
        return catalogue.metric(key).axis
    return COLUMN_TITLES.get(key, key.replace("_", " ").capitalize())


def value_label(field: str, value: Any) -> str:
    """The words for a value of a column: display names for slugs, separated thousands for numbers."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "not stated"
    if field in {"accelerator", "model", "engine"}:
        return names.display_name(field, str(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        return share(float(value)) if catalogue.is_share(field) else number(float(value))
    return str(value)


SETTINGS = {
    "isl": ("{} token in", "{} tokens in"),
    "osl": ("{} token out", "{} tokens out"),
    "accelerators": ("{} chip", "{} chips"),
    "request_rate": ("{} request/s", "{} requests/s"),
    "concurrency": ("concurrency {}",),
    "batch": ("batch {}",),
    "tp": ("tp {}",),
}


def setting(field: str, value: Any) -> str:
    """A value of a column as a sentence names it: "1,024 tokens in", "8 chips", "concurrency 64", "H200 SXM"."""
    words = value_label(field, value)
    if words == "not stated":
        return f"{title(field).split(' (')[0].lower()} not stated"
    forms = SETTINGS.get(field, ("{}",))
    return (forms[0] if value == 1 else forms[-1]).format(words)


HOVER_WIDTH = 84
"""Characters in a line of a hover box."""


def hover_lines(row: dict[str, Any], metrics: Sequence[str]) -> str:
    """A point's hover text: what it is, at which load, its metrics, its evidence and where it comes from."""
    lines = [f"<b>{html(deployment_words(row))}</b>", html(workload_words(row))]
    for key in metrics:
        value = row.get(key)
        if value is not None and not (isinstance(value, float) and math.isnan(value)):
            unit = catalogue.metric(key).unit
            lines.append(f"{html(catalogue.metric(key).label)}: <b>{value_label(key, float(value))}</b> {html(unit)}")
    measured = str(row["date"])[:10] if _stated(row.get("date")) else None
    provenance = [row.get("evidence"), row.get("source"), measured]
    lines.append(html(" · ".join(str(part) for part in provenance if _stated(part))))
    if _stated(row.get("passport")):
        lines.append(_wrapped(str(row["passport"])))
    return "<br>".join(line for line in lines if line)


@lru_cache(maxsize=4096)
def _wrapped(text: str) -> str:
    """The text in lines of a hover box; the points of a source share theirs."""
    return "<br>".join(html(line) for line in textwrap.wrap(text, HOVER_WIDTH))


def deployment_words(row: dict[str, Any]) -> str:
    """A deployment in a few words: model, precision, chips and accelerator, layout, engine, variant."""
    words = []
    if _stated(row.get("model")):
        words.append(value_label("model", row["model"]))
    if _stated(row.get("precision")):
        words.append(str(row["precision"]).upper())
    words.append(hardware_words(row))
    if _stated(row.get("engine")):
        version = f" {row['engine_version']}" if _stated(row.get("engine_version")) else ""
        words.append(value_label("engine", row["engine"]) + version)
    if _stated(row.get("speculation")) and row["speculation"] != "none":
        words.append(f"{str(row['speculation']).upper()} speculation")
    if _stated(row.get("disaggregated")) and row["disaggregated"]:
        words.append("disaggregated")
    if _stated(row.get("variant")):
        words.append(str(row["variant"]))
    return ", ".join(word for word in words if word)


def hardware_words(row: dict[str, Any]) -> str:
    """The hardware and its layout: "8 x H200 SXM (tp 8, ep 8)"."""
    accelerator = value_label("accelerator", row["accelerator"]) if _stated(row.get("accelerator")) else ""
    chips = f"{int(row['accelerators'])} x " if _stated(row.get("accelerators")) and accelerator else ""
    sizes = [f"{key} {int(row[key])}" for key in ("tp", "pp", "dp", "ep") if _stated(row.get(key)) and row[key] > 1]
    layout_words = f" ({', '.join(sizes)})" if sizes else ""
    return f"{chips}{accelerator}{layout_words}"


def workload_words(row: dict[str, Any]) -> str:
    """The workload and load: "1,024 in / 1,024 out, concurrency 64"."""
    words = []
    if _stated(row.get("isl")) or _stated(row.get("osl")):
        words.append(f"{value_label('isl', row.get('isl'))} in / {value_label('osl', row.get('osl'))} out")
    for key, word in (("concurrency", "concurrency"), ("request_rate", "requests/s"), ("batch", "batch")):
        if _stated(row.get(key)):
            words.append(f"{word} {number(float(row[key]))}")
    if row.get("load_kind") in {"saturated", "scenario"}:
        words.append(str(row.get("scenario") if _stated(row.get("scenario")) else row["load_kind"]))
    return ", ".join(words)


def _stated(value: Any) -> bool:
    return value is not None and value == value and value != ""  # NaN is not equal to itself
