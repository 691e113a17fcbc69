"""Where to go from results that have just come in: the frontier they make, and others' results of the same model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench import names, selection
from bench.errors import BenchError
from bench.library import Library
from bench.questions import question
from bench.view import View

FRONTIER = "See it on the frontier"
COMPARISON = "Compare with the published"
CHARTS = (("pareto", FRONTIER), ("heatmap", "See it on the heatmap"))
"""Where new points are shown: points without a latency make no frontier, but cells."""


@dataclass(frozen=True)
class Way:
    """A page that shows the new points, and the View, written out whole, it shows them by."""

    page: str
    label: str
    view: View


@dataclass(frozen=True)
class Newcomers:
    """The commonest model among new points, the sources these are filed under, and whether each was measured."""

    model: str
    sources: tuple[str, ...]
    measured: bool


def onward(library: Library, source_ids: Sequence[str]) -> tuple[list[Way], str]:
    """The pages that show the points of these sources, and a sentence where there is nothing to compare them with.

    No page when the sources hold no point of a known model that a question can chart.
    """
    new = _newcomers(library, source_ids)
    if new is None:
        return [], ""
    shown = next((way for page, label in CHARTS if (way := _alone(library, new, page, label))), None)
    beside = _beside(library, new, shown)
    told = "" if beside else f"No other source has {_name(new)} under the same workload yet."
    return [way for way in (shown, beside) if way is not None], told


def _newcomers(library: Library, source_ids: Sequence[str]) -> Newcomers | None:
    found = library.fetch(
        "SELECT model, list(DISTINCT source ORDER BY source), bool_and(evidence = 'measured') FROM points"
        " WHERE source_id IN (SELECT unnest(CAST(? AS VARCHAR[]))) AND model IS NOT NULL AND source IS NOT NULL"
        " GROUP BY model ORDER BY count(*) DESC, model LIMIT 1",
        (list(source_ids),),
    )
    return Newcomers(found[0][0], tuple(found[0][1]), bool(found[0][2])) if found else None


def _alone(library: Library, new: Newcomers, page: str, label: str) -> Way | None:
    """The new points on a page of their own; None when the page's question has nothing to chart of them."""
    options = {} if page != "pareto" or new.measured else {"frontier_evidence": "all"}
    view = View.of({"model": [new.model], "source": new.sources}, options)
    return _way(library, page, label, view)


def _beside(library: Library, new: Newcomers, shown: Way | None) -> Way | None:
    """The new points and others' of the same model and workload, each source with a frontier of its own.

    Without a frontier it is the crossover of the new source with any other.
    """
    if shown is not None and shown.page == "pareto":
        x, y = shown.view.option("x"), shown.view.option("y")
        workload = _shared_workload(library, new, x, y)
        if workload is None:
            return None
        view = View.of(
            {"model": [new.model], **workload},
            {"x": x, "y": y, "group": "source", "frontier_evidence": "measured" if new.measured else "all"},
            whole=True,
        )
        return _way(library, "pareto", COMPARISON, view)
    own = View.of({"source": new.sources[:1]})
    view = View.of({"model": [new.model]}, {"a": own.query()})
    return _way(library, "crossover", COMPARISON, view)


def _shared_workload(library: Library, new: Newcomers, x: str, y: str) -> dict[str, tuple[str, ...]] | None:
    """The lengths that most of the new points share with others' measured ones of their model; None without any."""
    mine = "source IN (SELECT unnest(CAST(? AS VARCHAR[])))"
    found = library.fetch(
        f"SELECT {selection.as_asked('isl')} AS asked_isl, {selection.as_asked('osl')} AS asked_osl FROM points"
        f' WHERE model = ? AND isfinite("{x}") AND isfinite("{y}") AND ({mine} OR evidence = \'measured\')'
        " GROUP BY ALL"
        f" HAVING bool_or({mine}) AND NOT bool_and({mine})"
        f" ORDER BY count(*) FILTER ({mine}) DESC, count(*) DESC, asked_isl, asked_osl LIMIT 1",
        (new.model, *[list(new.sources)] * 4),
    )
    if not found:
        return None
    lengths = zip(("isl", "osl"), found[0], strict=True)
    return {key: (selection.written(value),) for key, value in lengths if value is not None}


def _way(library: Library, page: str, label: str, view: View) -> Way | None:
    """The View written out whole, where the page's question has rows for it."""
    try:
        whole = question(page).complete(library, view)
        return Way(page, label, whole.made_whole()) if len(question(page).rows(library, whole)) else None
    except BenchError:
        return None


def _name(new: Newcomers) -> str:
    return names.display_name("model", new.model)
