"""What a link to the Data page asks for beside the filters: a table, its search and order, and what is opened."""

from __future__ import annotations

import re

from bench import catalogue
from bench.errors import UnknownName, UsageError
from bench.formats.journal import SWEEP_ID
from bench.library import ledger
from bench.library.columns import IDENTITY
from bench.library.store import SHORT_ID, SOURCE_ID
from bench.view import View

TABS = ("sources", "points", "passports", "scores", "prices", "refusals", "hidden", "changes", "audit")
OPTIONS = ("tab", "search", "tag", "sort", "page", "source_id", "point_id", "correct")
UNFOLDED = "yes"
"""The value of `correct` in a link to a point whose form for hiding and correcting stands open."""

SOURCE_ORDERS = ("title", "points", "scores", "refusals", "first_date", "last_date", "imported", "format", "licence")
POINT_ORDERS = ("source", "date", "model", "precision", "accelerator", "accelerators", "engine",
                "engine_version", "tp", "isl", "osl", "load_kind", "concurrency", "request_rate", "batch", "harness",
                "evidence")  # fmt: skip
SOURCES_FIRST, POINTS_FIRST = "-points", "source"
"""How each table is sorted unless asked otherwise; a hyphen says that the largest comes first."""

PAGE = re.compile(r"[1-9][0-9]{0,6}")


def check(key: str, value: str) -> None:
    """Raise UsageError, with a sentence for the reader, when a link asks for something that cannot be."""
    if key not in OPTIONS:
        raise UnknownName("option", key, OPTIONS, listing="this page")
    if key == "tab" and value not in TABS:
        raise UnknownName("tab", value, TABS, listing="this page")
    if key == "page" and not PAGE.fullmatch(value):
        raise UsageError(f"page={value[:20]!r} is no page of a table; write it as in page=2.")
    column = value.removeprefix("-")
    if key == "sort" and not (column in IDENTITY or column in SOURCE_ORDERS or catalogue.is_metric(column)):
        raise UnknownName("column", column, (*POINT_ORDERS, *SOURCE_ORDERS), listing="this page")
    if key == "correct" and value != UNFOLDED:
        raise UsageError(f"correct={value[:20]!r} opens nothing; write it as in correct={UNFOLDED}.")
    if key == "tag":
        ledger.tag(value)
    if key == "source_id" and not (SOURCE_ID.fullmatch(value) or SWEEP_ID.fullmatch(value)):
        raise UsageError(f"{value[:80]!r} is not a source id; it has 64 hexadecimal digits, or is a sweep's.")
    if key == "point_id" and not SHORT_ID.fullmatch(value):
        raise UsageError(f"{value[:80]!r} is not the id of a point; it has 16 hexadecimal digits.")


def complete(view: View) -> View:
    """The View with the table, its order and its page written out; what is opened has no order but its points'."""
    tab = view.option("tab") or ("points" if view.option("source_id") else "sources")
    orders, first = (POINT_ORDERS, POINTS_FIRST) if tab == "points" else (SOURCE_ORDERS, SOURCES_FIRST)
    sort = view.option("sort") or first
    if sort.removeprefix("-") not in orders and (tab != "points" or not catalogue.is_metric(sort.removeprefix("-"))):
        sort = first
    listed = tab in ("sources", "points") and not view.option("point_id")
    return view.with_options(
        tab=tab,
        sort=sort if listed else None,
        page=(view.option("page") or "1") if listed else None,
        correct=view.option("correct") if view.option("point_id") else None,
    ).made_whole()
