"""The folder of one sweep: its plan, journal, status and samples, and the lock that says whether it is running."""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.errors import BenchError, InputError, NotFound, UsageError
from bench.formats import journal as journals
from bench.formats.journal import Journal, JournalLine
from bench.library.store import document, exclusive, nobody_holds, sync_file, sync_folder
from bench.sweep.planning.plan import Plan

ID = journals.SWEEP_ID
SWEEPS = journals.SWEEPS
UNDER_WAY = ("starting", "queued", "checking", "running")
"""The states of a sweep that has not ended; without a process behind it, it was interrupted."""

BROKEN = "broken"
DOOR = ".door"
"""Its lock lets one process at a time begin a sweep or ask it to end, so none takes away what asks it to end."""
COUNTED = ("points_done", "points_possible", "seconds", "seconds_left", "workers")
"""What a status says in numbers, if at all."""

LOOKED_AT_S, AGAIN_S = 0.25, 0.005
"""`held` has the lock while it looks, which is no time at all; whoever begins meanwhile tries again."""


class NotWritten(BenchError):
    """The disk took no more; the message says what was being written and what to do."""


@dataclass(frozen=True)
class Folder:
    """Where one sweep lies; its name is the sweep's id."""

    path: Path

    @classmethod
    def create(cls, library: Path, plan: Plan) -> Folder:
        """A new folder in a library, with the plan in it."""
        made = cls(library / SWEEPS / f"{datetime.datetime.now(datetime.UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}")
        try:
            with writing(made.path):
                made.path.mkdir(parents=True)
                made.requests.mkdir()
            made.keep_plan(plan)
        except NotWritten:
            made.discard()
            raise
        return made

    @classmethod
    def of(cls, library: Path, sweep: str) -> Folder:
        """The folder of the sweep with this id, or the only one whose id ends or begins so.

        NotFound when there is none, or more than one.
        """
        if re.fullmatch(r"[0-9a-f-]{4,23}", sweep):
            known = [folder for folder in listed(library) if folder.id.startswith(sweep) or folder.id.endswith(sweep)]
            if len(known) == 1:
                return known[0]
        raise NotFound(
            f"There is no sweep {sweep[:80]!r} in {library}; `python -m bench sweeps` lists those there are."
        )

    def discard(self) -> None:
        """Remove the folder. For a sweep whose first look at its endpoint said that it cannot be measured."""
        shutil.rmtree(self.path, ignore_errors=True)

    @property
    def id(self) -> str:
        """The sweep's id."""
        return self.path.name

    @property
    def journal(self) -> Path:
        """The measured points, a line each."""
        return self.path / journals.FILE

    @property
    def requests(self) -> Path:
        """The folder of the raw samples, a file for each point."""
        return self.path / "requests"

    @property
    def log(self) -> Path:
        """What a detached sweep says."""
        return self.path / "log.txt"

    @property
    def cancel(self) -> Path:
        """A file that asks the sweep to end, by being there; `ask_to_end` puts it there."""
        return self.path / "cancel"

    def ask_to_end(self) -> bool:
        """Whether a process is running this sweep now, and so will find that it is to end."""
        with locked(self.path / DOOR):
            if not self.held():
                return False
            with writing(self.cancel):
                self.cancel.touch()
        return True

    @property
    def plan(self) -> Plan:
        """The plan; InputError when it cannot be read."""
        try:
            stated = document((self.path / "plan.json").read_bytes())
        except (OSError, ValueError) as problem:
            raise InputError(f"The sweep {self.id} is broken: its plan.json cannot be read.") from problem
        try:
            return Plan.from_mapping(stated)
        except BenchError as problem:
            raise InputError(f"The sweep {self.id} is broken: its plan.json is no plan ({problem})") from problem

    def keep_plan(self, plan: Plan) -> None:
        """Write the plan to the folder."""
        self._replace("plan.json", json.dumps(plan.document(), indent=1, ensure_ascii=False))

    @property
    def read(self) -> Journal:
        """The journal; an empty one before there is any."""
        return journals.decode(self.journal) if self.journal.exists() else Journal((), (), (), 0)

    @property
    def status(self) -> dict[str, Any]:
        """What the sweep said of itself last; where its process has gone, how its journal says that it ended.

        A full disk may take the journal's end and no status; without either it was interrupted. One whose plan cannot
        be read is broken, whatever it said before; nothing can be done with it.
        """
        stated = {"id": self.id, "state": "starting", "points_done": 0}
        with contextlib.suppress(OSError, ValueError):
            stated = _status_in((self.path / "status.json").read_bytes(), self.id)
        if stated.get("state") in UNDER_WAY and not self.held():
            stated |= self._ended(str(stated.get("started", "")))
        if stated["state"] not in UNDER_WAY:
            try:
                _ = self.plan
            except InputError as problem:
                stated |= {"state": BROKEN, "reason": str(problem)}
        return stated

    def _ended(self, started: str) -> dict[str, Any]:
        """How a session that began then has ended, though its status does not say so."""
        status: dict[str, Any] = {"current": None, "seconds_left": None}
        end = None
        with contextlib.suppress(InputError):  # a damaged journal is told by whoever reads its points
            journal = self.read
            status["points_done"] = len(journal.measured)
            status["points_failed"] = len(journal.points) - len(journal.measured)
            end = next((end for end in journal.ends[-1:] if end.at >= started), None)
        if end is None:
            return status | {"state": "interrupted", "reason": "its process ended before the sweep did"}
        return status | {"state": end.state, "reason": end.reason, "sustained": list(end.sustained)}

    def tell(self, status: Mapping[str, Any]) -> None:
        """Publish this status: whoever reads it finds this one, or the one before it."""
        self._replace("status.json", json.dumps(status, ensure_ascii=False), durable=False)

    def held(self) -> bool:
        """Whether a process is running this sweep now."""
        return not nobody_holds(self.path / "lock")

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """The sweep is this process's until the block ends, or the process does; nobody has asked it to end yet.

        UsageError when another process is running it.
        """
        with writing(self.path / "lock"):
            lock = os.open(self.path / "lock", os.O_CREAT | os.O_RDWR, 0o644)
        try:
            with locked(self.path / DOOR):
                if not _locked(lock):
                    raise UsageError(
                        f"The sweep {self.id} is running already: `python -m bench watch {self.id}` shows it."
                    )
                with writing(self.cancel):
                    self.cancel.unlink(missing_ok=True)
            yield
        finally:
            os.close(lock)

    def _replace(self, name: str, text: str, durable: bool = True) -> None:
        path = self.path / name
        beside = path.with_name(f".{name}.{os.getpid()}")
        with writing(path):
            try:
                beside.write_text(text + "\n", encoding="utf-8")
                if durable:
                    sync_file(beside)
                beside.replace(path)
            except OSError:
                beside.unlink(missing_ok=True)
                raise


class Writer:
    """The journal's end: a line is on the disk when `add` returns, or it is not in the journal at all."""

    def __init__(self, folder: Folder) -> None:
        self._path = folder.journal
        whole = folder.read.whole_bytes
        with writing(self._path):
            self._file = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o644)
            os.ftruncate(self._file, whole)
            self._size = os.lseek(self._file, whole, os.SEEK_SET)
            sync_folder(self._path.parent)

    def add(self, line: JournalLine) -> None:
        """Keep the line. NotWritten when the disk does not take it."""
        content = journals.encode(line)
        with writing(self._path):
            try:
                left = content
                while left:
                    left = left[os.write(self._file, left) :]
                os.fsync(self._file)
            except OSError:
                os.ftruncate(self._file, self._size)
                os.lseek(self._file, self._size, os.SEEK_SET)
                raise
        self._size += len(content)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def _status_in(content: bytes, id: str) -> dict[str, Any]:
    """A status as a sweep has written it; ValueError where another hand has."""
    stated = document(content)
    if not isinstance(stated.get("state"), str):
        raise ValueError("a status has a state")
    if not all(isinstance(stated.get(key), int | float | None) for key in COUNTED):
        raise ValueError("what a status counts is a number")
    return {**stated, "id": id}


def _locked(lock: int) -> bool:
    """Whether the lock is ours now: nobody else has it, but for a look."""
    until = time.monotonic() + LOOKED_AT_S
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(AGAIN_S)
        else:
            return True


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """The block writes this path; what the disk says against it becomes a NotWritten."""
    try:
        yield
    except OSError as problem:
        raise not_written(path, problem) from problem


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of this name while the block runs, once no other process does."""
    with contextlib.ExitStack() as stack:
        with writing(path):
            stack.enter_context(exclusive(path, wait=True))
        yield


def not_written(path: Path, problem: OSError) -> NotWritten:
    """The sentence for what the disk would not take, of a sweep that has a journal to be resumed from or has none."""
    why = (problem.strerror or str(problem)).lower()
    is_begun = any(os.access(folder / journals.FILE, os.F_OK) for folder in path.parents[:2])
    kept, then = (
        ("what was measured before is kept", "resume") if is_begun else ("nothing was measured", "start it again")
    )
    return NotWritten(f"{path} cannot be written ({why}): {kept}; make room or give leave to write there, then {then}.")


def listed(library: Path) -> list[Folder]:
    """Every sweep of a library, the newest first."""
    try:
        found = [Folder(path) for path in (library / SWEEPS).iterdir() if ID.fullmatch(path.name)]
    except OSError:
        return []
    return sorted(found, key=lambda folder: folder.id, reverse=True)


def now() -> str:
    """The moment as a journal and a status write it: ISO 8601 in UTC, to the millisecond."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
