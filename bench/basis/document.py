"""An answer as one JSON document: derived from its dataclasses, so nothing is written twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import pandas as pd

from bench.catalogue import Metric

HIDDEN = "hidden"
"""Metadata of a field that is only drawn: field(metadata={HIDDEN: True})."""


def document(value: object) -> Any:
    """A dataclass as a mapping of its fields, and so on inwards; tables and fields that are only drawn are left out.

    A tuple becomes a list, a mapping keeps its keys as text, a metric is its key; what stays is a plain value.
    """
    if isinstance(value, Metric):
        return value.key
    if is_dataclass(value) and not isinstance(value, type):
        return {
            one.name: document(getattr(value, one.name))
            for one in fields(value)
            if not one.metadata.get(HIDDEN) and not isinstance(getattr(value, one.name), pd.DataFrame)
        }
    if isinstance(value, Mapping):
        return {str(key): document(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [document(entry) for entry in value]
    return value.item() if hasattr(value, "item") else value


def records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as mappings, None where nothing is stated."""
    found = rows.astype(object).where(rows.notna(), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in found]
