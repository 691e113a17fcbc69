"""What a text file of unknown origin begins with: enough to recognise a format by its keys, however it goes on."""

from __future__ import annotations

import csv
import json
import math
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

from pydantic_core import from_json

from bench.formats.reading.text_file import beginning

OutlineKind = Literal["object", "list", "lines", "yaml", "csv", "none"]

BLANKS = re.compile(r"[ \t\r\n]*")
YAML_KEY = re.compile(r"^[A-Za-z_][\w.-]*:", re.MULTILINE)
YAML_LINE = re.compile(
    r"^(?P<blank> *)(?P<dashes>(?:-[ \t]+)*)(?P<key>[A-Za-z_][\w.-]*):[ \t]*(?P<said>.*?)[ \t\r]*$", re.MULTILINE
)
COMMENT = re.compile(r"(^|\s+)#.*$")
LONGEST_NUMBER = 40
CUT_MARK = re.compile(r"[\w+.\\-]{0,15}\s*")
"""What is left of a number, a word (-Infinity) or an escape that was cut off."""
HALF_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""Half a surrogate pair, which Python writes and other parsers refuse; or of whole ones each half."""
CUT_OFF = "ends in the middle of its JSON, as it does while it is written, or where a copy broke off; take it whole."
MISSING: Any = object()


@dataclass(frozen=True)
class Outline:
    """The beginning of a file.

    kind: an object, a list, several objects in lines, YAML, CSV, or none of these.
    value: the first value as far as it came: of lines the first line's, of YAML its keys in blocks with the texts
        behind them, of CSV the list of its header's cells.
    """

    kind: OutlineKind
    value: Any = None

    @cached_property
    def first(self) -> dict[str, Any]:
        """The object itself, or the first of several; empty where there is none."""
        value = self.value[0] if isinstance(self.value, list) and self.value else self.value
        return value if isinstance(value, dict) else {}

    def lacks(self, *paths: str) -> list[str]:
        """The keys of these that the first object lacks; `a.b` is b in a, `a[].b` is b in a's first element."""
        return [path for path in paths if not self.has(path)]

    def has(self, path: str) -> bool:
        """Whether the first object has this key."""
        return self.at(path) is not MISSING

    def at(self, path: str) -> Any:
        """What the first object has under this key; MISSING where it has none."""
        here: Any = self.first
        for name, listed in _steps(path):
            here = here.get(name, MISSING) if isinstance(here, dict) else MISSING
            if listed:
                here = here[0] if isinstance(here, list) and here else MISSING
            if here is MISSING:
                break
        return here


@cache
def _steps(path: str) -> tuple[tuple[str, bool], ...]:
    """The names on a path, each with whether the first entry of a list is meant."""
    return tuple((step.removesuffix("[]"), step.endswith("[]")) for step in path.split("."))


def outline_of(head: bytes) -> Outline:
    """What these first bytes of a file are the beginning of."""
    text = beginning(head)
    if text is None:
        return Outline("none")
    place = _after_blanks(text, 0)
    if text[place : place + 1] in ("{", "["):
        value, end = _begun(text, place)
        if text[place] == "[":
            return Outline("list", value)
        following = _after_blanks(text, end)
        several = end > place and text[following : following + 1] == "{"
        return Outline("lines" if several else "object", value)
    if YAML_KEY.search(text) and "," not in text.split("\n", 1)[0].split(":", 1)[0]:
        return Outline("yaml", _blocks(text))
    header = _header(text)
    return Outline("csv", header) if len(header) > 1 else Outline("none")


def ends_early(head: bytes) -> bool:
    """Whether these first bytes are JSON that ends within its first value, or YAML: more of the file tells more."""
    text = beginning(head)
    place = 0 if text is None else _after_blanks(text, 0)
    if text is None or text[place : place + 1] not in ("{", "["):
        return outline_of(head).kind == "yaml"
    return is_cut_off(text, place)


def is_cut_off(text: str, place: int = 0) -> bool:
    """Whether the text ends within the JSON value that begins at this place."""
    try:
        DECODER.raw_decode(text, place)
    except json.JSONDecodeError as problem:
        return problem.msg.startswith("Unterminated string") or CUT_MARK.fullmatch(text, problem.pos) is not None
    except (ValueError, RecursionError):
        pass
    return False


@dataclass
class _Block:
    """An object of YAML: where its keys begin, and the one that what is indented further belongs to."""

    column: int
    keys: dict[str, Any]
    latest: str = ""


def _blocks(text: str) -> dict[str, Any]:
    """The keys of YAML in blocks, in objects and lists as far as their indents tell; a scalar is the text it is.

    Lines of a folded text that look like keys are taken for some, which adds keys and hides none.
    """
    root: dict[str, Any] = {}
    opened = [_Block(0, root)]
    for line in YAML_LINE.finditer(text):
        column = len(line["blank"])
        while opened[-1].column > column:
            opened.pop()
        for _ in range(line["dashes"].count("-")):
            column += 2
            opened.append(_Block(column, _entry(opened[-1])))
        block = opened[-1]
        if block.column < column:
            if block.keys.get(block.latest) != "":
                continue
            block.keys[block.latest] = inner = dict[str, Any]()
            block = _Block(column, inner)
            opened.append(block)
        block.latest = line["key"]
        block.keys[block.latest] = COMMENT.sub("", line["said"]).strip("'\"")
    return root


def _entry(block: _Block) -> dict[str, Any]:
    """A further object of the list under this block's latest key."""
    entry: dict[str, Any] = {}
    listed = block.keys.get(block.latest)
    if isinstance(listed, list):
        listed.append(entry)
    elif block.latest:
        block.keys[block.latest] = [entry]
    return entry


def _header(text: str) -> list[str]:
    """The cells of the first line that is no comment."""
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    try:
        return next(csv.reader([first]), [])
    except csv.Error:
        return []


def _after_blanks(text: str, place: int) -> int:
    match = BLANKS.match(text, place)
    return match.end() if match else place


def _whole(text: str) -> float | int:
    return int(text) if len(text) <= LONGEST_NUMBER else math.inf


DECODER = json.JSONDecoder(parse_int=_whole)


def _begun(text: str, place: int) -> tuple[Any, int]:
    """The value at this place as far as it came, and where it ends; 0 where the text, or its JSON, ends before it."""
    end = len(text)
    try:
        return DECODER.raw_decode(text, place)
    except json.JSONDecodeError as problem:
        end = problem.pos
    except (ValueError, RecursionError):
        pass
    for begun in (text[place:end], HALF_PAIR.sub(r"\1?", text[place:end])):
        with suppress(ValueError):
            return from_json(begun, allow_partial=True), 0
    return None, 0
