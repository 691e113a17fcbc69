"""Single questions to an endpoint beside its load: an info route, a count, its metrics.

The address is looked up once and kept, and asked without a proxy, whatever the environment says. No redirect is
followed, no answer is heard beyond a megabyte or a deadline.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import socket
import ssl
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from bench.errors import InputError
from bench.plain_text import visible
from bench.sweep.planning.endpoint_address import is_own_machine, may_be_asked
from bench.sweep.wire.exchange import Target
from bench.sweep.wire.redaction import redacted, redacted_document

if TYPE_CHECKING:  # loaded with the first question: whoever asks none does not wait for them
    from aiohttp import ClientSession
    from anyio.from_thread import BlockingPortal

MOST_BYTES = 1_000_000
SECONDS = 10.0
CONNECT_SECONDS = 3.0
LEAST_S = 0.05


class NotReached(InputError):
    """The endpoint did not answer as an HTTP server should; the message says how and what to do."""


@dataclass(frozen=True)
class ProbeReply:
    """What came back. `kind` is the content type alone, `location` where a redirect would lead.

    The body is as it came, and no part of it may be kept; what else is told has no secret in it. Headers are named in
    lower case.
    """

    status: int
    kind: str
    body: bytes = field(repr=False)
    location: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def document(self) -> Any:
        """The JSON in it, without what the endpoint was given in confidence; None when there is none."""
        try:
            return redacted_document(json.loads(self.body), self.secrets)
        except (ValueError, RecursionError):
            return None

    @property
    def models(self) -> list[Mapping[str, Any]] | None:
        """The models that it lists, each with its id; None where it holds no list of models."""
        document = self.document if self.status == 200 else None
        rows = document.get("data") if isinstance(document, Mapping) else None
        if not isinstance(rows, list):
            return None
        return [row for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), str)]


def pinned(target: Target) -> Target:
    """The target with the address each of its hosts has now; of several the first that takes a connection.

    NotReached when there is no such host, or it is where no load may go; from a page that is also a name that comes to
    mean this machine, since whoever owns the name would choose what is asked here.
    """
    if target.others:
        return replace(pinned(replace(target, others=())), others=tuple(pinned(one) for one in target.others))
    if target.address is not None:
        return target
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise NotReached(f"There is no host named {visible(target.host)}: correct the URL.") from None
    addresses = list(dict.fromkeys(str(row[4][0]) for row in found))
    for address in addresses:
        if not may_be_asked(address):
            raise NotReached(
                f"{visible(target.host)} is at {address}, a link-local or metadata address, which no load is sent to."
            )
        if target.from_page and is_own_machine(address) and not _is_spelled_out(target.host):
            raise NotReached(
                f"{visible(target.host)} is at {address}, this machine itself, which a page may ask only as localhost, "
                "127.0.0.1 or [::1]: correct the URL in endpoints.toml, or start it with `python -m bench sweep`."
            )
    listening = (address for address in addresses if len(addresses) > 1 and _listens(address, target.port))
    return replace(target, address=next(listening, addresses[0]))


def _is_spelled_out(host: str) -> bool:
    """Whether a host can only mean one machine: localhost, or an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host) is not None
    except ValueError:
        return False


def proxy_for(target: Target, environ: Mapping[str, str]) -> str | None:
    """The variable that names a proxy for this target, as other clients would use it; None for this machine itself."""
    names = ("https_proxy", "all_proxy") if target.secure else ("http_proxy", "all_proxy")
    proxy = next((key for name in names for key in (name, name.upper()) if environ.get(key)), None)
    if proxy is None or target.host == "localhost" or is_own_machine(target.host):
        return None
    from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # typeshed lacks it

    passed_by = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    return None if proxy_bypass_environment(target.host, {"no": passed_by}) else proxy


def _listens(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


class EndpointProbe:
    """The endpoint of a target, asked one question at a time over one connection; close it at the end.

    Each answer may take so many seconds, and none any after `until`, on the monotonic clock. Of several base URLs it
    is the first. `headers` are those of all answers so far, the latest of each name.
    """

    def __init__(self, target: Target, seconds: float = SECONDS, *, until: float | None = None) -> None:
        self.target = pinned(replace(target, others=()))
        self._context = target.context()
        self._seconds, self._until = seconds, until
        self.allowed = seconds
        self.headers: dict[str, str] = {}
        self._loop = ExitStack()
        self._portal: BlockingPortal | None = None
        self._session: ClientSession | None = None

    def get(self, path: str) -> ProbeReply:
        """The answer to GET on a path below the root, which is the base URL without /v1.

        NotReached when there was none.
        """
        return self._ask("GET", path, None)

    def post(self, path: str, document: bytes) -> ProbeReply:
        """The answer to POST with the bytes of a JSON document; NotReached as for `get`."""
        return self._ask("POST", path, document)

    def document(self, route: str) -> Mapping[str, Any] | None:
        """The JSON object at a route below the root; None where there is none."""
        try:
            reply = self.get(route)
        except NotReached:
            return None
        told = reply.document if reply.status == 200 else None
        return told if isinstance(told, Mapping) else None

    @property
    def seconds(self) -> float:
        """How long the next answer may take."""
        return self._seconds if self._until is None else max(LEAST_S, min(self._seconds, self._until - monotonic()))

    def close(self) -> None:
        """Give up the connection."""
        if self._portal is not None and self._session is not None:
            self._portal.call(self._session.close)
        self._loop.close()
        self._portal = self._session = None

    def _ask(self, method: str, path: str, body: bytes | None) -> ProbeReply:
        from aiohttp import ClientError
        from anyio.from_thread import start_blocking_portal

        if self._until is not None and monotonic() >= self._until:
            raise NotReached(
                f"{visible(self.target.where)} was not asked for {path}: the time for all checks, which "
                "caps.minutes limits, was over."
            )
        # The loop has a thread of its own: whoever asks may be in the midst of another.
        self._portal = self._portal or self._loop.enter_context(start_blocking_portal())
        again = False
        while True:
            self.allowed = self.seconds
            try:
                return self._portal.call(self._attempt, method, path, body)
            except (OSError, ClientError) as problem:
                cause = _cause(problem)
                if again or not isinstance(cause, ConnectionResetError | BrokenPipeError):
                    raise NotReached(redacted(self._why(cause), self.target.secrets)) from None
                again = True  # the server may have closed a kept connection meanwhile

    async def _attempt(self, method: str, path: str, body: bytes | None) -> ProbeReply:
        from aiohttp import ClientPayloadError, ClientSession, ClientTimeout, DummyCookieJar
        from yarl import URL

        if self._session is None:
            self._session = ClientSession(
                auto_decompress=False, cookie_jar=DummyCookieJar(), timeout=ClientTimeout(None), trust_env=False
            )
        target = self.target
        given = {"accept": "application/json, text/plain", "accept-encoding": "identity", "user-agent": "kneepoint"}
        given |= {"host": target.where} | {name.lower(): value for name, value in target.headers.items()}
        if body is not None:
            given["content-type"] = "application/json"
        at = replace(target, host=target.address or target.host).where
        url = URL(f"http{'s' if target.secure else ''}://{at}{target.root}{path}{target.query}", encoded=True)
        request = self._session.request(
            method, url, data=body, headers=given, allow_redirects=False,
            ssl=self._context or True, server_hostname=target.host,
        )  # fmt: skip
        parts = bytearray()
        async with asyncio.timeout(self.allowed), request as answer:
            if answer.headers.get("content-encoding", "identity") != "identity":
                raise ClientPayloadError("the answer is compressed, which was not asked for")
            async for piece in answer.content.iter_any():
                parts += piece
                if len(parts) > MOST_BYTES:
                    raise ClientPayloadError(f"the answer is longer than {MOST_BYTES:,} bytes")
        headers = {name.lower(): redacted(value, target.secrets) for name, value in answer.headers.items()}
        self.headers |= headers
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return ProbeReply(answer.status, kind, bytes(parts), headers.get("location", ""), headers, target.secrets)

    def _why(self, problem: Exception) -> str:
        """One sentence on why nothing came."""
        where = visible(self.target.where)
        if isinstance(problem, ssl.SSLCertVerificationError):
            return (
                f"The certificate of {where} is not trusted ({problem.verify_message}): name the authority that "
                "signed it in endpoint.ca_file, or correct the host."
            )
        if isinstance(problem, ssl.SSLError):
            return f"{where} does not speak TLS as asked ({problem.reason}): write http:// if it is plain http."
        if isinstance(problem, TimeoutError):
            return f"{where} did not answer within {self.allowed:.3g} s: is it up, and is this its port?"
        if isinstance(problem, ConnectionRefusedError):
            return f"Nothing listens at {where} (connection refused): start the endpoint, or correct host and port."
        if isinstance(problem, ConnectionError):
            secure = " Write https:// if it asks for TLS." if not self.target.secure else ""
            return f"{where} closed the connection or did not answer in HTTP: is this an endpoint's port?{secure}"
        if isinstance(problem, OSError):
            why = os.strerror(problem.errno) if problem.errno else problem
            return f"{where} cannot be reached ({why}): correct host and port."
        return f"The answer of {where} cannot be used: {visible(problem) or type(problem).__name__}."


def _cause(problem: Exception) -> Exception:
    """What is below aiohttp's error: an error of the socket or of TLS, or one whose text says what is wrong."""
    from aiohttp import ClientError, ClientResponseError, ServerDisconnectedError

    below: BaseException | None = problem
    while isinstance(below, ClientError):
        below = below.__cause__
    if isinstance(below, OSError):
        return below
    if isinstance(problem, ServerDisconnectedError):
        return ConnectionResetError()
    if isinstance(problem, ClientResponseError):
        is_http = not problem.message.startswith("Bad status line")
        return ValueError(problem.message.partition("\n")[0]) if is_http else ConnectionAbortedError()
    return problem if below is None else ValueError("it ended half-way")
