"""Which points stand for a deployment: its newest run as a whole, and of repeats the middle one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.library import Library, index
from tests.questions.heatmap.results import library_of, point
from tests.thorough import times

RUN = "https://example.org/runs/"


def standing(library: Library) -> dict[str, str]:
    """Why each point that does not stand was set aside, by its throughput."""
    rows = library.fetch("SELECT output_tokens_per_s, why FROM points JOIN set_aside USING (point_id) ORDER BY 1")
    return {f"{value:g}": why for value, why in rows}


def test_the_newest_run_stands_whole_and_older_ones_fill_none_of_its_holes(tmp_path: Path) -> None:
    rows = [
        point(128, 128, 10, concurrency=1, date="2026-01-01"),
        point(128, 128, 11, concurrency=64, date="2026-01-01"),
        point(128, 128, 20, concurrency=1, date="2026-03-01"),
        point(128, 128, 21, concurrency=8, date="2026-03-01"),
    ]
    assert standing(library_of(tmp_path, rows)) == {"10": "older run", "11": "older run"}


def test_another_engine_version_is_another_run_of_the_same_deployment(tmp_path: Path) -> None:
    rows = [
        point(128, 128, 10, engine_version="0.9", date="2026-01-01"),
        point(128, 128, 5, engine_version="0.10", date="2026-03-01"),
        point(128, 128, 7, tp=2, engine_version="0.9", date="2026-01-01"),
        point(256, 128, 8, engine_version="0.9", date="2026-01-01"),
    ]
    assert standing(library_of(tmp_path, rows)) == {"10": "older run"}


@pytest.mark.parametrize("few", [index.FEW_POINTS, 1], ids=["few", "many"])
def test_what_one_row_of_a_run_states_holds_for_the_others_unless_they_contradict(
    tmp_path: Path, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "FEW_POINTS", few)
    rows = [
        point(128, 128, 1, concurrency=1, engine_version=None, source_url=f"{RUN}1"),
        point(128, 128, 2, concurrency=2, engine_version="0.17", source_url=f"{RUN}1"),
        point(128, 128, 3, concurrency=1, tp=2, engine_version=None, source_url=f"{RUN}1"),
        point(128, 128, 4, concurrency=4, engine_version=None, source_url=f"{RUN}2"),
        point(128, 128, 5, concurrency=8, engine_version="0.17", source_url=f"{RUN}2"),
        point(128, 128, 6, concurrency=16, engine_version="0.18", source_url=f"{RUN}2"),
        point(128, 128, 7, concurrency=32, engine_version=None),
        point(128, 128, 8, concurrency=64, engine="sglang", engine_version=None, source_url=f"{RUN}1"),
    ]
    told = library_of(tmp_path, rows).fetch("SELECT output_tokens_per_s, engine_version FROM points ORDER BY 1")
    assert [version for _, version in told] == ["0.17", "0.17", "0.17", None, "0.17", "0.18", None, None]


def test_an_undated_point_is_older_than_a_dated_one_and_stands_where_all_are(tmp_path: Path) -> None:
    rows = [
        point(128, 128, 1, date=None),
        point(128, 128, 2, date="2026-01-01"),
        point(256, 128, 3, date=None),
        point(256, 128, 4, date=None, engine_version="0.18"),
    ]
    assert standing(library_of(tmp_path, rows)) == {"1": "older run"}


def test_of_repeats_the_middle_one_stands_and_of_two_the_lower(tmp_path: Path) -> None:
    rows = [
        *(point(128, 128, value, repeat=place) for place, value in enumerate((90, 400, 100), 1)),
        *(point(256, 128, value, repeat=place) for place, value in enumerate((5, 6), 1)),
        point(512, 128, 7, repeat=1),
        point(512, 128, 8),
    ]
    assert standing(library_of(tmp_path, rows)) == {"90": "repeat", "400": "repeat", "6": "repeat"}


def test_what_a_flag_excludes_makes_no_run_the_newest(tmp_path: Path) -> None:
    flag = '[{"kind": "implausible", "seen": "s", "why": "w", "do": "d"}]'
    rows = [point(128, 128, 1, date="2026-01-01"), point(128, 128, 2, date="2026-03-01", flags=flag)]
    assert standing(library_of(tmp_path, rows)) == {}


days = st.one_of(st.none(), st.sampled_from(["2026-01-01", "2026-02-01", "2026-03-01"]))


@settings(max_examples=times(40, 5, 10))
@given(st.lists(st.tuples(st.sampled_from([1, 8, 64]), days, st.sampled_from(["0.17", "0.18"])), max_size=12))
def test_no_point_of_a_newest_run_is_ever_set_aside(tmp_path_factory: Any, runs: list[tuple[int, Any, str]]) -> None:
    rows = [
        point(128, 128, place + 1, concurrency=level, date=date, engine_version=version)
        for place, (level, date, version) in enumerate(dict.fromkeys(runs))
    ]
    if not rows:
        return
    aside = standing(library_of(tmp_path_factory.mktemp("runs"), rows))
    dated = [row["date"] for row in rows if row["date"]]
    newest = max(dated, default=None)
    expected = {f"{row['output_tokens_per_s']:g}" for row in rows if row["date"] != newest}
    assert aside == dict.fromkeys(sorted(expected, key=float), "older run")
