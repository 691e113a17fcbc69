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
from tests.thorough import QUICK, some

VLLM = SAMPLES / "vllm" / "concurrency-4.json"


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Every sample of some tools, of every tool in the full run."""
    held = Library.open(tmp_path_factory.mktemp("first") / "library", shipped=False)
    held.add(some(sorted(SAMPLES.iterdir()), 4))
    return held


@pytest.mark.long
@pytest.mark.parametrize("name", some(["published-csv", "published-json", "published-parquet"], 1))
def test_the_points_of_every_sample_come_back(samples: Library, tmp_path: Path, name: str) -> None:
    written = format_named(name)
    path = tmp_path / f"all{written.ending}"
    path.write_bytes(written.write(samples, View()))
    second = Library.open(tmp_path / "second", shipped=False)
    assert second.add([path]).refused == []
    assert len(stated(second)) == len(stated(samples)) > (8 if QUICK else 50)


def test_a_day_on_which_nothing_can_have_been_measured_and_a_name_without_a_letter_are_absent(tmp_path: Path) -> None:
    today = datetime.datetime.now(datetime.UTC).date()
    dates = {"00010101": None, "99991231": None, "19991231": None, f"{today:%Y%m%d}": today}
    held, result = Library.open(tmp_path / "library", shipped=False), json.loads(VLLM.read_text())
    for date in dates:
        (tmp_path / f"{date}.json").write_text(json.dumps(result | {"date": f"{date}-103708", "model_id": date}))
    (tmp_path / "name.json").write_text(json.dumps(result | {"model_id": "***"}))
    held.add(sorted(tmp_path.glob("*.json")))
    found = dict(held.fetch("SELECT model, date FROM points"))
    assert {key: found[key] for key in dates} == dates
    assert found[None] == datetime.date(2026, 11, 20)
