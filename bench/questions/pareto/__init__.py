"""Which operating points are worth choosing: what one request sees against what the accelerators give."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import pandas as pd
import plotly.graph_objects as go

from bench import basis, catalogue, selection
from bench.basis import evidence, prices, story, variations
from bench.basis.evidence import Ranking
from bench.basis.options import Option
from bench.basis.points import of_frame
from bench.basis.prices import ChipPrice, Choice
from bench.basis.statement import caveat
from bench.basis.story import Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.catalogue import PRICED
from bench.chart import Theme, title, value_label
from bench.library import Library
from bench.maths.pareto import Stretch, log_span, steps
from bench.questions import Answer, Choices, Column, Why
from bench.questions.pareto import axes as choosing
from bench.questions.pareto import figure as drawing
from bench.questions.pareto import frontiers, points, statements
from bench.questions.pareto import mixture as mixtures
from bench.questions.pareto.axes import FEWEST, GROUPS, ONE_FRONTIER, Axes
from bench.questions.pareto.frontiers import Frontiers
from bench.questions.pareto.mixture import Mixture
from bench.questions.pareto.result import Group, Instead, Lead, Pareto, Span, Spot
from bench.selection import Clause
from bench.view import View
from bench.wording import joined

TITLE = "Pareto"
QUESTION = "Which operating points are worth choosing?"
SECTION = "Explore"
ORDER = 30
NEEDS = "points"

OPTIONS: tuple[Option, ...] = (
    Option("x", "Horizontal axis", "choice", "What one request sees: interactivity or a latency."),
    Option("y", "Vertical axis", "choice", "What the accelerators give: a throughput, an energy or a cost."),
    Option("group", "A frontier for each", "choice", "Draws one frontier for each value of this field.",
           (*GROUPS, ONE_FRONTIER)),
    Option("x_scale", "Horizontal scale", "choice", "Linear, logarithmic, or as the latencies ask for.",
           ("auto", "linear", "log")),
)  # fmt: skip
COLUMNS = (
    Column("owner", "Frontier"), Column("enters", "Ranked"), Column("step", "What it costs over the one before"),
    Column("overall_step", "What it costs over the one before on the overall frontier"),
    Column("on_frontier", "On its frontier"), Column("on_overall_frontier", "On the overall frontier"),
    Column("is_knee", "Knee"),
)  # fmt: skip

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
    groups = [key for key in GROUPS if library.has(key)]
    return {
        "x": [(key, catalogue.metric(key).axis) for key in choosing.across(library)],
        "y": [(key, catalogue.metric(key).axis) for key in choosing.up(library)],
        "group": [*((key, title(key)) for key in groups), (ONE_FRONTIER, "One for everything")],
        "x_scale": [("auto", "Automatic"), ("linear", "Linear"), ("log", "Logarithmic")],
    }


def answer(library: Library, view: View) -> Answer[Pareto]:
    """The frontiers, their knees, who leads where, and the best point within the reader's limits."""
    told = _story(library, view)
    whole, axes = told.view, choosing.of_view(library, told.view)
    found = _found(library, evidence.read(whole), axes)
    return Answer(
        question=QUESTION,
        view=whole,
        result=found,
        statements=(
            *statements.told(found),
            *(prices.told(axes.choice, axes.prices, found.mixed["accelerator"]) if axes.choice else ()),
            *story.statements(told),
            *(caveat("not_loaded", text) for text in selection.not_loaded(library, whole)),
        ),
        rows=found.points,
        why=_why(axes),
        library_version=library.version,
    )


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the same group leads, or has the best point within the limits, with one choice changed at a time.

    The points are read once: what an hour costs is a factor within one accelerator, so that its own frontier is the
    same at every price.
    """
    whole = view if view.whole and view.option("x") else complete(library, view)
    axes, ranking = choosing.of_view(library, whole), evidence.read(whole)
    limits = ranking.limits
    if axes.owner is None or (
        limits and not mixtures.of(library, ranking, axes).deciding(ranking).names_a_best
    ):
        return None
    if axes.choice and any(one.metric == axes.y and not one.at_most for one in limits):
        return None
    asked = whole.with_slo(one.text for one in limits if axes.choice is None or one.metric != axes.y)
    own = evidence.read(asked)
    ways = [own, *(one for _, _, one in variations.of_points(own))]
    books: dict[Choice, Mapping[str, ChipPrice]] = {}
    if axes.choice is not None:
        others = prices.alternatives(library, axes.choice).values()
        books = {**prices.chip_prices_of_each(library, others), axes.choice: axes.prices}
        axes = choosing.at_one_dollar(axes, {chip for book in books.values() for chip in book})
    marks = [evidence.ranked(library, one) for one in ways]
    frame = points.reduced(library, axes, selection.clause(asked), marks)

    def verdict(one: Variation) -> Verdict | None:
        rows = frame[(frame["mark"] & 2 ** ways.index(one.ranking)) > 0].reset_index(drop=True)
        rows = frontiers.priced(rows, books[one.prices]) if books else rows
        leader = frontiers.leader(rows, axes, limits)
        words = "is best within the limits" if limits else "leads over the widest range"
        label = statements.label(axes.owner, leader or "")
        return None if leader is None else Verdict(leader, f"{label} {words}")

    return variations.of(library, asked, axes.choice, verdict)


def figure(result: Pareto, theme: Theme) -> go.Figure:
    """The cloud, faded, with each group's frontier, the overall one, the knees and the limits."""
    return drawing.draw(result, theme)


def _story(library: Library, view: View) -> Story:
    """What the answer is about, its View complete."""
    basis.check_every(view, OPTIONS)
    choosing.check(library, view)
    x, y, group = view.option("x"), view.option("y"), view.option("group", "accelerator")
    told = story.told(library, view, choosing.needs(library, x, y), {group})
    x, y = choosing.chosen(library, told.view, x, y)
    whole = told.view.with_options(x=x, y=y, group=group, x_scale=view.option("x_scale", "auto"))
    return replace(told, view=(prices.completed(library, whole) if y in PRICED else whole).made_whole())


def _found(library: Library, ranking: Ranking, axes: Axes) -> Pareto:
    """The frontiers of a complete View, the best within its limits, and what became of every selected point."""
    mixture, limits = mixtures.of(library, ranking, axes), ranking.limits
    in_cells = mixture.drawn["points"].sum() > DRAWN_POINTS
    if in_cells:
        kept = Clause(f"({mixtures.kept_sql(library, ranking, axes)}) IS TRUE", ())
        frame = points.reduced(library, axes, evidence.ranked(library, ranking.unlimited), [kept])
    else:
        drawn = points.drawn(library, ranking, axes, mixture)
        frame = drawn.loc[drawn["enters"], list(points.REDUCED)].reset_index(drop=True)
    found = frontiers.found_in(frame, axes)
    bests = frontiers.best_of_each(frame, axes, limits) if limits else {}
    first = frontiers.leader(frame[frame["mark"] > 0], axes, limits) if limits else None
    if in_cells:
        named = [*(at for line in found.lines.values() for at in line), *bests.values()]
        drawn = points.drawn(library, ranking, axes, mixture, frame["point_id"][named].unique().tolist())
    spots = _spots(frame, drawn, {*found.overall, *found.knees.values(), *bests.values()})
    drawn["passport"] = points.passports(library, drawn, axes)
    spans = _spans(mixture, axes, ranking.view.option("x_scale")) if len(drawn) else None
    leads = tuple(_lead(axes, one, [spots[found.overall[at]] for at in one.positions]) for one in found.leads)
    few = len(frame) < FEWEST
    return Pareto(
        x=axes.x.key, y=axes.y.key, group=axes.owner, spans=spans, leads=leads, limits=limits,
        groups=tuple(
            Group(owner, statements.label(axes.owner, owner), mixture.owners[owner], len(line),
                  spots.get(found.knees.get(owner, -1)), spots.get(bests.get(owner, -1)))
            for owner, line in found.lines.items()
        ),
        overall=tuple(spots[at] for at in found.overall),
        widest=leads[found.leads.index(found.widest)] if found.widest else None,
        best=None if first is None else spots[bests[first]], deciding=mixture.deciding(ranking), tally=mixture.tally,
        mixed=mixture.values, dates=mixture.dates, has_latency=not few or choosing.has_latency(library, ranking.view),
        instead=_instead(library, ranking.view, axes, len(frame)) if few else None,
        points=_rows(frame, drawn, found, axes),
        grid=points.counted_in_cells(library, ranking, axes, mixture, spans) if in_cells and spans else None,
    )  # fmt: skip


def _spots(frame: pd.DataFrame, drawn: pd.DataFrame, positions: Collection[int]) -> dict[int, Spot]:
    """The points at these positions of a table, by position."""
    rows = frame.iloc[list(positions)]
    facts = {one.point_id: one for one in of_frame(drawn[drawn["point_id"].isin(rows["point_id"])])}
    told = zip(positions, rows["x"], rows["y"], rows["point_id"], strict=True)
    return {at: Spot(float(x), float(y), facts[point_id]) for at, x, y, point_id in told}


def _lead(axes: Axes, found: Stretch, spots: Sequence[Spot]) -> Lead:
    margin = found.margin if math.isfinite(found.margin) else None
    label = statements.label(axes.owner, found.owner)
    return Lead(label, found.weakest, found.strictest, margin, tuple(spots))


def _spans(mixture: Mixture, axes: Axes, scale: str) -> tuple[Span, Span]:
    """The ends of both axes; a span of more than LOG_FROM is logarithmic, across that of a latency alone."""
    left, right, low, high = (
        float(mixture.drawn[f"{end}_{axis}"].agg(end)) for axis in "xy" for end in ("min", "max")
    )
    wide = axes.x.kind == "latency" and log_span((left, right)) > LOG_FROM
    across = left > 0 and (scale == "log" or (scale == "auto" and wide))
    return Span(left, right, across), Span(low, high, low > 0 and log_span((low, high)) > LOG_FROM)


def _instead(library: Library, view: View, axes: Axes, have: int) -> Instead | None:
    """The metric that more points have with the other axis: another statistic of x, any other x, or another y."""
    across, up = choosing.across(library), choosing.up(library)
    of_x, of_y = (
        choosing.together(library, view, *keys) for keys in ((across, [axes.y.key]), ([axes.x.key], up))
    )
    siblings = [key for key in across if catalogue.metric(key).base == axes.x.base]
    for axis, keys, counts in (("x", siblings, of_x), ("x", across, of_x), ("y", up, of_y)):
        key = max(keys, key=counts.__getitem__)
        if counts[key] > max(have, FEWEST - 1):
            return Instead(axis, catalogue.metric(key), counts[key])
    return None


def _rows(frame: pd.DataFrame, drawn: pd.DataFrame, found: Frontiers, axes: Axes) -> pd.DataFrame:
    """The drawn points with the frontiers they are on and what each step costs, frontiers first.

    Each frontier runs from its best x to its best y, the one with the best y first; then come the others by id.
    """
    ids, x, y = (frame[name].tolist() for name in ("point_id", "x", "y"))
    words: dict[str, dict[str, str]] = {"step": {}, "overall_step": {}}
    for column, line in [("overall_step", found.overall), *(("step", one) for one in found.lines.values())]:
        told = steps([x[at] for at in line], [y[at] for at in line])
        for (before, after), step in zip(pairwise(line), told[1:], strict=True):
            assert step is not None
            words[column][ids[after]] = statements.step_words(axes.x, axes.y, x[before], x[after], step)
    places = {ids[at]: place for place, at in enumerate(at for line in found.lines.values() for at in line)}
    marks = {"on_frontier": places, "on_overall_frontier": {ids[at] for at in found.overall},
             "is_knee": {ids[at] for at in found.knees.values()}}  # fmt: skip
    rows = (
        drawn.rename(columns={"x": axes.x.key, "y": axes.y.key})
        .drop(columns="mark")
        .assign(
            **{name: drawn["point_id"].isin(list(own)) for name, own in marks.items()},
            **{
                name: pd.Series([own.get(id) for id in drawn["point_id"]], drawn.index, object)
                for name, own in words.items()
            },
        )
    )
    order = rows["point_id"].map(places).fillna(len(places)).argsort(kind="stable")
    first = ["point_id", "owner", axes.y.key, axes.x.key, "step", "is_knee"]
    return rows.iloc[order][[*first, *(name for name in rows if name not in first)]].reset_index(drop=True)


def _why(axes: Axes) -> tuple[Why, ...]:
    line = Why(
        "Frontier",
        "kept unless another point is at least as good in both metrics and better in one; equal points once",
        "every ranked point with both metrics, whether or not it keeps the limits",
        "Pareto dominance, directions from the catalogue",
    )
    knee = Why(
        "Knee",
        "the frontier point farthest beyond the straight line between its ends, both axes logarithmic from 0 to 1",
        "one group's frontier of at least three points",
        'Satopaa, Albrecht, Irwin, Raghavan: Finding a "Kneedle" in a Haystack, ICDCSW 2011',
    )
    metrics = [Why(one.axis, one.formula, one.definition, one.source) for one in (axes.x, axes.y)]
    if axes.choice is None:
        return (line, knee, *metrics)
    told = [f"{value_label('accelerator', one.accelerator)} {one.words}" for one in axes.prices.values()]
    price = Why("Price", "the median over providers of the median of each one's unlike quotes",
                f"utilisation {axes.choice.utilisation:g}; {joined(told, at_most=len(told))}", axes.choice.words)  # fmt: skip
    return (line, knee, *metrics, price)
