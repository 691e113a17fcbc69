"""The endpoint itself: listens, routes, counts, and keeps what really happened."""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
import time
from typing import cast

from bench.endpoint import chunks, dialects, failures, http1, requested
from bench.endpoint.answering import Answering
from bench.endpoint.batching import BatchRoom, Prefixes
from bench.endpoint.connection import ClientConnection, Request, requests_to
from bench.endpoint.requested import Refused, ValidRequest
from bench.endpoint.settings import Settings
from bench.endpoint.steps import BatchSteps
from bench.endpoint.truth import Log, Truth
from bench.endpoint.wheel import Wheel
from bench.errors import InputError

WAITING_CLIENTS = 4096
FLUSH_EVERY_S = 0.2
FLOOD_EVERY_NS = 1_000_000
GENERATING = {"/v1/chat/completions": True, "/v1/completions": False}


class Server:
    """One endpoint on one event loop; everything happens in that loop's thread."""

    def __init__(self, settings: Settings, running: asyncio.AbstractEventLoop) -> None:
        self.settings, self._loop = settings, running
        self._wheel = Wheel(running)
        self._room = BatchRoom(settings.max_running, settings.max_waiting, settings.kv_tokens)
        self._steps = BatchSteps(settings, self._room, self._wheel) if settings.batched else None
        listener = _listener(settings)
        try:
            self._log = Log(settings.log) if settings.log else None
        except InputError:
            listener.close()
            raise
        self.port: int = listener.getsockname()[1]
        self._prefixes = Prefixes() if settings.prefix_caching else None
        self._prefix_queries = self._prefix_hits = 0
        self._closing = False
        self._last_seen = time.monotonic()
        self._requests = self._accepted = self._finished = self._prompt_tokens = self._generated = 0
        failures.prepare()
        self._reader = requests_to(self._serve, running)
        accepting = running.create_server(self._connected, sock=listener, backlog=WAITING_CLIENTS)
        self._accepting = running.create_task(accepting)  # once the loop runs: until then clients wait in the backlog
        self._flush()

    @property
    def url(self) -> str:
        """The base URL clients use."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.settings.host, self.settings.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def idle_s(self) -> float:
        """How long nobody has been connected, in seconds, as far as it was looked at."""
        if self._reader.connections:
            self._last_seen = time.monotonic()
        return time.monotonic() - self._last_seen

    def close(self) -> None:
        """Stop listening, drop every connection, finish the log; the loop must have stopped."""
        self._closing = True
        self._loop.run_until_complete(self._accepting).close()
        for answer in [*self._room.running.values(), *self._room.waiting]:
            answer.stop()
        for connection in self._reader.connections:
            cast("ClientConnection", connection).lose()
        if self._log:
            self._log.close()
            self._log = None
        readers = asyncio.all_tasks(self._loop)
        self._loop.run_until_complete(asyncio.wait(readers) if readers else asyncio.sleep(0))

    def figures(self) -> dialects.EngineFigures:
        """What the engine's metrics tell."""
        return dialects.EngineFigures(
            running=len(self._room.running),
            waiting=len(self._room.waiting),
            kv_share=self._room.kv_share(),
            prompt_tokens=self._prompt_tokens,
            generation_tokens=self._generated,
            finished=self._finished,
            prefix_queries=self._prefix_queries,
            prefix_hits=self._prefix_hits,
        )

    def _connected(self) -> ClientConnection:
        number, self._accepted = self._accepted, self._accepted + 1
        self._last_seen = time.monotonic()
        refused = failures.refuses(self.settings.fail, self.settings.fail_at, self.settings.seed, number)
        return ClientConnection(self._reader, self._loop, number, self._refuse if refused else None)

    def _refuse(self, connection: ClientConnection) -> None:
        truth = Truth(number=-1, connection=connection.number, received_ns=time.monotonic_ns())
        truth.failure = "refused"
        self._record(truth, "failed", None)
        connection.reset()

    def _serve(self, connection: ClientConnection, request: Request) -> None:
        received = time.monotonic_ns()
        path = request.path.removeprefix("/followed").rstrip("/") or "/"
        if path in GENERATING and request.method == "POST":
            self._generate(connection, request, GENERATING[path], received)
            return
        try:
            connection.send(self._fixed_answer(request, path))
        except Refused as problem:
            connection.send(self._error(problem))
        connection.served(request.keep_alive)

    def _fixed_answer(self, request: Request, path: str) -> bytes:
        """The answer of every route that generates nothing."""
        if path in ("/", "/health", "/ping"):
            return http1.answer(200, b'{"status":"ok"}')
        if path == "/metrics":
            text = dialects.metrics(self.settings, self.figures())
            if text is not None:
                return http1.answer(200, text.encode(), kind="text/plain; version=0.0.4; charset=utf-8")
        if path.startswith("/v1/"):
            self._check_key(request)
        document: object = None
        if request.method == "POST" and path == "/tokenize":
            document = dialects.tokenized(self.settings, requested.document(request.body))
        elif request.method == "GET":
            document = dialects.info(self.settings, path, self.figures())
        if document is None:
            raise Refused(405 if path in GENERATING else 404, f"There is no {request.method} {path[:200]} here.")
        return http1.answer(200, json.dumps(document).encode())

    def _check_key(self, request: Request) -> None:
        key = self.settings.api_key
        if key is None:
            return
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(errors="replace"), key.encode()):
            raise Refused(401, "Incorrect API key provided.")

    def _generate(self, connection: ClientConnection, request: Request, chat: bool, received: int) -> None:
        truth = Truth(number=self._requests, connection=connection.number, received_ns=received)
        self._requests += 1
        truth.id = chunks.answer_id(chat, truth.number)
        truth.request_id = request.headers.get("x-request-id", "")[:200]
        truth.api = "chat" if chat else "completions"
        try:
            self._check_key(request)
            wanted = requested.read(self.settings, chat, request.body)
        except Refused as problem:
            self._record(truth, "refused", problem.status)
            connection.send(self._error(problem))
            connection.served(request.keep_alive)
            return
        truth.stream, truth.input_tokens, truth.output_asked = (wanted.stream, wanted.prompt_tokens, wanted.most)
        truth.tokens_per_chunk = self.settings.tokens_per_chunk
        truth.chunks_per_write = self.settings.chunks_per_write
        if self._prefixes:
            share = self._prefixes.known_share(wanted.prompt)
            truth.cached_tokens = min(wanted.prompt_tokens - 1, int(share * wanted.prompt_tokens))
            self._prefix_queries += wanted.prompt_tokens
            self._prefix_hits += truth.cached_tokens
        truth.failure = failures.chosen(self.settings.fail, self.settings.fail_at, self.settings.seed, truth.number)
        if truth.failure == "slow_headers":
            self._drip(connection, request, wanted, truth)
        elif truth.failure is None or truth.failure in failures.HALF_WAY:
            self._enqueue(connection, request, wanted, truth)
        else:
            self._fail(connection, request, truth, truth.failure)

    def _enqueue(self, connection: ClientConnection, request: Request, wanted: ValidRequest, truth: Truth) -> None:
        answer = Answering(self.settings, wanted, connection, request.keep_alive, truth, self._ended)
        if truth.failure == "slow_headers":
            answer.skip_start_of_head()
        if not self._room.offer(answer):
            connection.on_loss = None
            self._record(truth, "refused", 429)
            full = Refused(429, "The queue is full; try again later.")
            connection.send(self._error(full))
            connection.served(request.keep_alive)
            return
        truth.status = 200
        answer.open()
        if self._steps:
            self._steps.wake()
        else:
            self._admit()

    def _admit(self) -> None:
        """Let those run for whom there is room, when each keeps time on its own."""
        now = time.monotonic_ns()
        for answer in self._room.admit():
            self._wheel.add(answer.admitted(now), answer.turn)

    def _ended(self, answer: Answering) -> None:
        self._room.leave(answer)
        self._prompt_tokens += answer.prompt_tokens
        self._generated += answer.truth.output_tokens
        self._finished += answer.truth.ended == "whole"
        if self._log:
            self._log.add(answer.truth)
        if self._steps is None and self._room.waiting:
            self._loop.call_soon(self._admit)

    def _fail(self, connection: ClientConnection, request: Request, truth: Truth, kind: str) -> None:
        error = dialects.error(
            self.settings.dialect, int(kind) if kind.isdigit() else 500, "This request fails as asked for."
        )
        given = failures.instead(kind, request.path, self.settings.retry_after_s, error)
        if given is None:
            self._record(truth, "failed", None)
            connection.reset()
        elif isinstance(given, bytes):
            self._record(truth, "failed", int(given[9:12]))
            connection.send(given)
            connection.served(request.keep_alive)
        else:
            truth.status = 200
            self._flood(connection, given, truth)

    def _flood(self, connection: ClientConnection, flood: failures.EndlessAnswer, truth: Truth) -> None:
        """Send without end, a block a millisecond at most, so that good requests keep their times."""
        sent = len(flood.start)
        connection.on_loss = lambda: self._record(truth, "failed", 200)
        connection.send(flood.start)

        def turn(due: int) -> int | None:
            nonlocal sent
            if connection.closed:
                return None
            if flood.most is not None and sent >= flood.most:
                self._record(truth, "failed", 200)
                connection.on_loss = None
                connection.close_when_sent()
                return None
            if not connection.backlog:
                connection.send(flood.block)
                sent += len(flood.block)
            return time.monotonic_ns() + FLOOD_EVERY_NS

        self._wheel.add(time.monotonic_ns(), turn)

    def _drip(self, connection: ClientConnection, request: Request, wanted: ValidRequest, truth: Truth) -> None:
        """Send the start of the headers byte by byte, then answer."""
        start = http1.COMMON_START
        pause = round(self.settings.slow_headers_s * 1e9 / len(start))
        place = 0
        connection.on_loss = lambda: self._record(truth, "open" if self._closing else "client_left", None)

        def turn(due: int) -> int | None:
            nonlocal place
            if connection.closed:
                return None
            connection.send(start[place : place + 1])
            place += 1
            if place < len(start):
                return due + pause
            self._enqueue(connection, request, wanted, truth)
            return None

        self._wheel.add(time.monotonic_ns() + pause, turn)

    def _record(self, truth: Truth, ended: str, status: int | None) -> None:
        truth.ended, truth.status, truth.end_ns = ended, status, time.monotonic_ns()
        if self._log:
            self._log.add(truth)

    def _error(self, problem: Refused) -> bytes:
        more = {"retry-after": str(self.settings.retry_after_s)} if problem.status == 429 else {}
        body = dialects.error(self.settings.dialect, problem.status, str(problem))
        return http1.answer(problem.status, body, headers=more)

    def _flush(self) -> None:
        if self._log:
            self._log.flush()
            self._loop.call_later(FLUSH_EVERY_S, self._flush)


def _listener(settings: Settings) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        listener = socket.create_server(address[:2], family=family, backlog=WAITING_CLIENTS)
    except OSError as problem:
        raise InputError(
            f"The endpoint cannot listen on {settings.host} port {settings.port} ({problem.strerror}); "
            "choose another --port, or 0 for a free one."
        ) from None
    listener.setblocking(False)
    return listener
