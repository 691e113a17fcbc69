"""Single questions to an endpoint beside its load: an info route, a count, its metrics.

The address is looked up once and kept, and asked without a proxy, whatever the environment says. No redirect is
followed, no answer is heard beyond a megabyte or a deadline.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from bench.errors import InputError
from bench.plain_text import visible
from bench.sweep.planning.endpoint_address import is_own_machine, may_be_asked
from bench.sweep.wire.exchange import Target
from bench.sweep.wire.redaction import redacted, redacted_document

MOST_BYTES = 1_000_000
SECONDS = 10.0
CONNECT_SECONDS = 3.0
LEAST_S = 0.05
PIECE = 65_536


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


def pinned(target: Target) -> Target:
    """The target with the address each of its hosts has now; of several the first that takes a connection.

    Raises:
        NotReached: there is no such host, or it is where no load may go; from a page that is also a name that comes to
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
    names = ("https_proxy", "all_proxy") if target.ssl is not None else ("http_proxy", "all_proxy")
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
        self._seconds, self._until = seconds, until
        self.allowed = seconds
        self.headers: dict[str, str] = {}
        self._connection: http.client.HTTPConnection | None = None

    def get(self, path: str) -> ProbeReply:
        """The answer to GET on a path below the root, which is the base URL without /v1.

        Raises:
            NotReached: there was none.
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
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _ask(self, method: str, path: str, body: bytes | None) -> ProbeReply:
        if self._until is not None and monotonic() >= self._until:
            raise NotReached(
                f"{visible(self.target.where)} was not asked for {path}: the time for all checks, which "
                "caps.minutes limits, was over."
            )
        tries = 2 if self._connection is None else 3  # a kept one may have been closed by the server meanwhile
        while True:
            tries -= 1
            try:
                return self._attempt(method, path, body)
            except (OSError, http.client.HTTPException) as problem:
                self.close()
                reset = isinstance(problem, ConnectionResetError | BrokenPipeError)
                if not (reset and tries):
                    raise NotReached(redacted(self._why(problem), self.target.secrets)) from None

    def _attempt(self, method: str, path: str, body: bytes | None) -> ProbeReply:
        expired = threading.Event()
        connection = self._connection or self._connect()
        self._connection = connection
        plain = connection.sock

        def expire() -> None:
            expired.set()
            with contextlib.suppress(OSError):
                plain.shutdown(socket.SHUT_RDWR)

        self.allowed = self.seconds
        timer = threading.Timer(self.allowed, expire)
        timer.daemon = True
        timer.start()
        try:
            given = {"accept": "application/json, text/plain", "accept-encoding": "identity", "user-agent": "kneepoint"}
            given |= {name.lower(): value for name, value in self.target.headers.items()}
            if body is not None:
                given["content-type"] = "application/json"
            connection.request(method, f"{self.target.root}{path}{self.target.query}", body, given)
            reply = self._read(connection.getresponse())
        except (OSError, http.client.HTTPException):
            if expired.is_set():
                raise TimeoutError from None
            raise
        finally:
            timer.cancel()
        if expired.is_set():
            raise TimeoutError
        return reply

    def _connect(self) -> http.client.HTTPConnection:
        target = self.target
        plain = socket.create_connection((target.address or target.host, target.port), self.seconds)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # head and body of a POST are two writes
        try:
            sock = target.ssl.wrap_socket(plain, server_hostname=target.host) if target.ssl else plain
        except BaseException:
            plain.close()
            raise
        connection = http.client.HTTPConnection(target.host, target.port, timeout=self.seconds)
        connection.sock = sock
        connection.auto_open = False
        return connection

    def _read(self, answer: http.client.HTTPResponse) -> ProbeReply:
        if (answer.getheader("content-encoding") or "identity") != "identity":
            self.close()
            raise http.client.HTTPException("the answer is compressed, which was not asked for")
        parts, size = [], 0
        while piece := answer.read1(PIECE):
            parts.append(piece)
            size += len(piece)
            if size > MOST_BYTES:
                self.close()
                raise http.client.HTTPException(f"the answer is longer than {MOST_BYTES:,} bytes")
        if answer.length:
            raise http.client.HTTPException("it ended half-way")
        if answer.will_close:
            self.close()
        answer.close()  # read1 stops at the last byte without seeing that it was the last
        kind = (answer.getheader("content-type") or "").partition(";")[0].strip().lower()
        secrets = self.target.secrets
        headers = {name.lower(): redacted(value, secrets) for name, value in answer.getheaders()}
        self.headers |= headers
        location = headers.get("location", "")
        return ProbeReply(answer.status, redacted(kind, secrets), b"".join(parts), location, headers, secrets)

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
        if isinstance(problem, http.client.BadStatusLine | ConnectionError):
            secure = " Write https:// if it asks for TLS." if self.target.ssl is None else ""
            return f"{where} closed the connection or did not answer in HTTP: is this an endpoint's port?{secure}"
        if isinstance(problem, http.client.HTTPException):
            return f"The answer of {where} cannot be used: {visible(problem) or type(problem).__name__}."
        return f"{where} cannot be reached ({getattr(problem, 'strerror', None) or problem}): correct host and port."
