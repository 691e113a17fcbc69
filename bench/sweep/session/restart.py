"""What a restart of the machine or the container cut off goes on by itself, where that is asked for."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from bench.errors import BenchError
from bench.library import ledger
from bench.library.store import Root
from bench.sweep.folder import listed
from bench.sweep.session import jobs
from bench.sweep.session.demo_endpoints import revive
from bench.sweep.session.priority import at_the_front
from bench.sweep.session.queue import measured_at

ASKED_BY = "KNEEPOINT_RESUME"
MOST_SESSIONS = 20
"""A sweep that was cut off so often is likely what ends the machine; then a person has to look."""


def is_asked() -> bool:
    """Whether this server is to go on with what was cut off, by $KNEEPOINT_RESUME."""
    return os.environ.get(ASKED_BY, "").strip().lower() in ("1", "true", "yes")


def resume_interrupted(library: Path) -> tuple[str, ...]:
    """The ids of the sweeps that were interrupted and go on now; each waits for its turn.

    An endpoint to practise on, which the restart has ended as well, is started again.
    One that was cancelled, failed or is done is left alone, as is one that cannot be started.
    """
    resumed = []
    for folder in reversed(listed(library)):
        try:
            if folder.status["state"] != "interrupted" or len(folder.read.sessions) >= MOST_SESSIONS:
                continue
            endpoint = folder.plan.endpoint
            if endpoint.url is not None:
                revive(library, endpoint.url)
            at_the_front(partial(jobs.start, folder))
            where = measured_at(endpoint)
            ledger.audit(Root(library, writable=True), "restart", "resume", sweep=folder.id, endpoint=where)
        except BenchError:
            continue
        resumed.append(folder.id)
    return tuple(resumed)
