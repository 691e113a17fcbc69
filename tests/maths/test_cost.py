"""Costs, bills and break-evens: sums worked out by hand, and what holds for any price, throughput and volume."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.basis import prices
from bench.maths import cost

PRICE = st.integers(1, 100_000).map(lambda cents: cents / 100)
RATE = st.integers(1, 10_000_000).map(lambda tenths: tenths / 10)
SHARE = st.integers(1, 100).map(lambda percent: percent / 100)

H100 = 1260.0
"""Gemma 4 31B on one H100, as the article inferencebench-gemma4-h100 prints it."""
LAMBDA = 2.49


@pytest.fixture(scope="module")
def database():
    with duckdb.connect() as connection:
        yield connection


def test_an_instance_loaded_to_eighty_percent_at_most_needs_a_second() -> None:
    # 108.864M x 0.8 = 87.1M < 100M: two instances, 119.52 a day, each 100 / 217.728 = 45.9 % used.
    bill = cost.rented(LAMBDA, H100, 0.8, 100e6)
    assert (bill.instances, bill.usd_per_day) == (2, pytest.approx(119.52))
    assert bill.utilisation == pytest.approx(0.459, abs=0.0005)


def test_a_volume_of_exactly_so_many_capacities_rents_no_more() -> None:
    for instances in range(1, 2000):
        bill = cost.rented(1, 0.1, 0.7, instances * (0.1 * 0.7 * 86400))
        assert bill.instances == instances


def test_close_prices_let_the_api_win_again_after_each_full_instance() -> None:
    # 1 token/s is 86,400 a day, for 0.0036 x 24 = 0.0864 USD a day: 1 USD per million. The API takes 1.25, so the
    # ratio is 0.8 and k instances break even at k x 69,120 tokens a day: 69,120 in one; 138,240 in two (needed above
    # 86,400); 207,360 in three (above 172,800); 276,480 in four (above 259,200). Five would at 345,600, which four
    # still serve: from 276,480 on renting is never dearer.
    found = cost.break_even(0.0036, 1, 1, 1.25)
    assert found is not None
    breaks = [found.at(k) for k in range(1, 7)]
    assert breaks == [pytest.approx(k * 69_120) for k in range(1, 5)] + [None, None]
    assert (found.settled, found.settled_instances) == (pytest.approx(276_480), 4)


def test_the_api_is_cheaper_at_any_volume_or_at_its_own_price_only_ties() -> None:
    own = cost.usd_per_million(LAMBDA, H100, 0.5)
    assert own is not None
    assert cost.break_even(LAMBDA, H100, 0.5, own * 0.99) is None
    level = cost.break_even(LAMBDA, H100, 0.5, own)
    assert level is not None
    assert level.first == pytest.approx(level.capacity)
    assert level.settled is None
    assert level.settled_instances is None


def test_a_mix_needs_the_price_of_each_kind_it_holds_and_both_lengths() -> None:
    assert cost.blended_price(2, 10, 300, 100) == 4
    assert cost.blended_price(None, 10, 0, 100) == 10
    assert cost.blended_price(2, None, 512, 0) == 2
    assert cost.blended_price(None, 10, 512, 512) is None
    assert cost.blended_price(2, 10, 512, None) is cost.blended_price(2, 10, 0, 0) is None


def test_nothing_served_or_without_a_price_has_no_cost() -> None:
    assert cost.usd_per_million(1, 0, 1) is cost.usd_per_million(None, 100) is cost.usd_per_million(1, None) is None
    assert cost.tokens_per_s_per_usd_per_hour(None, 1) is cost.tokens_per_s_per_usd_per_hour(1, None) is None
    assert cost.rented(LAMBDA, H100, 1, 0) == cost.Rental(0, 0, 0, None)


@given(PRICE, RATE, st.integers(1, 72), SHARE)
def test_the_sql_of_a_cost_gives_the_same(database, price, rate, accelerators, share) -> None:
    chips = {"chip": prices.ChipPrice("chip", price)}
    sql, params = prices.cost_sql("usd_per_million_output_tokens", chips, share)
    point = "(SELECT 'chip' AS accelerator, ? AS accelerators, CAST(? AS DOUBLE) AS output_tokens_per_s)"
    (found,) = database.execute(f"SELECT {sql} FROM {point}", [*params, accelerators, rate]).fetchone()
    assert found == pytest.approx(cost.usd_per_million(price * accelerators, rate, share))


@given(PRICE, RATE, SHARE, st.integers(0, 10**12), st.integers(0, 10**12))
def test_the_rented_bill_is_a_staircase_above_the_bill_of_used_tokens(price, rate, share, one, other) -> None:
    less, more = (cost.rented(price, rate, share, volume) for volume in sorted((one, other)))
    assert less.usd_per_day <= more.usd_per_day
    for bill in (less, more):
        assert bill.usd_per_day == pytest.approx(bill.instances * price * 24)
        assert bill.utilisation is None or 0 < bill.utilisation <= share * (1 + 1e-9)
        used = cost.usd_per_million(price, rate, 1) * bill.tokens_per_day / 1e6
        assert bill.usd_per_day >= used * (1 - 1e-9)
        assert bill.instances == 0 or (bill.instances - 1) * rate * share * 86400 < bill.tokens_per_day


@given(PRICE, RATE, SHARE, PRICE, st.integers(1, 200))
def test_at_a_break_even_both_bills_are_equal(price, rate, share, api, instances) -> None:
    found = cost.break_even(price, rate, share, api)
    own = cost.usd_per_million(price, rate, share)
    assert (found is None) == (own > api)
    volume = found.at(instances) if found else None
    if volume is not None:
        bill = cost.rented(price, rate, share, volume)
        assert bill.instances == instances
        assert bill.usd_per_day == pytest.approx(api * volume / 1e6)


@given(PRICE, RATE, SHARE, st.integers(101, 1000), st.integers(0, 5000))
def test_once_settled_renting_is_never_dearer_and_just_before_it_is(price, rate, share, percent, further) -> None:
    own = cost.usd_per_million(price, rate, share)
    api = own * percent / 100
    found = cost.break_even(price, rate, share, api)
    assert found is not None

    def dearer(volume: float) -> bool:
        return cost.rented(price, rate, share, volume).usd_per_day > api * volume / 1e6 * (1 + 1e-9)

    assert not dearer(found.settled * (1 + further / 1000))
    assert dearer(found.settled * (1 - 1e-6))
    assert found.at(found.settled_instances) == pytest.approx(found.settled)
    assert found.at(found.settled_instances + 1) is None
