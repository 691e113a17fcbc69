"""A kept-alive HTTP/1.1 connection that stamps bytes as they reach the process.

The protocol sits on the event loop's transport itself: between the kernel and the stamp there is no coroutine that
must get its turn, and a request is stamped and written in one step. Bytes are put aside as they come; framing is
followed every few KB and at what looks like the end, so the cost of a token is a stamp and two appends.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable
from ssl import SSLContext
from time import monotonic_ns
from typing import cast

from bench.sweep.wire.answer import WireAnswer
from bench.sweep.wire.exchange import Limits, RequestOutcome
from bench.sweep.wire.framing import Chunks, WrongFraming, head_of

BILLION = 1_000_000_000
LOOK_EVERY = 4096
"""Bytes between two looks at the framing, some twenty tokens: what is left to follow at the end is soon done."""
AN_ERROR = re.compile(rb'"error"\s*:\s*[^n\s]').search
"""An error in a stream; many servers put one that is null into every chunk."""
UNSEEN = 1_000_000
"""Bytes that may come unseen while there is no time to look; then it is looked at once."""


class Connection(asyncio.Protocol):
    """One connection and the answer that is under way on it, None between two requests; `base` is whose it is.

    `on_end` hears of each answer that has ended, `on_more` of one whose bytes may be read meanwhile, `on_lost` that
    the connection is gone.
    """

    __slots__ = ("_body", "_chunks", "_head", "_left", "_limits", "_lost", "_now", "_reads", "_received",
                 "_remaining", "_socket", "_stamps", "answer", "base", "connect_ns", "last_ns",
                 "number", "on_end", "on_lost", "on_more", "open", "transport", "turned_away", "used")  # fmt: skip

    def __init__(
        self,
        number: int,
        limits: Limits,
        on_end: Callable[[Connection, WireAnswer], None],
        on_more: Callable[[Connection, WireAnswer], None],
        on_lost: Callable[[Connection], None],
        base: int = 0,
    ) -> None:
        self.number = number
        self.base = base
        self.connect_ns: int | None = None
        self.open = False
        self.turned_away = False  # reset by the other side before a request was written on it
        self.used = self._lost = False
        self.answer: WireAnswer | None = None
        self.last_ns = 0
        self.transport: asyncio.Transport
        self.on_end, self.on_more, self.on_lost = on_end, on_more, on_lost
        self._socket: socket.socket | None = None
        self._limits = limits
        self._reads: list[bytes] = []
        self._stamps: list[int] = []
        self._left = -1  # bytes until it is time to look
        self._now = 0  # where `_left` below this cannot wait: an answer's head, and the end of a body of known length
        self._head = bytearray()
        self._body = False
        self._chunks: Chunks | None = None
        self._remaining: int | None = None
        self._received = 0

    def on(self, plain: socket.socket | None, connect_ns: int) -> None:
        """Take the connection as up. `plain` is its socket where bytes are written to it as they are."""
        self._socket, self.connect_ns, self.open = plain, connect_ns, not self._lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast(asyncio.Transport, transport)  # uvloop's own is one in all but name

    def usable(self) -> bool:
        """Whether a request can be sent: the other side has not hung up behind its last answer."""
        if not self.open or self._socket is None:
            return self.open
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            self.turned_away = not self.used
        self.close()  # its end, or bytes that nobody asked for
        return False

    def send(self, answer: WireAnswer, request: bytes) -> None:
        """Stamp the request and write it, what the kernel does not take at once by way of the transport."""
        answer.reused, self.answer, self.used = self.used, answer, True
        answer.connection = self.number
        answer.connect_ns, self.connect_ns = self.connect_ns, None
        self._reads, self._stamps, self._left, self._now = [], [], -1, 0
        self._head.clear()
        self._body, self._chunks, self._remaining, self._received = False, None, None, 0
        plain = self._socket
        written = 0
        answer.sent_ns = self.last_ns = monotonic_ns()
        if plain is not None:
            try:
                written = plain.send(request)
            except BlockingIOError:
                pass
            except OSError:
                self.transport.abort()  # what came before it was closed is still told by connection_lost
                return
        if written < len(request):
            self.transport.write(request[written:] if written else request)

    def data_received(self, data: bytes) -> None:
        """Stamp the bytes."""
        self._stamps.append(monotonic_ns())
        self._reads.append(data)
        self._left -= len(data)
        # Every chunked body ends in an empty line, which may come in several reads.
        if data.endswith(b"\r\n\r\n") or len(data) < 4 or self._left < self._now:
            self.look()
        elif self._left < 0 and self.answer is not None:
            self.on_more(self, self.answer)

    def look_for(self, answer: WireAnswer) -> None:
        """Follow what has come of an answer that may be under way still."""
        if self.answer is answer:
            self.look()

    def look(self) -> None:
        """Follow what has come: the head, the framing, the limits, the end."""
        answer, reads, stamps = self.answer, self._reads, self._stamps
        if not reads:
            return
        self._reads, self._stamps = [], []
        if answer is None:
            self.close()  # bytes that nobody asked for
            return
        self.last_ns = stamps[-1]
        try:
            if not self._body:
                reads, stamps = self._begin(answer, reads, stamps)
            if self._body and self.answer is answer:
                self._follow(answer, reads, stamps)
        except WrongFraming as wrong:
            self.cut("malformed", str(wrong))

    def _begin(self, answer: WireAnswer, reads: list[bytes], stamps: list[int]) -> tuple[list[bytes], list[int]]:
        """What follows the head, with its stamps; nothing while the head is not whole."""
        head = self._head
        while reads:
            known = max(0, len(head) - 3)
            head += reads.pop(0)
            stamp = stamps.pop(0)
            while (end := head.find(b"\r\n\r\n", known)) >= 0:
                said = head_of(bytes(head[:end]))
                rest = bytes(head[end + 4 :])
                if end > self._limits.header_bytes:
                    break
                if said.status >= 200 or said.status == 101:
                    if reason := answer.begin(said, stamp):
                        self.cut("not_a_stream", reason)
                        return [], []
                    self._body, self._received = True, 0
                    self._remaining = said.length
                    self._chunks = Chunks() if said.chunked else None
                    return ([rest, *reads], [stamp, *stamps]) if rest else (reads, stamps)
                head[:] = rest  # 100 Continue and its like come before the answer
                known = 0
                self._received += end + 4
                if self._received > self._limits.header_bytes:
                    self.cut("too_large", "the answer is nothing but heads that announce one, such as 100 Continue")
                    return [], []
            if len(head) > self._limits.header_bytes:
                self.cut("too_large", f"the answer's head is longer than {self._limits.header_bytes:,} bytes")
                return [], []
        return [], []

    def _follow(self, answer: WireAnswer, reads: list[bytes], stamps: list[int]) -> None:
        """Hand on the pieces of the body and see whether it has ended."""
        pieces: list[bytes] = []
        when: list[int] = []
        ended, surplus = False, 0
        if self._chunks is not None:
            if reads:
                self._chunks.advance(reads, stamps, pieces, when)
            ended, surplus = self._chunks.done, self._chunks.surplus
        elif self._remaining is not None:
            pieces, when = reads, stamps
            surplus = over = max(0, sum(map(len, reads)) - self._remaining)
            while over:
                last = pieces.pop()
                if len(last) > over:
                    pieces.append(last[:-over])
                over = max(0, over - len(last))
            when = when[: len(pieces)]
            self._remaining -= sum(map(len, pieces))
            ended = self._remaining == 0
        else:
            pieces, when = reads, stamps
        answer.take(pieces, when)
        self._received += sum(map(len, pieces))
        if ended:
            # After an error in a stream servers hang up without saying so; the next request would fail for it.
            assert answer.head is not None
            streamed = answer.head.status < 300
            spoiled = surplus > 0 or (streamed and any(map(AN_ERROR, pieces[-3:])))
            self._end(answer, stamps[-1] if stamps else self.last_ns, spoiled)
        elif self._received > (most := self._limits.bytes_of(answer.ask.osl)):
            self.cut("too_large", f"the answer is longer than the {most:,} bytes that {answer.ask.osl} tokens can need")
        else:
            self._left = LOOK_EVERY
            self._now = -UNSEEN
            if self._remaining is not None:
                self._now = max(-UNSEEN, LOOK_EVERY - self._remaining + 1)

    def _end(self, answer: WireAnswer, at: int, spoiled: bool) -> None:
        """End a whole answer. The connection is kept where both sides want that."""
        assert answer.head is not None
        self.answer = None
        self._left, self._now = -1, 0
        answer.end(at)
        if spoiled or not answer.head.keeps_alive:
            self.close()
        self.on_end(self, answer)

    def cut(self, outcome: RequestOutcome, error: str) -> None:
        """Hear the answer no further, and give up the connection."""
        answer = self.answer
        self.look()
        if answer is None or self.answer is not answer:
            return  # it was whole
        self.answer = None
        self.open = False
        self.transport.abort()
        answer.end(monotonic_ns(), outcome, error)
        self.on_end(self, answer)

    def check(self, now: int) -> None:
        """Cut off an answer that has passed a limit of time or length."""
        answer, limits = self.answer, self._limits
        assert answer is not None
        heard = self._stamps[-1] if self._stamps else self.last_ns
        overdue = now - answer.sent_ns > limits.timeout_s * BILLION
        silent = now - heard > limits.stall_s * BILLION
        if overdue or silent:
            self.look()
            while answer.waiting:
                answer.read(answer.waiting)
        if self.answer is not answer:
            return
        if answer.too_long:
            self.cut("too_large", "")
        elif overdue:
            self.cut("timeout", f"the answer had not ended after {limits.timeout_s:g} s")
        elif silent and answer.speaking:
            self.cut("stalled", f"nothing came for {limits.stall_s:g} s in the middle of the answer")

    def close(self) -> None:
        """Give up the connection."""
        self.open = False
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End what was under way with the connection, well only where that is how its end is told."""
        if self._reads:
            self.look()
        self.open, self._lost = False, True
        self.turned_away = self.turned_away or (exc is not None and not self.used)
        answer, self.answer = self.answer, None
        if answer is not None:
            until_closed = self._body and self._chunks is None and self._remaining is None
            at = monotonic_ns() if exc is not None or not until_closed else self.last_ns
            if exc is None and until_closed:
                answer.end(at)
            elif answer.head is None:
                answer.end(at, "broken_stream", "the connection was closed before an answer came")
            else:
                answer.end(
                    at, "broken_stream", f"the connection was closed after {self._received:,} bytes of the answer"
                )
            self.on_end(self, answer)
        self.on_lost(self)


async def connect(
    connection: Connection, address: tuple[str, int], seconds: float, secure: SSLContext | None = None, name: str = ""
) -> None:
    """Set the connection up, and note how long that took.

    OSError when it cannot be reached: TimeoutError within the seconds, ssl.SSLError where TLS fails.
    """
    loop = asyncio.get_running_loop()
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    plain = socket.socket(family, socket.SOCK_STREAM)
    plain.setblocking(False)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    start = monotonic_ns()
    try:
        async with asyncio.timeout(seconds):
            await loop.sock_connect(plain, address)
            if secure is None:
                await loop.create_connection(lambda: connection, sock=plain)
            else:
                await loop.create_connection(lambda: connection, sock=plain, ssl=secure, server_hostname=name)
    except BaseException:
        plain.close()
        raise
    connection.on(plain if secure is None else None, monotonic_ns() - start)
