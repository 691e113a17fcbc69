"""What a sweep has to ask to fill a cell."""

from __future__ import annotations

from bench.questions.heatmap.grid import place_of
from bench.view import View

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
