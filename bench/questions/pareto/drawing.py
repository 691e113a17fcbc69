"""The Pareto chart: a faded cloud, a staircase for each frontier, the overall one beneath, knees and limits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import Theme
from bench.chart.axis import Axis, widened
from bench.plain_text import html
from bench.questions.pareto.points import told
from bench.wording import number, quantity

DRAWN_GROUPS = 16
"""So many groups get a line, those with the best y first; the points of the others stay in the cloud."""

DRAWN_AS_SVG = 5_000
"""More points than this are drawn by WebGL, and only frontier points keep the long hover text."""

DRAWN_COLUMNS = ("point_id", "owner", "engine", "evidence", "on_frontier", "on_overall_frontier", "is_knee")
HEIGHT = 580
FADED = 0.3
END_ROOM, NEAR_THE_EDGE = 0.04, 0.75
"""The share of an axis kept free at its end, and from where on a line ends near it."""

PLOT_WIDTH, PLOT_HEIGHT, LETTER, LINE = 950, 430, 7.2, 17
"""About the size of the plot, of a label's letter and of its line, in pixels: enough to keep labels apart."""


def draw(rows: pd.DataFrame, numbers: Mapping[str, Any], theme: Theme) -> go.Figure:
    """The chart of an answer's rows and numbers; an empty one says so."""
    figure = chart.layout(go.Figure(), theme, height=HEIGHT)
    figure.update_layout(uirevision=f"{numbers['x']} {numbers['y']} {numbers['x_log']}", hovermode="closest")
    figure.update_layout(legend={"traceorder": "normal", "font_size": 12, "y": -0.15}, margin_t=24)
    if rows.empty:
        return _empty(figure, theme)
    drawn = numbers["groups"][:DRAWN_GROUPS]
    named = _named(numbers, drawn)
    x, y = _axes(rows, numbers)
    rows = rows[[x.metric.key, y.metric.key, *DRAWN_COLUMNS]].assign(hover=_hover_texts(rows, x, y))
    figure.update_xaxes(**x.settings)
    figure.update_yaxes(**y.settings)
    figure.update_layout(margin_r=_room(rows, named, x))
    shades = _shades(numbers["group"], [group["owner"] for group in drawn], theme)
    if "cloud" in numbers:
        _add_grid(figure, numbers["cloud"], theme)
    else:
        _add_cloud(figure, rows, x, y, shades, theme)
    _add_limits(figure, numbers, x, y, theme)
    if len(drawn) > 1:
        _add_overall(figure, rows, x, y, theme)
    for group in drawn:
        own = rows[rows["on_frontier"] & (rows["owner"] == group["owner"])]
        _add_frontier(
            figure,
            own,
            group,
            x,
            y,
            shades[group["owner"]],
            in_legend=len(named) < len(drawn) and numbers["group"] is not None,
        )
    _add_knees(figure, rows[rows["is_knee"]], x, y, shades)
    _label_ends(figure, rows, named, x, y, shades, theme)
    _add_best(figure, numbers, x, y, theme)
    _add_keys(figure, rows, theme)
    return figure


def _named(numbers: Mapping[str, Any], drawn: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The groups named at their line's end: all when they are few, else those that lead somewhere."""
    if numbers["group"] is None:
        return []
    if len(drawn) <= chart.LABELLED_LINES:
        return list(drawn)
    leading = {lead["group"] for lead in numbers["leads"]}
    return [group for group in drawn if group["group"] in leading][: chart.LABELLED_LINES]


def _axes(rows: pd.DataFrame, numbers: Mapping[str, Any]) -> tuple[Axis, Axis]:
    """Both axes, over the points or over the grid they are counted in."""
    axes = []
    for name in ("x", "y"):
        values, log = rows[numbers[name]], numbers[f"{name}_log"]
        ends = numbers["cloud"][f"{name}_edges"] if "cloud" in numbers else [values.min(), values.max()]
        reach = widened(float(ends[0]), float(ends[-1]), log, END_ROOM)
        axes.append(Axis(catalogue.metric(numbers[name]), log, *reach))
    return axes[0], axes[1]


def _room(rows: pd.DataFrame, named: Sequence[Mapping[str, Any]], x: Axis) -> float:
    """The right margin in pixels, so that the name of a line that ends near the edge fits at every width."""
    ends = [(_ascending(_own(rows, group), x)[x.metric.key].iloc[-1], group["group"]) for group in named]
    near = [len(_shortened(name)) * LETTER + 14 for end, name in ends if x.place(float(end)) > NEAR_THE_EDGE]
    return max([24.0, *near])


def _own(rows: pd.DataFrame, group: Mapping[str, Any]) -> pd.DataFrame:
    found: pd.DataFrame = rows[rows["on_frontier"] & (rows["owner"] == group["owner"])]
    return found


def _shades(field: str | None, owners: Sequence[str], theme: Theme) -> dict[str, str]:
    if field is None:
        return dict.fromkeys(owners, chart.OKABE_ITO[0])
    return chart.colours(field, sorted(owners), theme)


def _add_cloud(figure: go.Figure, rows: pd.DataFrame, x: Axis, y: Axis, shades: Mapping[str, str],
               theme: Theme) -> None:  # fmt: skip
    """Every point that is on no frontier, faded, in its group's colour and its engine's marker."""
    beaten = rows[~rows["on_frontier"]]
    colours = [shades.get(owner, theme.muted) for owner in beaten["owner"]]
    marker = {"symbol": _symbols(beaten), "size": 5, "color": colours, "opacity": FADED, "line": {"width": 0}}
    figure.add_trace(
        {
            "type": "scattergl" if len(rows) > DRAWN_AS_SVG else "scatter",
            "x": beaten[x.metric.key],
            "y": beaten[y.metric.key],
            "mode": "markers",
            "showlegend": False,
            "marker": marker,
            "customdata": beaten["point_id"],
            "text": beaten["hover"],
            "hovertemplate": "%{text}<extra></extra>",
        }
    )


def _add_grid(figure: go.Figure, cloud: Mapping[str, Any], theme: Theme) -> None:
    """The cloud counted in cells, darker where more points fall."""
    across, up = len(cloud["x_edges"]) - 1, len(cloud["y_edges"]) - 1
    shade: list[list[float | None]] = [[None] * across for _ in range(up)]
    counts: list[list[str]] = [[""] * across for _ in range(up)]
    for column, row, points in cloud["cells"]:
        shade[row][column], counts[row][column] = math.log10(points), f"{points:,}"
    faint, strong = ("#e9edf1", "#9aa7b3") if theme.name == "light" else ("#1b232b", "#5d6b78")
    figure.add_trace(
        {
            "type": "heatmap",
            "x": cloud["x_edges"],
            "y": cloud["y_edges"],
            "z": shade,
            "text": counts,
            "showscale": False,
            "hoverongaps": False,
            "colorscale": [[0, faint], [1, strong]],
            "hovertemplate": "%{text} points in this cell<extra></extra>",
        }
    )


def _add_overall(figure: go.Figure, rows: pd.DataFrame, x: Axis, y: Axis, theme: Theme) -> None:
    line = _ascending(rows[rows["on_overall_frontier"]], x)
    if len(line) < 2:
        return
    figure.add_trace(
        {
            "type": "scatter",
            "x": line[x.metric.key],
            "y": line[y.metric.key],
            "mode": "lines",
            "name": "best of all",
            "hoverinfo": "skip",
            "opacity": 0.16,
            "line": {"color": theme.frontier, "width": 11, "shape": _stairs(x)},
        }
    )


def _add_frontier(figure: go.Figure, own: pd.DataFrame, group: Mapping[str, Any], x: Axis, y: Axis, shade: str,
                  *, in_legend: bool) -> None:  # fmt: skip
    line = _ascending(own, x)
    figure.add_trace(
        {
            "type": "scatter",
            "x": line[x.metric.key],
            "y": line[y.metric.key],
            "mode": "lines+markers",
            "name": html(group["group"] or "frontier"),
            "showlegend": in_legend,
            "text": line["hover"],
            "hovertemplate": "%{text}<extra></extra>",
            "customdata": line["point_id"],
            "line": {"color": shade, "width": 1.8, "shape": _stairs(x)},
            "marker": {
                "symbol": _symbols(line),
                "size": 8,
                "color": shade,
                "opacity": 1,
                "line": {"width": 1.2, "color": shade},
            },
        }
    )


def _add_knees(figure: go.Figure, knees: pd.DataFrame, x: Axis, y: Axis, shades: Mapping[str, str]) -> None:
    drawn = knees[knees["owner"].isin(list(shades))]
    rings = [shades[owner] for owner in drawn["owner"]]
    figure.add_trace(
        {
            "type": "scatter",
            "x": drawn[x.metric.key],
            "y": drawn[y.metric.key],
            "mode": "markers",
            "hoverinfo": "skip",
            "showlegend": False,
            "marker": {"symbol": "circle-open", "size": 18, "color": rings, "line": {"width": 2}},
        }
    )


def _add_limits(figure: go.Figure, numbers: Mapping[str, Any], x: Axis, y: Axis, theme: Theme) -> None:
    """The reader's limits: a dashed line each, and a veil over what does not meet it."""
    beside = "bottom right" if y.metric.direction == "higher" else "top right"
    for axis, limit, add_line, add_veil, corner in (
        (x, numbers["slo_x"], figure.add_vline, figure.add_vrect, beside),
        (y, numbers["slo_y"], figure.add_hline, figure.add_hrect, "top left"),
    ):
        if limit is None or (axis.log and limit <= 0):
            continue
        name = "x" if axis is x else "y"
        low, high = (axis.low, limit) if axis.metric.direction == "higher" else (limit, axis.high)
        if low < high:
            add_veil(
                **{f"{name}0": low, f"{name}1": high},
                fillcolor=theme.muted,
                opacity=0.09,
                line_width=0,
                layer="below",
            )
        sign = "≥" if axis.metric.direction == "higher" else "≤"
        add_line(
            **{name: limit}, line={"color": theme.text, "width": 1.2, "dash": "dash"}, annotation_position=corner,
            annotation_text=html(f"{sign} {number(limit)} {axis.metric.unit}"), annotation_font_size=12,
        )  # fmt: skip


def _add_best(figure: go.Figure, numbers: Mapping[str, Any], x: Axis, y: Axis, theme: Theme) -> None:
    best = numbers["best_within"]
    if best is None:
        return
    figure.add_trace(
        {
            "type": "scatter",
            "x": [best["x"]],
            "y": [best["y"]],
            "mode": "markers",
            "hoverinfo": "skip",
            "showlegend": False,
            "marker": {"symbol": "circle-open", "size": 26, "color": theme.text, "line": {"width": 2.2}},
        }
    )
    figure.add_annotation(
        **_at(x, y, best["x"], best["y"]), text="<b>best within the limits</b>", showarrow=False, xanchor="left",
        yanchor="bottom", xshift=12, yshift=12, bgcolor=_veil(theme), font={"size": 12},
    )  # fmt: skip


def _label_ends(figure: go.Figure, rows: pd.DataFrame, named: Sequence[Mapping[str, Any]], x: Axis, y: Axis,
                shades: Mapping[str, str], theme: Theme) -> None:  # fmt: skip
    """Each frontier's name at its right end, moved down where two would touch."""
    ends = []
    for group in named:
        last = _ascending(_own(rows, group), x).iloc[-1]
        ends.append((float(last[x.metric.key]), float(last[y.metric.key])))
    names = [_shortened(group["group"]) for group in named]
    places = [(x.place(right) * PLOT_WIDTH, y.place(top) * PLOT_HEIGHT) for right, top in ends]
    shifts = _shifts(places, [len(name) * LETTER for name in names])
    labels = [
        {**_at(x, y, right, top), "text": html(name), "showarrow": False, "xanchor": "left", "xshift": 10,
         "yshift": shift, "font": {"color": shades[group["owner"]], "size": 12.5}, "bgcolor": _veil(theme),
         "borderpad": 1}
        for (right, top), name, shift, group in zip(ends, names, shifts, named, strict=True)
    ]  # fmt: skip
    figure.update_layout(annotations=[*figure.layout.annotations, *labels])


def _shifts(places: Sequence[tuple[float, float]], widths: Sequence[float]) -> list[float]:
    """How many pixels each label moves so that labels over one another stand a line apart, the highest first."""
    placed: list[tuple[float, float, float]] = []
    shifts = [0.0] * len(places)
    for position in sorted(range(len(places)), key=lambda position: -places[position][1]):
        left, up = places[position]
        right = left + widths[position]
        for other_left, other_right, other_up in sorted(placed, key=lambda other: -other[2]):
            if left < other_right and other_left < right and abs(other_up - up) < LINE:
                up = other_up - LINE
        placed.append((left, right, up))
        shifts[position] = up - places[position][1]
    return shifts


def _veil(theme: Theme) -> str:
    """The background, not quite opaque, so that a label stays readable over lines."""
    red, green, blue = (int(theme.background[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.6)"


def _at(x: Axis, y: Axis, across: float, up: float) -> dict[str, float]:
    """A place for an annotation: on a logarithmic axis plotly wants the exponent."""
    return {"x": math.log10(across) if x.log else across, "y": math.log10(up) if y.log else up}


def _add_keys(figure: go.Figure, rows: pd.DataFrame, theme: Theme) -> None:
    """Legend entries for what shapes mean: engines, not measured, the knee."""
    engines = [engine for engine in rows["engine"].dropna().unique() if engine]
    keys = [
        (chart.value_label("engine", engine), chart.engine_marker(engine), 8)
        for engine in sorted(engines)[:8]
    ]
    if (rows["evidence"] != "measured").any():
        keys.append(("not measured", "circle-open", 8))
    if rows["is_knee"].any():
        keys.append(("knee", "circle-open", 15))
    for label, symbol, size in keys:
        figure.add_trace(
            {
                "type": "scatter",
                "x": [None],
                "y": [None],
                "mode": "markers",
                "name": html(label),
                "hoverinfo": "skip",
                "marker": {
                    "symbol": symbol,
                    "size": size,
                    "color": theme.muted,
                    "line": {"width": 1.5, "color": theme.muted},
                },
            }
        )


def _hover_texts(rows: pd.DataFrame, x: Axis, y: Axis) -> list[str]:
    """What each point says under the pointer; of very many points only those of a frontier say more than its place."""
    many = len(rows) > DRAWN_AS_SVG
    texts = []
    for row in told(rows):
        if many and not row["on_frontier"]:
            texts.append(
                "<br>".join(html(quantity(row[axis.metric.key], axis.metric.key)) for axis in (y, x))
            )
            continue
        text = chart.hover_lines(row, [x.metric.key, y.metric.key])
        marks = [
            f"{row['step']} over the point before" if row.get("step") else "",
            "knee" if row["is_knee"] else "",
        ]
        extra = " · ".join(mark for mark in marks if mark)
        texts.append(f"{text}<br><i>{html(extra)}</i>" if extra else text)
    return texts


def _symbols(rows: pd.DataFrame) -> list[str]:
    return [
        chart.engine_marker(engine if isinstance(engine, str) else None, measured=evidence == "measured")
        for engine, evidence in zip(rows["engine"], rows["evidence"], strict=True)
    ]


def _ascending(rows: pd.DataFrame, x: Axis) -> pd.DataFrame:
    return rows.sort_values(x.metric.key)


def _stairs(x: Axis) -> str:
    """The staircase that is true between points: a requirement is served by the next point that meets it."""
    return "vh" if x.metric.direction == "higher" else "hv"


def _shortened(label: str) -> str:
    return label if len(label) <= 28 else f"{label[:27]}…"


def _empty(figure: go.Figure, theme: Theme) -> go.Figure:
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    figure.add_annotation(
        text="No point has both metrics; choose others, or a wider selection.", showarrow=False,
        font={"color": theme.muted, "size": 15},
    )  # fmt: skip
    return figure
