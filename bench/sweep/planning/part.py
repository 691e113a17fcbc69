"""What the tables of a plan are made of: a closed table, a field that says what it may hold, and values as people write
them."""

from __future__ import annotations

import re
from typing import Annotated, Any, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

MOST_IN_A_LIST = 64
SECONDS = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*(ms|s|m|min|h)?")
UNITS = {"ms": 0.001, "s": 1, "m": 60, "min": 60, "h": 3600}
DAY = 86_400
KINDS = {"whole": "a whole number", "number": "a number", "time": "seconds, such as 30, 30s or 2m,"}
"""What `bounded` fields hold, in words."""


class Part(BaseModel):
    """A table of a plan: closed to unknown fields, and never changed."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True, hide_input_in_errors=True)


def part_in(annotation: Any) -> type[Part] | None:
    """The table that a field of this type holds, alone or in a list; None where it holds none."""
    if isinstance(annotation, type):
        return annotation if issubclass(annotation, Part) else None
    return next((part for inner in get_args(annotation) if (part := part_in(inner))), None)


def plan_field(help: str, allowed: str, default: Any = ..., **limits: Any) -> Any:
    """A field with its meaning and with what it may hold, which the complaint about a wrong value says."""
    return Field(default, description=help, json_schema_extra={"allowed": allowed}, **limits)


def bounded(help: str, kind: str, most: float, default: Any = None, *, least: float | None = None) -> Any:
    """A field of so much at most, and of `least` at least or, without it, of more than 0."""
    what, top = KINDS[kind], "a day" if (kind, most) == ("time", DAY) else most
    if least is None:
        return plan_field(help, f"{what} above 0, up to {top}", default, gt=0, le=most)
    return plan_field(help, f"{what} from {least} to {top}", default, ge=least, le=most)


def as_list(value: object) -> object:
    """The values of a list, or of a text that separates them by commas."""
    if isinstance(value, str):
        value = [part.strip() for part in value.split(",") if part.strip()]
    elif not isinstance(value, list | tuple):
        value = [value]
    if len(value) > MOST_IN_A_LIST:
        raise ValueError(f"at most {MOST_IN_A_LIST} values")
    return value


def _as_number(value: object) -> object:
    if isinstance(value, bool) or (isinstance(value, str) and len(value) > 40):
        raise ValueError("a number")
    return value


def _as_seconds(value: object) -> object:
    if not isinstance(value, str):
        return _as_number(value)
    found = SECONDS.fullmatch(value.strip().lower())
    if not found:
        raise ValueError("a duration such as 30, 30s or 2m")
    return float(found[1]) * UNITS[found[2] or "s"]


def _is_text(text: object) -> object:
    if isinstance(text, str) and (not text.strip() or not text.isprintable()):
        raise ValueError("printable text")
    return text.strip() if isinstance(text, str) else text


Whole = Annotated[int, BeforeValidator(_as_number)]
Real = Annotated[float, BeforeValidator(_as_number), Field(allow_inf_nan=False)]
Seconds = Annotated[float, BeforeValidator(_as_seconds), Field(allow_inf_nan=False)]
Text = Annotated[str, BeforeValidator(_is_text), Field(max_length=300)]
FileName = Annotated[str, BeforeValidator(_is_text), Field(max_length=4096)]
