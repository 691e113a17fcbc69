"""This project's own client under one closed load, as a process: what it saw goes to a file."""

from __future__ import annotations

import argparse
import json
import sys
from array import array
from pathlib import Path

import uvloop

from bench.records import Load
from bench.sweep.generator.load import run_point
from bench.sweep.wire.exchange import Exchange, Limits, PreparedRequest, Target
from tests.benchmarks._process import peak_megabytes


def request(model: str, tokens: int) -> bytes:
    """A request for so many tokens, the same for every client that is measured."""
    return json.dumps(
        {
            "model": model,
            "messages": [{"role": "user", "content": "word " * 100}],
            "max_tokens": tokens,
            "stream": True,
            "ignore_eos": True,
            "stream_options": {"include_usage": True},
        }
    ).encode()


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--url", required=True)
    options.add_argument("--model", required=True)
    options.add_argument("--concurrency", type=int, required=True)
    options.add_argument("--requests", type=int, required=True)
    options.add_argument("--tokens", type=int, default=128)
    options.add_argument("--out", type=Path, required=True)
    asked = options.parse_args()
    body = request(asked.model, asked.tokens)
    asks = (PreparedRequest(number, body, 100, asked.tokens) for number in range(asked.requests))
    kept: list[tuple[int, array[int], str]] = []
    failed: list[str] = []
    tokens = 0

    def keep(exchange: Exchange) -> None:
        nonlocal tokens
        tokens += sum(exchange.tokens)
        if exchange.outcome != "ok":
            failed.append(f"{exchange.outcome}: {exchange.error}")
        kept.append((exchange.sent_ns, exchange.stamps_ns, exchange.response_id or ""))

    load = Load("closed", concurrency=asked.concurrency)
    point = uvloop.run(run_point(Target.at(asked.url), asks, load, Limits(), on_exchange=keep))
    peak = peak_megabytes()
    asked.out.write_text(json.dumps([(sent, list(stamps), name) for sent, stamps, name in kept]))
    json.dump(
        {"tokens": tokens, "failed": failed[:3], "parse_us": point.parse_s / tokens * 1e6, "peak_mb": peak}, sys.stdout
    )


if __name__ == "__main__":
    main()
