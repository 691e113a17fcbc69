"""One request of a point: its times are those of its samples, whatever became of it."""

from __future__ import annotations

import math

import pytest

from bench.chart import LIGHT
from bench.errors import NotFound
from bench.runs import point_story, request_chart
from bench.runs.request import request_story, requests
from bench.sweep.folder import Folder


def test_every_request_is_listed_in_the_order_in_which_it_was_due(measured: Folder) -> None:
    point = point_story(measured, 2)
    rows = requests(measured, point)
    assert len(rows) == point.requests
    assert rows["due_s"].is_monotonic_increasing
    assert int(rows["counts"].sum()) == point.line.timed
    failed = rows[rows["outcome"] != "ok"]
    assert len(failed)
    assert failed["error"].notna().all()
    assert failed["ttft_ms"].isna().all()


def test_a_request_tells_when_each_chunk_came(measured: Folder) -> None:
    point = point_story(measured, 2)
    rows = requests(measured, point)
    row = rows[rows["outcome"] == "ok"].iloc[3]
    told = request_story(measured, point, int(row["number"]))
    assert told.first_ms == pytest.approx(row["ttft_ms"])
    assert told.end_ms == pytest.approx(row["e2el_ms"])
    assert len(told.chunks) == row["chunks"] == 8
    assert told.chunks["at_ms"].iloc[0] == pytest.approx(told.first_ms)
    assert math.isnan(told.chunks["gap_ms"].iloc[0])
    assert told.chunks["at_ms"].is_monotonic_increasing
    assert told.chunks["tokens_so_far"].iloc[-1] == row["output_tokens"]
    assert told.headline.startswith(f"Request {row['number']} ended well after ")
    assert "8 tokens in 8 chunks" in told.headline
    drawn = request_chart.figure(told, LIGHT)
    assert list(drawn.data[0].y) == told.chunks["tokens_so_far"].tolist()


def test_a_request_that_failed_says_why_and_has_a_chart_without_tokens(measured: Folder) -> None:
    point = point_story(measured, 2)
    rows = requests(measured, point)
    row = rows[rows["outcome"] != "ok"].iloc[0]
    told = request_story(measured, point, int(row["number"]))
    assert told.first_ms is None
    assert told.chunks.empty
    assert dict(told.facts)["Why"] == row["error"]
    assert "ended as http 5xx" in told.headline
    assert request_chart.figure(told, LIGHT).layout.xaxis.range[1] > told.end_ms


def test_a_request_that_is_not_there_is_told(measured: Folder) -> None:
    with pytest.raises(NotFound, match="has no request 99999"):
        request_story(measured, point_story(measured, 2), 99999)
