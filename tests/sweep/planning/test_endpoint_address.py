"""Where load may go: never to a link-local or metadata address in any spelling; from a page to this machine only."""

from __future__ import annotations

import pytest

from bench.errors import UsageError
from bench.sweep.planning.endpoint_address import (
    NotAnAddress,
    checked_url,
    demand_own_machine,
    is_own_machine,
    may_be_asked,
    understood_as,
)

OWN_PORT = 8501


NOBODYS = """
169.254.169.254 169.254.1.1 100.100.100.200 168.63.129.16 fe80::1 fe80::1%eth0 [fe80::1] fd00:ec2::254 224.0.0.1 ff02::1
::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::169.254.169.254 64:ff9b::a9fe:a9fe 2002:a9fe:a9fe::1
"""


@pytest.mark.parametrize("address", NOBODYS.split())
def test_no_load_goes_to_link_local_metadata_or_multicast(address: str) -> None:
    assert not may_be_asked(address)
    with pytest.raises(ValueError, match="link-local"):
        checked_url(f"http://[{address.strip('[]')}]:8000" if ":" in address else f"http://{address}:8000")


def test_load_may_go_to_machines() -> None:
    for address in ("127.0.0.1", "10.0.0.7", "192.168.1.5", "::1", "2001:db8::5", "fd12::1", "8.8.8.8"):
        assert may_be_asked(address), address


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8000", "http://127.0.0.1:8000/v1", "http://[::1]:8000", "http://LOCALHOST", "https://127.0.0.1"],
)
def test_a_page_may_ask_this_machine(url: str) -> None:
    """What it may not ask, test_reach.py holds against the API."""
    demand_own_machine(checked_url(url), OWN_PORT)


@pytest.mark.parametrize("text", ["gpu.example:8000", "10.0.0.7:8000", "127.1:8000", "0.0.0.0:8000", "127.0.0.2"])
def test_an_address_without_a_scheme_opens_no_way_for_a_page(text: str) -> None:
    with pytest.raises(UsageError, match=r"endpoints\.toml"):
        demand_own_machine(checked_url(text), OWN_PORT)


def test_this_machine_is_known_in_every_form() -> None:
    for own in ("127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1"):
        assert is_own_machine(own), own
    for other in ("10.0.0.1", "localhost", "", "::ffff:10.0.0.1"):
        assert not is_own_machine(other), other


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("  localhost:8701 ", "http://localhost:8701"),
        ("127.0.0.1:8701/v1/", "http://127.0.0.1:8701/v1"),
        ("[::1]:8701", "http://[::1]:8701"),
        ("10.0.0.7:8000/serve/v1", "http://10.0.0.7:8000/serve/v1"),
        (" HTTP://LOCALHOST:8000 ", "HTTP://LOCALHOST:8000"),
    ],
)
def test_an_address_without_a_scheme_is_understood_and_said(text: str, url: str) -> None:
    assert checked_url(text) == url
    assert understood_as(text) == (None if "://" in text else url)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["gpu.example", "gpu.example:443", "10.0.0.7", "ftp://127.0.0.1:8000", "http:127.0.0.1:8000"], "start the"),
        (["file:/etc/passwd", "//127.0.0.1:8000", "javascript:alert(1)", "127.0.0.1:8000 /v1", "gpu"], "start the"),
        (["user:key@127.0.0.1:8000", "http://me:secret@127.0.0.1:8000"], "the user name"),
        (["127.0.0.1:8000?key=x", "http://127.0.0.1:8000/v1?key=1"], "the query"),
        (["http://127.0.0.1:8000/v1#models"], "the fragment"),
        (["127.0.0.1:99999", "127.0.0.1:123456", "127.0.0.1:0", "http://127.0.0.1:http"], "between 1 and 65535"),
        (["169.254.169.254:80", "[fe80::1]:8000", "metadata.google.internal:80"], "link-local"),
        (["http://169.254.169.254", "http://metadata.google.internal./"], "link-local"),
        (["http://", "http://:8000"], "write a host"),
        (["http://[::1:8000"], "the bracket"),
        (["http://127.0.0.1:8000/my models", "http://127.0.0.1:8000\\v1"], "spaces and backslashes"),
        (["http://exämple:8000"], "ASCII"),
        ([f"http://{'a' * 500}:8000"], "500 characters"),
    ],
)
def test_what_cannot_be_understood_is_told_with_its_cause(texts: list[str], said: str) -> None:
    for text in texts:
        with pytest.raises(NotAnAddress, match=said):
            checked_url(text)
        assert understood_as(text) is None
