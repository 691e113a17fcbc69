"""The records of load: whom it goes to, within which limits, what is asked, and what came back.

All times are CLOCK_MONOTONIC nanoseconds of this machine (`time.monotonic_ns`). None means it did not happen or is
not known.
"""

from __future__ import annotations

import base64
import contextlib
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from ssl import SSLContext, create_default_context
from typing import Any, Literal
from urllib.parse import urlencode, urlsplit

from bench.errors import UsageError

RequestApi = Literal["chat", "completions"]
TokenSource = Literal["chunks", "usage", "length"]
"""Who counted an answer's tokens: nobody, so that its chunks stand for them, the server, or the length it filled."""
RequestOutcome = Literal[
    "ok",
    "connect",
    "timeout",
    "http_429",
    "http_4xx",
    "http_5xx",
    "broken_stream",
    "malformed",
    "stalled",
    "cancelled",
    "too_large",
    "redirected",
    "not_a_stream",
    "error_body",
]

SHORTEST_SECRET = 4
"""What is shorter is no secret, and would be found in any sentence."""

ROUTES: dict[RequestApi, str] = {"chat": "/chat/completions", "completions": "/completions"}


@lru_cache(maxsize=8)
def _context(ca_file: str | None, changed_ns: int) -> SSLContext:
    return create_default_context(cafile=ca_file)  # some 50 ms


@dataclass(frozen=True)
class Target:
    """The endpoint that is asked: where it listens, the route, and what each request carries.

    `address` is the IP address that stands for `host` from the first request to the last, looked up once when None.
    `headers` may hold a key: they are in memory only and in no repr. `ca_file` is trusted in place of the system's
    where connections are `secure`. `from_page` says that a page asked for it: then `host` may be no name for this
    machine but localhost. `root` is what the paths of other routes begin with and `query` what ends the path of each,
    with its question mark. Where there are several base URLs `others` are the further ones, and requests go round by
    their number.
    """

    host: str
    port: int
    path: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    api: RequestApi = "chat"
    streaming: bool = True
    secure: bool = False
    ca_file: str | None = None
    address: str | None = None
    from_page: bool = False
    root: str = ""
    query: str = ""
    others: tuple[Target, ...] = ()

    @property
    def bases(self) -> tuple[Target, ...]:
        """The target under each of its base URLs, each on its own; the first is this one."""
        return (replace(self, others=()), *self.others)

    @property
    def where(self) -> str:
        """Its host and port, as they stand in a URL."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def context(self) -> SSLContext | None:
        """What secures its connections; None for plain http. OSError where `ca_file` is no certificate."""
        if not self.secure:
            return None
        return _context(self.ca_file, Path(self.ca_file).stat().st_mtime_ns if self.ca_file else 0)

    def changed(self, **fields: Any) -> Target:
        """The target with these fields, under each of its base URLs."""
        return replace(self, **fields, others=tuple(replace(one, **fields) for one in self.others))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What no record may repeat: the value of each header, what it holds without the word before it, and of that
        the pair of a name and a password and the password, longest first."""
        known = {text for value in self.headers.values() for text in _confided(value)}
        return tuple(sorted((text for text in known if len(text) >= SHORTEST_SECRET), key=len, reverse=True))

    def __post_init__(self) -> None:
        for what, text in [("host", self.host), ("path", self.path), ("query", self.query)]:
            if not (text.isascii() and text.isprintable()) or " " in text:
                raise UsageError(f"The {what} {text[:80]!r} cannot stand in an HTTP request: escape it.")
        for name, value in self.headers.items():
            if not (name + value).isascii() or not (name + value).isprintable() or set(name) & set(" :"):
                raise UsageError(f"The header {name[:80]!r} or its value has characters that no HTTP header holds.")

    @classmethod
    def at(
        cls,
        base_url: str,
        *,
        api: RequestApi = "chat",
        streaming: bool = True,
        headers: Mapping[str, str] | None = None,
        ca_file: str | None = None,
        path: str | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Target:
        """The target under a base URL, with or without its /v1; `path` takes the place of /v1 and the route.

        Raises:
            UsageError: the URL is none of http or https, or names no host.
        """
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{base_url!r} is no endpoint: give a URL such as http://127.0.0.1:8000.")
        root = parts.path.rstrip("/").removesuffix("/v1")
        return cls(
            host=parts.hostname,
            port=parts.port or (443 if parts.scheme == "https" else 80),
            path=root + (path or "/v1" + ROUTES[api]),
            headers=headers or {},
            api=api,
            streaming=streaming,
            secure=parts.scheme == "https",
            ca_file=ca_file,
            root=root,
            query=f"?{urlencode(query)}" if query else "",
        )


@dataclass(frozen=True)
class Limits:
    """When a point ends, and what one answer may cost before it is cut off.

    A point ends at the first of `requests` sent, `duration_s` passed, and `tokens` asked for in all (each request
    counts with its osl). Then what is under way may end within `drain_s`, and is cancelled after that; None waits
    until each has ended or met its own limit. `warmup_requests` and `warmup_s` are part of the point's load and cut
    off from its metrics later; the requests of the warm-up come on top of `requests`, its seconds on top of
    `duration_s`. An answer may have `token_bytes` for each token asked for, and 64 KB beside them, but no more than
    `response_bytes`.
    """

    requests: int | None = None
    duration_s: float | None = None
    warmup_requests: int = 0
    warmup_s: float = 0.0
    tokens: int | None = None
    drain_s: float | None = None
    timeout_s: float = 600.0
    stall_s: float = 60.0
    connect_s: float = 10.0
    line_bytes: int = 1_000_000
    header_bytes: int = 65_536
    response_bytes: int = 64_000_000
    token_bytes: int = 4096
    connections: int = 8192

    def bytes_of(self, osl: int) -> int:
        """The most bytes the answer to a request for so many tokens may have."""
        return min(self.response_bytes, 65_536 + self.token_bytes * osl)


@dataclass(slots=True)
class PreparedRequest:
    """One request to send, made before the point starts.

    `at_ns` is the intended offset from the point's start in an open loop, None in a closed one.
    """

    number: int
    body: bytes
    isl: int | None
    osl: int
    at_ns: int | None = None


@dataclass(slots=True)
class Exchange:
    """One request and what came back.

    `sent_ns` is taken when the request is written on an open connection; where none was ever written (outcome
    `connect`, or cancelled before), it is when its connection was begun, or without one when that was given up.
    `connect_ns` is how long the connection's set-up
    took, kept with the first request on it. `first_ns` is the first chunk with content or reasoning,
    `first_content_ns` the first with content alone. `stamps_ns` has the arrival of each chunk that carries tokens
    and `tokens` how many:
    as the server counts them per chunk where it does, else its total shared out by length of text, else 1 each. The
    total is that of `usage`, else what was asked for where the answer ended with `length`.
    Their sum may be below `output_tokens` by what was counted and never shown: hidden reasoning, the stop token.
    """

    number: int
    intended_ns: int | None
    sent_ns: int
    connect_ns: int | None
    headers_ns: int | None
    first_ns: int | None
    first_content_ns: int | None
    stamps_ns: array[int]
    tokens: array[int]
    end_ns: int
    input_tokens: int | None
    output_tokens: int | None
    token_source: TokenSource
    finish: str | None
    outcome: RequestOutcome
    error: str
    response_id: str | None
    connection: int

    @property
    def first_tokens(self) -> int:
        """The tokens that came with the first chunk, in one read with it."""
        came = 0
        for stamp, many in zip(self.stamps_ns, self.tokens, strict=True):
            if stamp != self.first_ns:
                break
            came += many
        return max(came, 1) if self.stamps_ns else 0


@dataclass
class PointRun:
    """What the load of one point did in this process.

    `exchanges` is empty where each was handed to the caller as it ended. `lag_ns` samples how late the event loop was,
    for a hundred moments of each second since `lag_from_ns`. `cpu_s` is this process's CPU time from the first request
    to the last response, `parse_s` the part of it that read what the answers say, and `in_flight` the most requests
    under way at once. `resent` counts requests that got another connection, since the end of the kept one could
    be read before they were written on it; none is written twice. `refused` counts the answers that asked for less
    (HTTP 429 and 503), `rested_s` the time that the places of a closed loop waited instead of asking, all of them
    together. `waited_s` is how long the process was ready to run while others had the cores, None where the system
    does not say.
    """

    start_ns: int
    end_ns: int = 0
    exchanges: list[Exchange] = field(default_factory=list)
    lag_ns: array[int] = field(default_factory=lambda: array("q"))
    lag_from_ns: int = 0
    cpu_s: float = 0.0
    parse_s: float = 0.0
    connections: int = 0
    in_flight: int = 0
    resent: int = 0
    refused: int = 0
    rested_s: float = 0.0
    waited_s: float | None = None


def _confided(value: str) -> Iterator[str]:
    """What a header's value tells in confidence: itself, its key, and what that says in base64, as Basic does."""
    yield value
    scheme, _, key = value.partition(" ")
    yield key or value
    if scheme.lower() == "basic":
        for charset in ("utf-8", "latin-1"):
            with contextlib.suppress(ValueError):
                pair = base64.b64decode(key + "==").decode(charset)
                yield from (pair, pair.partition(":")[2])
