"""Heatmap: where is it fast."""

from bench.questions.heatmap import cells
from pages.shared import frame, options, points, result

with frame.opened("heatmap") as page:
    result.headline(page)
    options.row(
        page,
        "metric",
        "x",
        "y",
        "panel",
        "load",
        more=("scale", "ratio_by", "ratio_a", "ratio_b"),
        label="Colours, ratio",
    )
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
            fields=cells.fields(page.view, page.answer.result),
        )
    result.why(page)
