"""A heatmap's chart in small multiples: one colour scale, the value in the cell, an outline around the best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme, look, setting, title
from bench.chart.colouring import DARK_INK, LIGHT_INK, Colouring, of_ratios, of_values
from bench.chart.panels import BOTTOM, LEFT, RIGHT, TOP, Panels, arranged
from bench.plain_text import html
from bench.questions.heatmap.gaps import gaps, hover_text
from bench.questions.heatmap.result import WITHOUT_VALUE, Cell, Heatmap
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
SLOT, MARKED, ONE_SIDE, FAILURE = 0.0, 1.0, 2.0, 3.0
LOADS = {"concurrency": "concurrency", "request_rate": "requests/s", "batch": "batch"}
NAMED_PANELS = frozenset({"accelerator", "model", "engine"})
BARE_AXIS = {"showgrid": False, "zeroline": False, "showline": False, "ticks": "", "fixedrange": True,
             "ticklabelstandoff": 3}  # fmt: skip


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
        return chart.empty("No cell to draw", theme)
    panels = _panels(found)
    spots = _placed(found, panels)
    key = _key(spots, panels, found)
    further = KEY_LINE_PX * (len(key) - 1)
    height, span = panels.height + further, np.array(found.span, dtype=float)
    colouring = (
        of_ratios(span, found.better, theme)
        if found.ratio
        else of_values(span, found.better, log=found.is_log)
    )
    # In one piece: plotly checks settings several times faster at once than one update at a time.
    traces = [
        _states(spots, found, panels, theme),
        *_values(spots, found, panels, colouring),
        _clickable(spots, found, panels, theme),
    ]
    layout = {
        **look(theme, height=height),
        "showlegend": False,
        "margin": {"l": LEFT, "r": RIGHT, "t": TOP + further, "b": BOTTOM + panels.label_depth},
        "xaxis": _axis("x", panels, found),
        "yaxis": _axis("y", panels, found),
        "hovermode": "closest",
        "hoverdistance": 30,
        "dragmode": False,
        "coloraxis": _coloraxis(colouring, theme, height),
        "annotations": _annotations(key, panels, found, theme),
        "shapes": _frames(spots, found, theme),
    }
    return go.Figure({"data": traces, "layout": layout})


def _panels(found: Heatmap) -> Panels:
    cells, panel = found.drawn, found.panel or ""
    names = {cell.panel for cell in cells}
    stated = sorted(
        names - {None},
        key=lambda name: setting(panel, name).lower() if panel in NAMED_PANELS else name,
    )
    shown = [*stated, *names & {None}]
    xs, ys = sorted({cell.x for cell in cells}), sorted({cell.y for cell in cells})
    longest = max((len(_panel_name(panel, name)) for name in shown), default=0) if panel else 0
    return arranged(shown, xs, ys, longest)


def _placed(found: Heatmap, panels: Panels) -> list[Spot]:
    """The drawn cells with their places."""
    corners = {name: panels.corner(place) for place, name in enumerate(panels.names)}
    columns, lines = (
        {value: place for place, value in enumerate(values)} for values in (panels.xs, panels.ys)
    )
    across, up = panels.across.tolist(), panels.up.tolist()
    placed = []
    for cell in found.drawn:
        bottom, left = corners[cell.panel]
        line, column = bottom + lines[cell.y], left + columns[cell.x]
        placed.append(Spot(cell, line, column, across[column] + 0.5, up[line] + 0.5))
    return placed


def _states(spots: Sequence[Spot], found: Heatmap, panels: Panels, theme: Theme) -> dict[str, Any]:
    """Every cell without a colour of its own: faint where nothing was measured, marked where something was."""
    grounds = np.full((len(panels.up) - 1, len(panels.across) - 1), np.nan)
    marks = np.full(grounds.shape, "", dtype=object)
    for place in range(len(panels.names)):
        bottom, left = panels.corner(place)
        grounds[bottom : bottom + len(panels.ys), left : left + len(panels.xs)] = SLOT
    for spot in spots:
        cell, at = spot.cell, (spot.line, spot.column)
        grounds[at] = np.nan if cell.is_measured else ONE_SIDE if cell.facts else MARKED
        if not cell.is_measured:
            marks[at] = ("A" if cell.best else "B") if cell.facts else WITHOUT_VALUE[cell.state][0]
        if cell.state == "failed":
            grounds[at], marks[at] = FAILURE, f'<span style="color:{FAILED}">{marks[at]}</span>'
        if found.is_apart(cell):
            text, size = _texts([cell], found, panels)[0], _text_size(panels)
            grounds[at] = SLOT
            marks[at] = f'<span style="font-size:{size}px;color:{theme.text}">{text}</span>' if text else ""
    # Ratios near 1 are grey themselves, so that in a ratio no other cell is.
    bare = "rgba(0,0,0,0)" if found.ratio else theme.grid
    colours = (f"{theme.grid}55", bare, bare, f"{FAILED}22")
    scale = [[edge, colour] for place, colour in enumerate(colours) for edge in (place / 4, (place + 1) / 4)]
    return {**_bricks(panels), "z": grounds, "text": marks, "zmin": SLOT - 0.5, "zmax": FAILURE + 0.5,
            "colorscale": scale, "showscale": False,
            "textfont": {"color": theme.muted, "size": _text_size(panels) + 2}}  # fmt: skip


def _values(
    spots: Sequence[Spot], found: Heatmap, panels: Panels, colouring: Colouring
) -> list[dict[str, Any]]:
    """The cells with a value: those whose colour reads best under dark text, and those under light text."""
    measured = [spot for spot in spots if spot.cell.is_measured and not found.is_apart(spot.cell)]
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


def _clickable(spots: Sequence[Spot], found: Heatmap, panels: Panels, theme: Theme) -> dict[str, Any]:
    """An unseen line under each cell, seen once the cell is clicked: only scatter points can be selected there."""
    placed = [(spot.cell.place, spot.across, spot.up, hover_text(spot.cell, found)) for spot in spots]
    ids, across, up, said = zip(*placed, *gaps(found, panels), strict=True)
    line = {"symbol": "line-ew", "size": int(panels.narrowest_cell / EW_LENGTH), "opacity": 0, "angle": 0,
            "standoff": panels.cell_height / 2, "line": {"color": theme.text, "width": 4}}  # fmt: skip
    return {
        "type": "scatter", "mode": "markers", "x": across, "y": up, "customdata": ids, "hovertext": said,
        "hovertemplate": "%{hovertext}<extra></extra>", "marker": line,
        "selected": {"marker": {"opacity": 1}}, "unselected": {"marker": {"opacity": 0}},
    }  # fmt: skip


def _axis(letter: str, panels: Panels, found: Heatmap) -> dict[str, Any]:
    plus = "+" if getattr(found, letter) in found.doublings else ""
    middles, values = panels.ticks(letter)
    edges = panels.across if letter == "x" else panels.up
    return {
        **BARE_AXIS,
        "range": [0, float(edges[-1])],
        "tickvals": middles,
        "ticktext": [f"{number(value)}{plus}" for value in values],
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
    """The titles of the axes, of the colours and of the panels, and what the marks mean."""
    paper = {"xref": "paper", "yref": "paper", "showarrow": False}
    corner = {**paper, "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "align": "left"}
    top = TOP + KEY_LINE_PX * (len(key) - 1)
    coloured = f"{found.row.label}, {found.ratio.a} / {found.ratio.b}" if found.ratio else title(found.metric)
    notes = [
        {**paper, "text": html(title(found.x)), "x": 0.5, "y": 0, "yanchor": "top",
         "yshift": -28 - panels.label_depth},
        {**paper, "text": html(title(found.y)), "x": 0, "y": 0.5, "textangle": -90, "xanchor": "right",
         "xshift": -52},
        {**corner, "text": html(coloured), "yshift": top - SCALE_FROM_TOP_PX + 4},
        {**corner, "text": "<br>".join(key), "yshift": 26, "font": {"size": 11, "color": theme.muted}},
    ]  # fmt: skip
    for place, name in enumerate(panels.names if found.panel is not None else ()):
        bottom, left = panels.corner(place)
        notes.append({"text": f"<b>{html(_panel_name(found.panel or '', name))}</b>", "showarrow": False,
                      "x": panels.across[left], "y": panels.up[bottom + len(panels.ys)], "xanchor": "left",
                      "yanchor": "bottom", "yshift": 1})  # fmt: skip
    return notes


def _panel_name(panel: str, name: Any) -> str:
    return "not stated" if name is None else setting(panel, name)


def _key(spots: Sequence[Spot], panels: Panels, found: Heatmap) -> list[str]:
    """What the marks in the cells mean, for those that occur, in lines as wide as the narrowest chart."""
    shown = [spot.cell for spot in spots]
    states = {cell.state for cell in shown}
    load = _second_line(shown, found, panels)
    words = [(f"{mark} {what}", state in states) for state, (mark, what) in WITHOUT_VALUE.items()]
    if found.ratio:
        words += [(f"A: only {html(found.ratio.a)}", "only a" in states)]
        words += [(f"B: only {html(found.ratio.b)}", "only b" in states)]
    words += [
        ("<i>italics</i>: not measured", any(_is_unmeasured(cell) for cell in shown)),
        (f"{DAGGER} flagged, see the notes", any(cell.is_flagged for cell in shown)),
        ("dotted frame: at unlike loads, not in the range", any(found.is_apart(cell) for cell in shown)),
        ("faint: no point", len(spots) < len(panels.names) * len(panels.xs) * len(panels.ys)),
        (f"@ best {LOADS.get(load, '')}", bool(load)),
    ]
    lines: list[list[str]] = [[]]
    for text in (text for text, occurs in words if occurs):
        line = re.sub(r"<[^>]*>", "", " | ".join([*lines[-1], text]))
        if lines[-1] and len(line) > KEY_LINE_CHARACTERS:
            lines.append([])
        lines[-1].append(text)
    return [" &nbsp; ".join(line) for line in lines]


def _frames(spots: Sequence[Spot], found: Heatmap, theme: Theme) -> list[dict[str, Any]]:
    """A frame around the best cell; in a ratio a dotted one in each cell at unlike loads."""
    best = found.peak.place if found.peak and not found.ratio and len(found.measured) > 1 else ""
    frames = []
    for spot in spots:
        if spot.cell.place == best:
            half, line = (0.5, 0.5), {"color": theme.text, "width": 2}
        elif found.is_apart(spot.cell):
            half, line = (0.46, 0.42), {"color": theme.muted, "width": 1, "dash": "dot"}
        else:
            continue
        frames.append({"type": "rect", "x0": spot.across - half[0], "x1": spot.across + half[0],
                       "y0": spot.up - half[1], "y1": spot.up + half[1], "line": line})  # fmt: skip
    return frames


def _text_size(panels: Panels) -> int:
    return 9 if panels.cell_width < SMALL_TEXT_PX or panels.cell_height < 20 else 11


def _texts(cells: Sequence[Cell], found: Heatmap, panels: Panels) -> list[str]:
    """What is written in these cells: the value, in italics where it was not measured, flagged with a dagger."""
    if panels.cell_width < NO_TEXT_PX:
        return [""] * len(cells)
    is_small = panels.cell_width < SMALL_TEXT_PX
    load = "" if is_small else _second_line(cells, found, panels)
    texts = []
    for cell in cells:
        value, level = cell.value or 0.0, getattr(cell.best, load) if load and cell.best else None
        text = (
            short(value, digits=2)
            if is_small
            else (number if panels.cell_width >= FULL_TEXT_PX else short)(value)
        )
        text += "×" if found.ratio and not is_small else ""
        text += "" if level is None else f'<br><span style="font-size:9px">@{short(level)}</span>'
        text += DAGGER if cell.is_flagged else ""
        texts.append(f"<i>{text}</i>" if _is_unmeasured(cell) else text)
    return texts


def _is_unmeasured(cell: Cell) -> bool:
    return any(one.evidence != "measured" for one in cell.facts)


def _second_line(cells: Sequence[Cell], found: Heatmap, panels: Panels) -> str:
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
