"""What charts draw points and lines with: traces, how they look, and what a click and the pointer get of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

TraceSettings = dict[str, Any]

HOVER = "%{hovertext}<extra></extra>"
"""What says the hovertext of a place alone."""


def scatter(xs: Any, ys: Any, said: TraceSettings | None = None, /, **look: Any) -> TraceSettings:
    """plotly's trace of these places: a line where the look has one, markers where it has those.

    `said` is what it gives to the pointer and to a click; without it the pointer passes over.
    """
    mode = "+".join(f"{part}s" for part in ("line", "marker") if part in look)
    return {"type": "scatter", "mode": mode, "x": xs, "y": ys, **(said or {"hoverinfo": "skip"}), **look}


def marker(symbol: Any, size: Any, colour: Any, width: float = 1.0, opacity: Any = 1) -> TraceSettings:
    """plotly's settings of markers with an outline in their own colour."""
    outline = {"width": width, "color": colour}
    return {"symbol": symbol, "size": size, "color": colour, "opacity": opacity, "line": outline}


def stroke(colour: str, width: float, dash: str = "solid", **more: Any) -> TraceSettings:
    """plotly's settings of a line."""
    return {"color": colour, "width": width, "dash": dash, **more}


def telling(ids: Iterable[str], texts: Iterable[str]) -> TraceSettings:
    """Each place's id for a click, and its text under the pointer."""
    told = [list(own) for own in zip(ids, texts, strict=True)]
    return {"customdata": told, "hovertemplate": "%{customdata[1]}<extra></extra>"}
