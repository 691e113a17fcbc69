"""Where one side overtakes another: any two curves along a load or a length, or every pair that can be compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache

from bench import catalogue
from bench.basis import evidence, limits, prices, side_by_side, stated_share, story, variations
from bench.basis.evidence import Deciding, Ranking
from bench.basis.prices import Choice
from bench.basis.story import Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.errors import NotFound
from bench.library import Library
from bench.questions import Answer, Choices, Steps, Why, pipeline
from bench.questions.crossover import comparison, pairs, verdict
from bench.questions.crossover import figure as drawing
from bench.questions.crossover import options as asking
from bench.questions.crossover.comparison import Match
from bench.questions.crossover.curves import HourlyPrices
from bench.questions.crossover.options import ALONG, AXES, CrossoverOptions, axis_title
from bench.questions.crossover.result import CrossoverResult, PairList
from bench.questions.crossover.side_names import names
from bench.view import View

TITLE = "Crossover"
QUESTION = "Where does B overtake A?"
SECTION = "Decide"
ORDER = 50
NEEDS = "points"
figure = drawing.draw
OPTIONS = asking.OPTIONS
COLUMNS = pairs.COLUMNS
PER_LABELS = {"raw": "Nothing (raw)", "accelerator": "Chips", "dollar": "Dollars", "watt": "Rated watts"}


def complete(library: Library, view: View) -> View:
    """The View with every option but the sides explicit; unless it is whole, one model and workload are filled in.

    Sides stay as chosen, or open. UnknownName or UsageError for an option that cannot be; NotFound when nothing
    loaded has a throughput or a latency.
    """
    asking.check(view)
    return view if asking.is_complete(library, view) else _story(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The sides, axes, metrics and divisors this selection offers."""
    whole = complete(library, view)
    options = asking.read(whole)
    metrics = [catalogue.metric(key) for key in asking.comparable(library)]
    named = Counter(row.label for row in metrics)
    alongs = {options.along, *asking.alongs(library, whole)}
    sides = list(pairs.sides(library, whole, options).items())
    return {
        "a": sides,
        "b": sides,
        "along": [(key, axis_title(key).split(" (")[0]) for key in ALONG if key in alongs],
        "metric": [(row.key, row.label if named[row.label] == 1 else row.axis) for row in metrics],
        "per": [(key, PER_LABELS[key]) for key in options.pers],
        "strips": [("few", "The eight most telling"), ("all", "All")],
    }


def answer(library: Library, view: View) -> Answer[CrossoverResult]:
    """Where B overtakes A, under every normalisation; without a pair, every pair that can be compared."""
    chosen = _story(library, view)
    whole, options, ranking = chosen.view, asking.read(chosen.view), evidence.read(chosen.view)
    compared = pairs.pair(library, whole, options) if options.is_pair else pairs.listing(library, whole, options)
    # How many of the points that lie on the axis say whether they keep the limits.
    judged = compared.tally.used + compared.tally.of("beyond_limit")
    few = Deciding(judged, judged + compared.tally.of("unknown_limit"), 1, 1, limits.metrics(ranking.limits))
    known = stated_share.of_headline(library, whole, few)
    listed = [pair.a.points[0].model for pair in compared.pairs] if isinstance(compared, PairList) else None
    left = side_by_side.left_out(library, whole, listed, "no pair among those listed") if listed else []
    said = [*left, *verdict.statements(compared, ranking, known)]
    if view.option("per") not in ("", options.per):
        said.append(verdict.SAY.note("gave_way", metric=options.metric))
    if options.is_pair:  # the sides are the reader's own choice, whatever other pages are about
        said += [one for one in story.statements(chosen) if one.kind != "other_story"]
    reasons, of = _why(options, compared.choice), None if options.is_pair else chosen
    rows = pairs.rows(compared)
    return pipeline.answer(library, QUESTION, whole, compared, said, rows, reasons, of, known, options.what)


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the same side leads, or overtakes, with one choice changed at a time; per dollar at other prices too.

    Without a chosen pair this is asked of the pair that the headline names.
    """
    whole = complete(library, view)
    options, ranking, choice = asking.read(whole), evidence.read(whole), prices.read(library, whole)
    ways = [choice, *prices.alternatives(library, choice).values()] if options.per == "dollar" else [choice]
    priced = prices.chip_prices_of_each(library, ways)
    priced[choice] = prices.chip_prices(library, choice, pairs.either(library, ranking, options))
    if options.is_pair:
        own = comparison.matched(library, ranking, options)
        named = names(*pairs.named(options, own))
    else:
        candidates = pairs.candidates(library, whole, ranking, options)
        listed, *_ = pairs.listed(candidates, options, HourlyPrices(options, choice, priced[choice]))
        if not listed:
            return None
        named = names(listed[0].a, listed[0].b)

    @cache
    def match(one: Ranking) -> Match:
        if options.is_pair:
            is_other = own.fixed and one != ranking
            return comparison.read(library, one, options, own.fixed) if is_other and own.fixed else own
        held = [{curve.key: curve.held for curve in side} for side in candidates]
        return pairs.again(listed[0], held if one == ranking else pairs.grouped(library, one, options))

    def varied(one: Variation) -> Verdict | None:
        of = HourlyPrices(options, one.prices, priced[one.prices])
        return verdict.short(comparison.compared(match(one.ranking), options, options.per, of), options, named)

    usable = f"({asking.value_sql(library, options.metric)}) IS NOT NULL AND ({ALONG[options.along]}) > 0"
    return variations.of(library, whole, choice if options.per == "dollar" else None, varied, usable)


def _story(library: Library, view: View) -> Story:
    asking.check(view)
    if not asking.comparable(library):
        raise NotFound("No loaded point has a throughput or a latency to compare; import results that do.")
    story = asking.story_of(library, view)
    if view.option("per"):
        return story
    per = pairs.fair_divisor(library, story.view, asking.read(story.view))
    return replace(story, view=story.view.with_options(per=per))


def _why(options: CrossoverOptions, choice: Choice) -> tuple[Why, ...]:
    """Formula, inputs and source of what is told."""
    reasons = (
        Why("Crossing", "each run of a deployment is straight between its own neighbouring points on log-log axes and"
            " says nothing outside its range; a side is the best of them at each place; where both meet is exact",
            f"{options.row.label} along {AXES[options.along][0]} of all ranked points; of repeats the middle one",
            "log-log interpolation, as between points of a power law"),
        Why("Interval", "with repeats every place at which the 95 % interval of the ratio holds 1 (Welch's t on"
            " logarithms); without, the two knots around the crossing", "points that number their repeats",
            "E. C. Fieller, Biometrika 24 (1932); B. L. Welch, Biometrika 34 (1947)"),
        Why("Lead", "better / worse; within 1 % of 1, or with a 95 % interval that holds 1, it is a tie",
            "both sides' values at a place", "Kneepoint's definition"),
        Why(options.row.axis, options.row.formula, options.row.definition, options.row.source),
        Why("Break-even price", "price of A's chip = price of B's chip x (A per chip / B per chip)",
            f"prices: {choice.words}, unless stated by you", "both sides give the same tokens per dollar"),
        Why("Per watt", "throughput / (rated power of one chip x chips)", "rated power (TDP) of data/accelerators.csv",
            "data sheets as cited there; no power was measured"),
    )  # fmt: skip
    return reasons if options.is_divisible else reasons[:4]


STEPS = Steps(pairs.compared, anew="Choose the axes anew", tries={"along": "Compare along {}", "metric": "Compare {}"})
