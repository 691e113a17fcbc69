"""A heatmap's rows: the state and winner of each cell, and both sides of a ratio's cell in one row."""

from __future__ import annotations

import pandas as pd

from bench.library import Library
from bench.maths.grid import ratios
from bench.questions.heatmap import grid as grids
from bench.questions.heatmap import sentences
from bench.questions.heatmap.grid import Census, Grid, cell_id, plain, records
from bench.questions.heatmap.told import MEASURED
from bench.records import LOAD_AXES
from bench.view import View

FIRST = ("cell", "panel", "x", "y", "value", "state", "points", "point_id", "winner")
OF_BOTH_SIDES = ("point_id", "winner", "flags", "load_kind", *LOAD_AXES)


def rows(library: Library, whole: View, grid: Grid, count: Census) -> pd.DataFrame:
    """One row for each cell some point lies in, as the question's `rows` describes them."""
    found = grids.cells(library, whole, grid, count)
    found["panel"] = pd.Series([plain(value) for value in found["panel"]], index=found.index, dtype=object)
    known = {column for column in ("model", "precision") if found[column].nunique(dropna=False) == 1}
    found["winner"] = [sentences.winner(row, {grid.x, grid.y, *known}) for row in records(found)]
    if grid.sides is not None:
        found = _divided(found)
    else:
        found["state"] = _state(found)
    ids = [cell_id(*place) for place in zip(found["panel"], found["x"], found["y"], strict=True)]
    found.insert(0, "cell", ids)
    first = [column for column in FIRST if column in found]
    return found[
        [*first, *(column for column in found.columns if column not in {*first, "side", "measured"})]
    ]


def _state(found: pd.DataFrame) -> pd.Series:
    state = pd.Series("no metric", index=found.index, dtype=object)
    return state.mask(found["failed"] > 0, "failed").mask(found["value"].notna(), MEASURED)


def _divided(found: pd.DataFrame) -> pd.DataFrame:
    """Both sides' rows of a cell in one, with their ratio."""
    kept = ["panel", "x", "y", "value", "points", "failed", *OF_BOTH_SIDES]
    place = found["panel"].map(repr)
    halves = [found.assign(place=place).loc[found["side"] == side, [*kept, "place"]] for side in ("a", "b")]
    both = halves[0].merge(halves[1], on=["place", "x", "y"], how="outer", suffixes=("_a", "_b"))
    merged = pd.DataFrame({"panel": both["panel_a"].where(both["points_a"].notna(), both["panel_b"]),
                           "x": both["x"], "y": both["y"], "value": ratios(both["value_a"], both["value_b"]),
                           "points": both[["points_a", "points_b"]].sum(axis=1).astype(int)})  # fmt: skip
    merged["failed"] = both[["failed_a", "failed_b"]].sum(axis=1).astype(int)
    merged["state"] = _state(merged)
    has_a, has_b = both["value_a"].notna(), both["value_b"].notna()
    merged["state"] = merged["state"].mask(has_a & ~has_b, "only a").mask(has_b & ~has_a, "only b")
    merged["a"], merged["b"] = both["value_a"], both["value_b"]
    for column in OF_BOTH_SIDES:
        merged[f"{column}_a"], merged[f"{column}_b"] = both[f"{column}_a"], both[f"{column}_b"]
    merged["like_loads"] = _are_alike(both).where(has_a & has_b, None)
    merged["panel"] = pd.Series([plain(name) for name in merged["panel"]], index=merged.index, dtype=object)
    places = list(zip(merged["panel"], merged["y"], merged["x"], strict=True))
    order = sorted(range(len(places)), key=lambda row: (places[row][0] is None, *places[row]))
    return merged.iloc[order].reset_index(drop=True)


def _are_alike(both: pd.DataFrame) -> pd.Series:
    """Whether both sides were measured under the same load: of one kind and at one level, or neither states it."""
    alike = pd.Series(True, index=both.index)
    for column in ("load_kind", *LOAD_AXES):
        a, b = both[f"{column}_a"], both[f"{column}_b"]
        alike &= ((a == b) | (a.isna() & b.isna())).fillna(False).astype(bool)
    return alike.astype(object)
