"""Changes to endpoints.toml from a form: one endpoint is written anew, all else in the file stays as a hand left it.

The text is changed, not the document: comments and the order of endpoints outlive every change. What is written is
read again before it takes the old file's place.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.errors import UnknownName, UsageError
from bench.library.store import sync_folder
from bench.sweep.folder import writing
from bench.sweep.planning.endpoints import FILE, TABLE, NamedEndpoint, checked, endpoints_in, text_of
from bench.sweep.planning.toml_text import toml

HEADING = re.compile(r"\s*\[")
OF_OURS = re.compile(
    rf"""\s*\[\s*{TABLE}\s*\.\s*(?P<quote>["']?)(?P<name>[A-Za-z0-9_-]+)(?P=quote)\s*[\].]"""
)
INTRODUCTION = (
    "# The endpoints of this library; docs/sweeps.md lists every field. A key is never written here.\n"
)


def keep(library: Path, name: str, stated: Mapping[str, Any]) -> NamedEndpoint:
    """The endpoint as the file states it from now on; one of that name is replaced, its comments kept.

    Raises:
        UsageError: the fields state no endpoint, or a hand wrote this one in a way that only a hand can change.
        InputError, NotWritten: the file cannot be read, or not be written.
    """
    path = library / FILE
    found = checked(name, stated, path)
    _change(path, name, found)
    return found


def forget(library: Path, name: str) -> None:
    """Nothing; the file states no endpoint of this name any more. Raises as `keep`, and UnknownName."""
    path = library / FILE
    known = endpoints_in(text_of(path), path)
    if name not in known:
        raise UnknownName("endpoint", name, known, str(path))
    _change(path, name, None)


def _change(path: Path, name: str, found: NamedEndpoint | None) -> None:
    with _alone(path):
        before = text_of(path)
        lines = _written(name, found) if found is not None else []
        text = _replaced(before or INTRODUCTION, name, lines)
        _demand_only_this(path, before, text, name, found)
        beside = path.with_name(f".{path.name}.{os.getpid()}")
        with writing(path):
            with beside.open("w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            if path.exists():
                beside.chmod(path.stat().st_mode & 0o777)
            beside.replace(path)
            sync_folder(path.parent)


def _written(name: str, endpoint: NamedEndpoint) -> list[str]:
    """The endpoint's tables, a line for each field."""
    document = endpoint.document()
    own = {key: value for key, value in document.items() if not isinstance(value, Mapping)}
    tables = {key: value for key, value in document.items() if isinstance(value, Mapping) and value}
    lines = [f"[{TABLE}.{name}]", *(f"{key} = {toml(value)}" for key, value in own.items())]
    for key, table in tables.items():
        lines += [
            "",
            f"[{TABLE}.{name}.{key}]",
            *(f"{field} = {toml(value)}" for field, value in table.items()),
        ]
    return lines


def _replaced(text: str, name: str, lines: list[str]) -> str:
    """The text with these lines for the endpoint, in its old place or at the end; its own comments above its fields.

    Comments right above the next heading belong to what comes there.
    """
    kept: list[str] = []
    comments: list[str] = []
    place: int | None = None
    ours = False
    pending: list[str] = []
    for line in text.splitlines():
        if HEADING.match(line):
            found = OF_OURS.match(line)
            follows, ours = ours, found is not None and found["name"] == name
            if ours:
                comments += pending if follows else []
                kept += [] if follows else pending
                place = len(kept) if place is None else place
            else:
                kept += pending
            pending = []
            if not ours:
                kept.append(line)
        elif line.lstrip().startswith("#") or not line.strip():
            pending.append(line)
        elif ours:
            comments += pending
            pending = []
        else:
            kept += [*pending, line]
            pending = []
    if ours:
        comments, pending = comments + pending, []
    kept += pending
    told = [line for line in comments if line.strip()]
    entry = [lines[0], *told, *lines[1:]] if lines else []
    if place is None:
        place = len(kept)
    gap = [""] if entry and place and kept[place - 1].strip() else []
    after = [""] if entry and place < len(kept) and kept[place].strip() else []
    return "\n".join([*kept[:place], *gap, *entry, *after, *kept[place:]]) + "\n"


def _demand_only_this(path: Path, before: str, after: str, name: str, found: NamedEndpoint | None) -> None:
    """Nothing; UsageError where the new text would state anything but the old one with this endpoint changed."""
    meant = {key: one for key, one in endpoints_in(before, path).items() if key != name}
    if found is not None:
        meant[name] = found
    try:
        told = endpoints_in(after, path)
    except UsageError:
        told = {}
    if told != meant:
        raise UsageError(
            f"{path} states {name} in a way that cannot be changed from here: change it by hand."
        )


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Of several who change the file at once, one after the other does."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path.with_name(f".{path.name}.lock"), os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
