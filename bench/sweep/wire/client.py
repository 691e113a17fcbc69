"""The client of one endpoint: requests as bytes, and connections opened before they are needed.

It speaks HTTP/1.1 itself, with TLS below it where the endpoint has it, instead of using aiohttp: measured side by side
that reads more than twice as many tokens a second, and only so is a request stamped in the step that writes it.
"""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import Callable

from bench.sweep.wire.answer import WireAnswer
from bench.sweep.wire.connection import Connection, connect
from bench.sweep.wire.exchange import Limits, PreparedRequest, Target

OPENING_AT_ONCE = 32
"""Connections being set up at a time, below the backlog of any server (128 is the smallest in use)."""

TURNED_AWAY = "the endpoint accepted a connection and reset it before a request was sent"


class Idle:
    """Connections without a request, kept apart by the base URL they go to.

    `gone` is how often the one that was used last had been closed by the endpoint behind its answer.
    """

    def __init__(self, bases: int) -> None:
        self._waiting: list[deque[Connection]] = [deque() for _ in range(bases)]
        self.gone = 0

    def __len__(self) -> int:
        return sum(map(len, self._waiting))

    def append(self, connection: Connection) -> None:
        """Keep a connection that waits for a request."""
        self._waiting[connection.base].append(connection)

    def pop(self, base: int) -> Connection | None:
        """The open one to this base URL that was used last; None when there is none."""
        passed, found = False, None
        while found is None and self._waiting[base]:
            connection = self._waiting[base].pop()
            found = connection if connection.open else None
            passed = passed or (connection.used and not connection.open)
        self.gone += passed
        return found


CLOSED_IN_SILENCE = 3
"""After so many kept connections that were closed without an answer, and none with one, no connection is kept."""


class Client:
    """Connections to one target, those without a request waiting in `idle`; `opened` counts all there ever were.

    Under several base URLs a request goes to the one that its number falls on, whoever sends it.
    """

    def __init__(
        self,
        target: Target,
        limits: Limits,
        on_end: Callable[[Connection, WireAnswer], None],
        on_more: Callable[[Connection, WireAnswer], None],
    ) -> None:
        self.target = target
        self.limits = limits
        self.bases = target.bases
        self._contexts = [base.context() for base in self.bases]
        self.idle = Idle(len(self.bases))
        self.connections: set[Connection] = set()
        self.opened = 0
        self._on_end, self._on_more = on_end, on_more
        self._addresses: list[tuple[str, int] | None] = [None for _ in self.bases]
        self._heads = [_head(base) for base in self.bases]
        self.secrets = target.secrets
        self._turned_away = 0
        self._kept_closed, self._kept_answered = 0, False

    def answer_to(self, ask: PreparedRequest, intended_ns: int | None) -> WireAnswer:
        """The answer to a request that is about to be sent."""
        return WireAnswer(ask, self.target, self.limits, intended_ns, self.secrets)

    def request(self, ask: PreparedRequest) -> bytes:
        """A request, as it goes over the wire."""
        return b"%scontent-length: %d\r\n\r\n%s" % (self._heads[self.base_of(ask)], len(ask.body), ask.body)

    def base_of(self, ask: PreparedRequest) -> int:
        """Which base URL a request goes to: they take turns, by the request's number over the whole point."""
        return ask.number % len(self.bases)

    def suited(self, connection: Connection | None, ask: PreparedRequest) -> Connection | None:
        """The connection, or instead of none or one to another base URL an idle one; None where none is."""
        base = self.base_of(ask)
        if connection is not None and connection.used and not self._keeps:
            connection.close()
            connection = None
        if connection is None and not self._keeps:
            return self._unused(base)
        if connection is not None and connection.base == base:
            return connection
        if connection is not None and connection.open:
            if len(self.connections) < self.limits.connections:
                self.idle.append(connection)
            else:
                connection.close()
        return self.idle.pop(base)

    def _unused(self, base: int) -> Connection | None:
        """An idle connection that has carried no request; those that have are closed."""
        while (connection := self.idle.pop(base)) is not None and connection.used:
            connection.close()
        return connection

    def heard(self, answer: WireAnswer) -> None:
        """Learn from an answer that has ended whether this endpoint keeps its connections, as it seems to.

        Some close them behind each answer without saying so; a request on such a connection is lost.
        """
        if answer.reused and answer.head is not None:
            self._kept_answered = True
        elif answer.reused and answer.outcome == "broken_stream":
            self._kept_closed += 1

    @property
    def _keeps(self) -> bool:
        return self._kept_answered or self._kept_closed < CLOSED_IN_SILENCE

    def makes_room(self, opening: int) -> bool:
        """Whether one more connection may be opened beside those; one that idles for another base URL gives way."""
        if len(self.connections) + opening < self.limits.connections:
            return True
        spare = next((one for base in range(len(self.bases)) if (one := self.idle.pop(base))), None)
        if spare is not None:
            spare.close()
        return spare is not None

    async def open(self, ask: PreparedRequest) -> Connection:
        """A new connection for a request, in no list yet.

        OSError when the endpoint cannot be reached, or it has reset a connection that was opened ahead for this.
        """
        if self._turned_away:
            self._turned_away -= 1
            raise ConnectionResetError(TURNED_AWAY)
        return await self._open(self.base_of(ask))

    async def _open(self, base: int) -> Connection:
        target = self.bases[base]
        address = self._addresses[base] = self._addresses[base] or await _address(target)
        connection = Connection(self.opened, self.limits, self._on_end, self._on_more, self._lost, base)
        self.opened += 1
        await connect(connection, address, self.limits.connect_s, self._contexts[base], target.host)
        if connection.turned_away:
            self._turned_away -= 1  # whoever opens it is told
            raise ConnectionResetError(TURNED_AWAY)
        self.connections.add(connection)
        return connection

    async def open_ahead(self, count: int) -> None:
        """Open so many idle connections, shared among the base URLs, or fewer where no more are taken."""
        turn = asyncio.Semaphore(OPENING_AT_ONCE)

        async def one(base: int) -> None:
            async with turn:
                try:
                    self.idle.append(await self._open(base))
                except ConnectionResetError:
                    self._turned_away += 1
                except OSError:
                    pass  # it is tried again, and then counted, by the request that needs it

        await asyncio.gather(*(one(place % len(self.bases)) for place in range(count)))

    def take(self, ask: PreparedRequest) -> Connection | None:
        """An open idle connection for a request, the one used last; None when there is none."""
        return self.idle.pop(self.base_of(ask))

    async def close(self) -> None:
        """Close every connection."""
        for connection in list(self.connections):
            connection.open = False
            connection.transport.abort()
        while self.connections:
            await asyncio.sleep(0)

    def _lost(self, connection: Connection) -> None:
        self.connections.discard(connection)
        self._turned_away += connection.turned_away


def _head(target: Target) -> bytes:
    """The lines of every request's head but the length of its body."""
    usual = 443 if target.secure else 80
    fields = {
        "host": target.where.removesuffix(f":{usual}"),
        "content-type": "application/json",
        "accept": "text/event-stream" if target.streaming else "application/json",
        "accept-encoding": "identity",
        "user-agent": "kneepoint",
        **{name.lower(): value for name, value in target.headers.items()},
    }
    fields.pop("content-length", None)
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {target.path}{target.query} HTTP/1.1\r\n{lines}".encode("ascii")


async def _address(target: Target) -> tuple[str, int]:
    """Where the target listens, looked up once."""
    if target.address is not None:
        return target.address, target.port
    found = await asyncio.get_running_loop().getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    return str(found[0][4][0]), target.port
