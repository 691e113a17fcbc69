"""The memory chart as a heatmap: requests that fit by chips and tokens, or the longest request by chips and batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.chart import Theme, look, value_label
from bench.chart.colouring import Colouring, of_values
from bench.chart.texts import text_at
from bench.plain_text import html
from bench.questions.memory.result import Memory, MemoryCell
from bench.wording import counted, number, short

ROW_PX, AROUND_PX, SCALE_FROM_TOP_PX = 30, 150, 34
TOP, LEFT, BOTTOM, RIGHT = 88, 84, 62, 16
NOT_FITTING, NOT_KNOWN = "–", "?"


def heat(result: Memory, theme: Theme) -> go.Figure:
    """The cells of the chart that is chosen; one that holds nothing has a dash."""
    cells = result.requests_by if result.chart == "requests" else result.longest_by
    filled = [cell for cell in cells if cell.value]
    if not filled or result.on is None:
        return chart.empty("Nothing is known to fit.", theme)
    across, up = (sorted({getattr(cell, way) for cell in cells}) for way in ("across", "up"))
    colouring = of_values(np.array([cell.value for cell in filled], dtype=float), "higher", log=True)
    height = AROUND_PX + ROW_PX * len(up)
    figure = {
        "data": [*_traces(cells, across, up, colouring, theme, result)],
        "layout": {
            **look(theme, height=height),
            "showlegend": False,
            "dragmode": False,
            "margin": {"l": LEFT, "r": RIGHT, "t": TOP, "b": BOTTOM},
            "coloraxis": colouring.axis(theme, y=1 - SCALE_FROM_TOP_PX / height),
            "xaxis": _axis("Accelerators (chips)", across),
            "yaxis": _axis(_up(result), up),
        },
    }
    drawn = go.Figure(figure)
    said = f"{_what(result)} on {html(value_label('accelerator', result.on))}"
    return drawn.add_annotation(text_at(said, 0, 1, "paper paper", shift=(0, 6), size=12))


def _up(result: Memory) -> str:
    return "Tokens of a request (ISL + OSL)" if result.chart == "requests" else "Requests at once"


def _what(result: Memory) -> str:
    most = " at most" * result.is_lower_bound
    return f"Requests that fit{most}" if result.chart == "requests" else f"Longest request{most} (tokens)"


def _axis(title: str, values: Sequence[int]) -> dict[str, Any]:
    return {
        "title": {"text": title, "font": {"size": 13}},
        "tickvals": list(range(len(values))),
        "ticktext": [f"{one:,}" for one in values],
        "showgrid": False,
        "zeroline": False,
        "showline": False,
        "ticks": "",
        "fixedrange": True,
    }


def _traces(
    cells: Sequence[MemoryCell],
    across: Sequence[int],
    up: Sequence[int],
    colouring: Colouring,
    theme: Theme,
    result: Memory,
) -> list[dict[str, Any]]:
    """The cells without a value, and those with one."""
    values = np.full((len(up), len(across)), np.nan)
    bare = np.full(values.shape, "", dtype=object)
    for cell in cells:
        at = up.index(cell.up), across.index(cell.across)
        values[at] = cell.value or math.nan
        bare[at] = "" if cell.value else NOT_KNOWN if cell.value is None else NOT_FITTING
    common = {"x": list(range(len(across))), "y": list(range(len(up)))}
    texts = [["" if math.isnan(one) else _in_cell(one) for one in line] for line in values.tolist()]
    hovers = _hovers(cells, across, up, result)
    filled = colouring.cells(values, texts, hovers, coloraxis="coloraxis", **common)
    ground = {"colorscale": [[0, f"{theme.grid}55"], [1, f"{theme.grid}55"]], "showscale": False}
    empty = {"z": np.where(np.isnan(values), 0.0, np.nan), "text": bare, "textfont": {"color": theme.text}}
    plain = {key: one for key, one in filled.items() if key != "coloraxis"}
    return [{**plain, **empty, **ground}, filled]


def _in_cell(value: float) -> str:
    return short(value) if value >= 100_000 else number(value)


def _hovers(cells: Sequence[MemoryCell], across: Sequence[int], up: Sequence[int], result: Memory) -> list[list[str]]:
    said = [[""] * len(across) for _ in up]
    for cell in cells:
        on = f"{cell.across} x {html(value_label('accelerator', result.on or ''))}"
        if cell.value is None:
            held = "not known"
        elif result.chart == "requests":
            most = "at most " * result.is_lower_bound
            held = f"{most}{counted(cell.value, 'request')} of {number(cell.up)} tokens"
        else:
            held = f"{counted(cell.up, 'request')} of {number(cell.value)} tokens at most"
        said[up.index(cell.up)][across.index(cell.across)] = f"{on}: {held if cell.value != 0 else 'does not fit'}"
    return said
