"""Sweeps as processes of their own: started, listed, watched, cancelled and gone on with from anywhere."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from bench.errors import BenchError, UsageError
from bench.formats.journal import PointLine
from bench.sweep.folder import UNDER_WAY, Folder, listed, writing
from bench.sweep.session.priority import spawned

LOOK_S = 0.05
STARTS_WITHIN_S, ENDS_WITHIN_S = 20.0, 30.0


def start(folder: Folder) -> None:
    """Start the sweep in a process of its own, which outlives this one and its terminal.

    UsageError when it is running already; BenchError when the process ended before it began.
    """
    if folder.held():
        raise UsageError(f"The sweep {folder.id} is running already: `python -m bench watch {folder.id}` shows it.")
    with writing(folder.log), folder.log.open("ab") as log:
        process = spawned(["bench.sweep", str(folder.path)], log, log)
    until = time.monotonic() + STARTS_WITHIN_S
    # What it goes on with still says how it ended before, until the process has it.
    while not (folder.held() and folder.status["state"] in UNDER_WAY) and time.monotonic() < until:
        if process.poll() is not None:
            if process.returncode == 0 or folder.status["state"] != "starting":
                return  # it was that quick
            raise BenchError(f"The sweep {folder.id} did not start: {_last_line(folder)}")
        time.sleep(LOOK_S)


def cancel(folder: Folder) -> dict[str, Any]:
    """The status of a sweep that was told to end, once it has.

    UsageError when it is not running; BenchError when it does not end.
    """
    if not folder.ask_to_end():
        raise UsageError(f"The sweep {folder.id} is not running; it is {folder.status['state']}.")
    until = time.monotonic() + ENDS_WITHIN_S
    while folder.held():
        if time.monotonic() > until:
            raise BenchError(f"The sweep {folder.id} was told to end and has not yet; `status` says when it has.")
        time.sleep(LOOK_S)
    return folder.status


def status(folder: Folder) -> dict[str, Any]:
    """What the sweep says of itself, with every point it has measured."""
    told = folder.status
    return {**told, "points": [point_document(line) for line, _ in folder.read.points]}


def sweeps(library: Path) -> list[dict[str, Any]]:
    """The status of every sweep in the library, the newest first."""
    return [folder.status for folder in listed(library)]


def point_document(line: PointLine) -> dict[str, Any]:
    """A point as one flat object: what was asked, every metric, what failed, what is wrong with it."""
    return {
        "number": line.number,
        "state": line.state,
        "error": line.error,
        "isl": line.workload.isl,
        "osl": line.workload.osl,
        "isl_actual": line.workload.isl_actual,
        "osl_actual": line.workload.osl_actual,
        "load_kind": line.load.load_kind,
        "concurrency": line.load.concurrency,
        "request_rate": line.load.request_rate,
        "repeat": line.repeat,
        **line.metrics,
        "requests_ok": line.requests_ok,
        "requests_failed": line.requests_failed,
        "warmup_ok": line.warmup_ok,
        "warmup_failed": line.warmup_failed,
        "cancelled": line.cancelled,
        "requests_sent": line.requests_sent,
        "failures": dict(line.failures),
        "refused": line.refused,
        "rested_s": line.rested_s,
        "flags": [vars(flag) for flag in line.flags],
        "whole": dict(line.whole),
        "telemetry": dict(line.telemetry),
        "client": dict(line.client),
        "samples": line.samples,
    }


def _last_line(folder: Folder) -> str:
    try:
        lines = folder.log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    except OSError:
        lines = []
    return lines[-1][:500] if lines else "its log is empty."
