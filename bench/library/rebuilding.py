"""A library made anew from the files of its sources: packs that cannot be read are moved aside, each source is judged
by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa

from bench.errors import InputError, NotFound
from bench.formats import journal
from bench.library.importing.batch import ImportBatch
from bench.library.importing.discovery import sentence
from bench.library.snapshot import Snapshot, Watch
from bench.library.store import MERGE_LOCK, Root, exclusive, promised, short, source_names, sync_folder
from bench.progress import steps
from bench.records import Refusal

GONE = "Its files are gone: put them back, or purge it."
UNREADABLE = (NotFound, InputError, MemoryError, pa.ArrowException, duckdb.Error)
"""What a source's own files may be the reason of; what a pack or the disk is the reason of ends the rebuild."""


@dataclass(frozen=True)
class Rebuilt:
    """What a rebuild did: how many sources were read again, which could not be and why, and which packs it moved aside
    because they were damaged, with how."""

    sources: int
    unread: Mapping[str, str] = field(default_factory=dict)
    moved_aside: Mapping[str, str] = field(default_factory=dict)


def move_damaged_aside(root: Root, watch: Watch) -> dict[str, str]:
    """The packs of this root that were damaged, by name with how; they lie in `damaged/` now and nobody reads them."""
    moved = {}
    with exclusive(root.path / MERGE_LOCK, wait=True):
        snapshot = watch.look()
        watch.leave_out_damaged([*snapshot.packs, *snapshot.superseded])
        for path, why in watch.look().damaged.items():
            pack = Path(path)
            if pack.parent == root.points:
                root.damaged.mkdir(exist_ok=True)
                pack.rename(root.damaged / pack.name)  # first, so that nobody reads it without what lies beside it
                for file in root.points.glob(f"{pack.stem}.*"):
                    file.rename(root.damaged / file.name)
                moved[pack.name] = why
        if moved:
            sync_folder(root.damaged)
    return moved


def read_again(batch: ImportBatch, root: Root, ids: list[str], watch: Watch) -> dict[str, str]:
    """Why some of these sources could not be read again; the others are in the batch."""
    unread = {}
    for source_id in steps(ids, short):
        try:
            batch.retake(source_id, root.source(source_id))
        except UNREADABLE as problem:
            if watch.look().purged(source_id):
                continue  # meanwhile, by another process
            told = isinstance(problem, NotFound)
            unread[source_id] = str(problem) if told else sentence(root.source(source_id), problem)
            batch.refuse(Refusal(source_id, unread[source_id]), source_id)
    return unread


def without_rows(root: Root, watch: Watch) -> list[str]:
    """The sources whose files are in this root while no pack holds rows of them: their pack is gone, or damaged.

    One that an import is publishing is none, and where that has just ended a second look finds its pack.
    """
    lacking = _lacking(root, watch.look())
    coming = promised(root) if lacking else set()
    left = set(_lacking(root, watch.look())) if lacking else set()
    return [source_id for source_id in lacking if source_id in left - coming]


def _lacking(root: Root, snapshot: Snapshot) -> list[str]:
    held = {id for pack in (*snapshot.packs, *snapshot.superseded) for id in pack.held}
    missing = (id for id in source_names(root) if id not in held and not journal.SWEEP_ID.fullmatch(id))
    return [id for id in missing if not snapshot.purged(id)]


def without_files(root: Root, watch: Watch) -> list[str]:
    """The sources whose rows are in packs of this root and whose files are not, though nobody has purged them.

    What ships may have been read into a pack of one's own, as a stated fact does it; its files lie where it ships.
    """
    snapshot = watch.look()
    packs = [pack for pack in (*snapshot.packs, *snapshot.superseded) if pack.shipped and root.writable]
    elsewhere = {id for pack in packs for id in pack.held}
    held = [held.id for held, pack in snapshot.held() if pack.path.parent == root.points]
    gone = [id for id in held if id not in elsewhere and not root.source(id).is_dir()]
    now = watch.look()  # a purge is told before the files go
    return [source_id for source_id in gone if not now.purged(source_id)]
