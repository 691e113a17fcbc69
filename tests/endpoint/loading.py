"""Load on an endpoint from this process, and what is measured of it."""

from __future__ import annotations

import uvloop

from bench.records import Load
from bench.sweep.generator.load import run_point
from bench.sweep.measured.window import MeasuredPoint, measured
from bench.sweep.wire.bodies import RequestStyle, body
from bench.sweep.wire.exchange import Limits, PointRun, PreparedRequest, Target
from tests.sweep.made import samples_of

WORDS = "one two three four"


def asks(requests: int, osl: int) -> dict[int, PreparedRequest]:
    """Requests for so many tokens, by number."""
    manner = RequestStyle("odd-model")
    return {number: PreparedRequest(number, body(manner, WORDS, osl), 4, osl) for number in range(requests)}


def loaded(
    target: Target, requests: dict[int, PreparedRequest], load: Load, limits: Limits
) -> tuple[PointRun, MeasuredPoint]:
    """What the load did, and what was measured."""
    point = uvloop.run(run_point(target, iter(requests.values()), load, limits))
    samples = samples_of(point.exchanges, requests)
    return point, measured(samples, load, limits, point.start_ns)
