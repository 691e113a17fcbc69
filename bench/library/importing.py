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
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from bench import formats
from bench.errors import InputError
from bench.formats import journal
from bench.formats.reading import Reading, SourceFile
from bench.formats.source_card import read_card
from bench.library import in_place, ledger
from bench.library.bundles import NAME, Bundle
from bench.library.company import SUMMED_UP, Company, main_of
from bench.library.finding import Candidate, Found, sentence
from bench.library.hearsay import Hearsay, SourceOf
from bench.library.listed import Listed
from bench.library.packs import Held, PackWriter
from bench.library.report import Already, Hidden, Imported, ImportReport, MissingFact
from bench.library.rows import SourceRows, refusal_values
from bench.library.runs import Runs
from bench.library.snapshot import Snapshot
from bench.library.spread import Spread
from bench.library.staging import Staged, as_it_lies, publish_sources, sha256_of, stage
from bench.library.store import MERGE_LOCK, Manifest, Root, exclusive, publish, read_manifest, short
from bench.library.summing import sums_up
from bench.records import Refusal


@dataclass(frozen=True)
class Taken:
    """A source that was read and waits to be published; `staged` is None when its bytes are in the library."""

    held: Held
    staged: Staged | None


class Batch:
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
        self._hearsay = Hearsay(snapshot.ledgers)
        self._hearsay.open(inside)
        self._new_facts: dict[str, dict[str, Any]] = {}
        self._priced = priced
        self._keep = keep
        self._writer = PackWriter(folder)
        self._taken: list[Taken] = []
        self._to_keep: list[tuple[str, Refusal]] = []
        self._company = Company(snapshot)
        self._instead_of: dict[str, Mapping[str, str]] = {}
        self._replaced: dict[str, tuple[str, str]] = {}
        self._sums: list[ledger.Entry] = []
        self._listed = Listed()
        self.report = ImportReport()
        self.seen: set[str] = set()

    def stated(self, source_id: str) -> dict[str, Any]:
        """The facts this import states for a source; None takes one back."""
        return {**self._hearsay.facts(source_id), **self._own_facts(source_id)}

    def _own_facts(self, source_id: str) -> dict[str, Any]:
        """Those that whoever imports states."""
        return {**self._facts.get("", {}), **self._facts.get(source_id, {})}

    def _new(self, source_id: str) -> dict[str, Any]:
        """Those for a source that has none yet, so that there is nothing to take back; it keeps those of the ones
        that it stands instead of."""
        if source_id not in self._new_facts:
            before = [self._snapshot.ledgers.facts.get(id, {}) for id in self._instead_of.get(source_id, ())]
            said = (self._hearsay.facts(source_id), *before, self._own_facts(source_id))
            together = {key: value for facts in said for key, value in facts.items()}
            self._new_facts[source_id] = {key: value for key, value in together.items() if value is not None}
        return self._new_facts[source_id]

    def take(self, candidate: Candidate, *, force: bool = False) -> None:
        """Nothing; the file's rows are in the batch, or the report says why they are not."""
        source_id = ""
        try:
            staged = self._staged(candidate)
            if candidate.bundled is not None:
                candidate.bundled.demand(staged.source_id, candidate.path.name)
                self._hearsay.vouch(candidate.bundled)
            source_id = staged.source_id
            known = self._known(candidate, staged)
            if known is not None:
                self.report.already.append(Already(candidate.shown, known))
            elif self._snapshot.purged(source_id) and not force:
                reason = self._snapshot.ledgers.retractions[source_id].reason
                raise InputError(
                    f"{candidate.path.name} was purged ({reason}); force its import to bring it back."
                )
            else:
                self._read(candidate, staged)
            for sums in candidate.sums:
                self._sum_up(sha256_of(sums), known or source_id)
        except (InputError, MemoryError, pa.ArrowException, duckdb.Error) as problem:
            self.refuse(Refusal(candidate.shown, sentence(candidate.path, problem)), source_id)

    def _known(self, candidate: Candidate, staged: Staged) -> str | None:
        """The source the file is already, or is a part of; a journal is the source that holds as much of its sweep or
        more."""
        source_id = staged.source_id
        if source_id in self.seen or source_id in self._snapshot.owners:
            return source_id
        if candidate.module.NAME == journal.NAME:
            sweep = journal.sweep_of(candidate.path)
            points = len(journal.decode(candidate.path).points) if sweep else 0
            return self._snapshot.holding(sweep, points) if sweep else None
        kin = self._company.kin(staged)
        self._instead_of[source_id] = kin.parts
        return kin.whole

    def _sum_up(self, digest: str, source_id: str) -> None:
        """Nothing; a file that only sums up this source and others counts no more, now or when it comes later.

        One of which that was known is left as it is: somebody may have restored it since.
        """
        if self._company.add_sum(digest, source_id):
            self._sums.append({"source_id": source_id, "sha256": digest})
            for before in self._company.alone(digest):
                self._replaced[before] = (source_id, SUMMED_UP.format(short(source_id)))

    def retake(self, source_id: str, folder: Path) -> None:
        """Nothing; a source of the library is in the batch, read again with the facts written so far.

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
            held = Held(source_id, manifest.file, manifest.format, manifest.imported, facts=written,
                        digests=digests)  # fmt: skip
            with _read_errors(held.file):
                module = formats.recognise(file)
            reading = _reading(module, file, held.file)
        self._add(reading, held, self._snapshot.ledgers.facts.get(source_id, {}), None, held.file)

    def leave_out(self, found: Found) -> None:
        """Nothing; the report says which of the files are not to be read, and why."""
        for refusal in found.refused:
            self.refuse(refusal)
        self.report.refused.extend(found.passed_over)
        self.report.no_results.extend(found.no_results)

    def refuse(self, refusal: Refusal, source_id: str = "") -> None:
        """Nothing; the report and, when the batch is published, the ledger of refusals hold it."""
        self.report.refused.append(refusal)
        self._to_keep.append((source_id, refusal))

    def hear(self, source_of: SourceOf) -> None:
        """Nothing; the report says what of the bundles' words is taken over once this is published, and what is not."""
        held = self.seen | set(self._snapshot.owners)
        for bundle in self._bundles:
            hidden = self._hear_sums(bundle, held)
            told, refused = self._hearsay.hear(bundle, held, source_of, hidden, self._facts.get("", {}))
            self.report.taken_over.extend([told] if told else [])
            self.report.refused.extend([refused] if refused else [])

    def _hear_sums(self, bundle: Bundle, held: Collection[str]) -> list[Hidden]:
        """The sources that are hidden since they only sum up those of a bundle: it says so, and their content does."""
        before = set(self._replaced)
        for digest, source_id in bundle.sums.items():
            if source_id in held and source_id in self._hearsay.vouched(bundle):
                run = self._main(source_id)
                sums = [self._main(id) for id in self._company.alone(digest)]
                if all(run is not None and one is not None and sums_up(one, run) for one in sums):
                    self._sum_up(digest, source_id)
                else:
                    reason = f"{NAME} says that sources of the library only sum up {short(source_id)}; they do not."
                    self.report.refused.append(Refusal(f"{bundle.shown}/{NAME}", reason))
        new = self._replaced.keys() - before - self._snapshot.ledgers.retractions.keys()
        return [Hidden(id, id, self._replaced[id][1]) for id in sorted(new)]

    def _main(self, source_id: str) -> Path | None:
        """A source's main file, staged or in the library; None where that is gone."""
        taken = next((one for one in self._taken if one.held.id == source_id), None)
        if taken is not None and taken.staged is not None:
            return taken.staged.main
        return main_of(source_id, self._snapshot.owners[source_id])

    def audit(self, who: str) -> None:
        """Nothing; takes over what the bundles say, and records what this import changed, if anything."""
        self._hearsay.write(self._root, who, [bundle.shown for bundle in self._bundles])
        if self.report.imported or self.report.refused:
            ledger.audit(
                self._root,
                who,
                "import",
                imported=[
                    {"file": row.file, "source_id": row.sha256, **self._facts_of_it(row.sha256)}
                    for row in self.report.imported
                ],
                refused=self.report.refusals,
                facts=dict(self._facts.get("", {})),
            )

    def _facts_of_it(self, source_id: str) -> dict[str, Any]:
        return {"facts": dict(self._facts[source_id])} if self._facts.get(source_id) else {}

    def publish(self, who: str, *, generation: int = 0) -> Path | None:
        """The pack that everything taken is now visible in; None when there was nothing to publish."""
        if self._to_keep:
            ledger.write(self._root, "refusals", *(self._refused(*pair) for pair in self._to_keep))
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
        with (
            exclusive(self._root.path / MERGE_LOCK, wait=True) if may_be_purged else contextlib.nullcontext()
        ):
            if back:  # said before they are there, so that nobody finishes the purge of them meanwhile
                said = {"at": ledger.now(), "who": who, "action": "restore"}
                ledger.write(self._root, "retractions", *({**said, "source_id": id, "id": id} for id in back))
            if fresh:
                publish_sources([(files, _manifest(held, files)) for held, files in fresh], self._root)
                self._state([held.id for held, _ in fresh], who)
            return publish_pack(staged, self._root)

    def _hide_replaced(self, told: ledger.Entry) -> None:
        """Writes down that sources are hidden which are a part of others, or sum them up."""
        for before, (id, reason) in self._replaced.items():
            if before != id and before not in self._snapshot.ledgers.retractions:
                said = {"id": before, "source_id": before, "reason": reason, "instead": id}
                ledger.write(self._root, "retractions", {**told, **said, "action": "retract"})
                ledger.audit(self._root, str(told["who"]), "retract", **said)

    def _refused(self, source_id: str, refusal: Refusal) -> ledger.Entry:
        about = {"file": Path(refusal.file).name, "source_id": source_id or None, "at": ledger.now()}
        return {**refusal_values(refusal), **about}

    def _staged(self, candidate: Candidate) -> Staged:
        path, companions = candidate.path, candidate.companions
        if self._keep:
            return stage(path, companions, self._folder)
        return as_it_lies(path, companions)

    def _state(self, ids: Sequence[str], who: str) -> None:
        """Writes down the facts of new sources."""
        stated = {"at": ledger.now(), "who": who}
        facts = [{**stated, "source_id": id, "facts": self._new(id)} for id in ids if self._new(id)]
        if facts:
            ledger.write(self._root, "facts", *facts)

    def _read(self, candidate: Candidate, staged: Staged) -> None:
        ledgers, source_id = self._snapshot.ledgers, staged.source_id
        stated = self._new(source_id)
        facts = {**ledgers.facts.get(source_id, {}), **stated}
        written = ledgers.facts_written.get(source_id, 0) + bool(stated)
        held = Held(source_id, candidate.path.name, candidate.module.NAME, ledger.now(), facts=written,
                    digests=staged.digests)  # fmt: skip
        file, shown = SourceFile(staged.main, staged.companions), candidate.shown
        done, spreads = self._add(_reading(candidate.module, file, held.file), held, facts, staged, shown)
        self._company.add(staged)
        parts = self._instead_of.get(source_id, {})
        for before, why in parts.items():
            self._replaced[before] = (source_id, why.format(short(source_id)))
        self.report.imported.append(
            Imported(shown, done.format, source_id, done.points, done.scores, tuple(parts), spreads)
        )

    def _add(
        self,
        reading: Reading,
        held: Held,
        facts: Mapping[str, Any],
        staged: Staged | None,
        shown: str,
    ) -> tuple[Held, Mapping[str, Spread]]:
        writer = PackWriter(self._folder / uuid.uuid4().hex)
        rows = SourceRows(
            replace(held, format=reading.format, about=reading.about),
            facts,
            self._runs,
            self._priced,
            self._hearsay.sought(held.id),
        )
        done = rows.write(_pulled(reading, held.file), writer, keep=self._keep)
        self._hearsay.found(held.id, rows.found)
        refused = self._listed.refusals(held.file, reading.refusals)
        self.report.refused.extend(replace(refusal, file=shown) for refusal in refused)
        if staged is not None and not done.points and not done.scores:
            self._to_keep.extend((held.id, refusal) for refusal in refused)
            raise InputError(f"{held.file} holds no result that can be loaded.")
        self._writer.absorb(writer)
        self._taken.append(Taken(done, staged))
        self.seen.add(held.id)
        self.report.missing_facts.extend(
            MissingFact(shown, held.id, key, count) for key, count in rows.missing.items()
        )
        if reading.not_understood:
            self.report.not_understood.append(self._listed.keys(shown, held.id, reading.not_understood))
        return done, rows.spreads.found


def _manifest(held: Held, staged: Staged) -> Manifest:
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
        found = as_it_lies(file.path, file.companions)
    if found.source_id != source_id:
        raise InputError(
            f"{file.path.name} was changed since it was imported as {short(source_id)} (its bytes give the id "
            f"{short(found.source_id)} now): put the file that was imported back in its place."
        )
    return file, found.digests


@contextlib.contextmanager
def _read_errors(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise InputError(f"{name} cannot be read: {problem.strerror or problem}.") from problem


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
