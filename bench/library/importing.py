"""Importing: result files -> one pack, published whole or not at all.

The bytes are copied into staging first; what is hashed, read and published is that copy, so a file that changes
meanwhile does no harm.
"""

from __future__ import annotations

import datetime
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from bench import formats
from bench.errors import InputError
from bench.formats.reading import SourceFile
from bench.formats.source_card import read_card
from bench.library import ledger
from bench.library.finding import Candidate
from bench.library.packs import Held, PackWriter
from bench.library.report import Already, Imported, ImportReport, MissingFact
from bench.library.rows import SourceRows, refusal_values
from bench.library.runs import Runs
from bench.library.snapshot import Snapshot
from bench.library.store import (
    Manifest,
    Root,
    Staged,
    publish,
    publish_source,
    read_manifest,
    stage,
)
from bench.records import Refusal


@dataclass(frozen=True)
class Taken:
    """A source that was read and waits to be published; `staged` is None when its bytes are in the library."""

    held: Held
    staged: Staged | None
    format: str


class Batch:
    """One import batch: sources are taken one by one, then published together."""

    def __init__(
        self, root: Root, snapshot: Snapshot, folder: Path, runs: Runs, *, keep: bool = True
    ) -> None:
        self._root = root
        self._snapshot = snapshot
        self._folder = folder
        self._runs = runs
        self._keep = keep
        self._writer = PackWriter(folder)
        self._taken: list[Taken] = []
        self._stated: Mapping[str, Any] = {}
        self._row_refusals: list[tuple[str, Refusal]] = []
        self.report = ImportReport()
        self.seen: set[str] = set()
        self.already: list[str] = []

    def take(self, candidate: Candidate, facts: Mapping[str, Any], *, force: bool = False) -> None:
        """Nothing; the file's rows are in the batch, or the report says why they are not."""
        self._stated = {key: value for key, value in facts.items() if value is not None}
        source_id = ""
        try:
            staged = stage(candidate.path, candidate.companions, self._folder)
            source_id = staged.source_id
            if source_id in self.seen or source_id in self._snapshot.owners:
                self.report.already.append(Already(str(candidate.path), source_id))
                self.already.append(source_id)
                return
            if self._snapshot.purged(source_id) and not force:
                reason = self._snapshot.ledgers.retractions[source_id].reason
                raise InputError(
                    f"{candidate.path.name} was purged ({reason}); force its import to bring it back."
                )
            self._read(candidate, staged)
        except (InputError, OSError, pa.ArrowException, duckdb.Error) as problem:
            if isinstance(problem, OSError) and problem.filename is None:
                raise  # the disk is full or failing: that is not the file's fault
            self.refuse(Refusal(str(candidate.path), _sentence(candidate.path, problem)), source_id)

    def retake(self, source_id: str, folder: Path) -> None:
        """Nothing; a source of the library is in the batch, read again with the facts written so far."""
        manifest = read_manifest(folder)
        file = SourceFile(folder / manifest.main, tuple(folder / name for name in manifest.companions))
        written = self._snapshot.ledgers.facts_written.get(source_id, 0)
        held = Held(source_id, manifest.file, manifest.format, manifest.imported, facts=written)
        self._add(file, held, None, self._snapshot.ledgers.facts.get(source_id, {}))

    def refuse(self, refusal: Refusal, source_id: str = "") -> None:
        """Nothing; the report and, when the batch is published, the ledger of refusals hold it."""
        self.report.refused.append(refusal)
        self._row_refusals.append((source_id, refusal))

    def publish(self, who: str, *, generation: int = 0) -> Path | None:
        """The pack that everything taken is now visible in; None when there was nothing to publish."""
        for source_id, refusal in self._row_refusals:
            entry = {**refusal_values(refusal), "source_id": source_id or None, "at": ledger.now()}
            ledger.write(self._root, "refusals", entry)
        if not self._taken:
            return None
        staged = self._writer.close([taken.held for taken in self._taken], generation=generation)
        for taken in self._taken:
            if taken.staged is not None:
                self._publish_source(taken, taken.staged, who)
        return publish_pack(staged, self._root)

    def _publish_source(self, taken: Taken, staged: Staged, who: str) -> None:
        names = tuple(
            path.relative_to(staged.folder).as_posix() for path in (staged.main, *staged.companions)
        )
        manifest = Manifest(names[0], names[1:], taken.format, taken.held.file, taken.held.imported)
        publish_source(staged, manifest, self._root)
        source_id = staged.source_id
        if self._stated:
            entry = {"at": ledger.now(), "who": who, "source_id": source_id, "facts": self._stated}
            ledger.write(self._root, "facts", entry)
        if self._snapshot.purged(source_id):
            entry = {
                "at": ledger.now(),
                "who": who,
                "id": source_id,
                "source_id": source_id,
                "action": "restore",
            }
            ledger.write(self._root, "retractions", entry)

    def _read(self, candidate: Candidate, staged: Staged) -> None:
        ledgers, source_id = self._snapshot.ledgers, staged.source_id
        facts = {**ledgers.facts.get(source_id, {}), **self._stated}
        written = ledgers.facts_written.get(source_id, 0) + bool(self._stated)
        held = Held(source_id, candidate.path.name, candidate.module.NAME, ledger.now(), facts=written)
        file = SourceFile(staged.main, staged.companions)
        taken = self._add(file, held, staged, facts, module=candidate.module)
        self.report.imported.append(
            Imported(str(candidate.path), taken.format, source_id, taken.points, taken.scores)
        )

    def _add(
        self,
        file: SourceFile,
        held: Held,
        staged: Staged | None,
        facts: Mapping[str, Any],
        module: formats.Format | None = None,
    ) -> Held:
        reading = (module or formats.recognise(file)).read(file)
        about = {**read_card(file).about(), **reading.about}
        writer = PackWriter(self._folder / uuid.uuid4().hex)
        rows = SourceRows(replace(held, format=reading.format, about=about), facts, self._runs)
        done = rows.write(reading, writer, keep=self._keep)
        self.report.refused.extend(reading.refusals)
        if staged is not None and not done.points and not done.scores:
            self._row_refusals.extend((held.id, refusal) for refusal in reading.refusals)
            raise InputError(f"{held.file} holds no result that can be loaded.")
        self._writer.absorb(writer)
        self._taken.append(Taken(done, staged, reading.format))
        self.seen.add(held.id)
        self.report.missing_facts.extend(
            MissingFact(held.file, held.id, key, count) for key, count in rows.missing.items()
        )
        return done


def publish_pack(staged: Path, root: Root) -> Path:
    """Where the pack is visible now; its sheet and sidecars became visible before it."""
    moment = datetime.datetime.now(datetime.UTC)
    final = root.points / f"{moment:%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:8]}.parquet"
    beside = [path for path in sorted(staged.parent.glob("pack.*")) if path != staged]
    files = [
        (path, final.with_name(final.stem + path.name.removeprefix("pack"))) for path in (*beside, staged)
    ]
    publish(files)
    return final


def _sentence(path: Path, problem: Exception) -> str:
    if isinstance(problem, InputError):
        return str(problem)
    if isinstance(problem, OSError):
        return f"{path.name} cannot be read: {problem.strerror}."
    first = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
    return f"{path.name} cannot be read: {first[:300]}"
