"""Small packs become larger ones, superseded packs go, and purged rows leave the disk.

Nobody waits for a merge: readers decide by the sheets which pack owns a source, and a merged pack, being of a later
generation, owns what it was made of. Only one process merges at a time.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bench.errors import InputError, NotFound
from bench.formats import journal
from bench.library.importing.batch import publish_pack, unchanged
from bench.library.packs import SIDECARS, HeldSource, Pack, PackWriter, row_groups
from bench.library.snapshot import Snapshot, Watch
from bench.library.store import FULL, MERGE_LOCK, Root, exclusive, read_manifest, staging_folder

FAN = 16
"""So many packs of one size become one; each size is FAN times the one below."""

LARGEST_ROWS = 131_072
"""A merge makes no larger pack, so that no import waits long for one; a pack half as large stays as it is."""
GRACE_S = 30.0
"""A superseded pack stays this long, for readers that began before the merge."""


def merge(root: Root, watch: Watch) -> None:
    """Merge one group of small packs if there is one and nobody else is merging, and clear up."""
    if not _group(root, watch.look()) and not _left_over(root, watch.look()):
        return
    with exclusive(root.path / MERGE_LOCK, wait=False) as held:
        if not held:
            return
        snapshot = watch.look()
        group = _group(root, snapshot)
        if group and not watch.leave_out_damaged(group):  # else its damage would be in a pack that is called sound
            _rewrite(root, group, snapshot)
        for pack in _left_over(root, watch.look()):
            _remove(pack)


def rewritten_without(root: Root, source_id: str, watch: Watch) -> None:
    """Rewrite each sound pack of this root without the source's rows. The caller has the lock of merges.

    Where the disk has no room for what else a pack holds, the pack goes all the same if every other source of it can be
    read again from its files, for which its own room will do.
    """
    snapshot = watch.look()
    for pack in (*snapshot.packs, *snapshot.superseded):
        if pack.path.parent != root.points or source_id not in pack.held:
            continue
        if any(snapshot.owners.get(held.id) is pack for held in pack.sheet.sources):
            if watch.leave_out_damaged([pack]):
                continue
            try:
                _rewrite(root, [pack], snapshot)
            except OSError as problem:
                others = [held.id for held in pack.sheet.sources if snapshot.owners.get(held.id) is pack]
                if problem.errno not in FULL or not all(_is_as_it_came(root, id) for id in others):
                    raise
        _remove(pack)


def _is_as_it_came(root: Root, source_id: str) -> bool:
    """Whether a source's files are there and are those that were imported."""
    folder = root.source(source_id)
    try:
        manifest = read_manifest(folder)
        if not journal.SWEEP_ID.fullmatch(source_id):
            unchanged(source_id, folder, manifest)
    except (NotFound, InputError):
        return False
    return True


def _group(root: Root, snapshot: Snapshot) -> list[Pack]:
    """The smallest packs of which there are FAN of one size, up to the rows one merge may hold."""
    alike: dict[tuple[int, int], list[Pack]] = {}
    for pack in snapshot.packs:
        if pack.path.parent == root.points and pack.sheet.points <= LARGEST_ROWS // 2:
            alike.setdefault((_level(pack.sheet.points), pack.sheet.importer), []).append(pack)
    crowded = [packs for _, packs in sorted(alike.items()) if len(packs) >= FAN]
    return _within(LARGEST_ROWS, crowded[0]) if crowded else []


def _level(rows: int) -> int:
    level, limit = 0, FAN
    while rows >= limit:
        level, limit = level + 1, limit * FAN
    return level


def _within(rows: int, packs: Sequence[Pack]) -> list[Pack]:
    chosen: list[Pack] = []
    for pack in packs:
        rows -= pack.sheet.points
        if rows < 0:
            break
        chosen.append(pack)
    return chosen


def _rewrite(root: Root, packs: Sequence[Pack], snapshot: Snapshot) -> None:
    """Publish one pack with what these packs own."""
    with staging_folder(root) as folder:
        writer = PackWriter(folder)
        sources: list[HeldSource] = []
        for pack in packs:
            owned = [held for held in pack.sheet.sources if snapshot.owners.get(held.id) is pack]
            kept = pa.array([held.id for held in owned], type=pa.string())
            all_kept = len(owned) == len(pack.sheet.sources)
            for rows in row_groups(pack.path):
                writer.write(rows if all_kept else rows.filter(pc.is_in(rows.column("source_id"), kept)))
            for name in SIDECARS:
                if name in pack.sheet.sidecars:
                    rows = pq.read_table(pack.sidecar(name))
                    writer.write_beside(name, rows.filter(pc.is_in(rows.column("source_id"), kept)))
            sources.extend(owned)
        generation = 1 + max(pack.sheet.generation for pack in packs)
        publish_pack(writer.close(sources, generation=generation, importer=packs[0].sheet.importer), root)


def _left_over(root: Root, snapshot: Snapshot) -> list[Pack]:
    """Superseded packs that no reader can still be reading."""
    return [
        pack
        for pack in snapshot.superseded
        if pack.path.parent == root.points and _age(pack.path) > GRACE_S and _settled(pack, snapshot)
    ]


def _settled(pack: Pack, snapshot: Snapshot) -> bool:
    owners = [snapshot.owners[held.id] for held in pack.sheet.sources if held.id in snapshot.owners]
    return all(_age(owner.path) > GRACE_S for owner in owners)


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def _remove(pack: Pack) -> None:
    for path in pack.files:
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
