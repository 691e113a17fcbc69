"""Which URLs and addresses a sweep may send load to."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

MAX_URL = 500
METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
METADATA_ADDRESSES = frozenset(
    ipaddress.ip_address(text)
    for text in ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16")
)
"""Where clouds tell a machine its own credentials: AWS (two), Alibaba, Azure."""

ALLOWED = (
    "http:// or https:// with a host that is no link-local or metadata address, an optional port and path, "
    "and no user name, key, query or fragment"
)


def checked_url(text: str) -> str:
    """The base URL without a slash at its end; ValueError says what is allowed instead."""
    url = text.strip()
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(ALLOWED) from None
    strange = not url.isascii() or not url.isprintable() or " " in url or "\\" in url or len(url) > MAX_URL
    if strange or parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise ValueError(ALLOWED)
    if "@" in parts.netloc or "?" in url or "#" in url:
        raise ValueError(ALLOWED)
    if parts.hostname.rstrip(".") in METADATA_HOSTS or not may_be_asked(parts.hostname):
        raise ValueError(ALLOWED)
    return url.rstrip("/")


def holds_a_secret(text: str) -> bool:
    """Whether a URL carries what may be a secret, so that no message may repeat it."""
    return any(sign in text for sign in "@?#")


def may_be_asked(host: str) -> bool:
    """Whether load may go to this address; a name that is no address may, until it is resolved."""
    try:
        address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return True
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped or address
    barred = address.is_link_local or address.is_multicast
    return not barred and address not in METADATA_ADDRESSES
