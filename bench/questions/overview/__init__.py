"""What is loaded, and what does it say: counts, the matrix of models and accelerators, and where to go next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
import plotly.graph_objects as go

from bench import basis, catalogue, holdings, selection
from bench.basis import evidence, points, side_by_side, story
from bench.basis.options import Option
from bench.basis.points import PointFacts
from bench.basis.statement import caveat
from bench.basis.story import Needs
from bench.basis.variations import Robustness
from bench.chart import Theme
from bench.errors import BenchError
from bench.library import Library
from bench.library.newest_runs import LINE
from bench.questions import Answer, Choices, Column, Why, question
from bench.questions.overview import figure as drawing
from bench.questions.overview import statements
from bench.questions.overview.result import BestPoint, Gap, Link, MatrixCell, Newest, Overview, Selected, StandsOut
from bench.records import LOAD_AXES
from bench.view import View

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

SHOWN_MODELS = 22
NEWEST_DAYS = 7
PER_CHIP = "output_tokens_per_s_per_accelerator"
STREAMS = ("interactivity_tokens_per_s_per_user_p50", "interactivity_tokens_per_s_per_user_mean")

ALIKE = (*(name for name in LINE if name not in ("accelerator", "variant")), "engine_version", "isl", "osl", *LOAD_AXES)
"""In what two points have to agree for their gap to be the accelerators': in all that is stated but a free remark."""

TELLING = ("pareto", "crossover", "cost", "heatmap")
"""The pages whose headline may stand on this one, the one that says most to a newcomer first."""

DAYS_APART = 30
"""Points measured further apart are not compared: their software may differ."""


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
    per_chip, own_view = _best(library, whole, (PER_CHIP,))
    stream, streams = _best(library, whole, STREAMS)
    gap, newest = _gap(library, whole), _imported(library, whole) or _newest(library, whole)
    stands_out, shown = _stands_out(library, whole)
    overview = Overview(
        loaded=holdings.counts(library),
        selected=_selected(library, whole),
        pairs=_pairs(library, whole),
        per_chip=per_chip,
        stream=stream,
        gap=gap,
        newest=newest,
        stands_out=stands_out,
        compared=side_by_side.models(library, whole),
        links=(
            Link("loaded", "data", View(whole.where, whole=True)),
            *([Link("stands_out", stands_out.page, shown)] if stands_out else ()),
            *([_shown(own_view, "per_chip", "heatmap", metric=PER_CHIP)] if per_chip else ()),
            *([_shown(streams, "stream", "heatmap", metric=stream.metric)] if stream else ()),
            *([_gap_shown(whole, gap)] if gap else ()),
            *([Link("newest", "data", View.of({"source": [newest.source]}, whole=True))] if newest else ()),
        ),
    )
    (scored,) = library.fetch("SELECT count(*) FROM sources WHERE points = 0 AND scores > 0")[0]
    return Answer(
        question=QUESTION,
        view=whole,
        result=overview,
        statements=(
            *statements.statements(overview, evidence.read(whole), scored),
            *(caveat("not_loaded", text) for text in selection.not_loaded(library, whole)),
        ),
        rows=pd.DataFrame([vars(pair) for pair in overview.pairs], columns=list(MatrixCell.__dataclass_fields__)),
        why=tuple(_why(overview)),
        library_version=library.version,
    )


def robustness(library: Library, view: View) -> Robustness | None:
    """None: the headline counts what is loaded, whatever way one looks at it."""
    return None


def figure(result: Overview, theme: Theme) -> go.Figure:
    """How many measured points there are of each model on each accelerator; what was never measured stays blank."""
    return drawing.draw(result.pairs, theme)


def _selected(library: Library, view: View) -> Selected:
    condition = selection.clause(view)
    row = library.fetch(
        "SELECT count(*), count(DISTINCT series_id), count(DISTINCT model),"
        " list(DISTINCT accelerator ORDER BY accelerator) FILTER (accelerator IS NOT NULL), count(DISTINCT source_id),"
        f" max(date), count(*) FILTER (evidence = 'measured') FROM points WHERE {condition.sql}",
        condition.params,
    )[0]
    many, series, models, chips, sources, newest, measured = row
    return Selected(many, series, models, tuple(chips or ()), sources, newest, measured)


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
    """The ranked point with the highest value of the first metric held, in the story told, and that story's View."""
    key = next((key for key in keys if library.has(key)), None)
    if key is None:
        return None, view
    whole = View(view.where, view.options, slo=view.slo)
    # The story of every page has it nearly always; whether it has is cheaper seen than asked beforehand.
    for needs in (None, Needs(catalogue.metric(key).label.lower(), f'isfinite("{key}")')):
        own_view = story.of(library, whole, needs).view
        condition = evidence.ranked(library, evidence.read(own_view)).also(f'isfinite("{key}")')
        rows = library.fetch(
            f'SELECT "{key}", {points.SQL} FROM points WHERE {condition.sql} ORDER BY 1 DESC, point_id LIMIT 1',
            condition.params,
        )
        if rows:
            return BestPoint(key, rows[0][0], PointFacts(*rows[0][1:])), own_view
    return None, own_view


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
            return StandsOut(page, said.text, said.point_ids), answer.view
    return None, view


def _imported(library: Library, view: View) -> Newest | None:
    """What the reader's own library got last, of what is selected; None where it holds nothing of its own."""
    condition = selection.clause(view)
    fetched = library.fetch(
        "SELECT source, max(date), count(*), list(DISTINCT model ORDER BY model),"
        " list(DISTINCT accelerator ORDER BY accelerator) FROM points"
        " JOIN (SELECT source_id, imported AS brought FROM sources WHERE NOT shipped) USING (source_id)"
        f" WHERE {condition.sql} AND source IS NOT NULL GROUP BY source, brought ORDER BY brought DESC, source LIMIT 1",
        condition.params,
    )
    if not fetched:
        return None
    source, day, many, models, chips = fetched[0]
    return Newest(source, day, many, tuple(models), tuple(chips), imported=True)


def _newest(library: Library, view: View) -> Newest | None:
    """The source with the newest measured point, published ones first, and its points of the days up to that one."""
    condition = selection.clause(view).also("evidence = 'measured'").also("date IS NOT NULL")
    fetched = library.fetch(
        "WITH dated AS (SELECT source, model, accelerator, date, count(*) AS many, max(date) OVER (PARTITION BY source)"
        " AS newest, bool_or(origin = 'published') AS published"
        f" FROM points WHERE {condition.sql} GROUP BY source, model, accelerator, date)"
        " SELECT source, newest, CAST(sum(many) AS BIGINT), list(DISTINCT model ORDER BY model),"
        " list(DISTINCT accelerator ORDER BY accelerator), bool_or(published) FROM dated"
        f" WHERE date > newest - INTERVAL {NEWEST_DAYS} DAY"
        " GROUP BY source, newest ORDER BY bool_or(published) DESC, newest DESC, source LIMIT 1",
        condition.params,
    )
    if not fetched:
        return None
    source, day, many, models, chips, published = fetched[0]
    return Newest(source, day, many, tuple(models), tuple(chips), published=published)


def _shown(told: View, kind: str, page: str, **options: str) -> Link:
    """The page that shows a best of the story told, with the story as the reader's own choice."""
    return Link(kind, page, told.with_options(**options, **{story.FILLED: None}))


def _gap_shown(view: View, gap: Gap) -> Link:
    """The heatmap that divides the two accelerators at the gap's conditions alone."""
    first, last = gap.first, gap.last
    where = {
        key: [selection.written(value)]
        for key in ("model", "precision", "engine", "engine_version", "isl", "osl", "accelerators", "tp", "load_kind",
                    *LOAD_AXES, "scenario", "speculation", "harness", "source")
        if (value := getattr(first, key)) is not None
    }  # fmt: skip
    chips = [str(first.accelerator), str(last.accelerator)]
    options = {
        "x": "isl",
        "y": "osl",
        "ratio_by": "accelerator",
        "ratio_a": chips[0],
        "ratio_b": chips[1],
        "metric": PER_CHIP,
        "panel": "none",
    }
    where |= {"accelerator": chips}
    return Link("gap", "heatmap", View.of({**dict(view.where), **where}, options, slo=view.slo))


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
