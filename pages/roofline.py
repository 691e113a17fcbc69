"""Roofline: how close to the hardware."""

from pages.shared import frame, options, points, result

with frame.opened("roofline") as page:
    result.headline(page)
    options.row(page, "phase", "axis", "project")
    result.figure(page, opens="point")
    result.caveats(page)
    points.one(page)
    result.findings(page)
    result.rows(
        page,
        first=("accelerator", "accelerators", "ceiling_share", "bound_by", "requests_per_step", "output_tokens_per_s"),
        without=("enters", "source_id"),
    )
    result.why(page)
