"""Sweeps that are read in place: a journal is a source of the library from its first finished point on.

Nothing is copied, and the source's id is the sweep's. A journal that says more than a pack holds of it is read into
memory by every process that looks; once its sweep has ended, a writer makes a pack of it, so that a later start need
not read it. A line that is being written is not there yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from bench.errors import InputError, NotFound
from bench.formats import journal as journals
from bench.formats.reading import Reading
from bench.library.columns import PACK_BASE, PASSPORTS, numbered
from bench.library.ledger import Ledgers
from bench.library.packs import IMPORTER, HeldSource, Pack, Sheet, conformed
from bench.library.rows import SourceRows
from bench.library.runs import Runs
from bench.library.store import Root, names_in, read_manifest


@dataclass(frozen=True)
class JournalFile:
    """A sweep's journal as it lies on disk; another size or time means that it has changed."""

    id: str
    path: Path
    size: int
    written_ns: int
    shipped: bool


@dataclass(frozen=True)
class JournalRows:
    """What a journal said when it was read: its rows as a pack in memory, None without a point, or why it cannot be."""

    whole_bytes: int
    pack: Pack | None
    problem: str | None = None


def journals_by_id(roots: Sequence[Root]) -> tuple[JournalFile, ...]:
    """The journals of all sweeps by id; of two sweeps with one id the later root's."""
    seen = {journal.id: journal for root in roots for journal in _below(root)}
    return tuple(seen[id] for id in sorted(seen))


def read(id: str, folder: Path, facts_written: int) -> tuple[Reading, HeldSource] | None:
    """What a sweep's journal says, and the source it is; None while it has no finished point.

    Raises:
        InputError: it cannot be read.
        NotFound: there is none.
    """
    manifest = read_manifest(folder)
    journal = journals.decode(folder / manifest.main)
    if not journal.measured:
        return None
    reading = journals.reading(journal, manifest.main)
    return reading, HeldSource(
        id,
        manifest.file,
        manifest.format,
        manifest.imported,
        facts_written,
        bytes=journal.whole_bytes,
        about=reading.about,
    )


class Journals:
    """The journals of a library, looked at again and again; one is read when it has changed."""

    def __init__(self) -> None:
        self._taken: dict[str, tuple[JournalFile, int, JournalRows]] = {}

    def look(
        self, journals: Iterable[JournalFile], packs: Sequence[Pack], ledgers: Ledgers
    ) -> tuple[list[Pack], dict[str, str]]:
        """The sweeps of which no pack holds all, as packs in memory; and why others cannot be read, by their path."""
        shown: list[Pack] = []
        problems: dict[str, str] = {}
        covered = _covered(packs)
        for journal in journals:
            retraction = ledgers.retractions.get(journal.id)
            if retraction is not None and retraction.purged:
                continue
            written = ledgers.facts_written.get(journal.id, 0)
            if covered.get(journal.id, (-1, 0)) >= (journal.size, written):
                continue
            taken = self._read(journal, written, ledgers)
            if taken.problem is not None:
                problems[str(journal.path)] = taken.problem
            elif taken.pack is not None and covered.get(journal.id, (-1, 0)) < (taken.whole_bytes, written):
                shown.append(taken.pack)
        return shown, problems

    def _read(self, journal: JournalFile, written: int, ledgers: Ledgers) -> JournalRows:
        before = self._taken.get(journal.id)
        if before is not None and before[:2] == (journal, written):
            return before[2]
        try:
            taken = _taken(journal, written, ledgers.facts.get(journal.id, {}))
        except (InputError, NotFound) as problem:
            taken = JournalRows(0, None, str(problem))
        self._taken[journal.id] = (journal, written, taken)
        return taken


def _taken(journal: JournalFile, facts_written: int, facts: Mapping[str, Any]) -> JournalRows:
    said = read(journal.id, journal.path.parent, facts_written)
    if said is None:
        return JournalRows(0, None)
    reading, held = said
    rows = _Rows()
    # its series are its own, since the sweep's name is part of what a series is: no other run is asked for
    done = SourceRows(held, facts, Runs()).write(reading, rows)
    return JournalRows(held.bytes, rows.pack(journal, done))


class _Rows:
    """Rows that are kept in memory, where a PackWriter would put them on disk."""

    def __init__(self) -> None:
        self._points: list[pa.Table] = []
        self._passports: list[pa.Table] = []

    def write(self, rows: pa.Table) -> None:
        self._points.append(rows)

    def write_beside(self, name: str, rows: pa.Table) -> None:
        if name == "passports":  # a journal has no scores, and refuses no row
            self._passports.append(conformed(rows, numbered(PASSPORTS)))

    def pack(self, journal: JournalFile, held: HeldSource) -> Pack:
        points = pa.concat_tables(self._points)
        metrics = tuple(sorted(set(points.column_names) - PACK_BASE.keys()))
        sheet = Sheet((held,), metrics, IMPORTER)
        return Pack(journal.path, sheet, journal.shipped, points, pa.concat_tables(self._passports))


def _covered(packs: Sequence[Pack]) -> Mapping[str, tuple[int, int]]:
    """How much of each journal a pack holds, and how many facts that pack knew."""
    known: dict[str, tuple[int, int]] = {}
    for pack in packs:
        if pack.sheet.importer < IMPORTER:
            continue
        for held in pack.sheet.sources:
            if held.bytes:
                known[held.id] = max(known.get(held.id, (0, 0)), (held.bytes, held.facts))
    return known


def _below(root: Root) -> Iterator[JournalFile]:
    folder = root.path / journals.SWEEPS
    for name in names_in(folder):
        if not journals.SWEEP_ID.fullmatch(name):
            continue
        path = folder / name / journals.FILE
        try:
            about = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            continue  # it has measured nothing yet
        yield JournalFile(name, path, about.st_size, about.st_mtime_ns, not root.writable)
