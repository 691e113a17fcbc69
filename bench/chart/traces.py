"""What charts draw points and lines with: traces, how they look, and what a click and the pointer get of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

TraceSettings = dict[str, Any]

HOVER = "%{hovertext}<extra></extra>"
"""A hover box with the hovertext of a point alone."""


def scatter(xs: Any, ys: Any, hover: TraceSettings | None = None, /, **look: Any) -> TraceSettings:
    """plotly's trace of these places: a line where the look has one, markers where it has those.

    `hover` is what the pointer shows and a click gives; without it the pointer passes over.
    """
    mode = "+".join(f"{part}s" for part in ("line", "marker") if part in look)
    return {"type": "scatter", "mode": mode, "x": xs, "y": ys, **(hover or {"hoverinfo": "skip"}), **look}


def marker(symbol: Any, size: Any, colour: Any, width: float = 1.0, opacity: Any = 1) -> TraceSettings:
    """plotly's settings of markers with an outline in their own colour."""
    outline = {"width": width, "color": colour}
    return {"symbol": symbol, "size": size, "color": colour, "opacity": opacity, "line": outline}


def stroke(colour: str, width: float, dash: str = "solid", **more: Any) -> TraceSettings:
    """plotly's settings of a line."""
    return {"color": colour, "width": width, "dash": dash, **more}


def clickable(ids: Iterable[str], texts: Iterable[str]) -> TraceSettings:
    """Each point's id for a click, and its text under the pointer."""
    rows = [list(row) for row in zip(ids, texts, strict=True)]
    return {"customdata": rows, "hovertemplate": "%{customdata[1]}<extra></extra>"}
