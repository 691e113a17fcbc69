"""What is loaded, and what does it say: counts, the matrix of models and accelerators, and where to go next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, holdings, selection
from bench.chart import Theme, deployment_words, value_label, workload_words
from bench.library import Library
from bench.questions import Answer, Choices, Option, Why, questions
from bench.questions.overview import drawing
from bench.selection import Clause
from bench.view import View
from bench.wording import counted, is_or_are, joined, number, quantity

TITLE = "Overview"
QUESTION = "What is loaded, and what does it say?"
SECTION = ""
ORDER = 0
OPTIONS: tuple[Option, ...] = ()

SHOWN_MODELS = 22
NEWEST_DAYS = 7
LISTED_CHIPS = 8
PER_CHIP = "output_tokens_per_s_per_accelerator"
STREAMS = ("interactivity_tokens_per_s_per_user_p50", "interactivity_tokens_per_s_per_user_mean")
SOUND = "evidence = 'measured' AND coalesce(flags, '') IN ('', '[]')"
CONDITIONS = ("model", "precision", "isl", "osl", "load_kind", "concurrency", "accelerators")
SETTINGS = ("engine", "speculation", "disaggregated")
TOLD_BY = ("point_id, model, precision, engine, engine_version, accelerator, accelerators, tp, pp, dp, ep, speculation,"
           " disaggregated, variant,"
           " isl, osl, load_kind, concurrency, request_rate, batch, scenario, source")  # fmt: skip


@dataclass(frozen=True)
class Said:
    """One sentence the data says, with the page and the View that show it, and why it is so."""

    sentence: str
    page: str
    view: View
    why: Why


def complete(library: Library, view: View) -> View:
    """The View as it stands: this page is about the whole library unless the reader narrows it."""
    return view.made_whole()


def choices(library: Library, view: View) -> Choices:
    """Nothing: this question has no options."""
    return {}


def rows(library: Library, view: View) -> pd.DataFrame:
    """One row for each model and accelerator that occur together, of the models with the most measured points.

    `measured` and `other_evidence` count points; models come with the most measured points first.
    """
    condition = selection.clause(view)
    return library.query(
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


def answer(library: Library, view: View) -> Answer:
    """What is loaded and selected, what stands out in it, and where to look next."""
    whole = complete(library, view)
    held = holdings.counts(library)
    found = _selected(library, whole)
    said = [
        one
        for find in (_most_per_chip, _fastest_stream, _largest_gap, _newest)
        if (one := find(library, whole))
    ]
    matrix = rows(library, whole)
    numbers = {
        **found,
        "loaded": held,
        "links": [{"sentence": one.sentence, "page": one.page, "query": one.view.query()} for one in said],
        "next": [
            {"page": name, "title": other.TITLE, "question": other.QUESTION}
            for name, other in questions().items()
            if other.TITLE != TITLE
        ],
    }
    return Answer(
        question=QUESTION,
        view=whole,
        headline=_headline(found, held),
        rows=matrix,
        findings=(*(one.sentence for one in said), _besides(library, held)),
        numbers=numbers,
        caveats=(*selection.not_loaded(library, whole), *_caveats(found, matrix, bool(said))),
        why=tuple(one.why for one in said),
        library_version=library.version,
    )


def figure(answer: Answer, theme: Theme) -> go.Figure:
    """How many measured points there are of each model on each accelerator; what was never measured stays blank."""
    return drawing.draw(answer.rows, theme)


def _selected(library: Library, view: View) -> dict[str, Any]:
    condition = selection.clause(view)
    row = library.fetch(
        "SELECT count(*), count(DISTINCT series_id), count(DISTINCT model), list(DISTINCT accelerator),"
        " count(DISTINCT source_id), max(date), count(*) FILTER (evidence = 'measured'),"
        f" count(*) FILTER (evidence = 'measured' AND NOT ({SOUND})) FROM points WHERE {condition.sql}",
        condition.params,
    )[0]
    names = ("points", "series", "models", "chips", "sources", "newest", "measured", "flagged")
    found = dict(zip(names, row, strict=True))
    chips = sorted(chip for chip in found["chips"] or () if chip)
    newest = None if found["newest"] is None else str(found["newest"])[:10]
    return {**found, "chips": chips, "accelerators": len(chips), "newest": newest}


def _headline(found: Mapping[str, Any], held: Mapping[str, int]) -> str:
    about = (
        f"{counted(found['series'], 'series', 'series')} of {counted(found['models'], 'model')} on"
        f" {counted(found['accelerators'], 'accelerator')} from {counted(found['sources'], 'source')}"
    )
    newest = f", the newest measured on {found['newest']}" if found["newest"] else ""
    if not found["points"]:
        return f"None of the {counted(held['points'], 'loaded point')} is selected."
    if found["points"] == held["points"]:
        return f"{counted(found['points'], 'point is', 'points are')} loaded: {about}{newest}."
    return f"{found['points']:,} of {counted(held['points'], 'loaded point')} are selected: {about}{newest}."


def _besides(library: Library, held: Mapping[str, int]) -> str:
    scored = library.fetch("SELECT count(*) FROM sources WHERE points = 0 AND scores > 0")[0][0]
    refused = held["refusals"]
    why = (
        f"{counted(refused, 'file or row was', 'files and rows were')} refused"
        if refused
        else "nothing was refused"
    )
    apart = f" from {counted(scored, 'more source')}" if scored else ""
    return f"The whole library also holds {counted(held['scores'], 'quality score')}{apart}; {why}."


def _caveats(found: Mapping[str, Any], matrix: pd.DataFrame, said: bool) -> list[str]:
    told = []
    others = found["points"] - found["measured"]
    if others:
        told.append(f"{counted(others, 'point')} not measured: counted in brackets, out of the sentences.")
    if found["flagged"] and said:
        told.append(
            f"{counted(found['flagged'], 'measured point')} with a flag left out of the bests and the gap."
        )
    hidden = found["models"] - matrix["model"].nunique()
    if hidden > 0:
        told.append(
            f"The chart shows the {SHOWN_MODELS} models with the most measured points; {hidden:,} more"
            f" {is_or_are(hidden)} loaded{_chips_beside(found, matrix)}."
        )
    return told


def _chips_beside(found: Mapping[str, Any], matrix: pd.DataFrame) -> str:
    """The accelerators that only models beside the chart ran on; empty when there are none."""
    chips = sorted(set(found["chips"]) - set(matrix["accelerator"].dropna()))
    if not chips:
        return ""
    listed = joined([value_label("accelerator", chip) for chip in chips], at_most=LISTED_CHIPS)
    return f", and with them {counted(len(chips), 'accelerator')} that none of these ran on: {listed}"


def _sound(view: View, *more: str) -> Clause:
    condition = selection.clause(view).also(SOUND)
    for sql in more:
        condition = condition.also(sql)
    return condition


def _best(library: Library, view: View, key: str) -> dict[str, Any] | None:
    """The sound point with the highest value of a metric, as a mapping; None when no point has it."""
    if not library.has(key):
        return None
    condition = _sound(view, f'isfinite("{key}")')
    found = library.query(
        f'SELECT {TOLD_BY}, "{key}" FROM points WHERE {condition.sql} ORDER BY "{key}" DESC, point_id LIMIT 1',
        condition.params,
    )
    records = found.astype(object).where(found.notna(), None).to_dict("records")
    return {str(name): value for name, value in records[0].items()} if records else None


def _most_per_chip(library: Library, view: View) -> Said | None:
    row = _best(library, view, PER_CHIP)
    if row is None:
        return None
    sentence = f"The most output per chip is {number(row[PER_CHIP])} tokens/s: {_condition_words(row)}."
    where = {name: (row[name],) for name in ("model", "precision", "accelerator") if row[name]}
    return Said(sentence, "heatmap", _link(view, where, {"metric": PER_CHIP}), _of_metric(PER_CHIP))


def _fastest_stream(library: Library, view: View) -> Said | None:
    for key in STREAMS:
        row = _best(library, view, key)
        if row is not None:
            sentence = (
                f"The fastest stream one user gets is {quantity(row[key], key)}: {_condition_words(row)}."
            )
            where = {
                name: (selection.written(row[name]),)
                for name in ("model", "precision", "isl", "osl")
                if row[name]
            }
            return Said(sentence, "pareto", _link(view, where, {"x": key}), _of_metric(key))
    return None


def _largest_gap(library: Library, view: View) -> Said | None:
    """The largest ratio between the best points of two accelerators in equal CONDITIONS and SETTINGS.

    A setting that neither states counts as equal.
    """
    if not library.has(PER_CHIP):
        return None
    stated = [f"{name} IS NOT NULL" for name in (*CONDITIONS, "accelerator")]
    condition = _sound(view, *stated, f'isfinite("{PER_CHIP}")', f'"{PER_CHIP}" > 0')
    same = ", ".join((*CONDITIONS, *SETTINGS))
    found = library.fetch(
        f'WITH best AS (SELECT {same}, accelerator, max("{PER_CHIP}") AS most FROM points WHERE {condition.sql}'
        f" GROUP BY {same}, accelerator)"
        f" SELECT {same}, arg_max(accelerator, most), arg_min(accelerator, most), max(most), min(most) FROM best"
        f" GROUP BY {same} HAVING count(*) > 1 ORDER BY max(most) / min(most) DESC, {same} LIMIT 1",
        condition.params,
    )
    if not found:
        return None
    row = dict(zip((*CONDITIONS, *SETTINGS, "first", "last", "most", "least"), found[0], strict=True))
    first, last = value_label("accelerator", row["first"]), value_label("accelerator", row["last"])
    engine = value_label("engine", row["engine"]) if row["engine"] else ""
    chips = counted(row["accelerators"], "chip")
    where = ", ".join(words for words in (_model_words(row), engine, workload_words(row), chips) if words)
    sentence = (
        f"The largest gap between accelerators at equal conditions: {first} gives {number(row['most'] / row['least'])}"
        f" times the output per chip of {last} ({number(row['most'])} against {number(row['least'])} tokens/s):"
        f" {where}, best of each."
    )
    filters = {
        "model": (row["model"],),
        "precision": (row["precision"],),
        "accelerator": (row["first"], row["last"]),
    }
    sides = {"metric": PER_CHIP, "ratio_by": "accelerator", "ratio_a": row["first"], "ratio_b": row["last"]}
    equal = joined([name.replace("_", " ") for name in (*CONDITIONS, *SETTINGS)], at_most=12)
    why = Why(
        "Largest gap",
        "the best point of one accelerator / the best point of another, largest over all equal conditions",
        f"measured points without a flag, equal in {equal}; engine version and layout are each one's best",
        catalogue.metric(PER_CHIP).source,
    )
    return Said(sentence, "heatmap", _link(view, filters, sides), why)


def _newest(library: Library, view: View) -> Said | None:
    """The source with the newest measured point, flagged or not, and its points of the days up to that one."""
    condition = selection.clause(view).also("evidence = 'measured'").also("date IS NOT NULL")
    found = library.fetch(
        "WITH dated AS (SELECT source, model, accelerator, date, max(date) OVER (PARTITION BY source) AS newest"
        f" FROM points WHERE {condition.sql})"
        " SELECT source, newest, count(*), list(DISTINCT model ORDER BY model),"
        f" list(DISTINCT accelerator ORDER BY accelerator) FROM dated"
        f" WHERE date > newest - INTERVAL {NEWEST_DAYS} DAY"
        " GROUP BY source, newest ORDER BY newest DESC, source LIMIT 1",
        condition.params,
    )
    if not found:
        return None
    source, newest, points, models, chips = found[0]
    sentence = (
        f"The newest results, up to {str(newest)[:10]}, are {source}'s: {counted(points, 'point')} of"
        f" {joined([value_label('model', slug) for slug in models], at_most=3)} on"
        f" {joined([value_label('accelerator', slug) for slug in chips], at_most=3)}."
    )
    why = Why(
        "Newest results",
        f"the source with the latest date, and its points of the {NEWEST_DAYS} days up to it",
        "the date of each measured point, flagged or not",
        "the sources",
    )
    return Said(sentence, "data", _link(view, {"source": (source,)}, {}), why)


def _link(view: View, where: Mapping[str, tuple[object, ...]], options: Mapping[str, str]) -> View:
    return View(view.where).with_where(**where).with_options(**options).made_whole()


def _condition_words(row: Mapping[str, Any]) -> str:
    told = [deployment_words(dict(row)), workload_words(dict(row)), f"source {row['source']}"]
    return ", ".join(words for words in told if words)


def _model_words(row: Mapping[str, Any]) -> str:
    return f"{value_label('model', row['model'])} {str(row['precision']).upper()}"


def _of_metric(key: str) -> Why:
    metric = catalogue.metric(key)
    return Why(
        metric.label, metric.formula, f"{metric.definition} Measured points without a flag.", metric.source
    )
