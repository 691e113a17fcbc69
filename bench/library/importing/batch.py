"""Importing: result files -> one pack, published whole or not at all.

The bytes are copied into staging first; what is hashed, read and published is that copy, so a file that changes
meanwhile does no harm.
"""

from __future__ import annotations

import contextlib
import datetime
import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from bench import formats
from bench.errors import InputError
from bench.formats import journal
from bench.formats.reading import Reading, SourceFile
from bench.formats.reading.source_card import read_card
from bench.library import in_place, ledger
from bench.library.importing.bundle_facts import BundleFacts, SourceOf
from bench.library.importing.bundles import NAME, Bundle
from bench.library.importing.discovery import FoundFiles, ResultFile, sentence
from bench.library.importing.duplicates import SUMMED_UP, KnownFiles, main_of, sums_up
from bench.library.importing.report import (
    AlreadyImported,
    HiddenByBundle,
    Imported,
    ImportedModel,
    ImportReport,
    MissingFact,
    NotUnderstood,
)
from bench.library.importing.staging import Staged, as_it_lies, publish_sources, sha256_of, stage
from bench.library.packs import HeldSource, PackWriter
from bench.library.rows import KEY_LENGTH, SourceRows, refusal_values
from bench.library.runs import Runs
from bench.library.snapshot import Snapshot
from bench.library.spread import Spread
from bench.library.store import MERGE_LOCK, Manifest, Root, exclusive, promise, publish, read_manifest, short
from bench.records import Refusal

MOST_ROWS = 20_000
"""Refused rows that one import lists of all its files; a table's own limit is half of it."""

MOST_KEYS, MOST_KEYS_IN_ALL = 200, 10_000
"""Keys not understood that are listed of a file and of all; a new version of a tool brings a dozen."""


@dataclass(frozen=True)
class ReadSource:
    """A source that was read and waits to be published; `staged` is None when its bytes are in the library."""

    held: HeldSource
    staged: Staged | None


class ImportBatch:
    """One import batch: sources are taken one by one, then published together."""

    def __init__(
        self,
        root: Root,
        snapshot: Snapshot,
        folder: Path,
        runs: Runs,
        facts: Mapping[str, Mapping[str, Any]] | None = None,
        *,
        priced: Collection[str] = (),
        inside: Sequence[Bundle] = (),
        keep: bool = True,
    ) -> None:
        """`facts` are stated by source id, those of "" for every source taken; `priced` accelerators have a price.
        Some files come `inside` these bundles: what they say of their sources is taken over, but for facts
        that are stated here.

        With `keep` false nothing is copied or written.
        """
        self._root = root
        self._snapshot = snapshot
        self._folder = folder
        self._runs = runs
        self._facts = facts or {}
        self._bundles = inside
        self._bundle_facts = BundleFacts(snapshot.ledgers, inside)
        self._new_facts: dict[str, dict[str, Any]] = {}
        self._priced = priced
        self._keep = keep
        self._writer = PackWriter(folder)
        self._taken: list[ReadSource] = []
        self._to_keep: list[tuple[str, Refusal]] = []
        self._known_files = KnownFiles(snapshot)
        self._instead_of: dict[str, Mapping[str, str]] = {}
        self._replaced: dict[str, tuple[str, str]] = {}
        self._sums: list[ledger.Entry] = []
        self._listed = ListedProblems()
        self.report = ImportReport()
        self.seen: set[str] = set()

    def stated(self, source_id: str) -> dict[str, Any]:
        """The facts this import states for a source; None takes one back."""
        return {**self._bundle_facts.facts(source_id), **self._own_facts(source_id)}

    def _own_facts(self, source_id: str) -> dict[str, Any]:
        """Those that whoever imports states."""
        return {**self._facts.get("", {}), **self._facts.get(source_id, {})}

    def _new(self, source_id: str) -> dict[str, Any]:
        """Those for a source that has none yet, so that there is nothing to take back; it keeps those of the ones
        that it stands instead of."""
        if source_id not in self._new_facts:
            before = [self._snapshot.ledgers.facts.get(id, {}) for id in self._instead_of.get(source_id, ())]
            said = (self._bundle_facts.facts(source_id), *before, self._own_facts(source_id))
            together = {key: value for facts in said for key, value in facts.items()}
            self._new_facts[source_id] = {key: value for key, value in together.items() if value is not None}
        return self._new_facts[source_id]

    def take(self, candidate: ResultFile, *, force: bool = False) -> None:
        """Put the file's rows in the batch, or say in the report why they are not."""
        source_id = ""
        try:
            put = partial(stage, folder=self._folder) if self._keep else as_it_lies
            staged = put(candidate.path, candidate.companions)
            if candidate.bundled is not None:
                candidate.bundled.demand(staged.source_id, candidate.path.name)
                self._bundle_facts.vouch(candidate.bundled)
            source_id = staged.source_id
            known = self._known(candidate, staged)
            if known is not None:
                self.report.already.append(AlreadyImported(candidate.shown, known))
            elif self._snapshot.purged(source_id) and not force:
                reason = self._snapshot.ledgers.retractions[source_id].reason
                raise InputError(f"{candidate.path.name} was purged ({reason}); force its import to bring it back.")
            else:
                self._read(candidate, staged)
            for sums in candidate.sums:
                self._sum_up(sha256_of(sums), known or source_id)
        except (InputError, MemoryError, pa.ArrowException, duckdb.Error) as problem:
            self.refuse(Refusal(candidate.shown, sentence(candidate.path, problem)), source_id)

    def _known(self, candidate: ResultFile, staged: Staged) -> str | None:
        """The source the file is already, or is a part of; a journal is the source that holds as much of its sweep or
        more."""
        source_id = staged.source_id
        if source_id in self.seen or source_id in self._snapshot.owners:
            return source_id
        if candidate.module.NAME == journal.NAME:
            sweep = journal.sweep_of(candidate.path)
            points = len(journal.decode(candidate.path).points) if sweep else 0
            return self._snapshot.holding(sweep, points) if sweep else None
        whole, self._instead_of[source_id] = self._known_files.duplicates(staged)
        return whole

    def _sum_up(self, digest: str, source_id: str) -> None:
        """Count no file that only sums up this source and others, be it here or yet to come.

        One of which that was known is left as it is: somebody may have restored it since.
        """
        if self._known_files.add_sum(digest, source_id):
            self._sums.append({"source_id": source_id, "sha256": digest})
            for before in self._known_files.alone(digest):
                self._replaced[before] = (source_id, SUMMED_UP.format(short(source_id)))

    def retake(self, source_id: str, folder: Path) -> None:
        """Put a source of the library in the batch, read again with the facts written so far.

        NotFound or InputError when its files cannot be read any more, or are not those that were imported.
        """
        written = self._snapshot.ledgers.facts_written.get(source_id, 0)
        if journal.SWEEP_ID.fullmatch(source_id):
            said = in_place.read(source_id, folder, written)
            if said is None:
                raise InputError(f"The sweep {source_id} has no finished point any more.")
            reading, held = said
        else:
            manifest = read_manifest(folder)
            file, digests = unchanged(source_id, folder, manifest)
            held = HeldSource(
                source_id,
                manifest.file,
                manifest.format,
                manifest.imported,
                facts=written,
                digests=digests,
                points_of=manifest.points_of,
            )
            with _read_errors(held.file):
                module = formats.recognise(file)
            reading = _reading(module, file, held.file)
        self._add(reading, held, self._snapshot.ledgers.facts.get(source_id, {}), None, held.file)

    def leave_out(self, files: FoundFiles) -> None:
        """Say in the report which of the files are not to be read, and why."""
        for refusal in files.refused:
            self.refuse(refusal)
        self.report.refused.extend(files.passed_over)
        self.report.no_results.extend(files.no_results)
        self.report.models.extend(
            ImportedModel(one.file, one.shape.name, one.shape.total_params, one.shape.active_params)
            for one in files.models
        )

    def refuse(self, refusal: Refusal, source_id: str = "") -> None:
        """Put it in the report and, when the batch is published, in the ledger of refusals."""
        self.report.refused.append(refusal)
        self._to_keep.append((source_id, refusal))

    def hear(self, source_of: SourceOf) -> None:
        """Report what of the bundles' words is taken over once this is published, and what is not."""
        held = self.seen | set(self._snapshot.owners)
        for bundle in self._bundles:
            hidden = self._hear_sums(bundle, held)
            taken_over, refused = self._bundle_facts.hear(bundle, held, source_of, hidden, self._facts.get("", {}))
            self.report.taken_over.extend([taken_over] if taken_over else [])
            self.report.refused.extend([refused] if refused else [])

    def _hear_sums(self, bundle: Bundle, held: Collection[str]) -> list[HiddenByBundle]:
        """The sources that are hidden since they only sum up those of a bundle: it says so, and their content does."""
        before = set(self._replaced)
        for digest, source_id in bundle.sums.items():
            if source_id in held and source_id in self._bundle_facts.vouched(bundle):
                run = self._main(source_id)
                sums = [self._main(id) for id in self._known_files.alone(digest)]
                if all(run is not None and one is not None and sums_up(one, run) for one in sums):
                    self._sum_up(digest, source_id)
                else:
                    reason = f"{NAME} says that sources of the library only sum up {short(source_id)}; they do not."
                    self.report.refused.append(Refusal(f"{bundle.shown}/{NAME}", reason))
        new = self._replaced.keys() - before - self._snapshot.ledgers.retractions.keys()
        return [HiddenByBundle(id, id, self._replaced[id][1]) for id in sorted(new)]

    def _main(self, source_id: str) -> Path | None:
        """A source's main file, staged or in the library; None where that is gone."""
        taken = next((one for one in self._taken if one.held.id == source_id), None)
        if taken is not None and taken.staged is not None:
            return taken.staged.main
        return main_of(source_id, self._snapshot.owners[source_id])

    def audit(self, who: str) -> None:
        """Take over what the bundles say, and record what this import changed, if anything."""
        self._bundle_facts.write(self._root, who, [bundle.shown for bundle in self._bundles])
        if self.report.imported or self.report.refused:
            ledger.audit(
                self._root,
                who,
                "import",
                imported=[
                    {
                        "file": row.file,
                        "source_id": row.sha256,
                        **({"facts": dict(own)} if (own := self._facts.get(row.sha256)) else {}),
                    }
                    for row in self.report.imported
                ],
                refused=self.report.refusals,
                facts=dict(self._facts.get("", {})),
            )

    def publish(self, who: str, *, generation: int = 0) -> Path | None:
        """The pack that everything taken is now visible in; None when there was nothing to publish."""
        if self._to_keep:
            entries = [
                {**refusal_values(one), "file": Path(one.file).name, "source_id": id or None, "at": ledger.now()}
                for id, one in self._to_keep
            ]
            ledger.write(self._root, "refusals", *entries)
        visible = self._publish_taken(who, generation) if self._taken else None
        said = {"at": ledger.now(), "who": who}
        if self._sums:
            ledger.write(self._root, "sums", *({**said, **entry} for entry in self._sums))
        self._hide_replaced(said)
        return visible

    def _publish_taken(self, who: str, generation: int) -> Path:
        staged = self._writer.close([taken.held for taken in self._taken], generation=generation)
        fresh = [(taken.held, taken.staged) for taken in self._taken if taken.staged is not None]
        back = [held.id for held, _ in fresh if self._snapshot.purged(held.id)]
        may_be_purged = back or len(fresh) < len(self._taken)
        promise(self._folder, (held.id for held, _ in fresh))
        with exclusive(self._root.path / MERGE_LOCK, wait=True) if may_be_purged else contextlib.nullcontext():
            if back:  # said before they are there, so that nobody finishes the purge of them meanwhile
                said = {"at": ledger.now(), "who": who, "action": "restore"}
                ledger.write(self._root, "retractions", *({**said, "source_id": id, "id": id} for id in back))
            if fresh:
                publish_sources([(files, _manifest(held, files)) for held, files in fresh], self._root)
                said = {"at": ledger.now(), "who": who}
                stated = [(held.id, self._new(held.id)) for held, _ in fresh if self._new(held.id)]
                if stated:
                    ledger.write(self._root, "facts", *({**said, "source_id": id, "facts": own} for id, own in stated))
            return publish_pack(staged, self._root)

    def _hide_replaced(self, entry: ledger.Entry) -> None:
        """Write down that sources are hidden which are a part of others, or sum them up."""
        for before, (id, reason) in self._replaced.items():
            if before != id and before not in self._snapshot.ledgers.retractions:
                said = {"id": before, "source_id": before, "reason": reason, "instead": id}
                ledger.write(self._root, "retractions", {**entry, **said, "action": "retract"})
                ledger.audit(self._root, str(entry["who"]), "retract", **said)

    def _read(self, candidate: ResultFile, staged: Staged) -> None:
        ledgers, source_id = self._snapshot.ledgers, staged.source_id
        stated = self._new(source_id)
        facts = {**ledgers.facts.get(source_id, {}), **stated}
        written = ledgers.facts_written.get(source_id, 0) + bool(stated)
        held = HeldSource(
            source_id, candidate.path.name, candidate.module.NAME, ledger.now(), facts=written, digests=staged.digests
        )
        file, shown = SourceFile(staged.main, staged.companions), candidate.shown
        done, spreads = self._add(_reading(candidate.module, file, held.file), held, facts, staged, shown)
        self._known_files.add(staged)
        parts = self._instead_of.get(source_id, {})
        for before, why in parts.items():
            self._replaced[before] = (source_id, why.format(short(source_id)))
        self.report.imported.append(
            Imported(shown, done.format, source_id, done.points, done.scores, tuple(parts), spreads)
        )

    def _add(
        self, reading: Reading, held: HeldSource, facts: Mapping[str, Any], staged: Staged | None, shown: str
    ) -> tuple[HeldSource, Mapping[str, Spread]]:
        writer = PackWriter(self._folder / uuid.uuid4().hex)
        rows = SourceRows(
            replace(held, format=reading.format, about=reading.about),
            facts,
            self._runs,
            self._priced,
            self._bundle_facts.sought(held.id),
        )
        done = rows.write(_pulled(reading, held.file), writer, keep=self._keep)
        self._bundle_facts.note_inside(held.id, rows.here)
        refused = self._listed.refusals(held.file, reading.refusals)
        self.report.refused.extend(replace(refusal, file=shown) for refusal in refused)
        if staged is not None and not done.points and not done.scores:
            self._to_keep.extend((held.id, refusal) for refusal in refused)
            raise InputError(f"{held.file} holds no result that can be loaded.")
        self._writer.absorb(writer)
        self._taken.append(ReadSource(done, staged))
        self.seen.add(held.id)
        self.report.missing_facts.extend(MissingFact(shown, held.id, key, count) for key, count in rows.missing.items())
        if reading.not_understood:
            self.report.not_understood.append(self._listed.keys(shown, held.id, reading.not_understood))
        return done, rows.spreads.by_column


class ListedProblems:
    """The refused rows and the keys of one import, listed as far as there is room and counted beyond."""

    def __init__(self) -> None:
        self._rows = MOST_ROWS
        self._keys = MOST_KEYS_IN_ALL

    def refusals(self, file: str, every: Sequence[Refusal]) -> list[Refusal]:
        """The refusals of a file; those of rows for which there is no room are one that says how many."""
        rows = [refusal for refusal in every if refusal.row is not None]
        if len(rows) <= self._rows:
            self._rows -= len(rows)
            return list(every)
        kept, beyond, self._rows = rows[: self._rows], len(rows) - self._rows, 0
        reason = (
            f"{beyond:,} further rows of {file} were refused; an import lists {MOST_ROWS:,} of all its files. "
            "Look at the file by itself."
        )
        return [*kept, *(refusal for refusal in every if refusal.row is None), Refusal(file, reason, further=beyond)]

    def keys(self, file: str, source_id: str, every: Sequence[str]) -> NotUnderstood:
        """The keys of a file that were not understood, and how many more there are."""
        kept = tuple(key[:KEY_LENGTH] for key in every[: min(MOST_KEYS, self._keys)])
        self._keys -= len(kept)
        return NotUnderstood(file, source_id, kept, len(every) - len(kept))


def _manifest(held: HeldSource, staged: Staged) -> Manifest:
    paths = (staged.main, *staged.companions)
    main, *companions = (path.relative_to(staged.folder).as_posix() for path in paths)
    return Manifest(main, tuple(companions), held.format, held.file, held.imported)


def _reading(module: formats.Format, file: SourceFile, name: str) -> Reading:
    """What the file says, with what its source card says about it as a whole."""
    with _read_errors(name):
        reading = module.read(file)
        return replace(reading, about={**read_card(file).about(), **reading.about})


def _pulled(reading: Reading, name: str) -> Reading:
    """The reading with its batches' disk errors as errors of the file, told apart from those of the library."""

    def batches() -> Iterator[pa.RecordBatch]:
        with _read_errors(name):
            yield from reading.batches()

    return replace(reading, points=batches())


def unchanged(source_id: str, folder: Path, manifest: Manifest) -> tuple[SourceFile, tuple[str, ...]]:
    """A source's files and their sha256; InputError where these give another id than what was imported."""
    file = SourceFile(folder / manifest.main, tuple(folder / name for name in manifest.companions))
    with _read_errors(file.path.name):
        as_is = as_it_lies(file.path, file.companions)
    if as_is.source_id != source_id:
        raise InputError(
            f"{file.path.name} was changed since it was imported as {short(source_id)} (its bytes give the id "
            f"{short(as_is.source_id)} now): put the file that was imported back in its place."
        )
    return file, as_is.digests


@contextlib.contextmanager
def _read_errors(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputError(f"{name} cannot be read: {problem.strerror or problem}.") from problem


def publish_pack(staged: Path, root: Root) -> Path:
    """Where the pack is visible now; before it its sheet became visible, then its sidecars.

    With the sheet first, a purge beside it sees whose rows they are, and leaves those of others alone.
    """
    moment = datetime.datetime.now(datetime.UTC)
    final = root.points / f"{moment:%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}.parquet"
    beside = sorted(set(staged.parent.glob("pack.*")) - {staged}, key=lambda path: (path.suffix != ".json", path.name))
    files = [(path, final.with_name(final.stem + path.name.removeprefix("pack"))) for path in (*beside, staged)]
    publish(files)
    return final
