"""What a heatmap's answer says: the peak and how it falls off, or what one side of a ratio is to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from bench import flags
from bench.basis import evidence, limits
from bench.basis.evidence import Ranking
from bench.basis.points import Facts
from bench.basis.statement import Statement, caveat, finding, headline
from bench.basis.wording import flagged, is_tie
from bench.chart import hardware_words, setting, title, value_label
from bench.maths.grid import steepest, verdict
from bench.questions.heatmap.grid import KIND_WORDS, LIKE_LOADS
from bench.questions.heatmap.result import Cell, Heatmap
from bench.wording import counted, inline, is_or_are, joined, lowered, number, quantity, share

LISTED = 6
"""A sentence lists up to this many panels."""

LONGEST = 25
"""A headline has at most so many words; what does not fit is a finding."""


def told(found: Heatmap, ranking: Ranking, deciding: evidence.Deciding) -> Iterator[Statement]:
    """Headline, findings and caveats."""
    peak = found.peak
    if peak is None:
        yield headline("no_value", nothing(found))
    elif found.ratio is not None:
        yield from _of_ratio(found, peak)
    else:
        yield from _of_peak(found, peak, deciding)
    yield from evidence.left_out(found.tally)
    if peak is not None:
        yield from _caveats(found, ranking)


def _of_peak(found: Heatmap, peak: Cell, deciding: evidence.Deciding) -> Iterator[Statement]:
    assert peak.best is not None
    verb = {"higher": "peaks at", "lower": "is best at", "neutral": "reaches"}[found.row.direction]
    value = quantity(peak.value, found.metric).removesuffix("/accelerator")
    lead = f"{_kind_before(found)}{subject(peak.best)} {verb} {value} {inline(found.row)} at {_peak_place(found, peak)}"
    lead += f"{flagged(peak.flag_kinds)}{deciding.words}"
    fall = _falls_off(found, peak)
    whole = len(f"{lead}{fall}".split()) <= LONGEST
    ids = [one.point_id for one in peak.facts]
    yield headline("peak", f"{lead}{fall if whole else ''}.", ids, value=peak.value, x=peak.x, y=peak.y)
    if fall and not whole:
        yield finding("falls_off", f"{fall.lstrip(';, ')[:1].upper()}{fall.lstrip(';, ')[1:]}.", ids)
    yield from _other_kinds(found)
    yield from _without_flags(found)
    yield from _panel_peaks(found)
    for axis in (found.x, found.y):
        yield from _slope(found, axis)
    yield _coverage(found)


def _caveats(found: Heatmap, ranking: Ranking) -> Iterator[Statement]:
    if ranking.limits:
        yield caveat("limits", f"Only points with {limits.words(ranking.limits)} fill a cell.")
    for axis in found.doublings:
        yield caveat(
            "doublings",
            f"{axis_words(axis).capitalize()} has too many values for an axis and is cut into doublings.",
        )
    if found.undrawn:
        many = len(found.undrawn)
        text = f"{counted(many, 'panel')} with fewer cells not drawn for want of room, but in the table."
        yield caveat("undrawn", text, panels=many)
    kinds = Counter(kind for cell in found.cells for kind in flags.telling(cell.flag_kinds))
    if kinds:
        listed = joined(
            [f"{kind} ({counted(cells, 'cell')})" for kind, cells in kinds.items()], at_most=LISTED
        )
        yield caveat("flags", f"Best points are flagged: {listed}.", flagged=sum(kinds.values()))


def _of_ratio(found: Heatmap, largest: Cell) -> Iterator[Statement]:
    assert found.ratio is not None
    a, b = _sides(found)
    values = sorted(cell.value or 0.0 for cell in found.compared)
    middle, low, high = median(values), number(values[0]), number(values[-1])
    loads = (
        " at like loads" if found.apart else "" if found.compared[0].alike else ", each at its own best load"
    )
    what = f"{inline(found.row)} of {a} is {number(middle)} times that of {b}"
    if len(values) == 1:
        text = f"{what} in the one cell both have{loads}"
    else:
        reach = f", from {low} to {high}" if low != high else ""
        text = f"{what} in the median of {counted(len(values), 'shared cell')}{loads}{reach}"
    kinds = [kind for cell in found.compared for kind in cell.flag_kinds]
    some = flagged(kinds) if all(cell.flag_kinds for cell in found.compared) else ""
    ids = [one.point_id for cell in found.compared for one in cell.facts]
    yield headline(
        "ratio", f"{text[:1].upper()}{text[1:]}{some}.", ids, median=middle, low=values[0], high=values[-1]
    )
    yield _ahead(found, largest)
    alone = found.states()
    parts = [
        f"{name} in {counted(alone[state], 'cell')}"
        for name, state in ((found.ratio.a, "only a"), (found.ratio.b, "only b"))
        if alone[state]
    ]
    if parts:
        yield finding("one_sided", f"Measured on one side only, so not divided: {joined(parts)}.")
    yield _coverage(found)
    if found.ratio.confounded:
        words = joined([one.words for one in found.ratio.confounded])
        yield caveat(
            "confounded", f"Every cell compares unlike {words}, so the ratio is of both together.",
            share=1.0, facts=len(found.ratio.confounded),
        )  # fmt: skip
    yield from _unlike_loads(found)


def _sides(found: Heatmap) -> tuple[str, str]:
    """The two sides in words, with what differs between them in every cell: "FP8 on H200 SXM", "FP16 on A100"."""
    assert found.ratio is not None
    a, b = [found.ratio.a], [found.ratio.b]
    for one in found.ratio.confounded:
        if len(one.a) == 1 and len(one.b) == 1:
            word = {"accelerator": "on ", "engine": "by "}.get(one.fact.key, "with ")
            a.append(word + one.a[0])
            b.append(word + one.b[0])
    return " ".join(a), " ".join(b)


def _ahead(found: Heatmap, largest: Cell) -> Statement:
    """In how many cells each side is ahead, how many are a tie, and where the ratio is largest."""
    assert found.ratio is not None
    verdicts = Counter(verdict(cell.value or 0.0, found.better) for cell in found.compared)
    named = ((found.ratio.a, verdicts["a"]), (found.ratio.b, verdicts["b"]))
    leads = [f"{name} in {counted(many, 'cell')}" for name, many in named if many]
    words = [f"Ahead{' at like loads' if found.apart else ''}: {joined(leads)}"] if leads else []
    if verdicts["tie"]:
        words.append(f"{'a' if words else 'A'} tie within 1 %: {counted(verdicts['tie'], 'cell')}")
    if len(found.compared) > 1:
        words.append(f"largest ratio at {place(found, largest)}{_in_panel(found, largest)}")
    return finding("ahead", f"{'; '.join(words)}.", a=verdicts["a"], b=verdicts["b"], ties=verdicts["tie"])


def _unlike_loads(found: Heatmap) -> Iterator[Statement]:
    """In how many cells the two sides' bests were measured at different loads."""
    unlike = [cell for cell in found.measured if not cell.alike]
    if unlike:
        drawn = (
            "; those are drawn without colour and left out of the median and the range" if found.apart else ""
        )
        of = f"{len(unlike):,} of {counted(len(found.measured), 'cell')}"
        text = f"Each side is at its own best load, not the same one in {of}{drawn}."
        yield caveat("unlike_loads", text, cells=len(unlike))


def nothing(found: Heatmap) -> str:
    """Why no cell has a value, and what to do."""
    tally, axes = found.tally, joined([axis_words(axis) for axis in (found.x, found.y)])
    if not tally.selected:
        return "Nothing is selected."
    if found.ratio is not None and tally.used:
        return (
            f"{found.ratio.a} and {found.ratio.b} share no cell of this grid, so there is nothing to divide."
        )
    about = counted(tally.selected, "selected point")
    if tally.of("other_evidence") == tally.selected:
        return f"None of the {about} was measured; ask for their evidence to see them."
    if tally.of("beyond_limit") or tally.of("unknown_limit"):
        return f"None of the {about} is known to keep the limits; ease them."
    if tally.of("no_metric") or tally.of("failed"):
        return f"None of the {about} on this grid has {inline(found.row)}; choose another metric."
    return f"None of the {about} that may be ranked states {axes}; choose other axes, or see the Data page."


def subject(best: Facts) -> str:
    """Model, precision and chips of a winner."""
    hardware = best.hardware.replace(" x ", " ")
    model = value_label("model", best.model) if best.model else "The selection"
    if best.precision:
        model += f" {best.precision.upper()}"
    return f"{model} on {hardware}" if hardware else model


def place(found: Heatmap, cell: Cell) -> str:
    """A cell's place on the two axes: "1,024/128", "concurrency 64 and 8 chips"."""
    if _are_lengths(found):
        isl, osl = (cell.x, cell.y) if found.x == "isl" else (cell.y, cell.x)
        return f"{number(isl)}/{number(osl)}"
    return joined([_at(found, found.x, cell.x), _at(found, found.y, cell.y)])


def axis_words(column: str) -> str:
    """A column inside a sentence: "input length"."""
    return lowered(title(column).split(" (")[0])


def _are_lengths(found: Heatmap) -> bool:
    """Whether the axes are input and output length, each as it was measured."""
    return {found.x, found.y} == {"isl", "osl"} and not found.doublings


def _at(found: Heatmap, axis: str, value: float) -> str:
    """A value of an axis in words; a doubling by its ends."""
    if axis in found.doublings and value > 0:
        return setting(axis, f"{number(value)} to {number(2 * value)}")
    return setting(axis, value)


def _in_panel(found: Heatmap, cell: Cell) -> str:
    several = found.panel is not None and len(found.panels) > 1
    return f", {setting(found.panel or '', cell.panel)}" if several else ""


def _kind_before(found: Heatmap) -> str:
    """The load kind that a sentence is about, where ranked points under others are left out."""
    if found.load_kind is None or not found.tally.of("other_kind"):
        return ""
    return f"Under {_kind(found.load_kind)}, "


def _kind(kind: str | None) -> str:
    return KIND_WORDS.get(kind or "", f"{kind} load")


def _peak_place(found: Heatmap, peak: Cell) -> str:
    """The place of the peak, its load and lengths; the chips are left to the subject."""
    assert peak.best is not None
    axes = {found.x: peak.x, found.y: peak.y}
    lengths = _are_lengths(found)
    words = [f"{place(found, peak)} tokens in/out"] if lengths else []
    isl, osl = peak.best.isl, peak.best.osl
    if not lengths and isl is not None and osl is not None:
        words.append(f"{number(isl)}/{number(osl)} tokens in/out")
        axes = {axis: value for axis, value in axes.items() if axis not in ("isl", "osl")}
    if not lengths:
        words += [_at(found, axis, value) for axis, value in axes.items() if axis != "accelerators"]
    loads = {key: getattr(peak.best, key) for key in LIKE_LOADS[1:] if key not in (found.x, found.y)}
    return joined([*words, *(setting(key, value) for key, value in loads.items() if value is not None)])


def _falls_off(found: Heatmap, peak: Cell) -> str:
    same = found.panels[peak.panel]
    if len(same) == 1:
        return f", the only {found.filled} cell{' of its panel' if len(found.measured) > 1 else ''}"
    worst, lower = found.worst(same), found.better == "lower"
    high, low = max(peak.value or 0, worst.value or 0), min(peak.value or 0, worst.value or 0)
    where = place(found, worst)
    if low <= 0:
        return f"; at {where} it is {quantity(worst.value, found.metric)}"
    ratio = high / low
    if is_tie(ratio):
        return f" and stays within 1 % of it in every {found.filled} cell"
    if ratio >= 2:
        return f"; at {where} it is {number(ratio)} times {'higher' if lower else 'lower'}"
    return (
        f"; at {where} it is {share(ratio - 1 if lower else 1 - 1 / ratio)} {'higher' if lower else 'lower'}"
    )


def _other_kinds(found: Heatmap) -> Iterator[Statement]:
    """The best value under each other load kind that beats the grid's peak."""
    if found.peak is None or found.row.direction == "neutral":
        return
    peak, lower = found.peak.value or 0.0, found.better == "lower"
    better = [(best, value) for best, value in found.other_kinds if value != peak and (value < peak) == lower]
    listed = []
    for best, value in better:
        loads = [setting(key, getattr(best, key)) for key in LIKE_LOADS[1:] if getattr(best, key) is not None]
        inside = ", ".join([hardware_words(best.row), *loads])
        listed.append(
            f"{quantity(value, found.metric)} under {_kind(best.load_kind or 'unknown')} ({inside})"
            f"{flagged(best.flag_kinds)}"
        )
    if listed:
        text = f"{'Lower' if lower else 'Higher'} under another load kind, and not in this grid: {joined(listed)}."
        yield finding("other_kinds", text, [best.point_id for best, _ in better])


def _without_flags(found: Heatmap) -> Iterator[Statement]:
    """The best cell no flagged point won, where such a point won the best of all."""
    sound = [cell for cell in found.measured if not flags.telling(cell.flag_kinds)]
    if found.peak is None or not flags.telling(found.peak.flag_kinds) or not sound:
        return
    best = found.best(sound)
    text = f"Best without a flag: {quantity(best.value, found.metric)} at {place(found, best)}{_in_panel(found, best)}."
    yield finding("without_flags", text, [one.point_id for one in best.facts], value=best.value)


def _panel_peaks(found: Heatmap) -> Iterator[Statement]:
    if found.panel is None or len(found.panels) < 2:
        return
    bests = [found.best(cells) for cells in found.panels.values()]
    listed = [
        f"{setting(found.panel, cell.panel)} {number(cell.value)} at {place(found, cell)}{flagged(cell.flag_kinds)}"
        for cell in bests[:LISTED]
    ]
    more = f"; {len(bests) - LISTED} more" if len(bests) > LISTED else ""
    ids = [one.point_id for cell in bests[:LISTED] for one in cell.facts]
    yield finding("panels", f"Best by {axis_words(found.panel)}: {'; '.join(listed)}{more}.", ids)


def _slope(found: Heatmap, axis: str) -> Iterator[Statement]:
    """The steepest fall along an axis over all lines of cells that differ in nothing else."""
    along, across = ("x", "y") if axis == found.x else ("y", "x")
    lines: dict[tuple[Any, float], list[Cell]] = {}
    for cell in found.measured:
        lines.setdefault((cell.panel, getattr(cell, across)), []).append(cell)
    changes = [
        (change, line[0])
        for line in lines.values()
        if (
            change := steepest(
                [getattr(c, along) for c in line], [c.value or 0.0 for c in line], found.better
            )
        )
    ]
    if not changes:
        return
    change, cell = max(changes, key=lambda one: one[0].per_doubling)
    fixed = f"{_at(found, getattr(found, across), getattr(cell, across))}{_in_panel(found, cell)}"
    span = f"from {number(change.start)} to {number(change.end)} ({fixed})"
    if change.per_doubling <= 1 or is_tie(change.per_doubling):
        gain = number(1 / change.per_doubling)
        text = f"Along {axis_words(axis)} it never gets worse; its least gain is {gain} times per doubling, {span}."
    else:
        verb = "rises" if found.better == "lower" else "falls"
        steep = f"{number(change.per_doubling)} times per doubling"
        text = f"Along {axis_words(axis)} it {verb} most steeply {span}: {steep}."
    yield finding("slope", text, axis=axis, per_doubling=change.per_doubling)


def _coverage(found: Heatmap) -> Statement:
    across, up, panels = found.sizes()
    whole, states = across * up * panels, found.states()
    shape = f"{across} x {up}" + (f" in {panels} panels" if panels > 1 else "")
    many = states["measured"]
    sides = " on both sides" if found.ratio else ""
    words = [
        f"{many:,} of the {whole:,} cells ({shape}) {is_or_are(many)} {found.filled}{sides} ({share(many / whole)})"
    ]
    for state, one, several in (
        ("failed", "failed", "failed"),
        ("no metric", "holds points without the metric", "hold points without the metric"),
        ("flagged", "holds flagged points alone", "hold flagged points alone"),
        ("older run", "holds older runs alone", "hold older runs alone"),
        ("beyond the limit", "is beyond the limits", "are beyond the limits"),
    ):
        if states[state]:
            words.append(f"{states[state]:,} {one if states[state] == 1 else several}")
    if never := whole - len(found.cells):
        words.append(f"{never:,} {'holds' if never == 1 else 'hold'} no point")
    return finding("cells", f"{joined(words, at_most=9)}.", measured=many, cells=whole)


def winner(best: Facts | None, known: Sequence[str]) -> str | None:
    """What won a cell, in words, without the columns that are `known`; None where nothing did."""
    if best is None:
        return None
    left = set(known) if {"isl", "osl"} <= set(known) else set(known) - {"isl", "osl"}
    return best.words(left)
