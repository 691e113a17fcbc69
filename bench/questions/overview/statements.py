"""What the overview says: what is loaded, the bests of the story told first, the largest gap, and what is newest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bench.basis import limits
from bench.basis.evidence import Ranking
from bench.basis.likeness import fact_words
from bench.basis.points import Facts
from bench.basis.statement import Statement, caveat, finding, headline
from bench.basis.wording import flagged, flags_of, subject, times
from bench.chart import value_label, workload_words
from bench.questions.overview.result import Best, Gap, Newest, Overview
from bench.wording import counted, is_or_are, joined, number, quantity

LISTED_CHIPS = 8
UNSTATED = fact_words("accelerator", None)
BEST = {"per_chip": "the most output per chip is", "stream": "the fastest stream one user gets is"}


def told(found: Overview, ranking: Ranking, scored: int) -> Iterator[Statement]:
    """The sentences of an overview; `scored` is how many sources hold scores alone."""
    selected, loaded = found.selected, found.loaded["points"]
    many = len(selected.accelerators)
    chips = f" on {counted(many, 'accelerator')}" if many else f" ({UNSTATED})"
    about = f"{counted(selected.series, 'series', 'series')} of {counted(selected.models, 'model')}{chips}"
    about += f" from {counted(selected.sources, 'source')}"
    newest = f", the newest measured on {selected.newest}" if selected.newest else ""
    if not selected.points:
        text = f"None of the {counted(loaded, 'loaded point')} is selected."
    elif selected.points == loaded:
        text = f"{counted(loaded, 'point is', 'points are')} loaded: {about}{newest}."
    else:
        text = f"{selected.points:,} of {counted(loaded, 'loaded point')} are selected: {about}{newest}."
    yield headline("counts", text, points=selected.points, loaded=loaded)
    for kind, best in (("per_chip", found.per_chip), ("stream", found.stream)):
        if best is not None:
            yield _best(kind, best)
    if found.gap is not None:
        yield _gap(found.gap)
    if found.newest is not None:
        yield _newest(found.newest)
    yield _besides(found, scored)
    if ranking.limits:
        yield caveat("limits", f"Only points with {limits.words(ranking.limits)} are ranked.")
    yield from _caveats(found, ranking)


def _best(kind: str, best: Best) -> Statement:
    value = quantity(best.value, best.metric).replace("/accelerator", "")
    unstated = replace(best.point, accelerator=UNSTATED, accelerators=None)
    point = best.point if best.point.accelerator else unstated
    on = point.words(("model", "precision", "isl", "osl"))
    text = f"On {subject([point])} {BEST[kind]} {value}{_evidence(point)}: {on}{flagged(point.flag_kinds)}."
    return finding(kind, text, [point.point_id], value=best.value)


def _evidence(point: Facts) -> str:
    """In brackets what a point is where it was not measured: " (projected)"."""
    return "" if point.evidence == "measured" else f" ({point.evidence or 'evidence not stated'})"


def _gap(gap: Gap) -> Statement:
    first, last = (value_label("accelerator", one.accelerator) for one in (gap.first, gap.last))
    chips = counted(gap.first.accelerators, "chip") if gap.first.accelerators else ""
    load = workload_words({**gap.first.row, "isl": None, "osl": None})
    where = ", ".join(word for word in (subject([gap.first]), chips, load) if word)
    flags = flagged(flags_of([gap.first, gap.last]))
    text = (
        f"The largest gap at equal conditions: {first} gives {times(gap.ratio, 'output per chip', last)}"
        f" ({where}; {number(gap.most)} against {number(gap.least)} tokens/s){_evidence(gap.first)}{flags}."
    )
    return finding("gap", text, [gap.first.point_id, gap.last.point_id], ratio=gap.ratio)


def _newest(newest: Newest) -> Statement:
    models = joined([fact_words("model", slug) for slug in newest.models], at_most=3)
    stated = [value_label("accelerator", slug) for slug in newest.accelerators if slug]
    chips = f" on {joined(stated, at_most=3)}" if stated else ""
    if None in newest.accelerators:
        chips += f" ({'in part ' if stated else ''}{UNSTATED})"
    text = f"Newest, up to {newest.day}: {counted(newest.points, 'point')} of {models}{chips}, from {newest.source}."
    return finding("newest", text, points=newest.points)


def _besides(found: Overview, scored: int) -> Statement:
    refused, scores = found.loaded["refusals"], counted(found.loaded["scores"], "quality score")
    apart = f" from {counted(scored, 'more source')}" if scored else ""
    files = counted(refused, "file or row was", "files and rows were")
    why = f"{files} refused" if refused else "nothing was refused"
    return finding("besides", f"The whole library also holds {scores}{apart}; {why}.", refused=refused)


def _caveats(found: Overview, ranking: Ranking) -> Iterator[Statement]:
    others = found.selected.points - found.selected.measured
    if others:
        text = f"{counted(others, 'point was', 'points were')} not measured; the chart counts such in brackets alone"
        said = "" if ranking.any_evidence else ", and no sentence ranks them"
        yield caveat("not_measured", f"{text}{said}.", points=others)
    shown = {pair.model for pair in found.pairs}
    hidden = found.selected.models - len(shown - {None})
    if hidden > 0:
        more = f"{hidden:,} more {is_or_are(hidden)} loaded{_chips_beside(found)}"
        text = f"The chart shows the {len(shown)} models with the most measured points; {more}."
        yield caveat("hidden", text, models=hidden)


def _chips_beside(found: Overview) -> str:
    """The accelerators that only models beside the chart ran on; empty when there are none."""
    chips = sorted(set(found.selected.accelerators) - {pair.accelerator for pair in found.pairs})
    if not chips:
        return ""
    listed = joined([value_label("accelerator", chip) for chip in chips], at_most=LISTED_CHIPS)
    return f", and with them {counted(len(chips), 'accelerator')} that none of these ran on: {listed}"
