"""Draws a heatmap in small multiples: one colour scale, the value in the cell, an outline around the best."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import catalogue
from bench.chart import Theme, look, setting, title
from bench.chart.colouring import DARK_INK, LIGHT_INK, Colouring, of_ratios, of_values
from bench.chart.panels import BOTTOM, LEFT, RIGHT, TOP, Panels, arranged
from bench.plain_text import html
from bench.questions.heatmap.gaps import gaps
from bench.questions.heatmap.hover import hover_text, is_apart
from bench.questions.heatmap.told import MEASURED, Cell, flag_kinds
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
    "only a": (ONE_SIDE, "A"),
    "only b": (ONE_SIDE, "B"),
    "failed": (FAILURE, f'<span style="color:{FAILED}">×</span>'),
}
LOADS = {"concurrency": "concurrency", "request_rate": "requests/s", "batch": "batch"}
NAMED_PANELS = frozenset({"accelerator", "model", "engine"})


def draw(numbers: Mapping[str, Any], theme: Theme) -> go.Figure:
    """The figure of a heatmap's answer, from its numbers: axes, metric, panel, scale and cells."""
    if not numbers["cells"]:
        return _empty(theme)
    panels = _panels(numbers)
    cells = _placed(numbers, panels)
    measured = [cell for cell in cells if cell["state"] == MEASURED and not is_apart(cell, numbers)]
    key = _key(cells, panels, numbers)
    further = KEY_LINE_PX * (len(key) - 1)
    colouring = _colouring(numbers, theme)
    traces = [
        _states(cells, numbers, panels, theme),
        *_values(measured, numbers, panels, colouring),
        _clickable([*_told(cells, numbers), *gaps(numbers, panels)], panels, theme),
    ]
    return _figure(
        traces,
        theme,
        panels.height + further,
        margin={"l": LEFT, "r": RIGHT, "t": TOP + further, "b": BOTTOM + panels.label_depth},
        xaxis=_axis("x", panels, numbers),
        yaxis=_axis("y", panels, numbers),
        hovermode="closest",
        hoverdistance=30,
        dragmode=False,
        coloraxis=_coloraxis(colouring, theme, panels.height + further),
        annotations=_annotations(key, panels, numbers, theme),
        shapes=[*_outline(cells, panels, numbers, theme), *_frames(cells, numbers, theme)],
    )


def _empty(theme: Theme) -> go.Figure:
    said = {"text": "No cell to draw", "showarrow": False, "font": {"color": theme.muted}}
    return _figure([], theme, 200, xaxis={"visible": False}, yaxis={"visible": False}, annotations=[said])


def _figure(traces: list[dict[str, Any]], theme: Theme, height: int, **settings: Any) -> go.Figure:
    """The figure in one piece: plotly checks settings several times faster at once than one update at a time."""
    whole = {**look(theme, height=height), "showlegend": False, **settings}
    return go.Figure({"data": traces, "layout": whole})


def _panels(numbers: Mapping[str, Any]) -> Panels:
    cells, panel = numbers["cells"], numbers["panel"]
    names = {cell["panel"] for cell in cells}
    stated = sorted(
        (name for name in names if name is not None),
        key=lambda name: setting(panel, name).lower() if panel in NAMED_PANELS else name,
    )
    xs, ys = (sorted({cell[axis] for cell in cells}) for axis in ("x", "y"))
    shown = [*stated, *([None] if None in names else [])]
    longest = max((len(_panel_name(panel, name)) for name in shown), default=0) if panel else 0
    return arranged(shown, xs, ys, longest)


def _placed(numbers: Mapping[str, Any], panels: Panels) -> list[dict[str, Any]]:
    """The cells with their `line` and `column` among those of all panels, and their middle on the axes."""
    places = {name: panels.corner(place) for place, name in enumerate(panels.names)}
    columns, lines = (
        {value: place for place, value in enumerate(values)} for values in (panels.xs, panels.ys)
    )
    across, up = panels.across.tolist(), panels.up.tolist()
    placed = []
    for cell in numbers["cells"]:
        bottom, left = places[cell["panel"]]
        line, column = bottom + lines[cell["y"]], left + columns[cell["x"]]
        placed.append(
            {**cell, "line": line, "column": column, "across": across[column] + 0.5, "up": up[line] + 0.5}
        )
    return placed


def _colouring(numbers: Mapping[str, Any], theme: Theme) -> Colouring:
    """The colours of the values from one end of the answer's span to the other; beyond an end they stay the same."""
    span = np.array(numbers["span"], dtype=float)
    if numbers["ratio"]:
        return of_ratios(span, numbers["better"], theme)
    return of_values(span, numbers["better"], log=numbers["scale"] == "log")


def _states(
    cells: list[dict[str, Any]], numbers: Mapping[str, Any], panels: Panels, theme: Theme
) -> dict[str, Any]:
    """Every cell without a colour of its own: faint where nothing was measured, marked where something was."""
    grounds = np.full((len(panels.up) - 1, len(panels.across) - 1), np.nan)
    marks = np.full(grounds.shape, "", dtype=object)
    for place in range(len(panels.names)):
        bottom, left = panels.corner(place)
        grounds[bottom : bottom + len(panels.ys), left : left + len(panels.xs)] = SLOT
    for cell in cells:
        at = cell["line"], cell["column"]
        grounds[at], marks[at] = MARKS.get(cell["state"], (np.nan, ""))
        if is_apart(cell, numbers):
            text = _texts([cell], numbers, panels)[0]
            size = _text_size(panels)
            grounds[at] = SLOT
            marks[at] = f'<span style="font-size:{size}px;color:{theme.text}">{text}</span>' if text else ""
    # Ratios near 1 are grey themselves, so that in a ratio no other cell is.
    bare = "rgba(0,0,0,0)" if numbers["ratio"] else theme.grid
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
    measured: list[dict[str, Any]], numbers: Mapping[str, Any], panels: Panels, colouring: Colouring
) -> list[dict[str, Any]]:
    """The cells with a value: those whose colour reads best under dark text, and those under light text."""
    if not measured:
        return []
    values = np.array([cell["value"] for cell in measured], dtype=float)
    scaled, dark = colouring.of(values), colouring.dark_ink(values)
    texts = _texts(measured, numbers, panels)
    traces = []
    for ink, inked in ((DARK_INK, dark), (LIGHT_INK, ~dark)):
        z = np.full((len(panels.up) - 1, len(panels.across) - 1), np.nan)
        text = np.full(z.shape, "", dtype=object)
        for place in np.flatnonzero(inked):
            at = measured[place]["line"], measured[place]["column"]
            z[at], text[at] = scaled[place], texts[place]
        if inked.any():
            traces.append({**_bricks(panels), "z": z, "text": text, "coloraxis": "coloraxis",
                           "textfont": {"color": ink, "size": _text_size(panels)}})  # fmt: skip
    return traces


def _bricks(panels: Panels) -> dict[str, Any]:
    return {"type": "heatmap", "x": panels.across, "y": panels.up, "xgap": 2, "ygap": 2, "hoverinfo": "skip",
            "texttemplate": "%{text}"}  # fmt: skip


def _told(cells: list[dict[str, Any]], numbers: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The cells with what they say when they are pointed at."""
    return [{**cell, "said": hover_text(cell, numbers)} for cell in cells]


def _clickable(cells: list[dict[str, Any]], panels: Panels, theme: Theme) -> dict[str, Any]:
    """An unseen line under each cell, seen once the cell is clicked: only scatter points can be selected there."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [cell["across"] for cell in cells],
        "y": [cell["up"] for cell in cells],
        "customdata": [cell["cell"] for cell in cells],
        "hovertext": [cell["said"] for cell in cells],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "marker": {"symbol": "line-ew", "size": int(panels.narrowest_cell / EW_LENGTH), "opacity": 0,
                   "angle": 0, "standoff": panels.cell_height / 2,
                   "line": {"color": theme.text, "width": 4}},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0}},
    }  # fmt: skip


def _axis(letter: str, panels: Panels, numbers: Mapping[str, Any]) -> dict[str, Any]:
    plus = "+" if numbers[letter] in numbers["in_doublings"] else ""
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


def _annotations(
    key: list[str], panels: Panels, numbers: Mapping[str, Any], theme: Theme
) -> list[dict[str, Any]]:
    paper = {"xref": "paper", "yref": "paper", "showarrow": False}
    corner = {**paper, "x": 0, "y": 1, "xanchor": "left", "yanchor": "bottom", "align": "left"}
    top = TOP + KEY_LINE_PX * (len(key) - 1)
    notes = [
        {**paper, "text": html(title(numbers["x"])), "x": 0.5, "y": 0, "yanchor": "top",
         "yshift": -28 - panels.label_depth},
        {**paper, "text": html(title(numbers["y"])), "x": 0, "y": 0.5, "textangle": -90, "xanchor": "right",
         "xshift": -52},
        {**corner, "text": _coloured_by(numbers), "yshift": top - SCALE_FROM_TOP_PX + 4},
        {**corner, "text": "<br>".join(key), "yshift": 26, "font": {"size": 11, "color": theme.muted}},
    ]  # fmt: skip
    if numbers["panel"] is not None:
        for place, name in enumerate(panels.names):
            bottom, left = panels.corner(place)
            notes.append({"text": f"<b>{html(_panel_name(numbers['panel'], name))}</b>", "showarrow": False,
                          "x": panels.across[left], "y": panels.up[bottom + len(panels.ys)], "xanchor": "left",
                          "yanchor": "bottom", "yshift": 1})  # fmt: skip
    return notes


def _panel_name(panel: str, name: Any) -> str:
    return "not stated" if name is None else setting(panel, name)


def _coloured_by(numbers: Mapping[str, Any]) -> str:
    if not numbers["ratio"]:
        return html(title(numbers["metric"]))
    words = f"{numbers['ratio']['a']} / {numbers['ratio']['b']}"
    return html(f"{catalogue.metric(numbers['metric']).label}, {words}")


def _key(cells: list[dict[str, Any]], panels: Panels, numbers: Mapping[str, Any]) -> list[str]:
    """What the marks in the cells mean, for those that occur, in lines as wide as the narrowest chart."""
    states = {cell["state"] for cell in cells}
    sides = numbers["ratio"] or {"a": "", "b": ""}
    load = _second_line(cells, numbers, panels)
    words = [
        (f"{MARKS['failed'][1]} failed", "failed" in states),
        ("– points without this metric", "no metric" in states),
        (f"A: only {html(sides['a'])}", "only a" in states),
        (f"B: only {html(sides['b'])}", "only b" in states),
        ("<i>italics</i>: not measured", any(cell.get("evidence") not in (None, MEASURED) for cell in cells)),
        (f"{DAGGER} flagged, see the notes", any(flag_kinds(cell) for cell in cells)),
        ("dotted frame: at unlike loads, not in the range", any(is_apart(cell, numbers) for cell in cells)),
        ("faint: no point", len(cells) < len(panels.names) * len(panels.xs) * len(panels.ys)),
        (f"@ best {LOADS.get(load, '')}", bool(load)),
    ]
    lines: list[list[str]] = [[]]
    for text in (text for text, occurs in words if occurs):
        shown = re.sub(r"<[^>]*>", "", " | ".join([*lines[-1], text]))
        if lines[-1] and len(shown) > KEY_LINE_CHARACTERS:
            lines.append([])
        lines[-1].append(text)
    return [" &nbsp; ".join(line) for line in lines]


def _frames(cells: list[dict[str, Any]], numbers: Mapping[str, Any], theme: Theme) -> list[dict[str, Any]]:
    """A dotted frame in each cell whose two sides were measured at unlike loads."""
    return [
        {"type": "rect", "x0": cell["across"] - 0.46, "x1": cell["across"] + 0.46, "y0": cell["up"] - 0.42,
         "y1": cell["up"] + 0.42, "line": {"color": theme.muted, "width": 1, "dash": "dot"}}
        for cell in cells
        if is_apart(cell, numbers)
    ]  # fmt: skip


def _outline(
    cells: list[dict[str, Any]], panels: Panels, numbers: Mapping[str, Any], theme: Theme
) -> list[dict[str, Any]]:
    """A frame around the best cell."""
    if numbers["peak"] is None or numbers["ratio"] or numbers["measured"] < 2:
        return []
    best = next(cell for cell in cells if cell["cell"] == numbers["peak"]["cell"])
    x, y = best["across"], best["up"]
    return [{"type": "rect", "x0": x - 0.5, "x1": x + 0.5, "y0": y - 0.5, "y1": y + 0.5,
             "line": {"color": theme.text, "width": 2}}]  # fmt: skip


def _text_size(panels: Panels) -> int:
    return 9 if panels.cell_width < SMALL_TEXT_PX or panels.cell_height < 20 else 11


def _texts(measured: Iterable[Cell], numbers: Mapping[str, Any], panels: Panels) -> list[str]:
    measured = list(measured)
    if panels.cell_width < NO_TEXT_PX:
        return [""] * len(measured)
    if panels.cell_width < SMALL_TEXT_PX:
        return [_noted(short(cell["value"], digits=2), cell) for cell in measured]
    write = number if panels.cell_width >= FULL_TEXT_PX else short
    sign = "×" if numbers["ratio"] else ""
    load = _second_line(measured, numbers, panels)
    return [_noted(f"{write(cell['value'])}{sign}{_under(cell.get(load))}", cell) for cell in measured]


def _noted(text: str, cell: Cell) -> str:
    """The text, in italics where the value was not measured, with a dagger where a point behind it is flagged."""
    noted = f"{text}{DAGGER}" if flag_kinds(cell) else text
    return noted if cell.get("evidence", MEASURED) == MEASURED else f"<i>{noted}</i>"


def _under(level: float | None) -> str:
    return "" if level is None else f'<br><span style="font-size:9px">@{short(level)}</span>'


def _second_line(cells: Iterable[Cell], numbers: Mapping[str, Any], panels: Panels) -> str:
    """The load that is written under the values: of the best point, where loads differ and the cells have room."""
    if numbers["load"] != "best" or min(panels.cell_height, panels.cell_width) < SECOND_LINE_PX:
        return ""
    free = [key for key in LOADS if key not in (numbers["x"], numbers["y"], numbers["panel"])]
    return next((key for key in free if len({cell.get(key) for cell in cells} - {None}) > 1), "")


def short(value: float, digits: int = 3) -> str:
    """The value in a few characters: 13.2k for 13,181, with two digits 13k and 0.88."""
    rounded = float(f"{value:.{digits}g}")
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(rounded) >= (1e4 if size == 1e3 and digits > 2 else size):
            return f"{rounded / size:g}{letter}"
    return f"{rounded:g}" if digits == 2 else number(value)
