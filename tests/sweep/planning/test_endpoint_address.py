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


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "169.254.1.1",
        "100.100.100.200",
        "168.63.129.16",
        "fe80::1",
        "fe80::1%eth0",
        "[fe80::1]",
        "fd00:ec2::254",
        "::ffff:169.254.169.254",
        "::ffff:a9fe:a9fe",
        "::169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "224.0.0.1",
        "ff02::1",
    ],
)
def test_no_load_goes_to_link_local_metadata_or_multicast(address: str) -> None:
    assert not may_be_asked(address)
    with pytest.raises(ValueError, match="this is a link-local"):
        checked_url(f"http://[{address.strip('[]')}]:8000" if ":" in address else f"http://{address}:8000")


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "10.0.0.7", "192.168.1.5", "::1", "2001:db8::5", "fd12::1", "8.8.8.8"]
)
def test_load_may_go_to_machines(address: str) -> None:
    assert may_be_asked(address)


@pytest.mark.parametrize(
    "url",
    ["http://localhost:8000", "http://127.0.0.1:8000/v1", "http://[::1]:8000", "http://LOCALHOST", "https://127.0.0.1"],
)
def test_a_page_may_ask_this_machine(url: str) -> None:
    demand_own_machine(checked_url(url), OWN_PORT)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://gpu.example:8000", "endpoints.toml"),
        ("http://10.0.0.7:8000", "endpoints.toml"),
        ("http://127.0.0.2:8000", "endpoints.toml"),
        ("http://127.1:8000", "endpoints.toml"),
        ("http://2130706433:8000", "endpoints.toml"),
        ("http://0177.0.0.1:8000", "endpoints.toml"),
        ("http://0x7f000001:8000", "endpoints.toml"),
        ("http://0.0.0.0:8000", "endpoints.toml"),
        ("http://[::ffff:127.0.0.1]:8000", "endpoints.toml"),
        ("http://[::]:8000", "endpoints.toml"),
        ("http://localhost.:8000", "endpoints.toml"),
        ("http://localhost.evil.example:8000", "endpoints.toml"),
        (f"http://127.0.0.1:{OWN_PORT}", "this app's own"),
        (f"http://localhost:{OWN_PORT}/v1", "this app's own"),
        ("http://127.0.0.1:22", "system service"),
        ("http://127.0.0.1:631", "system service"),
    ],
)
def test_a_page_may_ask_nothing_else(url: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        demand_own_machine(checked_url(url), OWN_PORT)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1"]
)
def test_this_machine_is_known_in_every_form(address: str) -> None:
    assert is_own_machine(address)


@pytest.mark.parametrize("address", ["10.0.0.1", "localhost", "", "::ffff:10.0.0.1"])
def test_other_machines_are_not_this_one(address: str) -> None:
    assert not is_own_machine(address)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("127.0.0.1:8701", "http://127.0.0.1:8701"),
        ("  localhost:8701 ", "http://localhost:8701"),
        ("localhost", "http://localhost"),
        ("127.0.0.1:8701/v1", "http://127.0.0.1:8701/v1"),
        ("127.0.0.1:8701/v1/", "http://127.0.0.1:8701/v1"),
        ("[::1]:8701", "http://[::1]:8701"),
        ("gpu.example:8000", "http://gpu.example:8000"),
        ("10.0.0.7:8000/serve/v1", "http://10.0.0.7:8000/serve/v1"),
        ("https://gpu.example", "https://gpu.example"),
        (" HTTP://LOCALHOST:8000 ", "HTTP://LOCALHOST:8000"),
    ],
)
def test_an_address_without_a_scheme_is_understood_and_said(text: str, url: str) -> None:
    assert checked_url(text) == url
    assert understood_as(text) == (None if "://" in text else url)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gpu.example", "start the address with http:// or https://"),
        ("gpu.example:443", "start the address with http:// or https://"),
        ("10.0.0.7", "start the address"),
        ("ftp://127.0.0.1:8000", "start the address"),
        ("http:127.0.0.1:8000", "start the address"),
        ("file:/etc/passwd", "start the address"),
        ("//127.0.0.1:8000", "start the address"),
        ("javascript:alert(1)", "start the address"),
        ("127.0.0.1:8000 /v1", "start the address"),
        ("user:key@127.0.0.1:8000", "leave out the user name"),
        ("127.0.0.1:8000?key=x", "leave out the query"),
        ("127.0.0.1:99999", "between 1 and 65535"),
        ("127.0.0.1:0", "between 1 and 65535"),
        ("169.254.169.254:80", "this is a link-local"),
        ("[fe80::1]:8000", "this is a link-local"),
        ("metadata.google.internal:80", "this is a link-local"),
        ("http://metadata.google.internal./", "this is a link-local"),
    ],
)
def test_what_cannot_be_understood_is_told_in_plain_words(text: str, said: str) -> None:
    with pytest.raises(ValueError, match="(?i)" + said):
        checked_url(text)
    assert understood_as(text) is None


@pytest.mark.parametrize("text", ["gpu.example:8000", "10.0.0.7:8000", "127.1:8000", "0.0.0.0:8000", "127.0.0.2"])
def test_an_address_without_a_scheme_opens_no_way_for_a_page(text: str) -> None:
    with pytest.raises(UsageError, match=r"endpoints\.toml"):
        demand_own_machine(checked_url(text), OWN_PORT)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http://127.0.0.1:99999", "write a port between 1 and 65535"),
        ("127.0.0.1:123456", "write a port between 1 and 65535"),
        ("http://127.0.0.1:0", "write a port between 1 and 65535"),
        ("http://127.0.0.1:http", "write a port between 1 and 65535"),
        ("ftp://127.0.0.1:8000", "start the address with http:// or https://, such as http://127.0.0.1:8000"),
        ("http:127.0.0.1:8000", "start the address with http:// or https://, such as http://127.0.0.1:8000"),
        ("gpu", "start the address with http:// or https://, such as http://127.0.0.1:8000"),
        ("http://me:secret@127.0.0.1:8000", "leave out the user name and the key: none stands in an address"),
        ("http://127.0.0.1:8000/v1?key=1", "leave out the query, which begins at the question mark"),
        ("http://127.0.0.1:8000/v1#models", "leave out the fragment, which begins at the #"),
        (
            "http://169.254.169.254",
            "write another host: this is a link-local or metadata address, which no load is sent to",
        ),
        (
            "http://metadata.google.internal.",
            "write another host: this is a link-local or metadata address, which no load is sent to",
        ),
        ("http://", "write a host, such as http://127.0.0.1:8000"),
        ("http://:8000", "write a host, such as http://127.0.0.1:8000"),
        ("http://[::1:8000", "close the bracket around the host, as in http://[::1]:8000"),
        ("http://127.0.0.1:8000/my models", "leave out spaces and backslashes"),
        ("http://127.0.0.1:8000\\v1", "leave out spaces and backslashes"),
        ("http://exämple:8000", "write it in ASCII letters, digits and signs"),
        (f"http://{'a' * 500}:8000", "write at most 500 characters"),
    ],
)
def test_each_cause_is_told_by_itself(text: str, said: str) -> None:
    with pytest.raises(NotAnAddress) as refused:
        checked_url(text)
    assert str(refused.value) == said
    assert understood_as(text) is None
