"""Heatmap: where is it fast."""

from bench.chart import title
from pages.shared import frame, options, points, result

with frame.opened("heatmap") as page:
    result.headline(page)
    options.row(page, "metric", "x", "y", "panel", "load")
    options.more(page, "Colour scale, or a ratio of two", "scale", "ratio_by", "ratio_a", "ratio_b")
    cells = result.figure(page, clickable=True)
    points.behind(page, cells)
    result.findings(page)
    labels = {key: title(page.view.option(key)) for key in ("x", "y", "panel")}
    labels["value"] = title(page.view.option("metric"))
    result.rows(
        page,
        first=("panel", "x", "y", "value", "winner"),
        labels=labels,
        fields={"panel": page.view.option("panel")},
    )
    result.why(page)
