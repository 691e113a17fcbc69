"""Good results of any tool, damaged as a file may be and as a person may edit it, the same ones for the same seed."""

from __future__ import annotations

import copy
import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bench import formats
from bench.errors import InputError
from bench.formats.reading import SourceFile
from tests.formats.mutations import BYTE_DAMAGES, DAMAGES, HOSTILE

SAMPLES = Path(__file__).parents[1] / "samples"
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    0.5,
    1e308,
    -1e308,
    10**40,
    float("nan"),
    float("inf"),
    "",
    "12",
    "1e3",
    [],
    {},
    [1],
    [[]],
    {"a": 1},
    {"a": {"a": 1}},
    [None],
    ["x"],
    "\ud800",
    *HOSTILE,
)
FACTORS = (0, -1, 1e-9, 1e-3, 1e3, 1e9, 1e300)
NARROW, DEEP = 3, 12


@dataclass(frozen=True)
class DamagedResult:
    """A damaged result: its name, its bytes, the good file it was made from, and what was done to it."""

    name: str
    content: bytes
    sample: Path
    story: str


@cache
def main_files(format_name: str) -> list[Path]:
    """The result files among a format's samples; those that only belong to one, or repeat it, are left out."""
    files = sorted(path for path in (SAMPLES / format_name).rglob("*") if path.is_file())
    found, beside = [], set()
    for path in files:
        try:
            module = formats.recognise(SourceFile(path))
            companions = formats.companions(module, path)
            module.read(SourceFile(path, companions))
        except InputError:
            continue
        found.append(path)
        beside.update(companions)
    own = [path for path in found if path not in beside]
    sums = formats.restated(formats.recognise(SourceFile(own[0])), own) if own else {}
    return [path for path in own if path not in sums]


def damaged_results(format_name: str, count: int, seed: int) -> Iterator[DamagedResult]:
    """So many damaged results of a format; the same ones for the same count and seed."""
    chance = random.Random(f"{format_name} {seed}")
    samples = [(path, path.read_bytes()) for path in main_files(format_name)]
    for number in range(count):
        path, content = chance.choice(samples)
        story = []
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            kinds = (_values, _values, chance.choice(BYTE_DAMAGES if path.suffix == ".parquet" else DAMAGES))
            damage = chance.choice(kinds)
            content = damage(content, chance) or b"\n"
            story.append(damage.__name__.strip("_"))
        yield DamagedResult(f"{number:05}-{path.name}", content, path, f"{path.name}: {', then '.join(story)}")


def _values(content: bytes, chance: random.Random) -> bytes:
    """Some values of the document are others: of another type, much larger, nothing, or gone."""
    for read, write in CODECS:
        try:
            document = read(content)
        except (ValueError, yaml.YAMLError, RecursionError, csv.Error):
            continue
        if isinstance(document, dict | list) and document:
            for _ in range(chance.choice((1, 1, 2, 5))):
                _change_one(document, chance)
            return write(document)
    return content


def _change_one(document: Any, chance: random.Random) -> None:
    places = list(_places(document, 0))
    if not places:
        return
    holder, key = chance.choice(places)
    value = holder[key]
    kind = chance.randrange(5)
    if kind == 0 and isinstance(holder, dict):
        del holder[key]
    elif kind == 1 and isinstance(holder, dict):
        holder[f"{key}{chance.choice('x_ ')}"] = holder.pop(key)
    elif kind == 2 and isinstance(value, int | float) and not isinstance(value, bool):
        holder[key] = value * chance.choice(FACTORS)
    elif kind == 3:
        other, name = chance.choice(places)
        holder[key] = copy.deepcopy(other[name])
    else:
        holder[key] = copy.deepcopy(chance.choice(VALUES))


def _places(value: Any, depth: int) -> Iterator[tuple[Any, Any]]:
    """Every key of every object and the first few places of every list."""
    keys = list(value) if isinstance(value, dict) else range(min(len(value), NARROW))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list) and depth < DEEP:
            yield from _places(value[key], depth + 1)


def _read_lines(content: bytes) -> Any:
    lines = content.decode().splitlines()
    if len(lines) < 2:
        raise ValueError
    return [json.loads(line) for line in lines if line]


def _write_lines(document: Any) -> bytes:
    return "\n".join(json.dumps(one) for one in document).encode()


def _read_csv(content: bytes) -> Any:
    rows = list(csv.reader(io.StringIO(content.decode())))
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ValueError
    return rows


def _write_csv(document: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(row if isinstance(row, list) else [row] for row in document)
    return text.getvalue().encode(errors="replace")


CODECS: tuple[tuple[Callable[[bytes], Any], Callable[[Any], bytes]], ...] = (
    (json.loads, lambda document: json.dumps(document).encode()),
    (_read_lines, _write_lines),
    (_read_csv, _write_csv),
    (yaml.safe_load, lambda document: yaml.safe_dump(document).encode(errors="replace")),
)
