"""What a plan is going to do, in words."""

from __future__ import annotations

import pytest

from bench.sweep.checks.budget import TimedRequest, budget
from bench.sweep.planning.plan import Plan
from bench.sweep.session.plan_summary import figures, minutes, sentence

ENDPOINT = {"endpoint.url": "http://localhost:8000/v1", "endpoint.model": "m"}


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"profile": "quick"}, ["4 points of m at 127.0.0.1:8000", "1, 4, 16 and 64", "48 s at least"]),
        ({"profile": "throughput_sweep"}, ["60 points", "128, 512, 1024 and 2048", "1 to 32 (5 values)"]),
        ({"profile": "inferencemax"}, ["At most 10 points"]),
        ({"workloads.isl": "uniform:8:16", "workloads.osl": "4", "loads.request_rate": "0.5, 2"}, ["66 s at least"]),
    ],
)
def test_the_sentence_says_what_is_asked_where_and_how_long(stated: dict[str, str], said: list[str]) -> None:
    plan = Plan.from_fields(ENDPOINT | stated)
    told = sentence(plan, budget(plan))
    assert not [one for one in said if one not in told], told


def test_the_figures_are_the_budgets_and_what_is_open_is_absent() -> None:
    plan = Plan.from_fields(
        ENDPOINT | {"profile": "quick", "facts.accelerators": "8", "facts.usd_per_accelerator_hour": "2.5"}
    )
    open_yet = {one.label: one.value for one in figures(budget(plan))}
    assert open_yet["Points"] == "4"
    assert open_yet["Requests"] is None
    assert open_yet["Time"] == "48 s"
    assert open_yet["Cost"] == "0.267 USD"  # 48 s of 8 chips at 2.50 USD/h
    timed = {one.label: one.value for one in figures(budget(plan, TimedRequest(0.1, 0.01)))}
    # 0.73 s alone, 12 s each: 18 requests at each place, 85 places.
    assert timed["Requests"] == f"{18 * 85:,}"
    assert timed["Output tokens"] == f"{18 * 85 * 64:,}"


@pytest.mark.parametrize(("least", "said"), [(0.001, "1 s"), (0.8, "48 s"), (35.2, "35 min"), (150, "2.5 h")])
def test_times_are_said_as_people_say_them(least: float, said: str) -> None:
    assert minutes(least) == said
