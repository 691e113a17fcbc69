"""What is wrong with a plan, in one sentence: the field, the value, and what is allowed there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench.errors import UnknownName, UsageError
from bench.sweep.planning.endpoint_address import NotAnAddress, holds_a_secret
from bench.sweep.planning.part import Part, part_in

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

SHOWN = 60
KEY = "key_env"
"""Where a key lands when it is mistaken for the name of its variable."""
URLS = ("url", "base_url", "urls")


def sentence(problem: ValidationError, plan: type[Part], whole: str = "a plan") -> UsageError:
    """The first thing wrong with a plan, as the error a person reads; `whole` is what it is called."""
    first = problem.errors(include_url=False)[0]
    path = [part for part in first["loc"] if isinstance(part, int) or not part.startswith("function-")]
    section, name = _place(plan, path)
    field = _written(path)
    if first["type"] == "extra_forbidden":
        known = list(section.model_fields)
        where = f"field of {_written(path[:-1])}" if len(path) > 1 else f"field of {whole}"
        return UnknownName(where, str(path[-1]), known, "docs/sweeps.md")
    if first["type"] == "value_error" and name is None:
        return UsageError(str(first["ctx"]["error"]))
    error = first.get("ctx", {}).get("error")
    if isinstance(error, NotAnAddress):
        return UsageError(f"{field}{_is(field, first['input'])}; {error}.")
    allowed = _allowed(first, section, name)
    if first["type"] == "missing":
        return UsageError(f"{field} is missing; write {allowed}.")
    return UsageError(f"{field}{_is(field, first['input'])}; write {allowed}.")


def shown(value: object) -> str:
    """The beginning of a value, for a sentence."""
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _is(field: str, value: object) -> str:
    last = field.rpartition(".")[2].partition("[")[0]
    secret = last == KEY or (last in URLS and holds_a_secret(str(value)))
    return " cannot be taken as it is" if secret else f" is {shown(value)}"


def _place(plan: type[Part], path: list[Any]) -> tuple[type[Part], str | None]:
    """The model the complaint is about and the name of its field; None when it is about the model as a whole."""
    section, name = plan, None
    for part in path:
        if isinstance(part, int) or part not in section.model_fields:
            continue
        inner = part_in(section.model_fields[part].annotation)
        section, name = (inner, None) if inner else (section, part)
    return section, name


def _allowed(first: ErrorDetails, section: type[Part], name: str | None) -> str:
    if name is not None:
        extra = section.model_fields[name].json_schema_extra
        if isinstance(extra, Mapping) and "allowed" in extra:
            return str(extra["allowed"])
    if first["type"] == "value_error":
        return str(first["ctx"]["error"])
    return "a table with the fields " + ", ".join(section.model_fields)


def _written(path: list[Any]) -> str:
    """A path as a plan's reader finds it: loads.concurrency[1]."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or "the plan"
