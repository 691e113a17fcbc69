"""The profiles that ship: what each asks for, and that a file in their folder is one."""

from __future__ import annotations

import pytest

from bench.errors import UnknownName
from bench.sweep.planning import profiles, searches
from tests.sweep.plans import measured, of, run


def test_a_new_file_in_the_folder_is_a_profile(tmp_path, monkeypatch):
    text = (profiles.FOLDER / "quick.toml").read_text().replace("[1, 4, 16, 64]", "[3]")
    (tmp_path / "mine.toml").write_text(text)
    monkeypatch.setattr(profiles, "FOLDER", tmp_path)
    profiles.profiles.cache_clear()
    try:
        assert [point.load.concurrency for point in of("mine").points()] == [3]
        with pytest.raises(UnknownName, match="mine"):
            of("quick")
    finally:
        profiles.profiles.cache_clear()


@pytest.mark.parametrize("name", [known.name for known in profiles.profiles()])
def test_every_profile_needs_an_endpoint_only_and_can_be_resumed_anywhere(name):
    plan = of(name, facts={"max_model_len": 8192})
    asked, end = run(plan, measured)
    assert [point.key for point in asked] == [point.key for point in searches.possible(plan)]
    for cut in {0, 1, len(asked) // 2, len(asked)}:
        rest, again = run(plan, measured, [measured(point) for point in asked[:cut]])
        assert rest == asked[cut:]
        assert again == end


def test_the_throughput_sweep_is_its_60_points():
    shapes = [
        (point.shape.isl.a, point.shape.osl.a, point.load.concurrency) for point in of("throughput_sweep").points()
    ]
    assert shapes == [
        (isl, osl, level) for isl in (128, 512, 1024, 2048) for osl in (128, 512, 1024) for level in (1, 4, 8, 16, 32)
    ]


def test_inferencemax_is_as_it_is_known():
    plan = of("inferencemax")
    asked, _ = run(plan, measured)
    assert [point.load.concurrency for point in asked] == [1, 2, 4, 8, 16, 32, 48, 64, 96, 128]
    assert {(point.shape.isl.a, point.shape.osl.a) for point in asked} == {(512, 256)}
    assert (plan.stop.falling_levels, plan.stop.falling_share) == (2, 0.03)
