"""JSON text of unknown origin as values: within limits, and where it is none the error says where."""

from __future__ import annotations

import io
import json
from typing import Any

import orjson

from bench.errors import InputError
from bench.formats.reading.outline import CUT_OFF, is_cut_off
from bench.formats.reading.text_file import check_depth

LONGEST_NUMBER = 40
MOST_LOOKED_AT_TWICE = 256_000
"""A file of so many bytes is looked through for names that stand twice, which takes some 5 ms at most."""
BOM = b"\xef\xbb\xbf"


def parsed(text: bytes, name: str, *, is_line: bool = False) -> Any:
    """The value that JSON text stands for; `name` is what an error calls it, which may be a line among others.

    Raises:
        InputError: it is no JSON, nested too deep, or has a number of too many digits.
    """
    text = text.removeprefix(BOM)
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        pass
    check_depth(name, io.BytesIO(text))
    try:
        return json.loads(text, parse_int=_whole)
    except TooManyDigits as problem:
        raise InputError(f"{name} has a number of {problem} digits; no measurement has so many.") from problem
    except UnicodeDecodeError as problem:
        raise InputError(f"{name} is not UTF-8 text throughout; save it as UTF-8.") from problem
    except json.JSONDecodeError as problem:
        if not is_line and is_cut_off(problem.doc.strip()):
            raise InputError(f"{name} {CUT_OFF}") from problem
        raise InputError(f"{name} is not valid JSON at line {problem.lineno:,}: {problem.msg}.") from problem
    except RecursionError as problem:
        raise InputError(f"{name} is nested too deep to be a result.") from problem


def demand_single(text: bytes, name: str) -> None:
    """Raise InputError where an object of JSON has two values under one name, of which parsers keep the last."""
    if len(text) <= MOST_LOOKED_AT_TWICE:
        try:
            json.loads(text.removeprefix(BOM), object_pairs_hook=_single, parse_int=str, parse_float=str)
        except _DoubledName as problem:
            raise InputError(f"{name} has two values of {problem}; leave out the wrong one.") from problem
        except RecursionError:  # nested deeper than any result, and taken as it is
            pass


class _DoubledName(Exception):
    """The name that an object has two values of."""


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        for key, value in pairs:
            if repr(value) != repr(entries[key]):
                raise _DoubledName(ascii(key[:80]))
    return entries


class TooManyDigits(ValueError):
    """A number of so many digits."""


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise TooManyDigits(f"{len(text):,}")
    return int(text)
