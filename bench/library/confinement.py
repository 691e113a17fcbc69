"""Child processes of the library that read what strangers wrote: how they are started, and the memory they may take."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import duckdb

PROJECT = Path(__file__).resolve().parents[2]


def command(module: str) -> list[str]:
    """The command that runs a module of the project, in the folder PROJECT."""
    return [sys.executable, "-m", module]


def environment(**more: str) -> dict[str, str]:
    """What a child sees of the environment: no key and no setting of the app."""
    return {"PATH": os.defpath, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", **more}


def limit_memory(cursor: duckdb.DuckDBPyConnection, room: int) -> None:
    """Let this process reserve `room` bytes more than now, all of DuckDB's threads running.

    The limit is on top of what is reserved because that grows with the machine's cores: an allocator's arenas and
    the threads' stacks are address space, not memory.
    """
    cursor.execute("SELECT count(*) FROM range(1_000_000)").fetchall()
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
