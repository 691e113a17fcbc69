"""What a heatmap's answer says: the peak and how it falls off, who leads cell by cell, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from bench.chart import deployment_words, hardware_words, setting, value_label, workload_words
from bench.maths.grid import TIE, steepest
from bench.questions.heatmap import ratio
from bench.questions.heatmap.told import (
    MEASURED,
    Cell,
    Told,
    are_lengths,
    at,
    axis_words,
    flag_kinds,
    flags_in_words,
    place,
)
from bench.records import LOAD_AXES
from bench.wording import counted, inline, is_or_are, joined, number, quantity, share

LISTED = 6
"""A sentence lists up to this many panels."""

LISTED_VALUES = 4
"""Of a mixed column, up to this many values are named; more are counted."""

MANY_TIMES = 2.0
"""From this ratio on, "4.2 times lower" instead of a percentage."""

APART_DAYS = 7
"""Measurements further apart than this were not made in one run."""

WORDS = {"model": "models", "accelerator": "accelerators", "accelerators": "chip counts", "precision": "precisions",
         "engine": "engines", "engine_version": "engine versions", "speculation": "kinds of speculation",
         "isl": "input lengths", "osl": "output lengths"}  # fmt: skip
KIND_WORDS = {"saturated": "saturating load", "batch": "static batches", "scenario": "scenarios",
              "unknown": "a load that is not stated"}  # fmt: skip


def headline(told: Told) -> str:
    """The peak, its condition, what it is flagged for and how it falls off; for a ratio, the range of it.

    Of an answer in which some cell has a value.
    """
    if told.sides is not None:
        return _under_its_load(told, ratio.headline(told))
    peak = told.best(told.measured)
    verb = {"higher": "peaks at", "lower": "is best at", "neutral": "reaches"}[told.metric.direction]
    value = quantity(peak["value"], told.grid.metric).removesuffix("/accelerator")
    flags = f", a point flagged {joined(flags_in_words(peak))}" if flag_kinds(peak) else ""
    found = f"{value} {inline(told.metric)} at {_peak_place(told, peak)}{flags}"
    return _under_its_load(told, f"{_subject(peak)} {verb} {found}{_falls_off(told, peak)}.")


def findings(told: Told) -> tuple[str, ...]:
    """What is better under another load kind, the panels' peaks, the steepest falls, the coverage."""
    if told.peak is None:
        return ()
    if told.sides is not None:
        sentences = [ratio.ahead(told), ratio.one_sided(told), _coverage(told)]
    else:
        sentences = [
            _other_loads(told),
            _without_flags(told),
            _panel_peaks(told),
            _slope(told, "x"),
            _slope(told, "y"),
            _coverage(told),
        ]
    return tuple(sentence for sentence in sentences if sentence)


def caveats(told: Told) -> tuple[str, ...]:
    """What is mixed, what was left out and how many, and what the winners are flagged for."""
    grid, count = told.grid, told.count
    sentences = [ratio.unlike_loads(told) if told.sides else "", _mixture(told)]
    for points, why in (
        (count.unplaced, f"without {axis_words(grid.x)} or {axis_words(grid.y)}"),
        (count.no_metric, f"without {inline(told.metric)}"),
        (count.other_evidence, f"that {'was' if count.other_evidence == 1 else 'were'} not measured"),
    ):
        if points:
            sentences.append(f"{counted(points, 'point')} {why} {is_or_are(points)} left out.")
    if count.other_kinds:
        others = sum(count.other_kinds.values())
        kinds = joined([_kind(kind) for kind in count.other_kinds])
        sentences.append(
            f"Only points under {_kind(count.kind)} are shown; {counted(others, 'point')} under {kinds}"
            f" {is_or_are(others)} left out."
        )
    for axis in sorted(count.coarse):
        sentences.append(
            f"{axis_words(axis).capitalize()} has too many values for an axis and is cut into doublings."
        )
    if told.undrawn_panels:
        sentences.append(_undrawn(told))
    return tuple(sentence for sentence in (*sentences, _flagged(told)) if sentence)


def _undrawn(told: Told) -> str:
    """How many panels are not drawn, and the best in them."""
    start = f"Not drawn for want of room but in the table: {counted(told.undrawn_panels, 'panel')} with fewer cells"
    if not told.undrawn or told.grid.panel is None:
        return f"{start}."
    best = told.best(told.undrawn)
    where = f"{setting(told.grid.panel, best['panel'])} at {place(told, best)}"
    if told.sides is not None:
        return f"{start}; the largest ratio in them is {number(best['value'])}, {where}."
    value = quantity(best["value"], told.grid.metric)
    return f"{start}; {'its' if told.undrawn_panels == 1 else 'their'} best is {value}, {where}."


def winner(row: Cell, known: Collection[str]) -> str | None:
    """What won a cell, in words: hardware and layout, engine and version, variant, load, and all that is not `known`.

    None when nothing won.
    """
    if row["point_id"] is None:
        return None
    if not {"isl", "osl"} <= set(known):
        known = set(known) - {"isl", "osl"}
    told = {key: value for key, value in row.items() if key not in known}
    return ", ".join(words for words in (deployment_words(told), workload_words(told)) if words)


def _under_its_load(told: Told, sentence: str) -> str:
    """The sentence with the load kind it is about, where the selection holds points under others too."""
    if told.count.kind is None or not told.count.other_kinds:
        return sentence[:1].upper() + sentence[1:]
    return f"Under {_kind(told.count.kind)}, {sentence}"


def _other_loads(told: Told) -> str:
    """The best value under each other load kind that beats the grid's peak; empty when none does."""
    peak, lower = told.best(told.measured), told.grid.better == "lower"
    if told.metric.direction == "neutral":
        return ""
    better = [
        best
        for best in told.count.other_bests
        if best["value"] != peak["value"] and (best["value"] < peak["value"]) == lower
    ]
    if not better:
        return ""
    listed = []
    for best in sorted(better, key=lambda one: one["value"], reverse=not lower):
        conditions = [
            hardware_words(dict(best)),
            *(setting(key, best[key]) for key in LOAD_AXES if best[key] is not None),
        ]
        flags = joined(flags_in_words(best))
        inside = "; ".join(
            words
            for words in (", ".join(word for word in conditions if word), flags and f"flagged {flags}")
            if words
        )
        value = f"{quantity(best['value'], told.grid.metric)} under {_kind(best['load_kind'] or 'unknown')}"
        listed.append(f"{value} ({inside})" if inside else value)
    return (
        f"{'Lower' if lower else 'Higher'} under another load kind, and not in this grid: {joined(listed)}."
    )


def _without_flags(told: Told) -> str:
    """The best cell no flagged point won, where such a point won the best of all; empty elsewhere."""
    sound = told.best(told.sound)
    if not flag_kinds(told.best(told.measured)) or flag_kinds(sound):
        return ""
    where = [place(told, sound)]
    if told.grid.panel and len(told.panels) > 1:
        where.append(setting(told.grid.panel, sound["panel"]))
    return f"Best without a flag: {quantity(sound['value'], told.grid.metric)} at {', '.join(where)}."


def _subject(cell: Cell) -> str:
    """Model, precision and chips of a cell's winner."""
    hardware = hardware_words({**cell, "tp": None, "pp": None, "dp": None, "ep": None}).replace(" x ", " ")
    model = value_label("model", cell["model"]) if cell["model"] else "The selection"
    if cell["precision"]:
        model += f" {cell['precision'].upper()}"
    return f"{model} on {hardware}" if hardware else model


def _peak_place(told: Told, peak: Cell) -> str:
    """The place of the peak and its load; the chips are left to the subject."""
    grid = told.grid
    axes = (grid.x, grid.y)
    if are_lengths(told):
        words = [f"{place(told, peak)} tokens in/out"]
    else:
        words = [
            at(told, axis, peak[letter])
            for axis, letter in zip(axes, "xy", strict=True)
            if axis != "accelerators"
        ]
    words += [setting(key, peak[key]) for key in LOAD_AXES if peak[key] is not None and key not in axes]
    lengths = [key for key in ("isl", "osl") if key not in axes and peak[key] is not None]
    if len(lengths) == 2:
        words.append(f"{number(peak['isl'])}/{number(peak['osl'])} tokens in/out")
    elif not are_lengths(told):
        words += [setting(key, peak[key]) for key in lengths]
    return joined(words)


def _falls_off(told: Told, peak: Cell) -> str:
    same = told.panels[peak["panel"]]
    if len(same) == 1:
        return f", the only {told.filled} cell{' of its panel' if len(told.measured) > 1 else ''}"
    worst, lower_is_better = told.worst(same), told.grid.better == "lower"
    high, low = max(peak["value"], worst["value"]), min(peak["value"], worst["value"])
    where, direction = place(told, worst), "higher" if lower_is_better else "lower"
    if low <= 0:
        return f"; at {where} it is {quantity(worst['value'], told.grid.metric)}"
    times = high / low
    if times - 1 <= TIE:
        return f" and stays within 1 % of it in every {told.filled} cell"
    if times >= MANY_TIMES:
        return f"; at {where} it is {number(times)} times {direction}"
    return f"; at {where} it is {share(times - 1 if lower_is_better else 1 - 1 / times)} {direction}"


def _panel_peaks(told: Told) -> str:
    panel = told.grid.panel
    if panel is None or len(told.panels) < 2:
        return ""
    bests = [told.best(cells) for cells in told.panels.values()]
    listed = [
        f"{setting(panel, cell['panel'])} {number(cell['value'])} at {place(told, cell)}" for cell in bests
    ]
    more = f"; {len(listed) - LISTED} more" if len(listed) > LISTED else ""
    return f"Best by {axis_words(panel)}: {'; '.join(listed[:LISTED])}{more}."


def _slope(told: Told, axis: str) -> str:
    """The steepest fall along an axis over all lines of cells that differ in nothing else."""
    column, across = (told.grid.x, "y") if axis == "x" else (told.grid.y, "x")
    lines: dict[tuple[Any, float], list[Cell]] = {}
    for cell in told.measured:
        lines.setdefault((cell["panel"], cell[across]), []).append(cell)
    changes = []
    for line in lines.values():
        change = steepest([cell[axis] for cell in line], [cell["value"] for cell in line], told.grid.better)
        if change is not None:
            changes.append((change, line[0]))
    if not changes:
        return ""
    change, cell = max(changes, key=lambda found: found[0].per_doubling)
    fixed = [at(told, getattr(told.grid, across), cell[across])]
    if told.grid.panel and len(told.panels) > 1:
        fixed.append(setting(told.grid.panel, cell["panel"]))
    span = f"from {number(change.start)} to {number(change.end)} ({', '.join(fixed)})"
    if change.per_doubling <= 1 + TIE:
        gain = number(1 / change.per_doubling)
        return f"Along {axis_words(column)} it never gets worse; its least gain is {gain} times per doubling, {span}."
    verb = "rises" if told.grid.better == "lower" else "falls"
    times = number(change.per_doubling)
    return f"Along {axis_words(column)} it {verb} most steeply {span}: {times} times per doubling."


def _coverage(told: Told) -> str:
    across, up, panels = told.sizes()
    whole, states = across * up * panels, told.states()
    shape = f"{across} x {up}" + (f" in {panels} panels" if panels > 1 else "")
    found = states[MEASURED]
    sides = " on both sides" if told.sides else ""
    words = [
        f"{found:,} of the {whole:,} cells ({shape}) {is_or_are(found)} {told.filled}{sides} ({share(found / whole)})"
    ]
    if states["failed"]:
        words.append(f"{states['failed']:,} failed")
    if states["no metric"]:
        words.append(
            f"{states['no metric']:,} {'holds' if states['no metric'] == 1 else 'hold'} points without the metric"
        )
    if never := whole - len(told.cells):
        words.append(f"{never:,} {'holds' if never == 1 else 'hold'} no point")
    return f"{joined(words)}."


def _mixture(told: Told) -> str:
    """What a cell may choose among, where the selection has several."""
    several = []
    for column, values in told.count.mixed.items():
        if told.sides is None or column != told.ratio_by:
            listed = (
                f" ({joined([value_label(column, v) for v in values])})"
                if len(values) <= LISTED_VALUES
                else ""
            )
            several.append(f"{counted(len(values), '', WORDS[column])}{listed}")
    first, last = told.count.dates
    if first and last and (last - first).days > APART_DAYS:
        several.append(f"measurements from {first} to {last}")
    return f"One cell may choose among {joined(several, at_most=9)}." if several else ""


def _flagged(told: Told) -> str:
    kinds = Counter(kind for cell in told.cells for kind in flags_in_words(cell))
    listed = [f"{kind} ({counted(cells, 'cell')})" for kind, cells in kinds.items()]
    if not listed:
        return ""
    left_out = len(told.measured) - len(told.sound)
    apart = (
        f"; the range above leaves {counted(left_out, 'such cell')} out" if told.sides and left_out else ""
    )
    return f"Some {'points' if told.sides else 'winning points'} are flagged: {joined(listed)}{apart}."


def _kind(kind: str | None) -> str:
    return KIND_WORDS.get(kind or "", f"{kind} load")
