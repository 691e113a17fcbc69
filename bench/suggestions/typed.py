"""Where a few typed words lead: the pages that can answer them, each with what it is about and how many points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import urlencode

from bench import catalogue, names, selection
from bench.basis import limits, story
from bench.chart import setting
from bench.errors import BenchError
from bench.library import Library
from bench.questions import question, questions
from bench.questions.heatmap.cells import plan_fields
from bench.suggestions import answered, readings
from bench.suggestions.nearest import nearest
from bench.suggestions.readings import MOST_READINGS, SEVERAL, TextReading, Wanted
from bench.suggestions.words import Meaning, meaning
from bench.view import FILTER_BY_KEY, View
from bench.wording import counted, inline, joined, number

EXAMPLE = "h200 mi355x deepseek fp8"

USUAL = ("pareto", "heatmap", "crossover", "cost")
"""The pages that are offered for any selection that they can answer, the most asked for first."""

UNFED = ("launch", "jobs", "run", "sql")
"""The pages that need no points to be of use."""

SHOWING = ("metric", "x", "y")
"""The options by which a page shows a metric."""

HELP = "Type models, accelerators, lengths, limits or a page; the folder docs of Kneepoint explains imports and sweeps."

TITLES = {"sql": "SQL"}
MOST_GROUP, MOST_PARTS = 3, 12
LOPSIDED = 10
"""Of two that were named one has few points, where it has not one in so many."""

STORY = ("model", "precision")


@dataclass(frozen=True)
class Destination:
    """A page that can answer, the query of its link, its words, and the points it shows; None where it shows none."""

    page: str
    label: str
    query: str
    points: int | None


@dataclass(frozen=True)
class Directions:
    """Where a text leads, best first, with a sentence on each thing in it that leads nowhere."""

    destinations: tuple[Destination, ...] = ()
    told: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def directions(library: Library, text: str) -> Directions:
    """The pages that can answer what was typed, and what of it was not understood; never raises for any text."""
    meant = meaning(library, text)
    sentences = [f"Not understood: {joined([word[:40] for word in meant.unknown])}."] if meant.unknown else []
    if near := nearest(library, meant.unknown):
        sentences.append(f"Did you mean {', '.join(near)}?")
        meant = meant if meant.is_of_something else meaning(library, " , ".join(near))
    sentences += [HELP] if meant.is_help else []
    if meant.metrics:
        base = catalogue.BASES[meant.metrics[0].base]
        sentences.append(f"{base.label}: {base.definition}")
    offered: list[Destination] = []
    if meant.is_of_something:
        whole = readings.of(library, meant)
        if whole[0].is_whole:
            offered += _whole(library, meant, whole)
        else:
            sentences.append(_none_of(library, meant))
        if not any(one.points is None or one.page in questions() for one in offered):
            if whole[0].is_whole:
                sentences += _none_states(library, whole[0])
                of_a_part = [*_elsewhere(library, meant, USUAL, keeps=whole[0].wanted)]
                offered = [*of_a_part, *offered] if "data" not in meant.pages else [*offered, *of_a_part]
            else:
                offered += _elsewhere(library, meant, (*USUAL, "data"))
        if not whole[0].is_whole:
            offered.append(_launch(whole[0]))
        sentences += _unanswered(library, meant, offered)
    unique = {(one.page, one.query): one for one in offered}
    return Directions(tuple(unique.values()), tuple(sentences), meant.unknown)


def _whole(library: Library, meant: Meaning, found: Sequence[TextReading]) -> Iterator[Destination]:
    """The pages for the best of several readings, and of each other one the first that can answer."""
    pages = _pages(meant)
    first, *others = _answered_first(library, pages, found)
    if meant.metrics and first.metric is None and not meant.is_named:
        return
    yield from (one for page in pages if (one := _destination(library, page, first)))
    if meant.is_named:
        yield from _otherwise(library, (*pages, *USUAL, "data"), others)


def of_cell(library: Library, view: View, cell: str) -> Destination | None:
    """The first page that can answer for the model and accelerator in a cell's query, under a View's other filters."""
    kept = View.of({**dict(view.where), **dict(View.from_query(cell).where)}, slo=view.slo)
    reading = TextReading(kept, selection.count(library, kept))
    pages = (*USUAL[:2], "scaling", "cost", "data")
    return next((one for page in pages if (one := _destination(library, page, reading))), None)


def _pages(meant: Meaning) -> list[str]:
    usual = [*USUAL, "data"] if meant.is_named or meant.slo or meant.metrics else []
    return list(dict.fromkeys((*meant.pages, *usual)))


def _unanswered(library: Library, meant: Meaning, offered: Sequence[Destination]) -> Iterator[str]:
    """A sentence on each metric that no point states, and on each page asked for that has no answer here."""
    yield from (f"No point states {inline(one)}." for one in meant.metrics if not library.has(one.key))
    there = {one.page for one in offered}
    for page in meant.pages:
        if page in questions() and page not in there:
            yield f"{question(page).TITLE} has no answer for these."


def _none_states(library: Library, reading: TextReading) -> Iterator[str]:
    """That none of the points that were asked for states what the limits are on, where that is so."""
    asked = limits.read(reading.view)
    condition = selection.clause(reading.view)
    if asked and not _count(library, condition.also(f"({limits.stated_sql(library, asked)})")):
        yield f"Of {counted(reading.points, 'point')} none states {joined([inline(one.metric) for one in asked])}."


def _none_of(library: Library, meant: Meaning) -> str:
    """That no point has all that was typed; of one name that none has at all, that."""
    for key, groups in meant.groups.items():
        for group in groups:
            if not selection.count(library, View.of({key: group})):
                return f"No point has {joined([_value(key, value) for value in group], 'or', at_most=MOST_GROUP)}."
    return "No point has all of these."


def _answered_first(library: Library, pages: Sequence[str], ranked: Sequence[TextReading]) -> list[TextReading]:
    """The readings, before all others the one with most points that the first of these pages that can answers."""
    told = [page for page in pages if page in questions()][:MOST_READINGS] if len(ranked) > 1 else []
    ways = (one for page in told for one in ranked if _destination(library, page, one))
    first = next(ways, ranked[0])
    return [first, *(one for one in ranked if one is not first)]


def _destination(library: Library, page: str, reading: TextReading) -> Destination | None:
    """The page for this reading, where it can answer it."""
    if not reading.points and page not in UNFED:
        return None
    if page in questions():
        return _of_question(library, page, reading)
    if page == "data":
        return _data(library, reading)
    if page == "launch":
        return _launch(reading)
    return Destination(page, TITLES.get(page, page.title()), "", None)


def _data(library: Library, reading: TextReading) -> Destination:
    """The points themselves; of a metric how each source measured it."""
    about = f"how {catalogue.BASES[reading.metric.base].label} was measured" if reading.metric else ""
    words = (about, _words(reading.view, reading), _many(library, reading.view, reading, reading.points))
    view = View(reading.view.where, whole=True).with_options(tab="passports" if reading.metric else None)
    return Destination(
        "data", f"Data: {', '.join(word for word in words if word)}{_without(reading)}", view.query(), reading.points
    )


def _launch(reading: TextReading) -> Destination:
    """The form of a sweep with what was named filled in; it starts nothing."""
    one = {key: values[0] for key, values in reading.view.where if len(values) == 1}
    about = _words(View.of({key: [one[key]] for key in one}), reading)
    return Destination("launch", f"Launch: measure {about}" if about else "Launch", urlencode(plan_fields(one)), None)


def _of_question(library: Library, page: str, reading: TextReading) -> Destination | None:
    """A question's page in the words of the story it tells, where it can; where very MANY points are loaded, untried
    and of all selected."""
    view = _linked_view(library, page, reading)
    if view is None:
        return None
    shown, points = view, reading.points
    if selection.count(library, View()) <= story.MANY:
        answer = answered(library, page, view)
        if answer is None or not _shows(library, answer.view, reading):
            return None
        shown, points = answer.view, selection.count(library, answer.view)
    sides = _sides_words(reading) if page == "crossover" else ""
    of = shown.with_where(**{reading.sides[0]: None}) if sides and reading.sides else shown
    within = limits.words(limits.read(reading.view))
    metric = inline(reading.metric) if reading.metric else ""
    many = _many(library, shown, reading, points)
    about = [word for word in (metric, sides, _words(of, reading), within, many) if word]
    return Destination(page, f"{question(page).TITLE}: {', '.join(about)}{_without(reading)}", view.query(), points)


def _linked_view(library: Library, page: str, reading: TextReading) -> View | None:
    """The View of a page's link, with both sides and with the metric; None where the page cannot show the metric."""
    view = reading.view
    if page == "crossover" and reading.sides is not None:
        key, groups = reading.sides
        a, b = (View.of({key: group}).query() for group in groups)
        view = view.with_options(a=a, b=b, per="dollar" if reading.per_dollar else None)
    if reading.metric is None:
        return view
    try:
        offered = question(page).choices(library, view)
    except BenchError:
        return None
    places = (one for one in SHOWING if reading.metric.key in {key for key, _ in offered.get(one, ())})
    place = next(places, None)
    return view.with_options(**{place: reading.metric.key}) if place else None


def _shows(library: Library, view: View, reading: TextReading) -> bool:
    """Whether points of a complete View have every metric that the page is about, and each of two that were named."""
    condition = selection.clause(view)
    for key in ("x", "y", "metric"):
        column = view.option(key)
        if column in library.metric_columns():
            condition = condition.also(f'isfinite("{column}")')
    sides = [selection.clause(View(View.from_query(view.option(key)).where)) for key in ("a", "b") if view.option(key)]
    each = [condition, *(condition.also(f"({side.sql})", *side.params) for side in sides)]
    return readings.has_each(library, reading.wanted, condition) and all(_count(library, one) for one in each)


def _many(library: Library, view: View, reading: TextReading, points: int) -> str:
    """How many points a View has; where one of two that were named has few of them, how many each: "99 points (98
    and 1)"."""
    for key, groups in reading.wanted if len(reading.wanted) == 1 else ():
        held = [[value for value in group if value in view.values(key)] for group in groups]
        each = [selection.count(library, view.with_where(**{key: group})) for group in held if group]
        if len(each) == len(groups) and min(each) * LOPSIDED < sum(each):
            return f"{counted(points, 'point')} ({joined([f'{one:,}' for one in each], at_most=len(each))})"
    return counted(points, "point")


def _count(library: Library, condition: selection.Clause) -> int:
    rows = library.fetch(f"SELECT count(*) FROM points WHERE {condition.sql}", condition.params)
    return int(rows[0][0])


def _otherwise(library: Library, pages: Sequence[str], found: Sequence[TextReading]) -> Iterator[Destination]:
    """The first of these pages that can answer each of the other readings."""
    for reading in found:
        ways = (_destination(library, page, reading) for page in pages)
        yield from islice(filter(None, ways), 1)


def _elsewhere(library: Library, meant: Meaning, ways: Sequence[str], keeps: Wanted = ()) -> Iterator[Destination]:
    """What the largest part of the words leads to on these pages: first with the model and both sides of a comparison.

    Nothing is left out of what it `keeps`: of two that points have, none is offered alone.
    """
    kept = {(key, group) for key, groups in keeps for group in groups}
    for left in range(1, meant.parts):
        destinations = []
        for less, gone in islice(meant.without(left), MOST_PARTS):
            if kept & {(key, values) for one in gone for key, values in one.items()}:
                continue
            if some := [one for one in readings.of(library, less) if one.is_whole]:
                first = _answered_first(library, (*less.pages, *USUAL), some)[0]
                without = ", ".join(_left_out(one, first) for one in gone)
                nearness = ("model" in {key for one in gone for key in one}, first.sides is None, first.points)
                destinations.append((nearness, replace(first, without=without)))
        near = [one for _, one in sorted(destinations, key=lambda pair: pair[0])][:MOST_READINGS]
        if offered := [*_otherwise(library, (*meant.pages, *ways), near)]:
            yield from offered
            return


def _left_out(where: Mapping[str, tuple[str, ...]], reading: TextReading) -> str:
    """A name in words, or as it was typed where it stands for many models."""
    of = where.get("model", ())
    return reading.typed[of].capitalize() if len(of) > 1 else _words(View.of(where), reading).removeprefix("at ")


def _without(reading: TextReading) -> str:
    return f" (without {reading.without})" if reading.without else ""


def _sides_words(reading: TextReading) -> str:
    if reading.sides is None:
        return ""
    key, groups = reading.sides
    return " against ".join(_group(key, group, reading) for group in groups)


def _group(key: str, values: Sequence[str], reading: TextReading) -> str:
    """Values in words; of many, what was typed for them."""
    typed = (words for group, words in reading.typed.items() if len(values) > MOST_GROUP and set(values) <= set(group))
    return next(typed, "") or joined([_value(key, value) for value in values], at_most=MOST_GROUP)


def _value(key: str, value: str) -> str:
    if key in ("model", "accelerator", "engine"):
        return names.display_name(key, value)
    return value.upper() if key == "precision" else value


def _words(view: View, reading: TextReading) -> str:
    """What a View is about: "DeepSeek-R1 FP8 at 8,192/1,024, H200 SXM and MI355X"."""
    held = dict(view.where)
    first = [joined([_value(key, one) for one in held[key]], at_most=2) for key in STORY if key in held]
    isl, osl = (_length(held.get(key, ())) for key in ("isl", "osl"))
    one = f"{isl} tokens in" if isl else f"{osl} tokens out" if osl else ""
    first += [f"at {isl}/{osl}"] if isl and osl else []
    rest = [_group_words(key, values, reading) for key, values in view.where if key not in (*STORY, "isl", "osl")]
    return ", ".join(part for part in (" ".join(first), "" if isl and osl else one, *rest) if part)


def _group_words(key: str, values: Sequence[str], reading: TextReading) -> str:
    """A filter besides the story's, in words; of many values the words that were typed."""
    if key in SEVERAL:
        sides = reading.sides[1] if reading.sides and reading.sides[0] == key else (values,)
        return joined([_group(key, side, reading) for side in sides if set(side) <= set(values)])
    if FILTER_BY_KEY[key].kind == "number":
        return joined([setting(key, float(value)) for value in values], "or")
    return f"{FILTER_BY_KEY[key].label.lower()} {joined(list(values), 'or')}"


def _length(values: Sequence[str]) -> str:
    """The one length that a View is about, with thousands separated; "" where it is about several."""
    try:
        return number(float(values[0])) if len(values) == 1 and math.isfinite(float(values[0])) else ""
    except ValueError:
        return ""
