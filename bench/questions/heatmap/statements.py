"""What a heatmap's answer says: the peak and how it falls off, or what one side of a ratio is to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bench import flags
from bench.basis import evidence, likeness, limits
from bench.basis.evidence import Deciding, Ranking
from bench.basis.statement import Statement, caveat, finding, headline
from bench.basis.wording import TWICE, flagged, is_tie, opened, subject, times
from bench.chart import hardware_words, setting
from bench.maths.grid import steepest, verdict
from bench.questions.heatmap.grid import IN_A_CELL, NO_AXIS, OTHER_KIND, TOLD_APART, axis_words, fact_of
from bench.questions.heatmap.result import WITHOUT_VALUE, Cell, Heatmap, Ratio, Stated
from bench.records import LOAD_AXES
from bench.wording import counted, inline, joined, number, quantity, share

LISTED = 6
"""A sentence lists up to this many panels."""

LONGEST = 25
"""A headline has at most so many words; what does not fit is a finding."""

KIND_WORDS = {"saturated": "saturating load", "batch": "static batches", "scenario": "scenarios",
              "unknown": "a load that is not stated"}  # fmt: skip
ON_A_SIDE = {"accelerator": "on {}", "chips": "on {} chips", "disaggregated": "{}", "load_kind": "under {} load",
             "source": "from {}", "harness": "by {}"}  # fmt: skip
"""How a side of a ratio is named with what else it is, in place of "with {}"."""

MIXED = "model accelerator precision isl osl engine speculation disaggregated source".split()
"""What is told where the best points of a grid's cells differ in it: a change from cell to cell may be of that."""


def told(found: Heatmap, ranking: Ranking, deciding: Deciding) -> Iterator[Statement]:
    """Headline, findings and caveats."""
    if found.peak is None:
        yield headline("no_value", nothing(found))
        yield from evidence.left_out(found.tally)
        return
    if deciding.of and not deciding.names_a_best:
        yield _no_best(deciding)
    elif found.ratio is None:
        yield from _of_peak(found, found.peak, deciding)
    else:
        yield from _of_ratio(found, found.ratio, deciding)
    if found.ratio is None:
        yield from (*_other_kinds(found, found.peak), *_panel_peaks(found))
        yield from (*_slope(found, found.x), *_slope(found, found.y))
    yield _coverage(found)
    yield from evidence.left_out(found.tally)
    yield from _caveats(found, ranking)


def _no_best(deciding: Deciding) -> Statement:
    """The headline where most accelerators do not say whether they keep the limits."""
    text = (
        f"No best can be named: only {deciding.points:,} of {deciding.of:,} points, on {deciding.accelerators} of"
        f" {counted(deciding.of_accelerators, 'accelerator')}, state {deciding.metrics}."
    )
    return headline("no_best", text, points=deciding.points, of=deciding.of)


def _of_peak(found: Heatmap, peak: Cell, deciding: Deciding) -> Iterator[Statement]:
    best = peak.facts[0]
    kind = f"Under {_under(found.load_kind)}, " if found.tally.of(OTHER_KIND) and found.load_kind else ""
    chips = best.hardware.replace(" x ", " ")
    who = f"{subject([best]) or 'The selection'}{f' on {chips}' if chips else ''}"
    verb = {"higher": "peaks at", "lower": "is best at", "neutral": "reaches"}[found.row.direction]
    value = quantity(peak.value, found.metric).removesuffix("/accelerator")
    fall, worst = _falls_off(found, peak)
    text = f"{kind}{who} {verb} {value} {inline(found.row)}{_peak_place(found, peak)}"
    text += f"{flagged(peak.flag_kinds)}{deciding.words}"
    fits, ids = len(f"{text}{fall}".split()) <= LONGEST, worst.ids if worst else ()
    whole = (f"{text}{fall}", (*peak.ids, *ids)) if fits else (text, peak.ids)
    yield headline("peak", f"{whole[0]}.", whole[1], value=peak.value, x=peak.x, y=peak.y)
    if fall and not fits:
        yield finding("falls_off", f"{opened(fall.lstrip(';, '))}.", ids or peak.ids)


def _of_ratio(found: Heatmap, ratio: Ratio, deciding: Deciding) -> Iterator[Statement]:
    cells, middle = found.compared, found.middle
    many = counted(len(cells), "shared cell")
    ids = [one for cell in found.compared for one in cell.ids]
    if not ratio.is_told:
        apart = joined([one.words for one in ratio.confounded])
        text = f"{ratio.a} against {ratio.b} cannot be told apart from {apart}, unlike in each of {many}."
        yield headline("confounded", text, ids, facts=len(ratio.confounded))
    else:
        a, b = ratio.a, ratio.b
        for one in ratio.confounded:  # "FP8 on H200 SXM", "FP16 on A100"
            form = ON_A_SIDE.get(one.fact.key, "with {}")
            a, b = f"{a} {form.format(one.a[0])}", f"{b} {form.format(one.b[0])}"
        loads = "" if found.compared[0].alike else ", each at its own best load"
        loads = " at like loads" if len(found.compared) < len(found.measured) else loads
        where = "the one cell both have" if len(cells) == 1 else f"the median of {many}"
        link = "as" if is_tie(middle) else "of" if middle >= TWICE else "than"
        some = flagged(kind for cell in found.compared for kind in cell.flag_kinds)
        lead = f"{a} has {times(middle, inline(found.row))} {link} {b}"
        text = f"{lead} in {where}{loads}{some}{deciding.words}."
        yield headline("ratio", text, ids, median=middle)
    yield _extremes(found, ratio)
    alone = [(side, len([cell for cell in found.cells if cell.state == state]))
             for side, state in ((ratio.a, "only a"), (ratio.b, "only b"))]  # fmt: skip
    if parts := [f"{side} in {counted(many, 'cell')}" for side, many in alone if many]:
        yield finding("one_side", f"Measured on one side only, so not divided: {joined(parts)}.")
    known = {fact_of(ratio.by), *(one.fact.key for one in ratio.confounded)}
    yield from likeness.unlike(
        (ratio.a, ratio.b),
        [cell.best for cell in found.compared if cell.best],
        [cell.best_b for cell in found.compared if cell.best_b],
        [key for key in TOLD_APART if key not in known],
    )
    if unlike := [cell for cell in found.measured if not cell.alike]:
        apart = "; those are drawn without colour and left out of the median and the range"
        drawn = apart if len(found.compared) < len(found.measured) else ""
        of = f"{len(unlike):,} of {counted(len(found.measured), 'cell')}"
        text = f"Each side is at its own best load, not the same one in {of}{drawn}."
        yield caveat("unlike_loads", text, cells=len(unlike))


def _extremes(found: Heatmap, ratio: Ratio) -> Statement:
    """In how many cells each side is ahead, how many are a tie, and between which ratios they lie."""
    leads = Counter(verdict(cell.value or 0.0, found.better) for cell in found.compared)
    named = ((ratio.a, leads["a"]), (ratio.b, leads["b"]), ("a tie within 1 %", leads["tie"]))
    ahead = joined([f"{name} in {counted(many, 'cell')}" for name, many in named if many])
    low, high = found.best(found.compared, worst=True), found.best(found.compared)
    ends = [f"{number(cell.value)} at {place(found, cell)}{_in_panel(found, cell)}{flagged(cell.flag_kinds)}"
            for cell in dict.fromkeys((low, high))]  # fmt: skip
    span = f"from {ends[0]} to {ends[1]}" if len(ends) > 1 else ends[0]
    text = f"{f'Ahead: {ahead}; ' if ratio.is_told else ''}{ratio.a} / {ratio.b} is {span}."
    ids = (*low.ids, *high.ids)
    return finding(
        "ahead", text, ids, low=low.value, high=high.value, a=leads["a"], b=leads["b"], ties=leads["tie"]
    )


def _caveats(found: Heatmap, ranking: Ranking) -> Iterator[Statement]:
    if ranking.limits:
        yield caveat("limits", f"Only points with {limits.words(ranking.limits)} fill a cell.")
    for axis in found.doublings:
        yield caveat("doublings", f"A cell holds the best of a doubling of {axis_words(axis)}.")
    if found.undrawn:
        many = counted(len(found.undrawn), "panel")
        yield caveat("undrawn", f"{many} with fewer cells not drawn for want of room, but in the table.")
    if found.ratio is None:
        best, axes = [one for cell in found.measured for one in cell.facts], (found.x, found.y, found.panel)
        unlike = [key for key in MIXED if key not in axes and len({getattr(one, key) for one in best}) > 1]
        if unlike:
            words = joined([likeness.BY_KEY[key].one for key in unlike], at_most=9)
            yield caveat("mixed", f"From cell to cell the best points differ in {words}.")
    kinds = Counter(kind for cell in found.cells for kind in flags.telling(cell.flag_kinds))
    if kinds:
        listed = joined([f"{kind} ({counted(cells, 'cell')})" for kind, cells in kinds.items()], at_most=99)
        yield caveat("flags", f"Best points are flagged: {listed}.", flagged=sum(kinds.values()))


def nothing(found: Heatmap) -> str:
    """Why no cell has a value, and what to do."""
    tally, ratio = found.tally, found.ratio
    none = f"None of the {counted(tally.selected, 'selected point')}"
    on_grid = sum(map(tally.of, (*IN_A_CELL, NO_AXIS, OTHER_KIND)))
    if not tally.selected:
        return "Nothing is selected."
    if ratio is not None and tally.used:
        return f"{ratio.a} and {ratio.b} share no cell of this grid, so there is nothing to divide."
    if tally.of("other_evidence") == tally.selected:
        return f"{none} was measured; ask for their evidence to see them."
    if found.stated is not None and on_grid:
        return _no_axes(found, found.stated, counted(on_grid, "point"))
    if tally.of("beyond_limit") or tally.of("unknown_limit"):
        return f"{none} is known to keep the limits; ease them."
    if tally.of("no_metric") or tally.of("failed"):
        return f"{none} on this grid has {inline(found.row)}; choose another metric."
    return f"{none} may be ranked."


def _no_axes(found: Heatmap, stated: Stated, about: str) -> str:
    """That no point states both axes: which two to choose instead, or that there are no two."""
    x, y, *others = map(axis_words, (found.x, found.y, *stated.pair))
    if stated.points:
        instead = f"{stated.points:,} {'states' if stated.points == 1 else 'state'} {joined(others)}"
        return f"None of {about} states both {x} and {y}; choose other axes: {instead}."
    only = f", only {joined([axis_words(column) for column in stated.columns])}" if stated.columns else ""
    return f"The selected {about} state no two columns that can be axes{only}; the Data page lists them."


def place(found: Heatmap, cell: Cell) -> str:
    """A cell's place on the axes that have more than one value: "1,024/128", "concurrency 64 and 8 chips"."""
    if {found.x, found.y} == {"isl", "osl"} and not found.doublings:
        isl, osl = (cell.x, cell.y) if found.x == "isl" else (cell.y, cell.x)
        return f"{number(isl)}/{number(osl)}"
    several = [one for one in ("x", "y") if len(found.values(one)) > 1] or ["x"]
    return joined([_at(found, getattr(found, one), cell) for one in several])


def _at(found: Heatmap, axis: str, cell: Cell, *, whole: bool = False) -> str:
    """Where a cell is on an axis: of a doubling its best point's own value, or its ends where the `whole` is meant."""
    value = cell.x if axis == found.x else cell.y
    if axis not in found.doublings or value <= 0:
        return setting(axis, value)
    own = getattr(cell.best, axis) if cell.best and found.ratio is None and not whole else None
    return setting(axis, own if own is not None else f"{number(value)} to {number(2 * value)}")


def _in_panel(found: Heatmap, cell: Cell) -> str:
    several = found.panel is not None and len(found.panels) > 1
    return f", {setting(found.panel or '', cell.panel)}" if several else ""


def _under(kind: str | None) -> str:
    return KIND_WORDS.get(kind or "unknown", f"{kind} load")


def _peak_place(found: Heatmap, peak: Cell) -> str:
    """ " at " and where the peak is, without its chips, and its lengths where both are stated."""
    best = peak.facts[0]
    told = {"accelerators"} if best.isl is None or best.osl is None else {"accelerators", "isl", "osl"}
    flat = {axis for axis, part in ((found.x, "x"), (found.y, "y")) if len(found.values(part)) < 2}
    told |= flat & {"tp"}
    words = [_at(found, axis, peak) for axis in (found.x, found.y) if axis not in told]
    loads = {key: getattr(best, key) for key in LOAD_AXES if key not in (found.x, found.y)}
    words += [setting(key, value) for key, value in loads.items() if value is not None]
    return f" at {joined(words)}" if words else ""


def _falls_off(found: Heatmap, peak: Cell) -> tuple[str, Cell | None]:
    """How the metric falls from the peak to the worst cell of its panel, and that cell where it is named."""
    same = found.panels[peak.panel]
    if len(same) == 1:
        return f", the only cell with a value{' in its panel' if len(found.measured) > 1 else ''}", None
    worst, lower = found.best(same, worst=True), found.better == "lower"
    at, low, high = place(found, worst), *sorted((peak.value or 0.0, worst.value or 0.0))
    some = flagged(worst.flag_kinds)
    if low <= 0:
        return f"; at {at} it is {quantity(worst.value, found.metric)}{some}", worst
    ratio = high / low
    if is_tie(ratio):
        return " and stays within 1 % of it in every cell", None
    much = f"{number(ratio)} times" if ratio >= 2 else share(ratio - 1 if lower else 1 - 1 / ratio)
    return f"; at {at} it is {much} {'higher' if lower else 'lower'}{some}", worst


def _other_kinds(found: Heatmap, peak: Cell) -> Iterator[Statement]:
    """The best value under each other load kind that beats the grid's peak."""
    lower, own = found.better == "lower", peak.value or 0.0
    better = [(best, value) for best, value in found.other_kinds if value != own and (value < own) == lower]
    if found.row.direction == "neutral" or not better:
        return
    listed = []
    for best, value in better:
        loads = [setting(key, getattr(best, key)) for key in LOAD_AXES if getattr(best, key) is not None]
        inside = ", ".join([hardware_words(best.row), *loads])
        under = f"under {_under(best.load_kind)} ({inside}){flagged(best.flag_kinds)}"
        listed.append(f"{quantity(value, found.metric)} {under}")
    text = f"{'Lower' if lower else 'Higher'} under another load kind, not in this grid: {joined(listed)}."
    yield finding("other_kinds", text, [best.point_id for best, _ in better])


def _panel_peaks(found: Heatmap) -> Iterator[Statement]:
    """The best of each panel, the best panel first."""
    if found.panel is None or len(found.panels) < 2:
        return
    bests = [found.best(cells) for cells in found.panels.values()]
    bests.sort(key=lambda cell: cell.value or 0.0, reverse=found.better == "higher")
    listed = [f"{setting(found.panel, cell.panel)} {number(cell.value)} at {place(found, cell)}"
              f"{flagged(cell.flag_kinds)}" for cell in bests[:LISTED]]  # fmt: skip
    more = f"; {len(bests) - LISTED} more" if len(bests) > LISTED else ""
    ids = [one for cell in bests[:LISTED] for one in cell.ids]
    yield finding("panels", f"Best by {axis_words(found.panel)}: {'; '.join(listed)}{more}.", ids)


def _slope(found: Heatmap, axis: str) -> Iterator[Statement]:
    """The steepest fall along an axis over all lines of cells that differ in nothing else."""
    along, across, other = ("x", "y", found.y) if axis == found.x else ("y", "x", found.x)
    lines: dict[tuple[Any, float], list[Cell]] = {}
    for cell in found.measured:
        lines.setdefault((cell.panel, getattr(cell, across)), []).append(cell)
    at = [[getattr(cell, along) for cell in line] for line in lines.values()]
    values = [[cell.value or 0.0 for cell in line] for line in lines.values()]
    changes = [steepest(*one, found.better) for one in zip(at, values, strict=True)]
    told = [(change, line) for change, line in zip(changes, lines.values(), strict=True) if change]
    if not told:
        return
    change, line = max(told, key=lambda one: one[0].per_doubling)
    ends = [cell for cell in line if getattr(cell, along) in (change.start, change.end)]
    fixed = _at(found, other, line[0], whole=True) if len(found.values(across)) > 1 else ""
    where = f"{fixed}{_in_panel(found, line[0])}".lstrip(", ")
    plus = "+" if axis in found.doublings else ""
    span = f"from {number(change.start)}{plus} to {number(change.end)}{plus}{f' ({where})' if where else ''}"
    if change.per_doubling <= 1 or is_tie(change.per_doubling):
        gain = number(1 / change.per_doubling)
        said = f"never gets worse; its least gain is {gain} times per doubling, {span}"
    else:
        verb = "rises" if found.better == "lower" else "falls"
        said = f"{verb} most steeply {span}: {number(change.per_doubling)} times per doubling"
    text = f"Along {axis_words(axis)} it {said}{flagged(kind for cell in ends for kind in cell.flag_kinds)}."
    ids = [one for cell in ends for one in cell.ids]
    yield finding("slope", text, ids, axis=axis, per_doubling=change.per_doubling)


def _coverage(found: Heatmap) -> Statement:
    """How many cells of the grid have a value, and what is in the others."""
    across, up, panels = (len(found.values(part)) for part in ("x", "y", "panel"))
    whole, many = across * up * panels, len(found.measured)
    states = Counter(cell.state for cell in found.cells)
    shape = f"{across} x {up}" + (f" in {panels} panels" if panels > 1 else "")
    has = f"{'has' if many == 1 else 'have'} {'values on both sides' if found.ratio else 'a value'}"
    words = [f"{many:,} of the {whole:,} cells ({shape}) {has} ({share(many / whole)})"]
    lacking = [(states[state], what) for state, (_, what) in WITHOUT_VALUE.items()]
    for count, what in (*lacking, (whole - len(found.cells), "no point")):
        words += [f"{count:,} {'holds' if count == 1 else 'hold'} {what}"] * (count > 0)
    return finding("cells", f"{joined(words, at_most=9)}.", measured=many, cells=whole)
