"""What a cell says when it is pointed at, one without a point too, and what a sweep has to ask to fill it."""

from __future__ import annotations

from bench.basis.wording import opened
from bench.chart import hover_lines, setting
from bench.plain_text import html
from bench.questions.heatmap.grid import place_of
from bench.questions.heatmap.result import WITHOUT_VALUE, Cell, Heatmap
from bench.view import View
from bench.wording import counted, number

ASKED = ("isl", "osl", "concurrency", "request_rate")
"""What a plan asks for; anything else of a cell or of a filter is a fact about the deployment."""

FACTS = tuple("model accelerator accelerators tp pp dp ep precision engine engine_version".split())


def wanted(view: View, cell: str) -> dict[str, str]:
    """What a plan has to state to fill a cell: what it asks by its own names, facts as facts.<name>.

    Taken from the cell's place and from every filter and option of the View that holds one value.
    """
    panel, x, y = place_of(cell)
    known = {key: values for key in (*ASKED, *FACTS) if len(values := view.values(key)) == 1}
    stated = {key: values[0] for key, values in known.items()}
    stated |= {view.option("x"): f"{x:.12g}", view.option("y"): f"{y:.12g}"}
    if panel:
        stated[view.option("panel")] = panel
    level, _, value = view.option("load").partition("=")
    if value:
        stated[level] = value
    asked = {key: stated[key] for key in ASKED if key in stated}
    return asked | {f"facts.{key}": stated[key] for key in FACTS if key in stated}


def gap_text(x: float, y: float, found: Heatmap) -> str:
    """What a place without a point says when pointed at."""
    where = html(f"{setting(found.x, x)}, {setting(found.y, y)}")
    return f"<b>Not measured</b><br>{where}<br>Click to measure it"


def hover_text(cell: Cell, found: Heatmap) -> str:
    """What a cell says when pointed at: its best point, or both sides of its ratio, or why it has no value."""
    where = html(f"{setting(found.x, cell.x)}, {setting(found.y, cell.y)}")
    where, many = f"<br>{where}<br>", counted(cell.points, "point")
    if not cell.facts:
        what = html(WITHOUT_VALUE[cell.state][1])
        return f"<b>{opened(what)}</b>{where}{many}"
    if found.ratio is None:
        row = {**cell.facts[0].row, found.metric: cell.value, "passport": cell.passport}
        return f"{hover_lines(row, [found.metric])}<br>best of {many}"
    said = f"<b>{f'{number(cell.value)} times' if cell.is_measured else 'Only one side'}</b>{where}{many}"
    if cell.is_measured and not cell.alike:
        said += f"<br><i>At unlike loads{', so not in the range' if found.is_apart(cell) else ''}</i>"
    for label, value, best in ((found.ratio.a, cell.a, cell.best), (found.ratio.b, cell.b, cell.best_b)):
        if best is not None:
            told = f"{html(label)}: <b>{number(value)}</b> {html(found.row.unit)}"
            said += f"<br>{told}<br>{html(best.words())}"
    return said
