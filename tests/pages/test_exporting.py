"""What is selected can be taken along in every format, from every question and from the table of points."""

from __future__ import annotations

import pytest

from bench import export
from bench.export import bundle, formats
from bench.questions import questions
from tests.pages.drawn import Open, text_of

INFERENCEX = "99db68cb058a31e2bfacc58eb85597e4221122b1375f8b4a2c901bfe0353be14"
TITLES = {one.title for one in formats().values()}


@pytest.mark.parametrize("name", questions())
def test_every_question_offers_every_format(name: str, opened: Open) -> None:
    at = opened(name)
    assert not at.exception
    assert {button.label for button in at.get("download_button")} >= TITLES


@pytest.mark.parametrize(
    ("query", "points"),
    [
        ({"model": "gemma-4-31b", "accelerator": "tpu-v6e"}, "All 17 selected points"),
        ({"source_id": INFERENCEX, "search": "mi355x"}, "All 397 selected points"),
    ],
)
def test_the_table_of_points_says_how_many_it_exports(query: dict[str, str], points: str, opened: Open) -> None:
    at = opened("data", tab="points", **query)
    assert f"**{points}**, with every figure" in text_of(at)
    assert {button.label for button in at.get("download_button")} >= TITLES


def test_points_that_a_format_leaves_out_are_told(opened: Open) -> None:
    at = opened("data", tab="points", model="llama-3.1-405b", harness="mlperf-inference")
    told = text_of(at).replace("\\", "")
    assert "with neither a mean latency nor a throughput that a Benchmark Report has a place for." in told
    at = opened("data", tab="points", source_id=INFERENCEX, search="mi355x")
    assert "Left out" not in text_of(at)


def test_more_points_than_a_server_writes_at_once_are_told(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "FILE_POINTS", 100)
    at = opened("data", tab="points")
    assert "100 are exported at once: narrow the selection" in text_of(at).replace("\\", "")
    assert not {button.label for button in at.get("download_button")} & TITLES


def test_a_bundle_of_more_than_an_import_takes_is_told_in_place_of_its_button(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "MOST_BYTES", 1_000)
    at = opened("pareto", model="deepseek-r1", accelerator="mi325x")
    told = text_of(at).replace("\\", "")
    assert "and a bundle holds 0.0 GB, as much as one import takes: narrow the selection" in told
    assert TITLES - {button.label for button in at.get("download_button")} == {"Bundle for another Kneepoint"}
