"""Cost: what a million tokens cost."""

from pages.shared import frame, options, points, result

LABELS = {
    "deployment": "Deployment",
    "provider": "Provider",
    "terms": "Terms",
    "book": "Price book",
    "region": "Region",
    "instance": "Instance",
    "as_of": "Price as of",
    "note": "Note on the price",
    "price_age_days": "Price age (days)",
    "price_url": "Price published at",
    "quoted_for": "Quoted for (chips)",
    "usd_per_accelerator_hour": "Price per chip (USD/h)",
    "usd_per_hour": "Price of the deployment (USD/h)",
    "tokens_per_s": "Throughput (tokens/s)",
    "tokens_per_s_per_usd_per_hour": "Tokens/s per USD/h",
    "derived": "Throughput worked out",
    "used_usd_per_day": "Volume, paying used tokens (USD/day)",
    "rented_instances": "Instances rented",
    "rented_share": "Share of them used",
    "rented_usd_per_day": "Volume, rented around the clock (USD/day)",
    "limit_value": "What the limit is on",
}

with frame.opened("cost") as page:
    result.headline(page)
    limits = ("slo_metric", "slo", "slo_ttft") if page.view.option("slo_metric") else ()
    options.row(page, "tokens", "group", *limits, "price_terms", "utilisation")
    options.more(
        page, "Whose prices, a daily volume, and an API to compare with",
        "price_book", "provider", "volume", "api_price_output", "api_price_input",
    )  # fmt: skip
    clicked = result.figure(page, clickable=True)
    points.one(page, clicked, ("output_tokens_per_s", "input_tokens_per_s", "total_tokens_per_s"))
    result.findings(page)
    result.rows(
        page,
        first=("deployment", page.answer.numbers["metric"], "provider", "terms", "usd_per_accelerator_hour", "as_of",
               "price_age_days", "region", "tokens_per_s_per_usd_per_hour", "rented_usd_per_day", "used_usd_per_day"),
        without=("owner", "derived"),
        labels=LABELS,
    )  # fmt: skip
    result.why(page)
