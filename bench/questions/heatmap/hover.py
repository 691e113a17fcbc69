"""What a cell of a heatmap says when it is pointed at."""

from __future__ import annotations

from bench.chart import hover_lines, setting
from bench.plain_text import html
from bench.questions.heatmap.result import Cell, Heatmap
from bench.wording import counted, number

SAID = {"failed": "Failed", "flagged": "Only flagged points here", "older run": "Only older runs here",
        "beyond the limit": "Beyond the limits, or not known to keep them"}  # fmt: skip


def hover_text(cell: Cell, found: Heatmap) -> str:
    """What a cell says when pointed at: its best point, or both sides of its ratio, or why it has no value."""
    where = html(f"{setting(found.x, cell.x)}, {setting(found.y, cell.y)}")
    many = counted(cell.points, "point")
    if not cell.facts:
        said = SAID.get(cell.state, f"No {found.row.label} here")
        return f"<b>{html(said)}</b><br>{where}<br>{many}"
    if found.ratio is not None:
        return _ratio(cell, found, f"{where}<br>{many}")
    assert cell.best is not None
    row = {**cell.best.row, found.metric: cell.value, "passport": cell.passport}
    return f"{hover_lines(row, [found.metric])}<br>best of {many}"


def _ratio(cell: Cell, found: Heatmap, where: str) -> str:
    assert found.ratio is not None
    lines = [f"<b>{f'{number(cell.value)} times' if cell.is_measured else 'Only one side'}</b>", where]
    if cell.is_measured and not cell.alike:
        lines.append(f"<i>At unlike loads{', so not in the range' if found.is_apart(cell) else ''}</i>")
    for label, value, best in ((found.ratio.a, cell.a, cell.best), (found.ratio.b, cell.b, cell.best_b)):
        if best is not None:
            lines.append(
                f"{html(label)}: <b>{number(value)}</b> {html(found.row.unit)}<br>{html(best.words())}"
            )
    return "<br>".join(lines)
