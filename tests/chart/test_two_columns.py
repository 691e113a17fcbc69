"""A chart of two columns of any table: what can be drawn, what is drawn without being asked, and how."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.chart import DARK, LIGHT, two_columns
from bench.chart.two_columns import ChartColumns, chosen, columns, figure, left_out

COSTS = pd.DataFrame(
    {
        "accelerator": pd.array(["h100-sxm", "h200-sxm", "tpu-v6e"], "string"),
        "offers": pd.array([7, 5, 30], "Int64"),
        "usd": [2.99, 3.59, 2.7],
        "newest": pd.to_datetime(["2026-07-01", "2026-07-02", "2026-07-03"]),
        "shared": pd.array([True, False, None], "boolean"),
        "nothing": pd.array([None, None, None], "string"),
    }
)
LOADS = pd.DataFrame(
    {
        "concurrency": [1, 8, 64, 1, 8, 64],
        "tpot_ms_p50": [7.0, 9.0, 20.0, 9.0, 12.0, 31.0],
        "engine": pd.array(["vllm", "vllm", "vllm", "sglang", "sglang", None], "string"),
    }
)


def test_each_column_is_offered_for_what_it_can_be() -> None:
    can = columns(COSTS)
    assert can.x == ("accelerator", "offers", "usd", "newest", "shared")
    assert can.y == ("offers", "usd")
    assert can.colour == ("accelerator", "shared")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ChartColumns("accelerator", "usd", "shared")),
        ({"y": "offers"}, ChartColumns("accelerator", "offers", "shared")),
        ({"x": "newest", "colour": ""}, ChartColumns("newest", "usd", None)),
        ({"x": "usd"}, ChartColumns("usd", "offers", "accelerator")),
        ({"x": "usd", "y": "usd"}, ChartColumns("accelerator", "usd", "shared")),
        ({"x": "no such", "y": "accelerator", "colour": "usd"}, ChartColumns("accelerator", "usd", "shared")),
    ],
)
def test_what_is_asked_is_drawn_and_the_rest_suits_the_rows(asked: dict[str, str], found: ChartColumns) -> None:
    assert chosen(COSTS, asked) == found


@pytest.mark.parametrize("rows", [COSTS.head(1), COSTS[["usd"]], COSTS[["accelerator", "shared"]], COSTS.head(0)])
def test_what_has_nothing_to_draw_has_no_chart(rows: pd.DataFrame) -> None:
    assert chosen(rows, {}) is None


def test_words_with_a_row_each_are_bars_from_zero() -> None:
    drawn = figure(COSTS, ChartColumns("accelerator", "offers"), LIGHT)
    (bars,) = drawn.data
    assert bars.type == "bar"
    assert list(bars.x) == ["H100 SXM", "H200 SXM", "TPU v6e"]
    assert list(bars.y) == [7, 5, 30]
    assert drawn.layout.yaxis.rangemode == "tozero"


def test_bars_of_nearly_one_height_and_words_with_several_rows_each_are_markers() -> None:
    assert figure(COSTS, ChartColumns("accelerator", "usd"), LIGHT).data[0].type == "bar"
    close = COSTS.assign(usd=[0.953, 0.955, 0.96])
    assert figure(close, ChartColumns("accelerator", "usd"), LIGHT).data[0].mode == "markers"
    twice = pd.concat([COSTS, COSTS])
    assert figure(twice, ChartColumns("accelerator", "offers"), LIGHT).data[0].mode == "markers"


def test_numbers_are_markers_in_a_colour_for_each_and_doublings_are_logarithmic() -> None:
    drawn = figure(LOADS, ChartColumns("concurrency", "tpot_ms_p50", "engine"), DARK)
    assert [trace.name for trace in drawn.data] == ["vLLM", "SGLang", "not stated"]
    assert {trace.mode for trace in drawn.data} == {"markers"}
    assert len({trace.marker.color for trace in drawn.data}) == 3
    assert drawn.layout.xaxis.type == "log"
    assert list(drawn.layout.xaxis.ticktext) == ["1", "8", "64"]
    assert drawn.layout.xaxis.title.text == "Concurrency (requests in flight)"
    assert drawn.layout.yaxis.title.text == "TPOT, median (ms)"
    assert sum(len(trace.x) for trace in drawn.data) == len(LOADS)


def test_a_row_without_one_of_the_two_is_no_point() -> None:
    rows = LOADS.assign(tpot_ms_p50=[1.0, None, 3.0, None, None, None])
    drawn = figure(rows, ChartColumns("concurrency", "tpot_ms_p50"), LIGHT)
    assert list(drawn.data[0].x) == [1, 64]
    empty = figure(rows.assign(tpot_ms_p50=None), ChartColumns("concurrency", "tpot_ms_p50"), LIGHT)
    assert len(empty.layout.annotations) == 1


def test_more_words_than_can_be_read_are_left_out_and_counted() -> None:
    rows = pd.DataFrame({"name": pd.array([f"n{n}" for n in range(75)], "string"), "value": range(75)})
    of = ChartColumns("name", "value")
    assert len(figure(rows, of, LIGHT).data[0].x) == two_columns.MOST_BARS == 60
    assert left_out(rows, of) == 15
    assert left_out(rows, ChartColumns("value", "value")) == 0


def test_names_from_a_query_are_text() -> None:
    rows = pd.DataFrame({"<b>x</b>": pd.array(["<i>a</i>", "%{x}"], "string"), "<a>": [1.0, 2.0]})
    drawn = figure(rows, ChartColumns("<b>x</b>", "<a>"), LIGHT)
    assert drawn.layout.xaxis.title.text == "&lt;b&gt;x&lt;/b&gt;"
    assert list(drawn.data[0].x) == ["&lt;i&gt;a&lt;/i&gt;", "%&#123;x}"]
    assert "&lt;a&gt;" in drawn.data[0].hovertemplate


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.floats() | st.none(), st.integers(-5, 5), st.booleans()),
        max_size=12,
    )
)
def test_whatever_the_rows_the_chart_is_drawn_or_there_is_none(rows: list[tuple[object, ...]]) -> None:
    frame = pd.DataFrame(rows, columns=["word", "number", "whole", "yes"]).astype(
        {"word": "string", "number": "float64", "whole": "Int64", "yes": "boolean"}
    )
    of = chosen(frame, {})
    if of is not None:
        drawn = figure(frame, of, LIGHT)
        points = frame.dropna(subset=[of.x, of.y])
        assert sum(len(trace.x) for trace in drawn.data) == len(points)
