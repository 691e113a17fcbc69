"""Scaling: what more accelerators buy."""

from functools import partial

from bench.questions.scaling.verdict import projection
from pages.shared import frame, options, points, result

with frame.opened("scaling") as page:
    metric = page.view.option("metric")
    result.headline(page)
    options.row(page, "metric", "at", "level", "group")
    result.figure(page, opens="point")
    result.caveats(page)
    points.one(page, projected=partial(projection, page.answer.result))
    result.findings(page)
    result.rows(
        page,
        first=("line", "accelerators", metric, "throughput_per_chip", "scaling_efficiency"),
        without=("flags", "source_id"),
    )
    result.why(page)
