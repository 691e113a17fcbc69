"""Sweeps as they are watched: sentences for every state, the table, and the cells that fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import chart
from bench.endpoint import Settings
from bench.endpoint.serving import running
from bench.runs import grid_chart, story, watching
from bench.sweep.folder import UNDER_WAY, Folder
from bench.sweep.pauses import Pauses
from bench.sweep.planning.plan import Plan
from bench.sweep.session import jobs
from bench.sweep.session.runner import run

STATED = {
    "endpoint.model": "fake-model",
    "workloads.isl": "8, 16",
    "workloads.osl": "4",
    "loads.concurrency": "1, 4",
    "point.requests": "12",
    "point.warmup_requests": "1",
}


RUNNING = {
    "title": "Quick look",
    "endpoint": "127.0.0.1:1",
    "state": "running",
    "points_done": 1,
    "points_possible": 4,
    "current": {"level": "concurrency 4 (8 in / 4 out)"},
    "seconds_left": 25,
}


@pytest.mark.parametrize(
    ("status", "facts"),
    [
        (RUNNING, ["Quick look at 127.0.0.1:1", "1 of 4 points", "concurrency 4 (8 in / 4 out)", "25 s left"]),
        ({"id": "x", "state": "queued", "reason": "It waits for 1 sweep."}, ["Sweep x waits for 1 sweep."]),
        (
            {"id": "x", "state": "failed", "points_done": 2, "points_possible": 4, "reason": "It is gone."},
            ["failed", "2 of 4 points", "It is gone."],
        ),
        ({"id": "x", "state": "interrupted"}, ["interrupted", "0 points"]),
        (
            {"id": "x", "state": "done", "points_done": 2, "points_possible": 4, "reason": "The goal is met."},
            ["done", "2 of 4 points", "The goal is met."],
        ),
    ],
)
def test_a_sweep_in_a_sentence(status: dict[str, object], facts: list[str]) -> None:
    said = watching.sentence(status)
    assert [fact for fact in facts if fact not in said] == []
    assert said.endswith(".")


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ({"points_possible": 12, "points_done": 4, "points_failed": 2}, "Point 7 of 12, 50 % done."),
        ({"points_possible": 10, "points_done": 7}, "Point 8 of 10, 70 % done."),
        ({"points_possible": 3, "points_done": 3}, "Point 3 of 3, 100 % done."),
        ({"points_done": 1, "seconds_left": 41}, "1 point measured so far."),
    ],
)
def test_how_far_a_sweep_is_in_words_that_change_with_a_point_and_not_with_every_look(
    status: dict[str, object], told: str
) -> None:
    assert watching.announced({"state": "running", **status}) == told


def test_every_state_has_its_words() -> None:
    assert set(UNDER_WAY) <= set(watching.STATES)
    assert watching.headline([]) == "Nothing has been measured in this library yet."
    assert watching.headline(["done", "running", "done"]) == "3 sweeps: 1 runs and 2 are done."


def test_a_strange_status_is_watched_all_the_same() -> None:
    status = {"recent": {"ttft_ms_p50": [None, "x", 3]}, "current": {"ttft_ms_p50": None}}
    assert watching.share_done(status) == 0
    assert [label for label, _, _ in watching.live(status)][1] == "TTFT p50"


@pytest.mark.long
def test_the_cells_fill_as_points_finish_and_hold_what_the_journal_says(tmp_path: Path) -> None:
    statuses = []
    with running(Settings(ttft_ms=10, itl_ms=1)) as url:
        plan = Plan.from_fields({"endpoint.url": url, **STATED})
        folder = Folder.create(tmp_path, plan)
        before = grid_chart.figure(story(folder), plan, chart.theme("light"))
        assert not before.layout.annotations
        run(folder, lambda status: statuses.append(dict(status)), pauses=Pauses(point_s=0.02))
    told = story(folder)
    made = grid_chart.figure(told, folder.plan, chart.theme("dark"))
    _, cells = made.data
    lines = {(line.isl, line.load.concurrency): line.metrics["output_tokens_per_s"] for line in told.lines}
    assert [[lines[isl, concurrency] for concurrency in (1, 4)] for isl in ("8", "16")] == cells.z.tolist()
    assert {(note.x, note.y) for note in made.layout.annotations} == {(0, 0), (1, 0), (0, 1), (1, 1)}
    assert any("too few requests" in flag for flag in grid_chart.flags(told))
    live = [status for status in statuses if (status.get("current") or {}).get("tpot_ms_p50")]
    assert live, "no look fell into a point"
    assert live[-1]["recent"]["output_tokens_per_s"]
    (row,) = watching.table(tmp_path).to_dict("records")
    assert (row["state"], row["model"], row["points"], row["id"]) == ("done", "fake-model", "4 of 4 points", folder.id)


@pytest.mark.parametrize("stated", ["{}", "null", "{", '{"endpoint": 5}', '{"profile": "no-such"}'])
def test_one_broken_sweep_is_shown_as_broken_and_the_others_as_they_are(tmp_path: Path, stated: str) -> None:
    plan = Plan.from_fields({"endpoint.url": "http://127.0.0.1:9/v1", **STATED})
    sound, broken = Folder.create(tmp_path, plan), Folder.create(tmp_path, plan)
    (broken.path / "plan.json").write_text(stated)
    rows = watching.table(tmp_path).set_index("id")
    assert rows.loc[broken.id, "state"] == "broken"
    assert rows.loc[sound.id, "state"] == "interrupted"
    assert watching.headline(list(rows["state"])) == "2 sweeps: 1 was interrupted and 1 cannot be read."
    assert "cannot be read with 0 points: " in watching.sentence(broken.status)
    assert {told["id"] for told in jobs.sweeps(tmp_path)} == {sound.id, broken.id}


@pytest.mark.parametrize(
    "stated", ["[]", "null", '{"state": 5}', '{"state": "done", "seconds": "long", "points_done": []}']
)
def test_a_status_that_another_hand_wrote_is_passed_over(tmp_path: Path, stated: str) -> None:
    made = Folder.create(tmp_path, Plan.from_fields({"endpoint.url": "http://127.0.0.1:9/v1", **STATED}))
    (made.path / "status.json").write_text(stated)
    assert list(watching.table(tmp_path)["state"]) == ["interrupted"]
    assert jobs.sweeps(tmp_path)[0]["state"] == "interrupted"
