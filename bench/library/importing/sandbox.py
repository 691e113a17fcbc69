"""Imports of files that strangers wrote: read by a child process that can run out of memory or be killed.

The child does the whole import and publishes it, so whatever ends it leaves all of it or nothing. When it ends before,
the file it was at is refused and another child begins again without that file.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.errors import BenchError
from bench.library import facts, ledger
from bench.library.importing.report import ImportReport
from bench.library.store import Root, clear_abandoned, scratch_folder
from bench.progress import Progress
from bench.workers import Worker

if TYPE_CHECKING:
    from bench.library import Library

CHILD = "bench.library.importing.sandbox_child"
FILE_LIMIT_S = 120.0
"""So long one file may take; 2 GB of CSV, the most a format takes, need a third of it."""

START_LIMIT_S = 60.0
"""A busy machine and a large library may take so long until the first file is opened."""

PUBLISH_LIMIT_S = 600.0
"""Publishing only writes what was read; a disk may be slow."""

MEMORY = 800 << 20
"""Bytes the child may use, its code left out; looked at every LOOK_S, in which a parser takes another 50 MB. A report
of 100 MB, the largest of what tools write, needs 600."""

LOOK_S = 0.02
MOST_ENDED = 20
"""So many files may end the child; it begins again from the first file each time."""

TOO_MUCH = "needs more memory to be read than an import may take; divide it"


def take_in(
    library: Library,
    paths: Sequence[Path],
    *,
    facts_of: Mapping[str, Mapping[str, object]] | None = None,
    dry_run: bool = False,
    force: bool = False,
    who: str | None = None,
    progress: Progress | None = None,
) -> ImportReport:
    """What became of each file among the paths; what could be read is visible in `library` when this returns.

    Facts are stated by source id, those of "" for every source. A dry run writes nothing; force brings a purged
    source back. progress is called from the thread of the caller.

    Raises:
        UsageError: a fact is none, or does not fit.
        BenchError: the library cannot be written, or too many files broke off the reading; nothing was imported.
    """
    request = {
        "folders": library.folders,
        "paths": [str(path) for path in paths],
        "below": os.getcwd(),
        "facts_of": {id: facts.checked(stated) for id, stated in (facts_of or {}).items()},
        "dry_run": dry_run,
        "force": force,
        "who": who or ledger.person(),
    }
    refuse: dict[str, str] = {}
    while True:
        ended = _tried({**request, "refuse": refuse}, progress or (lambda done, of, file: None))
        if isinstance(ended, ImportReport):
            library.refresh()
            return ended
        at, why = ended
        if not at or at in refuse:
            raise BenchError(f"The import {why}; what it had not yet published is not imported.")
        refuse[at] = f"{Path(at).name} {why}."
        if len(refuse) >= MOST_ENDED:
            raise BenchError(
                f"The import was given up, since {MOST_ENDED} of its files broke it off; nothing was imported. "
                f"{Path(at).name} {why}. Leave them out."
            )


def _tried(request: Mapping[str, Any], progress: Progress) -> ImportReport | tuple[str | None, str]:
    """The report of a child that took everything in; of one that ended before it had published, the file it was at,
    "" when it had read all, and why."""
    with scratch_folder() as folder, tempfile.TemporaryFile() as errors:
        child = Worker(CHILD, request, errors, TMPDIR=str(folder), MALLOC_ARENA_MAX="2")
        watch = _ChildReport(child.pid, progress)
        try:
            status = child.attend(watch.take, watch.is_over, LOOK_S)
        finally:
            child.end()
            clear_abandoned(Root(request["folders"][-1][0], writable=True).staged, of_process=child.pid)
        if watch.report is not None:
            return watch.report
        errors.seek(0)
        last = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
        return watch.at, watch.why or _why(status, last)


class _ChildReport:
    """What a child has written so far: the file it is at, and at last its report; `why` it was killed, if it was."""

    def __init__(self, process: int, progress: Progress) -> None:
        self._process = process
        self._progress = progress
        self._since = time.monotonic()
        self._rest = b""
        self.at: str | None = None
        self.why = ""
        self.report: ImportReport | None = None

    def is_over(self) -> bool:
        """Whether it has reported, or used up its time or its memory."""
        limit = START_LIMIT_S if self.at is None else PUBLISH_LIMIT_S if self.at == "" else FILE_LIMIT_S
        if self.report is None and time.monotonic() - self._since > limit:
            self.why = f"was stopped after {limit:g} s, the most a file may take to be read"
        elif self.report is None and _memory(self._process) > MEMORY:
            self.why = TOO_MUCH
        return self.report is not None or bool(self.why)

    def take(self, block: bytes) -> None:
        """Read the lines that end in this block of its output."""
        *lines, self._rest = (self._rest + block).split(b"\n")
        for line in map(json.loads, lines):
            if "report" in line:
                self.report = ImportReport.of(line["report"])
            elif "problem" in line:
                raise BenchError(line["problem"])
            else:
                self.at, self._since = line["file"], time.monotonic()
                self._progress(line["done"], line["of"], line["file"])


def _memory(process: int) -> int:
    """The bytes a process has written to and holds; 0 when it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    found = next((line for line in status.splitlines() if line.startswith("RssAnon:")), "RssAnon: 0 kB")
    return int(found.split()[1]) * 1024


def _why(returned: int, said: str) -> str:
    """Why a child ended by itself, from its exit status and the last line it complained with."""
    if "MemoryError" in said or "bad_alloc" in said or returned == -signal.SIGKILL:
        return TOO_MUCH
    if returned < 0:
        return f"broke off the process that read it ({signal.Signals(returned * -1).name})"
    said = said[:200] or f"status {returned}"
    return f"broke off its reading ({said}); that is a fault of Kneepoint, please report it"
