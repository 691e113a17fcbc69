"""What a heatmap's answer says: the peak and how it falls off, or what one side of a ratio is to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bench import flags
from bench.basis import evidence, likeness, limits
from bench.basis.evidence import Deciding, Ranking
from bench.basis.limits import Limit
from bench.basis.points import PointFacts
from bench.basis.stated_share import StatedShare
from bench.basis.statement import Statement, caveat, finding, headline, untold
from bench.basis.wording import (
    FINDING,
    NOTHING_SELECTED,
    TWICE,
    fitting,
    flagged,
    is_tie,
    listing,
    opened,
    subject,
    times,
)
from bench.chart import hardware_words, setting, value_label
from bench.maths.grid import steepest, verdict
from bench.questions.heatmap.grid import IN_A_CELL, NO_AXIS, NONE, OTHER_KIND, SIDES, TOLD_APART, axis_words, fact_of
from bench.questions.heatmap.result import WITHOUT_VALUE, Cell, Heatmap, Ratio, StatedColumns
from bench.records import LOAD_AXES
from bench.view import View
from bench.wording import counted, inline, is_or_are, joined, number, quantity, share

TOKENS = {
    "output_tokens_per_s": "output tokens/s",
    "input_tokens_per_s": "input tokens/s",
    "total_tokens_per_s": "tokens/s in and out",
}
"""Throughputs as they are spoken with their value."""

KIND_WORDS = {
    "saturated": "saturating load",
    "batch": "static batches",
    "scenario": "scenarios",
    "unknown": "a load that is not stated",
}
SEVERAL = {"peaks at": "peak at", "is best at": "are best at", "reaches": "reach"}
ON_A_SIDE = {
    "accelerator": "on {}",
    "chips": "on {} chips",
    "disaggregated": "{}",
    "load_kind": "under {} load",
    "source": "from {}",
    "harness": "by {}",
}
"""How a side of a ratio is named with what else it is, in place of "with {}"."""

OF_PANEL = {"accelerator": "on", "accelerators": "on", "model": "of", "source": "from"}
"""What stands between a value and the panel it is of, in place of "with"."""

MIXED = "model accelerator precision isl osl engine speculation disaggregated source".split()
"""What is told where the best points of a grid's cells differ in it: a change from cell to cell may be of that."""


def statements(heatmap: Heatmap, ranking: Ranking, deciding: Deciding, known: StatedShare) -> Iterator[Statement]:
    """Headline, findings and caveats; `known` is the coverage that the headline begins with."""
    if heatmap.peak is None:
        yield untold("no_value", nothing(heatmap, ranking, known))
        yield from evidence.left_out(heatmap.tally)
        return
    if deciding.of and not deciding.names_a_best:
        yield _no_best(deciding, known)
    elif heatmap.ratio is not None:
        yield from _of_ratio(heatmap, heatmap.ratio, known, ranking.limits)
    elif heatmap.panel == "model" and len(heatmap.panels) > 1:
        yield _of_models(heatmap, known, ranking.limits)
    else:
        yield from _of_peak(heatmap, heatmap.peak, known, ranking.limits)
    if heatmap.ratio is None:
        yield from (*_other_kinds(heatmap, heatmap.peak), *_panel_peaks(heatmap))
        yield from (*_slope(heatmap, heatmap.x), *_slope(heatmap, heatmap.y))
    yield from _coverage(heatmap)
    yield from evidence.left_out(heatmap.tally)
    yield from _caveats(heatmap, ranking)


def given_way(view: View, whole: View) -> list[str]:
    """What was asked for and could not be, a sentence each."""
    said = []
    x, y, by = view.option("x"), view.option("y"), view.option("ratio_by", NONE)
    if x and x == y:
        other = axis_words(whole.option("y"))
        said.append(f"Both axes were {axis_words(x)}; the vertical one is now {other}.")
    if by != whole.option("ratio_by"):
        said.append(f"No two values of {axis_words(by)} share a cell of this grid, so there is no ratio.")
    for key in SIDES:
        value, instead = view.option(key), whole.option(key)
        if value and instead and value not in map(whole.option, SIDES):
            named = likeness.filter_words(by, instead)
            said.append(f"{likeness.filter_words(by, value)} cannot be compared here; {named} takes its side.")
    return said


def _no_best(deciding: Deciding, known: StatedShare) -> Statement:
    """The headline where most accelerators do not say whether they keep the limits."""
    few = f"{deciding.accelerators} of {counted(deciding.of_accelerators, 'accelerator')}"
    text = fitting(
        *([f"{known.clause}, on {few}, so no best is named."] if known.clause else []),
        f"Only {few} ({deciding.points:,} of {deciding.of:,} points) state {deciding.metrics}, so no best is named.",
        f"Only {few} can be judged by these limits, so no best is named.",
    )
    counts = known.values or {"stating": deciding.points, "of": deciding.of}
    return headline("no_best", text, (), accelerators=deciding.accelerators, **counts)


def no_cell(heatmap: Heatmap) -> str:
    """Why a model has no cell: "no point with output throughput under closed load on both axes"."""
    under = f" under {_under(heatmap.load_kind)}" if heatmap.load_kind else ""
    return f"no point with {inline(heatmap.row)}{under} on both axes"


def _begins(found: Heatmap, slo: tuple[Limit, ...]) -> list[str]:
    """What a headline may begin with, the fullest first: the kind of load where there are others, and the limits."""
    kind = f"under {_under(found.load_kind)}" if found.tally.of(OTHER_KIND) and found.load_kind else ""
    if not slo:
        return [f"{opened(kind)}, ", ""] if kind else [""]
    short, named = limits.short(slo), limits.named(slo)
    return [*([f"{opened(kind)} with {short}, "] if kind else []), f"With {short}, ", f"Within {named}, "]


def _of_models(heatmap: Heatmap, known: StatedShare, wanted: tuple[Limit, ...]) -> Statement:
    """The peak of each of several models, the best first."""
    cells = sorted(map(heatmap.best, heatmap.panels.values()), key=lambda one: one.value or 0.0)
    cells = cells if heatmap.row.better == "lower" else cells[::-1]
    verb = {"higher": "peaks at", "lower": "is best at", "neutral": "reaches"}[heatmap.row.direction]
    at = verb.rpartition(" ")[2] if " " in verb else ""
    within = f" within {limits.named(wanted)}" if wanted and known.lead else ""

    def sentence(begin: str, *, chips: bool, most: int) -> str:
        parts = []
        for place, cell in enumerate(cells):
            best = cell.facts[0]
            on = f" on {_chips(best).removeprefix('1 ')}" if chips and best.hardware else ""
            does, value = (
                (at, value_label(heatmap.metric, cell.value)) if place else (verb, _valued(heatmap, cell.value))
            )
            name = subject([PointFacts("", model=best.model)]) or "no stated model"
            parts.append(" ".join(filter(None, (name + on, does, value))) + flagged(cell.flag_kinds))
        return f"{begin}{joined(parts, at_most=most)}{within}."

    begins, every = ([known.lead] if known.lead else _begins(heatmap, wanted)), len(cells)
    ways = ((True, every), (False, every), (False, 2), (False, 1))
    text = fitting(*(sentence(begin, chips=chips, most=most) for chips, most in ways for begin in begins))
    peak = cells[0]
    spot = {"value": peak.value, "x": peak.x, "y": peak.y, **known.values}
    return headline("peaks", text, [one for cell in cells for one in cell.ids], **spot)


def _of_peak(heatmap: Heatmap, peak: Cell, known: StatedShare, wanted: tuple[Limit, ...]) -> Iterator[Statement]:
    """The peak with what it is of and where, and how low it falls where there is room for it."""
    best = peak.facts[0]
    chips = _chips(best).removeprefix("1 ")
    verb = {"higher": "peaks at", "lower": "is best at", "neutral": "reaches"}[heatmap.row.direction]
    value = _valued(heatmap, peak.value)
    flags_told, (spread, fall, worst) = flagged(peak.flag_kinds), _falls_off(heatmap, peak)
    ids, least = (worst.ids, worst.value) if worst else ((), None)
    of, model = (subject([best]) or "The selection", subject([PointFacts("", model=best.model)]) or "The selection")
    on, where = f" on {chips}" if chips else "", _peak_place(heatmap, peak)
    if known.lead:
        several = SEVERAL[verb] if chips and (best.accelerators or 1) > 1 else verb
        is_told = best.isl is None or best.osl is None or not {"isl", "osl"} & {heatmap.x, heatmap.y}
        lengths = "" if is_told else f" at {number(best.isl)}/{number(best.osl)}"
        who = f"{chips}{lengths} {several}" if chips else f"{of} {verb}"
        first = f"{model if known.narrower else of}{lengths if known.narrower else ''}{on} {verb}"
        short = f"{chips or of} {several}"
        whole = [
            f"{lead}{one} {value}{at}{flags_told}"
            for lead in (known.lead, *known.least(model))
            for one, at in ((first, where), (who, where), (who, ""), (short, ""))
        ]
        if known.many_models and chips:
            whole = [
                f"{lead}{one} {value}{at}{flags_told}"
                for one, at in ((who, where), (short, where), (who, ""), (short, ""))
                for lead in known.leads(model)
            ]
        if wanted:
            whole = [f"{one} within {limits.named(wanted)}" for one in whole]
    else:
        begin, *more = _begins(heatmap, wanted)
        whole = [
            f"{start}{one}{on} {verb} {value}{at}{flags_told}"
            for start, one, at in (
                (begin, of, where),
                *((start, *rest) for rest in ((of, where), (model, where), (model, "")) for start in more or [begin]),
            )
        ]
    spread = spread if len(heatmap.panels) == 1 else ""  # A headline is read where no panel is seen, too.
    text = fitting(*(f"{one}{end}." for one in whole[:1] for end in (spread, "")), *(f"{one}." for one in whole))
    is_told = bool(spread) and text.endswith(f"{spread}.")
    spot = {"value": peak.value, "x": peak.x, "y": peak.y, **known.values, **({"worst": least} if is_told else {})}
    yield headline("peak", text, (*peak.ids, *(ids if is_told else ())), **spot)
    if fall and not is_told:
        yield finding("falls_off", f"{opened(fall.lstrip(';, '))}.", ids or peak.ids, worst=least)


def _of_ratio(heatmap: Heatmap, ratio: Ratio, known: StatedShare, wanted: tuple[Limit, ...]) -> Iterator[Statement]:
    many = counted(len(heatmap.compared), "shared cell")
    ids = [one for cell in heatmap.compared for one in cell.ids]
    if not ratio.is_told:
        apart = joined([one.words for one in ratio.confounded])
        facts = joined([one.fact.one for one in ratio.confounded])
        judged, each = f"{ratio.a} against {ratio.b} cannot be judged", f"in each of {many}"
        many_facts = f"{counted(len(ratio.confounded), 'other thing')} too"
        text = fitting(*(f"{judged}: they differ in {what}, {each}." for what in (apart, f"{facts} too", many_facts)))
        yield headline("confounded", text, ids, facts=len(ratio.confounded))
        if apart not in text:
            yield caveat("confounded_by", f"In every shared cell they differ in {apart}.")
    else:
        yield _ratio(heatmap, ratio, known.leads(_model_of(heatmap)) or _begins(heatmap, wanted)[-2:], many, ids)
    yield _extremes(heatmap, ratio)
    alone = [
        (side, len([cell for cell in heatmap.cells if cell.state == state]))
        for side, state in ((ratio.a, "only a"), (ratio.b, "only b"))
    ]
    if parts := [f"only {side} in {counted(many, 'cell')}" for side, many in alone if many]:
        text = f"Measured on one side, so not divided: {joined(parts)}."
        yield finding("one_side", text, a=alone[0][1], b=alone[1][1])
    kept = {fact_of(ratio.by), *(one.fact.key for one in ratio.confounded)}
    yield from likeness.unlike(
        (ratio.a, ratio.b),
        [cell.best for cell in heatmap.compared if cell.best],
        [cell.best_b for cell in heatmap.compared if cell.best_b],
        [key for key in TOLD_APART if key not in kept],
    )
    if unlike := [cell for cell in heatmap.measured if not cell.alike]:
        drawn = (
            "; these have no colour and no part in the median" if len(heatmap.compared) < len(heatmap.measured) else ""
        )
        of = f"{len(unlike):,} of {counted(len(heatmap.measured), 'cell')}"
        text = f"In {of} the two sides are at different loads{drawn}."
        yield caveat("unlike_loads", text, cells=len(unlike))


def _model_of(found: Heatmap) -> str:
    """The models that a ratio's cells are of."""
    return subject([PointFacts("", model=cell.best.model) for cell in found.compared if cell.best])


def _ratio(heatmap: Heatmap, ratio: Ratio, starts: Sequence[str], many: str, ids: Sequence[str]) -> Statement:
    """What one side is to the other in the middle of the cells they share."""
    cells, middle, a, b = heatmap.compared, heatmap.middle, ratio.a, ratio.b
    for one in ratio.confounded:  # "FP8 on H200 SXM", "FP16 on A100"
        form = ON_A_SIDE.get(one.fact.key, "with {}")
        a, b = f"{a} {form.format(one.a[0])}", f"{b} {form.format(one.b[0])}"
    loads = "" if cells[0].alike else ", each at its best load"
    loads = " at like loads" if len(cells) < len(heatmap.measured) else loads
    where = "the one cell both have" if len(cells) == 1 else f"the median of {many}"
    link = "as" if is_tie(middle) else "of" if middle >= TWICE else "than"
    some = flagged(kind for cell in cells for kind in cell.flag_kinds)
    has = f"has {times(middle, inline(heatmap.row))} {link}"
    text = fitting(
        *(
            f"{start}{a} {has} {b}{end}{some}."
            for end in (f" in {where}{loads}", f" in {where}", "")
            for start in starts
        ),
        *(f"{start}{ratio.a} {has} {ratio.b}{some}." for start in starts),
    )
    return headline("ratio", text, ids, a=ratio.a, b=ratio.b, median=middle, cells=len(cells))


def _extremes(heatmap: Heatmap, ratio: Ratio) -> Statement:
    """In how many cells each side is ahead, how many are a tie, and between which ratios they lie."""
    leads = Counter(verdict(cell.value or 0.0, heatmap.row.better) for cell in heatmap.compared)
    named = ((ratio.a, leads["a"]), (ratio.b, leads["b"]), ("a tie within 1 %", leads["tie"]))
    ahead = joined([f"{name} in {counted(many, 'cell')}" for name, many in named if many])
    low, high = heatmap.best(heatmap.compared, worst=True), heatmap.best(heatmap.compared)
    ends = [
        f"{number(cell.value)} at {place(heatmap, cell)}{_in_panel(heatmap, cell)}{flagged(cell.flag_kinds)}"
        for cell in dict.fromkeys((low, high))
    ]
    span = f"from {ends[0]} to {ends[1]}" if len(ends) > 1 else ends[0]
    verb = "is" if len(ends) < 2 else "goes"
    text = f"{f'Ahead: {ahead}; ' if ratio.is_told else ''}{ratio.a} / {ratio.b} {verb} {span}."
    ids = (*low.ids, *high.ids)
    return finding("ahead", text, ids, low=low.value, high=high.value, a=leads["a"], b=leads["b"], ties=leads["tie"])


def _caveats(heatmap: Heatmap, ranking: Ranking) -> Iterator[Statement]:
    if ranking.limits:
        yield caveat("limits", f"Only points with {limits.words(ranking.limits)} fill a cell.")
    for axis in heatmap.doublings:
        yield caveat("doublings", f"A cell holds the best of a doubling of {axis_words(axis)}.", axis=axis)
    if many := len(heatmap.undrawn):
        text = f"{counted(many, 'panel')} with few cells {is_or_are(many)} in the table alone."
        yield caveat("undrawn", text, panels=many)
    if heatmap.ratio is None:
        best = [one for cell in heatmap.measured for one in cell.facts]
        axes = (heatmap.x, heatmap.y, heatmap.panel)
        unlike = [key for key in MIXED if key not in axes and len({getattr(one, key) for one in best}) > 1]
        if unlike:
            words = joined([likeness.BY_KEY[key].one for key in unlike], at_most=9)
            yield caveat("mixed", f"The cells' best points differ in {words}.", facts=" ".join(unlike))
    kinds = Counter(kind for cell in heatmap.cells for kind in flags.printed(cell.flag_kinds))
    if kinds:
        listed = joined([f"{kind} ({counted(cells, 'cell')})" for kind, cells in kinds.items()], at_most=99)
        yield caveat("flags", f"Best points are flagged: {listed}.", flagged=sum(kinds.values()))


def nothing(heatmap: Heatmap, ranking: Ranking, known: StatedShare) -> str:
    """Why no cell has a value, and what to do."""
    tally, ratio = heatmap.tally, heatmap.ratio
    none = f"None of the {tally.selected:,} points" if tally.selected > 1 else "No selected point"
    on_grid = sum(map(tally.of, (*IN_A_CELL, NO_AXIS, OTHER_KIND)))
    if not tally.selected:
        return NOTHING_SELECTED
    if ratio is not None and tally.used:
        return f"{ratio.a} and {ratio.b} share no cell of this grid, so there is nothing to divide."
    if tally.of("other_evidence") == tally.selected:
        return f"{none} was measured, so none is ranked."
    if heatmap.stated is not None and on_grid:
        return _no_axes(heatmap, heatmap.stated, counted(on_grid, "point"))
    if tally.of("unknown_limit") and not tally.of("beyond_limit"):
        them = "none of them" if known.points > 1 else "not"
        reason = f"{known.clause}, {them} in this grid" if known.is_of_limits and known.clause else ""
        many = tally.of("unknown_limit")
        ranked = f"None of the {many:,} ranked points" if many > 1 else "No ranked point"
        reason = reason or f"{ranked} states {limits.metrics(ranking.limits)}"
        drop = f"drop {limits.named(ranking.limits)}"
        return fitting(f"{reason}; {drop} to see {inline(heatmap.row)}.", f"{reason}; {drop}.")
    if tally.of("beyond_limit"):
        return f"{none} is known to keep the limits; ease them."
    if tally.of("no_metric") or tally.of("failed"):
        return f"{none} on this grid has {inline(heatmap.row)}; choose another metric."
    return f"{none} may be ranked; choose other filters."


def _no_axes(found: Heatmap, stated: StatedColumns, about: str) -> str:
    """That no point states both axes: which two to choose instead, or that there are no two."""
    x, y, *others = map(axis_words, (found.x, found.y, *stated.pair))
    if stated.points:
        instead = f"{stated.points:,} {'states' if stated.points == 1 else 'state'} {joined(others)}"
        return f"None of {about} states both {x} and {y}; choose other axes: {instead}."
    only = f"only {joined([axis_words(column) for column in stated.columns])}" if stated.columns else "no column"
    return f"These {about} state {only}, not the two columns that a grid needs."


def place(heatmap: Heatmap, cell: Cell) -> str:
    """A cell's place on the axes that have more than one value: "1,024/128", "concurrency 64 and 8 chips"."""
    if {heatmap.x, heatmap.y} == {"isl", "osl"} and not heatmap.doublings:
        isl, osl = (cell.x, cell.y) if heatmap.x == "isl" else (cell.y, cell.x)
        return f"{number(isl)}/{number(osl)}"
    several = [one for one in ("x", "y") if len(heatmap.values(one)) > 1] or ["x"]
    return joined([_at(heatmap, getattr(heatmap, one), cell) for one in several])


def _at(heatmap: Heatmap, axis: str, cell: Cell, *, whole: bool = False) -> str:
    """Where a cell is on an axis: of a doubling its best point's own value, or its ends where the `whole` is meant."""
    value = cell.x if axis == heatmap.x else cell.y
    if axis not in heatmap.doublings or value <= 0:
        return setting(axis, value)
    own = getattr(cell.best, axis) if cell.best and heatmap.ratio is None and not whole else None
    return setting(axis, own if own is not None else f"{number(value)} to {number(2 * value)}")


def _in_panel(found: Heatmap, cell: Cell) -> str:
    several = found.panel is not None and len(found.panels) > 1
    return f", {setting(found.panel or '', cell.panel)}" if several else ""


def _under(kind: str | None) -> str:
    return KIND_WORDS.get(kind or "unknown", f"{kind} load")


def _peak_place(heatmap: Heatmap, peak: Cell) -> str:
    """ " at " and where the peak is, without its chips, and its lengths where both are stated."""
    best = peak.facts[0]
    told = {"accelerators"} if best.isl is None or best.osl is None else {"accelerators", "isl", "osl"}
    flat = {axis for axis, part in ((heatmap.x, "x"), (heatmap.y, "y")) if len(heatmap.values(part)) < 2}
    told |= flat & {"tp"}
    words = [_at(heatmap, axis, peak) for axis in (heatmap.x, heatmap.y) if axis not in told]
    loads = {key: getattr(best, key) for key in LOAD_AXES if key not in (heatmap.x, heatmap.y)}
    words += [setting(key, value) for key, value in loads.items() if value is not None]
    return f" at {joined(words)}" if words else ""


def _valued(heatmap: Heatmap, value: float | None) -> str:
    """A value as a sentence has it: "68,614 output tokens/s", "232 ms median TTFT"."""
    if heatmap.metric in TOKENS:
        return f"{number(value)} {TOKENS[heatmap.metric]}"
    return f"{quantity(value, heatmap.metric).removesuffix('/accelerator')} {inline(heatmap.row)}"


def _falls_off(heatmap: Heatmap, peak: Cell) -> tuple[str, str, Cell | None]:
    """The worst cell of the peak's panel for a headline, the same with what it is of the peak, and it where named."""
    same, several = heatmap.panels[peak.panel], len(heatmap.panels) > 1
    if len(same) == 1:
        alone = f", the only cell with a value{' in its panel' if len(heatmap.measured) > 1 else ''}"
        return alone, alone, None
    worst, lower = heatmap.best(same, worst=True), heatmap.row.better == "lower"
    low, high = sorted((peak.value or 0.0, worst.value or 0.0))
    some, end = flagged(worst.flag_kinds), "highest" if lower else "lowest"
    if several and heatmap.panel:
        end += f" {OF_PANEL.get(heatmap.panel, 'with')} {setting(heatmap.panel, worst.panel)}"
    own = _own_accelerator(heatmap, worst, (peak, worst))
    at = f"; the {end} is {value_label(heatmap.metric, worst.value)} at {place(heatmap, worst)}{own}"
    if low <= 0:
        return f"{at}{some}", f"{at}{some}", worst
    if is_tie(high / low):
        same_all = " and stays within 1 % of it in every cell"
        return same_all, same_all, None
    ratio = f", {number(high / low)} times the best" if lower else f"; the peak is {number(high / low)} times that"
    return f"{at}{some}", f"{at}{some}{ratio}", worst


def _other_kinds(heatmap: Heatmap, peak: Cell) -> Iterator[Statement]:
    """The best value under each other load kind that beats the grid's peak."""
    lower, own = heatmap.row.better == "lower", peak.value or 0.0
    better = [(best, value) for best, value in heatmap.other_kinds if value != own and (value < own) == lower]
    if heatmap.row.direction == "neutral" or not better:
        return
    listed = []
    for best, value in better:
        loads = [setting(key, getattr(best, key)) for key in LOAD_AXES if getattr(best, key) is not None]
        inside = ", ".join([hardware_words(best.row), *loads])
        under = f"under {_under(best.load_kind)} ({inside}){flagged(best.flag_kinds)}"
        listed.append(f"{quantity(value, heatmap.metric)} {under}")
    text = f"{'Lower' if lower else 'Higher'} outside this grid: {joined(listed)}."
    yield finding("other_kinds", text, [best.point_id for best, _ in better], value=better[0][1])


def _panel_peaks(heatmap: Heatmap) -> Iterator[Statement]:
    """The best of each panel, the best panel first."""
    if heatmap.panel is None or len(heatmap.panels) < 2:
        return
    bests = [heatmap.best(cells) for cells in heatmap.panels.values()]
    bests.sort(key=lambda cell: cell.value or 0.0, reverse=heatmap.row.better == "higher")
    panels = [setting(heatmap.panel, cell.panel) for cell in bests]
    if heatmap.panel == "accelerator":  # A grid's best cells are of unlike counts of chips: no ranking of single ones.
        panels = [_chips(cell.facts[0]) or name for cell, name in zip(bests, panels, strict=True)]
    own = [_own_accelerator(heatmap, cell, bests) for cell in bests]
    values = [
        f"{value_label(heatmap.metric, cell.value)}{on}{flagged(cell.flag_kinds)}"
        for cell, on in zip(bests, own, strict=True)
    ]
    named = [" ".join(one) for one in zip(panels, values, strict=True)]
    told = listing(f"Best by {axis_words(heatmap.panel)}: ", named, ".", by="; ", longest=FINDING)
    ids = [one for cell in bests[: told.shown] for one in cell.ids]
    yield finding("panels", told.text, ids, best=panels[0], panels=len(panels), shown=told.shown)


def _own_accelerator(heatmap: Heatmap, cell: Cell, among: Sequence[Cell]) -> str:
    """In brackets what a cell's best ran on, where cells differ in it and the grid does not tell: " (GB200)"."""
    if "accelerator" in (heatmap.x, heatmap.y, heatmap.panel) or len({one.facts[0].accelerator for one in among}) < 2:
        return ""
    return f" ({value_label('accelerator', cell.facts[0].accelerator)})" if cell.facts[0].accelerator else ""


def _chips(best: PointFacts) -> str:
    """What a cell's best point ran on: "48 GB300"."""
    return best.hardware.replace(" x ", " ")


def _slope(heatmap: Heatmap, axis: str) -> Iterator[Statement]:
    """The steepest fall along an axis over all lines of cells that differ in nothing else."""
    along, across, other = ("x", "y", heatmap.y) if axis == heatmap.x else ("y", "x", heatmap.x)
    lines: dict[tuple[Any, float], list[Cell]] = {}
    for cell in heatmap.measured:
        lines.setdefault((cell.panel, getattr(cell, across)), []).append(cell)
    at = [[getattr(cell, along) for cell in line] for line in lines.values()]
    values = [[cell.value or 0.0 for cell in line] for line in lines.values()]
    changes = [steepest(*one, heatmap.row.better) for one in zip(at, values, strict=True)]
    told = [(change, line) for change, line in zip(changes, lines.values(), strict=True) if change]
    if not told:
        return
    change, line = max(told, key=lambda one: one[0].per_doubling)
    ends = [cell for cell in line if getattr(cell, along) in (change.start, change.end)]
    fixed = _at(heatmap, other, line[0], whole=True) if len(heatmap.values(across)) > 1 else ""
    where = f"{fixed}{_in_panel(heatmap, line[0])}".lstrip(", ")
    plus = "+" if axis in heatmap.doublings else ""
    span = f"{number(change.start)}{plus} to {number(change.end)}{plus}{f' ({where})' if where else ''}"
    rises, ratio = heatmap.row.better == "lower", change.per_doubling
    if is_tie(ratio):
        said = f"it never gets worse; it stays the same from {span}"
    elif ratio <= 1:
        verb = "divides it by" if rises else "multiplies it by"
        said = f"it never gets worse: each doubling {verb} at least {number(1 / ratio)}, from {span}"
    else:
        verb = "multiplies it by" if rises else "divides it by"
        said = f"it {'rises' if rises else 'falls'} fastest from {span}: each doubling {verb} {number(ratio)}"
    text = f"Along {axis_words(axis)} {said}{flagged(kind for cell in ends for kind in cell.flag_kinds)}."
    ids = [one for cell in ends for one in cell.ids]
    yield finding("slope", text, ids, axis=axis, per_doubling=ratio, start=change.start, end=change.end)


def _coverage(heatmap: Heatmap) -> Iterator[Statement]:
    """How many cells of the grid have a value, and what is in the others."""
    across, up, panels = (len(heatmap.values(part)) for part in ("x", "y", "panel"))
    whole, many = across * up * panels, len(heatmap.measured)
    states = Counter(cell.state for cell in heatmap.cells)
    shape = f"{across} x {up}" + (f" in {panels} panels" if panels > 1 else "")
    has = f"{'has' if many == 1 else 'have'} {'values on both sides' if heatmap.ratio else 'a value'}"
    text = f"{many:,} of {whole:,} cells ({shape}) {has} ({share(many / whole)})."
    yield finding("cells", text, measured=many, cells=whole)
    lacking = [(states[state], what) for state, (_, what) in WITHOUT_VALUE.items()]
    lacking.append((whole - len(heatmap.cells), "no point"))
    words = [f"{count:,} {'holds' if count == 1 else 'hold'} {what}" for count, what in lacking if count]
    if words:
        yield finding("empty_cells", f"Of the other cells, {joined(words, at_most=9)}.", cells=whole - many)
