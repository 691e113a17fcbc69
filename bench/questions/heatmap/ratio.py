"""What a heatmap of ratios says: how one side compares with the other, who is ahead where, and what has one side."""

from __future__ import annotations

from collections import Counter
from statistics import median

from bench.chart import setting
from bench.maths.grid import Verdict, verdict
from bench.questions.heatmap.told import Cell, Told, place
from bench.records import LOAD_AXES
from bench.wording import counted, inline, joined, number


def headline(told: Told) -> str:
    """The median of the ratio over the cells both sides have, and its range; starts with a small letter.

    Cells of flagged points and, where others are at like loads, cells at unlike loads are kept out of both.
    """
    a, b = told.sides or ("", "")
    values = sorted(cell["value"] for cell in told.compared)
    low, high = number(values[0]), number(values[-1])
    start = f"{inline(told.metric)} of {a} is"
    loads = (
        " at like loads" if told.apart else "" if told.at_like_loads else ", each side at its own best load"
    )
    if len(values) == 1:
        middle = f"{start} {high} times that of {b} in the one cell both have{loads}"
    else:
        found = f"the median of {len(values):,} shared cells{loads}"
        middle = f"{start} {number(median(values))} times that of {b} in {found}"
        middle += f", from {low} to {high}" if low != high else ""
    left_out = len(told.apart)
    return (
        f"{middle}; {left_out:,} more {'compares' if left_out == 1 else 'compare'} unlike loads."
        if left_out
        else f"{middle}."
    )


def ahead(told: Told) -> str:
    """In how many cells each side is ahead, how many are a tie, and where the ratio is largest."""
    a, b = told.sides or ("", "")
    verdicts = Counter(verdict(cell["value"], told.grid.better) for cell in told.compared)
    leads = [f"{name} in {counted(verdicts[side], 'cell')}" for name, side in _named(a, b) if verdicts[side]]
    words = [f"Ahead{' at like loads' if told.apart else ''}: {joined(leads)}"] if leads else []
    if verdicts["tie"]:
        words.append(f"{'a' if words else 'A'} tie within 1 %: {counted(verdicts['tie'], 'cell')}")
    if len(told.compared) > 1:
        largest = told.best(told.compared)
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
    unlike = [cell for cell in told.measured if not cell["like_loads"]]
    for cell in unlike:
        for axis in LOAD_AXES:
            a, b = cell[f"{axis}_a"], cell[f"{axis}_b"]
            if a and b and a != b:
                apart.append((max(a / b, b / a), cell, f"{setting(axis, a)} against {number(b)}"))
    if not unlike:
        return ""
    start = (
        f"Each side is at its own best load, not the same one in {len(unlike):,} of"
        f" {counted(len(told.measured), 'cell')}"
    )
    drawn = "; those are drawn without colour and left out of the median and the range" if told.apart else ""
    if not apart:
        return f"{start}{drawn}."
    _, cell, loads = max(apart, key=lambda found: found[0])
    where = (
        f"{place(told, cell)}, {setting(told.grid.panel, cell['panel'])}"
        if told.grid.panel
        else place(told, cell)
    )
    return f"{start}: {loads} at {where}{drawn}."


def _named(a: str, b: str) -> tuple[tuple[str, Verdict], tuple[str, Verdict]]:
    return (a, "a"), (b, "b")
