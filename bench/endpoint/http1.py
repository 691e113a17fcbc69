"""Answers as the bytes of HTTP/1.1."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

SERVER = "kneepoint-endpoint (simulated)"
COMMON_START = f"HTTP/1.1 200 OK\r\nserver: {SERVER}\r\n".encode()
"""The bytes every good answer begins with."""


def start(status: int, headers: Mapping[str, str]) -> bytes:
    """The bytes before a body: status line and headers."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"server: {SERVER}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()


def answer(status: int, body: bytes, kind: str = "application/json", headers: Mapping[str, str] | None = None) -> bytes:
    """A whole answer."""
    known = {"content-type": kind, "content-length": str(len(body)), **(headers or {})}
    return start(status, known) + body
