"""Instances for a demand: sums by hand, and that more demand never takes fewer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.maths.capacity import Demand, chips_per_mw, usd_per_month


def test_requests_by_hand() -> None:
    """10 a second, 20 at peak, of instances that serve 1.82 and keep 20 % free: 20 / 1.456 = 13.7, so 14."""
    fleet = Demand(10, peak=2, headroom=0.2).fleet(1.82)
    assert fleet.instances == 14
    assert fleet.used_at_mean == pytest.approx(10 / (14 * 1.82))
    assert fleet.used_at_peak == pytest.approx(20 / (14 * 1.82))
    assert Demand(10, peak=2, headroom=0.2, spare=2).fleet(1.82).instances == 16


def test_users_by_hand() -> None:
    """One instance completes 2 requests a second with 16 in flight: 2 x 30 users think and 16 wait, 76 in all."""
    demand = Demand(500, "users", think_s=30)
    assert demand.served(2, 16) == 76
    assert demand.fleet(76).instances == 7  # 500 / 76 = 6.6
    assert Demand(500, "users", think_s=0).served(2, 16) == 16


def test_tokens_by_hand() -> None:
    """2 requests a second of 1,024 in and 256 out are 2 x 256 x 86,400 = 44,236,800 output tokens a day."""
    assert Demand(1, "output_tokens").served(2, 16, 1024, 256) == 44_236_800
    assert Demand(1, "tokens").served(2, 16, 1024, 256) == 2 * 1280 * 86_400
    assert Demand(1, "output_tokens", osl=100).served(2, 16, 1024, 256) == 2 * 100 * 86_400
    assert Demand(1, "output_tokens").served(2, 16, 1024, None) is None
    assert Demand(1, "tokens").served(2, 16, None, 256) is None
    assert Demand(1, "requests").served(2, 16, None, None) == 2


def test_a_demand_that_an_instance_serves_exactly_takes_no_second_one() -> None:
    assert Demand(0.3 * 3).fleet(0.3).instances == 3
    assert Demand(1e-9).fleet(100).instances == 1
    with pytest.raises(ValueError, match="serves no demand"):
        Demand(1).fleet(0)


def test_what_instances_serve_is_the_largest_demand_that_takes_as_many() -> None:
    demand = Demand(10, peak=2, headroom=0.2, spare=1)
    most = demand.amount_of(5, 1.82)
    assert most == pytest.approx(4 * 1.82 * 0.8 / 2)
    assert replace(demand, amount=most).fleet(1.82).instances == 5
    assert replace(demand, amount=most * 1.001).fleet(1.82).instances == 6
    assert demand.amount_of(1, 1.82) == 0


def test_a_month_and_a_megawatt_by_hand() -> None:
    assert usd_per_month(8, 2.5) == 8 * 2.5 * 720
    assert chips_per_mw(700) == pytest.approx(1428.57, abs=0.01)


@given(
    amount=st.floats(1e-3, 1e6), more=st.floats(1, 10), served=st.floats(1e-3, 1e4), peak=st.floats(1, 10),
    headroom=st.floats(0, 0.9), spare=st.integers(0, 5),
)  # fmt: skip
def test_more_demand_peak_headroom_or_spares_never_take_fewer(
    amount: float, more: float, served: float, peak: float, headroom: float, spare: int
) -> None:
    one = Demand(amount, "requests", peak, headroom, spare)
    needed = one.fleet(served).instances
    assert replace(one, amount=amount * more).fleet(served).instances >= needed
    assert replace(one, peak=peak * more).fleet(served).instances >= needed
    assert replace(one, headroom=min(0.95, headroom * more)).fleet(served).instances >= needed
    assert replace(one, spare=spare + 1).fleet(served).instances == needed + 1
    assert one.fleet(served * more).instances <= needed
    fleet = one.fleet(served)
    assert fleet.used_at_peak <= 1 + 1e-9
