"""The facts about a deployment that no endpoint tells: accelerator, chips, layout, precision, price."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import get_args, get_type_hints

from bench import names
from bench.errors import UnknownName, UsageError
from bench.records import Deployment

FactValue = str | int | float | bool

PRICE = "usd_per_accelerator_hour"
CONTEXT = "max_model_len"
MORE: Mapping[str, type] = {PRICE: float, CONTEXT: int, "note": str}
"""What may be stated beyond a Deployment's own fields."""

MAX_TEXT = 1000
MOST = 2**53
DEAREST = 1e6
LOWER = ("precision", "kv_precision", "speculation")
MAY_BE_ZERO = ("prefill_workers", "decode_workers")
SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "model": names.model_slug,
    "engine": names.engine_slug,
    "accelerator": names.accelerator_slug,
    **dict.fromkeys(LOWER, str.lower),
}
TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@cache
def kinds() -> Mapping[str, type]:
    """Every fact that may be stated, with the type of its value."""
    hints = get_type_hints(Deployment)
    own = {key: next(part for part in get_args(hint) if part is not type(None)) for key, hint in hints.items()}
    return {**own, **MORE}


def checked(stated: Mapping[str, object]) -> dict[str, FactValue]:
    """The facts with typed values, names as canonical slugs, in a fixed order; an empty one is left out.

    UnknownName for a key that is no fact; UsageError for a value that does not fit its fact.
    """
    for key in stated:
        if key not in kinds():
            raise UnknownName("fact of a deployment", key, kinds(), "docs/sweeps.md")
    return {
        key: _checked(key, kind, stated[key])
        for key, kind in kinds().items()
        if stated.get(key) is not None and stated[key] != ""
    }


def _checked(key: str, kind: type, value: object) -> FactValue:
    text = str(value).strip()
    if kind is bool:
        if text.lower() not in TRUTHS:
            raise _wrong(key, value, "true or false")
        return TRUTHS[text.lower()]
    if kind is str:
        if not text or len(text) > MAX_TEXT or not text.isprintable() or not isinstance(value, str | int | float):
            raise _wrong(key, value, f"a text of 1 to {MAX_TEXT:,} printable characters")
        slug = SPELLINGS.get(key, str)(text)
        if not slug:
            raise _wrong(key, value, "a name with at least one letter a-z or digit")
        return slug
    return _number(key, value, text, whole=kind is int)


def _number(key: str, value: object, text: str, *, whole: bool) -> int | float:
    least = 0 if not whole or key in MAY_BE_ZERO else 1
    most = MOST if whole else DEAREST
    try:
        number = math.nan if isinstance(value, bool) else float(text)
    except ValueError:
        number = math.nan
    if not least <= number <= most or (whole and number != int(number)):
        raise _wrong(key, value, f"a {'whole ' if whole else ''}number from {least} to {most:,.0f}")
    return int(number) if whole else number


def _wrong(key: str, value: object, allowed: str) -> UsageError:
    return UsageError(f"facts.{key} is {str(value)[:80]!r}; write {allowed}.")
