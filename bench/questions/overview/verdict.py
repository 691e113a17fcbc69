"""What an overview says: what is loaded and selected, what stands out, the bests of one story, and what is newest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bench.basis.evidence import Ranking
from bench.basis.likeness import fact_words
from bench.basis.narrator import Narrator
from bench.basis.points import PointFacts
from bench.basis.statement import Statement
from bench.basis.wording import subject
from bench.questions.overview.result import BestPoint, Gap, Overview
from bench.questions.overview.words import WORDS

SAY = Narrator(WORDS)
OF_STORY = ("model", "precision", "isl", "osl")
SELDOM_ASKED = ("engine", "engine_version", "tp", "pp", "dp", "ep", "disaggregated", "speculation")
"""What of a point its page says, and a line on the first page need not."""


def statements(found: Overview, ranking: Ranking, scored: int) -> Iterator[Statement]:
    """The sentences of an overview; `scored` is how many sources hold scores alone."""
    yield _verdict(found)
    if found.stands_out is not None:
        page = found.stands_out
        yield Statement("finding", "stands_out", page.text, {}, page.point_ids, flags=page.flags)
    if (newest := found.newest) is not None:
        kind = "newest_imported" if newest.imported else "newest_published" if newest.published else "newest"
        yield SAY.finding(kind, **vars(newest))
    for kind, best in (("per_chip", found.per_chip), ("stream", found.stream)):
        if best is not None:
            yield _best(kind, best)
    if found.gap is not None:
        yield _gap(found.gap)
    yield from _notes(found, ranking, scored)


def _verdict(found: Overview) -> Statement:
    selected, loaded = found.selected, found.loaded["points"]
    if not selected.points:
        return SAY.verdict("none_selected" if loaded else "none_loaded", loaded=loaded)
    kind = "counts" if selected.points == loaded else "counts_selected"
    counts = {"models": selected.models, "accelerators": len(selected.accelerators), "sources": selected.sources}
    return SAY.verdict(
        kind if selected.accelerators else f"{kind}_unstated", points=selected.points, loaded=loaded, **counts
    )


def _best(kind: str, best: BestPoint) -> Statement:
    """A best, with its model and lengths: it is of one story, the rest of the answer of all that is selected."""
    point = best.point
    if point.accelerator is None:
        point = replace(point, accelerator=fact_words("accelerator", None), accelerators=None)
    on = point.words((*OF_STORY, *SELDOM_ASKED))
    return SAY.finding(kind, [best.point], about=_about(point), value=best.value, metric=best.metric, on=on)


def _gap(gap: Gap) -> Statement:
    first, last = gap.first, gap.last
    chips = {"first": first.accelerator, "last": last.accelerator}
    return SAY.finding("gap", [first, last], about=_about(first), ratio=gap.ratio, **chips)


def _about(point: PointFacts) -> str:
    """What a point is of, and in brackets what it is where it was not measured: "… at 1,024/1,024 (projected)"."""
    about = subject([point]) or fact_words("model", None)
    return about if point.evidence == "measured" else f"{about} ({point.evidence or 'evidence not stated'})"


def _notes(found: Overview, ranking: Ranking, scored: int) -> Iterator[Statement]:
    selected, scores, refused = found.selected, found.loaded["scores"], found.loaded["refusals"]
    if selected.points:
        kind = "loaded" if selected.newest else "loaded_undated"
        yield SAY.note(kind, series=selected.series, newest=selected.newest)
    if scores:
        yield SAY.note("scores_apart" if scored else "scores", scores=scores, sources=scored)
    if refused:
        yield SAY.note("refused", refused=refused)
    if ranking.limits:
        yield SAY.note("limits")
    if others := selected.points - selected.measured:
        yield SAY.note("not_measured_ranked" if ranking.any_evidence else "not_measured", points=others)
    shown = {pair.model for pair in found.pairs} - {None}
    if (hidden := selected.models - len(shown)) > 0:
        alone = sorted(set(selected.accelerators) - {pair.accelerator for pair in found.pairs})
        kind = "hidden_chips" if alone else "hidden"
        yield SAY.note(kind, shown=len(shown), models=hidden, accelerators=alone)
