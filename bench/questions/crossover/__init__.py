"""Where one side overtakes another: any two curves along a load or a length, or every pair that can be compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from bench import catalogue, selection
from bench.basis import evidence, known, limits, prices, side_by_side, story, variations
from bench.basis.evidence import Deciding, Ranking
from bench.basis.statement import Statement, caveat
from bench.basis.story import Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.errors import NotFound
from bench.library import Library
from bench.questions import Answer, Choices
from bench.questions.crossover import answers, statements, versus
from bench.questions.crossover import asked as asking
from bench.questions.crossover import figure as drawing
from bench.questions.crossover.asked import ALONG, axis_title
from bench.questions.crossover.curves import Priced
from bench.questions.crossover.phrases import Teller
from bench.questions.crossover.result import Listing, Result
from bench.questions.crossover.versus import Match
from bench.view import View

TITLE = "Crossover"
QUESTION = "Where does B overtake A?"
SECTION = "Decide"
ORDER = 50
NEEDS = "points"
figure = drawing.draw
OPTIONS = asking.OPTIONS
COLUMNS = answers.COLUMNS
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
    asked = asking.read(whole)
    metrics = [catalogue.metric(key) for key in asking.comparable(library)]
    named = Counter(row.label for row in metrics)
    alongs = {asked.along, *asking.alongs(library, whole)}
    sides = list(answers.sides(library, whole, asked).items())
    return {
        "a": sides,
        "b": sides,
        "along": [(key, axis_title(key).split(" (")[0]) for key in ALONG if key in alongs],
        "metric": [(row.key, row.label if named[row.label] == 1 else row.axis) for row in metrics],
        "per": [(key, PER_LABELS[key]) for key in asked.pers],
        "strips": [("few", "The eight most telling"), ("all", "All")],
    }


def answer(library: Library, view: View) -> Answer[Result]:
    """Where B overtakes A, under every normalisation; without a pair, every pair that can be compared."""
    told = _story(library, view)
    whole, asked, ranking = told.view, asking.read(told.view), evidence.read(told.view)
    found = answers.pair(library, whole, asked) if asked.is_pair else answers.listing(library, whole, asked)
    # How many of the points that lie on the axis say whether they keep the limits.
    judged = found.tally.used + found.tally.of("beyond_limit")
    few = Deciding(judged, judged + found.tally.of("unknown_limit"), 1, 1, limits.metrics(ranking.limits))
    found = replace(found, known=known.of_headline(library, whole, few))
    listed = [pair.a.points[0].model for pair in found.pairs] if isinstance(found, Listing) else None
    left = side_by_side.left_out(library, whole, listed, "no pair among those listed") if listed else []
    return Answer(
        question=QUESTION,
        view=whole,
        result=found,
        statements=(*left, *statements.told(found, ranking), *_about_the_view(library, view, told)),
        rows=answers.rows(found),
        why=statements.why(asked, found.choice),
        library_version=library.version,
    )


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the same side leads, or overtakes, with one choice changed at a time; per dollar at other prices too.

    Without a chosen pair this is asked of the pair that the headline names.
    """
    whole = complete(library, view)
    asked, ranking, choice = asking.read(whole), evidence.read(whole), prices.read(library, whole)
    ways = [choice, *prices.alternatives(library, choice).values()] if asked.per == "dollar" else [choice]
    priced = prices.chip_prices_of_each(library, ways)
    priced[choice] = prices.chip_prices(library, choice, answers.either(library, ranking, asked))
    if asked.is_pair:
        own = versus.matched(library, ranking, asked)
        tell = Teller.short(asked, *answers.named(asked, own))
    else:
        found = answers.candidates(library, whole, ranking, asked)
        listed, *_ = answers.listed(found, asked, Priced(asked, choice, priced[choice]))
        if not listed:
            return None
        tell = Teller.short(asked, listed[0].a, listed[0].b)

    @cache
    def match(one: Ranking) -> Match:
        if asked.is_pair:
            is_other = own.fixed and one != ranking
            return versus.read(library, one, asked, own.fixed) if is_other and own.fixed else own
        held = [{curve.key: curve.held for curve in side} for side in found]
        return answers.again(listed[0], held if one == ranking else answers.grouped(library, one, asked))

    def verdict(one: Variation) -> Verdict | None:
        of = Priced(asked, one.prices, priced[one.prices])
        return statements.verdict(versus.compared(match(one.ranking), asked, asked.per, of), tell)

    usable = f"({asking.value_sql(library, asked.metric)}) IS NOT NULL AND ({ALONG[asked.along]}) > 0"
    return variations.of(library, whole, choice if asked.per == "dollar" else None, verdict, usable)


def _story(library: Library, view: View) -> Story:
    asking.check(view)
    if not asking.comparable(library):
        raise NotFound("No loaded point has a throughput or a latency to compare; import results that do.")
    told = asking.told(library, view)
    if view.option("per"):
        return told
    per = answers.fair_divisor(library, told.view, asking.read(told.view))
    return replace(told, view=told.view.with_options(per=per))


def _about_the_view(library: Library, view: View, told: Story) -> Iterator[Statement]:
    """What was filled in, what is not loaded, and what was asked for and could not be."""
    pair = asking.read(told.view).is_pair
    yield from (one for one in story.statements(told) if not (pair and one.kind == "other_story"))
    for text in selection.not_loaded(library, told.view):
        yield caveat("not_loaded", text)
    if view.option("per") not in ("", told.view.option("per")):
        label = catalogue.metric(told.view.option("metric")).label
        yield caveat("gave_way", f"{label} cannot be divided, so it is compared raw.")
