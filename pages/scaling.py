"""Scaling: what more accelerators buy."""

from bench.questions.scaling.statements import projection
from pages.shared import frame, options, points, result

with frame.opened("scaling") as page:
    metric = page.view.option("metric")
    result.headline(page)
    options.row(page, "metric", "at", "level", "group")
    clicked = result.figure(page, clickable=True)
    result.caveats(page)
    projected = projection(page.answer.result, clicked[0]) if clicked else None
    points.one(
        page,
        [projected[0]] if projected else clicked,
        (metric,),
        lead=projected[1] if projected else "",
    )
    result.findings(page)
    if not page.answer.rows.empty:
        result.rows(
            page,
            first=("line", "accelerators", metric, "throughput_per_chip", "scaling_efficiency"),
            without=("flags", "source_id"),
        )
    result.why(page)
