"""One point of load as a process: what it measured, request by request, and what it says of its own lateness."""

from __future__ import annotations

import json
import sys

import numpy as np
import uvloop

from bench.records import Load
from bench.sweep.generator.load import run_point
from bench.sweep.generator.spool import OK
from bench.sweep.measured.honesty import ClientLoad, client_limited
from bench.sweep.measured.lateness import lateness, moved
from bench.sweep.measured.window import each_request
from bench.sweep.wire.exchange import Limits, PreparedRequest, Target
from tests.benchmarks._load_client import request
from tests.sweep.made import samples_of


def main() -> None:
    url, concurrency, requests, tokens = sys.argv[1], *map(int, sys.argv[2:5])
    body = request("mock-model", tokens)
    asks = {number: PreparedRequest(number, body, 100, tokens) for number in range(requests)}
    load = Load("closed", concurrency=concurrency)
    print("ready", flush=True)
    point = uvloop.run(run_point(Target.at(url), iter(asks.values()), load, Limits()))
    samples = samples_of(point.exchanges, asks)
    client = ClientLoad.of([point])
    well = samples.outcome == OK
    off = moved(samples, well, lateness(samples, np.array([one.number for one in point.exchanges]), [point]))
    values = each_request(samples, np.ones(len(samples), dtype=bool))
    flag = next(client_limited(off, load, client), None)
    print(
        json.dumps(
            {
                "failed": int((~well).sum()),
                "flag": flag.seen if flag else None,
                "moved": [[one.key, one.percent, one.value, one.by] for one in off],
                "sent_ns": samples.sent_ns.tolist(),
                "ids": [exchange.response_id for exchange in point.exchanges],
                **{key: values[key].tolist() for key in ("ttft_ms", "tpot_ms", "e2el_ms")},
            }
        )
    )


if __name__ == "__main__":
    main()
