"""The same result in other company: a file whose very bytes the library holds, with more or fewer files beside it.

What lies beside a result enters its source id, so a level's file dropped alone is another source than the same file
with its folder, and its points would count twice.
"""

from __future__ import annotations

import filecmp
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.errors import NotFound
from bench.library.packs import Pack
from bench.library.snapshot import Snapshot
from bench.library.staging import Staged
from bench.library.store import Root, read_manifest

Files = Mapping[str, Path]
"""Files by their place beside the main one."""


@dataclass(frozen=True)
class Kin:
    """A source with the same main file. `fewer`: it had only some of the files that are beside the new one."""

    source_id: str
    fewer: bool


@dataclass(frozen=True)
class _Place:
    """Where the files of a source lie; `beside` is None where its manifest has to be read for it."""

    source_id: str
    main: Path
    beside: Files | None


class Company:
    """The main files of a library's sources, and of those an import took so far."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._by_name: dict[tuple[str, str], list[tuple[str, Pack]]] | None = None
        self._by_size: dict[tuple[str, str], dict[int, list[_Place]]] = {}

    def kin(self, format_name: str, staged: Staged) -> Kin | None:
        """The source that this file is already, all files beside one of them being beside the other.

        One with as many files or more, if there is one; None where there is neither.
        """
        alike = self._alike(format_name, staged.main)
        own, found = _beside(staged), None
        for place in alike.get(_size(staged.main), []):
            if not filecmp.cmp(staged.main, place.main, shallow=False):
                continue
            beside = _stored(place) if place.beside is None else place.beside
            if _among(own, beside):
                return Kin(place.source_id, fewer=False)
            if _among(beside, own):
                found = Kin(place.source_id, fewer=True)
        return found

    def add(self, format_name: str, staged: Staged) -> None:
        """Nothing; a file that this import took is known from now on."""
        alike = self._alike(format_name, staged.main)
        place = _Place(staged.source_id, staged.main, _beside(staged))
        alike.setdefault(_size(staged.main), []).append(place)

    def _alike(self, format_name: str, main: Path) -> dict[int, list[_Place]]:
        """The sources of this format whose main file has this name, by its size."""
        if self._by_name is None:
            self._by_name = {}
            for held, pack in self._snapshot.held():
                self._by_name.setdefault((held.format, held.file), []).append((held.id, pack))
        key = (format_name, main.name)
        if key not in self._by_size:
            sizes: dict[int, list[_Place]] = {}
            for source_id, pack in self._by_name.get(key, []):
                folder = Root(pack.path.parent.parent, writable=False).source(source_id)
                sizes.setdefault(_size(folder / main.name), []).append(
                    _Place(source_id, folder / main.name, None)
                )
            self._by_size[key] = sizes
        return self._by_size[key]


def _size(path: Path) -> int:
    """The bytes of a file; below 0 where it is not there."""
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _beside(staged: Staged) -> Files:
    return {path.relative_to(staged.folder).as_posix(): path for path in staged.companions}


def _stored(place: _Place) -> Files:
    folder = place.main.parent
    try:
        return {name: folder / name for name in read_manifest(folder).companions}
    except NotFound:
        return {}


def _among(some: Files, all_of: Files) -> bool:
    """Whether each of these files lies among the others, with the same bytes."""
    try:
        return some.keys() <= all_of.keys() and all(
            filecmp.cmp(path, all_of[name], shallow=False) for name, path in some.items()
        )
    except OSError:
        return False
