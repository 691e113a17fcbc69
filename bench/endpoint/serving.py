"""An endpoint for as long as it is needed: beside a test, in a thread of its own, or as a process until SIGTERM."""

from __future__ import annotations

import asyncio
import gc
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from bench.endpoint import wheel
from bench.endpoint.settings import Settings

if TYPE_CHECKING:
    from bench.endpoint.server import Server

LOOK_S = 0.05


@contextmanager
def running(settings: Settings | None = None) -> Iterator[str]:
    """The base URL of an endpoint that serves from a thread of its own, on a free port, until the block ends.

    The log, if there is one, is complete after the block.
    """
    from bench.endpoint.server import Server  # with aiohttp, which whoever needs the settings alone does not load

    with closing(wheel.loop()) as loop:
        server = Server(replace(settings or Settings(), port=0), loop)

        def run() -> None:
            try:
                loop.run_forever()
            finally:
                server.close()

        thread = threading.Thread(target=run, name="endpoint", daemon=True)
        thread.start()
        try:
            yield server.url
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()


def serve(settings: Settings, ready: Callable[[Server], None]) -> None:
    """Serve until SIGTERM or SIGINT; `ready` is called once clients may come."""
    from bench.endpoint.server import Server

    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with closing(wheel.loop()) as loop:
        server = Server(settings, loop)
        try:
            for signal_number in (signal.SIGTERM, signal.SIGINT):
                loop.add_signal_handler(signal_number, loop.stop)
            gc.collect()
            gc.freeze()  # what is imported for good need not be searched for garbage while chunks are due
            ready(server)
            if settings.idle_exit_s is not None:
                _end_when_idle(server, settings.idle_exit_s, loop)
            loop.run_forever()
        finally:
            server.close()


def _end_when_idle(server: Server, most_s: float, loop: asyncio.AbstractEventLoop) -> None:
    """Look now and then whether anybody is there, and stop the loop once nobody was for that long."""
    if server.idle_s >= most_s:
        loop.stop()
    else:
        loop.call_later(max(LOOK_S, most_s / 100), _end_when_idle, server, most_s, loop)
