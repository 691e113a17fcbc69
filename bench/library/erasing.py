"""Sources deleted for good: their files, their rows, and what a purge that was cut off has left of them.

Deleting comes before writing anew, so that it needs no room that it does not make. What cannot be deleted is told.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from bench.errors import BenchError, InputError
from bench.library.merging import rewritten_without
from bench.library.packs import read_sheet
from bench.library.snapshot import Snapshot, Watch
from bench.library.store import MERGE_LOCK, Root, exclusive, names_in, short


def delete_files(root: Root, source_id: str) -> None:
    """Delete the source's own files. OSError where one of them stays."""
    try:
        shutil.rmtree(root.source(source_id))
    except FileNotFoundError:
        if root.source(source_id).is_dir():  # another process deletes it too, and was faster with a file
            delete_files(root, source_id)


def erase(root: Root, source_id: str, watch: Watch, *, wait: bool) -> None:
    """Delete files and rows of a source that was purged. Without `wait` they are left to whoever is at
    work on the packs.

    BenchError says what is left, and what to do; the rest is gone, and nothing of it is shown.
    """
    why = ""
    with exclusive(root.path / MERGE_LOCK, wait=wait) as ours:
        if not ours or not watch.look().purged(source_id):  # brought back meanwhile by another process
            return
        try:
            delete_files(root, source_id)
            for pack in _stray(root):
                if _may_hold(pack, source_id):
                    _delete_pack(pack)
            rewritten_without(root, source_id, watch)
        except OSError as problem:
            why = f" ({(problem.strerror or str(problem)).lower()})"
        left = left_of(root, watch.look(), source_id)
    if left:
        raise BenchError(
            f"The source {short(source_id)} is hidden for good, but not yet deleted{why}: {left[0]} is still in the "
            "library; make room and give leave to write there, rebuild the library if the pack is damaged, and purge "
            "it again."
        )


def unfinished(root: Root, snapshot: Snapshot) -> list[str]:
    """The purged sources of which something is left: a purge was cut off, or an import was under way meanwhile."""
    purged = (id for id, retraction in snapshot.ledgers.retractions.items() if retraction.purged)
    return [id for id in purged if left_of(root, snapshot, id)]


def left_of(root: Root, snapshot: Snapshot, source_id: str) -> list[str]:
    """The places below a library's folder where something of a source lies, or may."""
    files = [root.source(source_id)] if root.source(source_id).is_dir() else []
    packs = [pack.path for pack in (*snapshot.packs, *snapshot.superseded) if source_id in pack.held]
    unread = (path for path in (*map(Path, snapshot.damaged), *_stray(root)) if _may_hold(path, source_id))
    own = (path for path in (*packs, *unread) if path.parent in (root.points, root.damaged))
    return [path.relative_to(root.path).as_posix() for path in (*files, *own)]


def _stray(root: Root) -> Iterator[Path]:
    """Packs that nobody reads any more: moved aside as damaged, or gone but for what lay beside them."""
    for folder in (root.points, root.damaged):
        names = names_in(folder)
        for stem in sorted({name.partition(".")[0] for name in names}):
            if folder == root.damaged or f"{stem}.parquet" not in names:
                yield folder / f"{stem}.parquet"


def _may_hold(pack: Path, source_id: str) -> bool:
    """Whether a pack holds rows of the source; nobody knows of one without a sheet, unless it just went whole."""
    try:
        return any(held.id == source_id for held in read_sheet(pack).sources)
    except InputError:
        return any(pack.parent.glob(f"{pack.stem}.*"))


def _delete_pack(pack: Path) -> None:
    """Delete all of a pack, its sheet last: as long as something is left, that says whose rows they are."""
    sheet = pack.with_suffix(".json")
    for path in (pack, *(path for path in pack.parent.glob(f"{pack.stem}.*") if path != sheet), sheet):
        path.unlink(missing_ok=True)
