"""Plain aiohttp clients as yardsticks.

`feed` stamps each piece as aiohttp's parser hands it on, and checks nothing; `lines` is aiohttp as its documentation
reads a stream: line by line, with each chunk's JSON read.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
from pathlib import Path
from time import monotonic_ns

import aiohttp
import orjson
import uvloop
from aiohttp.streams import StreamReader

from tests.benchmarks._load_client import request

Record = tuple[int, list[int], str]


class Noting(StreamReader):
    """A body that notes when its pieces come."""

    __slots__ = ()

    def feed_data(self, data: bytes, size: int = 0) -> bool:
        pieces, stamps = NOTES[id(self)]
        stamps.append(monotonic_ns())
        pieces.append(data)
        return False


NOTES: dict[int, tuple[list[bytes], list[int]]] = {}


async def by_feed(response: aiohttp.ClientResponse, sent: int) -> Record:
    body = response.content
    came = bytes(b"".join(body._buffer))
    pieces, stamps = NOTES[id(body)] = ([came], [monotonic_ns()])
    body._buffer.clear()
    body.__class__ = Noting
    while not body._eof:
        await body._wait("body")
    del NOTES[id(body)]
    body.__class__ = StreamReader
    text, arrivals = b"", []
    for piece, stamp in zip(pieces, stamps, strict=True):
        arrivals += [stamp] * piece.count(b'"content": "' if b'"content": "' in piece else b'"content":"')
    text = b"".join(pieces)
    tokens = int(text.rpartition(b'"completion_tokens":')[2].lstrip().split(b"}")[0].split(b",")[0])
    name = text.partition(b'"id":')[2].split(b'"')[1].decode()
    return sent, arrivals[len(arrivals) - tokens :], name


async def by_lines(response: aiohttp.ClientResponse, sent: int) -> Record:
    stamps, name = [], ""
    async for line in response.content:
        if line.startswith(b"data: {"):
            now, chunk = monotonic_ns(), orjson.loads(line[6:])
            name = chunk["id"]
            if chunk["choices"] and chunk["choices"][0]["delta"].get("content"):
                stamps.append(now)
    return sent, stamps, name


async def run(asked: argparse.Namespace) -> list[Record]:
    body = request(asked.model, asked.tokens)
    numbers = iter(range(asked.requests))
    read = {"feed": by_feed, "lines": by_lines}[asked.by]
    records: list[Record] = []
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, read_bufsize=1 << 20) as session:

        async def place() -> None:
            for _ in numbers:
                sent = monotonic_ns()
                url, kind = f"{asked.url}/v1/chat/completions", {"content-type": "application/json"}
                async with session.post(url, data=body, headers=kind) as response:
                    records.append(await read(response, sent))

        await asyncio.gather(*(place() for _ in range(asked.concurrency)))
    return records


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--url", required=True)
    options.add_argument("--model", required=True)
    options.add_argument("--concurrency", type=int, required=True)
    options.add_argument("--requests", type=int, required=True)
    options.add_argument("--tokens", type=int, default=128)
    options.add_argument("--by", choices=("feed", "lines"), required=True)
    options.add_argument("--out", type=Path, required=True)
    asked = options.parse_args()
    gc.disable()
    asked.out.write_text(json.dumps(uvloop.run(run(asked))))


if __name__ == "__main__":
    main()
