"""Scaling: what more accelerators buy."""

from pages.shared import frame, options, points, result

LABELS = {
    "line": "Line",
    "throughput_per_chip": "Per chip",
    "speedup": "Times the smallest",
    "interpolated": "Interpolated",
}

with frame.opened("scaling") as page:
    result.headline(page)
    options.row(page, "metric", "at", "level", "group")
    options.more(page, "Prices", "price_book", "price_terms")
    clicked = result.figure(page, clickable=True)
    parts = [one for one in page.answer.numbers["projections"] if one["id"] in clicked]
    ids = parts[0]["point_ids"] if parts else clicked
    points.one(page, ids, (page.view.option("metric"),), lead=parts[0]["words"] if parts else "")
    result.findings(page)
    if not page.answer.rows.empty:
        result.rows(
            page,
            first=(
                "line",
                "accelerators",
                page.view.option("metric"),
                "throughput_per_chip",
                "scaling_efficiency",
            ),
            without=("flags", "source_id"),
            labels=LABELS,
        )
    result.why(page)
