"""Pareto: which operating points are worth choosing."""

from pages.shared import frame, options, points, result, signposts

with frame.opened("pareto") as page:
    result.headline(page)
    signposts.by_throughput(page, page.answer.result.known)
    options.row(page, "group", "x", "y", more=("x_scale",), label="Horizontal scale")
    axes = (page.view.option("y"), page.view.option("x"))
    result.figure(page, opens="point")
    result.caveats(page)
    points.one(page)
    result.findings(page)
    result.rows(
        page,
        first=("owner", *axes, "step"),
        without=("enters", "passport", "overall_step"),
        fields={"owner": page.view.option("group")},
    )
    result.why(page)
