"""A journal line's fields -> records, each value checked against the type its record declares."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, get_args, get_type_hints

from bench.catalogue import is_metric, is_part
from bench.records import Deployment, Load, LoadKind

MAX_TEXT = 1000
MOST = 2.0**53
MOST_ENTRIES = 1000
CALLED = {"PointLine": "point", "EndLine": "end"}
"""What a sentence calls a record whose own name says it badly."""

Record = TypeVar("Record")
Kinds = tuple[type, ...]


class Unfit(ValueError):
    """Something in a line that cannot be; the message continues "line 3, "."""


def record(kind: type[Record], stated: Mapping[str, Any], **readers: Callable[[Any], Any]) -> Record:
    """A record of these fields: plain ones by the type they are annotated with, the others by their readers."""
    kinds = _kinds(kind)  # type: ignore[arg-type]  # a class can be hashed, whatever its records can
    values: dict[str, Any] = {}
    for key, value in stated.items():
        if key not in kinds:
            called = CALLED.get(kind.__name__, kind.__name__.lower())
            raise Unfit(f"has the field {key[:40]!r}, which no {called} has: a newer Kneepoint wrote it, or a hand")
        values[key] = readers[key](value) if key in readers else _plain(key, value, kinds[key])
    try:
        return kind(**values)
    except TypeError:
        needed = {
            row.name
            for row in dataclasses.fields(kind)  # type: ignore[arg-type]
            if row.default is dataclasses.MISSING and row.default_factory is dataclasses.MISSING
        }
        raise Unfit(f"lacks {', '.join(sorted(needed - values.keys()))}") from None


def deployment(value: Any) -> Deployment:
    """The deployment that a journal's table states."""
    return record(Deployment, table(value))


def load(value: Any) -> Load:
    """How hard it was asked."""
    stated = dict(table(value))
    kind = stated.pop("load_kind", "unknown")
    if kind not in get_args(LoadKind):
        raise Unfit(f"has the load kind {str(kind)[:40]!r}")
    return dataclasses.replace(record(Load, stated), load_kind=kind)


def metrics(value: Any) -> dict[str, float]:
    """Figures by metrics of the catalogue."""
    figures = numbers(value)
    for key in figures:
        if not is_metric(key):
            raise Unfit(f"has the metric {key[:40]!r}, which the catalogue does not know")
    return figures


def numbers(value: Any) -> dict[str, float]:
    """Figures by name."""
    return {key: float(_plain(key, inner, (float,))) for key, inner in table(value).items()}


def words(value: Any) -> dict[str, str | int]:
    """Texts and whole numbers by name."""
    return {key: _plain(key, inner, (str, int)) for key, inner in table(value).items()}


def counts(value: Any) -> dict[str, int]:
    """Whole numbers by name."""
    return {key: _plain(key, inner, (int,)) for key, inner in table(value).items()}


def tables(value: Any) -> tuple[dict[str, Any], ...]:
    """A list of objects."""
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        raise Unfit("has something else where a list belongs")
    return tuple(table(row) for row in value)


def table(value: Any) -> dict[str, Any]:
    """An object, as it stands."""
    if not isinstance(value, dict) or len(value) > MOST_ENTRIES:
        raise Unfit("has something else where an object belongs")
    return value


@cache
def _kinds(kind: type) -> Mapping[str, Kinds]:
    """The types each field of a record may have; looking them up takes longer than all else in reading a line."""
    return {name: get_args(hint) or (hint,) for name, hint in get_type_hints(kind).items()}


def _plain(key: str, value: Any, kinds: Kinds) -> Any:
    if isinstance(value, bool):
        fits = bool in kinds
    elif isinstance(value, int | float):
        fits = (float in kinds or (int in kinds and isinstance(value, int))) and 0 <= value <= MOST
        value = float(value) if int not in kinds and fits else value
        if fits and value > 1 and (is_part(key) or key == "shared_prefix_share"):
            raise Unfit(f"has {key} {value:g}, but a share is from 0 to 1")
    else:
        fits = isinstance(value, str) and str in kinds and len(value) <= MAX_TEXT and "\0" not in value
    if not fits:
        raise Unfit(f"has {key} {str(value)[:40]!r}, which cannot be")
    return value
