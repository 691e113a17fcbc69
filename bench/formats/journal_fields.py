"""A journal line's fields -> records, each value checked against the type its record declares, and for what can be."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from bench.catalogue import is_metric, is_part

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

MAX_TEXT = 1000
MOST = 2.0**53
MOST_ENTRIES = 1000
OF_METRICS = ("metrics", "whole")
OPEN = ("telemetry", "sustained")
"""What an engine or a search says, which may be anything."""

CALLED = {"PointLine": "point", "EndLine": "end"}
"""What a sentence calls a record whose own name says it badly."""

Record = TypeVar("Record")


class Unfit(ValueError):
    """Something in a line that cannot be; the message continues "line 3, "."""


def record(kind: type[Record], stated: Mapping[str, Any]) -> Record:
    """A record of these fields, those that are records too included; Unfit says what cannot be."""
    from pydantic import ValidationError

    for key, value in stated.items():
        _check(key, value)
    adapter: TypeAdapter[Record] = _adapter(kind)  # type: ignore[arg-type]  # a class can be hashed
    try:
        return adapter.validate_json(json.dumps(stated), strict=True)
    except ValidationError as problem:
        raise Unfit(_in_words(problem, CALLED.get(kind.__name__, kind.__name__.lower()))) from None


@cache
def _adapter(kind: type[Record]) -> TypeAdapter[Record]:
    from pydantic import TypeAdapter  # a tenth of a second, which who only writes a journal need not wait

    return TypeAdapter(kind)


def _check(key: str, value: Any) -> None:
    """Raise Unfit where a value is too long, or no amount or share that can be, whatever its type."""
    if isinstance(value, dict | list):
        if len(value) > MOST_ENTRIES:
            raise Unfit(f"has more than {MOST_ENTRIES:,} entries in {key[:40]!r}")
        within = value.items() if isinstance(value, dict) else ((key, one) for one in value)
        for inner, one in within if key not in OPEN else ():
            if key in OF_METRICS and not is_metric(inner):
                raise Unfit(f"has the metric {inner[:40]!r}, which the catalogue does not know")
            _check(inner, one)
    elif isinstance(value, str):
        if len(value) > MAX_TEXT or "\0" in value:
            raise Unfit(f"has {key} {value[:40]!r}, which cannot be")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if not 0 <= value <= MOST:
            raise Unfit(f"has {key} {str(value)[:40]!r}, which cannot be")
        if value > 1 and (is_part(key) or key == "shared_prefix_share"):
            raise Unfit(f"has {key} {value:g}, but a share is from 0 to 1")


def _in_words(problem: ValidationError, called: str) -> str:
    errors = problem.errors(include_url=False)
    if missing := sorted(str(one["loc"][-1]) for one in errors if one["type"] == "missing"):
        return f"lacks {', '.join(missing)}"
    *within, key = errors[0]["loc"] or (called,)
    if errors[0]["type"] == "unexpected_keyword_argument":
        of = within[-1] if within else called
        return f"has the field {str(key)[:40]!r}, which no {of} has: a newer Kneepoint wrote it, or a hand"
    return f"has {key} {str(errors[0]['input'])[:40]!r}, which cannot be"
