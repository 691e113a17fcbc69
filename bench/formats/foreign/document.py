"""JSON, JSON Lines and YAML as other tools write them: read leniently where tools are sloppy, within limits.

NaN and Infinity (no JSON, yet written) are taken, byte order marks and UTF-16 too, and the last line of a file of
lines may be cut off. Depth, size and the digits of a number are limited, and YAML has no aliases.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import orjson
import yaml

from bench.errors import InputError
from bench.formats.foreign.outline import CUT_OFF, is_cut_off
from bench.formats.text_file import check_depth, check_text, opened
from bench.records import Refusal

if TYPE_CHECKING:
    from bench.formats.reading import SourceFile

MAX_BYTES = 256_000_000
MAX_LINES_BYTES = 1_000_000_000
MAX_YAML_BYTES = 1_000_000
"""Parsing it takes some 100 times as long as JSON, 3 s a megabyte; reports have a few kilobytes."""
YAML_ENDINGS = (".yaml", ".yml")
"""So named, a text is YAML that begins like no kind of data, as with a long comment, or like JSON and is none."""
MAX_LINE = 64_000_000
LONGEST_NUMBER = 40
MOST_LOOKED_AT_TWICE = 256_000
"""A file of so many bytes is looked through for names that stand twice, which takes some 5 ms at most."""
BOM = b"\xef\xbb\xbf"


def loaded(file: SourceFile) -> Any:
    """The one value of a JSON document, or of a YAML document.

    Raises:
        InputError: it is neither, too large, too deep, or has a number of too many digits.
    """
    check_text(file.path, MAX_BYTES)
    begun, named = file.outline.kind, file.path.suffix in YAML_ENDINGS
    if begun == "yaml" or (named and begun in ("none", "csv")):
        return _yaml(file)
    with opened(file.path) as stream:
        text = stream.read()
    try:
        value = parsed(text, file.name)
    except InputError:
        if not named:
            raise
        return _yaml(file)
    _demand_single(text, file.name)
    return value


def records(file: SourceFile, refusals: list[Refusal]) -> list[tuple[str, Any]]:
    """The objects of a file with where each is: those of a list, those of lines, or the one that the file is.

    A last line that is cut off is added to the refusals.
    """
    if file.outline.kind == "lines" or (file.outline.kind == "object" and _goes_on(file)):
        return [(f"line {number}", value) for number, value in lines(file, refusals)]
    value = loaded(file)
    if isinstance(value, list):
        return [(f"entry {number}", entry) for number, entry in enumerate(value, start=1)]
    return [("the document", value)]


def _goes_on(file: SourceFile) -> bool:
    """Whether a further object follows the first line, which may be longer than what the outline saw."""
    with opened(file.path) as stream:
        whole = stream.readline(MAX_LINE).rstrip().endswith(b"}")
        return whole and stream.readline(MAX_LINE).lstrip().startswith(b"{")


def lines(file: SourceFile, refusals: list[Refusal]) -> Iterator[tuple[int, Any]]:
    """The values of a file of lines, counted from 1; blank lines are passed over, a last one that is cut off too.

    The cut one is added to the refusals when all others were pulled.

    Raises:
        InputError: a line before the last is no JSON, or the file or a line is too large.
    """
    size = file.path.stat().st_size
    if size > MAX_LINES_BYTES:
        raise InputError(f"{file.name} has {size:,} bytes; the limit is {MAX_LINES_BYTES:,}, so divide it.")
    with opened(file.path) as stream:
        number, cut, cut_at = 0, None, 0
        while line := stream.readline(MAX_LINE):
            number += 1
            if cut is not None:
                raise cut
            if len(line) >= MAX_LINE:
                raise InputError(f"Line {number:,} of {file.name} is longer than {MAX_LINE:,} bytes.")
            try:
                value = orjson.loads(line)
            except (orjson.JSONDecodeError, RecursionError):
                line = line.removeprefix(BOM).strip() if number == 1 else line.strip()
                if not line:
                    continue
                try:
                    value = parsed(line, f"Line {number:,} of {file.name}", is_line=True)
                except InputError as problem:
                    cut, cut_at = problem, number  # raised where a further line follows
                    continue
            if size <= MOST_LOOKED_AT_TWICE:
                _demand_single(line, f"Line {number:,} of {file.name}")
            yield number, value
        if cut is not None and number == 1:
            raise cut
        if cut is not None:
            reason = f"The last line of {file.name} is cut off and was passed over."
            refusals.append(Refusal(file.name, reason, row=cut_at))


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
    except _TooLong as problem:
        raise InputError(f"{name} has a number of {problem} digits; no measurement has so many.") from problem
    except UnicodeDecodeError as problem:
        raise InputError(f"{name} is not UTF-8 text throughout; save it as UTF-8.") from problem
    except json.JSONDecodeError as problem:
        if not is_line and is_cut_off(problem.doc.strip()):
            raise InputError(f"{name} {CUT_OFF}") from problem
        raise InputError(f"{name} is not valid JSON at line {problem.lineno:,}: {problem.msg}.") from problem
    except RecursionError as problem:
        raise InputError(f"{name} is nested too deep to be a result.") from problem


def _demand_single(text: bytes, name: str) -> None:
    """Nothing; InputError where an object of JSON has two values under one name, of which parsers keep the last."""
    if len(text) <= MOST_LOOKED_AT_TWICE:
        try:
            json.loads(text.removeprefix(BOM), object_pairs_hook=_single, parse_int=str, parse_float=str)
        except _Doubled as problem:
            raise InputError(f"{name} has two values of {problem}; leave out the wrong one.") from problem
        except RecursionError:  # nested deeper than any result, and taken as it is
            pass


class _Doubled(Exception):
    """The name that an object has two values of."""


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, value in pairs:
            if repr(value) != repr(found[key]):
                raise _Doubled(ascii(key[:80]))
    return found


class _TooLong(ValueError):
    """A number of so many digits."""


def _whole(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise _TooLong(f"{len(text):,}")
    return int(text)


class _Loader(yaml.CSafeLoader):
    """Plain values alone; dates stay the texts they are."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag not in (
        "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}  # fmt: skip
# YAML 1.1 reads 1:30 as ninety and 1e-3 as a text; these are the numbers of YAML 1.2, which is what tools write.
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?\d+$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"
    ),
    list("-+0123456789."),
)


def _yaml_number(loader: yaml.Loader, node: yaml.ScalarNode) -> float | int:
    text = str(node.value)
    if len(text) > LONGEST_NUMBER:
        raise _TooLong(f"{len(text):,}")
    special = text.lower().lstrip("+-")
    if special in (".inf", ".nan"):
        return math.nan if special == ".nan" else math.copysign(math.inf, -1 if text[0] == "-" else 1)
    return int(text) if node.tag.endswith(":int") else float(text)


_Loader.add_constructor("tag:yaml.org,2002:int", _yaml_number)
_Loader.add_constructor("tag:yaml.org,2002:float", _yaml_number)


def _yaml(file: SourceFile) -> Any:
    size = file.path.stat().st_size
    if size > MAX_YAML_BYTES:
        raise InputError(
            f"{file.name} has {size:,} bytes; YAML is read up to {MAX_YAML_BYTES:,}, so save it as JSON."
        )
    with opened(file.path) as stream:
        text = stream.read().removeprefix(BOM)
    _check_events(text, file.name)
    try:
        return yaml.load(text, Loader=_Loader)
    except _TooLong as problem:
        raise InputError(
            f"{file.name} has a number of {problem} digits; no measurement has so many."
        ) from problem
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as problem:
        raise InputError(f"{file.name} is not valid YAML: {_first_line(problem)}.") from problem


def _check_events(text: bytes, name: str) -> None:
    """Nothing; aliases, custom tags and deep nesting are found before anything is built from them."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise InputError(
                    f"{name} has YAML anchors or aliases, which no result needs; write its values out."
                )
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > 64:
                    raise InputError(f"{name} is nested more than 64 deep; a table of results is flat.")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except (yaml.YAMLError, ValueError) as problem:
        raise InputError(f"{name} is not valid YAML: {_first_line(problem)}.") from problem


def _first_line(problem: Exception) -> str:
    said = str(problem).splitlines()
    return " ".join(line.strip() for line in said[:2])[:200].rstrip(".") if said else type(problem).__name__
