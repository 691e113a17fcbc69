"""What a cell says when it is pointed at, one without a point too, and what a sweep has to ask to fill it."""

from __future__ import annotations

from collections.abc import Iterator

from bench.chart import hover_lines, setting
from bench.chart.panels import Panels
from bench.plain_text import html
from bench.questions.heatmap.grid import cell_id, place_of
from bench.questions.heatmap.result import WITHOUT_VALUE, Cell, Heatmap, Ratio
from bench.view import View
from bench.wording import counted, number

MOST = 4_000
"""More cells than this are too small to be aimed at."""

ASKED = ("isl", "osl", "concurrency", "request_rate")
"""What a plan asks for; anything else of a cell or of a filter is a fact about the deployment."""

FACTS = tuple("model accelerator accelerators tp pp dp ep precision engine engine_version".split())


def gaps(found: Heatmap, panels: Panels) -> Iterator[tuple[str, float, float, str]]:
    """Every place of the drawn panels without a cell: its id, its middle on the axes, what it says."""
    if len(panels.names) * len(panels.xs) * len(panels.ys) > MOST:
        return
    filled = {(cell.panel, cell.x, cell.y) for cell in found.drawn}
    across, up = panels.across.tolist(), panels.up.tolist()
    for place, name in enumerate(panels.names):
        bottom, left = panels.corner(place)
        for line, y in enumerate(panels.ys):
            for column, x in enumerate(panels.xs):
                if (name, x, y) not in filled:
                    where = html(f"{setting(found.x, x)}, {setting(found.y, y)}")
                    said = f"<b>Not measured</b><br>{where}<br>Click to measure it"
                    yield cell_id(name, x, y), across[left + column] + 0.5, up[bottom + line] + 0.5, said


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


def hover_text(cell: Cell, found: Heatmap) -> str:
    """What a cell says when pointed at: its best point, or both sides of its ratio, or why it has no value."""
    where = html(f"{setting(found.x, cell.x)}, {setting(found.y, cell.y)}")
    many = counted(cell.points, "point")
    if not cell.facts:
        what = html(WITHOUT_VALUE[cell.state][1])
        return f"<b>{what[:1].upper()}{what[1:]}</b><br>{where}<br>{many}"
    if found.ratio is not None:
        return "<br>".join(_of_ratio(cell, found, found.ratio, f"{where}<br>{many}"))
    assert cell.best is not None
    row = {**cell.best.row, found.metric: cell.value, "passport": cell.passport}
    return f"{hover_lines(row, [found.metric])}<br>best of {many}"


def _of_ratio(cell: Cell, found: Heatmap, ratio: Ratio, where: str) -> Iterator[str]:
    yield f"<b>{f'{number(cell.value)} times' if cell.is_measured else 'Only one side'}</b>"
    yield where
    if cell.is_measured and not cell.alike:
        yield f"<i>At unlike loads{', so not in the range' if found.is_apart(cell) else ''}</i>"
    for label, value, best in ((ratio.a, cell.a, cell.best), (ratio.b, cell.b, cell.best_b)):
        if best is not None:
            yield f"{html(label)}: <b>{number(value)}</b> {html(found.row.unit)}<br>{html(best.words())}"
