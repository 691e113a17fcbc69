"""Endpoints to practise on without an accelerator: the fake endpoint's presets, each a process of its own on loopback.

One is started once for a library and found again by every process. It ends by itself when nobody has asked for long.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from bench.endpoint.settings import PRESETS, preset
from bench.errors import BenchError
from bench.library.store import document
from bench.sweep.checks.endpoint_probe import EndpointProbe, NotReached
from bench.sweep.checks.engines import engine
from bench.sweep.folder import locked, writing
from bench.sweep.session.priority import at_the_front, spawned
from bench.sweep.wire.exchange import Target

FOLDER = "practice"
IDLE_EXIT_S = 3600
STARTS_WITHIN_S, LOOK_S, ANSWERS_WITHIN_S = 20.0, 0.05, 2.0


@dataclass(frozen=True)
class PracticeEndpoint:
    """An endpoint to practise on: its preset, what that simulates, and where it listens, None where it does not."""

    name: str
    simulates: str
    url: str | None = None

    @property
    def model(self) -> str:
        """The model it serves, named as its preset."""
        return self.name


def practices(library: Path) -> tuple[PracticeEndpoint, ...]:
    """Every preset, with its URL where it is running for this library."""
    return tuple(PracticeEndpoint(name, told["simulates"], _url(library, name)) for name, told in PRESETS.items())


def is_practice(library: Path, url: str) -> bool:
    """Whether this is the URL of an endpoint that is running to be practised on."""
    return any(one.url == _root(url) for one in practices(library))


def was_practice(library: Path, url: str) -> bool:
    """Whether an endpoint to practise on listens there, or did; nothing is asked."""
    return any(_recorded(library / FOLDER / f"{name}.json") == _root(url) for name in PRESETS)


def revive(library: Path, url: str) -> None:
    """Start the endpoint to practise on again where this was the URL of one that has ended."""
    for name in PRESETS:
        if _recorded(library / FOLDER / f"{name}.json") == _root(url) and _url(library, name) is None:
            practise(library, name)


def practise(library: Path, name: str) -> PracticeEndpoint:
    """The endpoint of this preset, running; at the port it had before, where that is free.

    UnknownName when there is no preset of that name; BenchError when it does not start.
    """
    simulates = preset(name)["simulates"]
    with locked(library / FOLDER / f"{name}.lock"):  # of several who want it at once, one starts it
        url = _url(library, name) or at_the_front(lambda: _started(library, name))
    return PracticeEndpoint(name, simulates, url)


def _started(library: Path, name: str) -> str:
    """The URL of a new process, which outlives this one."""
    record, log = library / FOLDER / f"{name}.json", library / FOLDER / f"{name}.log"
    before = _recorded(record)
    for port in (before.rpartition(":")[2], "0") if before else ("0",):
        with writing(record), record.open("wb") as out, log.open("wb") as err:
            serve = ["bench", "endpoint", "--preset", name, "--model", name, "--port", port, "--json"]
            process = spawned([*serve, "--idle-exit-s", str(IDLE_EXIT_S)], out, err)
        until = time.monotonic() + STARTS_WITHIN_S
        while process.poll() is None and time.monotonic() < until:
            if url := _url(library, name):
                return url
            time.sleep(LOOK_S)
    told = log.read_text(encoding="utf-8", errors="replace").strip()[-300:]
    raise BenchError(f"The practice endpoint {name} did not start: {told or 'it said nothing'}.")


def _url(library: Path, name: str) -> str | None:
    """Where the preset listens, when what listens there says that it simulates."""
    url = _recorded(library / FOLDER / f"{name}.json")
    if url is None:
        return None
    try:
        site = EndpointProbe(Target.at(url), ANSWERS_WITHIN_S)
        try:
            entry = next((row for row in site.get("/v1/models").models or () if row["id"] == name), None)
            return url if entry and engine(site, entry).simulates == PRESETS[name]["simulates"] else None
        finally:
            site.close()
    except NotReached:
        return None


def _root(url: str) -> str:
    return url.rstrip("/").removesuffix("/v1")


def _recorded(record: Path) -> str | None:
    try:
        url = document(record.read_bytes())["url"]
    except (OSError, ValueError, LookupError):
        return None
    return url if isinstance(url, str) and url.startswith("http://127.0.0.1:") else None
