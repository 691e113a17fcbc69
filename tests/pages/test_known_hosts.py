"""Under which names the server answers."""

from __future__ import annotations

import pytest
import streamlit as st

from pages.server.shell import KnownHosts
from tests.pages.asked import status

LISTED = ["bench.example", "*.lab.example", "::1"]


def asked(path: str, host: str | None) -> int:
    return status(KnownHosts, path, headers={} if host is None else {"host": host})


def allow(names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    stated = st.get_option
    monkeypatch.setattr(st, "get_option", lambda name: names if name == "server.allowedHosts" else stated(name))


@pytest.mark.parametrize("path", ["/healthz", "/api/sweeps", "/_stcore/metrics", "/pareto", "/"])
def test_listed_names_and_this_machines_own_are_answered(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    allow(LISTED, monkeypatch)
    for host in ("bench.example", "BENCH.example.:443", "a.lab.example", "[::1]:8501", "127.0.0.1:8501"):
        assert asked(path, host) == 204, host
    for host in ("evil.example", "lab.example", "bench.example.evil", "", None, "a@bench.example"):
        assert asked(path, host) == 403, host


def test_where_any_name_is_allowed_none_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    for names in ([], ["*"]):
        allow(names, monkeypatch)
        assert [asked("/healthz", host) for host in ("any.example", None)] == [204, 204]
