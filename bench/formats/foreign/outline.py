"""What a text file of unknown origin begins with: enough to recognise a format by its keys, however it goes on."""

from __future__ import annotations

import csv
import json
import math
import re
from dataclasses import dataclass
from typing import Any, Literal

from bench.formats.text_file import beginning

Kind = Literal["object", "list", "lines", "yaml", "csv", "none"]

BLANKS = re.compile(r"[ \t\r\n]*")
YAML_KEY = re.compile(r"^([A-Za-z_][\w.-]*):[ \t]*(.*?)[ \t]*$", re.MULTILINE)
COMMENT = re.compile(r"(^|\s+)#.*$")
LONGEST_NUMBER = 40
DEEPEST = 16
MISSING: Any = object()


@dataclass(frozen=True)
class Outline:
    """The beginning of a file.

    kind: an object, a list, several objects in lines, YAML, CSV, or none of these.
    value: the first value as far as it came: of lines the first line's, of YAML its top-level keys with the texts
        behind them, of CSV the list of its header's cells.
    """

    kind: Kind
    value: Any = None

    @property
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
        for step in path.split("."):
            name, listed = step.removesuffix("[]"), step.endswith("[]")
            here = here.get(name, MISSING) if isinstance(here, dict) else MISSING
            if listed:
                here = here[0] if isinstance(here, list) and here else MISSING
        return here


def outline_of(head: bytes) -> Outline:
    """What these first bytes of a file are the beginning of."""
    text = beginning(head)
    if text is None:
        return Outline("none")
    place = _after_blanks(text, 0)
    if text[place : place + 1] in ("{", "["):
        value, end = _begun(text, place, 0)
        if isinstance(value, list):
            return Outline("list", value)
        following = _after_blanks(text, end)
        several = end > place and text[following : following + 1] == "{"
        return Outline("lines" if several else "object", value)
    keys = dict(YAML_KEY.findall(text))
    if keys and "," not in text.split("\n", 1)[0].split(":", 1)[0]:
        return Outline("yaml", {key: COMMENT.sub("", said).strip("'\"") for key, said in keys.items()})
    header = _header(text)
    return Outline("csv", header) if len(header) > 1 else Outline("none")


def _header(text: str) -> list[str]:
    try:
        return next(csv.reader([text.split("\n", 1)[0].strip("\r")]), [])
    except csv.Error:
        return []


def _after_blanks(text: str, place: int) -> int:
    match = BLANKS.match(text, place)
    return match.end() if match else place


def _whole(text: str) -> float | int:
    return int(text) if len(text) <= LONGEST_NUMBER else math.inf


DECODER = json.JSONDecoder(parse_int=_whole)


def _begun(text: str, place: int, depth: int) -> tuple[Any, int]:
    """The value at this place as far as it came, and where it ends; 0 where the text ends before it."""
    try:
        return DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        pass
    opened = text[place : place + 1]
    if depth < DEEPEST and opened == "{":
        return _begun_object(text, place + 1, depth), 0
    if depth < DEEPEST and opened == "[":
        return _begun_list(text, place + 1, depth), 0
    return MISSING, 0


def _begun_object(text: str, place: int, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while True:
        place = _after_blanks(text, place)
        if text[place : place + 1] != '"':
            return found
        key, place = _begun(text, place, DEEPEST)
        place = _after_blanks(text, place)
        if not place or text[place : place + 1] != ":":
            return found
        value, place = _begun(text, _after_blanks(text, place + 1), depth + 1)
        if value is not MISSING:
            found[str(key)] = value
        place = _after_blanks(text, place) if place else 0
        if not place or text[place : place + 1] != ",":
            return found
        place += 1


def _begun_list(text: str, place: int, depth: int) -> list[Any]:
    found: list[Any] = []
    while True:
        value, place = _begun(text, _after_blanks(text, place), depth + 1)
        if value is MISSING:
            return found
        found.append(value)
        place = _after_blanks(text, place) if place else 0
        if not place or text[place : place + 1] != ",":
            return found
        place += 1
