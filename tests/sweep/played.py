"""An endpoint as far as a test needs one, which may redirect or repeat the key it was given, and keeps what came."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ALWAYS = 10_000


@dataclass
class Played:
    """How the endpoint behaves, and what came.

    After `good` answers it redirects to `leads_to`, or where that is empty refuses with 401 and all it was sent.
    """

    good: int = ALWAYS
    leads_to: str = ""
    echoes: bool = False
    asked: list[str] = field(default_factory=list)
    answered: int = 0
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

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
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    played: Played
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self.played.asked.append(f"GET {self.path}")
        key = self.headers.get("authorization", "") if self.played.echoes else ""
        if self.path != "/v1/models":
            self._say(404, {"error": {"message": f"no {self.path} for {key}"}}, {"x-asked-with": key})
        elif self.played.good == 0:
            self._turn_away(key)
        else:
            self._say(200, {"data": [{"id": "fake-model", "owned_by": f"whoever sends {key}"}]})

    def do_POST(self) -> None:
        stated = json.loads(self.rfile.read(int(self.headers["content-length"])))
        key = self.headers.get("authorization", "") if self.played.echoes else ""
        with self.played.lock:
            self.played.asked.append(f"POST {self.path}")
            good = self.played.answered < self.played.good
            self.played.answered += good
        if self.path != "/v1/chat/completions":
            self._say(404, {"error": f"no such route for {key}"})
        elif good:
            self._stream(stated, key)
        else:
            self._turn_away(key)

    def _turn_away(self, key: str) -> None:
        if self.played.leads_to:
            self._say(
                302, {}, {"location": self.played.leads_to + (f"?key={key.split()[-1]}" if key else "")}
            )
            return
        refused = (
            f"Incorrect API key provided: {key.partition(' ')[2]}. You sent {key}, and nobody knows {key}."
        )
        self._say(401, {"error": {"message": "x" * 280 + refused}}, {"www-authenticate": key})

    def _stream(self, stated: dict[str, Any], key: str) -> None:
        tokens, words = (
            stated.get("max_tokens") or 8,
            sum(len(one["content"].split()) for one in stated["messages"]),
        )
        chunks: list[Any] = [
            {"id": f"for {key}", "choices": [{"index": 0, "delta": {"content": "w"}, "finish_reason": None}]}
            for _ in range(tokens)
        ]
        chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
        chunks.append({"choices": [], "usage": {"prompt_tokens": words, "completion_tokens": tokens}})
        body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        self._send(200, "text/event-stream", body.encode(), {})

    def _say(self, status: int, document: object, headers: dict[str, str] | None = None) -> None:
        self._send(status, "application/json", json.dumps(document).encode(), headers or {})

    def _send(self, status: int, kind: str, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass
