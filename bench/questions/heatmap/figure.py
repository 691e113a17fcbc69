"""A heatmap's chart in small multiples: one colour scale, the value in the cell, an outline around the best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.basis.wording import opened
from bench.catalogue import is_share
from bench.chart import Theme, hover_lines, look, setting, title, value_label
from bench.chart.axis import title_lines
from bench.chart.colouring import Colouring, of_ratios, of_values
from bench.chart.panels import BOTTOM, LEFT, RIGHT, TOP, Panels, arranged
from bench.chart.texts import from_width, text_at
from bench.chart.traces import HOVER, marker, scatter
from bench.plain_text import html
from bench.questions.heatmap.grid import cell_id
from bench.questions.heatmap.result import WITHOUT_VALUE, Cell, Heatmap
from bench.wording import counted, number, share, short

FULL_TEXT_PX = 50
"""Narrower cells than this take short numbers."""

TEXT_SIZE, MARK_SIZE, PHONE_PX = 11, 13, 700

MANY_TICKS, MOST_GAPS = 40, 4_000
"""On an axis with more ticks they are small; more cells than this are too small to be aimed at when empty."""

KEY_LINE_PX, KEY_LINE_CHARACTERS = 15, 48
"""A line of what the marks mean: its height, and what fits into it on the narrowest chart."""

SCALE_FROM_TOP_PX = 32
EW_LENGTH = 2.8
"""plotly's "line-ew" is 1.4 times its radius long to either side."""

FAILED = "#D55E00"
DAGGER = "†"
SLOT, MARKED, ONE_SIDE, FAILURE = 0.0, 1.0, 2.0, 3.0
LOADS = {"concurrency": "concurrency", "request_rate": "requests/s", "batch": "batch"}
BARE_AXIS = {**dict.fromkeys(("showgrid", "zeroline", "showline"), False), "ticks": "", "fixedrange": True}


def figure(heatmap: Heatmap, theme: Theme) -> go.Figure:
    """One heatmap for each panel, all on one colour scale, their cells clickable: customdata is the cell's id."""
    if not heatmap.drawn:
        return chart.empty("No cell to draw", theme)
    panels = _panels(heatmap)
    key = _key(panels, heatmap)
    further = KEY_LINE_PX * (len(key) - 1)
    height, span = panels.height + further, np.array(heatmap.span, dtype=float)
    written = share if is_share(heatmap.metric) else number
    colouring = of_values(span, heatmap.row.better, log=heatmap.is_log, written=written)
    if heatmap.ratio:
        colouring = of_ratios(span, heatmap.row.better, theme)
    # In one piece: plotly checks settings several times faster at once than one update at a time.
    cells = [_states(heatmap, panels, theme), _values(heatmap, panels, colouring)]
    layout = {
        **look(theme, height=height),
        "showlegend": False,
        "hovermode": "closest",
        "hoverdistance": 30,
        "margin": {"l": LEFT, "r": RIGHT, "t": TOP + further, "b": BOTTOM + panels.label_depth},
        "xaxis": _axis("x", panels, heatmap),
        "yaxis": _axis("y", panels, heatmap),
        "dragmode": False,
        "coloraxis": colouring.axis(theme, y=1 - SCALE_FROM_TOP_PX / height),
        "annotations": _annotations(key, panels, heatmap, theme),
        "shapes": _frames(heatmap, panels, theme),
    }
    return go.Figure({"data": [*cells, _clickable(heatmap, panels, theme)], "layout": layout})


def _panels(found: Heatmap) -> Panels:
    cells, panel = found.drawn, found.panel or ""
    names = {cell.panel for cell in cells}
    by_name = panel in ("accelerator", "model", "engine")
    stated = sorted(names - {None}, key=lambda name: setting(panel, name).lower() if by_name else name)
    shown = [*stated, *names & {None}]
    ys = [{cell.y for cell in cells if cell.panel == name} for name in shown]
    longest = max((len(_panel_name(panel, name)) for name in shown), default=0) if panel else 0
    return arranged(shown, sorted({cell.x for cell in cells}), ys, longest)


def _states(heatmap: Heatmap, panels: Panels, theme: Theme) -> dict[str, Any]:
    """Every cell without a colour of its own: faint where nothing was measured, marked where something was."""
    grounds = np.full((len(panels.up) - 1, len(panels.across) - 1), np.nan)
    marks = np.full(grounds.shape, "", dtype=object)
    for spot in panels.spots.values():
        grounds[spot.line, spot.column] = SLOT
    for cell in heatmap.drawn:
        at = panels.spots[cell.panel, cell.x, cell.y][:2]
        grounds[at] = np.nan if cell.is_measured else ONE_SIDE if cell.facts else MARKED
        if not cell.is_measured:
            marks[at] = ("A" if cell.best else "B") if cell.facts else WITHOUT_VALUE[cell.state][0]
        if cell.state == "failed":
            grounds[at] = FAILURE
        if heatmap.is_apart(cell):
            text = _texts([cell], heatmap, panels)[0]
            grounds[at] = SLOT
            marks[at] = f'<span style="font-size:{TEXT_SIZE}px">{_shown(text, panels)}</span>' if text else ""
    # Ratios near 1 are grey themselves, so that in a ratio no other cell is.
    bare = "rgba(0,0,0,0)" if heatmap.ratio else theme.grid
    colours = (f"{theme.grid}55", bare, bare, f"{FAILED}66")
    scale = [[edge, colour] for place, colour in enumerate(colours) for edge in (place / 4, (place + 1) / 4)]
    return {
        **_bricks(panels),
        "z": grounds,
        "text": marks,
        "zmin": SLOT - 0.5,
        "zmax": FAILURE + 0.5,
        "colorscale": scale,
        "showscale": False,
        "textfont": {"color": theme.text, "size": MARK_SIZE},
    }


def _values(heatmap: Heatmap, panels: Panels, colouring: Colouring) -> dict[str, Any]:
    """The cells with a value, each in its colour."""
    measured = [cell for cell in heatmap.drawn if cell.is_measured and not heatmap.is_apart(cell)]
    values = np.full((len(panels.up) - 1, len(panels.across) - 1), np.nan)
    texts = np.full(values.shape, "", dtype=object)
    for cell, text in zip(measured, _texts(measured, heatmap, panels), strict=True):
        at = panels.spots[cell.panel, cell.x, cell.y][:2]
        values[at], texts[at] = cell.value, text
    shown = {"coloraxis": "coloraxis", "texttemplate": _shown("%{text}", panels)}
    return {**colouring.cells(values, texts), **_bricks(panels), **shown}


def _bricks(panels: Panels) -> dict[str, Any]:
    return {
        "type": "heatmap",
        "x": panels.across,
        "y": panels.up,
        "xgap": 2,
        "ygap": 2,
        "hoverinfo": "skip",
        "texttemplate": "%{text}",
    }


def _clickable(heatmap: Heatmap, panels: Panels, theme: Theme) -> dict[str, Any]:
    """An unseen line under each cell, seen once the cell is clicked: only scatter points can be selected there."""
    texts = {(cell.panel, cell.x, cell.y): _hover_text(cell, heatmap) for cell in heatmap.drawn}
    if len(panels.spots) <= MOST_GAPS:
        texts |= {place: _gap_text(*place[1:], heatmap) for place in panels.spots if place not in texts}
    line = marker("line-ew", int(panels.narrowest_cell / EW_LENGTH), theme.text, 4, 0)
    return scatter(
        [panels.spots[place].across for place in texts],
        [panels.spots[place].up for place in texts],
        {"hovertext": list(texts.values()), "hovertemplate": HOVER},
        customdata=[cell_id(*place) for place in texts],
        marker={**line, "angle": 0, "standoff": panels.cell_height / 2},
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0}},
    )


def _axis(letter: str, panels: Panels, found: Heatmap) -> dict[str, Any]:
    plus = "+" if getattr(found, letter) in found.doublings else ""
    middles, values = panels.ticks(letter)
    edges = panels.across if letter == "x" else panels.up
    every, many = (panels.labelled_every, len(panels.xs)) if letter == "x" else (1, 1)
    labels = [f"{number(value)}{plus}" for value in values]
    return {
        **BARE_AXIS,
        "ticklabelstandoff": 3,
        "range": [0, float(edges[-1])],
        "tickvals": middles,
        "ticktext": [
            label if place % many % every == 0 else from_width(label, PHONE_PX) for place, label in enumerate(labels)
        ],
        "tickangle": -90 if letter == "x" and panels.label_depth else 0,
        "tickfont": {"size": 11 if len(middles) <= MANY_TICKS else 9},
    }


def _annotations(key: list[str], panels: Panels, heatmap: Heatmap, theme: Theme) -> list[dict[str, Any]]:
    """The titles of the axes, of the colours and of the panels, and what the marks mean."""
    top = TOP + KEY_LINE_PX * (len(key) - 1)
    coloured = f"{heatmap.row.label}, {heatmap.ratio.a} / {heatmap.ratio.b}" if heatmap.ratio else title(heatmap.metric)
    on, lines = "paper paper", title_lines(coloured, KEY_LINE_CHARACTERS)
    notes = [
        text_at(html(title(heatmap.x)), 0.5, 0, on, "auto top", shift=(0, -28 - panels.label_depth), size=13),
        text_at(html(title(heatmap.y)), 0, 0.5, on, "right auto", shift=(-52, 0), size=13, textangle=-90),
        text_at(lines, 0, 1, on, shift=(0, top - SCALE_FROM_TOP_PX + 4), size=13, align="left"),
        text_at("<br>".join(key), 0, 1, on, shift=(0, 26), size=11, colour=theme.muted, align="left"),
    ]
    for place, name in enumerate(panels.names if heatmap.panel is not None else ()):
        text, x = f"<b>{html(_panel_name(heatmap.panel or '', name))}</b>", panels.across[panels.corner(place)[1]]
        notes.append(text_at(text, x, panels.top(place), shift=(0, 1), size=13))
    return notes


def _panel_name(panel: str, name: Any) -> str:
    return "not stated" if name is None else setting(panel, name)


def _key(panels: Panels, heatmap: Heatmap) -> list[str]:
    """What the marks in the cells mean, for those that occur, in lines as wide as the narrowest chart."""
    shown = heatmap.drawn
    states = {cell.state for cell in shown}
    load, is_readable = _second_line(shown, heatmap, panels), panels.readable_from is not None
    words = [(f"{mark} {what}", state in states) for state, (mark, what) in WITHOUT_VALUE.items()]
    if heatmap.ratio:
        words += [(f"A: only {html(heatmap.ratio.a)}", "only a" in states)]
        words += [(f"B: only {html(heatmap.ratio.b)}", "only b" in states)]
    words += [
        ("<i>italics</i>: not measured", is_readable and any(cell.is_unmeasured for cell in shown)),
        (f"{DAGGER} flagged, see the notes", any(cell.is_flagged for cell in shown)),
        ("dotted frame: at unlike loads, not in the range", any(heatmap.is_apart(cell) for cell in shown)),
        ("faint: no point", len(shown) < len(panels.spots)),
        (f"@ best {LOADS.get(load, '')}", bool(load)),
    ]
    lines: list[list[str]] = [[]]
    for text in (text for text, occurs in words if occurs):
        line = re.sub(r"<[^>]*>", "", " | ".join([*lines[-1], text]))
        if lines[-1] and len(line) > KEY_LINE_CHARACTERS:
            lines.append([])
        lines[-1].append(text)
    return [" &nbsp; ".join(line) for line in lines]


def _frames(heatmap: Heatmap, panels: Panels, theme: Theme) -> list[dict[str, Any]]:
    """A frame around the best cell; in a ratio a dotted one in each cell at unlike loads."""
    best = heatmap.peak if not heatmap.ratio and len(heatmap.measured) > 1 else None
    frames = []
    for cell in heatmap.drawn:
        wide, high, line = 0.5, 0.5, {"color": theme.text, "width": 2, "dash": "solid"}
        if heatmap.is_apart(cell):
            wide, high, line = 0.46, 0.42, {"color": theme.muted, "width": 1, "dash": "dot"}
        elif cell is not best:
            continue
        _, _, x, y = panels.spots[cell.panel, cell.x, cell.y]
        ends = {"x0": x - wide, "x1": x + wide, "y0": y - high, "y1": y + high}
        frames.append({"type": "rect", **ends, "line": line})
    return frames


def _shown(text: str, panels: Panels) -> str:
    """A text in a cell, on pages where cells have room for it."""
    return from_width(text, panels.readable_from) if panels.readable_from else text


def _texts(cells: Sequence[Cell], heatmap: Heatmap, panels: Panels) -> list[str]:
    """What is written in these cells: the value, in italics where it was not measured, flagged with a dagger.

    Cells that never have room for a number have the dagger alone.
    """
    if panels.readable_from is None:
        return [DAGGER if cell.is_flagged else "" for cell in cells]
    is_short, load = panels.readable_width < FULL_TEXT_PX, _second_line(cells, heatmap, panels)
    texts = []
    for cell in cells:
        value, level = cell.value or 0.0, getattr(cell.best, load) if load and cell.best else None
        in_full = number(value) if heatmap.ratio else value_label(heatmap.metric, value)
        text = short(value) if is_short and "%" not in in_full else in_full
        text += "×" if heatmap.ratio else ""
        text += "" if level is None else f'<br><span style="font-size:9px">@{short(level)}</span>'
        text += DAGGER if cell.is_flagged else ""
        texts.append(f"<i>{text}</i>" if cell.is_unmeasured else text)
    return texts


def _second_line(cells: Sequence[Cell], heatmap: Heatmap, panels: Panels) -> str:
    """The load that is written under the values: of the best point, where loads differ and the cells have room."""
    if heatmap.level != "best" or heatmap.ratio or panels.readable_from is None:
        return ""
    best = [cell.best for cell in cells if cell.best]
    free = [key for key in LOADS if key not in {heatmap.x, heatmap.y, heatmap.panel} - {*heatmap.doublings}]
    return next((key for key in free if len({getattr(one, key) for one in best} - {None}) > 1), "")


def _gap_text(x: float, y: float, found: Heatmap) -> str:
    """What a place without a point says when pointed at."""
    where = html(f"{setting(found.x, x)}, {setting(found.y, y)}")
    return f"<b>Not measured</b><br>{where}<br>Click to measure it"


def _hover_text(cell: Cell, heatmap: Heatmap) -> str:
    """What a cell says when pointed at: its best point, or both sides of its ratio, or why it has no value."""
    where = html(f"{setting(heatmap.x, cell.x)}, {setting(heatmap.y, cell.y)}")
    where, many = f"<br>{where}<br>", counted(cell.points, "point")
    if not cell.facts:
        what = html(WITHOUT_VALUE[cell.state][1])
        return f"<b>{opened(what)}</b>{where}{many}"
    if heatmap.ratio is None:
        row = {**cell.facts[0].row, heatmap.metric: cell.value, "passport": cell.passport}
        return f"{hover_lines(row, [heatmap.metric])}<br>best of {many}"
    said = f"<b>{f'{number(cell.value)} times' if cell.is_measured else 'Only one side'}</b>{where}{many}"
    if cell.is_measured and not cell.alike:
        said += f"<br><i>At unlike loads{', so not in the range' if heatmap.is_apart(cell) else ''}</i>"
    for label, value, best in ((heatmap.ratio.a, cell.a, cell.best), (heatmap.ratio.b, cell.b, cell.best_b)):
        if best is not None:
            told = f"{html(label)}: <b>{value_label(heatmap.metric, value)}</b> {html(heatmap.row.unit)}"
            said += f"<br>{told}<br>{html(best.words())}"
    return said
