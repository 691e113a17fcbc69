"""What is loaded, and what does it say: counts, the matrix of models and accelerators, and where to go next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from bench import basis, catalogue, selection
from bench.basis import evidence, points, story
from bench.basis.likeness import DAYS_APART
from bench.basis.options import Option
from bench.basis.points import PointFacts
from bench.basis.story import Needs
from bench.basis.variations import Robustness
from bench.errors import BenchError
from bench.holdings.tables import counts
from bench.library import Library
from bench.library.newest_runs import LINE
from bench.questions import Answer, Choices, Column, Why, pipeline, question
from bench.questions.overview import verdict
from bench.questions.overview.figure import figure as figure
from bench.questions.overview.result import BestPoint, Gap, Link, MatrixCell, Newest, Overview, Selected, StandsOut
from bench.records import LOAD_AXES
from bench.view import FILTER_BY_KEY, View

TITLE = "Overview"
QUESTION = "What is loaded, and what does it say?"
SECTION = ""
ORDER = 0
NEEDS = "points"
OPTIONS: tuple[Option, ...] = ()
COLUMNS = (
    Column("measured", "Measured points"),
    Column("other_evidence", "Points not measured"),
    Column("series", "Series"),
    Column("sources", "Sources"),
    Column("newest", "Newest"),
)
STEPS = None

SHOWN_MODELS, NEWEST_DAYS = 22, 7
PER_CHIP = "output_tokens_per_s_per_accelerator"
STREAMS = ("interactivity_tokens_per_s_per_user_p50", "interactivity_tokens_per_s_per_user_mean")

ALIKE = (*(name for name in LINE if name not in ("accelerator", "variant")), "engine_version", "isl", "osl", *LOAD_AXES)
"""In what two points have to agree for their gap to be the accelerators': in all that is stated but a free remark."""

NARROWED = tuple(key for key in ALIKE if key in FILTER_BY_KEY and key not in ("disaggregated", "evidence"))
"""What of a gap's points its heatmap is narrowed to, where they state it."""

TELLING = ("pareto", "crossover", "cost", "heatmap")
"""The pages whose headline may stand on this one, the one that says most to a newcomer first."""


def complete(library: Library, view: View) -> View:
    """The View as it stands: this page is about the whole library unless the reader narrows it."""
    basis.check_every(view, OPTIONS)
    return basis.written_out(view)


def choices(library: Library, view: View) -> Choices:
    """No choices: this question has no options."""
    return {}


def answer(library: Library, view: View) -> Answer[Overview]:
    """What is loaded and selected, what stands out in it, and where to look next."""
    whole = complete(library, view)
    per_chip, own = _best(library, whole, (PER_CHIP,))
    stream, streams = _best(library, whole, STREAMS)
    gap, newest = _gap(library, whole), _newest(library, whole)
    stands_out, shown = _stands_out(library, whole)
    links = [Link("loaded", "data", View(whole.where, whole=True))]
    if stands_out is not None:
        links.append(Link("stands_out", stands_out.page, shown))
    if newest is not None:
        links.append(Link("newest", "data", View.of({"source": [newest.source]}, whole=True)))
    for kind, best, story_view in (("per_chip", per_chip, own), ("stream", stream, streams)):
        if best is not None:
            links.append(Link(kind, "heatmap", story_view.with_options(metric=best.metric, **{story.FILLED: None})))
    if gap is not None:
        links.append(Link("gap", "heatmap", _dividing(whole, gap)))
    selected, pairs = _selected(library, whole), _pairs(library, whole)
    found = Overview(counts(library), selected, pairs, per_chip, stream, gap, newest, stands_out, tuple(links))
    (scored,) = library.fetch("SELECT count(*) FROM sources WHERE points = 0 AND scores > 0")[0]
    said = verdict.statements(found, evidence.read(whole), scored)
    rows = pd.DataFrame([vars(pair) for pair in pairs], columns=list(MatrixCell.__dataclass_fields__))
    return pipeline.answer(library, QUESTION, whole, found, said, rows, _why(found))


def robustness(library: Library, view: View) -> Robustness | None:
    """None: the headline counts what is loaded, whatever way one looks at it."""
    return None


def _selected(library: Library, view: View) -> Selected:
    condition = selection.clause(view)
    many, series, models, chips, *others = library.fetch(
        "SELECT count(*), count(DISTINCT series_id), count(DISTINCT model),"
        " list(DISTINCT accelerator ORDER BY accelerator) FILTER (accelerator IS NOT NULL), count(DISTINCT source_id),"
        f" max(date), count(*) FILTER (evidence = 'measured') FROM points WHERE {condition.sql}",
        condition.params,
    )[0]
    return Selected(many, series, models, tuple(chips or ()), *others)


def _pairs(library: Library, view: View) -> tuple[MatrixCell, ...]:
    """Each model and accelerator that occur together, of the models with the most measured points, those first."""
    condition = selection.clause(view)
    rows = library.fetch(
        "WITH pair AS (SELECT model, accelerator, count(*) FILTER (evidence = 'measured') AS measured,"
        " count(*) FILTER (evidence IS DISTINCT FROM 'measured') AS other_evidence,"
        " count(DISTINCT series_id) AS series, count(DISTINCT source_id) AS sources, max(date) AS newest"
        f" FROM points WHERE {condition.sql} GROUP BY model, accelerator), place AS (SELECT model,"
        " row_number() OVER (ORDER BY sum(measured) DESC, sum(other_evidence) DESC, model) AS place"
        " FROM pair GROUP BY model)"
        " SELECT pair.* FROM pair JOIN place ON pair.model IS NOT DISTINCT FROM place.model"
        f" WHERE place <= {SHOWN_MODELS} ORDER BY place, measured DESC, other_evidence DESC, accelerator",
        condition.params,
    )
    return tuple(MatrixCell(*row) for row in rows)


def _best(library: Library, view: View, keys: Sequence[str]) -> tuple[BestPoint | None, View]:
    """The ranked point with the highest value of the first metric held, in the story, and that story's View."""
    key = next((key for key in keys if library.has(key)), None)
    if key is None:
        return None, view
    needs = Needs(catalogue.metric(key).label.lower(), f'isfinite("{key}")')
    own_view = story.of(library, View(view.where, view.options, slo=view.slo), needs).view
    condition = evidence.ranked(library, evidence.read(own_view)).also(f'isfinite("{key}")')
    rows = library.fetch(
        f'SELECT "{key}", {points.SQL} FROM points WHERE {condition.sql} ORDER BY 1 DESC, point_id LIMIT 1',
        condition.params,
    )
    return (BestPoint(key, rows[0][0], PointFacts(*rows[0][1:])) if rows else None), own_view


def _gap(library: Library, view: View) -> Gap | None:
    """The largest ratio of output per chip between two ranked points that are ALIKE but for the accelerator."""
    if not library.has(PER_CHIP):
        return None
    condition = evidence.ranked(library, evidence.read(view)).also(
        f'"{PER_CHIP}" > 0 AND isfinite("{PER_CHIP}") AND model IS NOT NULL AND accelerator IS NOT NULL'
        " AND NOT coalesce(disaggregated, FALSE)"
    )
    fetched = library.fetch(
        f'WITH ranked AS MATERIALIZED (SELECT point_id, accelerator, date, "{PER_CHIP}" AS value,'
        f" hash({', '.join(ALIKE)}) AS alike FROM points WHERE {condition.sql}),"
        " best AS (SELECT alike, accelerator,"
        " max({'value': value, 'point_id': point_id, 'date': date}) AS top FROM ranked GROUP BY ALL)"
        " SELECT one.top.point_id, other.top.point_id, one.top.value, other.top.value FROM best AS one"
        " JOIN best AS other USING (alike) WHERE one.accelerator <> other.accelerator"
        f" AND abs(coalesce(one.top.date - other.top.date, 0)) <= {DAYS_APART}"
        " ORDER BY one.top.value / other.top.value DESC, 1, 2 LIMIT 1",
        condition.params,
    )
    if not fetched:
        return None
    first, last, most, least = fetched[0]
    facts = points.named(library, [first, last])
    return Gap(facts[first], facts[last], most, least)


def _stands_out(library: Library, view: View) -> tuple[StandsOut | None, View]:
    """The headline of the first page that ranks anything of what is selected, and the View of that page."""
    asked = View(view.where, view.options, slo=view.slo)
    for page in TELLING:
        try:
            answer = question(page).answer(library, asked)
        except BenchError:
            continue
        said = next(one for one in answer.statements if one.role == "headline")
        if said.point_ids and not answer.rows.empty:
            whole = answer.varied(question(page).robustness(library, answer.view))
            return StandsOut(page, whole.headline, said.point_ids, said.flags), answer.view
    return None, view


def _newest(library: Library, view: View) -> Newest | None:
    """What the reader's own library got last, of what is selected; else the newest measured points of a source.

    Published sources come first, and of each the points of the NEWEST_DAYS up to its newest count.
    """
    condition = selection.clause(view)
    names = "list(DISTINCT model ORDER BY model), list(DISTINCT accelerator ORDER BY accelerator)"
    rows = library.fetch(
        f"SELECT source, max(date), count(*), {names}, TRUE, FALSE FROM points"
        " JOIN (SELECT source_id, imported AS brought FROM sources WHERE NOT shipped) USING (source_id)"
        f" WHERE {condition.sql} AND source IS NOT NULL GROUP BY source, brought ORDER BY brought DESC, source LIMIT 1",
        condition.params,
    )
    condition = condition.also("evidence = 'measured'").also("date IS NOT NULL")
    rows = rows or library.fetch(
        "WITH dated AS (SELECT source, model, accelerator, date, count(*) AS many, max(date) OVER (PARTITION BY source)"
        " AS newest, bool_or(origin = 'published') AS published"
        f" FROM points WHERE {condition.sql} GROUP BY source, model, accelerator, date)"
        f" SELECT source, newest, CAST(sum(many) AS BIGINT), {names}, FALSE, bool_or(published) FROM dated"
        f" WHERE date > newest - INTERVAL {NEWEST_DAYS} DAY"
        " GROUP BY source, newest ORDER BY bool_or(published) DESC, newest DESC, source LIMIT 1",
        condition.params,
    )
    if not rows:
        return None
    source, day, many, models, chips, *came = rows[0]
    return Newest(source, day, many, tuple(models), tuple(chips), *came)


def _dividing(view: View, gap: Gap) -> View:
    """The View of the heatmap that divides the two accelerators at the gap's conditions alone."""
    first, last = str(gap.first.accelerator), str(gap.last.accelerator)
    stated = {key: value for key in NARROWED if (value := getattr(gap.first, key)) is not None}
    where = {key: [selection.written(value)] for key, value in stated.items()}
    options = {"x": "isl", "y": "osl", "metric": PER_CHIP, "panel": "none"}
    options |= {"ratio_by": "accelerator", "ratio_a": first, "ratio_b": last}
    return View.of({**dict(view.where), **where, "accelerator": [first, last]}, options, slo=view.slo)


def _why(overview: Overview) -> Iterator[Why]:
    for best in (overview.per_chip, overview.stream):
        if best is not None:
            metric = catalogue.metric(best.metric)
            yield Why(metric.label, metric.formula, f"{metric.definition} Ranked points.", metric.source)
    if overview.gap is not None:
        yield Why(
            "Largest gap",
            "output per chip of one accelerator / of another, the largest of all pairs",
            f"ranked points alike in all that is stated but the accelerator, at most {DAYS_APART} days apart",
            catalogue.metric(PER_CHIP).source,
        )
    if overview.newest is not None and not overview.newest.imported:
        yield Why(
            "Newest results",
            f"the source with the latest date, and its points of the {NEWEST_DAYS} days up to it",
            "the dates of measured points, flagged or not; published ones first",
            "the sources",
        )
