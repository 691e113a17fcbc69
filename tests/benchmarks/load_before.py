"""The load generator against that of an earlier revision, KNEEPOINT_BEFORE=REVISION, in turns on one server."""

from __future__ import annotations

import os
import statistics
from collections.abc import Iterator

from tests.benchmarks import Figure, percentile
from tests.benchmarks._yardstick import Case, result
from tests.benchmarks.before import REVISION, tree

PAIRS = 7
FULL = Case(512, 2048, paced=False)
PACED = Case(512, 1536, paced=True)


def measure() -> Iterator[Figure]:
    """Tokens read a second by both, and how far TTFT is off the server's log at 512 streams; nothing without one."""
    revision = os.environ.get(REVISION, "")
    if not revision:
        return
    with tree(revision) as folder:
        pairs = []
        for number in range(PAIRS):
            order = ["own", str(folder)] if number % 2 else [str(folder), "own"]
            rates = {client: result(client, FULL).tokens_per_s for client in order}
            pairs.append((rates["own"], rates[str(folder)]))
        yield Figure("capacity at concurrency 512", statistics.median(one for one, _ in pairs), "tokens/s")
        yield Figure(
            f"over that of {revision[:12]}, median of {PAIRS} pairs",
            statistics.median(one / other for one, other in pairs),
            "x",
            0.95,
            at_least=True,
        )
        for who, client in (("", "own"), (f" of {revision[:12]}", str(folder))):
            errors = [percentile(result(client, PACED).ttft_error_ms, 99) for _ in range(3)]
            yield Figure(f"TTFT error p99 at 512{who}, median of 3", statistics.median(errors), "ms", 1)
