"""The app as its own process on a free port, for measurements."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = "KNEEPOINT_TEST_SERVER_LOGS"
"""The environment variable that names the folder for the logs of servers whose log has no place of its own."""

NOT_WARMED = "from pages.shared import cached; cached.OPENED_FIRST = ()"
"""A `setup` for a server of which no page is looked at: it answers none before it is asked."""


@dataclass(frozen=True)
class Server:
    """A running app: its address, its process and the seconds from start to its first byte."""

    url: str
    pid: int
    first_byte_s: float


def free_port() -> int:
    """A port nobody listens on, below those that are given to whoever asks for any: it is still free a moment later."""
    lowest_given = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = secrets.choice(range(20_000, max(lowest_given, 30_000)))
        with contextlib.suppress(OSError), socket.socket() as listener:
            listener.bind(("127.0.0.1", port))
            return port


@contextlib.contextmanager
def running(
    library: Path | None = None,
    log: Path | None = None,
    script: str = "app.py",
    environment: Mapping[str, str] | None = None,
    setup: str = "",
) -> Iterator[Server]:
    """The app, or another script, started on a free port and ended afterwards; what it prints is in the log.

    `setup` is Python that its process runs first, such as to set limits that a test need not wait for.
    """
    port = free_port()
    program = f"{setup}\nfrom streamlit.web.cli import main; main(prog_name='streamlit')"
    command = [sys.executable, "-c", program, "run", script, "--server.port", str(port), "--server.headless=true"]
    told = {**os.environ, "KNEEPOINT_LIBRARY": str(library or ROOT / "does-not-exist"), **(environment or {})}
    start = time.perf_counter()
    kept = os.environ.get(LOGS)
    with open(log or (Path(kept, f"{port}.log") if kept else os.devnull), "wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=told, stdout=out, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_for_first_byte(url)
        yield Server(url, process.pid, time.perf_counter() - start)
    finally:
        process.terminate()
        process.wait(20)


def wait_for_first_byte(url: str, limit_s: float = 60) -> None:
    """Returns once the server answers; TimeoutError when it does not."""
    end = time.perf_counter() + limit_s
    while time.perf_counter() < end:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                answer.read(1)
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.02)
    raise TimeoutError(f"{url} did not answer within {limit_s:g} s.")
