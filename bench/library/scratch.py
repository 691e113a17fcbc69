"""Folders in this machine's temporary place: locked while their process lives, cleared away once it was killed."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.library.store import ABANDONED_S, nobody_holds

PREFIX = "kneepoint-import-"
LOCK = ".lock"


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that only this user can read; it goes with the block, or some time after the process was killed."""
    clear_abandoned(PREFIX)
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as folder:
        lock = locked(Path(folder))
        try:
            yield Path(folder)
        finally:
            os.close(lock)


def locked(folder: Path) -> int:
    """The handle of a folder's lock, which says that this process lives until it is closed."""
    lock = os.open(folder / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def clear_abandoned(prefix: str) -> None:
    """Remove the folders of processes that died; a lock tells whose process lives."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        try:
            old = time.time() - folder.stat().st_mtime > ABANDONED_S
            if old and folder.stat().st_uid == os.getuid() and nobody_holds(folder / LOCK):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue
