"""The charts of a comparison: the ratio of each pair and metric as a heatmap, or both sides' frontiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.basis.document import records
from bench.catalogue import Metric
from bench.chart import Theme, texts
from bench.chart.colouring import of_ratios
from bench.chart.traces import marker, scatter, stroke
from bench.maths import pareto
from bench.plain_text import html
from bench.questions.compare.result import Comparison, MetricRatio
from bench.wording import counted, number

ROW_PX, TOP_PX, BOTTOM_PX = 34, 118, 30
MOST_ROWS = 36
"""So many pairs are drawn, spread over all; the table has every one."""

MARKS = {"faster": "▲", "slower": "▼", "same": "=", "unknown": "?"}
HEIGHT = 520
PHONE_PX, MOST_COLUMNS = 700, 5
MOST_TIMES = 8.0
"""Beyond so many times colours tell no more."""

APART: dict[str, Callable[[Any], str]] = {
    "model": lambda value: chart.value_label("model", value),
    "precision": lambda value: str(value).upper(),
    "accelerators": lambda value: counted(int(value), "chip"),
    "tp": lambda value: f"tp {value:.0f}",
}
"""What besides workload and load tells pairs apart, and how it is written."""


def draw(found: Comparison, theme: Theme) -> go.Figure:
    """The chart of an answer; an empty one says so."""
    if not found.metrics:
        return chart.empty("No two points can be compared here.", theme)
    return _frontiers(found, theme) if found.show == "frontiers" else _heatmap(found, theme)


def _heatmap(found: Comparison, theme: Theme) -> go.Figure:
    """A row for each pair, a column for each metric: blue where B is faster, the ratio and its verdict in the cell."""
    rows, drawn = _shown(found.pairs), _drawn(found.metrics)
    metrics, names = [one.metric for one in drawn], _names(rows)
    kept = found.pairs[found.pairs["pair"].isin(rows["pair"]) & found.pairs["metric"].isin(metrics)]
    lower = np.array([catalogue.metric(key).better == "lower" for key in kept["metric"]])
    ratio = kept["b_over_a"].to_numpy(dtype=float)
    speed = np.clip(np.where(lower, 1 / ratio, ratio), 1 / MOST_TIMES, MOST_TIMES)
    colouring = of_ratios(speed, "higher", theme)
    place = {pair: at for at, pair in enumerate(rows["pair"])}
    z, text = np.full((len(rows), len(metrics)), np.nan), np.full((len(rows), len(metrics)), "", dtype=object)
    hover = text.copy()
    for at, row in enumerate(kept.to_dict("records")):
        cell = place[row["pair"]], metrics.index(str(row["metric"]))
        mark = f" {MARKS[str(row['verdict'])]}" if row["b_over_a_low"] == row["b_over_a_low"] else ""
        z[cell], text[cell] = speed[at], f"{float(ratio[at]):.3g}{mark}"
        hover[cell] = _said(row, names[cell[0]])
    # Names over two lines, so that a phone has room for cells beside them.
    sides = {"x": [_heading(one.row) for one in drawn], "y": [name.replace(", ", "<br>", 1) for name in names]}
    height = TOP_PX + BOTTOM_PX + ROW_PX * max(len(rows), 3)
    cells = colouring.cells(z, text.tolist(), hover, coloraxis="coloraxis", textfont={"size": 12}, **sides)
    look = chart.look_of_axis(theme)
    fixed = {"showgrid": False, "fixedrange": True, "title": {"text": ""}}
    layout = {
        **chart.look(theme, height=height),
        "margin": {"l": 8, "r": 8, "t": TOP_PX, "b": BOTTOM_PX},
        "coloraxis": colouring.axis(theme, y=1 - 30 / height),
        "xaxis": {**look, **fixed, "side": "top", "tickangle": 0, "automargin": False, "tickfont": {"size": 10.5}},
        "yaxis": {**look, **fixed, "autorange": "reversed", "automargin": True, "tickfont": {"size": 11}},
        "dragmode": False,
        "annotations": [_key(found, theme, len(rows))],
    }
    return go.Figure({"data": [cells], "layout": layout})


def _drawn(metrics: tuple[MetricRatio, ...]) -> list[MetricRatio]:
    """The metrics with a column: the headline's, latencies, then other throughputs, as many as a phone has room for."""
    first, *others = metrics
    others.sort(key=lambda one: one.row.kind != "latency")
    return [first, *others][:MOST_COLUMNS]


def _shown(pairs: pd.DataFrame) -> pd.DataFrame:
    """The pairs that are drawn, in the order of their workloads and loads."""
    every = pairs.drop_duplicates("pair").sort_values("pair")
    return every if len(every) <= MOST_ROWS else every.iloc[np.linspace(0, len(every) - 1, MOST_ROWS).astype(int)]


def _names(rows: pd.DataFrame) -> list[str]:
    """What each row is of: the load, and what else differs; those alike are numbered."""
    varied = {key for key in ("isl", "osl", *APART) if key in rows and rows[key].nunique(dropna=False) > 1}
    if (rows["accelerators"] == rows["tp"]).all():
        varied -= {"accelerators"}
    seen: dict[str, int] = {}
    names = []
    for facts in records(rows):
        isl, osl = facts.get("isl"), facts.get("osl")
        lengths = f"{number(isl)}/{number(osl)}" if varied & {"isl", "osl"} and isl and osl else ""
        load = chart.workload_words({**facts, "isl": None, "osl": None})
        parts = [
            lengths,
            load,
            *(write(facts[key]) for key, write in APART.items() if key in varied and facts.get(key)),
        ]
        words = ", ".join(part for part in parts if part) or "all"
        seen[words] = seen.get(words, 0) + 1
        names.append(html(words if seen[words] == 1 else f"{words} · {seen[words]}"))
    return names


def _said(row: Mapping[Any, Any], name: str) -> str:
    """What a cell says under the pointer."""
    metric = catalogue.metric(str(row["metric"]))
    lines = [f"<b>{name}</b>", html(metric.axis), f"A {number(row['a_value'])}, B {number(row['b_value'])}"]
    if row["b_over_a_low"] == row["b_over_a_low"]:
        lines.append(f"B / A {row['b_over_a']:.3g}, 95 % {row['b_over_a_low']:.3g} to {row['b_over_a_high']:.3g}")
        lines.append(f"from {html(str(row['interval_from']))}: B is {html(str(row['verdict']))}")
    else:
        lines.append(f"B / A {row['b_over_a']:.3g}, how surely is not known")
    return "<br>".join(lines)


def _heading(metric: Metric) -> str:
    """A metric's name over two lines, short where a column is no wider than "Request"."""
    words = html(metric.label).replace(",", "").split(" ")
    half = max(1, (len(words) + 1) // 2)
    wide = " ".join(words[:half]), " ".join(words[half:])
    over = {"throughput": "/s", "per_accelerator": "/s/chip", "per_user": "/s/user"}.get(metric.kind)
    narrow = (words[0], over) if over else wide
    return "<br>".join(texts.by_width(both, (0, PHONE_PX)) for both in zip(narrow, wide, strict=True))


def _key(found: Comparison, theme: Theme, rows: int) -> dict[str, Any]:
    """What colours and marks mean."""
    every = found.pairs["pair"].nunique()
    some = f", {rows} of {every:,} pairs" if rows < every else ""
    marks = " · ▲ faster ▼ slower = same ? unknown" if found.pairs["b_over_a_low"].notna().any() else ""
    text = f"B / A{some} · blue: B is faster{marks}"
    return texts.text_at(text, 0, 1, "paper paper", shift=(0, TOP_PX - 24), colour=theme.muted)


def _frontiers(found: Comparison, theme: Theme) -> go.Figure:
    """The points of both sides, each side's frontier as a line."""
    places = found.curves
    if not len(places):
        return chart.empty("No workload has a latency and a throughput on both sides.", theme)
    x, y = catalogue.metric(str(places["across"].iloc[0])), catalogue.metric(str(places["up"].iloc[0]))
    figure = chart.layout(go.Figure(), theme, height=HEIGHT)
    figure.add_traces([*_lines(found, places, x.better, y.better, theme)])
    isl, osl = places["isl"].iloc[0], places["osl"].iloc[0]
    at = f" at {number(float(isl))}/{number(float(osl))}" if isl == isl and osl == osl and isl and osl else ""
    figure.update_layout(margin_t=30, hovermode="closest", legend={"orientation": "h", "y": -0.18, "x": 0})
    figure.update_xaxes(title_text=f"{html(x.axis)}{at}")
    figure.update_yaxes(title_text=html(y.axis), rangemode="tozero")
    return figure


def _lines(found: Comparison, places: pd.DataFrame, across: Any, up: Any, theme: Theme) -> Iterator[dict[str, Any]]:
    shades = chart.colours("side", ["b", "a"], theme)
    for key, side, dash, symbol in (("a", found.a, "dash", "circle-open"), ("b", found.b, "solid", "circle")):
        own = places[places["side"] == key].reset_index(drop=True)
        line = pareto.frontier(own["x"], own["y"], across, up, own["point_id"].tolist())
        loads = records(own[["concurrency", "request_rate", "batch"]])
        said = [html(chart.workload_words(load)) for load in loads]
        name = f"{key.upper()}: {html(side.label if side else '')}"
        best = own.iloc[line]
        yield scatter(best["x"], best["y"], showlegend=False, legendgroup=key, line=stroke(shades[key], 2, dash))
        told: dict[str, Any] = {
            "hovertemplate": f"<b>{name}</b><br>%{{text}}<br>%{{x:,.4g}} · %{{y:,.4g}}<extra></extra>"
        }
        told |= {"text": said, "customdata": [[id] for id in own["point_id"]]}
        look = marker(symbol, 9, shades[key], 1.6)
        yield scatter(own["x"], own["y"], told, name=name, legendgroup=key, marker=look)
