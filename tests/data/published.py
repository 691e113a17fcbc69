"""What the recipes make, row by row, as the tests look at it."""

from __future__ import annotations

import csv
from functools import cache

from data.recipes import recipes
from data.recipes.tables import Table


@cache
def shipped() -> dict[str, Table]:
    return {table.stem: table for recipe in recipes() if hasattr(recipe, "tables") for table in recipe.tables()}


@cache
def rows(stem: str) -> tuple[dict[str, str], ...]:
    """The table's rows as its CSV holds them."""
    return tuple(csv.DictReader(shipped()[stem].csv().splitlines()))


def only(stem: str, **where: str) -> dict[str, str]:
    found = [row for row in rows(stem) if all(row[key] == value for key, value in where.items())]
    assert len(found) == 1, f"{len(found)} rows of {stem} with {where}"
    return found[0]
