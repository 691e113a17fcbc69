"""Which URLs and addresses a sweep may send load to."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from bench.access import LOCAL_HOSTS
from bench.errors import UsageError

MAX_URL = 500
METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(text) for text in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16")
)
"""Where clouds tell a machine its own credentials: AWS (two), Alibaba, Azure."""

FIRST_FREE_PORT, WEB_PORTS = 1024, frozenset({80, 443})
NAT64, COMPATIBLE = ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("::/96")

ALLOWED = (
    "http:// or https:// with a host that is no link-local or metadata address, an optional port and path, "
    "and no user name, key, query or fragment"
)
BARE = re.compile(r"(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]+))?(?:/.*)?")
"""An address as people copy it from a log: host, port and path, and nothing in front."""
TLS_PORT = "443"


class NotAnAddress(ValueError):
    """What is no address of an endpoint; the message is a clause that says what to do."""


NEVER = {
    "@": "leave out the user name and the key: none stands in an address",
    "?": "leave out the query, which begins at the question mark",
    "#": "leave out the fragment, which begins at the #",
}
"""Signs that no address holds, and what to do about each."""


def spelled_out(text: str) -> str:
    """The address with its scheme: http:// where it was left out before a host of this machine or one with a port.

    As it stands where that would be a guess, such as a port that asks for TLS.
    """
    url = text.strip()
    bare = BARE.fullmatch(url)
    if bare is None or bare["port"] == TLS_PORT:
        return url
    host = bare["host"].strip("[]")
    return f"http://{url}" if bare["port"] or host.lower() in LOCAL_HOSTS or is_own_machine(host) else url


def understood_as(text: str) -> str | None:
    """The address that a text without a scheme was taken for; None where it is as it was written, or is none."""
    try:
        url = checked_url(text)
    except NotAnAddress:
        return None
    return None if text.strip().lower().startswith(("http://", "https://")) else url


def checked_url(text: str) -> str:
    """The base URL with its scheme and without a slash at its end; NotAnAddress says what to do instead."""
    url = spelled_out(text)
    wrong = _wrong(url)
    if wrong:
        raise NotAnAddress(wrong)
    return url.rstrip("/")


def _wrong(url: str) -> str:
    """What is wrong with an address and what to do, the first thing of several; empty where nothing is."""
    for sign, what in NEVER.items():
        if sign in url:
            return what
    if not url.lower().startswith(("http://", "https://")):
        return "start the address with http:// or https://, such as http://127.0.0.1:8000"
    if len(url) > MAX_URL:
        return f"write at most {MAX_URL} characters"
    if not url.isascii() or not url.isprintable():
        return "write it in ASCII letters, digits and signs"
    if " " in url or "\\" in url:
        return "leave out spaces and backslashes"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "close the bracket around the host, as in http://[::1]:8000"
    if not parts.hostname:
        return "write a host, such as http://127.0.0.1:8000"
    try:
        port = parts.port
    except ValueError:
        port = 0
    if port == 0:
        return "write a port between 1 and 65535"
    if parts.hostname.rstrip(".") in METADATA_HOSTS or not may_be_asked(parts.hostname):
        return "write another host: this is a link-local or metadata address, which no load is sent to"
    return ""


def holds_a_secret(text: str) -> bool:
    """Whether a URL carries what may be a secret, so that no message may repeat it."""
    return any(sign in text for sign in NEVER)


def may_be_asked(host: str) -> bool:
    """Whether load may go to this address; a name that is no address may, until it is resolved."""
    try:
        address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return True
    barred = {one for one in (address, *_carried(address)) if one.is_link_local or one.is_multicast}
    return not barred and METADATA_ADDRESSES.isdisjoint({address, *_carried(address)})


def demand_own_machine(url: str, own_port: int | None) -> None:
    """Raise UsageError for a URL that a page may not send load to, which is any but this machine's own services.

    The host has to be spelled as people spell it: a name or a number that only comes to mean this machine could come
    to mean another. `own_port` is the app's.
    """
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    if parts.hostname not in LOCAL_HOSTS:
        raise UsageError(
            "From a page a URL may only name this machine, as localhost, 127.0.0.1 or [::1]: state any other endpoint "
            "in endpoints.toml and pick it by its name."
        )
    if port == own_port:
        raise UsageError(f"Port {port} is this app's own: give the port of the endpoint.")
    if port < FIRST_FREE_PORT and port not in WEB_PORTS:
        raise UsageError(
            f"Port {port} is a system service's: from a page 80, 443 and ports from {FIRST_FREE_PORT} can be asked."
        )


def is_own_machine(address: str) -> bool:
    """Whether an IP address is this machine's own, in whatever form it is written."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return any(one.is_loopback or one.is_unspecified for one in (found, *_carried(found)))


def _carried(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 address stands for: mapped, 6to4, Teredo, NAT64 (RFC 6052) or compatible."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in NAT64 or address in COMPATIBLE:
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [one for one in found if one is not None]
