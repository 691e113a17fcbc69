"""The library: result files and what was made of them, in folders, and SQL over it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import duckdb

from bench.errors import BenchError, InputError, NotFound, UsageError
from bench.formats.journal import SWEEP_ID
from bench.library import erasing, ledger, merging, model_configs, rebuilding, store, tables, verifying
from bench.library import facts as stated
from bench.library.columns import IDENTITY
from bench.library.importing.batch import ImportBatch
from bench.library.importing.discovery import FileSearch
from bench.library.importing.report import ImportReport
from bench.library.live_index import LiveIndex
from bench.library.model_configs import FoundModel
from bench.library.packs import IMPORTER
from bench.library.query_cache import CachedResults
from bench.library.rebuilding import Rebuilt
from bench.library.snapshot import Snapshot
from bench.library.store import Root
from bench.library.verifying import Verified
from bench.maths.model_shape import ModelShape
from bench.names import DATA, display_name
from bench.progress import Progress
from bench.wording import counted

if TYPE_CHECKING:
    import pandas as pd  # a third of a second at every start; DuckDB loads it at the first data frame
    from numpy.typing import NDArray

SHIPPED = DATA / "library"
PRICE_BOOKS = DATA / "prices"
REPAIRS = 5


class Library:
    """One library, seen by one process: the shipped results and the reader's own, whose folders `roots` are.

    Every method may be called from any thread. Reading never waits for a writer, of this process or another.
    """

    def __init__(self, roots: Sequence[Root]) -> None:
        self.roots = tuple(roots)
        self._own = self.roots[-1]
        self._shown = LiveIndex(self.roots, (PRICE_BOOKS, self._own.path / "prices"))
        self.remembered = CachedResults()

    @property
    def _snapshot(self) -> Snapshot:
        return self._shown.snapshot

    @classmethod
    def open(cls, path: Path | None = None, shipped: bool = True) -> Library:
        """The library at `path` (default $KNEEPOINT_LIBRARY, else ./library), which need not exist yet.

        What a process that was killed has left of a purge or an import is cleared away.
        """
        own = (path or Path(os.environ.get("KNEEPOINT_LIBRARY") or "library")).absolute()
        roots = [Root(own, writable=True)]
        if shipped and own.resolve() != SHIPPED.resolve():
            roots.insert(0, Root(SHIPPED, writable=False))
        opened = cls(roots)
        with contextlib.suppress(OSError):  # one that is only read is left as it is
            store.clear_abandoned(opened._own.staged)
            opened._finish_purges()
        return opened

    @classmethod
    def of(cls, folders: Iterable[tuple[str | Path, bool]]) -> Library:
        """The library of exactly these folders (`folders` of another one), the one written to last."""
        return cls([Root(Path(path), writable) for path, writable in folders])

    @property
    def path(self) -> Path:
        """The folder changes are written to."""
        return self._own.path

    def incomplete(self) -> list[str]:
        """A sentence for each pack and ledger that is damaged, and one for sources without rows or the latest facts:
        what answers therefore lack, or show though it was hidden."""
        snapshot = self._snapshot
        without = [id for root in self.roots for id in rebuilding.without_rows(root, self._shown.watch)]
        told = [f"Rows are missing. {why}" for why in snapshot.damaged.values()]
        do = "`python -m bench rebuild` reads them again."
        if without:
            many = counted(len(without), "source has", "sources have")
            told.append(f"Rows are missing. {many} none in any sound pack: {do}")
        if former := snapshot.out_of_date():  # as where the pack that was made with them is gone
            many = counted(len(former), "source was", "sources were")
            told.append(f"Facts are missing. {many} last read before the latest were stated: {do}")
        return told + ledger.in_words(snapshot.ledgers.set_aside)

    @property
    def version(self) -> str:
        """A name for what is loaded now; it changes with every visible change."""
        return self._snapshot.version

    @property
    def folders(self) -> tuple[tuple[Path, bool], ...]:
        """Every folder of the library and whether it is written to, the shipped one first."""
        return tuple((root.path, root.writable) for root in self.roots)

    def file_of(self, source_id: str) -> tuple[str, str] | None:
        """The name of a source's file and when it was imported, hidden or not; None where the library has none such."""
        pack = self._snapshot.owners.get(source_id)
        return (pack.held[source_id].file, pack.held[source_id].imported) if pack else None

    def continued(self, source_id: str) -> str:
        """The id of the source that continues this one under other bytes, where one does, else this one."""
        held = (one for pack in self._snapshot.packs for one in pack.held.values())
        return next((one.id for one in held if one.points_of == source_id), source_id)

    def files_of(self, text: str) -> list[Path]:
        """The files, as they came, of the source that this id, or its beginning, stands for; NotFound of none."""
        folder = self.folder_of(self._source(text))
        manifest = store.read_manifest(folder)
        return [folder / name for name in (manifest.main, *manifest.companions)]

    def newest_tagged(self, tag: str) -> str:
        """The id of the source with this tag that was measured last, by its import where that is not stated."""
        found = self.fetch(
            "SELECT s.source_id FROM tags t JOIN sources s ON s.source_id = t.id WHERE t.tag = $1"
            " ORDER BY (SELECT max(date) FROM points p WHERE p.source_id = s.source_id) DESC NULLS LAST,"
            " s.imported DESC LIMIT 1",
            [tag],
        )
        if not found:
            raise NotFound(f"No source has the tag {tag[:80]!r}; `tag ID {tag[:40]}` gives it to one.")
        return str(found[0][0])

    def ships(self, source_id: str) -> bool:
        """Whether a source's files came with Kneepoint and lie nowhere else."""
        shipped = (root.source(source_id) for root in self.roots if not root.writable)
        return not self._own.source(source_id).is_dir() and any(folder.is_dir() for folder in shipped)

    def refresh(self) -> bool:
        """Whether something has changed since the last look, by this process or another; it is loaded now."""
        return self._shown.refresh()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """A DuckDB cursor of its own on the index, for one caller in one thread."""
        return self._shown.ask("", lambda cursor: cursor)

    def fetch(self, sql: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The rows of a trusted query as tuples; a small result is remembered as long as nothing changes."""
        return self.remembered.ask(
            lambda: self.version,
            sql,
            params,
            lambda: self._shown.ask(sql, lambda cursor: cursor.execute(sql, list(params)).fetchall()),
        )

    def query(self, sql: str, params: Sequence[object] = ()) -> pd.DataFrame:
        """The rows of a trusted query as a data frame; absent values are NaN, NaT or None."""
        return self._shown.ask(sql, lambda cursor: cursor.execute(sql, list(params)).df())

    def arrays(self, sql: str, params: Sequence[object] = ()) -> dict[str, NDArray[Any]]:
        """The columns of a trusted query as arrays by name, which need no data frame; absent numbers are masked."""
        return cast(
            "dict[str, NDArray[Any]]",
            self._shown.ask(sql, lambda cursor: cursor.execute(sql, list(params)).fetchnumpy()),
        )

    def metric_columns(self) -> frozenset[str]:
        """The metrics that at least one pack stores."""
        return self._shown.index.stored

    def has(self, column: str) -> bool:
        """Whether `points` has this column: identity, a stored metric, or one derived from stored columns."""
        return column in IDENTITY or column in self._shown.index.stored or column in self._shown.index.derived

    def model_shape(self, slug: str) -> ModelShape | None:
        """The shape of a model whose config.json was dropped in; None where there is none that can be read."""
        file = self._snapshot.model_file(slug)
        found = model_configs.config_shape(file) if file is not None else None
        return found if isinstance(found, ModelShape) else None

    @property
    def dropped_models(self) -> tuple[str, ...]:
        """The slugs of the models whose config.json was dropped in."""
        return tuple(sorted({model_configs.slug_of(Path(file.path)) for file in self._snapshot.models}))

    def model_name(self, slug: str) -> str:
        """The name people read for a model: of one that has no row of its own as its config.json was named."""
        name, file = display_name("model", slug), self._snapshot.model_file(slug)
        return Path(file.path).stem if name == slug and file is not None else name

    def sources(self) -> pd.DataFrame:
        """Every source with its file, format, licence, counts and dates; hidden ones say why in `retracted`."""
        return self.query("SELECT * FROM sources ORDER BY imported, source_id")

    def refusals(self) -> pd.DataFrame:
        """Every file and row that was not loaded, and why."""
        return self.query('SELECT * FROM refusals ORDER BY file, "row"')

    def add(
        self,
        paths: Iterable[Path | str],
        facts: Mapping[str, object] | None = None,
        *,
        facts_of: Mapping[str, Mapping[str, object]] | None = None,
        dry_run: bool = False,
        force: bool = False,
        who: str | None = None,
        refuse: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> ImportReport:
        """What became of each file among the paths; everything that could be read is visible, at once.

        facts are remembered for every source of this import, for those already there too; facts_of by source id.
        dry_run reads and reports but writes nothing. force brings a purged source back. refuse: files not to be
        touched, and why. While files are looked for, progress counts the paths, none of them done.
        """
        given = {id: stated.checked(of_it) for id, of_it in (facts_of or {}).items()}
        given[""] = {**given.get("", {}), **stated.checked(facts or {})}
        model = {**given[""], **(facts or {})}.get("model")  # as it is written: what is checked has its slug
        tell = progress or (lambda done, of, file: None)
        sought, homes = [Path(path) for path in paths], [root.path for root in self.roots]
        with self._working(dry_run) as folder:
            self.refresh()
            search = FileSearch(
                folder / "unpacked",
                homes,
                refuse,
                lambda file: tell(0, max(1, len(sought)), file),
                model=None if model is None else str(model),
            )
            files = search.find(sought)
            batch = ImportBatch(
                self._own,
                self._snapshot,
                folder,
                self._shown.runs(),
                given,
                priced=tables.priced(self._snapshot),
                inside=files.bundles,
                keep=not dry_run,
            )
            batch.leave_out(files)
            for done, candidate in enumerate(files.candidates):
                tell(done, len(files.candidates), candidate.shown)
                batch.take(candidate, force=force)
            tell(len(files.candidates), max(1, len(files.candidates)), "")
            batch.hear(lambda ids: self._shown.ask("pack_scores", lambda _: self._shown.index.sources_of(ids)))
            if not dry_run:
                self._publish(batch, files.models, who or ledger.person())
        return batch.report

    def set_facts(self, source_id: str, facts: Mapping[str, object], *, who: str | None = None) -> None:
        """Remember the facts and make the source's rows anew. None takes a fact back."""
        self.set_facts_of([source_id], facts, who=who)

    def set_facts_of(self, source_ids: Sequence[str], facts: Mapping[str, object], *, who: str | None = None) -> None:
        """Do as `set_facts` for several sources, all of them or, where one is not there, none."""
        given = stated.checked(facts)
        if not given:
            raise UsageError("State at least one fact, such as accelerator=h100-sxm.")
        ids = list(dict.fromkeys(self._source(one) for one in source_ids))
        who = who or ledger.person()
        with self._writing():
            said = {"at": ledger.now(), "who": who, "facts": given}
            ledger.write(self._own, "facts", *({**said, "source_id": id} for id in ids))
            for id in ids:
                ledger.audit(self._own, who, "facts", source_id=id, facts=given)
            self._repair(wanted=ids)
            merging.merge(self._own, self._shown.watch)
        self.refresh()

    def retract(self, id: str, reason: str, *, who: str | None = None) -> None:
        """Hide the point, score or source, with the reason, until it is restored."""
        reason = ledger.said(reason, "Give a reason; it is shown to whoever looks for the result.")
        name, source_id = self._named(id)
        self._change("retractions", name, "retract", who, source_id=source_id, reason=reason)

    def restore(self, id: str, *, who: str | None = None) -> None:
        """Show again what was retracted."""
        self.refresh()
        retraction = self._snapshot.ledgers.retraction(id)
        source_id = retraction.source_id or self._named(retraction.id)[1]
        self._change("retractions", retraction.id, "restore", who, source_id=source_id)

    def annotate(self, id: str, text: str, *, who: str | None = None) -> None:
        """Put the note beside the point, score or source."""
        text = ledger.said(text, "A note needs a text.")
        name, source_id = self._named(id)
        self._change("notes", name, "annotate", who, source_id=source_id, text=text)

    def tag(self, id: str, tag: str, *, remove: bool = False, who: str | None = None) -> None:
        """Give the point, score or source this tag, or take it away."""
        tag = ledger.tag(tag)
        name, source_id = self._named(id)
        has = (name, tag) in self._snapshot.ledgers.tags
        if remove and not has:
            raise NotFound(f"{id[:80]!r} has no tag {tag!r}.")
        if remove or not has:
            self._change("notes", name, "untag" if remove else "tag", who, source_id=source_id, tag=tag)

    def purge(self, source_id: str, reason: str, *, who: str | None = None) -> None:
        """Delete the source's bytes and rows; a tombstone keeps it from being imported again."""
        source_id = self._source(source_id, purged=True)
        reason = ledger.said(reason, "Give a reason; it is told to whoever imports the file again.")
        if self.ships(source_id):
            raise UsageError("This source ships with Kneepoint and cannot be purged; retract it instead.")
        if not self._ended(source_id):
            raise UsageError(f"The sweep {source_id} is running: cancel it, then purge it.")
        with self._writing():
            try:
                self._note("retractions", source_id, "purge", who, source_id=source_id, reason=reason)
            except OSError as problem:
                if problem.errno not in store.FULL:
                    raise
                erasing.delete_files(self._own, source_id)  # which makes the room to say so
                self._note("retractions", source_id, "purge", who, source_id=source_id, reason=reason)
            self._erase(source_id, wait=True)
        self.refresh()

    def rebuild(self, *, who: str | None = None) -> Rebuilt:
        """What was read again from its files into a new pack; the old packs are superseded.

        Deleting every pack and rebuilding gives the same points with the same ids. Packs that are damaged are moved
        aside first. A source that cannot be read any more keeps the rows it has, and a refusal says so.
        """
        who = who or ledger.person()
        root = self._own
        with self._working(dry_run=False) as folder:
            moved = rebuilding.move_damaged_aside(root, self._shown.watch)
            self.refresh()
            ids = [name for name in store.sources_in(root) if self._snapshot.readable(name)]
            lost = dict.fromkeys(rebuilding.without_files(root, self._shown.watch), rebuilding.GONE)
            generation = 1 + max((pack.sheet.generation for pack in self._snapshot.packs), default=0)
            batch = ImportBatch(root, self._snapshot, folder, self._shown.runs(without=ids))
            unread = rebuilding.read_again(batch, root, ids, self._shown.watch)
            batch.publish(who, generation=generation)
            ledger.audit(root, who, "rebuild", sources=len(batch.seen), importer=IMPORTER)
            self._finish_purges(wait=True)
        self.refresh()
        return Rebuilt(len(batch.seen), {**lost, **unread}, moved)

    def verify(self) -> Verified:
        """What is wrong with the library, once every file of it was read and held against its sum."""
        self.refresh()
        return verifying.verify(self.roots, self._shown.watch, self._missing)

    def _missing(self, ids: Sequence[str]) -> set[str]:
        """Those of these ids that no point, score or source has; a purged source is one."""
        purged = {id for id, row in self._snapshot.ledgers.retractions.items() if row.purged}
        found = self.fetch(
            "WITH asked AS (SELECT unnest(CAST($1 AS VARCHAR[])) AS id)"
            " SELECT id FROM asked SEMI JOIN pack_points ON point_id = id"
            " UNION SELECT id FROM asked SEMI JOIN pack_scores ON score_id = id",
            [list(ids)],
        )
        return {*ids} - {*self._snapshot.owners} - purged - {id for (id,) in found}

    def settle(self) -> None:
        """Bring sweeps that have ended into packs, so that no later start has to read their journals."""
        with self._writing():
            self._repair()
            merging.merge(self._own, self._shown.watch)
        self.refresh()

    def close(self) -> None:
        """Give the memory of the index back."""
        self._shown.index.close()

    # ---- writing

    def _publish(self, batch: ImportBatch, models: Sequence[FoundModel], who: str) -> None:
        for one in models:
            model_configs.keep(self._own, one)
            ledger.audit(self._own, who, "model", model=one.shape.name, file=Path(one.file).name)
        batch.publish(who)
        batch.audit(who)
        self.refresh()
        current = self._snapshot.ledgers.facts
        for source_id in sorted({row.sha256 for row in batch.report.already}):
            facts = batch.stated(source_id)
            if any(current.get(source_id, {}).get(key) != value for key, value in facts.items()):
                self.set_facts(source_id, facts, who=who)
        self._finish_purges()
        self._repair()
        merging.merge(self._own, self._shown.watch)
        store.clear_abandoned(self._own.staged)
        self.refresh()

    def _repair(self, wanted: Sequence[str] = (), lost: Sequence[str] = ()) -> None:
        """Read sources again whose facts were written, but whose rows were not made before the writer died, and those
        whose rows were lost.

        Sweeps that have ended since are read as well, from then on from a pack. One that cannot be read keeps its
        rows; when it is a `wanted` one, that is an error.
        """
        for _ in range(REPAIRS):
            self.refresh()
            stale = (
                *(id for id in lost if id not in self._snapshot.owners),
                *self._snapshot.out_of_date(),
                *(sweep for sweep in self._snapshot.read_in_place() if self._ended(sweep)),
            )
            if not stale:
                return
            with store.staging_folder(self._own) as folder:
                batch = ImportBatch(self._own, self._snapshot, folder, self._shown.runs(without=stale))
                for source_id in stale:
                    try:
                        batch.retake(source_id, self.folder_of(source_id))
                    except (NotFound, InputError):
                        if source_id in wanted:
                            raise
                if batch.publish("repair") is None:
                    return

    def _finish_purges(self, *, wait: bool = False) -> None:
        """Delete what is left of purged sources: an import was under way meanwhile, or the purge was cut off.

        What cannot be deleted now stays for the next time; whoever purges is told.
        """
        self.refresh()
        for source_id in erasing.unfinished(self._own, self._snapshot):
            with contextlib.suppress(BenchError, OSError):
                self._erase(source_id, wait=wait)

    def _erase(self, source_id: str, *, wait: bool) -> None:
        """Delete a source; what had to go with it, since the disk is full, is read again into the room this makes."""
        held = set(self._snapshot.owners)
        erasing.erase(self._own, source_id, self._shown.watch, wait=wait)
        self.refresh()
        self._repair(lost=[id for id in held - self._snapshot.owners.keys() if not self._snapshot.purged(id)])

    def _change(self, name: str, id: str, action: str, who: str | None, **detail: Any) -> None:
        with self._writing():
            self._note(name, id, action, who, **detail)
        self.refresh()

    def _note(self, name: str, id: str, action: str, who: str | None, **detail: Any) -> None:
        who = who or ledger.person()
        ledger.write(self._own, name, {"at": ledger.now(), "who": who, "id": id, **detail, "action": action})
        ledger.audit(self._own, who, action, id=id, **detail)

    @contextlib.contextmanager
    def _working(self, dry_run: bool) -> Iterator[Path]:
        """A folder for unfinished files; outside the library when nothing may be written to it."""
        if dry_run:
            with store.scratch_folder() as folder:
                yield folder
        else:
            with self._writing(), store.staging_folder(self._own) as folder:
                yield folder

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            raise BenchError(
                f"The library {self._own.path} cannot be written: {problem.strerror or problem}."
            ) from problem

    # ---- looking things up

    def _source(self, text: str, *, purged: bool = False) -> str:
        """The source id this id, or its unique beginning, stands for."""
        self.refresh()
        known = set(self._snapshot.owners)
        if purged:
            known |= {key for key, row in self._snapshot.ledgers.retractions.items() if row.purged}
            known |= set(store.source_names(self._own))  # its rows may lie in a damaged pack
            if SWEEP_ID.fullmatch(text) and self._own.source(text).is_dir():  # one that has measured nothing
                known.add(text)
        return store.named(text, known)

    def _named(self, text: str) -> tuple[str, str]:
        """The id of the point, score or source this text names, and the source it is or lies in."""
        self.refresh()
        if store.SHORT_ID.fullmatch(text):
            rows = self.fetch(
                "SELECT source_id FROM pack_points WHERE point_id = $1"
                " UNION ALL SELECT source_id FROM pack_scores WHERE score_id = $1 LIMIT 1",
                [text],
            )
            if rows:
                return text, rows[0][0]
        source_id = self._source(text)
        return source_id, source_id

    def folder_of(self, source_id: str) -> Path:
        """The folder of a source's files, the reader's own before a shipped one; it need not be there."""
        folders = [root.source(source_id) for root in reversed(self.roots)]
        return next((folder for folder in folders if folder.is_dir()), folders[0])

    def _ended(self, source_id: str) -> bool:
        """Whether nobody is measuring this source now."""
        return store.nobody_holds(self._own.source(source_id) / "lock")
