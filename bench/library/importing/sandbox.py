"""Imports of files that strangers wrote: read by a child process that can run out of memory or be killed.

The child does the whole import and publishes it, so whatever ends it leaves all of it or nothing. When it ends before,
the file it was at is refused and another child begins again without that file.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench.errors import BenchError
from bench.library import facts, ledger
from bench.library.confinement import PROJECT, command, environment
from bench.library.importing.report import ImportReport
from bench.library.scratch import scratch_folder
from bench.library.store import Root, clear_abandoned
from bench.progress import Progress

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


class ImportsInto(Protocol):
    """What this needs of the library that it imports into."""

    @property
    def folders(self) -> tuple[tuple[Path, bool], ...]:
        """Its folders, and whether each may be written."""

    def refresh(self) -> bool:
        """Whether something is shown that was not before."""


@dataclass(frozen=True)
class _Ended:
    """A child that ended before it had published: the file it was at, "" when it had read all, and why."""

    at: str | None
    why: str


def take_in(
    library: ImportsInto,
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
        "folders": [[str(path), own] for path, own in library.folders],
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
        if not ended.at or ended.at in refuse:
            raise BenchError(f"The import {ended.why}; what it had not yet published is not imported.")
        refuse[ended.at] = f"{Path(ended.at).name} {ended.why}."
        if len(refuse) >= MOST_ENDED:
            raise BenchError(
                f"The import was given up, since {MOST_ENDED} of its files broke it off; nothing was imported. "
                f"{Path(ended.at).name} {ended.why}. Leave them out."
            )


def _tried(request: Mapping[str, Any], progress: Progress) -> ImportReport | _Ended:
    """The report of a child that took everything in, or how it ended."""
    with (
        scratch_folder() as folder,
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command("bench.library.importing.sandbox_child"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            cwd=PROJECT,
            env=environment(TMPDIR=str(folder), MALLOC_ARENA_MAX="2"),
            start_new_session=True,
        ) as child,
    ):
        watch = _ChildReport(child, progress)
        try:
            why = watch.ended(request)
            child.kill()
            child.wait()
            watch.hear_out()
            if watch.report is not None:
                return watch.report
            errors.seek(0)
            said = errors.read().decode(errors="replace").strip().rpartition("\n")[2]
            return _Ended(watch.at, why or _why(child.returncode, said))
        finally:
            child.kill()
            child.wait()
            own = Path(request["folders"][-1][0])
            clear_abandoned(Root(own, writable=True), of_process=child.pid)


class _ChildReport:
    """What a child has said so far: the file it is at, and at last its report."""

    def __init__(self, child: subprocess.Popen[bytes], progress: Progress) -> None:
        self._child = child
        self._progress = progress
        self._since = time.monotonic()
        self._rest = bytearray()
        self.at: str | None = None
        self.report: ImportReport | None = None

    def ended(self, request: Mapping[str, Any]) -> str:
        """Why the child has to be killed; empty when it has reported, or come to an end by itself."""
        assert self._child.stdin is not None
        with contextlib.suppress(BrokenPipeError), self._child.stdin as stream:
            stream.write(json.dumps(request, default=str).encode())
        for line in self._lines():
            if line is not None:
                self._hear(line)
                if self.report is not None:
                    return ""
                continue
            limit = START_LIMIT_S if self.at is None else PUBLISH_LIMIT_S if self.at == "" else FILE_LIMIT_S
            if time.monotonic() - self._since > limit:
                return f"was stopped after {limit:g} s, the most a file may take to be read"
            if _memory(self._child.pid) > MEMORY:
                return TOO_MUCH
        self._child.wait()
        return ""

    def hear_out(self) -> None:
        """Read what the child said in its last moment: it may have published."""
        for line in self._lines():
            if line is not None:
                self._hear(line)

    def _lines(self) -> Iterator[bytes | None]:
        """What the child says, line by line, and None whenever it has said nothing for a while."""
        assert self._child.stdout is not None
        handle = self._child.stdout.fileno()
        while True:
            if not select.select([handle], [], [], LOOK_S)[0]:
                yield None
                continue
            found = os.read(handle, 1 << 16)
            if not found:
                return
            first, *others = found.split(b"\n")
            self._rest += first
            for line in others:
                yield bytes(self._rest)
                self._rest[:] = line

    def _hear(self, line: bytes) -> None:
        said = json.loads(line)
        if "report" in said:
            self.report = ImportReport.of(said["report"])
        elif "problem" in said:
            raise BenchError(said["problem"])
        else:
            self.at, self._since = said["file"], time.monotonic()
            self._progress(said["done"], said["of"], said["file"])


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
