"""A live endpoint, measured whole: load, window and stop rule together."""

from __future__ import annotations

import asyncio

import pytest

from bench.endpoint import Settings, running
from bench.records import Load
from bench.sweep.generator.load import run_point
from bench.sweep.generator.samples import Samples
from bench.sweep.generator.stopping import Precision
from bench.sweep.measured.window import measured
from bench.sweep.wire.exchange import Limits, Target
from tests.endpoint.loading import asks

pytestmark = pytest.mark.long


def test_a_point_that_is_known_well_enough_ends_early():
    """Within nine tenths of its value a figure is known after ten batches, whatever the machine does."""
    precision, heard, requests = Precision(0.9, round_of=4, warmup_requests=4), [], asks(10_000, 5)
    load, limits = Load("closed", concurrency=4), Limits(duration_s=60, warmup_requests=4, drain_s=0)

    def hear(one):
        heard.append(one)
        precision.add(one)

    with running(Settings(model="odd-model", ttft_ms=5, itl_ms=1)) as url:
        asked = run_point(
            Target.at(url), iter(requests.values()), load, limits, hear, enough=lambda _: precision.enough()
        )
        point = asyncio.run(asked)
    found = measured(Samples.of(heard, requests), load, limits, point.start_ns)
    assert precision.enough()
    assert found.window.duration_s < 60
    assert found.osl_actual == found.osl_asked == 5
    # What was under way when it ended is no failure.
    assert found.cancelled <= 4
    assert found.failures == {}
