"""How near what a closed loop's curve promises comes to arrivals at random, on an endpoint that batches.

The table "Against a real open loop" of docs/sizing.md is what this prints: promised / measured - 1 in percent, at three
shares of the capacity and under three seeds of arrivals. Seconds of arrivals scatter by as much themselves.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator, Mapping

from bench.maths.queueing import KEY, MEAN, ServiceCurve, simulated, stationary
from bench.records import Load
from bench.sweep.arrivals import times
from bench.sweep.wire.bodies import RequestStyle, body
from bench.sweep.wire.exchange import Limits, PreparedRequest, Target
from tests.benchmarks import Figure
from tests.benchmarks._yardstick import serving
from tests.endpoint.loading import loaded

BATCHED = {"step-ms": 6, "step-us-per-request": 300, "prefill-us-per-token": 60, "max-running": 16}
WORDS = "one two three four five six seven eight " * 8
LENGTHS = (16, 28, 40, 52, 64)
LEVELS = (1, 2, 4, 8, 16)
SECONDS = {0.4: 6, 0.7: 6, 0.9: 12}
"""Of arrivals, by the share of the capacity."""
SEEDS = (1, 2, 3)
FORMULA = "e2el_ms_mean by the formula"
TOLD = (MEAN, FORMULA, "e2el_ms_p50", "e2el_ms_p99", "ttft_ms_p50", "ttft_ms_p99", "tpot_ms_p50")
SETTLED = (MEAN, "e2el_ms_p50", "ttft_ms_p50")  # what seconds of arrivals tell well enough for a goal


def measure() -> Iterator[Figure]:
    """A closed loop at five levels, then arrivals at three shares of what it promises, under three seeds each."""
    with serving([word for name, value in BATCHED.items() for word in (f"--{name}", str(value))]) as url:
        target = Target.at(url)
        rows = [closed(target, level) for level in LEVELS]
        keys = [key for key in rows[0] if KEY.fullmatch(key)]
        curve = ServiceCurve.of(LEVELS, {key: [row[key] for row in rows] for key in keys})
        off = {(share, seed): promised_off(target, curve, share, seed) for share in SECONDS for seed in SEEDS}
    for key in TOLD:
        for share in SECONDS:
            print(
                f"  {key} at {share:.0%} of the capacity: {', '.join(f'{off[share, one][key]:.0f}' for one in SEEDS)} %"
            )
        middle = statistics.median(abs(one[key]) for one in off.values())
        yield Figure(f"{key}, promised / measured - 1, the middle one", middle, "%")
    for key in next(iter(off.values())):
        own = [one[key] for one in off.values()]
        print(
            f"  {key}: {statistics.median(map(abs, own)):.0f} % off in the middle, {min(own):.0f} to {max(own):.0f} %"
        )
    settled = statistics.median(abs(one[key]) for one in off.values() for key in SETTLED)
    yield Figure("the middle one of mean E2EL, median E2EL and median TTFT together", settled, "%", 15)


def promised_off(target: Target, curve: ServiceCurve, share: float, seed: int) -> dict[str, float]:
    """How far off the promises are, in percent."""
    rate, seconds = share * curve.capacity, SECONDS[share]
    load, limits = Load("open", request_rate=rate, arrivals="poisson"), Limits(duration_s=seconds, warmup_s=1.0)
    came = point(target, load, limits, round(rate * seconds * 2) + 50, times("poisson", rate, seed))
    state = stationary(curve, rate)
    assert state is not None
    promised = {key: one.value for key, one in simulated(curve, rate).estimates.items()} | {FORMULA: state.e2el_ms}
    return {key: 100 * (one / came[MEAN if key == FORMULA else key] - 1) for key, one in promised.items()}


def closed(target: Target, level: int) -> Mapping[str, float]:
    """What a closed loop measures at a level."""
    many = max(5 * level, 10)
    limits = Limits(requests=many, warmup_requests=level)
    return point(target, Load("closed", concurrency=level), limits, many + level)


def point(
    target: Target, load: Load, limits: Limits, many: int, at: Iterator[int] | None = None
) -> Mapping[str, float]:
    """What a load measured; its requests ask for the same lengths, in another order for each five."""
    draw, manner, asks = random.Random("lengths"), RequestStyle("fake-model"), {}
    lengths: list[int] = []
    for number in range(many):
        lengths = lengths or draw.sample(LENGTHS, len(LENGTHS))
        osl = lengths.pop(0)
        asks[number] = PreparedRequest(number, body(manner, WORDS, osl), 64, osl, None if at is None else next(at))
    return loaded(target, asks, load, limits)[1].metrics
