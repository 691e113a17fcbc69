"""Every sample of every tool as a published table: what one Kneepoint exports, another takes in whole."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from bench.export import format_named
from bench.library import Library
from bench.view import View
from tests.export.test_exports import SAMPLES, stated

VLLM = SAMPLES / "vllm" / "concurrency-4.json"


@pytest.mark.long
@pytest.mark.parametrize("name", ["published-csv", "published-json", "published-parquet"])
def test_the_points_of_every_sample_come_back(tmp_path: Path, name: str) -> None:
    first = Library.open(tmp_path / "first", shipped=False)
    first.add([SAMPLES])
    written = format_named(name)
    path = tmp_path / f"all{written.ending}"
    path.write_bytes(written.write(first, View()))
    second = Library.open(tmp_path / "second", shipped=False)
    assert second.add([path]).refused == []
    assert len(stated(second)) == len(stated(first)) > 50


@pytest.mark.parametrize("date", ["00010101-103708", "99991231-103708", "19991231-103708"])
def test_a_day_on_which_nothing_can_have_been_measured_is_absent(tmp_path: Path, date: str) -> None:
    assert read(tmp_path, date=date)["date"] is None


def test_today_is_a_day_of_a_measurement(tmp_path: Path) -> None:
    today = datetime.datetime.now(datetime.UTC).date()
    assert read(tmp_path, date=f"{today:%Y%m%d}-103708")["date"] == today


@pytest.mark.parametrize("model", ["////", "***", "/"])
def test_a_name_without_a_letter_is_absent(tmp_path: Path, model: str) -> None:
    assert read(tmp_path, model_id=model)["model"] is None


def read(folder: Path, **changed: str) -> dict[str, object]:
    """The model and the day of vLLM's sample with these keys changed."""
    path = folder / "changed.json"
    path.write_text(json.dumps({**json.loads(VLLM.read_text()), **changed}))
    held = Library.open(folder / "library", shipped=False)
    held.add([path])
    ((model, date),) = held.fetch("SELECT model, date FROM points")
    return {"model": model, "date": date}
