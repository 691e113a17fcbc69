"""Heatmap: where is it fast."""

from pages.shared import cells, frame, options, points, result, signposts

with frame.opened("heatmap") as page:
    result.headline(page)
    options.row(page, "metric", "x", "y", "panel", "load")
    options.more(page, "Colour scale, or a ratio of two", "scale", "ratio_by", "ratio_a", "ratio_b")
    options.basis(page, priced=False)
    if page.answer.rows.empty:
        signposts.to_data(page)
    else:
        result.figure(page, opens="cell")
        points.behind(page)
        result.findings(page)
        result.rows(
            page,
            first=cells.FIRST,
            labels=cells.labels(page.view, page.answer.result),
            fields={"panel": page.view.option("panel")},
        )
    result.why(page)
