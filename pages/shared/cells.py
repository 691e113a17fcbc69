"""How the rows of a question with cells are headed."""

from __future__ import annotations

from bench.chart import title
from bench.questions.heatmap.result import Heatmap
from bench.view import View

FIRST = ("panel", "x", "y", "value", "a", "b", "state", "winner", "winner_a", "winner_b", "points")


def labels(view: View, found: Heatmap) -> dict[str, str]:
    """A heading for each column of a heatmap's rows that is no column of a point."""
    named = {key: title(view.option(key)) for key in ("x", "y", "panel")}
    named |= {key: f"{named[key]}, from" for key in ("x", "y") if view.option(key) in found.doublings}
    metric, ratio = title(view.option("metric")), found.ratio
    named |= {"value": metric, "winner": "Best deployment", "state": "Cell", "points": "Points in it"}
    if ratio is None:
        return named
    for side, words in (("a", ratio.a), ("b", ratio.b)):
        named |= {side: f"{metric}, {words}", f"winner_{side}": f"Best {words}"}
    return named | {"value": f"{ratio.a} / {ratio.b}"}
