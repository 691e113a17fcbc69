"""Files copied into staging: their bytes are hashed, read and published, and the file they came from is left alone."""

from __future__ import annotations

import hashlib
import shutil
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from bench.errors import InputError
from bench.library.store import Manifest, Root, sync_file, sync_folder, write_file

SYNCS = 16
"""So many files are handed to the disk at a time; a journal commits them together."""


@dataclass(frozen=True)
class Staged:
    """A result file and its companions, copied into staging: the bytes that are hashed, read and published.

    `digests` are the sha256 of the main file and then of each companion.
    """

    source_id: str
    digests: tuple[str, ...]
    main: Path
    companions: tuple[Path, ...]
    folder: Path


def stage(path: Path, companions: Sequence[Path], folder: Path) -> Staged:
    """The files copied under `folder`, with their source id; they are on the disk once they are published.

    A single file's id is the sha256 of its bytes; with companions it is the sha256 of every name and sha256.
    """
    into = folder / uuid.uuid4().hex
    names = [path.name, *(_relative(companion, path) for companion in companions)]
    if "manifest.json" in names:
        raise InputError(f"{path.name} and its companions may not be named manifest.json; rename the file.")
    copies = [into / name for name in names]
    digests = tuple(_copied(source, copy) for source, copy in zip((path, *companions), copies, strict=True))
    return Staged(_source_id(names, digests), digests, copies[0], tuple(copies[1:]), into)


def as_it_lies(path: Path, companions: Sequence[Path]) -> Staged:
    """The files where they are, not copied, with the source id they would get."""
    names = [path.name, *(_relative(companion, path) for companion in companions)]
    digests = tuple(sha256_of(source) for source in (path, *companions))
    return Staged(_source_id(names, digests), digests, path, tuple(companions), path.parent)


def source_id_of(path: Path, companions: Sequence[Path]) -> str:
    """The source id these files would get, without copying them."""
    return as_it_lies(path, companions).source_id


def sha256_of(source: Path) -> str:
    """The sha256 of a file's bytes; InputError when it cannot be read."""
    with _opened(source) as reading:
        return hashlib.file_digest(reading, "sha256").hexdigest()


def publish_sources(sources: Sequence[tuple[Staged, Manifest]], root: Root) -> None:
    """Bring each source's folder to its place, unless another process was faster.

    They are written to the disk side by side, which takes a thousand of them as it takes a hundred.
    """
    with ThreadPoolExecutor(max_workers=SYNCS, thread_name_prefix="sources") as disk:
        for _ in disk.map(_settle, sources):
            pass
    root.sources.mkdir(parents=True, exist_ok=True)
    for staged, _ in sources:
        final = root.source(staged.source_id)
        try:
            staged.folder.rename(final)
        except OSError:
            if not (final / "manifest.json").is_file():
                raise
    sync_folder(root.sources)


def _settle(source: tuple[Staged, Manifest]) -> None:
    """Bring a source's files and their names to the disk, still in staging."""
    staged, manifest = source
    write_file(staged.folder / "manifest.json", manifest.encoded())
    for path in (staged.main, *staged.companions):
        sync_file(path)
    for folder in {staged.folder, *(path.parent for path in staged.companions)}:
        sync_folder(folder)


def _relative(companion: Path, main: Path) -> str:
    try:
        name = companion.relative_to(main.parent).as_posix()
    except ValueError as problem:
        raise InputError(f"{companion.name} belongs to {main.name} but lies outside its folder.") from problem
    if ".." in name.split("/"):
        raise InputError(f"{companion.name} belongs to {main.name} but lies outside its folder.")
    return name


def _source_id(names: Sequence[str], digests: Sequence[str]) -> str:
    if len(digests) == 1:
        return digests[0]
    first, *others = zip(("", *names[1:]), digests, strict=True)
    listed = [first, *sorted(others)]
    return hashlib.sha256("".join(f"{digest} {name}\n" for name, digest in listed).encode()).hexdigest()


def _copied(source: Path, target: Path) -> str:
    """The sha256 of a file that is copied now."""
    with _opened(source) as reading:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as writing:
            shutil.copyfileobj(reading, writing)
    return sha256_of(target)


def _opened(source: Path) -> FileIO:
    try:
        return source.open("rb", buffering=0)
    except OSError as problem:
        raise InputError(f"{source.name} cannot be read: {problem.strerror}.") from problem
