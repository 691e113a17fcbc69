"""The same measurement in other company: a file whose very bytes the library holds, by itself or beside another.

What lies beside a result enters its source id, so a level's file dropped alone is another source than the same file
with its folder, and a run's list of requests dropped alone another than the run; their points would count twice. A
source says the sha256 of each of its files, so this is known without reading one of them. A file that a tool has
appended to since is known by its name and by what it begins with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from bench import formats
from bench.errors import InputError, NotFound
from bench.formats import journal
from bench.formats.reading import SourceFile
from bench.library.importing.staging import Staged, as_it_lies
from bench.library.packs import HeldSource, Pack
from bench.library.snapshot import Snapshot
from bench.library.store import Root, read_manifest, scratch_folder

WITH_MORE = "The same file was imported with more of what lies beside it ({})."
WITH_ITS_RUN = "The same file was imported beside the result that it belongs to ({})."
WITH_FURTHER_LINES = "The same file was imported with further lines ({})."
SUMMED_UP = "It only sums up what is in the library from the runs themselves, such as {}."


LONGEST = 4096
"""So much of a line tells it from others: what a tool writes of a run begins with its settings and figures."""
BLOCK = 1 << 18


class KnownFiles:
    """The files of a library's sources, and of those an import took so far, by the sha256 of their bytes."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._files: dict[str, frozenset[str]] = {}
        self._mains: dict[str, list[str]] = {}
        self._beside: dict[str, list[str]] = {}
        self._sums: dict[str, str] = {}
        self._named: dict[str, dict[str, Pack]] = {}
        self._begun: dict[tuple[str, bytes], dict[str, Path]] = {}
        self._known = False

    def duplicates(self, staged: Staged) -> tuple[str | None, Mapping[str, str]]:
        """The source that this file is, or is a part of; and those that it stands instead of, each with why.

        Of two with the same main file one is part of the other where all that is beside it is beside the other too;
        where each has a file of its own, neither says which is the run's, and both stand.
        """
        self._look()
        main, *beside = staged.digests
        files = frozenset(staged.digests)
        same = self._mains.get(main, [])
        whole = [id for id in same if files <= self._files[id]] or self._beside.get(main, [])
        if main in self._sums and self._is_sum(staged, self._sums[main]):
            whole = [*whole, self._sums[main]]
        alike = self._begun_alike(staged)
        whole = [*whole, *(id for id, path in alike.items() if begins_with(path, staged.main))]
        if whole:
            return min(whole, key=lambda id: id in self._snapshot.ledgers.retractions), {}
        parts = {id: WITH_MORE for id in same if self._files[id] <= files}
        runs = {id: WITH_ITS_RUN for digest in beside for id in self._mains.get(digest, ())}
        grown = {id: WITH_FURTHER_LINES for id, path in alike.items() if begins_with(staged.main, path)}
        return None, {**grown, **parts, **runs}

    def alone(self, digest: str) -> Iterable[str]:
        """The sources whose main file has these bytes."""
        self._look()
        return tuple(self._mains.get(digest, ()))

    def add(self, staged: Staged) -> None:
        """Note a file that this import took."""
        self._look()
        self._note(staged.source_id, staged.digests)
        self._begun_alike(staged)[staged.source_id] = staged.main

    def add_sum(self, digest: str, source_id: str) -> bool:
        """Whether it was not known that a file of these bytes only sums up what the library holds, such as this."""
        self._look()
        new = digest not in self._sums
        self._sums.setdefault(digest, source_id)
        return new

    def _begun_alike(self, staged: Staged) -> dict[str, Path]:
        """The main files of the sources whose file had this name and begins alike, so that one may have grown."""
        name, begun = staged.main.name, beginning(staged.main)
        for source_id, pack in self._named.pop(name, {}).items():
            path = main_of(source_id, pack)
            if path is not None and (its := beginning(path)) is not None:
                self._begun.setdefault((name, its), {})[source_id] = path
        return {} if begun is None else self._begun.setdefault((name, begun), {})

    def _is_sum(self, staged: Staged, source_id: str) -> bool:
        """Whether a file of which it was said that it sums up this source does so; a bundle may have said it of any."""
        pack = self._snapshot.owners.get(source_id)
        run = None if pack is None else main_of(source_id, pack)
        return run is None or sums_up(staged.main, run)

    def _look(self) -> None:
        if self._known:
            return
        self._known = True
        for held, pack in self._snapshot.held():
            if not journal.SWEEP_ID.fullmatch(held.id):
                self._note(held.id, digests_of(held, pack))
                self._named.setdefault(Path(held.file).name, {})[held.id] = pack
        for digest, source_id in self._snapshot.ledgers.sums.items():
            if source_id in self._snapshot.owners:
                self._sums[digest] = source_id

    def _note(self, source_id: str, digests: tuple[str, ...]) -> None:
        self._files[source_id] = frozenset(digests)
        for digest in digests[:1]:
            self._mains.setdefault(digest, []).append(source_id)
        for digest in digests[1:]:
            self._beside.setdefault(digest, []).append(source_id)


def main_of(source_id: str, pack: Pack) -> Path | None:
    """The main file of a source that this pack holds; None where its files are gone, or it is read in place."""
    folder = Root(pack.path.parent.parent, writable=False).source(source_id)
    try:
        return folder / read_manifest(folder).main
    except NotFound:
        return None


def digests_of(held: HeldSource, pack: Pack) -> tuple[str, ...]:
    """The sha256 of a source's files, the main one's first; those of its only one where its files are gone.

    A pack of an earlier version does not say them, until the library is rebuilt.
    """
    if held.digests:
        return held.digests
    folder = Root(pack.path.parent.parent, writable=False).source(held.id)
    try:
        manifest = read_manifest(folder)
        beside = tuple(folder / name for name in manifest.companions)
        return as_it_lies(folder / manifest.main, beside).digests if beside else (held.id,)
    except (NotFound, InputError):
        return (held.id,)


def beginning(path: Path) -> bytes | None:
    """What a file and the same file with further lines begin with alike; None for one that does not grow by lines.

    Of JSON lines it is the first line, of a table the header and the first row.
    """
    try:
        with path.open("rb") as stream:
            first = stream.readline(LONGEST)
            if first.startswith(b"{"):
                if first.endswith(b"\n"):
                    return first if first.rstrip().endswith(b"}") else None
                return first if any(b"\n" in block for block in iter(lambda: stream.read(BLOCK), b"")) else None
            is_table = any(mark in first for mark in b",;\t") and not first.startswith(b"[")
            return first + stream.readline(LONGEST).rstrip() if is_table else None
    except OSError:
        return None


def begins_with(longer: Path, shorter: Path) -> bool:
    """Whether the one has all bytes of the other and then more; False where one cannot be read."""
    try:
        if longer.stat().st_size <= shorter.stat().st_size:
            return False
        with longer.open("rb") as more, shorter.open("rb") as less:
            while block := less.read(BLOCK):
                if more.read(len(block)) != block:
                    return False
        return True
    except OSError:
        return False


def sums_up(sums: Path, run: Path) -> bool:
    """Whether the one only sums up the other and others, as the format of both says; False where it cannot be read."""
    with scratch_folder() as folder:
        beside = Path(folder, "both", sums.name), Path(folder, "both", "run", run.name)
        try:
            beside[1].parent.mkdir(parents=True)
            for place, file in zip(beside, (sums, run), strict=True):
                place.symlink_to(file.resolve(strict=True))
            modules = [formats.recognise(SourceFile(place)) for place in beside]
            return modules[0] is modules[1] and beside[0] in formats.restated(modules[0], beside)
        except (InputError, OSError):
            return False
