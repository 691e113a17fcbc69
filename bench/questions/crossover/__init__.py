"""Where one side overtakes another: any two curves along a load or a length, or every pair that can be compared."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, pricing, selection
from bench.chart import Theme
from bench.errors import NotFound
from bench.library import Library
from bench.questions import Answer, Choices, Option
from bench.questions.crossover import asked as asking
from bench.questions.crossover import (
    chosen,
    curves,
    defaults,
    divisors,
    drawing,
    labels,
    listing,
    pairs,
    sides,
)
from bench.questions.crossover.asked import Asked
from bench.view import View
from bench.wording import counted, joined

TITLE = "Crossover"
QUESTION = "Where does B overtake A?"
SECTION = "Decide"
ORDER = 50

OPTIONS: tuple[Option, ...] = (
    Option("a", "A", "choice", "One side: filters joined by &, as accelerator=tpu-v6e&accelerators=4."),
    Option("b", "B", "choice", "The other side, written the same way."),
    Option("along", "Along", "choice", "The axis both sides are followed along."),
    Option("metric", "Metric", "choice", "The throughput or latency that is compared."),
    Option(
        "per",
        "Divided by",
        "choice",
        "Raw, or per accelerator, per dollar or per watt; a latency is always raw.",
    ),
    Option("price_book", "Price book", "choice", "The price list behind a dollar."),
    Option(
        "price_terms",
        "Price terms",
        "choice",
        "On demand, spot, reserved, or what the points' source prints.",
    ),
    Option("price_a", "Price of A", "number", "USD for one chip of A and hour; overrides the price book."),
    Option("price_b", "Price of B", "number", "USD for one chip of B and hour; overrides the price book."),
)
PER_LABELS = {"raw": "Nothing: raw", "accelerator": "Accelerators", "dollar": "Dollars", "watt": "Watts"}


def complete(library: Library, view: View) -> View:
    """The View with every option but the sides explicit; unless it is whole, one model and workload are filled in.

    Sides stay as chosen, or open. UnknownName or UsageError for an option that cannot be; NotFound when nothing
    loaded has a throughput or a latency.
    """
    if not defaults.comparable(library):
        raise NotFound("No loaded point has a throughput or a latency to compare; import results that do.")
    return defaults.completed(library, view)


def choices(library: Library, view: View) -> Choices:
    """The sides, axes, metrics, divisors and prices this selection offers."""
    asked = asking.read(complete(library, view))
    condition = asking.of_side(view, None)
    held = _sides(library, view, asked)
    alongs = dict.fromkeys([asked.along, *defaults.alongs(library, view)])
    metrics = [catalogue.metric(key) for key in defaults.comparable(library)]
    named = Counter(row.label for row in metrics)
    pers = asking.PERS if asking.is_throughput(asked.metric) else ("raw",)
    offered = pricing.books(library)
    books = dict.fromkeys(row.name for row in offered)
    book = view.option("price_book")
    terms = {
        row.terms: pricing.terms_in_words(row.terms) for row in offered if book in (row.name, pricing.EVERY)
    }
    if view.option("price_terms") == divisors.WITH_POINTS or book in divisors.printed_books(
        library, condition
    ):
        terms = {divisors.WITH_POINTS: "printed with the points", **terms}
    if view.option("price_terms") == pricing.EVERY or book == pricing.EVERY:
        terms[pricing.EVERY] = "every terms"
    return {
        "a": _with(held, view.option("a"), library, view, asked),
        "b": _with(held, view.option("b"), library, view, asked),
        "along": [(key, _name(key)) for key in asking.ALONG if key in alongs],
        "metric": [(row.key, row.label if named[row.label] == 1 else row.axis) for row in metrics],
        "per": [(key, PER_LABELS[key]) for key in pers],
        "price_book": [(pricing.EVERY, "Every book"), *((name, name) for name in books)],
        "price_terms": list(terms.items()),
    }  # fmt: skip


def rows(library: Library, view: View) -> pd.DataFrame:
    """With both sides chosen one row for each knot: x, both values, who leads by how much; else one for each pair."""
    return answer(library, view).rows


def answer(library: Library, view: View) -> Answer:
    """Where B overtakes A, under every normalisation; without a pair, every pair that can be compared."""
    whole = complete(library, view)
    asked = asking.read(whole)
    found = chosen.told(library, whole, asked) if asked.chosen else listing.told(library, whole, asked)
    return Answer(
        question=QUESTION,
        view=whole,
        headline=found.headline,
        rows=found.rows,
        findings=tuple(found.findings),
        numbers=found.numbers,
        caveats=(*found.caveats, *selection.not_loaded(library, whole), *_narrowed(library, view, whole),
                 *_gave_way(view, whole)),
        why=found.why,
        library_version=library.version,
    )  # fmt: skip


def figure(answer: Answer, theme: Theme) -> go.Figure:
    """Both curves and the strip of their ratio; without a pair one strip for each of the most telling pairs."""
    return drawing.draw(answer.numbers, theme)


def _sides(library: Library, view: View, asked: Asked) -> list[tuple[str, str]]:
    """What can be a side of this selection: each accelerator, each count of it, each curve."""
    found = curves.chips(library, asking.of_side(view, None), asked.along, asked.metric)
    offered: dict[str, str] = {}
    for chip, counts in sorted(found.items()):
        for only in [(), *((count,) for count in counts if len(counts) > 1)]:
            own = View.of({"accelerator": [chip], "accelerators": only})
            offered[asking.written(own)] = labels.of_side(own, {chip}, only or counts)
    one = defaults.of_one_story(library, view)
    pins = View(tuple(pair for pair in one.where if pair not in view.where))
    for each in pairs.candidates(library, view, asking.of_side(one, None), asked, pins):
        offered.setdefault(each.value, each.label)
    return list(offered.items())


def _with(
    offered: list[tuple[str, str]], text: str, library: Library, view: View, asked: Asked
) -> list[tuple[str, str]]:
    """The sides offered, and the one chosen where it is none of them."""
    if not text or text in dict(offered):
        return offered
    key = "a" if text == view.option("a") else "b"
    return [(text, sides.label(library, view, asked, key)), *offered]


def _name(along: str) -> str:
    return asking.along_title(along).split(" (")[0]


def _narrowed(library: Library, view: View, whole: View) -> list[str]:
    """What was filled in besides what the reader asked for, and how many points that leaves out."""
    added = {key: values for key, values in whole.where if not view.values(key)}
    if not view.where or not added:
        return []
    left_out = selection.count(library, View(view.where)) - selection.count(library, View(whole.where))
    if not left_out:
        return []
    words = joined([f"{key} {joined(list(values))}" for key, values in added.items()])
    return [f"Narrowed to {words}; {counted(left_out, 'point')} of the selection beside it left out."]


def _gave_way(view: View, whole: View) -> list[str]:
    if view.option("per") in ("", whole.option("per")):
        return []
    return [
        f"{catalogue.metric(whole.option('metric')).label} is not divided by anything, so it is compared as it is."
    ]
