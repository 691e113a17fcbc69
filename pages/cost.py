"""Cost: what a million tokens cost."""

from functools import partial

from bench.questions.cost import labels
from pages.parts import cost
from pages.shared import frame, options, points, result

with frame.opened("cost") as page:
    result.headline(page)
    options.row(
        page, "tokens", "group", "volume", more=("api_price_output", "api_price_input", "latency"), label="API, latency"
    )
    cost.figure(page)
    result.caveats(page)
    points.one(page, costs=partial(labels.costs_of_point, page.answer.result))
    result.findings(page)
    result.rows(
        page,
        first=(
            "deployment",
            page.answer.result.asked.usd.key,
            "provider",
            "terms",
            "usd_per_accelerator_hour",
            "as_of",
            "price_age_days",
            "region",
            "regions",
            "tokens_per_s_per_usd_per_hour",
            "rented_usd_per_day",
            "used_usd_per_day",
        ),
        without=("owner", "derived"),
    )
    result.why(page)
