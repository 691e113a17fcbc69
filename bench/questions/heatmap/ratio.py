"""What a heatmap of ratios says: how one side compares with the other, who is ahead where, and what has one side."""

from __future__ import annotations

from collections import Counter
from statistics import median

from bench.chart import setting
from bench.maths.grid import Verdict, verdict
from bench.questions.heatmap.told import Cell, Told, metric_words, place
from bench.records import LOAD_AXES
from bench.wording import counted, joined, number


def headline(told: Told) -> str:
    """The median of the ratio over the cells both sides have, and its range; cells of flagged points apart."""
    a, b = told.sides or ("", "")
    values = sorted(cell["value"] for cell in told.sound)
    low, high = number(values[0]), number(values[-1])
    metric = metric_words(told)
    start = f"{metric[:1].upper()}{metric[1:]} of {a} is"
    if len(values) == 1:
        return f"{start} {high} times that of {b} in the one cell both have."
    middle = (
        f"{start} {number(median(values))} times that of {b} in the median of {len(values):,} shared cells"
    )
    return f"{middle}, from {low} to {high}." if low != high else f"{middle}."


def ahead(told: Told) -> str:
    """In how many cells each side is ahead, how many are a tie, and where the ratio is largest."""
    a, b = told.sides or ("", "")
    verdicts = Counter(verdict(cell["value"], told.grid.better) for cell in told.sound)
    leads = [f"{name} in {counted(verdicts[side], 'cell')}" for name, side in _named(a, b) if verdicts[side]]
    words = [f"Ahead: {joined(leads)}"] if leads else []
    if verdicts["tie"]:
        words.append(f"{'a' if words else 'A'} tie within 1 %: {counted(verdicts['tie'], 'cell')}")
    if len(told.sound) > 1:
        largest = told.best(told.sound)
        words.append(f"largest ratio at {place(told, largest)}")
        if told.grid.panel and len(told.panels) > 1:
            words[-1] += f", {setting(told.grid.panel, largest['panel'])}"
    return f"{'; '.join(words)}."


def one_sided(told: Told) -> str:
    """In how many cells only one side has a value; empty when there are none."""
    states = told.states()
    alone = [
        f"{name} in {counted(states[f'only {side}'], 'cell')}"
        for name, side in _named(*(told.sides or ("", "")))
        if states[f"only {side}"]
    ]
    return f"Measured on one side only, so not divided: {joined(alone)}." if alone else ""


def unlike_loads(told: Told) -> str:
    """In how many cells the two sides' bests were measured at different loads, and where they differ most."""
    apart: list[tuple[float, Cell, str]] = []
    for cell in told.sound:
        for axis in LOAD_AXES:
            a, b = cell[f"{axis}_a"], cell[f"{axis}_b"]
            if a and b and a != b:
                apart.append((max(a / b, b / a), cell, f"{setting(axis, a)} against {number(b)}"))
    if not apart:
        return ""
    cells = len({id(cell) for _, cell, _ in apart})
    _, cell, loads = max(apart, key=lambda found: found[0])
    where = (
        f"{place(told, cell)}, {setting(told.grid.panel, cell['panel'])}"
        if told.grid.panel
        else place(told, cell)
    )
    return (
        f"Each side is at its own best load, not the same one in {cells:,} of {counted(len(told.sound), 'cell')}:"
        f" {loads} at {where}."
    )


def _named(a: str, b: str) -> tuple[tuple[str, Verdict], tuple[str, Verdict]]:
    return (a, "a"), (b, "b")
