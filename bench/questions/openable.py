"""What of a chart can be opened by itself, a point or a cell, in the order in which a reader looks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go

POINT = re.compile(r"[0-9a-f]{16}(:[0-9]{1,6})?")
"""A point's id, or a projected place of a chart, which is its measured point's id and how many times that."""

CELL = re.compile(r".{0,80}\|[-+.0-9e]{1,30}\|[-+.0-9e]{1,30}", re.DOTALL)

LEADS = ("on_overall_frontier", "on_frontier")
"""Columns of an answer's rows that say of a point that it leads."""


def openable(rows: pd.DataFrame, figure: go.Figure) -> tuple[str, ...]:
    """The ids of the points or cells that can be clicked in an answer's chart: what leads first, then as rows stand.

    None where a click opens something else.
    """
    drawn = [id for id in dict.fromkeys(_drawn(figure)) if POINT.fullmatch(id) or CELL.fullmatch(id)]
    ranks = {id: place for place, id in enumerate(_in_order(rows))}
    return tuple(sorted(drawn, key=lambda id: ranks.get(id, len(ranks))))


def measured_of(id: str) -> str:
    """The id of the point behind a place of a chart, which is the place itself where it was measured."""
    return id.partition(":")[0]


def marked(figure: go.Figure, id: str) -> go.Figure:
    """The chart with this point or cell standing out, as one that was clicked does; as it is where it has none such."""
    if id not in _drawn(figure):
        return figure
    made = go.Figure(figure)
    for trace in made.data:
        if ids := _ids(trace):
            trace.selectedpoints = [place for place, one in enumerate(ids) if one == id]
    return made


def _drawn(figure: go.Figure) -> Iterator[str]:
    for trace in figure.data:
        yield from _ids(trace)


def _ids(trace: object) -> list[str]:
    held = getattr(trace, "customdata", None)
    return [
        str(one if isinstance(one, str) or not hasattr(one, "__getitem__") else one[0])
        for one in (() if held is None else held)
    ]


def _in_order(rows: pd.DataFrame) -> list[str]:
    if "point_id" not in rows:
        return []
    leading = [column for column in LEADS if column in rows]
    ordered = rows.sort_values(leading, ascending=False, kind="stable") if leading else rows
    return list(dict.fromkeys(ordered["point_id"].dropna().astype(str)))
