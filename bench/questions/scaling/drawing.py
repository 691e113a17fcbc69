"""The scaling chart: throughput over chips with the ideal line, and below it what one chip gives and users see."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.chart import LABELLED_LINES, Theme
from bench.chart.axis import decade_ticks
from bench.plain_text import html
from bench.questions import records
from bench.questions.scaling.sentences import percent
from bench.wording import number

HEIGHT, ALONE_HEIGHT = 680, 470
MAIN = (0.42, 1.0)
SMALL = (0.0, 0.25)
GAP = 0.13
LABELLED_EFFICIENCIES = 3
"""Efficiencies are written at the points of up to this many lines; of more they are under the pointer."""

NEAR_IDEAL = 0.95
"""From this efficiency on the ideal line runs through the point or below it."""

MOST_TICKS = 10

AMDAHL, USL, BEYOND = "Amdahl's law, fitted", "Universal Scalability Law, fitted", "extrapolated to its peak"
DASHES = {AMDAHL: "dash", USL: "longdashdot", BEYOND: "1px,4px"}


@dataclass(frozen=True)
class Panel:
    """One pair of axes: what it shows, as a key of a place, and where it stands."""

    key: str
    title: str
    axis: int
    across: tuple[float, float]
    up: tuple[float, float]


def draw(rows: pd.DataFrame, numbers: Mapping[str, Any], theme: Theme) -> go.Figure:
    """The chart of an answer's rows and numbers; an empty one says so."""
    lines = [line for line in numbers["lines"] if line["counts"]]
    if not lines:
        return chart.empty("Nothing can be compared here, so nothing is drawn.", theme)
    figure = chart.layout(go.Figure(), theme, height=HEIGHT)
    panels = _panels(numbers, lines)
    alone = len(panels) == 1
    shades = _shades(numbers, lines, theme)
    texts = _hover(rows)
    counts = _counts(numbers, lines)
    figure.update_layout(height=ALONE_HEIGHT if alone else HEIGHT, margin_t=28, hovermode="closest",
                         uirevision=f"{numbers['metric']} {numbers['at']}",
                         legend={"y": -0.12 if not alone else -0.2, "font_size": 12})  # fmt: skip
    named, written = len(lines) <= LABELLED_LINES, len(lines) <= LABELLED_EFFICIENCIES
    figure.update_layout(margin_r=_room(lines, written=written) if named else 24)
    for panel in panels:
        _add_axes(figure, panel, counts, _end(counts, lines), _values(panel, numbers, lines), theme)
        for line in lines:
            shade = shades[line["label"]]
            _add_line(figure, panel, line, shade, texts, theme, numbers, in_legend=not named)
    for line in lines:
        _add_ideal(figure, line, shades[line["label"]])
        _add_replicas(figure, line, numbers, shades[line["label"]])
    fits = _add_laws(figure, lines, theme) if written else []
    _add_projected(figure, panels[0], numbers, theme)
    if named:
        _add_names(figure, lines, shades, written=written)
    _add_keys(figure, lines, numbers, fits, theme)
    return figure


def _panels(numbers: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> list[Panel]:
    metric = catalogue.metric(numbers["metric"])
    small = [("throughput_per_accelerator", f"Per chip ({metric.unit})")]
    for key in ("tpot_ms", "ttft_ms"):
        if any(sum(place[key] is not None for place in line["counts"]) > 1 for line in lines):
            small.append((key, catalogue.metric(numbers[key]).axis))
    width = (1 - GAP * (len(small) - 1)) / len(small)
    main = Panel("throughput", metric.axis, 1, (0.0, 1.0), MAIN)
    return [main] + [
        Panel(key, title, place + 2, (place * (width + GAP), min(1.0, place * (width + GAP) + width)), SMALL)
        for place, (key, title) in enumerate(small)
    ]


def _counts(numbers: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> list[int]:
    every = {place["accelerators"] for line in lines for place in line["counts"]}
    return sorted(every | {place["accelerators"] for place in numbers["not_measured"]})


def _end(counts: Sequence[int], lines: Sequence[Mapping[str, Any]]) -> float:
    """How far the axis of counts goes: to the largest, or on to a predicted peak that is drawn."""
    drawn = lines if len(lines) <= LABELLED_EFFICIENCIES else ()
    peaks = [float(law["beyond"][-1][0]) for line in drawn for _, law in _laws(line) if law["beyond"]]
    return max([float(counts[-1]), *peaks])


def _values(panel: Panel, numbers: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> list[float]:
    values = [place[panel.key] for line in lines for place in line["counts"] if place[panel.key]]
    if panel.key == "throughput":
        values += [place["ideal"] for line in lines for place in line["counts"] if place["efficiency"]]
        values += [place["throughput"] for place in numbers["not_measured"]]
    return values


def _add_axes(figure: go.Figure, panel: Panel, counts: Sequence[int], end: float, values: Sequence[float],
              theme: Theme) -> None:  # fmt: skip
    suffix = "" if panel.axis == 1 else str(panel.axis)
    look = {"gridcolor": theme.grid, "linecolor": theme.muted, "zeroline": False, "ticks": "outside",
            "tickcolor": theme.muted, "automargin": True, "type": "log"}  # fmt: skip
    ticks = [count for count in counts if len(counts) <= MOST_TICKS or math.log2(count).is_integer()] or list(
        counts
    )
    low, high = counts[0], end
    reach = max(high / low, 2.0)
    size = 13 if panel.axis == 1 else 12
    figure.update_layout({
        f"xaxis{suffix}": {**look, "domain": panel.across, "anchor": f"y{suffix}", "tickvals": ticks,
                           "ticktext": [f"{tick:,}" for tick in ticks],
                           "range": [math.log10(low / reach**0.05), math.log10(high * reach**0.05)],
                           "title": {"text": "Accelerators (chips)", "font": {"size": size}, "standoff": 8}},
        f"yaxis{suffix}": {**look, "domain": panel.up, "anchor": f"x{suffix}", **_scale(values),
                           "title": {"text": html(panel.title) if panel.axis == 1 else "",
                                     "font": {"size": size}, "standoff": 8}},
    })  # fmt: skip
    if panel.axis > 1:
        figure.add_annotation(text=html(panel.title), x=panel.across[0], y=panel.up[1] + 0.012, xref="paper",
                              yref="paper", xanchor="left", yanchor="bottom", showarrow=False,
                              font={"size": 12, "color": theme.text})  # fmt: skip


def _scale(values: Sequence[float]) -> dict[str, Any]:
    low, high = min(values), max(values)
    reach = max(high / low, 1.6)
    low, high = low / reach**0.12, high * reach**0.14
    ticks = decade_ticks(low, high)
    if len(ticks) < 2:
        ticks = [float(f"{low * (high / low) ** share:.2g}") for share in (0.15, 0.5, 0.85)]
    return {"range": [math.log10(low), math.log10(high)], "tickvals": ticks,
            "ticktext": [number(tick) for tick in ticks]}  # fmt: skip


def _add_line(figure: go.Figure, panel: Panel, line: Mapping[str, Any], shade: str, texts: Mapping[str, str],
              theme: Theme, numbers: Mapping[str, Any], *, in_legend: bool) -> None:  # fmt: skip
    places = [place for place in line["counts"] if place[panel.key] is not None]
    if not places:
        return
    main = panel.axis == 1
    suffix = "" if main else str(panel.axis)
    written = main and sum(bool(one["counts"]) for one in numbers["lines"]) <= LABELLED_EFFICIENCIES
    engine = line["deployment"]["engine"]
    figure.add_trace({
        "type": "scatter", "xaxis": f"x{suffix}", "yaxis": f"y{suffix}",
        "x": [place["accelerators"] for place in places], "y": [place[panel.key] for place in places],
        "mode": "lines+markers+text" if written else "lines+markers",
        "text": [percent(place["efficiency"]) if place in _judged(line)[1:-1] else "" for place in places],
        "textposition": [_side(line, place, numbers["lines"]) for place in places],
        "textfont": {"size": 12, "color": shade}, "cliponaxis": False,
        "name": html(line["label"]), "showlegend": main and in_legend,
        "line": {"color": shade, "width": 2},
        "marker": {"symbol": [chart.engine_marker(engine, measured=not place["interpolated"]) for place in places],
                   "size": 9 if main else 7, "color": shade, "line": {"width": 1.5, "color": shade}},
        "customdata": [[place["point_ids"][0], texts.get(f"{line['label']} {place['accelerators']}", "")]
                       for place in places],
        "hovertemplate": "%{customdata[1]}<extra></extra>",
    })  # fmt: skip


def _side(line: Mapping[str, Any], place: Mapping[str, Any], lines: Sequence[Mapping[str, Any]]) -> str:
    """Above the highest of several lines where the ideal line is not, else below."""
    beside = [
        other["throughput"]
        for one in lines
        if one is not line
        for other in one["counts"]
        if other["accelerators"] == place["accelerators"]
    ]
    highest = beside and place["throughput"] >= max(beside)
    return "top left" if highest and (place["efficiency"] or 0) >= NEAR_IDEAL else "bottom right"


def _judged(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The places of a line that have an efficiency, the base first."""
    return [place for place in line["counts"] if place["efficiency"] is not None]


def _add_ideal(figure: go.Figure, line: Mapping[str, Any], shade: str) -> None:
    judged = _judged(line)
    if len(judged) < 2:
        return
    base = judged[0]
    ends = [base["accelerators"], judged[-1]["accelerators"]]
    figure.add_trace({
        "type": "scatter", "x": ends, "y": [base["throughput"] * end / base["accelerators"] for end in ends],
        "mode": "lines", "showlegend": False, "hoverinfo": "skip", "opacity": 0.65,
        "line": {"color": shade, "width": 1.3, "dash": "dot"},
    })  # fmt: skip


def _add_replicas(figure: go.Figure, line: Mapping[str, Any], numbers: Mapping[str, Any], shade: str) -> None:
    """What replicas of the smallest count would give, as open points on the ideal line."""
    places = [one for one in numbers["projections"] if one["line"] == line["label"] and ":" in one["id"]]
    if not places:
        return
    figure.add_trace({
        "type": "scatter", "x": [place["accelerators"] for place in places],
        "y": [place["throughput"] for place in places], "mode": "markers", "showlegend": False, "opacity": 0.8,
        "marker": {"symbol": "circle-open", "size": 6, "color": shade, "line": {"width": 1.2}},
        "customdata": [[place["id"], html(f"{place['line']}, projected: {place['sum']}")] for place in places],
        "hovertemplate": "%{customdata[1]}<extra></extra>",
    })  # fmt: skip


def _laws(line: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """The laws of a line that are told, by name; without coherency the Universal Scalability Law is Amdahl's."""
    amdahl, usl = line["amdahl"], line["usl"]
    found = [(AMDAHL, amdahl)] if amdahl and amdahl["told"] else []
    if usl and usl["told"] and (not found or usl["coherency"] > 0):
        found.append((USL, usl))
    return found


def _add_laws(figure: go.Figure, lines: Sequence[Mapping[str, Any]], theme: Theme) -> list[str]:
    """The fitted laws over the measured counts, and beyond them up to a peak that is sure; returns what was drawn."""
    drawn = []
    for name, law in [one for line in lines if not line["runs_apart"] for one in _laws(line)]:
        for part, dash in ((name, DASHES[name]), (BEYOND, DASHES[BEYOND])):
            curve = law["curve"] if part == name else law["beyond"]
            if not curve:
                continue
            drawn.append(part)
            figure.add_trace({
                "type": "scatter", "x": [count for count, _ in curve], "y": [value for _, value in curve],
                "mode": "lines", "showlegend": False, "hoverinfo": "skip",
                "line": {"color": theme.text, "width": 1.1, "dash": dash, "shape": "spline"},
            })  # fmt: skip
            if part == BEYOND:
                figure.add_annotation(x=math.log10(curve[-1][0]), y=math.log10(curve[-1][1]), showarrow=False,
                                      text=f"peak by the law: {number(curve[-1][0])} chips", yshift=10,
                                      font={"size": 12, "color": theme.muted})  # fmt: skip
    return list(dict.fromkeys(drawn))


def _add_projected(figure: go.Figure, panel: Panel, numbers: Mapping[str, Any], theme: Theme) -> None:
    places = numbers["not_measured"]
    if not places:
        return
    figure.add_trace({
        "type": "scatter", "x": [place["accelerators"] for place in places],
        "y": [place["throughput"] for place in places], "mode": "markers", "showlegend": False,
        "marker": {"symbol": [chart.engine_marker(place["engine"], measured=False) for place in places], "size": 11,
                   "color": [chart.accelerator_colour(place["accelerator"], theme) for place in places],
                   "line": {"width": 1.8}},
        "customdata": [[place["point_id"], html(place["words"])] for place in places],
        "hovertemplate": "%{customdata[1]}<extra></extra>",
    })  # fmt: skip


def _add_names(
    figure: go.Figure, lines: Sequence[Mapping[str, Any]], shades: Mapping[str, str], *, written: bool
) -> None:
    """Each line's name and last efficiency at its end, those that end together kept apart."""
    ends = sorted(lines, key=lambda line: float(line["counts"][-1]["throughput"]))
    low, high = figure.layout.yaxis.range
    apart = (high - low) * 0.06
    above: dict[int, float] = {}
    for line in ends:
        last = line["counts"][-1]
        height = math.log10(last["throughput"])
        if last["accelerators"] in above:
            height = max(height, above[last["accelerators"]] + apart)
        above[last["accelerators"]] = height
        figure.add_annotation(
            x=math.log10(last["accelerators"]), y=height, text=html(_name(line, written=written)), showarrow=False,
            xanchor="left", xshift=12, font={"size": 12.5, "color": shades[line["label"]]},
        )  # fmt: skip


def _name(line: Mapping[str, Any], *, written: bool) -> str:
    last = line["counts"][-1]["efficiency"]
    if not written or len(line["counts"]) < 2 or last is None:
        return str(line["label"])
    return f"{line['label']} {percent(last)}"


def _room(lines: Sequence[Mapping[str, Any]], *, written: bool) -> int:
    return min(210, 34 + round(6.8 * max(len(_name(line, written=written)) for line in lines)))


def _add_keys(figure: go.Figure, lines: Sequence[Mapping[str, Any]], numbers: Mapping[str, Any],
              fits: Sequence[str], theme: Theme) -> None:  # fmt: skip
    """Legend entries for what shapes and dots mean."""
    engines = sorted({line["deployment"]["engine"] for line in lines if line["deployment"]["engine"]})
    for engine in engines[:8]:
        _key(figure, chart.value_label("engine", engine), theme, symbol=chart.engine_marker(engine))
    if any(place["interpolated"] for line in lines for place in line["counts"]):
        _key(figure, "interpolated", theme, symbol="circle-open")
    if numbers["not_measured"]:
        _key(figure, "not measured", theme, symbol="circle-open")
    if any(len(_judged(line)) > 1 for line in lines):
        _key(figure, "in proportion to the smallest: what replicas of it would give", theme, dash="dot")
    for fit in fits:
        _key(figure, fit, theme, dash=DASHES[fit])


def _key(figure: go.Figure, label: str, theme: Theme, *, symbol: str = "", dash: str = "") -> None:
    look: dict[str, Any] = (
        {"mode": "lines", "line": {"color": theme.muted, "width": 1.3, "dash": dash}}
        if dash
        else {
            "mode": "markers",
            "marker": {"symbol": symbol, "size": 8, "color": theme.muted, "line": {"width": 1.5}},
        }
    )
    figure.add_trace(
        {"type": "scatter", "x": [None], "y": [None], "name": html(label), "hoverinfo": "skip", **look}
    )


def _shades(numbers: Mapping[str, Any], lines: Sequence[Mapping[str, Any]], theme: Theme) -> dict[str, str]:
    labels = [line["label"] for line in lines]
    chips = [line["deployment"]["accelerator"] for line in lines]
    if len(set(chips)) == len(lines):
        return {
            label: chart.accelerator_colour(chip, theme) for label, chip in zip(labels, chips, strict=True)
        }
    return (
        chart.colours(numbers["group"], labels, theme)
        if numbers["group"] != "accelerator"
        else {label: chart.accelerator_colour(chip, theme) for label, chip in zip(labels, chips, strict=True)}
    )


def _hover(rows: pd.DataFrame) -> dict[str, str]:
    """What each place says under the pointer, by its line and count."""
    found: dict[str, str] = {}
    for row in records(rows):
        keys = [key for key in row if catalogue.is_metric(key) and key != "scaling_efficiency"]
        text = chart.hover_lines(row, keys)
        extra = "no efficiency: nothing to compare it with, or measured points too far apart"
        if row["scaling_efficiency"] is not None:
            extra = f"{percent(row['scaling_efficiency'])} of growth in proportion, {number(row['speedup'])} times"
        if row["interpolated"]:
            extra += "; interpolated, the nearest measured point is named"
        found.setdefault(f"{row['line']} {row['accelerators']}", f"{text}<br><i>{html(extra)}</i>")
    return found
