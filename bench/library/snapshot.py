"""What a library holds at one moment: which packs count, which of their rows, and the version that names this state.

A source counts once, however many packs hold it. Of several packs the one made by the newest importer, then of the
most of its journal, then with the most facts, then merged most often, then shipped, then first by name owns the source;
every process decides alike. Of the journals of one sweep the one that is read in place counts, else the longest import.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bench.errors import InputError
from bench.formats import journal
from bench.library import in_place, ledger
from bench.library.ledger import Ledgers
from bench.library.model_configs import slug_of
from bench.library.packs import HeldSource, Pack, Sheet, damage, listed, read_sheet
from bench.library.store import Root


class LooseFile(NamedTuple):
    """A price book or a model's config.json as it lies on disk; another size or time means that it has changed."""

    path: str
    size: int
    written_ns: int

    def digest(self) -> str:
        """What names its content: its name and the sha256 of its bytes; of none when it has just gone."""
        path = Path(self.path)
        try:
            return f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}"
        except OSError:
            return path.name


@dataclass(frozen=True)
class Snapshot:
    """One state of a library.

    `version` follows from what it holds, so copies of one library have the same wherever and whenever they were made.
    `owners` names the pack each visible source is read from, `superseded` the packs that own nothing any more and
    `damaged` those that cannot be read, with the reason.
    """

    packs: tuple[Pack, ...]
    owners: Mapping[str, Pack]
    ledgers: Ledgers
    superseded: tuple[Pack, ...]
    damaged: Mapping[str, str]
    price_books: tuple[LooseFile, ...]
    models: tuple[LooseFile, ...]
    version: str

    def held(self) -> Iterator[tuple[HeldSource, Pack]]:
        """Every source that counts and its pack, hidden ones included."""
        for source_id, pack in self.owners.items():
            yield pack.held[source_id], pack

    def model_file(self, slug: str) -> LooseFile | None:
        """The config.json that was dropped in for the model with this slug, the reader's own before a shipped one."""
        return next((file for file in reversed(self.models) if slug_of(Path(file.path)) == slug), None)

    def purged(self, source_id: str) -> bool:
        """Whether this source's bytes were deleted on purpose."""
        retraction = self.ledgers.retractions.get(source_id)
        return retraction is not None and retraction.purged

    def readable(self, source_id: str) -> bool:
        """Whether a source whose files are there is one to read: not purged, and a sweep once it has a point."""
        return source_id in self.owners or not (self.purged(source_id) or journal.SWEEP_ID.fullmatch(source_id))

    def holding(self, sweep: str, points: int) -> str | None:
        """The source that holds this sweep: read in place, or another import of its journal with as many points."""
        if sweep in self.owners:
            return sweep
        return next(
            (
                held.id
                for held, _ in self.held()
                if held.format == journal.NAME and f"sweep-{sweep}" in held.slugs and held.points >= points
            ),
            None,
        )

    def read_in_place(self) -> tuple[str, ...]:
        """The sweeps of one's own whose rows are in memory, since no pack holds all of them yet."""
        return tuple(held.id for held, pack in self.held() if pack.rows is not None and not pack.shipped)

    def out_of_date(self) -> tuple[str, ...]:
        """The sources whose rows were made before their latest facts were written."""
        written = self.ledgers.facts_written
        return tuple(held.id for held, _ in self.held() if held.facts < written.get(held.id, 0))


class Watch:
    """Looks at the folders of a library again and again; sheets and ledgers are read when they change."""

    def __init__(self, roots: Sequence[Root], price_folders: Sequence[Path] = ()) -> None:
        self._lock = threading.RLock()
        self._roots = tuple(roots)
        self._price_folders = tuple(price_folders)
        self._sheets: dict[Path, Sheet] = {}
        self._damaged: dict[str, str] = {}
        self._digests: dict[LooseFile, str] = {}
        self._journals = in_place.Journals()
        self._mark: object = None
        self._ledgers_of: object = None
        self._ledgers = Ledgers()
        self._latest: Snapshot | None = None

    def leave_out_damaged(self, packs: Iterable[Pack] | None = None) -> bool:
        """Whether one of these packs, or else of the latest state's, is damaged; no later snapshot of this process has
        it then, and each says why."""
        latest = self._latest.packs if self._latest is not None else ()
        damages = {str(pack.path): damage(pack) for pack in packs or latest if pack.rows is None}
        with self._lock:
            self._damaged.update({path: why for path, why in damages.items() if why is not None})
            self._mark = None
        return any(damages.values())

    def look(self) -> Snapshot:
        """The state as it is now; the same object as last time when nothing has changed."""
        with self._lock:
            return self._look()

    def _look(self) -> Snapshot:
        names = [(root, listed(root.points)) for root in self._roots]
        sizes = tuple(ledger.size(root.ledger(name)) for root in self._roots for name in ledger.VISIBLE)
        books = _listed_files(self._price_folders, "*.csv")
        models = _listed_files([root.models for root in self._roots], "*.json")
        journals = in_place.journals_by_id(self._roots)
        mark = (tuple(tuple(files) for _, files in names), sizes, books, models, journals)
        if self._latest is not None and mark == self._mark:
            return self._latest
        packs = [pack for root, files in names for pack in self._packs(root, files)]
        continued = {held.points_of: held.id for pack in packs for held in pack.sheet.sources if held.points_of}
        if (sizes, continued) != self._ledgers_of:
            self._ledgers, self._ledgers_of = ledger.read(self._roots, continued), (sizes, continued)
        self._digests = {one: self._digests.get(one) or one.digest() for one in (*books, *models)}
        growing, unreadable = self._journals.look(journals, packs, self._ledgers)
        damaged = {**self._damaged, **unreadable}
        self._latest = _snapshot([*packs, *growing], self._ledgers, damaged, sizes, (books, models), self._digests)
        self._mark = mark
        return self._latest

    def _packs(self, root: Root, names: Sequence[str]) -> Iterator[Pack]:
        here = {str(root.points / name) for name in names}
        for gone in [path for path in self._damaged if Path(path).parent == root.points and path not in here]:
            del self._damaged[gone]  # a rebuild has moved it away
        for name in names:
            path = root.points / name
            if str(path) in self._damaged:
                continue
            if path not in self._sheets:
                try:
                    sheet = read_sheet(path)
                    wrong = damage(Pack(path, sheet, shipped=not root.writable))
                except InputError as problem:
                    wrong = str(problem)
                if wrong is not None:
                    if path.exists():  # else a merge has just removed it
                        self._damaged[str(path)] = wrong
                    continue
                self._sheets[path] = sheet
            yield Pack(path, self._sheets[path], shipped=not root.writable)


def _snapshot(
    packs: Sequence[Pack],
    ledgers: Ledgers,
    damaged: Mapping[str, str],
    sizes: tuple[int, ...],
    loose: tuple[Sequence[LooseFile], Sequence[LooseFile]],
    digests: Mapping[LooseFile, str],
) -> Snapshot:
    owners: dict[str, Pack] = {}
    for pack in packs:
        for held in pack.sheet.sources:
            if held.id not in owners or _rank(pack, held.id) < _rank(owners[held.id], held.id):
                owners[held.id] = pack
    for source_id, retraction in ledgers.retractions.items():
        if retraction.purged:
            owners.pop(source_id, None)
    for continued in [held.points_of for id, pack in owners.items() if (held := pack.held[id]).points_of]:
        owners.pop(continued, None)
    for copy in _copies(owners):
        del owners[copy]
    owning = set(map(id, owners.values()))
    counted = [
        (source_id, pack.sheet.importer, pack.held[source_id].facts, pack.held[source_id].bytes)
        for source_id, pack in sorted(owners.items(), key=lambda one: one[0])
    ]
    content = (counted, sorted(Path(path).name for path in damaged), sizes, sorted(digests.values()))
    return Snapshot(
        packs=tuple(pack for pack in packs if id(pack) in owning),
        owners=owners,
        ledgers=ledgers,
        superseded=tuple(pack for pack in packs if id(pack) not in owning),
        damaged=damaged,
        price_books=tuple(loose[0]),
        models=tuple(loose[1]),
        version=hashlib.sha256(repr(content).encode()).hexdigest()[:12],
    )


def _copies(owners: Mapping[str, Pack]) -> list[str]:
    """The imported journals of sweeps that are read in place as well, or of which another import holds more."""
    in_place = {f"sweep-{source_id}" for source_id in owners if journal.SWEEP_ID.fullmatch(source_id)}
    imported = [
        held
        for source_id, pack in owners.items()
        if (held := pack.held[source_id]).format == journal.NAME and not journal.SWEEP_ID.fullmatch(source_id)
    ]
    best: dict[str, tuple[int, str, str]] = {}
    for held in imported:
        rank = (held.points, held.imported, held.id)
        for sweep in held.slugs:
            best[sweep] = max(best.get(sweep, rank), rank)
    return [
        held.id for held in imported if any(sweep in in_place or best[sweep][-1] != held.id for sweep in held.slugs)
    ]


def _rank(pack: Pack, source_id: str) -> tuple[int, int, int, int, bool, str]:
    sheet, held = pack.sheet, pack.held[source_id]
    return (-sheet.importer, -held.bytes, -held.facts, -sheet.generation, not pack.shipped, pack.path.name)


def _listed_files(folders: Sequence[Path], pattern: str) -> tuple[LooseFile, ...]:
    """Every such file in these folders with its size and the time it was written."""
    files = []
    for folder in folders:
        for path in sorted(folder.glob(pattern)) if folder.is_dir() else ():
            about = path.stat()
            files.append(LooseFile(str(path), about.st_size, about.st_mtime_ns))
    return tuple(files)
