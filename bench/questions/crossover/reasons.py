"""Why a crossover says what it says: formula, inputs and source of every number."""

from __future__ import annotations

from bench.questions import Why
from bench.questions.crossover import asked as asking
from bench.questions.crossover import divisors
from bench.questions.crossover.asked import Asked
from bench.questions.crossover.divisors import Prices


def why(asked: Asked, prices: Prices) -> tuple[Why, ...]:
    """Formula, inputs and source of what is told."""
    reasons = [
        Why(
            "Crossing",
            "each series is straight between its own neighbouring points on log-log axes and says nothing outside its"
            " range; a side is the best of its series at each place; where the two sides' lines meet is exact. A lead"
            " that passes on only because a side's best series ends or begins is no crossing: it is told"
            " of the measured places alone",
            f"{asked.metric.label} along {asking.along_words(asked.along)}; a series is one run of one deployment, and"
            " of its runs only the newest counts; repeats by their geometric mean",
            "log-log interpolation, as between points of a power law",
        ),
        Why(
            "Interval",
            "with repeats every place at which the 95 % interval of the ratio holds 1 (Welch's t on logarithms);"
            " without, the two knots around the crossing",
            "points that number their repeats; other points at one load are no repeats",
            "E. C. Fieller, Biometrika 24 (1932); B. L. Welch, Biometrika 34 (1947)",
        ),
        Why(
            "Lead",
            "100 x (better / worse - 1): 100 % is twice as good, 310 % is 4.1 times as good",
            "both sides' values at a place; above 0 A is ahead, below 0 B",
            "Kneepoint's definition",
        ),
        Why("Tie", "a ratio within 1 % of 1, or whose 95 % interval holds 1", "each knot", "Kneepoint's definition"),
        Why(asked.metric.axis, asked.metric.formula, asked.metric.definition, asked.metric.source),
    ]  # fmt: skip
    if asking.is_throughput(asked.metric):
        terms = "the page of the points" if prices.terms == divisors.WITH_POINTS else prices.terms
        reasons += [
            Why(
                "Break-even price",
                "price of A's chip = price of B's chip x (A per chip / B per chip)",
                f"prices: {prices.book or 'none'}, {terms or 'none'}, unless stated by you",
                "both sides give the same tokens per dollar",
            ),
            Why(
                "Per watt",
                "throughput / (rated power of one chip x chips)",
                "rated power (TDP) of data/accelerators.csv; absent where none is published",
                "data sheets as cited there; no power was measured",
            ),
        ]
    return tuple(reasons)
