"""Commands that measure an endpoint: sweep, and sweeps, status, watch, cancel, resume; and endpoints."""

from __future__ import annotations

import argparse
import secrets
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bench import access
from bench.cli import output
from bench.cli.arguments import SWEEP, Commands, Parser, add_place, command, place
from bench.cli.progress import TerminalLine, bar, drawn
from bench.errors import BenchError
from bench.wording import number

if TYPE_CHECKING:
    from bench.sweep.folder import Folder

BAR = 20
LOOK_S = 0.5
COLUMNS = {
    "isl": "isl",
    "osl": "osl",
    "concurrency": "concurrency",
    "request_rate": "requests/s asked",
    "output_tokens_per_s": "output tokens/s",
    "ttft_ms_p50": "ttft p50 ms",
    "ttft_ms_p99": "ttft p99 ms",
    "tpot_ms_p50": "tpot p50 ms",
    "e2el_ms_p50": "e2el p50 ms",
    "requests_per_s": "requests/s",
    "requests_ok": "ok",
    "requests_failed": "failed",
    "failed_by": "failures",
}
"""What the table of a sweep shows of each point; --json has everything."""

ENDPOINT_COLUMNS = ("name", "base_url", "model", "accelerator", "key_env", "reachable", "engine", "version", "serves")


def describe(parser: Parser) -> None:
    """Add the options of `sweep` to its parser."""
    from bench.sweep.planning import arguments as options

    options.add_to(parser)
    _add_detach(parser)
    _add_strict(parser)
    add_place(parser)
    parser.set_defaults(run=_sweep)


def _sweep(arguments: argparse.Namespace) -> int:
    from bench.sweep.checks import budget
    from bench.sweep.folder import Folder
    from bench.sweep.planning import arguments as options
    from bench.sweep.planning import endpoint_address
    from bench.sweep.planning.endpoints import Endpoints

    access.demand("launch", access.Visitor.at_the_shell())
    known = Endpoints(place(arguments))
    plan = options.plan_from(arguments, known).settled(seed=secrets.randbelow(2**32))
    budget.demand_within_caps(plan, budget.budget(plan))
    for url in arguments.url or ():
        if understood := endpoint_address.understood_as(url):
            output.remark(f"{url.strip()} is understood as {understood}.")
    return _go(Folder.create(place(arguments), plan), arguments, new=True)


def add_to(commands: Commands) -> None:
    """Describe to the parser the commands about sweeps that were started, and about endpoints."""
    for name, does, action in (
        ("sweeps", "list the sweeps of the library", _sweeps),
        ("status", "show how far a sweep is and what it has measured", _status),
        ("watch", "follow a running sweep to its end", _watch),
        ("cancel", "stop a running sweep and keep what it has measured", _cancel),
        ("resume", "continue a sweep that ended early", _resume),
    ):
        parser = command(commands, name, does, action, library=False)
        if name != "sweeps":
            parser.add_argument("id", metavar="ID", help=SWEEP)
        if name == "resume":
            _add_detach(parser)
        if name in ("resume", "watch"):
            _add_strict(parser)
    does = "list the endpoints of endpoints.toml, which plans can name"
    parser = command(commands, "endpoints", does, _endpoints, library=False)
    parser.add_argument("--check", action="store_true", help="ask each for its engine, version and models")


def _add_detach(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--detach", action="store_true", help="run in the background and return at once")


def _add_strict(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--strict", action="store_true", help="exit with status 3 if a measured point has a flag that warns"
    )


def _folder(arguments: argparse.Namespace) -> Folder:
    from bench.sweep.folder import Folder

    return Folder.of(place(arguments), arguments.id)


def _go(folder: Folder, arguments: argparse.Namespace, *, new: bool = False) -> int:
    """Run or start the sweep of a folder, and tell how it ended; a new one that measured nothing leaves nothing."""
    from bench.sweep.session import endings, jobs, launching, runner
    from bench.sweep.session.endings import enter

    shell, what = access.Visitor.at_the_shell(), "launch" if new else "resume"
    if arguments.detach:
        try:
            jobs.start(folder)
            launching.tell(place(arguments), shell, what, folder)
        except BenchError:
            if new and not folder.journal.exists():
                folder.discard()
            raise
        return _told_started(folder, arguments)
    output.remark(f"Sweep {folder.id}")
    progress, is_begun = SweepProgress(), False

    def show(status: Mapping[str, Any]) -> None:
        """Write the sweep into the audit once its journal is there: one that cannot begin leaves nothing."""
        nonlocal is_begun
        if not is_begun and folder.journal.exists():
            launching.tell(place(arguments), shell, what, folder)
            is_begun = True
        progress.show(status)

    ended = runner.run(folder, show)
    progress.end()
    try:
        points = enter(folder, place(arguments))
    except BenchError as problem:
        output.remark(f"The sweep is measured, and read from its own folder at every start: {problem}")
        points = len(folder.read.points)
    _tell(folder, arguments, {"in_library": points})
    output.remark(ended.reason)
    if new and not folder.journal.exists():
        folder.discard()
    return endings.status_of(ended, [line for line, _ in folder.read.points], strict=arguments.strict)


def _told_started(folder: Folder, arguments: argparse.Namespace) -> int:
    from bench.sweep.session import jobs

    if arguments.json:
        output.document(jobs.status(folder))
    else:
        output.line(f"Sweep {folder.id} is running; `python -m bench watch {folder.id}` follows it.")
    return 0


def _tell(folder: Folder, arguments: argparse.Namespace, more: Mapping[str, Any] | None = None) -> None:
    """Print a sweep with its points."""
    from bench.sweep.planning import searches
    from bench.sweep.session import jobs

    status = jobs.status(folder)
    if arguments.json:
        output.document({"id": status["id"], "state": status["state"], **(more or {}), **status})
        return
    points = status["points"]
    if points:
        rows = [{**point, "failed_by": _kinds(point)} for point in points]
        shown = [name for name in COLUMNS if any(row.get(name) is not None for row in rows)]
        output.table([{COLUMNS[name]: row.get(name) for name in shown} for row in rows])
    for point in points:
        if point["error"]:
            output.remark(f"Point {point['number']} failed: {point['error']}")
        for flag in point["flags"]:
            output.remark(f"Point {point['number']}: {flag['seen']} {flag['do']}")
    for level in status.get("sustained") or ():
        output.remark(searches.highest(level))


def _kinds(point: Mapping[str, Any]) -> str | None:
    """A point's failures by kind, the commonest first; None where there are none."""
    found = sorted(point["failures"].items(), key=lambda row: -row[1])
    return ", ".join(f"{many:,} {kind}" for kind, many in found) or None


def _sweeps(arguments: argparse.Namespace) -> int:
    from bench.sweep.session import jobs

    rows = jobs.sweeps(place(arguments))
    if rows or arguments.json:
        shown = rows if arguments.json else [{**row, "points": _points(row)} for row in rows]
        output.listing(shown, ("id", "state", "points", "title"), as_json=arguments.json)
    else:
        output.remark(f"There is no sweep in {place(arguments)} yet.")
    return 0


def _status(arguments: argparse.Namespace) -> int:
    folder = _folder(arguments)
    _tell(folder, arguments)
    if not arguments.json:
        told = folder.status
        output.remark(_line(told))
        if told.get("reason"):
            output.remark(str(told["reason"]))
    return 0


def _watch(arguments: argparse.Namespace) -> int:
    from bench.sweep.session import endings

    folder = _folder(arguments)
    progress = SweepProgress()
    while folder.held():
        progress.show(folder.status)
        time.sleep(LOOK_S)
    progress.end()
    _tell(folder, arguments)
    told = folder.status
    output.remark(f"{told['state']}: {told.get('reason', '')}")
    ended = endings.SessionEnd(str(told["state"]), str(told.get("reason", "")))
    return endings.status_of(ended, [line for line, _ in folder.read.points], strict=arguments.strict)


def _cancel(arguments: argparse.Namespace) -> int:
    from bench.sweep.session import jobs, launching

    folder = _folder(arguments)
    status = launching.cancel(place(arguments), folder.id, access.Visitor.at_the_shell())
    if arguments.json:
        output.document(jobs.status(folder))
    else:
        output.line(f"Sweep {folder.id} is {status['state']}, with {status['points_done']} points measured.")
    return 0


def _resume(arguments: argparse.Namespace) -> int:
    access.demand("launch", access.Visitor.at_the_shell())
    return _go(_folder(arguments), arguments)


def _endpoints(arguments: argparse.Namespace) -> int:
    from bench.sweep.planning.endpoints import Endpoints
    from bench.sweep.session import setup

    known = Endpoints(place(arguments))
    unstated: dict[str, Any] = {"model": None, "key_env": None, "facts": {}, "caps": {}}
    documents = [{"name": name, **unstated, "api": one.api, **one.document()} for name, one in known.named.items()]
    if arguments.check:
        with bar("Asking each endpoint"):
            for row, seen in zip(documents, setup.seen(known), strict=True):
                row |= seen
    if arguments.json:
        output.document(documents)
    elif documents:
        rows = [{**row, "accelerator": row["facts"].get("accelerator")} for row in documents]
        output.table(rows, ENDPOINT_COLUMNS if arguments.check else ENDPOINT_COLUMNS[:5])
        for row in documents:
            if row.get("problem"):
                output.remark(f"{row['name']}: {row['problem']}")
    else:
        output.remark(f"{known.path} states no endpoint yet; docs/sweeps.md says how.")
    return 1 if any(row.get("problem") for row in documents) else 0


class SweepProgress:
    """A sweep's progress on stderr: one line that is written over on a terminal, else a line for each point."""

    def __init__(self) -> None:
        self._at = TerminalLine()
        self._checked = 0
        self._done: int | None = None
        self._waits: str | None = None
        self._loading = False

    def show(self, status: Mapping[str, Any]) -> None:
        """Bring the line up to date."""
        checks = status.get("checks") or []
        for check in checks[self._checked :]:
            if check["passed"] is not False:  # what failed is why the sweep ends, and is told then
                self.end()
                output.remark(f"  {check['said']}")
        self._checked = len(checks)
        if status["state"] == "queued" and status.get("reason") != self._waits:
            self._waits = status.get("reason")
            self.end()
            output.remark(f"  {self._waits}")
        loading = status["state"] == "checking" and bool(status.get("reason"))
        if loading and not self._at.there and not self._loading:
            output.remark(f"  {status['reason']}")
        self._loading = loading
        if self._at.there:
            self._at.write(_line(status))
        elif _tried(status) != self._done and status["state"] == "running":
            self._done = _tried(status)
            output.remark(_line(status))

    def end(self) -> None:
        """Let what follows begin on a line of its own."""
        self._at.clear()


def _line(status: Mapping[str, Any]) -> str:
    if status["state"] == "checking" and status.get("reason"):
        return str(status["reason"])
    done, most = _tried(status), status.get("points_possible") or 0
    parts = [f"{drawn(done, most, BAR)} {_points(status)} points"]
    current = status.get("current")
    if current:
        parts += [current["level"], f"{number(current['output_tokens_per_s'])} tokens/s"]
        if current["ttft_ms_p50"] is not None:
            parts.append(f"TTFT p50 {number(current['ttft_ms_p50'])} ms")
        parts.append(f"{current['requests_failed']:,} failed")
    elif status["state"] != "running":
        parts.append(str(status["state"]))
    if status.get("seconds_left"):
        parts.append(f"about {_duration(status['seconds_left'])} left")
    return ", ".join(parts)


def _tried(status: Mapping[str, Any]) -> int:
    """The points that were under load, measured or failed."""
    return int(status.get("points_done", 0)) + int(status.get("points_failed") or 0)


def _points(status: Mapping[str, Any]) -> str:
    failed = f" ({status['points_failed']} failed)" if status.get("points_failed") else ""
    return f"{status.get('points_done', 0)} of {status.get('points_possible', 'an unknown number')}{failed}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
