"""Pareto: which operating points are worth choosing."""

from pages.shared import frame, options, points, result

FURTHER = ("x_scale", "frontier_evidence", "price_book", "price_terms", "utilisation")
LABELS = {
    "step": "What it costs over the one before",
    "owner": "Frontier",
    "on_frontier": "On its frontier",
    "on_overall_frontier": "On the best of all",
    "is_knee": "Knee",
}

with frame.opened("pareto") as page:
    result.headline(page)
    options.row(page, "y", "x", "group", "slo_y", "slo_x")
    options.more(
        page,
        "Scale, evidence and prices",
        "x_scale",
        "frontier_evidence",
        "price_book",
        "price_terms",
        "utilisation",
    )
    axes = (page.view.option("y"), page.view.option("x"))
    clicked = result.figure(page, clickable=True)
    points.one(page, clicked, axes)
    result.findings(page)
    if not page.answer.rows.empty:
        result.rows(
            page,
            first=("owner", *axes, "step"),
            without=("enters", "passport", "overall_step"),
            labels=LABELS,
            fields={"owner": page.view.option("group")},
        )
    result.why(page)
