"""A sweep's turn: one at each endpoint at a time, and no more at once than this machine has cores to keep time for.

Every waiting sweep is a process of its own that looks at the others of its library. Nobody schedules them, so a queue
outlives the server, the terminal and the tab from which its sweeps were started.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from bench.access import LOCAL_HOSTS
from bench.sweep.folder import ID, Folder, locked
from bench.sweep.pauses import USUAL
from bench.sweep.planning.plan_parts import Endpoint
from bench.wording import counted

QUEUED = "queued"
CLAIM = ".turn"
PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class QueuedSweep:
    """A sweep as the others see it: `since` is when it asked for its turn, `workers` how many cores its load takes."""

    id: str
    endpoint: str
    workers: int
    since: str
    waits: bool = True

    @property
    def places(self) -> set[str]:
        """What it measures: one place for each base URL, or the endpoint's name."""
        return set(self.endpoint.split(", "))


def endpoint_of(url: str) -> str:
    """The host and port of a URL; two URLs of one endpoint have the same, whatever their paths."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    return f"{'127.0.0.1' if host in LOCAL_HOSTS else host}:{parts.port or PORTS.get(parts.scheme, 0)}"


def measured_at(endpoint: Endpoint) -> str:
    """Where a plan's endpoint is, for a sentence and for the queue: its name, or the places of its base URLs."""
    return endpoint.name or ", ".join(dict.fromkeys(endpoint_of(url) for url in endpoint.bases))


def obstacle(own: QueuedSweep, others: Iterable[QueuedSweep], cores: int) -> str | None:
    """Why it is not this sweep's turn yet, in one sentence; None when it is.

    Whoever asked first goes first. One that waits for its endpoint keeps no core from those behind it.
    """
    known = sorted(others, key=lambda one: (one.since, one.id))
    running = [one for one in known if not one.waits]
    earlier = [one for one in known if one.waits and (one.since, one.id) < (own.since, own.id)]
    same = [one for one in (*running, *earlier) if one.places & own.places]
    if same:
        return (
            f"It waits for {counted(len(same), 'sweep')} at {own.endpoint}, first of all {same[0].id}: two at once "
            "would measure each other."
        )
    taken = sum(one.workers for one in running)
    busy = {place for one in running for place in one.places}
    for one in earlier:
        if not one.places & busy:
            busy |= one.places
            taken += one.workers
    if taken and taken + own.workers > cores:
        return (
            f"It waits for a core: other sweeps need {taken} of {cores} and this one needs {own.workers}, and load "
            "that has to share a core is late."
        )
    return None


def await_turn(
    folder: Folder,
    own: QueuedSweep,
    *,
    waiting: Callable[[str], object],
    begins: Callable[[], object],
    over: Callable[[], bool],
    cores: int | None = None,
    look_s: float = USUAL.turn_s,
) -> bool:
    """Whether it became this sweep's turn; False when `over` said before that it need not wait any longer.

    `waiting` is told why whenever the reason changes, and has to write it to the status, where the others find this
    sweep in the queue. `begins` has to write there that it runs; nobody else can begin meanwhile. It looks every
    `look_s`.
    """
    last, claim = None, folder.path.parent / CLAIM
    while not over():
        with locked(claim):
            why = obstacle(own, others(folder), cores or os.cpu_count() or 1)
            if why is None:
                begins()
                return True
            if why != last:
                waiting(why)
                last = why
        time.sleep(look_s)
    return False


def others(folder: Folder) -> Iterator[QueuedSweep]:
    """Every other sweep of the library that has a process and has asked for its turn."""
    for path in folder.path.parent.iterdir():
        other = Folder(path)
        if ID.fullmatch(path.name) and path != folder.path and other.held():
            told = other.status
            if all(told.get(key) for key in ("endpoint", "workers", "queued")):
                waits = told["state"] == QUEUED
                yield QueuedSweep(other.id, told["endpoint"], told["workers"], told["queued"], waits)
