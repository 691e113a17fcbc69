"""Pareto: which operating points are worth choosing."""

from bench.catalogue import PRICED
from pages.shared import frame, options, points, result

with frame.opened("pareto") as page:
    result.headline(page)
    options.row(page, "y", "x", "group")
    options.more(page, "Horizontal scale", "x_scale")
    axes = (page.view.option("y"), page.view.option("x"))
    options.basis(page, priced=axes[0] in PRICED)
    result.figure(page, opens="point")
    points.one(page)
    result.findings(page)
    if not page.answer.rows.empty:
        result.rows(
            page,
            first=("owner", *axes, "step"),
            without=("enters", "passport", "overall_step"),
            fields={"owner": page.view.option("group")},
        )
    result.why(page)
