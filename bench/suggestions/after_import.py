"""Where to go from results that have just come in: the frontier they make, and others' results of the same model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench import names, selection
from bench.library import Library
from bench.questions import question
from bench.suggestions import Step, answered
from bench.view import View

FRONTIER = "See it on the frontier"
COMPARISON = "Compare with the published"
CELLS = "See it on the heatmap"
ALIKE = ("precision", "isl", "osl")
"""What points have to share to be compared; a precision only where one is shared."""

OF_THEM = "source IN (SELECT unnest(CAST(? AS VARCHAR[]))) AND origin IN (SELECT unnest(CAST(? AS VARCHAR[])))"
"""Whether a point is one of the new ones: a tool's file is filed under a name that published results may have too."""


@dataclass(frozen=True)
class NewPoints:
    """The commonest model among new points, the sources these are filed under, their origins and kinds of evidence.

    `is_namesake` says that results of another origin are filed under the same source.
    """

    model: str
    sources: tuple[str, ...]
    origins: tuple[str, ...]
    evidence: tuple[str, ...]
    is_namesake: bool

    @property
    def bound(self) -> tuple[list[str], list[str]]:
        """What OF_THEM binds."""
        return list(self.sources), list(self.origins)

    @property
    def alone(self) -> dict[str, tuple[str, ...]]:
        """The filters that select them by where they come from."""
        return {"source": self.sources, **({"origin": self.origins} if self.is_namesake else {})}

    @property
    def told_apart_by(self) -> str:
        """The field that tells them from others'."""
        return "origin" if self.is_namesake else "source"

    @property
    def ranked_by(self) -> dict[str, list[str]]:
        """The filter on evidence that lets the new points be ranked; none where all are measured."""
        return {} if self.evidence == ("measured",) else {"evidence": sorted({*self.evidence, "measured"})}


def onward(library: Library, source_ids: Sequence[str]) -> tuple[list[Step], str]:
    """The pages that show the points of these sources, and a sentence where there is nothing to compare them with.

    No page when the sources hold no point of a known model that a question can chart.
    """
    new = _newcomers(library, source_ids)
    if new is None:
        return [], ""
    axes = _axes(library, new)
    ways = _by_frontier(library, new, *axes) if axes else _by_cells(library, new)
    if any(way.label == COMPARISON for way in ways):
        return ways, ""
    return ways, f"No other source has {names.display_name('model', new.model)} under the same workload yet."


def _newcomers(library: Library, source_ids: Sequence[str]) -> NewPoints | None:
    rows = library.fetch(
        "SELECT model, list(DISTINCT source ORDER BY source), list(DISTINCT origin ORDER BY origin),"
        " list(DISTINCT evidence ORDER BY evidence) FROM points"
        " WHERE source_id IN (SELECT unnest(CAST(? AS VARCHAR[]))) AND model IS NOT NULL AND source IS NOT NULL"
        " GROUP BY model ORDER BY count(*) DESC, model LIMIT 1",
        (list(source_ids),),
    )
    if not rows:
        return None
    model, sources, origins, evidence = rows[0]
    namesakes = library.fetch(
        "SELECT 1 FROM points WHERE model = ? AND source IN (SELECT unnest(CAST(? AS VARCHAR[])))"
        " AND origin NOT IN (SELECT unnest(CAST(? AS VARCHAR[]))) LIMIT 1",
        (model, sources, origins or []),
    )
    return NewPoints(model, tuple(sources), tuple(origins or ()), tuple(evidence or ()), bool(namesakes))


def _axes(library: Library, new: NewPoints) -> tuple[str, str] | None:
    """What a frontier of the new points can be drawn by: the first latency and throughput that most of them have."""
    offered = question("pareto").choices(library, View())
    xs, ys = ([key for key, _ in offered[axis] if library.has(key)] for axis in ("x", "y"))
    for y in ys:
        counts = ", ".join(f'count(*) FILTER (isfinite("{x}"))' for x in xs)
        held = (
            library.fetch(
                f'SELECT {counts} FROM points WHERE model = ? AND {OF_THEM} AND isfinite("{y}")',
                (new.model, *new.bound),
            )[0]
            if xs
            else ()
        )
        most = max(held, default=0)
        if most:
            return next(x for x, count in zip(xs, held, strict=True) if 2 * count >= most), y
    return None


def _by_frontier(library: Library, new: NewPoints, x: str, y: str) -> list[Step]:
    """The new points under their commonest workload; and with others' under the one they share."""
    options, about = {"x": x, "y": y}, {"model": [new.model], **new.ranked_by}
    alone = View.of({**about, **new.alone, **_workload(library, new, x, y)}, options, whole=True)
    shared = _workload(library, new, x, y, shared=ALIKE) or _workload(library, new, x, y, shared=ALIKE[1:])
    beside = View.of({**about, **shared}, {**options, "group": new.told_apart_by}, whole=True)
    wanted = [("pareto", FRONTIER, alone), *([("pareto", COMPARISON, beside)] if shared else [])]
    return [way for one in wanted if (way := _way(library, *one))]


def _by_cells(library: Library, new: NewPoints) -> list[Step]:
    """Points without a latency make no frontier, but cells, and curves that may cross others'."""
    about = {"model": [new.model], **new.ranked_by}
    own = View.of({**new.alone, "source": new.sources[:1]})
    alone, beside = View.of({**about, **new.alone}), View.of(about, {"a": own.query()})
    wanted = [("heatmap", CELLS, alone), ("crossover", COMPARISON, beside)]
    return [way for one in wanted if (way := _way(library, *one))]


def _workload(
    library: Library, new: NewPoints, x: str, y: str, *, shared: tuple[str, ...] = ()
) -> dict[str, tuple[str, ...]]:
    """The lengths that most of the new points have; of those `shared` ones, with others' measured points only.

    Nothing where there is none, or where one that is to be shared is not stated.
    """
    keys = shared or ("isl", "osl")
    asked = ", ".join(f"{selection.as_asked(key)} AS asked_{key}" for key in keys)
    both = " AND ".join(["others > 0", *(f"asked_{key} IS NOT NULL" for key in keys)]) if shared else "TRUE"
    rows = library.fetch(
        f"WITH pair AS (SELECT {asked}, {OF_THEM} AS mine,"
        " evidence = 'measured' AS measured FROM points"
        f' WHERE model = ? AND isfinite("{x}") AND isfinite("{y}")), counted AS (SELECT COLUMNS(\'asked_.*\'),'
        " count(*) FILTER (mine) AS own, count(*) FILTER (NOT mine AND measured) AS others FROM pair GROUP BY ALL)"
        f" SELECT COLUMNS('asked_.*') FROM counted WHERE own > 0 AND {both}"
        f" ORDER BY own DESC, others DESC, {', '.join(f'asked_{key}' for key in keys)} LIMIT 1",
        (*new.bound, new.model),
    )
    if not rows:
        return {}
    values = zip(keys, rows[0], strict=True)
    return {key: (selection.written(value),) for key, value in values if value is not None}


def _way(library: Library, page: str, label: str, view: View) -> Step | None:
    """The View written out whole, where the page has an answer for it."""
    answer = answered(library, page, view)
    return Step(page, label, answer.view.made_whole()) if answer else None
