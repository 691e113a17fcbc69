"""Why a cost answer's numbers are what they are: formula, the first deployment's own inputs, and the source."""

from __future__ import annotations

from bench import catalogue
from bench.catalogue import PRICED
from bench.maths import cost
from bench.pricing import terms_in_words
from bench.questions import Why
from bench.questions.cost import bills, sentences
from bench.questions.cost.deployments import Found
from bench.questions.cost.rates import KINDS


def why(found: Found) -> tuple[Why, ...]:
    """Formula, inputs and source of the cost, throughput, operating point, tokens per dollar, bill and break-even."""
    asked = found.asked
    throughput = catalogue.metric(PRICED[asked.usd.key])
    book = asked.book or "every book"
    terms = terms_in_words(asked.terms) if asked.terms else "every terms"
    whose = f", {asked.provider}" if asked.provider else ""
    prices = f"prices from {book}, {terms}{whose}, each with its source in the table"
    own = _inputs(found)
    told = [
        Why(
            asked.usd.axis,
            asked.usd.formula,
            f"{own}utilisation {asked.utilisation:g}; {prices}",
            asked.usd.source,
        ),
        Why(throughput.axis, throughput.formula, f"{_rate(found)}{throughput.definition}", throughput.source),
        Why(
            "Operating point",
            "the most tokens/s per accelerator of each deployment"
            + (f" with {sentences.limit_words(asked)}" if asked.limits else ""),
            f"{_rate(found)}every measured selected point; layout, engine version and date are free",
            "the cost of a token falls as its accelerator's throughput rises",
        ),
        Why(
            "Tokens/s per USD/h",
            "tokens per second / (USD per accelerator-hour x accelerators)",
            f"{own}fully used, whatever the utilisation",
            "Kneepoint's definition",
        ),
        Why(
            "Bill of a volume",
            "used tokens: volume x cost per token; around the clock: ceil(volume / (tokens/s x utilisation x 86,400))"
            " instances x USD/h x 24",
            f"{own}utilisation {asked.utilisation:g}; {asked.volume:,.6g} tokens a day, a month of"
            f" {cost.DAYS_PER_MONTH} days",
            "arithmetic; both ways because the first assumes that idle time is not paid",
        ),
    ]
    if found.ladder:
        told.append(
            Why(
                "Price of latency",
                "peak tokens/s per accelerator / the most within the limit",
                f"peak {found.peak:,.6g} tokens/s per accelerator on {found.lead['deployment']}",
                "the price of the accelerators does not change with the limit",
            )
        )
    if found.api is not None:
        told.append(
            Why(
                "Break-even volume",
                "USD/h x 24 / API price per million x 1e6, per instance",
                f"{own}an API price of {found.api:,.6g} USD per million {KINDS[asked.tokens].words}, stated by the"
                " reader",
                "arithmetic",
            )
        )
    return tuple(told)


def _inputs(found: Found) -> str:
    """The first deployment's price and throughput: "2.49 USD/h (Lambda) for 1 x H100 SXM, 1,260 tokens/s; "."""
    if not found.deployments:
        return ""
    quote = found.lead["cheapest"]
    return (
        f"{quote['usd_per_hour']:,.6g} USD/h ({quote['provider']}, the cheapest quote) for"
        f" {bills.hardware(dict(found.lead))}, {_rate(found)}"
    )


def _rate(found: Found) -> str:
    return f"{found.lead['tokens_per_s']:,.6g} tokens/s; " if found.deployments else ""
