"""The cells of a heatmap in which nothing was measured, and what a sweep would have to ask to fill one."""

from __future__ import annotations

from dataclasses import dataclass

from bench.chart import setting
from bench.chart.panels import Panels
from bench.plain_text import html
from bench.questions.heatmap.grid import cell_id, place_of
from bench.questions.heatmap.result import Heatmap
from bench.view import View

MOST = 4_000
"""More cells than this are too small to be aimed at."""

ASKED = ("isl", "osl", "concurrency", "request_rate")
"""What a plan asks for; anything else of a cell or of a filter is a fact about the deployment."""

FACTS = (
    "model",
    "accelerator",
    "accelerators",
    "tp",
    "pp",
    "dp",
    "ep",
    "precision",
    "engine",
    "engine_version",
)


@dataclass(frozen=True)
class Gap:
    """A place of the grid without a cell: its id, its middle on the axes, and what it says when pointed at."""

    place: str
    across: float
    up: float
    said: str


def gaps(found: Heatmap, panels: Panels) -> list[Gap]:
    """Every place of the drawn panels without a cell."""
    if len(panels.names) * len(panels.xs) * len(panels.ys) > MOST:
        return []
    filled = {(cell.panel, cell.x, cell.y) for cell in found.drawn}
    across, up = panels.across.tolist(), panels.up.tolist()
    told = []
    for place, name in enumerate(panels.names):
        bottom, left = panels.corner(place)
        for line, y in enumerate(panels.ys):
            for column, x in enumerate(panels.xs):
                if (name, x, y) not in filled:
                    where = html(f"{setting(found.x, x)}, {setting(found.y, y)}")
                    said = f"<b>Not measured</b><br>{where}<br>Click to measure it"
                    middle = across[left + column] + 0.5, up[bottom + line] + 0.5
                    told.append(Gap(cell_id(name, x, y), *middle, said))
    return told


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
