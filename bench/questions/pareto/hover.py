"""What a point says under the pointer, sent once where the points of a trace say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from bench import chart
from bench.catalogue import Metric
from bench.plain_text import html
from bench.wording import number


def texts(rows: pd.DataFrame, x: Metric, y: Metric, *, brief: bool) -> list[str]:
    """What each point says; a `brief` one that is on no frontier tells its place alone."""
    return [
        "<br>".join(f"{number(row[metric.key])} {html(metric.unit)}".rstrip() for metric in (y, x))
        if brief and not row["on_frontier"]
        else _long(row, x, y)
        for row in stated(rows)
    ]


def stated(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as mappings, None where nothing is stated."""
    found = rows.astype(object).where(rows.notna(), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in found]


def shared(rows: pd.DataFrame) -> dict[str, Any]:
    """plotly's hovertemplate for these `hover` texts and, as customdata, each point's id and what it alone says.

    A template filled with a point's customdata is that point's text, letter for letter; "%{" is in none of them.
    """
    lines = [text.split("<br>") for text in rows["hover"]]
    if len({len(own) for own in lines}) > 1:
        lines = [[text] for text in rows["hover"]]
    template, columns = [], [rows["point_id"].tolist()]
    for line in zip(*lines, strict=True):
        before = _beginning(line)
        rests = [text[len(before) :] for text in line]
        after = _beginning([rest[::-1] for rest in rests])[::-1]
        if any(len(rest) > len(after) for rest in rests):
            columns.append([rest[: len(rest) - len(after)] for rest in rests])
            before += f"%{{customdata[{len(columns) - 1}]}}"
        template.append(before + after)
    return {
        "customdata": [list(own) for own in zip(*columns, strict=True)],
        "hovertemplate": f"{'<br>'.join(template)}<extra></extra>",
    }


def _beginning(parts: Sequence[str]) -> str:
    """What all parts begin with; the first and the last in order differ the earliest."""
    first, last = min(parts), max(parts)
    return first[: next((place for place, letter in enumerate(first) if letter != last[place]), len(first))]


def _long(row: dict[str, Any], x: Metric, y: Metric) -> str:
    marks = [f"{row['step']} over the point before" if row["step"] else "", "knee" if row["is_knee"] else ""]
    extra = " · ".join(mark for mark in marks if mark)
    return chart.hover_lines(row, [x.key, y.key]) + (f"<br><i>{html(extra)}</i>" if extra else "")
