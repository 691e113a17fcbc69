"""Pareto: which operating points are worth choosing."""

from pages.shared import frame, options, points, result, signposts

with frame.opened("pareto") as page:
    result.headline(page)
    signposts.by_throughput(page, page.answer.result.known)
    options.row(page, "group", "x", "y", more=("x_scale",), label="Horizontal scale")
    axes = (page.view.option("y"), page.view.option("x"))
    result.figure(page, opens="point")
    if page.answer.result.limits and not page.answer.result.overall:
        signposts.out_of_nothing(page)
    result.caveats(page)
    points.one(page)
    result.findings(page)
    if not page.answer.rows.empty:
        result.rows(
            page,
            first=("owner", *axes, "step"),
            without=("enters", "passport", "overall_step"),
            fields={"owner": page.view.option("group")},
        )
    elif not page.answer.result.limits:
        signposts.out_of_nothing(page)
    result.why(page)
