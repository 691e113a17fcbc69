"""What a point says under the pointer, sent once where the points of a trace say the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from bench import chart
from bench.catalogue import Metric
from bench.plain_text import html
from bench.questions import records
from bench.wording import number

Columns = list[list[str]]


def texts(rows: pd.DataFrame, x: Metric, y: Metric, *, brief: bool) -> list[str]:
    """What each point says; a `brief` one that is on no frontier tells its place alone."""
    return [
        "<br>".join(f"{number(row[metric.key])} {html(metric.unit)}".rstrip() for metric in (y, x))
        if brief and not row["on_frontier"]
        else _long(row, x, y)
        for row in records(rows)
    ]


def shared(said: Sequence[str], ids: Sequence[str], x: Metric, y: Metric) -> dict[str, Any]:
    """plotly's hovertemplate for these texts and, as customdata, each point's id and what it alone says.

    A template filled with a point's customdata is that point's text, letter for letter.
    """
    template, columns = factored(said, _joints(x, y))
    customdata = [list(row) for row in zip(ids, *columns, strict=True)]
    return {"customdata": customdata, "hovertemplate": f"{template}<extra></extra>"}


def factored(said: Sequence[str], joints: Sequence[str]) -> tuple[str, Columns]:
    """The texts as a template and the columns that fill it: %{customdata[1]} stands for the first column.

    The texts are cut at each joint in turn that is in all of them; of the parts between, what all begin and end with
    is in the template too. The texts must hold no "%{" of their own.
    """
    template, columns, rest = "", list[list[str]](), list(said)
    for joint in joints:
        if all(joint in text for text in rest):
            cuts = [text.partition(joint) for text in rest]
            template += _field([head for head, _, _ in cuts], columns) + joint
            rest = [tail for _, _, tail in cuts]
    return template + _field(rest, columns), columns


def _field(parts: list[str], columns: Columns) -> str:
    """The template of one part of the texts; what differs in it becomes a further column."""
    before = _beginning(parts)
    tails = [part[len(before) :] for part in parts]
    if not any(tails):
        return before
    after = _beginning([tail[::-1] for tail in tails])[::-1]
    columns.append([tail[: len(tail) - len(after)] for tail in tails])
    return f"{before}%{{customdata[{len(columns)}]}}{after}"


def _beginning(parts: Sequence[str]) -> str:
    """What all parts begin with; the first and the last in order differ the earliest."""
    first, last = min(parts), max(parts)
    same = (place for place, letter in enumerate(first) if letter != last[place])
    return first[: next(same, len(first))]


def _joints(x: Metric, y: Metric) -> list[str]:
    units = [f"</b> {html(metric.unit)}" for metric in (x, y)]
    names = [f"<br>{html(metric.label)}: <b>" for metric in (x, y)]
    return ["</b><br>", names[0], units[0] + names[1], f"{units[1]}<br>", f" {html(y.unit)}<br>", "<br>"]


def _long(row: dict[str, Any], x: Metric, y: Metric) -> str:
    text = chart.hover_lines(row, [x.key, y.key])
    marks = [
        f"{row['step']} over the point before" if row.get("step") else "",
        "knee" if row["is_knee"] else "",
    ]
    extra = " · ".join(mark for mark in marks if mark)
    return f"{text}<br><i>{html(extra)}</i>" if extra else text
