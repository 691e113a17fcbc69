"""What a heatmap's answer says: the peak and how it falls off, who leads cell by cell, and what was left out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any

from bench import catalogue
from bench.catalogue import Metric
from bench.cells import Census, Grid
from bench.chart import deployment_words, hardware_words, setting, title, value_label, workload_words
from bench.maths.grid import TIE, Verdict, steepest, verdict
from bench.records import LOAD_AXES
from bench.wording import counted, joined, number, quantity, share

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

Cell = Mapping[str, Any]


@dataclass(frozen=True)
class Told:
    """What the sentences are about: the grid, its cells as charted, the census, and a ratio's two sides by name."""

    grid: Grid
    cells: Sequence[Cell]
    count: Census
    sides: tuple[str, str] | None = None
    ratio_by: str | None = None
    hidden_panels: int = 0

    @cached_property
    def measured(self) -> list[Cell]:
        """The cells with a value."""
        return [cell for cell in self.cells if cell["state"] == "measured"]

    @cached_property
    def panels(self) -> dict[Any, list[Cell]]:
        """The measured cells of each panel that has some."""
        panels: dict[Any, list[Cell]] = {}
        for cell in self.measured:
            panels.setdefault(cell["panel"], []).append(cell)
        return panels

    @cached_property
    def peak(self) -> Cell | None:
        """The best cell (the largest ratio, in a ratio); None when nothing has a value."""
        return self.best(self.measured) if self.measured else None

    def best(self, cells: Sequence[Cell]) -> Cell:
        """The best of these cells by the metric's direction; of a ratio, the largest."""
        return self._extreme(cells, lowest=self.grid.better == "lower" and self.sides is None)

    def worst(self, cells: Sequence[Cell]) -> Cell:
        """The worst of these cells by the metric's direction."""
        return self._extreme(cells, lowest=self.grid.better == "higher")

    @staticmethod
    def _extreme(cells: Sequence[Cell], *, lowest: bool) -> Cell:
        return (min if lowest else max)(cells, key=lambda cell: cell["value"])

    def states(self) -> Counter[str]:
        """How many cells are in each state."""
        return Counter(cell["state"] for cell in self.cells)

    def sizes(self) -> tuple[int, int, int]:
        """How many values x, y and the panel have."""
        across, up, panels = ({cell[key] for cell in self.cells} for key in ("x", "y", "panel"))
        return len(across), len(up), len(panels)


def headline(told: Told) -> str:
    """The peak, its condition and how it falls off; for a ratio, the range of it."""
    peak = told.peak
    if peak is None:
        return _nothing(told)
    if told.sides is not None:
        return _ratio_headline(told)
    verb = {"higher": "peaks at", "lower": "is best at", "neutral": "reaches"}[_metric(told).direction]
    value = f"{quantity(peak['value'], told.grid.metric)} {_metric_words(told)}"
    return f"{_subject(peak)} {verb} {value} at {_peak_place(told, peak)}{_falls_off(told, peak)}."


def findings(told: Told) -> tuple[str, ...]:
    """The panels' peaks, the steepest fall along each axis, and how much of the grid is measured."""
    if told.peak is None:
        return ()
    if told.sides is not None:
        sentences = [_leads(told), _one_sided(told), _coverage(told)]
    else:
        sentences = [_panel_peaks(told), _slope(told, "x"), _slope(told, "y"), _coverage(told)]
    return tuple(sentence for sentence in sentences if sentence)


def caveats(told: Told) -> tuple[str, ...]:
    """What is mixed, what was left out and how many, and what the winners are flagged for."""
    grid, count = told.grid, told.count
    sentences = [_mixture(told)]
    for points, why in (
        (count.unplaced, f"without {_axis(grid.x)} or {_axis(grid.y)}"),
        (count.no_metric, f"without {_metric_words(told)}"),
        (count.other_evidence, "that were not measured"),
    ):
        if points:
            sentences.append(f"{counted(points, 'point')} {why} {_is(points)} left out.")
    if count.other_kinds:
        others = sum(count.other_kinds.values())
        kinds = joined([_kind(kind) for kind in count.other_kinds])
        sentences.append(
            f"Only points under {_kind(count.kind)} are shown; {counted(others, 'point')} under {kinds}"
            f" {_is(others)} left out."
        )
    for axis in sorted(count.coarse):
        sentences.append(
            f"{_axis(axis).capitalize()} has too many values for an axis and is cut into doublings."
        )
    if told.hidden_panels:
        sentences.append(
            f"Not drawn for want of room: {counted(told.hidden_panels, 'panel')} with fewer cells."
        )
    return tuple(sentence for sentence in (*sentences, _flagged(told)) if sentence)


def winner(row: Cell, grid: Grid) -> str | None:
    """What won a cell, in words: model, hardware and layout, engine and version, variant, what the axes do not say.

    None when nothing won.
    """
    if row["point_id"] is None:
        return None
    stated = {key: value for key, value in row.items() if key not in (grid.x, grid.y)}
    return ", ".join(words for words in (deployment_words(stated), workload_words(stated)) if words)


def _nothing(told: Told) -> str:
    grid, count = told.grid, told.count
    selected = (
        f"None of the {counted(count.selected, 'selected point')}"
        if count.selected != 1
        else "The one selected point"
    )
    if not count.selected:
        return "Nothing is selected."
    if count.other_evidence == count.selected:
        return f"{selected} was measured; ask for their evidence to see them."
    if not count.used + count.no_metric:
        return f"{selected} states both {_axis(grid.x)} and {_axis(grid.y)}; choose other axes."
    if told.sides is not None and count.used:
        return (
            f"{told.sides[0]} and {told.sides[1]} share no cell of this grid, so there is nothing to divide."
        )
    points = counted(count.no_metric, "point")
    return f"None of the {points} on this grid has {_metric_words(told)}; choose another metric."


def _subject(cell: Cell) -> str:
    hardware = hardware_words({**cell, "tp": None, "pp": None, "dp": None, "ep": None}).replace(" x ", " ")
    model = value_label("model", cell["model"]) if cell["model"] else "The selection"
    return f"{model} on {hardware}" if hardware else model


def _peak_place(told: Told, peak: Cell) -> str:
    """The place of the peak and its load; the chips are left to the subject."""
    grid = told.grid
    if _are_lengths(told):
        words = [f"{_place(told, peak)} tokens in/out"]
    else:
        words = [
            _at(told, getattr(grid, axis), peak[axis])
            for axis in "xy"
            if getattr(grid, axis) != "accelerators"
        ]
    words += [
        setting(key, peak[key]) for key in LOAD_AXES if peak[key] is not None and key not in (grid.x, grid.y)
    ]
    return joined(words)


def _place(told: Told, cell: Cell) -> str:
    grid = told.grid
    if _are_lengths(told):
        isl, osl = (cell["x"], cell["y"]) if grid.x == "isl" else (cell["y"], cell["x"])
        return f"{number(isl)}/{number(osl)}"
    return joined([_at(told, grid.x, cell["x"]), _at(told, grid.y, cell["y"])])


def _are_lengths(told: Told) -> bool:
    return {told.grid.x, told.grid.y} == {"isl", "osl"} and not told.count.coarse


def _at(told: Told, axis: str, value: float) -> str:
    if axis in told.count.coarse and value > 0:
        return setting(axis, f"{number(value)} to {number(2 * value)}")
    return setting(axis, value)


def _falls_off(told: Told, peak: Cell) -> str:
    same = told.panels[peak["panel"]]
    if len(same) == 1:
        return f", the only measured cell{' of its panel' if len(told.measured) > 1 else ''}"
    worst, lower_is_better = told.worst(same), told.grid.better == "lower"
    high, low = max(peak["value"], worst["value"]), min(peak["value"], worst["value"])
    where, direction = _place(told, worst), "higher" if lower_is_better else "lower"
    if low <= 0:
        return f"; at {where} it is {quantity(worst['value'], told.grid.metric)}"
    ratio = high / low
    if ratio - 1 <= TIE:
        return " and stays within 1 % of it wherever it was measured"
    if ratio >= MANY_TIMES:
        return f"; at {where} it is {number(ratio)} times {direction}"
    return f"; at {where} it is {share(ratio - 1 if lower_is_better else 1 - 1 / ratio)} {direction}"


def _panel_peaks(told: Told) -> str:
    panel = told.grid.panel
    if panel is None or len(told.panels) < 2:
        return ""
    bests = [told.best(cells) for cells in told.panels.values()]
    listed = [
        f"{setting(panel, cell['panel'])} {number(cell['value'])} at {_place(told, cell)}" for cell in bests
    ]
    more = f"; {len(listed) - LISTED} more" if len(listed) > LISTED else ""
    return f"Best by {_axis(panel)}: {'; '.join(listed[:LISTED])}{more}."


def _slope(told: Told, axis: str) -> str:
    """The steepest fall along an axis over all lines of cells that differ in nothing else."""
    column, across = (told.grid.x, "y") if axis == "x" else (told.grid.y, "x")
    lines: dict[tuple[Any, float], list[Cell]] = {}
    for cell in told.measured:
        lines.setdefault((cell["panel"], cell[across]), []).append(cell)
    changes = [
        (change, line[0])
        for line in lines.values()
        if (
            change := steepest(
                [cell[axis] for cell in line], [cell["value"] for cell in line], told.grid.better
            )
        )
    ]
    if not changes:
        return ""
    change, cell = max(changes, key=lambda found: found[0].per_doubling)
    fixed = [_at(told, getattr(told.grid, across), cell[across])]
    if told.grid.panel and len(told.panels) > 1:
        fixed.append(setting(told.grid.panel, cell["panel"]))
    span = f"from {number(change.start)} to {number(change.end)} ({', '.join(fixed)})"
    if change.per_doubling <= 1 + TIE:
        gain = number(1 / change.per_doubling)
        return (
            f"Along {_axis(column)} it never gets worse; the least gain is {gain} times per doubling, {span}."
        )
    verb = "rises" if told.grid.better == "lower" else "falls"
    return f"Along {_axis(column)} it {verb} most steeply {span}: {number(change.per_doubling)} times per doubling."


def _coverage(told: Told) -> str:
    across, up, panels = told.sizes()
    whole, states = across * up * panels, told.states()
    shape = f"{across} x {up}" + (f" in {panels} panels" if panels > 1 else "")
    words = [f"{states['measured']:,} of the {whole:,} cells ({shape}) {_is(states['measured'])} measured"
             f"{' on both sides' if told.sides else ''} ({share(states['measured'] / whole)})"]  # fmt: skip
    if states["failed"]:
        words.append(f"{states['failed']:,} failed")
    if states["no metric"]:
        words.append(
            f"{states['no metric']:,} {'holds' if states['no metric'] == 1 else 'hold'} points without the metric"
        )
    if never := whole - len(told.cells):
        words.append(f"{never:,} {'was' if never == 1 else 'were'} never measured")
    return f"{joined(words)}."


def _ratio_headline(told: Told) -> str:
    a, b = told.sides or ("", "")
    values = sorted(cell["value"] for cell in told.measured)
    low, high = number(values[0]), number(values[-1])
    metric = _metric_words(told)
    start = f"{metric[:1].upper()}{metric[1:]} of {a} is"
    if len(values) == 1:
        return f"{start} {high} times that of {b} in the one cell both have."
    spread = f"{low} to {high}" if low != high else high
    over = f"over {len(values):,} shared cells, {number(median(values))} in the median"
    return f"{start} {spread} times that of {b} {over}."


def _leads(told: Told) -> str:
    a, b = told.sides or ("", "")
    verdicts = Counter(verdict(cell["value"], told.grid.better) for cell in told.measured)
    words = [
        f"{name} leads in {counted(verdicts[side], 'cell')}" for name, side in _named(a, b) if verdicts[side]
    ]
    if verdicts["tie"]:
        words.append(f"{counted(verdicts['tie'], 'cell')} {_is(verdicts['tie'])} a tie within 1 %")
    where = ""
    if told.peak and len(told.measured) > 1:
        where = f"; the ratio is largest at {_place(told, told.peak)}"
        if told.grid.panel and len(told.panels) > 1:
            where += f", {setting(told.grid.panel, told.peak['panel'])}"
    return f"{joined(words)}{where}."


def _named(a: str, b: str) -> tuple[tuple[str, Verdict], tuple[str, Verdict]]:
    return (a, "a"), (b, "b")


def _one_sided(told: Told) -> str:
    states = told.states()
    words = [
        f"{name} alone has {counted(states[f'only {side}'], 'cell')}"
        for name, side in _named(*(told.sides or ("", "")))
        if states[f"only {side}"]
    ]
    return f"{joined(words)}, not divided." if words else ""


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
    kinds = Counter(
        kind
        for cell in told.cells
        if cell.get("flags")
        for kind in sorted({flag["kind"] for flag in json.loads(cell["flags"])})
    )
    listed = [f"{kind.replace('_', ' ')} ({counted(cells, 'cell')})" for kind, cells in kinds.items()]
    return f"Some winning points are flagged: {joined(listed)}." if listed else ""


def _metric(told: Told) -> Metric:
    return catalogue.metric(told.grid.metric)


def _metric_words(told: Told) -> str:
    """The metric inside a sentence: "output throughput", "p99 TTFT", "median TPOT"."""
    name, _, statistic = _metric(told).label.partition(", ")
    return f"{statistic} {name}" if statistic else _inside(name)


def _kind(kind: str | None) -> str:
    return KIND_WORDS.get(kind or "", f"{kind} load")


def _axis(column: str) -> str:
    return _inside(title(column).split(" (")[0])


def _inside(label: str) -> str:
    """A label inside a sentence: its first letter small, unless it is an abbreviation."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
