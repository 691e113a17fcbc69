"""The state of a library that this process shows: looked at again whenever it may have changed, or cannot be read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import duckdb

from bench.errors import BenchError
from bench.library.index import Index
from bench.library.runs import Runs
from bench.library.snapshot import Snapshot, Watch
from bench.library.store import Root

Found = TypeVar("Found")

TRIES = 5
OF_ITS_OWN = (duckdb.InterruptException, duckdb.BinderException, duckdb.ParserException, duckdb.CatalogException)
"""What a query is stopped by that has nothing to do with files; of a damaged one DuckDB may say anything else."""


class LiveIndex:
    """The files of a library as they were at the last look, and the index over them; any thread may ask."""

    def __init__(self, roots: Sequence[Root], price_folders: Sequence[Path]) -> None:
        self._lock = threading.RLock()
        self.watch = Watch(roots, price_folders)
        self.index = Index([root.points for root in roots])
        self.snapshot: Snapshot = self.watch.look()
        self.refresh()

    def refresh(self) -> bool:
        """Whether something is shown that was not before: what lies on the disk now, without packs that turned out to
        be damaged."""
        with self._lock:
            before = self.snapshot.version
            self.snapshot = self.watch.look()
            self.index.show(self.snapshot)
            return self.snapshot.version != before

    def ask(self, sql: str, run: Callable[[duckdb.DuckDBPyConnection], Found]) -> Found:
        """The result of a query; asked again where a pack that it was reading has just gone, or is damaged."""
        for _ in range(TRIES):
            shown = self.snapshot
            try:
                return run(self.index.cursor(sql))
            except duckdb.Error as problem:
                with self._lock:
                    self._demand_news(shown, problem)
                    self.refresh()
        raise BenchError("The packs of the library change faster than they can be read; try again in a moment.")

    def runs(self, without: Sequence[str] = ()) -> Runs:
        """The runs of series, those the library holds included; those of sources being read again left out."""
        known = self.index.known_runs(without)
        held = self.snapshot.owners.keys() - set(without)
        return Runs((lambda keys: self.ask("pack_points", lambda _: known(keys))) if held else None)

    def _demand_news(self, shown: Snapshot, problem: duckdb.Error) -> None:
        """Return where the library is another now than the one that could not be read; else raise the error."""
        if isinstance(problem, OF_ITS_OWN):
            raise problem
        if self.watch.look() is not shown or self.watch.leave_out_damaged():
            return
        why = str(problem).splitlines()[0][:200]
        raise BenchError(f"The library cannot be read ({why}); `python -m bench verify` says where.") from problem
