"""JSON, JSON Lines and YAML as other tools write them: read leniently where tools are sloppy, within limits.

NaN and Infinity (no JSON, yet written) are taken, byte order marks and UTF-16 too, and the last line of a file of
lines may be cut off. Depth, size and the digits of a number are limited, and YAML has no aliases.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import orjson
import yaml

from bench.errors import InputError
from bench.formats.reading.fields import Fields
from bench.formats.reading.json_text import (
    BOM,
    LONGEST_NUMBER,
    MOST_LOOKED_AT_TWICE,
    TooManyDigits,
    demand_single,
    parsed,
)
from bench.formats.reading.source_file import SourceFile
from bench.formats.reading.text_file import MAX_YAML_BYTES, check_text, opened
from bench.records import Refusal

MAX_BYTES = 256_000_000
MAX_LINES_BYTES = 1_000_000_000
YAML_ENDINGS = (".yaml", ".yml")
"""So named, a text is YAML that begins like no kind of data, as with a long comment, or like JSON and is none."""
MAX_LINE = 64_000_000


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
    demand_single(text, file.name)
    return value


def records(file: SourceFile, refusals: list[Refusal]) -> list[Fields]:
    """The objects of a file, each called by where it is: those of a list, those of lines, or the one that it is.

    A last line that is cut off is added to the refusals; InputError where a value is no object.
    """
    if file.outline.kind == "lines" or (file.outline.kind == "object" and _goes_on(file)):
        return [Fields(file.name, value, f"line {number}") for number, value in lines(file, refusals)]
    value = loaded(file)
    if isinstance(value, list):
        return [Fields(file.name, entry, f"entry {number}") for number, entry in enumerate(value, start=1)]
    return [Fields(file.name, value)]


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
                demand_single(line, f"Line {number:,} of {file.name}")
            yield number, value
        if cut is not None and number == 1:
            raise cut
        if cut is not None:
            reason = f"The last line of {file.name} is cut off and was passed over."
            refusals.append(Refusal(file.name, reason, row=cut_at))


class _Loader(yaml.CSafeLoader):
    """Plain values alone; dates stay the texts they are."""


_Loader.yaml_implicit_resolvers = {
    first: [
        (tag, pattern)
        for tag, pattern in resolvers
        if tag not in ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
    ]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
# YAML 1.1 reads 1:30 as ninety and 1e-3 as a text; these are the numbers of YAML 1.2, which is what tools write.
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^[-+]?\d+$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$"),
    list("-+0123456789."),
)


def _yaml_number(loader: yaml.Loader, node: yaml.ScalarNode) -> float | int:
    text = str(node.value)
    if len(text) > LONGEST_NUMBER:
        raise TooManyDigits(f"{len(text):,}")
    special = text.lower().lstrip("+-")
    if special in (".inf", ".nan"):
        return math.nan if special == ".nan" else math.copysign(math.inf, -1 if text[0] == "-" else 1)
    return int(text) if node.tag.endswith(":int") else float(text)


_Loader.add_constructor("tag:yaml.org,2002:int", _yaml_number)
_Loader.add_constructor("tag:yaml.org,2002:float", _yaml_number)


def _yaml(file: SourceFile) -> Any:
    size = file.path.stat().st_size
    if size > MAX_YAML_BYTES:
        raise InputError(f"{file.name} has {size:,} bytes; YAML is read up to {MAX_YAML_BYTES:,}, so save it as JSON.")
    with opened(file.path) as stream:
        text = stream.read().removeprefix(BOM)
    _check_events(text, file.name)
    try:
        return yaml.load(text, Loader=_Loader)
    except TooManyDigits as problem:
        raise InputError(f"{file.name} has a number of {problem} digits; no measurement has so many.") from problem
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as problem:
        raise InputError(f"{file.name} is not valid YAML: {_first_line(problem)}.") from problem


def _check_events(text: bytes, name: str) -> None:
    """Find aliases, custom tags and deep nesting before anything is built from them."""
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
                raise InputError(f"{name} has YAML anchors or aliases, which no result needs; write its values out.")
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
