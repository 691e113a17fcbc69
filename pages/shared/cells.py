"""How the rows of a question with cells are headed."""

from __future__ import annotations

from bench.chart import title, value_label
from bench.view import View

FIRST = ("panel", "x", "y", "value", "a", "b", "state", "winner", "winner_a", "winner_b", "points")


def labels(view: View) -> dict[str, str]:
    """A heading for each column of a heatmap's rows that is no column of a point."""
    named = {key: title(view.option(key)) for key in ("x", "y", "panel")}
    metric, by = title(view.option("metric")), view.option("ratio_by")
    named |= {"value": metric, "winner": "Best deployment", "state": "Cell", "points": "Points in it"}
    for side in ("a", "b"):
        words = value_label(by, view.option(f"ratio_{side}"))
        named |= {side: f"{metric}, {words}", f"winner_{side}": f"Best {words}"}
    if view.option("ratio_a"):
        named["value"] = " / ".join(value_label(by, view.option(f"ratio_{side}")) for side in ("a", "b"))
    return named
