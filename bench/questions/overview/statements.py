"""What the overview says: what is loaded, the bests of the story told first, the largest gap, and what is newest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bench.basis import limits
from bench.basis.evidence import Ranking
from bench.basis.likeness import fact_words
from bench.basis.points import PointFacts
from bench.basis.statement import Statement, caveat, finding, headline
from bench.basis.wording import flagged, flags_of, opened, subject, times
from bench.chart import value_label
from bench.questions.overview.result import BestPoint, Gap, Newest, Overview
from bench.wording import counted, is_or_are, joined, quantity

LISTED_CHIPS = 8
SAID_ONCE = ("model", "precision", "isl", "osl")
SELDOM_ASKED = ("engine", "engine_version", "tp", "pp", "dp", "ep", "disaggregated", "speculation")
"""What of a point its page says, and a line on the first page need not."""

UNSTATED = fact_words("accelerator", None)
BEST = {"per_chip": "most output per chip", "stream": "fastest stream for one user"}


def statements(overview: Overview, ranking: Ranking, scored: int) -> Iterator[Statement]:
    """The sentences of an overview; `scored` is how many sources hold scores alone."""
    selected, loaded = overview.selected, overview.loaded["points"]
    many = len(selected.accelerators)
    chips = f" on {counted(many, 'accelerator')}" if many else f" ({UNSTATED})"
    models = {pair.model for pair in overview.pairs}
    only = models.pop() if len(models) == selected.models == 1 else None
    of = value_label("model", only) if only else counted(selected.models, "model")
    about = f"{of}{chips} from {counted(selected.sources, 'source')}"
    if not selected.points:
        text = f"None of the {counted(loaded, 'loaded point')} is selected."
    elif selected.points == loaded:
        text = f"{counted(loaded, 'point is', 'points are')} loaded: {about}."
    else:
        text = (
            f"{selected.points:,} of {counted(loaded, 'loaded point')} {is_or_are(selected.points)} selected: {about}."
        )
    counts = {"models": selected.models, "accelerators": many, "sources": selected.sources}
    yield headline("counts", text, (), points=selected.points, loaded=loaded, **counts)
    yield _loaded(overview, scored)
    if overview.stands_out is not None:
        yield finding("stands_out", overview.stands_out.text, overview.stands_out.point_ids)
    if overview.newest is not None:
        yield _newest(overview.newest)
    for kind, best in (("per_chip", overview.per_chip), ("stream", overview.stream)):
        if best is not None:
            yield _best(kind, best, overview.compared)
    if overview.gap is not None:
        yield _gap(overview.gap)
    if ranking.limits:
        yield caveat("limits", f"Only points with {limits.words(ranking.limits)} are ranked.")
    yield from _caveats(overview, ranking)


def _loaded(overview: Overview, scored: int) -> Statement:
    """What there is beside the models and accelerators that the headline counts."""
    selected, refused = overview.selected, overview.loaded["refusals"]
    dated = f", the last measured on {selected.newest}" if selected.newest else ""
    scores = counted(overview.loaded["scores"], "quality score") if overview.loaded["scores"] else ""
    apart = f" from {counted(scored, 'more source')}" if scored else ""
    more = f"; {scores}{apart}" if scores else ""
    files = f"; {counted(refused, 'file or row', 'files and rows')} refused" if refused else ""
    text = f"{counted(selected.series, 'series', 'series')}{dated}{more}{files}."
    return finding("loaded", text, series=selected.series, refused=refused, scores=overview.loaded["scores"])


def _best(kind: str, best: BestPoint, compared: Sequence[str]) -> Statement:
    """A best, with the models side by side that it is the best of."""
    of = f" of {joined([value_label('model', one) for one in compared], at_most=4)}" if compared else ""
    value = quantity(best.value, best.metric).replace("/accelerator", "")
    unstated = replace(best.point, accelerator=UNSTATED, accelerators=None)
    point = best.point if best.point.accelerator else unstated
    on = point.words((*SAID_ONCE, *SELDOM_ASKED))
    most = opened(f"{'on ' * bool(about := subject([point]))}{about}{', ' * bool(about)}{BEST[kind]}{of}")
    text = f"{most}: {value} on {on}{_evidence(point)}{flagged(point.flag_kinds)}."
    return finding(kind, text, [point.point_id], value=best.value)


def _evidence(point: PointFacts) -> str:
    """In brackets what a point is where it was not measured: " (projected)"."""
    return "" if point.evidence == "measured" else f" ({point.evidence or 'evidence not stated'})"


def _gap(gap: Gap) -> Statement:
    first, last = (value_label("accelerator", one.accelerator) for one in (gap.first, gap.last))
    flags = flagged(flags_of([gap.first, gap.last]))
    text = (
        f"Largest gap at equal conditions: {first} gives {times(gap.ratio, 'output per chip', last)},"
        f" {subject([gap.first])}{_evidence(gap.first)}{flags}."
    )
    return finding("gap", text, [gap.first.point_id, gap.last.point_id], ratio=gap.ratio)


def _newest(newest: Newest) -> Statement:
    models = joined([fact_words("model", slug) for slug in newest.models], at_most=2)
    stated = [value_label("accelerator", slug) for slug in newest.accelerators if slug]
    chips = f" on {joined(stated, at_most=3)}" if stated else ""
    if None in newest.accelerators:
        chips += f" ({'in part ' if stated else ''}{UNSTATED})"
    kind = "Loaded last" if newest.imported else "Last measured and published" if newest.published else "Last measured"
    measured = f", measured {'up to' if newest.imported else 'by'} {newest.day}" if newest.day else ""
    text = f"{kind}: {counted(newest.points, 'point')} of {models}{chips} from {newest.source}{measured}."
    return finding("newest", text, points=newest.points, source=newest.source)


def _caveats(overview: Overview, ranking: Ranking) -> Iterator[Statement]:
    others = overview.selected.points - overview.selected.measured
    if others:
        text = f"{counted(others, 'point was', 'points were')} not measured: in brackets in the chart"
        said = "" if ranking.any_evidence else ", ranked in no sentence"
        yield caveat("not_measured", f"{text}{said}.", points=others)
    shown = {pair.model for pair in overview.pairs}
    hidden = overview.selected.models - len(shown - {None})
    if hidden > 0:
        more = f"{hidden:,} more {is_or_are(hidden)} loaded{_chips_beside(overview)}"
        text = f"The chart shows the {len(shown)} models with the most measured points; {more}."
        yield caveat("hidden", text, models=hidden)


def _chips_beside(found: Overview) -> str:
    """The accelerators that only models beside the chart ran on; empty when there are none."""
    chips = sorted(set(found.selected.accelerators) - {pair.accelerator for pair in found.pairs})
    if not chips:
        return ""
    listed = joined([value_label("accelerator", chip) for chip in chips], at_most=LISTED_CHIPS)
    return f", the only ones on {listed}"
