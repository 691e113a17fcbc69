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
from tests.formats.reading_of import one_point
from tests.thorough import some

VLLM = SAMPLES / "vllm" / "concurrency-4.json"


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Every sample of some tools, of every tool in the full run."""
    held = Library.open(tmp_path_factory.mktemp("first") / "library", shipped=False)
    held.add(some(sorted(SAMPLES.iterdir()), 4))
    return held


@pytest.mark.long
@pytest.mark.parametrize("name", ["published-csv", "published-json", "published-parquet"])
def test_the_points_of_every_sample_come_back(samples: Library, tmp_path: Path, name: str) -> None:
    written = format_named(name)
    path = tmp_path / f"all{written.ending}"
    path.write_bytes(written.write(samples, View()))
    second = Library.open(tmp_path / "second", shipped=False)
    assert second.add([path]).refused == []
    assert len(stated(second)) == len(stated(samples)) > 8


@pytest.mark.parametrize("date", ["00010101-103708", "99991231-103708", "19991231-103708"])
def test_a_day_on_which_nothing_can_have_been_measured_is_absent(tmp_path: Path, date: str) -> None:
    assert "date" not in read(tmp_path, date=date)


def test_today_is_a_day_of_a_measurement(tmp_path: Path) -> None:
    today = datetime.datetime.now(datetime.UTC).date()
    assert read(tmp_path, date=f"{today:%Y%m%d}-103708")["date"] == today


def test_a_name_without_a_letter_is_absent(tmp_path: Path) -> None:
    assert "model" not in read(tmp_path, model_id="***")


def read(folder: Path, **changed: str) -> dict[str, object]:
    """The point of vLLM's sample with these keys changed."""
    path = folder / "changed.json"
    path.write_text(json.dumps({**json.loads(VLLM.read_text()), **changed}))
    return one_point(path)
