"""Rows as a table people read on a page: names in words, web links only, without ids and empty columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pandas as pd

from bench import catalogue
from bench.basis.prices import terms_in_words
from bench.chart import value_label
from bench.plain_text import visible

WEB = re.compile(r"https?://[^\s<>\"']+", re.IGNORECASE)
NAMED = ("model", "accelerator", "engine")
LINKS = ("source_url", "licence_url", "url")
IDS = re.compile(r"(point|score|source|deployment|workload|series)_id(_[ab])?|locator|cell")
FIRST = tuple(
    (
        "model precision accelerators accelerator tp pp dp ep engine engine_version variant isl osl concurrency "
        "request_rate batch load_kind scenario"
    ).split()
)
LAST = ("evidence", "origin", "date", "source", "source_url")


def table(
    rows: pd.DataFrame, first: Sequence[str] = (), without: Sequence[str] = (), fields: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """The rows as people read them, `first` columns first; what identifies a row to programs is left out.

    `fields` names the field whose values a column of another name holds, such as a panel's.
    """
    kept = [name for name in rows if not IDS.fullmatch(str(name)) and name not in without and rows[name].notna().any()]
    leading = [name for name in (*first, *FIRST) if name in kept]
    trailing = [name for name in LAST if name in kept and name not in leading]
    middle = [name for name in kept if name not in leading and name not in trailing]
    shown = rows[list(dict.fromkeys([*leading, *middle, *trailing]))].copy(deep=False)
    for name in shown.columns:
        if name in LINKS:
            shown[name] = shown[name].map(web_link, na_action="ignore")
        elif not pd.api.types.is_numeric_dtype(shown[name]):
            shown[name] = _in_words(shown[name], (fields or {}).get(str(name), str(name)))
    return shown


def web_link(address: object) -> str | None:
    """The address when it is one of the web, so that it may become a link; else None."""
    text = str(address).strip()
    return text if WEB.fullmatch(text) else None


def _in_words(column: pd.Series[Any], name: str) -> pd.Series[Any]:
    if column.map(_is_list).any():
        return column.map(lambda value: ", ".join(visible(item) for item in value) or None, na_action="ignore")
    if column.map(lambda value: isinstance(value, date), na_action="ignore").any():
        return pd.to_datetime(column)
    known = {value: _word(name, value) for value in column.dropna().unique()}
    return column.map(known)


def _word(name: str, value: object) -> object:
    if name in NAMED:
        return visible(value_label(name, value))
    if name == "terms":
        return terms_in_words(str(value))
    if name == "metric" and catalogue.is_metric(str(value)):
        return catalogue.metric(str(value)).axis
    return visible(value) if isinstance(value, str) else value


def _is_list(value: object) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, str)
