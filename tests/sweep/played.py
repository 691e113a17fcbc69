"""An endpoint as far as a test needs one, which may redirect or repeat the key it was given, and keeps what came."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ALWAYS = 10_000


@dataclass
class Played:
    """How the endpoint behaves, and what came.

    After `good` answers it redirects to `leads_to`, or where that is empty refuses with 401 and all it was sent, or
    `in_a_stream` with a line that is no JSON. Its first looks at the models are answered by `loading`, each a status or
    the name of another model; `told` says what other routes answer, with a status, and `more` is in every head. A
    request for an answer gets what `drips` again and again, so many seconds apart. Headers of what came are kept in
    `headers`. One that `hangs_up` keeps no connection behind an answer, and does not say so: its end comes with the
    answer's last byte.
    """

    good: int = ALWAYS
    leads_to: str = ""
    echoes: bool = False
    in_a_stream: bool = False
    loading: list[int | str] = field(default_factory=list)
    told: dict[str, tuple[int, object]] = field(default_factory=dict)
    more: dict[str, str] = field(default_factory=dict)
    drips: tuple[bytes, float] | None = None
    hangs_up: bool = False
    owned_by: str = "whoever sends"
    route: str = "/v1/chat/completions"
    headers: list[dict[str, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    answered: int = 0
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])


@contextmanager
def playing(played: Played | None = None, host: str = "127.0.0.1", port: int = 0) -> Iterator[Played]:
    """The endpoint, listening on loopback until the block ends."""
    role = played or Played()

    class Handler(_Handler):
        played = role

    server = ThreadingHTTPServer((host, port), Handler)
    server.daemon_threads = True
    role.url = f"http://{host}:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield role
    finally:
        role.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def reserved() -> Iterator[int]:
    """A port that nobody listens at and nobody else is given; another socket of this process may listen there."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


class _Handler(BaseHTTPRequestHandler):
    played: Played
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.played.asked.append(f"GET {self.path}")
        self.played.headers.append({name.lower(): value for name, value in self.headers.items()})
        key = self._key()
        if self.path == "/version" and key:
            spelled = "".join(f"\\u{ord(character):04x}" for character in f"1.0 of {key}")
            self._send(200, "application/json", f'{{"version": "{spelled}"}}'.encode(), {"x-asked-with": key.upper()})
        elif self.path in self.played.told:
            self._say(*self.played.told[self.path])
        elif self.path.partition("?")[0] != "/v1/models":
            self._say(404, {"error": {"message": f"no {self.path} for {key}"}}, {"x-asked-with": key})
        elif self.played.good == 0:
            self._turn_away(key)
        else:
            state = self.played.loading.pop(0) if self.played.loading else "fake-model"
            if isinstance(state, int):
                self._say(state, {"error": "the model is loading"})
            else:
                self._say(200, {"data": [{"id": state, "owned_by": f"{self.played.owned_by} {key}".strip()}]})

    def do_POST(self) -> None:
        stated = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self._key()
        if self.played.hangs_up:
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)  # until it is closed
            self.close_connection = True
        with self.played.lock:
            self.played.asked.append(f"POST {self.path}")
            good = self.played.answered < self.played.good
            self.played.answered += good
        self.played.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.played.drips is not None:
            self._drip(*self.played.drips)
        elif self.path in self.played.told:
            self._say(*self.played.told[self.path])
        elif self.path != self.played.route:
            self._say(404, {"error": f"no such route for {key}"})
        elif good:
            self._stream(stated, key)
        else:
            self._turn_away(key)

    def _drip(self, piece: bytes, every_s: float) -> None:
        with suppress(OSError):
            while not self.played.over.wait(every_s):
                self.wfile.write(piece)
        self.close_connection = True

    def _key(self) -> str:
        """What came as a key, where it is to be repeated."""
        sent = self.headers.get("authorization") or self.headers.get("x-api-key") or ""
        return sent if self.played.echoes else ""

    def _turn_away(self, key: str) -> None:
        if self.played.in_a_stream:
            line = f"data: Incorrect API key provided: {key.partition(' ')[2]}\n\n"
            self._send(200, "text/event-stream", line.encode(), {})
            return
        if self.played.leads_to:
            self._say(302, {}, {"location": self.played.leads_to + (f"?key={key.split()[-1]}" if key else "")})
            return
        refused = f"Incorrect API key provided: {key.partition(' ')[2]}. You sent {key}, and nobody knows {key}."
        self._say(401, {"error": {"message": "x" * 280 + refused}}, {"www-authenticate": key.swapcase()})

    def _stream(self, stated: dict[str, Any], key: str) -> None:
        tokens, words = (stated.get("max_tokens") or 8, sum(len(one["content"].split()) for one in stated["messages"]))
        chunks: list[Any] = [
            {"id": f"for {key}", "choices": [{"index": 0, "delta": {"content": "w"}, "finish_reason": None}]}
            for _ in range(tokens)
        ]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": f"length {key}".strip()}]})
        chunks.append({"choices": [], "usage": {"prompt_tokens": words, "completion_tokens": tokens}})
        body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self._send(200, "text/event-stream", body.encode(), {})

    def _say(self, status: int, document: object, headers: dict[str, str] | None = None) -> None:
        self._send(status, "application/json", json.dumps(document).encode(), headers or {})

    def _send(self, status: int, kind: str, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {
            "content-type": kind,
            "content-length": str(len(body)),
            **self.played.more,
            **headers,
        }.items():
            if name != "server":
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        return self.played.more.get("server", "played")

    def log_message(self, format: str, *args: object) -> None:
        pass
