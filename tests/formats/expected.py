"""What the samples of a format hold as they are read, kept beside them in .expected.json, which an import passes over.

Written anew by `python -m tests.formats.expected`.

Of each result file the number of points and the first of them, with all columns and metrics that they state. The words
of notes and flags are left out, the flags' kinds are kept.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.formats.damage import SAMPLES, main_files
from tests.formats.reading_of import read_points

MOST = 5
"""So many points of a file are kept."""


def as_read(name: str) -> dict[str, dict[str, Any]]:
    """Of each result file of a format, by its path in the folder, the number of points and the first ones."""
    found = {}
    for path in main_files(name):
        points, _ = read_points(path)
        first = [dict(sorted(_plain(point).items())) for point in points[:MOST]]
        found[path.relative_to(SAMPLES / name).as_posix()] = {"points": len(points), "first": first}
    return found


def kept(name: str) -> dict[str, dict[str, Any]]:
    """What was written of a format's samples."""
    found: dict[str, dict[str, Any]] = json.loads(path_of(name).read_text())
    return found


def path_of(name: str) -> Path:
    """Where it is kept."""
    return SAMPLES / name / ".expected.json"


def _plain(point: Mapping[str, Any]) -> dict[str, Any]:
    said = {key: value for key, value in point.items() if key not in ("note", "flags")}
    kinds = [flag["kind"] for flag in json.loads(point.get("flags") or "[]")]
    dates = {key: str(value) for key, value in said.items() if isinstance(value, datetime.date)}
    return said | dates | ({"flags": " ".join(kinds)} if kinds else {})


def _written(found: Mapping[str, dict[str, Any]]) -> str:
    """The text of the file: a line for each point."""
    files = []
    for path, one in found.items():
        first = ",\n".join(f"    {json.dumps(point)}" for point in one["first"])
        files.append(f'  {json.dumps(path)}: {{"points": {one["points"]}, "first": [\n{first}\n  ]}}')
    return "{\n" + ",\n".join(files) + "\n}\n"


if __name__ == "__main__":
    for folder in sorted(one for one in SAMPLES.iterdir() if one.is_dir()):
        path_of(folder.name).write_text(_written(as_read(folder.name)))
