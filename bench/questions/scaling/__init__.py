"""What more accelerators buy: throughput over chips, efficiency, scaling laws, and one wide instance or replicas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import pandas as pd

from bench import basis, catalogue
from bench.basis import evidence, prices, side_by_side, stated_share, story, variations
from bench.basis.options import Option
from bench.basis.prices import ChipPrice
from bench.basis.statement import Statement
from bench.basis.story import Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.chart import title
from bench.errors import NotFound, UnknownName
from bench.library import Library
from bench.questions import Answer, Choices, Column, Steps, counting, pipeline
from bench.questions.scaling import figure as drawing
from bench.questions.scaling import lines as line_sql
from bench.questions.scaling import measured, operating, verdict, why
from bench.questions.scaling.lines import METRICS
from bench.questions.scaling.measured import DrawnLines
from bench.questions.scaling.operating import BEST, WAYS
from bench.questions.scaling.result import EVERY, ChipCount, Line, Scaling, Way
from bench.records import LOAD_AXES
from bench.view import View
from bench.wording import inline

TITLE = "Scaling"
QUESTION = "What do more accelerators buy?"
SECTION = "Decide"
ORDER = 40
NEEDS = "points"
figure = drawing.draw

GROUPS = tuple(
    "accelerator engine engine_version precision speculation disaggregated variant harness source isl osl model".split()
)
LEVEL = Option(
    "level", "Level held equal", "number", "The interactivity (tokens/s per user) or the load.", example="64"
)
OPTIONS: tuple[Option, ...] = (
    Option("metric", "Throughput", "choice", "Which throughput is compared over counts of chips.", METRICS),
    Option("at", "Hold equal", "choice", "What is held equal: what a user sees, the load, or nothing.", WAYS),
    LEVEL,
    Option("group", "A line for each", "choice", "Draws one line for each value of this field.", (*GROUPS, EVERY)),
)
WAY_WORDS: dict[Way, str] = {
    "interactivity": "Equal interactivity",
    "concurrency": "Equal concurrency",
    "batch": "Equal batch",
    "request_rate": "Equal request rate",
    "best": "Each at its best load",
}
COLUMNS = (
    Column("line", "Line"),
    Column("throughput_per_chip", "Per chip"),
    Column("speedup", "Times the smallest"),
    Column("interpolated", "Interpolated"),
)
STEPS = Steps(
    counting("line", "has two chip counts", "have two chip counts"),
    tries={"at": "Compare {}"},
    further=measured.disaggregated,
)

WRITTEN = ("metric", "at", "group", "price_terms")
"""Options that every complete View writes out."""

STATED = tuple(
    (
        "tp pp dp ep model precision engine engine_version accelerator variant isl osl evidence source date load_kind"
        " speculation source_url flags source_id"
    ).split()
)
"""The columns of a point in the rows."""


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and one model, precision, workload and MLPerf scenario.

    NotFound when nothing loaded states a throughput.
    """
    basis.check_every(view, OPTIONS)
    several = view.option("group") not in (EVERY, side_by_side.FIELD) and side_by_side.models(library, view)
    if view.whole and all(view.option(key) for key in WRITTEN) and not several:
        return view
    drawn, lines = _drawn_story_of(library, view)
    return _completed(library, drawn.view, lines)


def choices(library: Library, view: View) -> Choices:
    """The throughputs, ways to compare and groups to choose from."""
    whole = complete(library, view)
    chosen = measured.drawn(library, evidence.read(whole), whole.option("metric"), whole.option("group"))
    ways = (*operating.supported(chosen.points, chosen.seen), whole.option("at"))
    fields: Sequence[str] = GROUPS
    if whole.option("group") in (EVERY, side_by_side.FIELD) and side_by_side.models(library, whole):
        fields = (side_by_side.FIELD,)
    return {
        "metric": [(key, catalogue.metric(key).label) for key in METRICS if library.has(key)],
        "at": [(way, WAY_WORDS[way]) for way in WAYS if way in ways],
        "group": [
            *((key, title(key).split(" (")[0]) for key in fields if library.has(key)),
            (EVERY, "Every deployment"),
        ],
    }


def answer(library: Library, view: View) -> Answer[Scaling]:
    """What more chips give on each line, why where it is beyond proportion, and what replicas would give."""
    basis.check_every(view, OPTIONS)
    drawn, lines = _drawn_story_of(library, view)
    whole = _completed(library, drawn.view, lines)
    ranking = evidence.read(whole)
    found = _scaling(library, whole, lines)
    deciding = evidence.deciding(library, ranking, line_sql.usable(library, ranking, found.metric, found.group))
    known = stated_share.of_headline(library, whole, deciding, {inline(found.row): f'"{found.metric}"'})
    models = [line.facts.model for line in found.lines]
    replicated = verdict.against_replicas(found)
    chips = [replicated.facts.accelerator or ""] if replicated and found.prices else []
    said = (
        *side_by_side.gave_way(view.option("group"), found.group, "model and deployment"),
        *side_by_side.left_out(library, whole, models, verdict.no_line(found)),
        *verdict.statements(found, ranking, known),
        *evidence.left_out(found.tally),
        *prices.statements(found.choice, found.prices, chips),
        *_nowhere(library, drawn, found),
    )
    reasons, chosen = why.why(found, chosen=not drawn.pins), _named_lack(library, drawn, found)
    return pipeline.answer(library, QUESTION, whole, found, said, _rows(found), reasons, chosen, known)


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether the largest count that is named still gives as much with other points ranked; prices change nothing."""
    whole = complete(library, view)
    own: list[tuple[Line, ChipCount]] = []

    def given(one: Variation) -> Verdict | None:
        lines = measured.drawn(library, one.ranking, whole.option("metric"), whole.option("group"))
        steps = _compared(whole, lines).steps
        line = next((line for line in steps if not own or line.label == own[0][0].label), None)
        if line is None:
            return None
        last = line.judged[-1]
        own.append((line, last))
        return Verdict(verdict.code(own[0][1], last), verdict.gives(line, last))

    return variations.of(library, whole, None, given)


DrawnStory = tuple[Story, DrawnLines]
"""A story and the lines that are drawn of it."""


def _drawn_story_of(library: Library, view: View) -> DrawnStory:
    """What the answer is about: the common story or the nearest that has two counts of chips, its metric filled in.

    Where that metric tells nothing and the reader left it open, it is the first other one that does: MLPerf's, as of
    a model that only its submitters measured on two counts.
    """
    chosen = _drawn_story(library, view, _metric(library, view))
    if view.option("metric") or _tells(chosen):
        return chosen
    drawn, own = chosen[0], chosen[0].view.option("metric")
    others = [key for key, count in _counted(library, view).items() if count and key != own]
    for found in (_drawn_story(library, view, key) for key in others):
        if _tells(found):
            return found
    usual = own if drawn.fits else _metric(library, drawn.view.with_options(metric=None))
    return chosen if usual == own else _drawn_story(library, view, usual)


def _tells(drawn: DrawnStory) -> bool:
    """Whether a verdict can say what more chips give."""
    return bool(_compared(drawn[0].view, drawn[1]).steps)


def _compared(view: View, lines: DrawnLines, usd: Mapping[str, ChipPrice] | None = None) -> Scaling:
    """The lines compared in the way and at the level of a View, else in the fairest way, at the level most share."""
    way = cast(Way, view.option("at") or operating.fairest(lines.points, lines.seen))
    level = None if way == BEST else LEVEL.number(view)
    return measured.scaling_lines(view.option("metric"), way, level, lines, usd or {}, prices.stated(view))


def _drawn_story(library: Library, view: View, metric: str) -> DrawnStory:
    """The story of a metric with its lines: the common one where it has that on two counts, and one MLPerf scenario."""
    group = view.option("group", "accelerator")
    view = view.with_options(metric=metric)

    def scenario(narrowed: View) -> dict[str, str]:
        if narrowed.values("scenario") or catalogue.metric(metric).kind != "submission":
            return {}
        first = line_sql.first_scenario(library, evidence.read(narrowed), metric)
        return {} if first is None else {"scenario": first}

    needs = line_sql.needs(library, evidence.read(view), metric, group)
    drawn = story.of(library, view, needs, {group}, scenario)
    if group != EVERY and side_by_side.field(library, drawn.view, group, needs) != group:
        group = EVERY
        drawn = story.of(library, view, needs, {group}, scenario)
    drawn = replace(drawn, view=drawn.view.with_options(metric=metric, group=group))
    return drawn, measured.drawn(library, evidence.read(drawn.view), metric, group)


def _named_lack(library: Library, chosen: Story, scaling: Scaling) -> Story:
    """The story, which says where what the usual one lacks is this metric alone."""
    if not chosen.instead_of:
        return chosen
    usual = story.of(library, replace(story.own_choice(chosen.view), whole=False), None, chosen.free).view
    lacks = line_sql.are_two_counts(library, evidence.read(usual), scaling.group)
    return replace(chosen, lacking=line_sql.lacking(scaling.metric)) if lacks else chosen


def _nowhere(library: Library, chosen: Story, scaling: Scaling) -> list[Statement]:
    """That another story would tell no more, where this one has no line."""
    if not chosen.left_out or chosen.fits or scaling.lines:
        return []
    own = evidence.read(replace(story.own_choice(chosen.view), whole=False))
    return [] if line_sql.are_two_counts(library, own, scaling.group) else [verdict.SAY.note("nowhere")]


def _metric(library: Library, view: View) -> str:
    """The metric asked for, else the first that at least half as many points have as have the commonest."""
    offered, metric = [key for key in METRICS if library.has(key)], view.option("metric")
    if metric in offered:
        return metric
    if metric or not offered:
        lacking = catalogue.metric(metric).label if metric else "A throughput to compare over accelerators"
        raise NotFound(f"{lacking} is not loaded; import results that have it.")
    counts = _counted(library, view)
    return next(key for key, count in counts.items() if 2 * count >= max(counts.values()))


def _counted(library: Library, view: View) -> dict[str, int]:
    """The throughputs that are loaded, each with how many ranked points on a stated number of chips have it."""
    offered = [key for key in METRICS if library.has(key)]
    condition = evidence.ranked(library, evidence.read(view).unlimited).also("accelerators > 0")
    counts = ", ".join(f'count("{key}")' for key in offered)
    found = library.fetch(f"SELECT {counts} FROM points WHERE {condition.sql}", condition.params)[0]
    return dict(zip(offered, found, strict=True))


def _completed(library: Library, view: View, chosen: DrawnLines) -> View:
    """The View with the way its lines are compared, the level, and the prices written out.

    UnknownName for a way in which none can be. A link keeps its way while its reader changes the filters, so there it
    is answered with a sentence.
    """
    asked, offered = view.option("at"), operating.supported(chosen.points, chosen.seen)
    if asked not in ("", BEST, *offered) and offered and not view.whole:
        raise UnknownName("way to compare these points (option at)", asked, offered)
    found = _compared(view, chosen)
    level = None if found.level is None else repr(found.level).removesuffix(".0")
    return basis.written_out(prices.completed(library, view).with_options(at=found.way, level=level))


def _scaling(library: Library, whole: View, chosen: DrawnLines) -> Scaling:
    """The lines of a complete View with their laws, what was left out of them, and what lies beside them."""
    ranking, choice = evidence.read(whole), prices.read(library, whole)
    found = _compared(whole, chosen, prices.chip_prices(library, choice, evidence.ranked(library, ranking)))
    tally = evidence.tally(library, ranking, line_sql.reasons(library, ranking, found.metric, found.group))
    hollow = []
    if found.lines and (tally.of("other_evidence") or tally.of("flagged")):
        hollow = line_sql.hollow(library, ranking, found.metric, (found.way, LEVEL.number(whole)))
    lines = tuple(map(measured.with_law, found.lines))
    return replace(found, lines=lines, tally=tally, hollow=tuple(hollow))


def _rows(scaling: Scaling) -> pd.DataFrame:
    """One row for each line and count of chips, smallest first: throughput, efficiency, and the point behind it.

    An interpolated one names the nearest measured point. Below them, those on no line, without an efficiency.
    """
    rows = [_row(scaling, line.label, place) for line in scaling.lines for place in line.places]
    for one in scaling.hollow:
        label = measured.word("accelerator", one.facts.accelerator)
        rows.append(_row(scaling, label, ChipCount(one.chips, one.value, one)))
    return pd.DataFrame(rows, columns=None if rows else ["point_id", "line", "accelerators", scaling.metric])


def _row(scaling: Scaling, line: str, place: ChipCount) -> dict[str, Any]:
    point, interpolated = place.point, place.between is not None
    figures = {key: place.figure(key) for key in (scaling.seen, scaling.tpot, scaling.ttft) if key is not None}
    if scaling.seen is not None and interpolated:
        figures[scaling.seen] = scaling.level
    return {
        "point_id": point.facts.point_id,
        "line": line,
        "accelerators": place.accelerators,
        scaling.metric: place.throughput,
        "throughput_per_chip": place.per_chip,
        "scaling_efficiency": place.efficiency,
        "speedup": place.speedup,
        "interpolated": interpolated,
        **figures,
        **{key: None if interpolated else getattr(point.facts, key) for key in LOAD_AXES},
        **{key: getattr(point.facts, key) for key in STATED},
    }
