"""Requests to an endpoint over real HTTP, and what came back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp

T = TypeVar("T")
PATIENCE = aiohttp.ClientTimeout(total=20)


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> list[str]:
        """What follows `data: ` on each line of a stream."""
        lines = self.body.decode().split("\n\n")
        assert lines[-1] == "" or not lines
        assert all(line.startswith("data: ") and "\n" not in line for line in lines[:-1])
        return [line.removeprefix("data: ") for line in lines[:-1]]

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(text) for text in self.data if text != "[DONE]"]

    @property
    def deltas(self) -> list[dict[str, Any]]:
        """The delta of each event that has a choice."""
        return [event["choices"][0]["delta"] for event in self.events if event["choices"]]


def chat(content: str = "hello", **more: Any) -> dict[str, Any]:
    return {
        "model": "fake-model",
        "messages": [{"role": "user", "content": content}],
        "max_tokens": 8,
        "stream": True,
        **more,
    }


async def posted(
    session: aiohttp.ClientSession, url: str, body: object, path: str = "/v1/chat/completions", **more: Any
) -> Reply:
    async with session.post(url + path, json=body, allow_redirects=False, **more) as response:
        return Reply(response.status, dict(response.headers), await response.read())


def post(url: str, body: object, path: str = "/v1/chat/completions", **more: Any) -> Reply:
    """One request on a connection of its own."""

    async def once() -> Reply:
        async with aiohttp.ClientSession(timeout=PATIENCE) as session:
            return await posted(session, url, body, path, **more)

    return asyncio.run(once())


def many(url: str, bodies: list[dict[str, Any]]) -> list[Reply]:
    """All requests at once, each on a connection of its own."""

    async def all_of_them() -> list[Reply]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, timeout=PATIENCE) as session:
            return list(await asyncio.gather(*(posted(session, url, body) for body in bodies)))

    return asyncio.run(all_of_them())


def get(url: str, path: str, **more: Any) -> Reply:
    async def once() -> Reply:
        async with aiohttp.ClientSession(timeout=PATIENCE) as session, session.get(url + path, **more) as response:
            return Reply(response.status, dict(response.headers), await response.read())

    return asyncio.run(once())


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)
