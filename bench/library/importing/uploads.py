"""Uploaded files on their way into the library: in a private folder of this machine, until imported or given up."""

from __future__ import annotations

import contextlib
import re
import tempfile
import threading
import unicodedata
import weakref
from collections.abc import Iterable
from pathlib import Path

from bench.errors import InputError
from bench.library import store
from bench.wording import counted

PREFIX = "kneepoint-upload-"
MOST_FILES = 500
"""More single files than this belong into a zip, which arrives as one."""

MOST_BYTES = 256 << 20
"""All files of one import together: a browser's upload stands in memory until it lies here."""

NAME_BYTES = 180
"""Of the 255 a file system allows: the library adds endings of its own."""

KEPT_S = 3600.0
"""So long files wait for their import; Streamlit keeps the session of a closed tab until another tab is closed."""

UNWANTED = re.compile(r"[^\w.() -]")


def cleaned(name: str) -> str:
    """The name as one harmless part of a path: no folder, no hidden, invisible or markup character; never empty.

    The ending is kept, since a source card is found beside its table by name.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    plain = UNWANTED.sub("_", last).strip(" .")
    stem, dot, ending = plain.rpartition(".")
    if not dot or len(ending) > 16:
        stem, dot, ending = plain, "", ""
    room = NAME_BYTES - len((dot + ending).encode())
    stem = stem.encode()[:room].decode(errors="ignore").strip(" .")
    return f"{stem or 'file'}{dot}{ending}"


class UploadFolder:
    """The files of one import as they were uploaded, in a folder only this user can read.

    The folder goes when it is discarded, when the object is forgotten, and KEPT_S after the last file came.
    """

    def __init__(self) -> None:
        clear_abandoned()
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        lock = contextlib.ExitStack()
        lock.enter_context(store.locked_folder(self.folder))
        self._paths: list[Path] = []
        self._bytes = 0
        self.discard = weakref.finalize(self, lock.close)
        self._clock: threading.Timer | None = None
        _OPEN.add(self)
        self._wind()

    @property
    def is_gone(self) -> bool:
        """Whether the files have been removed."""
        return not self.discard.alive

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file, in the order they came."""
        return tuple(self._paths)

    def add(self, files: Iterable[tuple[str, bytes]]) -> None:
        """Put the files in the folder under their cleaned names.

        What came together lies side by side, as a table and its card must; what has the name of a file that is there
        already lies in a folder of its own.
        InputError when they are more, or larger, than one import takes; those that came before stay.
        """
        self._wind()
        dropped = [(cleaned(name), content) for name, content in files]
        first = 1
        while any((self.folder / str(first) / name).exists() for name, _ in dropped):
            first += 1
        for name, content in dropped:
            if len(self._paths) >= MOST_FILES:
                raise InputError(f"One import takes {counted(MOST_FILES, 'file')}; put more into a zip.")
            if self._bytes + len(content) > MOST_BYTES:
                raise InputError(
                    f"{name} and the files before it are larger than {MOST_BYTES >> 20} MB together;"
                    " import them in parts."
                )
            path = self._free(name, first)
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            self._paths.append(path)
            self._bytes += len(content)

    def hold(self) -> None:
        """Keep the files until they are discarded, as while they are imported."""
        if self._clock is not None:
            self._clock.cancel()

    def shown(self, path: str) -> str:
        """A path in the folder, or in an archive there, as its reader knows it: without the folders."""
        try:
            inside = Path(path).relative_to(self.folder)
        except ValueError:
            return path
        return Path(*inside.parts[1:]).as_posix()

    def _wind(self) -> None:
        """Let the time to wait begin anew."""
        self.hold()
        self._clock = threading.Timer(KEPT_S, self.discard)
        self._clock.daemon = True
        self._clock.start()

    def _free(self, name: str, number: int) -> Path:
        """Where a file of this name may lie, from the folder of this number on."""
        while (path := self.folder / str(number) / name).exists():
            number += 1
        return path


_OPEN: weakref.WeakSet[UploadFolder] = weakref.WeakSet()


def discard_all() -> None:
    """Remove what was uploaded to this process, as at its end."""
    for spool in list(_OPEN):
        spool.hold()
        spool.discard()


def clear_abandoned() -> None:
    """Remove what processes that died had been given, or were importing."""
    store.clear_abandoned(store.temporary(PREFIX) + store.temporary(store.SCRATCH))
