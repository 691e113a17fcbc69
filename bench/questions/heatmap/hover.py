"""What a cell of a heatmap says when it is pointed at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench import catalogue
from bench.chart import hover_lines, setting
from bench.plain_text import html
from bench.questions.heatmap.told import MEASURED, Cell
from bench.wording import counted, number


def is_apart(cell: Cell, numbers: Mapping[str, Any]) -> bool:
    """Whether a cell's ratio is of unlike loads and so neither in the answer's range nor on the colour scale."""
    left_out = bool(numbers["ratio"]) and numbers["ratio"]["unlike_loads"] > 0
    return left_out and cell["state"] == MEASURED and not cell["like_loads"]


def hover_text(cell: Cell, numbers: Mapping[str, Any]) -> str:
    """What a cell says when pointed at: its best run, or both sides of its ratio, or why it has no value."""
    metric, points = numbers["metric"], counted(cell["points"], "point")
    where = html(", ".join(setting(numbers[axis], cell[axis]) for axis in ("x", "y")))
    if cell["state"] in ("failed", "no metric"):
        said = "Failed" if cell["state"] == "failed" else f"No {catalogue.metric(metric).label} here"
        return f"<b>{html(said)}</b><br>{where}<br>{points}"
    if numbers["ratio"]:
        return _ratio_hover(cell, numbers, f"{where}<br>{points}")
    repeats = f", median of {cell['repeats']} repeats" if cell["repeats"] > 1 else ""
    return f"{hover_lines({**cell, metric: cell['value']}, [metric])}<br>best of {points}{repeats}"


def _ratio_hover(cell: Cell, numbers: Mapping[str, Any], where: str) -> str:
    unit = catalogue.metric(numbers["metric"]).unit
    said = f"{number(cell['value'])} times" if cell["state"] == MEASURED else "Only one side"
    lines = [f"<b>{said}</b>", where]
    if cell["state"] == MEASURED and not cell["like_loads"]:
        lines.append(
            f"<i>{'At unlike loads, so not in the range' if is_apart(cell, numbers) else 'At unlike loads'}</i>"
        )
    for side in ("a", "b"):
        if cell[side] is not None:
            value = f"{html(numbers['ratio'][side])}: <b>{number(cell[side])}</b> {html(unit)}"
            lines.append(f"{value}<br>{html(cell[f'winner_{side}'])}")
    return "<br>".join(lines)
