"""Which operating points are worth choosing: what one request sees against what the accelerators give."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, pricing, selection
from bench.chart import Theme, deployment_words, title, value_label, workload_words
from bench.library import Library
from bench.maths.pareto import log_span, steps
from bench.questions import Answer, Choices, Option, Why
from bench.questions.pareto import axes as axes_on_offer
from bench.questions.pareto import drawing, frontiers, lacking, points, sentences
from bench.questions.pareto.axes import Axes
from bench.questions.pareto.frontiers import Frontiers, Place
from bench.questions.pareto.points import Tally
from bench.view import FILTER_BY_KEY, View
from bench.wording import counted, joined

TITLE = "Pareto"
QUESTION = "Which operating points are worth choosing?"
SECTION = "Explore"
ORDER = 30

OPTIONS: tuple[Option, ...] = (
    Option(
        "x", "Across", "choice", "What one request sees: interactivity or a latency, at any stored statistic."
    ),
    Option("y", "Up", "choice", "What the accelerators give: a throughput, an energy or a cost."),
    Option("group", "A frontier for each", "choice", "Draws one frontier for each value of this field."),
    Option(
        "slo_x",
        "Limit on the horizontal axis",
        "number",
        "The requirement on the horizontal axis, in its unit.",
    ),
    Option(
        "slo_y", "Limit on the vertical axis", "number", "The requirement on the vertical axis, in its unit."
    ),
    Option("frontier_evidence", "May enter a frontier", "choice", "Only measured points, or every evidence."),
    Option(
        "x_scale",
        "Scale across",
        "choice",
        "Linear or logarithmic; automatic is logarithmic for long latencies.",
    ),
    Option("price_book", "Price book", "choice", "The price list behind a cost."),
    Option("price_terms", "Price terms", "choice", "On demand, spot, reserved or modelled."),
    Option(
        "utilisation",
        "Utilisation",
        "number",
        "The share of the paid time in which tokens are really served.",
    ),
)

DRAWN_POINTS = 50_000
"""With more usable points than this the cloud is counted in a grid and only the frontiers come as points."""

EMPTIED = 8
"""Of the values a narrowing leaves without a point, so many are named."""

LOG_FROM = 30
"""An axis is logarithmic when its largest value is more than this many times its smallest."""


def complete(library: Library, view: View) -> View:
    """The View with every option explicit; unless it is whole, one model, precision and workload are filled in.

    Filled in is the story with the most measured points times accelerators that have both metrics. NotFound when
    nothing loaded has both a latency and a throughput.
    """
    return axes_on_offer.completed(library, view)


def choices(library: Library, view: View) -> Choices:
    """The metrics, groups, evidence and prices to choose from."""
    offered = pricing.books(library)
    book = view.option("price_book")
    groups = [key for key in axes_on_offer.GROUPS if library.has(key)]
    return {
        "x": [(key, catalogue.metric(key).axis) for key in axes_on_offer.across(library)],
        "y": [(key, catalogue.metric(key).axis) for key in axes_on_offer.up(library)],
        "group": [*((key, title(key)) for key in groups), (axes_on_offer.ONE_FRONTIER, "One for everything")],
        "frontier_evidence": [("measured", "Only measured points"), ("all", "Every evidence")],
        "x_scale": [("auto", "Automatic"), ("linear", "Linear"), ("log", "Logarithmic")],
        "price_book": [(name, name) for name in dict.fromkeys(row.name for row in offered)],
        "price_terms": [
            (row.terms, pricing.terms_in_words(row.terms)) for row in offered if row.name == book
        ],
    }


def rows(library: Library, view: View) -> pd.DataFrame:
    """Every usable point, frontiers first; above DRAWN_POINTS the frontiers alone.

    The axes stand under their catalogue keys. `on_frontier` is within the point's group, `on_overall_frontier` over
    everything; `is_knee` marks each group's knee; `step` says what the point gives and costs over the one before it
    on its group's frontier, `overall_step` on the overall one.
    """
    whole = complete(library, view)
    axes = axes_on_offer.axes_of(library, whole)
    return _rows(library, whole, axes, points.usable_points(library, whole, axes))


def answer(library: Library, view: View) -> Answer:
    """The frontiers, their knees, who leads where, and the best point within the reader's limits."""
    whole = complete(library, view)
    axes = axes_on_offer.axes_of(library, whole)
    limits = axes_on_offer.limits(whole)
    tally = points.tally(library, whole, axes)
    frame = _rows(library, whole, axes, tally.usable)
    frame["passport"] = points.passports(library, frame, axes)
    x_log = _logarithmic(tally.x_span, whole.option("x_scale"), latency=axes.x.unit == "ms")
    found = frontiers.found_in(frame, axes)
    best = frontiers.best_within(frame[frame["on_overall_frontier"]], axes, *limits)
    groups = dict(frontiers.by_owner(frame[frame["on_frontier"]], axes))
    reached = {label: frontiers.best_within(own, axes, *limits) for label, own in groups.items()}
    numbers = _numbers(axes, tally, found, x_log=x_log) | {
        "slo_x": limits[0],
        "slo_y": limits[1],
        "best_within": _plain(best),
        "groups": [
            _group(label, own, found.knees.get(label), reached[label], tally) for label, own in groups.items()
        ],
        "frontier": _listed(frame[frame["on_overall_frontier"]], axes),
    }
    if tally.usable > DRAWN_POINTS and tally.x_span and tally.y_span:
        numbers["cloud"] = points.cloud(library, whole, axes, tally, numbers["x_log"], numbers["y_log"])
    lead, *others = _said(library, whole, axes, tally, found, frame)
    words = _told(frame, best, one_workload=len(tally.workloads) == 1)
    said = [*sentences.within(axes, limits, best, words, reached, found.flags), lead, *others]
    return Answer(
        question=QUESTION,
        view=whole,
        headline=said[0],
        rows=frame,
        findings=tuple(said[1:]),
        numbers=numbers,
        caveats=(
            *_not_loaded(library, whole, tally),
            *_narrowed(library, view, whole),
            *sentences.caveats(
                axes,
                tally,
                found.flags,
                max(0, len(groups) - drawing.DRAWN_GROUPS),
                in_a_grid="cloud" in numbers,
            ),
            *sentences.prices(axes, tally, whole.option("price_book"), whole.option("price_terms")),
        ),
        why=_why(axes, whole),
        library_version=library.version,
    )


def figure(answer: Answer, theme: Theme) -> go.Figure:
    """The cloud, faded, with each group's frontier, the overall one, the knees and the limits."""
    return drawing.draw(answer.rows, answer.numbers, theme)


def table(answer: Answer) -> pd.DataFrame:
    """The frontier points alone, in the order of the answer's rows: what each next step costs."""
    return answer.rows[answer.rows["on_frontier"]].reset_index(drop=True)


def _said(library: Library, whole: View, axes: Axes, tally: Tally, found: Frontiers,
          frame: pd.DataFrame) -> list[str]:  # fmt: skip
    """The headline and the findings; where there is too little for a frontier, what to choose instead."""
    lead = sentences.headline(axes, tally, found)
    if not tally.selected or (tally.usable and tally.entering != 1):
        return [lead, *sentences.findings(axes, tally, found, lead)]
    held = lacking.held(library, whole, axes)
    choice = lacking.instead(axes, held, more_than=tally.entering)
    if not tally.usable:
        return [lacking.headline(axes, tally, held, choice)]
    only = points.told(frame[frame["on_frontier"]])[0]
    narrow = [FILTER_BY_KEY[key].label.lower() for key, _ in whole.where if key != "model"]
    return [lead, *lacking.findings(axes, only, narrow, choice)]


def _narrowed(library: Library, view: View, whole: View) -> list[str]:
    """What was filled in besides what the reader asked for, and how many points that leaves out."""
    added = {key: values for key, values in whole.where if not view.values(key)}
    if not view.where or not added:
        return []
    left_out = selection.count(library, view) - selection.count(library, whole)
    if not left_out:
        return []
    words = joined([f"{key} {joined(list(values))}" for key, values in added.items()])
    emptied = [
        value_label(FILTER_BY_KEY[key].column, value)
        for key, values in view.where
        if len(values) > 1 and FILTER_BY_KEY[key].kind != "date"
        for value in values
        if _emptied(library, view.with_where(**{key: (value,)}), whole.with_where(**{key: (value,)}))
    ]
    among = f", among them all of {joined(emptied, at_most=EMPTIED)}" if emptied else ""
    return [f"Narrowed to {words}; {counted(left_out, 'point')} of the selection beside it left out{among}."]


def _emptied(library: Library, view: View, narrowed: View) -> bool:
    """Whether points are selected that are all gone in the narrower View."""
    return not selection.count(library, narrowed) and bool(selection.count(library, view))


def _rows(library: Library, view: View, axes: Axes, usable: int) -> pd.DataFrame:
    read = points.frontier_points if usable > DRAWN_POINTS else points.every_point
    frame = frontiers.marked(read(library, view, axes), axes)
    narrow = ["owner", axes.x.key, axes.y.key]
    lines = [("step", own) for _, own in frontiers.by_owner(frame.loc[frame["on_frontier"], narrow], axes)]
    overall = frame.loc[frame["on_overall_frontier"], narrow]
    lines.append(("overall_step", overall.sort_values(axes.y.key, ascending=axes.y.direction == "higher")))
    words: dict[str, dict[Any, str]] = {"step": {}, "overall_step": {}}
    for column, line in lines:
        x, y = line[axes.x.key].tolist(), line[axes.y.key].tolist()
        for before, (position, step) in enumerate(zip(line.index[1:], steps(x, y)[1:], strict=True)):
            if step is not None:
                words[column][position] = sentences.step_words(axes, x[before], x[before + 1], step)
    for column, told in words.items():
        frame[column] = pd.Series([told.get(at) for at in frame.index], frame.index, dtype=object)
    first = ["point_id", "owner", axes.y.key, axes.x.key, "step", "is_knee"]
    return frame[[*first, *(name for name in frame.columns if name not in first)]]


def _numbers(axes: Axes, tally: Tally, found: Frontiers, *, x_log: bool) -> dict[str, Any]:
    return {
        "x": axes.x.key,
        "y": axes.y.key,
        "group": axes.owner,
        "x_log": x_log,
        "y_log": _logarithmic(tally.y_span, "auto", latency=True),
        "selected": tally.selected,
        "without_x": tally.without_x,
        "without_y": tally.without_y,
        "usable": tally.usable,
        "entering": tally.entering,
        "leads": [
            {"group": lead.owner, "beyond": lead.weakest, "from": lead.easiest, "to": lead.strictest}
            for lead in found.leads
        ],
    }


def _group(
    label: str, own: pd.DataFrame, knee: Place | None, best: Place | None, tally: Tally
) -> dict[str, Any]:
    owner = str(own["owner"].iloc[0])
    return {
        "owner": owner,
        "group": label,
        "points": tally.owners.get(owner, 0),
        "frontier_points": len(own),
        "knee": _plain(knee),
        "best_within": _plain(best),
    }


def _listed(line: pd.DataFrame, axes: Axes) -> list[dict[str, Any]]:
    return [
        _plain(
            Place(
                frontiers.owner_label(row["owner"], axes), row[axes.x.key], row[axes.y.key], row["point_id"]
            )
        )
        or {}
        for row in line.sort_values(axes.y.key, ascending=axes.y.direction == "higher").to_dict("records")
    ]


def _plain(place: Place | None) -> dict[str, Any] | None:
    return (
        None
        if place is None
        else {"group": place.owner, "x": place.x, "y": place.y, "point_id": place.point_id}
    )


def _not_loaded(library: Library, view: View, tally: Tally) -> list[str]:
    if tally.selected and all(len(values) == 1 for _, values in view.where):
        return []  # every value let something through
    return selection.not_loaded(library, view)


def _told(frame: pd.DataFrame, place: Place | None, *, one_workload: bool) -> tuple[str, str]:
    """A point in full, and in brief: without layout and version, and without the workload where there is but one.

    What was not measured says what it is.
    """
    if place is None:
        return "", ""
    row = points.told(frame[frame["point_id"] == place.point_id])[0]
    left_out = ("tp", "pp", "dp", "ep", "engine_version", *(("isl", "osl") if one_workload else ()))
    kind = "" if row["evidence"] == "measured" else row["evidence"] or "evidence not stated"
    full, brief = (
        ", ".join(words for words in (deployment_words(told), workload_words(told), kind) if words)
        for told in (row, row | dict.fromkeys(left_out))
    )
    return full, brief


def _logarithmic(span: tuple[float, float] | None, asked: str, *, latency: bool) -> bool:
    if span is None or span[0] <= 0 or asked == "linear":
        return False
    return asked == "log" or (latency and log_span(span) > LOG_FROM)


def _why(axes: Axes, view: View) -> tuple[Why, ...]:
    line = Why(
        "Frontier",
        "kept unless another point is at least as good in both metrics and better in one; equal points once",
        f"{'every' if axes.every_evidence else 'every measured'} selected point with both metrics",
        "Pareto dominance, directions from the catalogue",
    )
    knee = Why(
        "Knee",
        "the frontier point farthest beyond the straight line between its ends, both axes logarithmic from 0 to 1",
        "one group's frontier of at least three points",
        'Satopaa, Albrecht, Irwin, Raghavan: Finding a "Kneedle" in a Haystack, ICDCSW 2011',
    )
    metrics = [
        Why(metric.axis, metric.formula, metric.definition, metric.source) for metric in (axes.x, axes.y)
    ]
    if not axes.prices:
        return (line, knee, *metrics)
    book, terms = view.option("price_book"), view.option("price_terms")
    prices = list(axes.prices.values())
    inputs = f"utilisation {view.option('utilisation')}; {sentences.price_words(prices, terms, len(prices))}"
    kind = "modelled costs" if terms.startswith("modelled") else "quotes"
    price = Why("Price", f"median of the book's {kind} for an accelerator under these terms", inputs,
                f"price book {book}, {pricing.terms_in_words(terms)}")  # fmt: skip
    return (line, knee, *metrics, price)
