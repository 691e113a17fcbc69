"""A heatmap's chart in small multiples: one colour scale, the value in the cell, an outline around the best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import flags
from bench.chart import Theme, look, setting, title
from bench.chart.colouring import DARK_INK, LIGHT_INK, Colouring, of_ratios, of_values
from bench.chart.panels import BOTTOM, LEFT, RIGHT, TOP, Panels, arranged
from bench.plain_text import html
from bench.questions.heatmap.gaps import Gap, gaps
from bench.questions.heatmap.hover import hover_text
from bench.questions.heatmap.result import Cell, Heatmap
from bench.wording import number

FULL_TEXT_PX, SMALL_TEXT_PX, NO_TEXT_PX = 50, 36, 23
"""Narrower cells than these take short, two-digit and no numbers."""

SECOND_LINE_PX = 32
"""A cell this wide and high has room for the load under the value."""

MANY_TICKS = 40
KEY_LINE_PX, KEY_LINE_CHARACTERS = 15, 84
"""A line of what the marks mean: its height, and what fits into it on the narrowest chart."""

SCALE_FROM_TOP_PX = 32
EW_LENGTH = 2.8
"""plotly's "line-ew" is 1.4 times its radius long to either side."""

FAILED = "#D55E00"
DAGGER = "†"
SLOT, NO_METRIC, ONE_SIDE, FAILURE = 0.0, 1.0, 2.0, 3.0
MARKS = {
    "no metric": (NO_METRIC, "–"),
    "older run": (NO_METRIC, "○"),
    "flagged": (NO_METRIC, "†"),
    "beyond the limit": (NO_METRIC, "·"),
    "only a": (ONE_SIDE, "A"),
    "only b": (ONE_SIDE, "B"),
    "failed": (FAILURE, f'<span style="color:{FAILED}">×</span>'),
}
LOADS = {"concurrency": "concurrency", "request_rate": "requests/s", "batch": "batch"}
NAMED_PANELS = frozenset({"accelerator", "model", "engine"})


@dataclass(frozen=True)
class Spot:
    """A cell with its `line` and `column` among those of all panels, and its middle on the axes."""

    cell: Cell
    line: int
    column: int
    across: float
    up: float


def draw(found: Heatmap, theme: Theme) -> go.Figure:
    """One heatmap for each panel, all on one colour scale, their cells clickable: customdata is the cell's id."""
    if not found.drawn:
        return _empty(theme)
    panels = _panels(found)
    cells = _placed(found, panels)
    measured = [spot for spot in cells if spot.cell.is_measured and not found.is_apart(spot.cell)]
    key = _key(cells, panels, found)
    further = KEY_LINE_PX * (len(key) - 1)
    colouring = _colouring(found, theme)
    traces = [
        _states(cells, found, panels, theme),
        *_values(measured, found, panels, colouring),
        _clickable(cells, gaps(found, panels), found, panels, theme),
    ]
    return _figure(
        traces,
        theme,
        panels.height + further,
        margin={"l": LEFT, "r": RIGHT, "t": TOP + further, "b": BOTTOM + panels.label_depth},
        xaxis=_axis("x", panels, found),
        yaxis=_axis("y", panels, found),
        hovermode="closest",
        hoverdistance=30,
        dragmode=False,
        coloraxis=_coloraxis(colouring, theme, panels.height + further),
        annotations=_annotations(key, panels, found, theme),
        shapes=[*_outline(cells, found, theme), *_frames(cells, found, theme)],
    )


def _empty(theme: Theme) -> go.Figure:
    said = {"text": "No cell to draw", "showarrow": False, "font": {"color": theme.muted}}
    return _figure([], theme, 200, xaxis={"visible": False}, yaxis={"visible": False}, annotations=[said])


def _figure(traces: list[dict[str, Any]], theme: Theme, height: int, **settings: Any) -> go.Figure:
    """The figure in one piece: plotly checks settings several times faster at once than one update at a time."""
    whole = {**look(theme, height=height), "showlegend": False, **settings}
    return go.Figure({"data": traces, "layout": whole})


def _panels(found: Heatmap) -> Panels:
    cells, panel = found.drawn, found.panel or ""
    names = {cell.panel for cell in cells}
    stated = sorted(
        (name for name in names if name is not None),
        key=lambda name: setting(panel, name).lower() if panel in NAMED_PANELS else name,
    )
    xs, ys = sorted({cell.x for cell in cells}), sorted({cell.y for cell in cells})
    shown = [*stated, *([None] if None in names else [])]
    longest = max((len(_panel_name(panel, name)) for name in shown), default=0) if panel else 0
    return arranged(shown, xs, ys, longest)


def _placed(found: Heatmap, panels: Panels) -> list[Spot]:
    """The drawn cells with their places."""
    places = {name: panels.corner(place) for place, name in enumerate(panels.names)}
    columns, lines = (
        {value: place for place, value in enumerate(values)} for values in (panels.xs, panels.ys)
    )
    across, up = panels.across.tolist(), panels.up.tolist()
    placed = []
    for cell in found.drawn:
        bottom, left = places[cell.panel]
        line, column = bottom + lines[cell.y], left + columns[cell.x]
        placed.append(Spot(cell, line, column, across[column] + 0.5, up[line] + 0.5))
    return placed


def _colouring(found: Heatmap, theme: Theme) -> Colouring:
    """The colours of the values from one end of the answer's span to the other; beyond an end they stay the same."""
    span = np.array(found.span, dtype=float)
    if found.ratio:
        return of_ratios(span, found.better, theme)
    return of_values(span, found.better, log=found.is_log)


def _states(cells: Sequence[Spot], found: Heatmap, panels: Panels, theme: Theme) -> dict[str, Any]:
    """Every cell without a colour of its own: faint where nothing was measured, marked where something was."""
    grounds = np.full((len(panels.up) - 1, len(panels.across) - 1), np.nan)
    marks = np.full(grounds.shape, "", dtype=object)
    for place in range(len(panels.names)):
        bottom, left = panels.corner(place)
        grounds[bottom : bottom + len(panels.ys), left : left + len(panels.xs)] = SLOT
    for spot in cells:
        at = spot.line, spot.column
        grounds[at], marks[at] = MARKS.get(spot.cell.state, (np.nan, ""))
        if found.is_apart(spot.cell):
            text = _texts([spot.cell], found, panels)[0]
            size = _text_size(panels)
            grounds[at] = SLOT
            marks[at] = f'<span style="font-size:{size}px;color:{theme.text}">{text}</span>' if text else ""
    # Ratios near 1 are grey themselves, so that in a ratio no other cell is.
    bare = "rgba(0,0,0,0)" if found.ratio else theme.grid
    colours = (f"{theme.grid}55", bare, bare, f"{FAILED}22")
    return {
        **_bricks(panels),
        "z": grounds,
        "text": marks,
        "zmin": SLOT - 0.5,
        "zmax": FAILURE + 0.5,
        "colorscale": [
            [edge, colour] for place, colour in enumerate(colours) for edge in (place / 4, (place + 1) / 4)
        ],
        "showscale": False,
        "textfont": {"color": theme.muted, "size": _text_size(panels) + 2},
    }


def _values(
    measured: Sequence[Spot], found: Heatmap, panels: Panels, colouring: Colouring
) -> list[dict[str, Any]]:
    """The cells with a value: those whose colour reads best under dark text, and those under light text."""
    if not measured:
        return []
    values = np.array([spot.cell.value for spot in measured], dtype=float)
    scaled, dark = colouring.of(values), colouring.dark_ink(values)
    texts = _texts([spot.cell for spot in measured], found, panels)
    traces = []
    for ink, inked in ((DARK_INK, dark), (LIGHT_INK, ~dark)):
        z = np.full((len(panels.up) - 1, len(panels.across) - 1), np.nan)
        text = np.full(z.shape, "", dtype=object)
        for place in np.flatnonzero(inked).tolist():
            at = measured[place].line, measured[place].column
            z[at], text[at] = scaled[place], texts[place]
        if inked.any():
            traces.append({**_bricks(panels), "z": z, "text": text, "coloraxis": "coloraxis",
                           "textfont": {"color": ink, "size": _text_size(panels)}})  # fmt: skip
    return traces


def _bricks(panels: Panels) -> dict[str, Any]:
    return {"type": "heatmap", "x": panels.across, "y": panels.up, "xgap": 2, "ygap": 2, "hoverinfo": "skip",
            "texttemplate": "%{text}"}  # fmt: skip


def _clickable(
    cells: Sequence[Spot], empty: Sequence[Gap], found: Heatmap, panels: Panels, theme: Theme
) -> dict[str, Any]:
    """An unseen line under each cell, seen once the cell is clicked: only scatter points can be selected there."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [*(spot.across for spot in cells), *(gap.across for gap in empty)],
        "y": [*(spot.up for spot in cells), *(gap.up for gap in empty)],
        "customdata": [*(spot.cell.place for spot in cells), *(gap.place for gap in empty)],
        "hovertext": [*(hover_text(spot.cell, found) for spot in cells), *(gap.said for gap in empty)],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {"symbol": "line-ew", "size": int(panels.narrowest_cell / EW_LENGTH), "opacity": 0,
                   "angle": 0, "standoff": panels.cell_height / 2,
                   "line": {"color": theme.text, "width": 4}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0}},
    }  # fmt: skip


def _axis(letter: str, panels: Panels, found: Heatmap) -> dict[str, Any]:
    plus = "+" if getattr(found, letter) in found.doublings else ""
    middles, values = panels.ticks(letter)
    edges = panels.across if letter == "x" else panels.up
    return {
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "fixedrange": True,
        "range": [0, float(edges[-1])],
        "tickvals": middles,
        "ticktext": [f"{number(value)}{plus}" for value in values],
        "ticklabelstandoff": 3,
        "tickangle": -90 if letter == "x" and panels.label_depth else 0,
        "tickfont": {"size": 11 if len(middles) <= MANY_TICKS else 9},
    }


def _coloraxis(colouring: Colouring, theme: Theme, height: int) -> dict[str, Any]:
    stops = colouring.stops
    return {
        "cmin": colouring.low,
        "cmax": colouring.high,
        "colorscale": [[place / (len(stops) - 1), colour] for place, colour in enumerate(stops)],
        "colorbar": {
            "orientation": "h", "thickness": 10, "len": 300, "lenmode": "pixels", "outlinewidth": 0,
            "x": 0, "xanchor": "left", "xpad": 0, "ypad": 0,
            "yref": "container", "y": 1 - SCALE_FROM_TOP_PX / height, "yanchor": "top",
            "tickvals": list(colouring.ticks), "ticktext": list(colouring.labels),
            "tickfont": {"size": 11, "color": theme.muted},
        },
    }  # fmt: skip


def _annotations(key: list[str], panels: Panels, found: Heatmap, theme: Theme) -> list[dict[str, Any]]:
    paper = {"xref": "paper", "yref": "paper", "showarrow": False}
    corner = {**paper, "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "align": "left"}
    top = TOP + KEY_LINE_PX * (len(key) - 1)
    notes = [
        {**paper, "text": html(title(found.x)), "x": 0.5, "y": 0, "yanchor": "top",
         "yshift": -28 - panels.label_depth},
        {**paper, "text": html(title(found.y)), "x": 0, "y": 0.5, "textangle": -90, "xanchor": "right",
         "xshift": -52},
        {**corner, "text": _coloured_by(found), "yshift": top - SCALE_FROM_TOP_PX + 4},
        {**corner, "text": "<br>".join(key), "yshift": 26, "font": {"size": 11, "color": theme.muted}},
    ]  # fmt: skip
    if found.panel is not None:
        for place, name in enumerate(panels.names):
            bottom, left = panels.corner(place)
            notes.append({"text": f"<b>{html(_panel_name(found.panel, name))}</b>", "showarrow": False,
                          "x": panels.across[left], "y": panels.up[bottom + len(panels.ys)], "xanchor": "left",
                          "yanchor": "bottom", "yshift": 1})  # fmt: skip
    return notes


def _panel_name(panel: str, name: Any) -> str:
    return "not stated" if name is None else setting(panel, name)


def _coloured_by(found: Heatmap) -> str:
    if found.ratio is None:
        return html(title(found.metric))
    return html(f"{found.row.label}, {found.ratio.a} / {found.ratio.b}")


def _key(cells: Sequence[Spot], panels: Panels, found: Heatmap) -> list[str]:
    """What the marks in the cells mean, for those that occur, in lines as wide as the narrowest chart."""
    shown = [spot.cell for spot in cells]
    states = {cell.state for cell in shown}
    a, b = (found.ratio.a, found.ratio.b) if found.ratio else ("", "")
    load = _second_line(shown, found, panels)
    words = [
        (f"{MARKS['failed'][1]} failed", "failed" in states),
        ("– points without this metric", "no metric" in states),
        ("○ older runs alone", "older run" in states),
        ("· beyond the limits", "beyond the limit" in states),
        (f"A: only {html(a)}", "only a" in states),
        (f"B: only {html(b)}", "only b" in states),
        ("<i>italics</i>: not measured", any(_is_unmeasured(cell) for cell in shown)),
        (f"{DAGGER} flagged, see the notes", "flagged" in states or any(_is_flagged(cell) for cell in shown)),
        ("dotted frame: at unlike loads, not in the range", any(found.is_apart(cell) for cell in shown)),
        ("faint: no point", len(cells) < len(panels.names) * len(panels.xs) * len(panels.ys)),
        (f"@ best {LOADS.get(load, '')}", bool(load)),
    ]
    lines: list[list[str]] = [[]]
    for text in (text for text, occurs in words if occurs):
        line = re.sub(r"<[^>]*>", "", " | ".join([*lines[-1], text]))
        if lines[-1] and len(line) > KEY_LINE_CHARACTERS:
            lines.append([])
        lines[-1].append(text)
    return [" &nbsp; ".join(line) for line in lines]


def _frames(cells: Sequence[Spot], found: Heatmap, theme: Theme) -> list[dict[str, Any]]:
    """A dotted frame in each cell whose two sides were measured at unlike loads."""
    return [
        {"type": "rect", "x0": spot.across - 0.46, "x1": spot.across + 0.46, "y0": spot.up - 0.42,
         "y1": spot.up + 0.42, "line": {"color": theme.muted, "width": 1, "dash": "dot"}}
        for spot in cells
        if found.is_apart(spot.cell)
    ]  # fmt: skip


def _outline(cells: Sequence[Spot], found: Heatmap, theme: Theme) -> list[dict[str, Any]]:
    """A frame around the best cell."""
    if found.peak is None or found.ratio or len(found.measured) < 2:
        return []
    best = next(spot for spot in cells if spot.cell.place == found.peak.place)
    return [{"type": "rect", "x0": best.across - 0.5, "x1": best.across + 0.5, "y0": best.up - 0.5,
             "y1": best.up + 0.5, "line": {"color": theme.text, "width": 2}}]  # fmt: skip


def _text_size(panels: Panels) -> int:
    return 9 if panels.cell_width < SMALL_TEXT_PX or panels.cell_height < 20 else 11


def _texts(cells: Sequence[Cell], found: Heatmap, panels: Panels) -> list[str]:
    if panels.cell_width < NO_TEXT_PX:
        return [""] * len(cells)
    if panels.cell_width < SMALL_TEXT_PX:
        return [_noted(short(cell.value or 0.0, digits=2), cell) for cell in cells]
    write = number if panels.cell_width >= FULL_TEXT_PX else short
    sign = "×" if found.ratio else ""
    load = _second_line(cells, found, panels)
    return [_noted(f"{write(cell.value or 0.0)}{sign}{_under(cell, load)}", cell) for cell in cells]


def _noted(text: str, cell: Cell) -> str:
    """The text, in italics where the value was not measured, with a dagger where a point behind it is flagged."""
    noted = f"{text}{DAGGER}" if _is_flagged(cell) else text
    return f"<i>{noted}</i>" if _is_unmeasured(cell) else noted


def _is_flagged(cell: Cell) -> bool:
    return bool(flags.telling(cell.flag_kinds))


def _is_unmeasured(cell: Cell) -> bool:
    return any(one.evidence != "measured" for one in cell.facts)


def _under(cell: Cell, load: str) -> str:
    level = getattr(cell.best, load) if load and cell.best else None
    return "" if level is None else f'<br><span style="font-size:9px">@{short(level)}</span>'


def _second_line(cells: Iterable[Cell], found: Heatmap, panels: Panels) -> str:
    """The load that is written under the values: of the best point, where loads differ and the cells have room."""
    if found.level != "best" or found.ratio or min(panels.cell_height, panels.cell_width) < SECOND_LINE_PX:
        return ""
    best = [cell.best for cell in cells if cell.best]
    free = [key for key in LOADS if key not in (found.x, found.y, found.panel)]
    return next((key for key in free if len({getattr(one, key) for one in best} - {None}) > 1), "")


def short(value: float, digits: int = 3) -> str:
    """The value in a few characters: 13.2k for 13,181, with two digits 13k and 0.88."""
    rounded = float(f"{value:.{digits}g}")
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(rounded) >= (1e4 if size == 1e3 and digits > 2 else size):
            return f"{rounded / size:g}{letter}"
    return f"{rounded:g}" if digits == 2 else number(value)
