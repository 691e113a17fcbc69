"""Which operating points are worth choosing: what one request sees against what the accelerators give."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import pandas as pd

from bench import basis, selection
from bench.basis import evidence, prices, side_by_side, stated_share, story, variations
from bench.basis.evidence import Ranking
from bench.basis.options import Option
from bench.basis.points import of_frame
from bench.basis.prices import ChipPrice, Choice
from bench.basis.story import Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.catalogue import PRICED
from bench.chart import title
from bench.library import Library
from bench.maths import pareto
from bench.maths.grid import TIE
from bench.maths.pareto import Frontiers, log_span
from bench.questions import Answer, Choices, Column, Steps, Why, counting, pipeline
from bench.questions.pareto import axes as choosing
from bench.questions.pareto import figure as drawing
from bench.questions.pareto import points, verdict
from bench.questions.pareto.axes import FEWEST, GROUPS, ONE_FRONTIER, Axes
from bench.questions.pareto.points import Points, reduced
from bench.questions.pareto.result import Group, Lead, Pareto, Span, Spot
from bench.view import View
from bench.wording import joined

TITLE = "Pareto"
QUESTION = "Which operating points are worth choosing?"
SECTION = "Explore"
ORDER = 30
NEEDS = "points"
figure = drawing.draw

OPTIONS: tuple[Option, ...] = (
    Option("x", "Horizontal axis", "choice", "What one request sees: interactivity or a latency."),
    Option("y", "Vertical axis", "choice", "What the accelerators give: a throughput, an energy or a cost."),
    Option(
        "group",
        "A frontier for each",
        "choice",
        "Draws one frontier for each value of this field.",
        (*GROUPS, ONE_FRONTIER),
    ),
    Option(
        "x_scale",
        "Horizontal scale",
        "choice",
        "Automatic is logarithmic where latencies span more than 30 times.",
        ("auto", "linear", "log"),
        default="auto",
    ),
)
COLUMNS = (
    Column("owner", "Frontier"),
    Column("enters", "Ranked"),
    Column("step", "Gain over the point before"),
    Column("overall_step", "Gain over the point before on the overall frontier"),
    Column("on_frontier", "On its frontier"),
    Column("on_overall_frontier", "On the overall frontier"),
    Column("is_knee", "Knee"),
    Column("aside", "Not ranked for"),
)
STEPS = Steps(counting("accelerator", "has a frontier", "have a frontier"), anew="Choose the axes anew")

DRAWN_POINTS = 50_000
"""With more points than this the cloud is counted in a grid and only the frontiers come as points."""

LOG_FROM = 30
"""An axis is logarithmic when its largest value is more than this many times its smallest."""


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and one model, precision and workload that has both metrics.

    NotFound when nothing loaded has both a latency and a throughput; UsageError or UnknownName for what cannot be.
    """
    return _story(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The metrics and groups to choose from."""
    both = choosing.needs(library, view.option("x"), view.option("y"))
    several = side_by_side.field(library, view, "", both) == side_by_side.FIELD
    groups = [(key, title(key)) for key in GROUPS if library.has(key) and (key == side_by_side.FIELD or not several)]
    return {
        **{axis: [(key, title(key)) for key in keys] for axis, keys in choosing.offered(library).items()},
        "group": groups if several else [*groups, (ONE_FRONTIER, "One for all points")],
        "x_scale": [("auto", "Automatic"), ("linear", "Linear"), ("log", "Logarithmic")],
    }


def answer(library: Library, view: View) -> Answer[Pareto]:
    """The frontiers, their knees, who leads where, and the best point within the reader's limits."""
    chosen = _story(library, view)
    whole, axes = chosen.view, choosing.of_view(library, chosen.view)
    found, figures = _pareto(library, evidence.read(whole), axes), choosing.figures(library, axes)
    found = replace(found, known=stated_share.of_headline(library, whole, found.deciding, figures))
    shown = [one.owner for one in (*found.groups, *found.without)]
    shown = shown if found.group == side_by_side.FIELD else [*found.mixed[side_by_side.FIELD]]
    said = (
        *side_by_side.gave_way(view.option("group"), whole.option("group")),
        *side_by_side.left_out(library, whole, shown, f"no point with {joined(list(figures))}"),
        *verdict.statements(found),
        *(prices.statements(axes.choice, axes.prices, found.mixed["accelerator"]) if axes.choice else ()),
    )
    return pipeline.answer(library, QUESTION, whole, found, said, found.points, _why(axes), chosen, found.known)


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the same group leads, or has the best point within the limits, with one choice changed at a time.

    The points are read once: within one accelerator an hour's cost is a factor, so its frontier is alike at any price.
    """
    whole = view if view.whole and view.option("x") else complete(library, view)
    axes, ranking = choosing.of_view(library, whole), evidence.read(whole)
    limits, every = ranking.limits, Points(library, ranking, axes)
    backwards = axes.choice and any(one.metric == axes.y and not one.at_most for one in limits)
    if axes.owner is None or backwards or every.unasked or (limits and not every.deciding.names_a_best):
        return None
    limited = whole.with_slo(one.text for one in limits if axes.choice is None or one.metric != axes.y)
    own = evidence.read(limited)
    ways = [own, *(one for _, _, one in variations.of_points(own))]
    books: dict[Choice, Mapping[str, ChipPrice]] = {}
    if axes.choice is not None:
        others = prices.alternatives(library, axes.choice).values()
        books = {**prices.chip_prices_of_each(library, others), axes.choice: axes.prices}
        axes = choosing.at_one_dollar(axes, {chip for book in books.values() for chip in book})
    frame = reduced(library, axes, selection.clause(limited), [evidence.ranked(library, one) for one in ways])

    def among(one: Ranking, choice: Choice | None) -> pd.DataFrame:
        rows = frame[(frame["mark"] & 2 ** ways.index(one)) > 0].reset_index(drop=True)
        return points.priced(rows, books[choice]) if choice else rows

    first = points.leader(among(own, axes.choice), axes, limits)

    def varied(one: Variation) -> Verdict | None:
        rows = among(one.ranking, one.prices if axes.choice else None)
        leader = points.leader(rows, axes, limits)
        has_no_price = one.kind == "price" and first not in set(rows["owner"])
        if leader is None or has_no_price or one.kind == axes.owner:
            return None
        return Verdict(leader, verdict.in_words(axes.owner, leader, is_limited=bool(limits)))

    return variations.of(library, limited, axes.choice, varied, f"({axes.x_sql}) IS NOT NULL")


def _story(library: Library, view: View) -> Story:
    """What the answer is about, its View complete."""
    basis.check_every(view, OPTIONS)
    choosing.check(library, view)
    keys, group = (view.option("x"), view.option("y")), view.option("group", "accelerator")
    chosen = story.of(library, view, choosing.needs(library, *keys), {group})
    x, y = choosing.chosen(library, chosen.view, *keys)
    if group != (field := side_by_side.field(library, chosen.view, group, choosing.needs(library, x, y))):
        chosen, group = story.of(library, view, choosing.needs(library, *keys), {field}), field
        x, y = choosing.chosen(library, chosen.view, *keys)
    whole = chosen.view.with_options(x=x, y=y, group=group, x_scale=view.option("x_scale", "auto"))
    whole = prices.completed(library, whole) if y in PRICED else whole
    return replace(chosen, view=basis.written_out(whole), lacking=choosing.needs(library, x, y).words)


def _pareto(library: Library, ranking: Ranking, axes: Axes) -> Pareto:
    """The frontiers of a complete View, the best within its limits, and what became of every selected point."""
    every, limits = Points(library, ranking, axes), ranking.limits
    in_cells = every.seen["points"].sum() > DRAWN_POINTS
    drawn = every.drawn(points.contenders(every) if in_cells else None)
    drawn["passport"] = every.passports(drawn["source_id"].tolist())
    frame = drawn[drawn["enters"]].reset_index(drop=True)
    x, y, owners, ids = (frame[name].tolist() for name in ("x", "y", "owner", "point_id"))
    fronts = pareto.frontiers(x, y, owners, ids, *axes.better)
    widest, end = pareto.widest(fronts.leads, TIE), axes.best_end(limits)
    spots = _spots(frame, {*fronts.overall, *fronts.knees.values(), *(line[end] for line in fronts.lines.values())})
    if in_cells:
        drawn = drawn[drawn["point_id"].isin([ids[at] for line in fronts.lines.values() for at in line])]
    spans = _spans(every, ranking.view.option("x_scale")) if len(drawn) else None
    labels = {owner: verdict.label(axes.owner, owner) for owner in every.owners}
    is_named = limits and not every.unasked and every.deciding.names_a_best
    on_front = [spots[at] for at in fronts.overall]
    leads = tuple(
        Lead(labels[one.owner], one.weakest, one.strictest, one.margin, tuple(on_front[at] for at in one.positions))
        for one in fronts.leads
    )
    groups = []
    for owner, line in fronts.lines.items():
        places = tuple((x[at], y[at]) for at in line)
        knee, best = spots.get(fronts.knees.get(owner, -1)), spots[line[end]] if limits else None
        groups.append(Group(owner, labels[owner], *every.owners[owner], places, knee, best))
    return Pareto(
        x=axes.x.key,
        y=axes.y.key,
        group=axes.owner,
        spans=spans,
        leads=leads,
        limits=limits,
        groups=tuple(groups),
        without=tuple(
            Group(owner, labels[owner], *counts, (), None, None)
            for owner, counts in every.owners.items()
            if owner not in fronts.lines
        ),
        overall=tuple(on_front),
        widest=leads[fronts.leads.index(widest)] if widest else None,
        best=on_front[end] if on_front and is_named else None,
        deciding=every.deciding,
        tally=every.tally,
        mixed=every.mixed,
        unasked=every.unasked,
        dates=every.dates,
        instead=choosing.instead(library, ranking.view) if len(frame) < FEWEST else None,
        is_x_best=end == 0,
        points=_rows(frame, drawn, fronts, axes),
        cheapest=points.cheapest(library, ranking, axes),
        grid=every.in_cells(spans) if in_cells and spans else None,
    )


def _spots(frame: pd.DataFrame, positions: Collection[int]) -> dict[int, Spot]:
    """The points at these positions of a table, by position."""
    rows = frame.iloc[list(positions)]
    told = zip(positions, rows["x"], rows["y"], of_frame(rows), strict=True)
    return {at: Spot(float(x), float(y), facts) for at, x, y, facts in told}


def _spans(every: Points, scale: str) -> tuple[Span, Span]:
    """The ends of both axes; a span of more than LOG_FROM is logarithmic, across that of a latency alone."""
    ends = ("min_x", "max_x", "min_y", "max_y")
    left, right, low, high = (float(every.seen[name].agg(name[:3])) for name in ends)
    wide = every.axes.x.kind == "latency" and log_span((left, right)) > LOG_FROM
    across = left > 0 and (scale == "log" or (scale == "auto" and wide))
    return Span(left, right, across), Span(low, high, low > 0 and log_span((low, high)) > LOG_FROM)


def _rows(frame: pd.DataFrame, drawn: pd.DataFrame, frontiers: Frontiers, axes: Axes) -> pd.DataFrame:
    """The drawn points with the frontiers they are on and what each step costs, frontiers first.

    Each frontier runs from its best x to its best y, the one with the best y first; then come the others by id.
    """
    ids, x, y = (frame[name].tolist() for name in ("point_id", "x", "y"))
    words = {
        "step": {ids[at]: told for line in frontiers.lines.values() for at, told in verdict.gains(axes, x, y, line)},
        "overall_step": {ids[at]: told for at, told in verdict.gains(axes, x, y, frontiers.overall)},
    }
    places = {ids[at]: place for place, at in enumerate(at for line in frontiers.lines.values() for at in line)}
    marks = {
        "on_frontier": places,
        "on_overall_frontier": {ids[at] for at in frontiers.overall},
        "is_knee": {ids[at] for at in frontiers.knees.values()},
    }
    rows = drawn.rename(columns={"x": axes.x.key, "y": axes.y.key})
    for name, own in marks.items():
        rows[name] = rows["point_id"].isin(list(own))
    for name, told in words.items():
        rows[name] = pd.Series([told.get(id) for id in rows["point_id"]], rows.index, object)
    order = rows["point_id"].map(places).fillna(len(places)).argsort(kind="stable")
    first = ["point_id", "owner", axes.y.key, axes.x.key, "step", "is_knee"]
    return rows.iloc[order][[*first, *(name for name in rows if name not in first)]].reset_index(drop=True)


def _why(axes: Axes) -> tuple[Why, ...]:
    formulas = [
        Why(
            "Frontier",
            "kept unless another point is at least as good in both metrics and better in one; equal points once",
            "every ranked point with both metrics that keeps the limits",
            "Pareto dominance, directions from the catalogue",
        ),
        Why(
            "Knee",
            "the frontier point farthest beyond the straight line between its ends, both axes logarithmic from 0 to 1",
            "one group's frontier of at least three points",
            'Satopaa, Albrecht, Irwin, Raghavan: Finding a "Kneedle" in a Haystack, ICDCSW 2011',
        ),
        *(Why(one.axis, one.formula, one.definition, one.source) for one in (axes.x, axes.y)),
    ]
    if axes.choice is not None:
        listed = [f"{chip} {price.words}" for chip, price in axes.prices.items()]
        paid = f"utilisation {axes.choice.utilisation:g}; {joined(listed, at_most=len(listed))}"
        rule = "the median over providers of the median of each one's unlike quotes"
        formulas.append(Why("Price", rule, paid, axes.choice.words))
    return tuple(formulas)
