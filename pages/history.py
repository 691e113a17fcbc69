"""History: did it get faster."""

from bench.questions.history.result import FRONTIER
from pages.shared import frame, options, points, result

with frame.opened("history") as page:
    drawn = ("then", "now") if page.view.option("show") == FRONTIER else ("metric", "load")
    folded = tuple(key for key in ("metric", "load", "then", "now", "least") if key not in drawn)
    result.headline(page)
    options.row(page, "deployment", "show", *drawn, more=folded, label="Runs, loads, least")
    result.figure(page, opens="point")
    result.caveats(page)
    points.one(page)
    result.findings(page)
    result.rows(
        page,
        first=("run", "load", "value", "level", "speed_change", "method_changed", "engine_version"),
        without=("source_id",),
    )
    result.why(page)
