"""The process that serves odd endpoints: their plan is its first line of input, then it is asked for their logs."""

from __future__ import annotations

import asyncio
import gc
import json
import ssl
import sys
import time
from contextlib import closing
from dataclasses import asdict, replace
from typing import Any

from bench.endpoint import wheel
from tests.endpoint.odd import Odd, Wrote
from tests.endpoint.odd_stream import Reply, document, head, lasts_ms, writes

MODEL = "odd-model"
WAITING_CLIENTS = 4096
REFUSED = {404: "There is no such route.", 429: "Not now."}


class Endpoint:
    """One odd endpoint: lets requests in or turns them away, and keeps what it wrote."""

    def __init__(self, odd: Odd) -> None:
        self.odd = odd
        self.log: list[Wrote] = []
        self.connections = self.under_way = 0
        self._level, self._level_ns = 0.0, 0

    def turns_away(self, now_ns: int) -> bool:
        """Whether this request comes too often, or while enough others are under way."""
        odd = self.odd
        if odd.rate_per_s is not None:
            self._level = max(0.0, self._level - (now_ns - self._level_ns) / 1e9 * odd.rate_per_s)
            self._level_ns = now_ns
            if self._level + 1 > odd.burst:
                return True
            self._level += 1
        return odd.admits is not None and self.under_way >= odd.admits


class Connection(asyncio.Protocol):
    """One client's connection; its requests are answered one after another."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.number = endpoint.connections
        endpoint.connections += 1
        self.transport: asyncio.Transport
        self._got = b""
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        self._got += data
        start, end, rest = self._got.partition(b"\r\n\r\n")
        if not end:
            return
        first, *lines = start.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
        size = int(headers.get("content-length", 0))
        if len(rest) >= size:
            self._got = rest[size:]
            method, path, _ = first.split(" ")
            self._asked(f"{method} {path}", rest[:size], now_ns)

    def _asked(self, what: str, body: bytes, now_ns: int) -> None:
        if what == "GET /v1/models":
            self._say(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "someone"}]})
            return
        if what != "POST /v1/chat/completions":
            self._refuse(404)
            return
        wrote = Wrote(len(self.endpoint.log), self.number, now_ns)
        self.endpoint.log.append(wrote)
        if self.endpoint.turns_away(now_ns):
            self._note(wrote, status=429, ended="refused", ended_ns=time.monotonic_ns())
            self._refuse(429)
            return
        self.endpoint.under_way += 1
        self._task = asyncio.ensure_future(self._answer(wrote, json.loads(body)))

    async def _answer(self, wrote: Wrote, stated: dict[str, Any]) -> None:
        endpoint, odd = self.endpoint, self.endpoint.odd
        words = sum(len(str(message.get("content")).split()) for message in stated.get("messages", ()))
        asked = stated.get("max_tokens") or stated.get("max_completion_tokens") or 16
        reply = Reply(
            id=f"odd-{wrote.number}",
            model=stated.get("model", MODEL),
            tokens=odd.length or asked,
            input_tokens=round(words * odd.prompt_factor) + odd.prompt_more,
            tells_usage=bool((stated.get("stream_options") or {}).get("include_usage")),
        )
        wrote = self._note(wrote, id=reply.id, asked=asked, input_tokens=reply.input_tokens)
        try:
            if stated.get("stream"):
                ended = await self._stream(wrote, reply)
            else:
                await _until(wrote.received_ns, lasts_ms(odd, reply.tokens))
                wrote.chunks_ns.append(time.monotonic_ns())
                wrote.tokens.append(reply.tokens)
                self._say(200, document(odd, reply))
                ended = "whole"
        finally:
            endpoint.under_way -= 1
        self._note(endpoint.log[wrote.number], ended=ended, ended_ns=time.monotonic_ns())

    async def _stream(self, wrote: Wrote, reply: Reply) -> str:
        for write in writes(self.endpoint.odd, reply):
            await _until(wrote.received_ns, write.at_ms)
            if self.transport.is_closing():
                return "client_left"
            now_ns = time.monotonic_ns()
            self.transport.write(write.data)
            wrote.chunks_ns.extend([now_ns] * len(write.tokens))
            wrote.tokens.extend(write.tokens)
        return "whole"

    def _refuse(self, status: int) -> None:
        after = self.endpoint.odd.retry_after
        self._say(status, {"error": {"message": REFUSED[status]}}, {} if after is None else {"retry-after": after})

    def _say(self, status: int, said: object, more: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(said).encode(), {"content-type": "application/json", **(more or {})})

    def _send(self, status: int, data: bytes, fields: dict[str, str]) -> None:
        self.transport.write(head(status, {**fields, "content-length": str(len(data))}) + data)

    def _note(self, wrote: Wrote, **more: Any) -> Wrote:
        self.endpoint.log[wrote.number] = replace(wrote, **more)
        return self.endpoint.log[wrote.number]


async def _until(since_ns: int, ms: float) -> None:
    left_s = since_ns / 1e9 + ms / 1e3 - time.monotonic()
    if left_s > 0:
        await asyncio.sleep(left_s)


async def serve() -> None:
    """Serve until its input ends."""
    loop = asyncio.get_running_loop()
    asked = asyncio.StreamReader(limit=1 << 24)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(asked), sys.stdin)
    plan = json.loads(await asked.readline())
    secure = None
    if plan["certificate"]:
        secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        secure.load_cert_chain(plan["certificate"])
    endpoints = {name: Endpoint(Odd(**stated)) for name, stated in plan["odds"].items()}
    ports = {}
    for name, endpoint in endpoints.items():
        server = await loop.create_server(
            lambda endpoint=endpoint: Connection(endpoint),
            "127.0.0.1",
            ssl=secure if endpoint.odd.tls else None,
            backlog=WAITING_CLIENTS,
        )
        ports[name] = server.sockets[0].getsockname()[1]
    gc.collect()
    gc.freeze()
    print(json.dumps(ports), flush=True)
    while name := (await asked.readline()).decode().strip():
        print(json.dumps([asdict(wrote) for wrote in endpoints[name].log]), flush=True)


if __name__ == "__main__":
    with closing(wheel.loop()) as running:
        running.run_until_complete(serve())
