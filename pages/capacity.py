"""Capacity: how many instances a demand takes, and what they cost."""

from pages.parts import capacity
from pages.shared import frame, options, points, result

with frame.opened("capacity") as page:
    result.headline(page)
    unit = page.view.option("unit")
    amount = {"requests": ("requests",), "users": ("users", "think")}.get(unit, ("tokens",))
    folded = ("headroom", "spare", "budget", "chips", "request_isl", "request_osl", "mix")
    options.row(page, "use", "unit", *amount, "peak", more=folded, label="Headroom, budget")
    result.figure(page, opens="point")
    capacity.to_launch(page)
    result.caveats(page)
    points.one(page)
    result.findings(page)
    capacity.start(page)
    result.rows(
        page,
        first=("accelerator", "instances", "chips", "usd_per_month", "load", "stopped_by", "used_at_peak", "engine"),
        without=("source_id", "power_from"),
    )
    result.why(page)
