"""Who may change something: nobody by a trick, the local person in local mode, the token's holder in token mode."""

from __future__ import annotations

import dataclasses
import re

import pytest

from bench import access
from bench.access import Visitor
from bench.errors import AccessDenied

LOCAL = Visitor(server_address="127.0.0.1", client_address="127.0.0.1", host="localhost:8501")
TOKEN = "0123456789abcdef"


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    monkeypatch.delenv("KNEEPOINT_ACCESS", raising=False)
    monkeypatch.delenv("KNEEPOINT_TOKEN", raising=False)


def test_this_machine_may_in_local_mode():
    assert access.may("import", LOCAL)
    assert access.may("import", dataclasses.replace(LOCAL, client_address="::1", host="[::1]:8501"))
    assert access.may("import", dataclasses.replace(LOCAL, host="[::1]"))
    browser = {"host": "LOCALHOST:8501", "origin": "http://localhost:8501", "user-agent": "a browser"}
    assert access.may("import", dataclasses.replace(LOCAL, host=browser["host"], headers=browser))


@pytest.mark.parametrize(
    "change",
    [
        {"client_address": "10.0.0.7"},
        {"client_address": None},
        {"server_address": "0.0.0.0"},
        {"host": "bench.example:8501"},
        {"host": "localhost.evil.example"},
        {"host": "127.0.0.1.nip.example"},
        {"host": None},
        {"headers": {"X-Forwarded-For": "127.0.0.1"}},
        {"headers": {"forwarded": "for=127.0.0.1"}},
        {"headers": {"x-forwarded-proto": "https"}},
        {"headers": {"X-Real-IP": "127.0.0.1"}},
        {"headers": {"Via": "1.1 gateway"}},
        {"headers": {"Host": "localhost:8501", "Origin": "http://localhost:3000"}},
        {"headers": {"Host": "localhost:8501", "Origin": "http://bench.example"}},
        {"headers": {"Host": "localhost:8501", "Origin": "null"}},
        {"host": "[::1].evil.example"},
        {"host": "[::1"},
        {"host": "localhost:8501:1"},
    ],
    ids=str,
)
def test_nobody_else_may_in_local_mode(change):
    decision = access.may("import", dataclasses.replace(LOCAL, **change))
    assert not decision
    with pytest.raises(AccessDenied, match=re.escape(decision.reason)):
        access.demand("import", dataclasses.replace(LOCAL, **change))


def test_read_only_refuses_even_the_local_visitor_but_not_the_shell(monkeypatch):
    for mode in ("off", "everybody"):
        monkeypatch.setenv("KNEEPOINT_ACCESS", mode)
        assert not access.may("query", LOCAL)
        assert access.may("import", Visitor.at_the_shell())
        assert not access.may("reformat", Visitor.at_the_shell())


def test_the_token_opens_and_nothing_else_does(monkeypatch):
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", TOKEN)
    remote = Visitor(client_address="10.0.0.7", host="bench.example")
    assert access.may("purge", dataclasses.replace(remote, token=TOKEN))
    for wrong in (None, "", TOKEN[:-1], TOKEN + "x", "käse"):
        assert not access.may("purge", dataclasses.replace(remote, token=wrong))
    for unfit in ("short", ""):
        monkeypatch.setenv("KNEEPOINT_TOKEN", unfit)
        assert not access.may("purge", dataclasses.replace(LOCAL, token=unfit))
    monkeypatch.delenv("KNEEPOINT_TOKEN")
    assert not [token for token in (None, "") if access.may("purge", dataclasses.replace(LOCAL, token=token))]


def test_a_login_is_asked_for(monkeypatch):
    monkeypatch.setenv("KNEEPOINT_ACCESS", "oidc")
    assert not access.may("import", LOCAL)
    assert access.may("import", dataclasses.replace(LOCAL, user="someone@example.com"))


def test_of_those_who_log_in_only_the_named_ones_may_where_some_are_named(monkeypatch):
    monkeypatch.setenv("KNEEPOINT_ACCESS", "oidc")
    monkeypatch.setenv("KNEEPOINT_OIDC_ALLOWED", "ada@example.com, Grace@Example.com,")
    for allowed in ("ada@example.com", "ADA@example.com", "grace@example.com"):
        assert access.may("launch", dataclasses.replace(LOCAL, user=allowed))
    for other in ("eve@example.com", "ada@example.com.evil", "ada", "", None):
        assert not access.may("launch", dataclasses.replace(LOCAL, user=other))
    monkeypatch.setenv("KNEEPOINT_OIDC_ALLOWED", "")
    assert not access.may("launch", dataclasses.replace(LOCAL, user="ada@example.com"))
