"""Endpoints as others build them: what each does unlike the usual, declared, and a process that serves them.

Unlike bench/endpoint, which users have, these do odd things that nobody needs. Each has its own log of what was
written when, on the clock the load is stamped with, so that figures can be held against the truth.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 10

Told = Literal["none", "end", "every", "whole"]
"""Where token counts stand: nowhere, in a chunk at the end, in every chunk, in answers that are not streamed alone."""


@dataclass(frozen=True)
class Odd:
    """What an endpoint does; as it stands, what most do: a token a chunk, usage at the end.

    The first chunk with text is due `ttft_ms` after the request, each further one `itl_ms` later for every token it
    brings.
    """

    ttft_ms: float = 20.0
    itl_ms: float = 10.0
    tls: bool = False
    tokens_per_chunk: int = 1
    halves: bool = False  # each of these chunks comes as two
    usage: Told = "end"
    finish: str = "length"
    length: int | None = None  # of every answer, whatever was asked for
    prompt_factor: float = 1.0  # prompt tokens for each word
    prompt_more: int = 0
    says_output: int | None = None  # what usage has for the output of every answer, whatever came
    admits: int | None = None  # answers under way; whoever comes then is turned away
    rate_per_s: float | None = None  # requests let in, `burst` of them ahead of time
    burst: int = 1
    retry_after: str | None = None  # what whoever is turned away is told


# Endpoints that were met, by how they count tokens.
COUNTS_WHAT_IS_NOT_STREAMED = Odd(usage="whole", prompt_factor=4.75, prompt_more=12)
"""Words have 4.75 tokens here, so that 64 asked for are 316; a stream does not tell."""
IGNORES_MAX_TOKENS = Odd(length=40, finish="stop")


@dataclass(frozen=True)
class Wrote:
    """One request for an answer, and what was written for it. Times are CLOCK_MONOTONIC ns, before each write.

    `chunks_ns` and `tokens` have an entry per event with text: when the bytes were written that end its data, and how
    many tokens it brought. `ended` is whole, refused, client_left, or empty while the answer is under way.
    """

    number: int
    connection: int
    received_ns: int
    id: str = ""
    status: int = 200
    asked: int = 0
    input_tokens: int = 0
    chunks_ns: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    ended: str = ""
    ended_ns: int = 0

    @property
    def output_tokens(self) -> int:
        return sum(self.tokens)


class Servers:
    """Odd endpoints, by name, in one process of their own."""

    def __init__(self, process: subprocess.Popen[str], urls: Mapping[str, str]) -> None:
        self._process, self._urls = process, urls

    def url(self, name: str) -> str:
        return self._urls[name]

    def log(self, name: str) -> list[Wrote]:
        """What this one was asked for an answer so far, in the order in which it came."""
        assert self._process.stdin is not None
        self._process.stdin.write(name + "\n")
        self._process.stdin.flush()
        return [Wrote(**row) for row in json.loads(_line(self._process))]


@contextmanager
def serving(odds: Mapping[str, Odd], certificate: Path | None = None) -> Iterator[Servers]:
    """These endpoints, each on a free port of loopback, until the block ends.

    `certificate` is the file with the key and the certificate of those that speak TLS.
    """
    command = [sys.executable, "-m", "tests.endpoint.odd_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdin is not None
        try:
            plan = {
                "certificate": certificate and str(certificate),
                "odds": {name: asdict(odds[name]) for name in odds},
            }
            process.stdin.write(json.dumps(plan) + "\n")
            process.stdin.flush()
            ports = json.loads(_line(process))
            schemes = {name: "https" if odd.tls else "http" for name, odd in odds.items()}
            yield Servers(process, {name: f"{schemes[name]}://127.0.0.1:{port}" for name, port in ports.items()})
        finally:
            process.stdin.close()  # which ends it, as the end of whoever started it does
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@contextmanager
def one(odd: Odd) -> Iterator[tuple[str, Servers]]:
    """One such endpoint: its base URL, and the server, whose log goes by the name `odd`."""
    with serving({"odd": odd}) as servers:
        yield servers.url("odd"), servers


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, f"the odd endpoints have ended with {process.wait(PATIENCE_S)}"
    return line
