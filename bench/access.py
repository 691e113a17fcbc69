"""Who may do what. Pages, command line and HTTP API ask here and nowhere else."""

from __future__ import annotations

import hmac
import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args
from urllib.parse import urlsplit

from bench.errors import AccessDenied

Mode = Literal["off", "token", "oidc", "local"]
Action = Literal["launch", "import", "facts", "retract", "annotate", "purge", "query"]

LOCAL_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
PROXIES_SAY = frozenset({"forwarded", "via", "x-real-ip"})
"""What proxies add to a request, beside everything that begins with x-forwarded-."""
PORTS = {"http": 80, "https": 443}
FROM_ELSEWHERE = "This request came from another site's page, which may change nothing here."


@dataclass(frozen=True)
class Visitor:
    """Where a request came from, as far as the server can tell; None where it cannot."""

    server_address: str | None = None
    client_address: str | None = None
    host: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    token: str | None = field(default=None, repr=False)
    user: str | None = None
    shell: bool = False

    @classmethod
    def at_the_shell(cls) -> Visitor:
        """The person who runs the command line: whoever can write the library's files already may."""
        return cls(shell=True)


@dataclass(frozen=True)
class Decision:
    """Whether an action is allowed, and the reason in one sentence when it is not."""

    allowed: bool
    reason: str = ""

    def __bool__(self) -> bool:
        return self.allowed


def mode() -> Mode:
    """The access mode from $KNEEPOINT_ACCESS; `local` when it is not set, `off` when it is not a mode."""
    stated = os.environ.get("KNEEPOINT_ACCESS", "local").strip().lower()
    return stated if stated in get_args(Mode) else "off"  # type: ignore[return-value]


def may(action: Action, visitor: Visitor) -> Decision:
    """Whether this visitor may do this; every change and people's SQL asks."""
    if action not in get_args(Action):
        return Decision(False, f"{action} is not an action this server knows.")
    if visitor.shell:
        return Decision(True)
    decide = {"off": _read_only, "token": _by_token, "oidc": _by_login, "local": _by_loopback}[mode()]
    return decide(visitor)


def demand(action: Action, visitor: Visitor) -> None:
    """Raise AccessDenied, with the reason, where the action is not allowed."""
    decision = may(action, visitor)
    if not decision:
        raise AccessDenied(decision.reason)


def _read_only(visitor: Visitor) -> Decision:
    return Decision(False, "This server is read-only; set KNEEPOINT_ACCESS to change that.")


def _by_token(visitor: Visitor) -> Decision:
    expected = os.environ.get("KNEEPOINT_TOKEN", "")
    if len(expected) < 16:
        return Decision(False, "KNEEPOINT_TOKEN is not set to at least 16 characters, so nobody may change anything.")
    if visitor.token and hmac.compare_digest(_bytes(visitor.token), _bytes(expected)):
        return Decision(True)
    return Decision(False, "This needs the server's token.")


def _bytes(token: str) -> bytes:
    return token.encode("utf-8", "surrogatepass")


def _by_login(visitor: Visitor) -> Decision:
    """Who is logged in and, where $KNEEPOINT_OIDC_ALLOWED names people, is one of them."""
    if not visitor.user:
        return Decision(False, "This needs a login.")
    named = os.environ.get("KNEEPOINT_OIDC_ALLOWED")
    if named is None or visitor.user.casefold() in {one.strip().casefold() for one in named.split(",")}:
        return Decision(True)
    return Decision(False, f"{visitor.user} is not one of those who may change something here.")


def _by_loopback(visitor: Visitor) -> Decision:
    """Local mode. A reverse proxy makes every visitor look local, so a forwarding header ends it."""
    names = {name.lower() for name in visitor.headers}
    if any(name in PROXIES_SAY or name.startswith("x-forwarded-") for name in names):
        return Decision(False, "This request came through a proxy, and local mode trusts only this machine.")
    if not is_own_page(visitor.headers):
        return Decision(False, FROM_ELSEWHERE)
    if not _is_loopback(visitor.server_address) or not _is_loopback(visitor.client_address):
        return Decision(False, "Only this machine may do that in local mode; set KNEEPOINT_ACCESS to token or oidc.")
    if host_name(visitor.host) not in LOCAL_HOSTS:
        return Decision(False, "Open the page as localhost or 127.0.0.1 to do that.")
    return Decision(True)


def is_own_page(headers: Mapping[str, str]) -> bool:
    """Whether no page of another site sent a request: browsers say where a page is from, programs say nothing.

    A page at another port of this machine is another site, though Streamlit opens a connection for it.
    """
    known = {name.lower(): value for name, value in headers.items()}
    stated = known.get("origin")
    if stated is None:
        return True
    try:
        origin = urlsplit(stated)
        own = urlsplit(f"//{known.get('host', '')}")
        usual = PORTS.get(origin.scheme)
        return (
            usual is not None
            and bool(origin.hostname)
            and (origin.hostname, origin.port or usual) == (own.hostname, own.port or usual)
        )
    except ValueError:
        return False


def _is_loopback(address: str | None) -> bool:
    if address is None:
        return False
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


def host_name(host: str | None) -> str:
    """The name in a Host header, without its port; empty where it is none."""
    found = re.fullmatch(r"(?:\[([^][]+)\]|([^:/]+))(?::[0-9]*)?", host or "")
    return (found[1] or found[2]).lower() if found else ""
