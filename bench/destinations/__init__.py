"""Where a few typed words lead: the pages that can answer them, each with what it is about and how many points."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from urllib.parse import urlencode

from bench import names, selection
from bench.basis import limits, story
from bench.chart import setting
from bench.destinations.words import LONGEST, Meaning, meaning
from bench.errors import BenchError
from bench.library import Library
from bench.questions import question, questions
from bench.questions.heatmap import gaps
from bench.view import FILTER_BY_KEY, View
from bench.wording import counted, joined, number

__all__ = ["EXAMPLE", "LONGEST", "Destination", "Directions", "directions", "of_cell"]

EXAMPLE = "h200 mi355x deepseek fp8"

USUAL = ("pareto", "heatmap", "crossover", "cost")
"""The pages that are offered for any selection that they can answer, the most asked for first."""

UNFED = ("launch", "jobs", "sql")
"""The pages that need no points to be of use."""

SILENT = ("heatmap", "scaling", "cost", "crossover")
"""The pages that have no answer for some selections with points: no second column or count of chips, nothing with a
price, both sides unlike."""

TITLES = {"data": "Data", "launch": "Launch", "jobs": "Jobs", "sql": "SQL"}
MOST_READINGS, MOST_GROUP = 4, 3
STORY = ("model", "precision")
NEVER_SIDES = ("isl", "osl", "concurrency", "batch", "tp")
"""What two values of make no two sides of a comparison."""

SEVERAL = ("accelerator", "engine")
"""The filters of which one word may name several values, as a family does."""

Sides = tuple[str, tuple[tuple[str, ...], tuple[str, ...]]]


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


@dataclass(frozen=True)
class Reading:
    """One way to read a text: a View, the sides of a comparison in it, and how many points the View selects."""

    view: View
    points: int
    sides: Sides | None = None
    typed: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    without: str = ""
    per_dollar: bool = False


def directions(library: Library, text: str) -> Directions:
    """The pages that can answer what was typed, and what of it was not understood; never raises for any text."""
    meant = meaning(library, text)
    readings = _readings(library, meant)
    told = [f"Not understood: {joined([word[:40] for word in meant.unknown])}."] if meant.unknown else []
    offered: list[Destination] = []
    named = bool(meant.groups or meant.lengths)
    if named and not readings[0].points:
        told += selection.not_loaded(library, readings[0].view) or ["No point has all of these."]
        offered += _elsewhere(library, meant, readings[0])
    elif named or meant.slo or meant.pages:
        pages = _pages(meant, named=named or bool(meant.slo))
        readings = _answered_first(library, pages, readings)
        offered += (one for page in pages if (one := _destination(library, page, readings[0])))
        offered += _otherwise(library, pages, readings[1:])
        told += _missing(meant, readings[0])
    unique = {(one.page, one.query): one for one in offered}
    return Directions(tuple(unique.values()), tuple(told), meant.unknown)


def of_cell(library: Library, view: View, cell: str) -> Destination | None:
    """The first page that can answer for the model and accelerator in a cell's query, under a View's other filters."""
    kept = View.of({**dict(view.where), **dict(View.from_query(cell).where)}, slo=view.slo)
    reading = Reading(kept, selection.count(library, kept))
    pages = (*USUAL[:2], "scaling", "cost", "data")
    return next((one for page in pages if (one := _destination(library, page, reading))), None)


def _pages(meant: Meaning, *, named: bool) -> list[str]:
    usual = [*USUAL, "data"] if named else []
    return list(dict.fromkeys((*meant.pages, *usual)))


def _answered_first(library: Library, pages: Sequence[str], readings: Sequence[Reading]) -> list[Reading]:
    """The readings, before all others the one with most points that the first of these pages can answer."""
    first = next((one for one in readings if pages and _destination(library, pages[0], one)), readings[0])
    return [first, *(one for one in readings if one is not first)]


def _readings(library: Library, meant: Meaning) -> list[Reading]:
    """Every way to read the text that selects points, most first; one that selects none where there is no other."""
    where = {key: [value for group in groups for value in group] for key, groups in meant.groups.items()}
    models = meant.groups.get("model", ())
    if len(models) > 1:
        where["model"] = [group[0] for group in models]
    found = []
    for at in range(max(map(len, meant.lengths.values()), default=1)):
        lengths = {key: [values[min(at, len(values) - 1)]] for key, values in meant.lengths.items()}
        view = View.of({**where, **lengths}, slo=meant.slo)
        for slug in _models(library, view, meant) or [""]:
            one = _loaded(library, view.with_where(model=[slug]) if slug else view)
            found.append(Reading(one, selection.count(library, one), _sides(meant, one), meant.typed,
                                 per_dollar="cost" in meant.pages))  # fmt: skip
    some = sorted((one for one in found if one.points), key=lambda one: -one.points)
    return some[:MOST_READINGS] or found[:1]


def _models(library: Library, view: View, meant: Meaning) -> list[str]:
    """The models to read a text for one at a time, best first: those that one word may mean, or that both sides have.

    None where the text leaves nothing to choose.
    """
    sides, models = _sides(meant, view), meant.groups.get("model", ())
    if len(models) > 1 or (models and len(models[0]) == 1) or not (models or sides):
        return []
    counts: list[str] = ["count(*)"]
    params: list[object] = []
    for group in sides[1] if sides else ():
        of = selection.clause(View.of({sides[0]: group} if sides else {}))
        counts.append(f"count(*) FILTER ({of.sql})")
        params += of.params
    condition = selection.clause(view)
    rows = library.fetch(
        f"SELECT model, least({', '.join(counts)}) AS fewest FROM points WHERE {condition.sql} AND model IS NOT NULL"
        f" GROUP BY 1 HAVING fewest > 0 ORDER BY 2 DESC, 1 LIMIT {MOST_READINGS}",
        (*params, *condition.params),
    )
    return [str(model) for model, _ in rows]


def _missing(meant: Meaning, reading: Reading) -> Iterator[str]:
    """A sentence on each name that was typed and that no point of the reading has."""
    for key in SEVERAL:
        for group in meant.groups.get(key, ()):
            if not set(group) & set(reading.view.values(key)):
                yield f"Nothing of {_group(key, group, reading)} is among these."


def _loaded(library: Library, view: View) -> View:
    """The View with those of several accelerators and engines alone that points have; as it is where none has."""
    condition = selection.clause(view)
    for key in SEVERAL:
        values = view.values(key)
        if len(values) > 1:
            rows = library.fetch(f"SELECT DISTINCT {key} FROM points WHERE {condition.sql}", condition.params)
            held = {str(value) for (value,) in rows}
            view = view.with_where(**{key: [value for value in values if value in held] or values})
    return view


def _sides(meant: Meaning, view: View) -> Sides | None:
    """The filter that two groups of values were named for, and of both what the View has of it."""
    two = [
        (key, groups) for key, groups in meant.groups.items() if len(groups) == 2 and key not in NEVER_SIDES
    ]
    if len(two) != 1:
        return None
    key, groups = two[0]
    a, b = (tuple(value for value in group if value in view.values(key)) for group in groups)
    return (key, (a, b)) if a and b else None


def _destination(library: Library, page: str, reading: Reading) -> Destination | None:
    """The page for this reading, where it can answer it."""
    if not reading.points and page not in UNFED:
        return None
    if page in questions():
        return None if _is_empty(library, page, reading) else _of_question(library, page, reading)
    about = _words(reading.view, reading)
    if page == "data":
        points = reading.points
        label = ", ".join(word for word in (about, counted(points, "point")) if word)
        return Destination(page, f"Data: {label}", View(reading.view.where, whole=True).query(), points)
    if page == "launch":
        return _launch(reading)
    return Destination(page, TITLES.get(page, page.title()), "", None)


def _is_empty(library: Library, page: str, reading: Reading) -> bool:
    """Whether a page would show nothing of this reading though points have its metric, as of one count of chips."""
    if page not in SILENT or selection.count(library, View()) > story.MANY:
        return False
    asked = question(page)
    try:
        return asked.answer(library, asked.complete(library, _asked(page, reading))).rows.empty
    except BenchError:
        return True


def _launch(reading: Reading) -> Destination:
    """The form of a sweep with what was named filled in; it starts nothing."""
    one = {key: values[0] for key, values in reading.view.where if len(values) == 1}
    stated = {key: one[key] for key in gaps.ASKED if key in one}
    stated |= {f"facts.{key}": one[key] for key in gaps.FACTS if key in one}
    about = _words(View.of({key: [one[key]] for key in one}), reading)
    return Destination("launch", f"Launch: measure {about}" if about else "Launch", urlencode(stated), None)


def _of_question(library: Library, page: str, reading: Reading) -> Destination | None:
    """A question's page in the words of the story it will tell; where very MANY points are loaded, of all selected."""
    asked, view = question(page), _asked(page, reading)
    told, points = view, reading.points
    if selection.count(library, View()) <= story.MANY:
        try:
            told = asked.complete(library, view)
            points = _shown(library, told)
            if not points:
                return None
        except BenchError:
            return None
    sides = _sides_words(reading) if page == "crossover" else ""
    of = told.with_where(**{reading.sides[0]: None}) if sides and reading.sides else told
    within = limits.words(limits.read(reading.view))
    about = [word for word in (sides, _words(of, reading), within, counted(points, "point")) if word]
    without = f" (without {reading.without})" if reading.without else ""
    return Destination(page, f"{asked.TITLE}: {', '.join(about)}{without}", view.query(), points)


def _asked(page: str, reading: Reading) -> View:
    """The View of a page's link: the crossover's has both sides."""
    if page != "crossover" or reading.sides is None:
        return reading.view
    key, groups = reading.sides
    a, b = (View.of({key: group}).query() for group in groups)
    return reading.view.with_options(a=a, b=b, per="dollar" if reading.per_dollar else None)


def _shown(library: Library, told: View) -> int:
    """How many points of a complete View have every metric that the page is about; all for one about facts."""
    condition = selection.clause(told)
    for key in ("x", "y", "metric"):
        column = told.option(key)
        if column in library.metric_columns():
            condition = condition.also(f'isfinite("{column}")')
    many = [_count(library, condition)]
    for key in ("a", "b"):
        if told.option(key):
            side = selection.clause(View(View.from_query(told.option(key)).where))
            many.append(_count(library, condition.also(f"({side.sql})", *side.params)))
    if not all(many):
        return 0
    return many[0]


def _count(library: Library, condition: selection.Clause) -> int:
    rows = library.fetch(f"SELECT count(*) FROM points WHERE {condition.sql}", condition.params)
    return int(rows[0][0])


def _otherwise(library: Library, pages: Sequence[str], readings: Sequence[Reading]) -> Iterator[Destination]:
    """The first page that can answer each of the other readings."""
    for reading in readings:
        found = (_destination(library, page, reading) for page in (*pages, *USUAL, "data"))
        yield from islice(filter(None, found), 1)


def _elsewhere(library: Library, meant: Meaning, reading: Reading) -> Iterator[Destination]:
    """What is nearest where no point has all that was named, and the way to measure it."""
    near = []
    for key, values in reading.view.where if len(reading.view.where) > 1 else ():
        less = _loaded(library, reading.view.with_where(**{key: None}))
        without = _words(View(((key, values),)), reading)
        near.append(Reading(less, selection.count(library, less), None, meant.typed, without))
    near = sorted((one for one in near if one.points), key=lambda one: one.points)
    yield from _otherwise(library, meant.pages, near[:MOST_READINGS])
    yield _launch(reading)


def _sides_words(reading: Reading) -> str:
    if reading.sides is None:
        return ""
    key, groups = reading.sides
    return " against ".join(_group(key, group, reading) for group in groups)


def _group(key: str, values: Sequence[str], reading: Reading) -> str:
    """Values in words; of many, what was typed for them."""
    typed = (
        words
        for group, words in reading.typed.items()
        if len(values) > MOST_GROUP and set(values) <= set(group)
    )
    return next(typed, "") or joined([_value(key, value) for value in values], at_most=MOST_GROUP)


def _value(key: str, value: str) -> str:
    if key in ("model", "accelerator", "engine"):
        return names.display_name(key, value)
    return value.upper() if key == "precision" else value


def _words(view: View, reading: Reading) -> str:
    """What a View is about: "DeepSeek-R1 FP8 at 8,192/1,024, H200 SXM and MI355X"."""
    held = dict(view.where)
    first = [joined([_value(key, one) for one in held[key]], at_most=2) for key in STORY if key in held]
    isl, osl = (_length(held.get(key, ())) for key in ("isl", "osl"))
    one = f"{isl} tokens in" if isl else f"{osl} tokens out" if osl else ""
    first += [f"at {isl}/{osl}"] if isl and osl else []
    rest = [
        _group_words(key, values, reading) for key, values in view.where if key not in (*STORY, "isl", "osl")
    ]
    return ", ".join(part for part in (" ".join(first), "" if isl and osl else one, *rest) if part)


def _group_words(key: str, values: Sequence[str], reading: Reading) -> str:
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
