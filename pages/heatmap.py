"""Heatmap: where is it fast."""

from pages.shared import cells, frame, options, points, result

with frame.opened("heatmap") as page:
    result.headline(page)
    options.row(page, "metric", "x", "y", "panel", "load", more=("scale", "ratio_by", "ratio_a", "ratio_b"),
                label="Colours, ratio")  # fmt: skip
    if page.answer.rows.empty:
        result.caveats(page)
    else:
        result.figure(page, opens="cell")
        result.caveats(page)
        points.behind(page)
        result.findings(page)
        result.rows(
            page,
            first=cells.FIRST,
            labels=cells.labels(page.view, page.answer.result),
            fields={"panel": page.view.option("panel")},
        )
    result.why(page)
