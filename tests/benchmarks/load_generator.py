"""The load generator: how much it reads, what that costs, and how true it is to the server's own log."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

from tests.benchmarks import Figure, percentile
from tests.benchmarks._yardstick import Case, Result, result

PAIRS = 5
FULL = {64: Case(64, 2048, paced=False), 512: Case(512, 2048, paced=False)}
PACED = {16: Case(16, 64, paced=True), 128: Case(128, 384, paced=True), 512: Case(512, 1536, paced=True)}
TTFT_GOAL_MS_P99 = {16: 10, 128: 10, 512: 20}


def measure() -> Iterator[Figure]:
    """In turns with the references, server and client pinned to a core each; medians of the pairs."""
    yield from capacity()
    for concurrency, case in PACED.items():
        yield from truth_and_cost(concurrency, case)


def capacity() -> Iterator[Figure]:
    """Streams of 128 tokens, 16 to a send, as fast as they are read."""
    for concurrency, case in FULL.items():
        rounds = [{client: result(client, case) for client in ("own", "feed", "lines")} for _ in range(PAIRS)]
        rate = {client: [one[client].tokens_per_s for one in rounds] for client in rounds[0]}
        what = f"capacity at concurrency {concurrency}"
        spread = max(rate["own"]) / min(rate["own"])
        yield Figure(
            f"{what}, largest of {PAIRS} rounds over smallest {spread:.2f}", statistics.median(rate["own"]), "tokens/s"
        )
        yield Figure(
            f"{what}, over a reader that checks nothing", _ratio(rate["own"], rate["feed"]), "x", 0.9, at_least=True
        )
        yield Figure(f"{what}, over aiohttp read line by line", _ratio(rate["own"], rate["lines"]), "x")
        parse = statistics.median(one["own"].said["parse_us"] for one in rounds)
        yield Figure(f"{what}, reading the answers", parse, "us/token", 1.2)
        yield Figure(f"{what}, peak memory", max(one["own"].said["peak_mb"] for one in rounds), "MB", 120)


def truth_and_cost(concurrency: int, case: Case) -> Iterator[Figure]:
    """TTFT 200 ms and ITL 10 ms, held against the server's log token by token."""
    pairs = [(result("own", case), result("feed", case)) for _ in range(PAIRS)]
    own = [pair[0] for pair in pairs]
    what = f"paced at {concurrency}"
    yield Figure(f"{what}, TTFT error p50", _median(own, lambda one: percentile(one.ttft_error_ms, 50)), "ms", 0.5)
    goal = TTFT_GOAL_MS_P99[concurrency]
    yield Figure(f"{what}, TTFT error p99", _median(own, lambda one: percentile(one.ttft_error_ms, 99)), "ms", goal)
    theirs = [pair[1] for pair in pairs]
    yield Figure(
        f"{what}, TTFT error p99 of the reader that checks nothing",
        _median(theirs, lambda one: percentile(one.ttft_error_ms, 99)),
        "ms",
    )
    yield Figure(f"{what}, lag of a token's stamp p50", _median(own, lambda one: percentile(one.lag_us, 50)), "us", 50)
    yield Figure(f"{what}, lag of a token's stamp p99", _median(own, lambda one: percentile(one.lag_us, 99)), "us")
    tails = [[percentile(one.lag_us, 99) for one in side] for side in (own, theirs)]
    yield Figure(f"{what}, that over a reader that checks nothing", _ratio(*tails), "x", 2)
    yield Figure(f"{what}, ITL p50 error", _median(own, lambda one: one.itl_p50_error_ms), "ms", 0.05)
    yield Figure(f"{what}, throughput off by", _median(own, lambda one: one.throughput_off_percent), "%", 0.5)
    costs = [[one.cpu_s_per_million for one in side] for side in (own, theirs)]
    yield Figure(f"{what}, CPU per million tokens", statistics.median(costs[0]), "s")
    goal = 1.25 if concurrency == 512 else None
    yield Figure(f"{what}, that over a reader that checks nothing", _ratio(*costs), "x", goal)
    yield Figure(f"{what}, peak memory", max(one.said["peak_mb"] for one in own), "MB", 120)


def _ratio(own: list[float], theirs: list[float]) -> float:
    """The median of the pairs' ratios."""
    return statistics.median(mine / other for mine, other in zip(own, theirs, strict=True))


def _median(results: list[Result], figure: Callable[[Result], float]) -> float:
    return statistics.median(figure(one) for one in results)
