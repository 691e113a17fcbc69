"""Axes: doublings where the field doubles, places and values that answer each other, titles a phone has room for."""

from __future__ import annotations

import pytest

from bench import catalogue
from bench.chart.axis import MOST_TICKS, TITLE_LINE, Axis, decade_ticks, doubling_ticks, title_lines

METRIC = catalogue.metric("output_tokens_per_s")


def test_ticks_double_and_are_never_many() -> None:
    assert doubling_ticks(1, 64) == [1, 2, 4, 8, 16, 32, 64]
    assert doubling_ticks(3, 100) == [4, 8, 16, 32, 64]
    assert doubling_ticks(1, 2**20)[:3] == [1, 4, 16]
    assert len(doubling_ticks(1, 2**40)) <= MOST_TICKS


@pytest.mark.parametrize("axis", [Axis(METRIC, True, 2.0, 2000.0), Axis(METRIC, False, -5.0, 95.0)])
def test_a_value_lies_where_it_is_placed(axis: Axis) -> None:
    for share in (0.0, 0.25, 1.0):
        assert axis.place(axis.at(share)) == pytest.approx(share)


def test_a_title_takes_as_many_lines_as_a_phone_needs_and_is_text() -> None:
    title = "Output throughput per accelerator (tokens/s/accelerator) · <b>"
    lines = title_lines(title).split("<br>")
    assert len(lines) == 2
    assert all(len(line) <= TITLE_LINE + len("&lt;&gt;") for line in lines)
    assert "<b>" not in title_lines(title)
    assert title_lines("TTFT (ms)") == "TTFT (ms)"


def test_fewer_decade_ticks_leave_out_those_of_2_and_then_those_of_5() -> None:
    assert decade_ticks(8, 600, 5) == [10, 50, 100, 500]
    assert decade_ticks(8, 600, 3) == [10, 100]
    assert decade_ticks(8, 90, 5) == [10, 20, 50]


def test_a_share_is_in_percent_at_its_axis() -> None:
    share = catalogue.metric("failed_share")
    assert Axis(share, False, 0.0, 1.0).settings["tickformat"] == ",~%"
    assert Axis(share, True, 0.005, 0.6).settings["ticktext"] == ["0.5%", "1%", "2%", "5%", "10%", "20%", "50%"]
