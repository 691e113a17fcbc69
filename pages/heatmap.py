"""Heatmap: where is it fast."""

from pages.shared import cells, frame, options, points, result, signposts

with frame.opened("heatmap") as page:
    result.headline(page)
    options.row(page, "metric", "x", "y", "panel", "load")
    options.more(page, "Colour scale, or a ratio of two", "scale", "ratio_by", "ratio_a", "ratio_b")
    options.basis(page, priced=False)
    clicked = result.figure(page, clickable=True)
    signposts.nothing_here(page)
    if not page.answer.rows.empty:
        points.behind(page, clicked)
        result.findings(page)
        result.rows(
            page,
            first=cells.FIRST,
            without=("failed", "repeats"),
            labels=cells.labels(page.view),
            fields={"panel": page.view.option("panel")},
        )
    result.why(page)
