"""Folders of a library on disk, and writes that are either there whole or not there at all."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import Any

from bench.errors import NotFound
from bench.formats import journal

SOURCE_ID = re.compile(r"[0-9a-f]{64}")
SHORT_ID = re.compile(r"[0-9a-f]{16}")
BEGINNING = re.compile(r"[0-9a-f]{8,63}|[0-9]{8}-[0-9a-f-]{0,14}")
"""How a source id may begin that a person has not written out."""

ABANDONED_S = 60
SCRATCH = "kneepoint-import-"
"""What the names of folders in the temporary place begin with."""

LOCK, EARLIER_LOCK = "lock", ".lock"
"""The file whose lock says that a folder's process lives, and its name in temporary folders before."""
FULL = (errno.ENOSPC, errno.EDQUOT)
"""What the system says of a disk that takes no more."""

PROMISED = "promised"
"""The file of a staging folder that names the sources its process is bringing."""

MERGE_LOCK = "merge.lock"
"""Whoever makes packs of packs, moves them or deletes from them has this lock of the library."""


@dataclass(frozen=True)
class Root:
    """One library folder; the shipped one is only read."""

    path: Path
    writable: bool

    @property
    def sources(self) -> Path:
        """Result files as they came, a folder for each source id."""
        return self.path / "sources"

    @property
    def points(self) -> Path:
        """The packs and what lies beside them."""
        return self.path / "points"

    @property
    def models(self) -> Path:
        """The config.json of each model that was dropped in, by the model's slug."""
        return self.path / "models"

    @property
    def damaged(self) -> Path:
        """The packs that a rebuild moved aside, since they could not be read."""
        return self.path / "damaged"

    @property
    def staging(self) -> Path:
        """Where unfinished writes lie; on the same file system, so that a rename publishes them."""
        return self.path / "tmp"

    @property
    def staged(self) -> list[Path]:
        """The folders of unfinished writes."""
        return list(self.staging.iterdir()) if self.staging.is_dir() else []

    def ledger(self, name: str) -> Path:
        """The append-only file of this name."""
        return self.path / f"{name}.jsonl"

    def source(self, source_id: str) -> Path:
        """The folder of a source; NotFound when the text is no source id, so it never becomes a path."""
        if journal.SWEEP_ID.fullmatch(source_id):
            return self.path / journal.SWEEPS / source_id
        if not is_source_id(source_id):
            raise NotFound(f"{source_id[:80]!r} is not a source id; it has 64 hexadecimal digits, or is a sweep's.")
        return self.sources / source_id


@dataclass(frozen=True)
class Manifest:
    """What a source folder says about its own files; names are relative to the folder.

    `points_of` is the id of the source that this one continues, under which its points have their ids, so that links
    to them stay true; None where they have them under its own.
    """

    main: str
    companions: tuple[str, ...]
    format: str
    file: str
    imported: str
    points_of: str | None = None

    def encoded(self) -> bytes:
        """The manifest as it lies on disk."""
        stated = {**self.__dict__, "companions": list(self.companions)}
        if self.points_of is None:
            del stated["points_of"]
        return json.dumps(stated, indent=1, ensure_ascii=False).encode()


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a source folder; NotFound when the folder or the manifest is missing or damaged.

    A sweep's folder needs none: what it is follows from its id.
    """
    if journal.SWEEP_ID.fullmatch(folder.name):
        return _of_sweep(folder)
    try:
        stated = document((folder / "manifest.json").read_bytes())
        said = {key: stated[key] for key in ("main", "format", "file", "imported")}
        companions = tuple(stated["companions"])
        if not all(isinstance(text, str) for text in (*said.values(), *companions)):
            raise TypeError("every name is a text")
        continued = stated.get("points_of")
        return Manifest(**said, companions=companions, points_of=continued if is_source_id(str(continued)) else None)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise NotFound(f"The source {folder.name[:12]}… has no readable manifest.json; import it again.") from problem


def _of_sweep(folder: Path) -> Manifest:
    if not (folder / journal.FILE).is_file():
        raise NotFound(f"The sweep {folder.name} has no journal: it has measured nothing yet.")
    day, time_of_day, _ = folder.name.split("-")
    began = "-".join((day[:4], day[4:6], day[6:])) + "T" + ":".join(wrap(time_of_day, 2)) + "+00:00"
    file = f"{journal.SWEEPS}/{folder.name}/{journal.FILE}"
    return Manifest(journal.FILE, (), journal.NAME, file, began)


def is_source_id(text: str) -> bool:
    """Whether the text can be a source's id."""
    return bool(SOURCE_ID.fullmatch(text) or journal.SWEEP_ID.fullmatch(text))


def short(source_id: str) -> str:
    """The id as a person is told it: a sweep's whole, of any other the beginning."""
    return source_id if journal.SWEEP_ID.fullmatch(source_id) else source_id[:12]


def named(text: str, known: Collection[str]) -> str:
    """The one of these source ids that this is, or the beginning of; NotFound when it is of none or of several."""
    if is_source_id(text) and text in known:
        return text
    begun = [key for key in known if key.startswith(text)] if BEGINNING.fullmatch(text) else []
    if len(begun) != 1:
        raise NotFound(f"There is no source {text[:80]!r} in the library; `sources` lists them.")
    return begun[0]


def sources_in(root: Root) -> list[str]:
    """The sources whose files lie in this folder, in the order they were imported; sweeps that measured something."""
    return sorted(source_names(root), key=lambda name: (_imported(root.source(name)), name))


def source_names(root: Root) -> list[str]:
    """The same in the order of their ids, without a look at what is in them."""
    found = [name for name in names_in(root.sources) if SOURCE_ID.fullmatch(name)]
    sweeps = [name for name in names_in(root.path / journal.SWEEPS) if journal.SWEEP_ID.fullmatch(name)]
    return sorted(found) + sorted(name for name in sweeps if (root.source(name) / journal.FILE).is_file())


def names_in(folder: Path) -> list[str]:
    """The names of what lies in a folder; none where it is not there."""
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _imported(folder: Path) -> str:
    """When a source was imported; empty when its manifest cannot be read."""
    try:
        return read_manifest(folder).imported
    except NotFound:
        return ""


@contextlib.contextmanager
def staging_folder(root: Root) -> Iterator[Path]:
    """A new folder for unfinished writes, locked while this process lives and removed at the end."""
    root.staging.mkdir(parents=True, exist_ok=True)
    folder = root.staging / f"{uuid.uuid4().hex}-{os.getpid()}"
    folder.mkdir()
    with locked_folder(folder):
        yield folder


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder of this machine's temporary place that only this user can read; it is removed at the end."""
    clear_abandoned(temporary(SCRATCH))
    with locked_folder(Path(tempfile.mkdtemp(prefix=SCRATCH))) as folder:
        yield folder


@contextlib.contextmanager
def locked_folder(folder: Path) -> Iterator[Path]:
    """The folder, locked while this process lives, so that it can be cleared away after a kill; removed at the end."""
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def promise(folder: Path, sources: Iterable[str]) -> None:
    """Say in a staging folder that its process brings these sources, and behind them a pack of their rows."""
    (folder / PROMISED).write_text("\n".join(sources))


def promised(root: Root) -> set[str]:
    """The sources that living processes are bringing, whose rows may not be there yet."""
    found = set[str]()
    for name in names_in(root.staging):
        with contextlib.suppress(OSError):
            names = (root.staging / name / PROMISED).read_text().split()
            found.update(() if nobody_holds(root.staging / name / LOCK) else names)
    return found


def temporary(prefix: str) -> list[Path]:
    """This user's folders of the machine's temporary place whose names begin so; others may put any there."""
    own = []
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            if folder.lstat().st_uid == os.getuid():
                own.append(folder)
    return own


def clear_abandoned(folders: Iterable[Path], of_process: int | None = None) -> None:
    """Remove those of these locked folders whose process died a while ago, or is this one, which is known to have."""
    for folder in folders:
        with contextlib.suppress(OSError):
            settled = time.time() - folder.stat().st_mtime > ABANDONED_S
            known = of_process is not None and folder.name.endswith(f"-{of_process}")
            if (settled or known) and all(nobody_holds(folder / name) for name in (LOCK, EARLIER_LOCK)):
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def exclusive(path: Path, *, wait: bool) -> Iterator[bool]:
    """Whether this process now holds the lock of this name; it ends with the block, or with the process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(lock)


def write_file(path: Path, content: bytes) -> None:
    """Write the bytes to the disk. For files in staging: the name appears before the content."""
    with path.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def publish(files: Sequence[tuple[Path, Path]]) -> None:
    """Rename (from, to) in this order, each one durable before the last makes the whole visible."""
    if not files:
        return
    *before, (last, final) = files
    final.parent.mkdir(parents=True, exist_ok=True)
    for source, target in files:
        sync_file(source)
        if target.parent != final.parent:
            raise ValueError("files published together lie in one folder")
    for source, target in before:
        source.rename(target)
    sync_folder(final.parent)
    last.rename(final)
    sync_folder(final.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in the folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def append_lines(path: Path, *entries: Mapping[str, Any]) -> None:
    """Append each entry as one JSON line, on a fresh line even after a torn one, and bring all to the disk.

    OSError when the disk does not take them; then none of them is in the file. One process at a time appends, so that
    what is cut off again is its own.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [as_line(entry) for entry in entries]
    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        before = os.fstat(handle).st_size
        torn = before > 0 and os.pread(handle, 1, before - 1) != b"\n"
        try:
            _written(handle, b"\n" * torn + b"".join(lines))
            os.fsync(handle)
            if not before:
                sync_folder(path.parent)
        except OSError:
            os.ftruncate(handle, before)
            raise
    finally:
        os.close(handle)


def as_line(entry: Mapping[str, Any]) -> bytes:
    """An entry as a line of a ledger; equal entries are equal bytes."""
    return json.dumps(entry, ensure_ascii=False, sort_keys=True, allow_nan=False, default=str).encode() + b"\n"


def document(content: bytes | str) -> dict[str, Any]:
    """The JSON object that one of our own files holds; ValueError where it holds none, or one that cannot be written.

    Such is one that is too deep, or has half a surrogate pair in a text.
    """
    try:
        read = json.loads(content)
        json.dumps(read, ensure_ascii=False).encode()
    except RecursionError as problem:
        raise ValueError("it is too deep") from problem
    if not isinstance(read, dict):
        raise ValueError("it is no JSON object")
    return read


def _written(handle: int, content: bytes) -> None:
    """Write it all: a disk that is nearly full takes a part, and says at the next part that it is full."""
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def sync_file(path: Path) -> None:
    """Bring the file's content to the disk."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def nobody_holds(lock: Path) -> bool:
    """Whether no process holds the lock of this file; so too where there is no such file."""
    try:
        handle = os.open(lock, os.O_RDONLY | os.O_NONBLOCK)  # a pipe of that name would never open
    except (FileNotFoundError, NotADirectoryError):
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
