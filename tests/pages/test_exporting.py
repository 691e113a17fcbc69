"""What is selected can be taken along from the table of points, or it is told why not."""

from __future__ import annotations

import pytest

from bench import export
from bench.export import bundle, formats
from bench.selection import count
from bench.view import View
from pages.shared import cached
from tests.pages.drawn import Open, text_of

TITLES = {one.title for one in formats().values()}
SELECTED = {"model": "llama-3.1-405b", "harness": "mlperf-inference"}


def test_the_table_of_points_says_how_many_it_exports_and_which_a_format_leaves_out(opened: Open) -> None:
    at = opened("data", tab="points", **SELECTED)
    told = text_of(at).replace("\\", "")
    points = count(cached.library(), View.of({key: [value] for key, value in SELECTED.items()}))
    assert f"**All {points} selected points**, with every figure" in told
    assert "with neither a mean latency nor a throughput that a Benchmark Report has a place for." in told
    assert {button.label for button in at.get("download_button")} >= TITLES


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
    assert "and a bundle holds 0.0 GB, as much as one import takes" in text_of(at).replace("\\", "")
    assert TITLES - {button.label for button in at.get("download_button")} == {"Bundle for another Kneepoint"}
