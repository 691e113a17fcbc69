"""A library held against its own sums: every pack, source and line of a ledger, read to the last byte."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.errors import InputError, NotFound
from bench.formats import journal
from bench.library import erasing, ledger, rebuilding
from bench.library.importing.batch import unchanged
from bench.library.packs import Pack, damage, listed, read_sheet
from bench.library.snapshot import Watch
from bench.library.store import ABANDONED_S, Root, names_in, read_manifest, short, source_names
from bench.progress import steps

REBUILD = "Read the library's sources again: `python -m bench rebuild`."
PUT_BACK = "Put its files back as they came, or purge it."
RESTORE = "It ships with Kneepoint: put its data/library back as it came."
UNKNOWN = "It is of an earlier version, without a sum, and no point, score or source has its id."


@dataclass(frozen=True)
class Damage:
    """Something that is not as it was written: where it is, what is wrong with it, and what to do."""

    where: str
    what: str
    do: str


@dataclass(frozen=True)
class Verified:
    """What was looked at, and what is wrong with it.

    `without_sums` are packs of an earlier version, of which only the beginning and the end of each file are checked;
    `moved_aside` are the packs that a rebuild put into `damaged/`.
    """

    packs: int
    sources: int
    entries: int
    without_sums: int
    moved_aside: int
    wrong: tuple[Damage, ...]


def verify(roots: Sequence[Root], watch: Watch, missing: Callable[[Sequence[str]], set[str]]) -> Verified:
    """Everything in these folders, held against the sums that were written with it.

    `missing` returns those of some ids that no point, score or source has.
    """
    wrong = [one for root in roots for one in (*_wrong_in(root, watch), *_unknown_ids(root, missing))]
    packs = [(root, name) for root in roots for name in listed(root.points)]
    return Verified(
        packs=len(packs),
        sources=sum(len(source_names(root)) for root in roots),
        entries=sum(len(ledger.lines(root.ledger(name))) for root in roots for name in ledger.NEEDED),
        without_sums=sum(not _has_sums(root.points / name) for root, name in packs),
        moved_aside=sum(len(listed(root.damaged)) for root in roots),
        wrong=tuple(wrong),
    )


def _wrong_in(root: Root, watch: Watch) -> Iterator[Damage]:
    yield from _packs(root)
    yield from _sources(root, watch)
    yield from _ledgers(root)
    if root.writable:
        snapshot = watch.look()
        for source_id in erasing.unfinished(root, snapshot):
            what = f"The source {short(source_id)} was purged, and this is left of it."
            for left in erasing.left_of(root, snapshot, source_id):
                yield Damage(left, what, "Purge it again.")


def _packs(root: Root) -> Iterator[Damage]:
    do = REBUILD if root.writable else RESTORE
    packs = set(listed(root.points))
    for name in steps(sorted(packs)):
        path = root.points / name
        try:
            what = damage(Pack(path, read_sheet(path), shipped=not root.writable))
        except InputError as problem:
            what = str(problem) if path.exists() else None
        if what is not None:
            yield Damage(f"{root.points.name}/{name}", f"{what.partition(';')[0]}.", do)
    for name in sorted(name for name in names_in(root.points) if f"{name.partition('.')[0]}.parquet" not in packs):
        if _settled(root.points / name):
            yield Damage(
                f"{root.points.name}/{name}", "The pack that this lay beside is gone.", f"{do} Then delete it."
            )


def _sources(root: Root, watch: Watch) -> Iterator[Damage]:
    for source_id in steps(source_names(root), short):
        folder = root.source(source_id)
        where = folder.relative_to(root.path).as_posix()
        try:
            manifest = read_manifest(folder)
            if journal.SWEEP_ID.fullmatch(source_id):
                journal.decode(folder / manifest.main)
            else:
                unchanged(source_id, folder, manifest)
        except (InputError, NotFound) as problem:
            if not watch.look().purged(source_id) and folder.is_dir():
                yield Damage(where, str(problem), PUT_BACK if root.writable else RESTORE)
    for ids, what, do in (
        (rebuilding.without_rows(root, watch), "No pack holds what was read of it.", REBUILD),
        (rebuilding.without_files(root, watch), "It is gone, though its rows are in a pack.", PUT_BACK),
    ):
        for source_id in ids:
            where = root.source(source_id).relative_to(root.path).as_posix()
            yield Damage(where, what, do if root.writable else RESTORE)


def _ledgers(root: Root) -> Iterator[Damage]:
    if ledger.counts(root) is None:
        yield Damage(ledger.COUNTS, "It is not as it was written.", "Delete it; the next change makes it anew.")
    for name in ledger.NEEDED:
        for row, what, do in ledger.faults(root, name):
            file = root.ledger(name).name
            yield Damage(file if row is None else f"{file}, line {row}", what, do)


def _unknown_ids(root: Root, missing: Callable[[Sequence[str]], set[str]]) -> Iterator[Damage]:
    """Lines without a sum about nothing that is known: a damaged id takes back what it hid, or a note, unseen."""
    for name in ("notes", "retractions"):
        path = root.ledger(name)
        lines = {
            number: entry["id"]
            for number, entry in ledger.numbered(path)
            if not isinstance(entry, bytes) and ledger.SUM not in entry and ledger.wrong_in(name, entry) is None
        }
        unknown = missing([*lines.values()]) if lines else set()
        for number, id in lines.items():
            if id in unknown:
                yield Damage(f"{path.name}, line {number}", UNKNOWN, ledger.MEND)


def _settled(path: Path) -> bool:
    """Whether it has lain there for a while, so that nobody is at work on it."""
    try:
        return time.time() - path.stat().st_ctime > ABANDONED_S
    except FileNotFoundError:
        return False


def _has_sums(pack: Path) -> bool:
    try:
        return bool(read_sheet(pack).files)
    except InputError:
        return False
