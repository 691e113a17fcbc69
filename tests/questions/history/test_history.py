"""Histories of made runs: changes that are there are told, those of method are not, and nothing is lost uncounted."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from bench.basis.wording import speed
from bench.chart import DARK, LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.questions import history
from bench.questions.history.result import FRONTIER, History
from bench.view import View
from tests.questions.heatmap.results import Row, flag
from tests.questions.history.runs import LEVELS, held, run, runs
from tests.questions.saying import badly_said, headline, said, statements

FASTER = [1.0] * 5 + [1.3] * 4


def asked(**options: str) -> View:
    return View.of({"model": ["llama-3.1-70b"]}, options)


def told(folder: Path, rows: list[Row], **options: str) -> History:
    return history.answer(held(folder, rows), asked(**options)).result


@pytest.fixture(scope="module")
def faster(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Nine runs of one deployment, the last four 30 % faster."""
    return held(tmp_path_factory.mktemp("faster"), runs(FASTER))


def test_a_change_is_told_with_how_much_and_from_when(faster: Library) -> None:
    answer = history.answer(faster, asked())
    kind, values = headline(answer)
    assert kind == "changed"
    assert (values["runs"], values["changes"], values["last_from"]) == (9, 1, "2026-02-24")
    assert values["speed"] == pytest.approx(1.3, rel=0.02)
    assert {one["load"] for one in said(answer, "at_loads")["loads"]} | {values["load"]} == {4, 16, 64}
    rows = answer.rows
    assert len(rows) == 27
    assert list(rows.loc[rows["speed_change"].notna(), "run"].unique()) == ["2026-02-24"]


def test_no_change_is_told_where_there_is_none(tmp_path: Path) -> None:
    answer = history.answer(held(tmp_path, runs([1.0] * 9, noise=0.02)), asked())
    assert headline(answer)[0] == "same"
    assert badly_said(answer) == []
    assert len(said(answer, "unchanged")["loads"]) == 2


def test_another_version_of_the_engine_is_no_change_of_method(tmp_path: Path) -> None:
    rows = runs(FASTER[:5]) + [
        {**row, "engine_version": "0.18"} for row in runs(FASTER) if str(row["date"]) >= "2026-02-24"
    ]
    answer = history.answer(held(tmp_path, rows), asked())
    assert headline(answer)[0] == "changed"
    assert said(answer, "came_with")["versions"] == [{"run": "2026-02-24", "version": "0.18", "before": "0.17"}]


METHODS: dict[str, tuple[Row, Row]] = {
    "harness": ({"harness": "a"}, {"harness": "b"}),
    "harness_version": ({"harness_version": "1"}, {"harness_version": "2"}),
    "variant": ({"variant": "forward only"}, {"variant": "whole requests"}),
    "image": ({"engine_version": "0.5.9-cu126"}, {"engine_version": "0.5.9-cu130"}),
    "requests": ({"requests_ok": 100}, {"requests_ok": 40}),
    "doubt": ({}, {"flags": flag("methodology")}),
    "source": ({"source": "one"}, {"source": "other"}),
}


@pytest.fixture(scope="module")
def methods(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Of a model for each kind of change the runs in which it comes with the speed."""
    rows = [
        {**row, "model": kind, **(before if str(row["date"]) < "2026-02-24" else after)}
        for kind, (before, after) in METHODS.items()
        for row in runs(FASTER)
    ]
    return held(tmp_path_factory.mktemp("methods"), rows)


@pytest.mark.parametrize("kind", METHODS)
def test_a_change_of_method_is_marked_as_that_and_not_as_speed(kind: str, methods: Library) -> None:
    answer = history.answer(methods, View.of({"model": [kind]}))
    found = answer.result
    assert headline(answer)[0] != "changed"
    assert all(not one.changes for one in found.loads)
    marked = {each.kind for one in found.loads for value in one.values for each in value.changes}
    assert marked == {kind}
    assert statements(answer, "not_speed")
    assert found.unlike == () or found.gain is None
    assert len(answer.rows["method_changed"].dropna())
    notes = [one.text for one in history.figure(found, DARK).layout.annotations]
    assert any(text.startswith("method changed") for text in notes)


def test_two_runs_cannot_tell_noise_from_change(tmp_path: Path) -> None:
    answer = history.answer(held(tmp_path, runs([1.0, 1.3])), asked())
    kind, values = headline(answer)
    assert (kind, values["runs"]) == ("untested", 2)
    assert len(said(answer, "few_runs")["loads"]) == 3
    assert values["speed"] == pytest.approx(1.3, rel=0.05)


def test_of_a_latency_the_lower_is_faster(faster: Library) -> None:
    answer = history.answer(faster, asked(metric="tpot_ms_p50"))
    assert headline(answer)[1]["speed"] == pytest.approx(1.3, rel=0.02)
    change = answer.result.loads[0].told[0]
    assert 1 < change.low < change.speed < change.high


def test_a_load_that_was_not_measured_is_interpolated_and_says_how_wrong_that_may_be(tmp_path: Path) -> None:
    rows = [row for row in runs(FASTER) if row["concurrency"] != 16 or str(row["date"]) > "2026-01-15"]
    answer = history.answer(held(tmp_path, rows), asked(load="16"))
    (one,) = answer.result.loads
    between = [value for value in one.values if value.is_interpolated]
    assert [answer.result.runs[value.run].name for value in between] == ["2026-01-05", "2026-01-15"]
    assert all(value.gap == 16 and len(value.point_ids) == 2 for value in between)
    assert all(400 * 0.9 < value.value * 4 < 3000 * 1.1 for value in between)
    assert said(answer, "interpolated")["values"] == 2
    # So few curves say nothing of how wrong they are, so the change is counted and not told.
    assert said(answer, "within_error")["changes"] == len(one.changes) == 1
    assert one.told == ()
    rows_of = answer.rows
    assert rows_of.loc[rows_of["interpolated"], answer.result.metric].isna().all()


def test_what_cannot_be_compared_is_counted_with_the_reason(tmp_path: Path) -> None:
    more = [
        *run(0, {4: 10.0}, date=None),
        *run(0, {4: 10.0}, accelerator="h200-sxm"),
        *runs([1.0, 1.0], accelerator="b200-sxm")[:-1],
        {**run(3, {4: 10.0})[0], "load_kind": "saturated", "concurrency": None},
    ]
    answer = history.answer(held(tmp_path, runs(FASTER) + more), asked())
    counts = {one.code: answer.result.counted.of(one.code) for one in answer.result.counted.reasons}
    assert {code: many for code, many in counts.items() if many} == {
        "undated": 1,
        "no_load": 1,
        "once": 1,
        "other_deployment": 5,
    }
    assert answer.result.counted.used == 27
    assert answer.result.counted.selected == 27 + 8
    assert answer.result.others == 1


def test_the_trade_offs_of_two_runs_are_compared_at_equal_speed_per_user(tmp_path: Path) -> None:
    """Of 4 chips 100 and 50 tokens/s each, then 150 and 100, at 10 and 20 per user: 1.5 to 2 times, sqrt(3) between."""

    def places(day: int, rates: dict[int, tuple[float, float]]) -> list[Row]:
        return [
            {**row, "tpot_ms_p50": 1000 / user, "interactivity_tokens_per_s_per_user_p50": None}
            for load, (rate, user) in rates.items()
            for row in run(day, {load: rate})
        ]

    rows = places(0, {64: (400, 10), 16: (200, 20)}) + places(30, {64: (600, 10), 16: (400, 20)})
    answer = history.answer(held(tmp_path, rows), asked(show=FRONTIER))
    gain = answer.result.gain
    assert gain is not None
    assert (gain.low, gain.high, gain.mean) == pytest.approx((1.5, 2.0, math.sqrt(3)))
    assert (gain.start, gain.end) == pytest.approx((10, 20))
    assert said(answer, "frontier")["low"] == pytest.approx(1.5)
    drawn = history.figure(answer.result, LIGHT)
    assert [one.name for one in drawn.data] == ["Then: 2026-01-05, 0.17", "Now: 2026-02-04, 0.17"]


def test_a_slider_steps_the_later_run_through_the_dates(faster: Library) -> None:
    found = history.answer(faster, asked(show=FRONTIER)).result
    drawn = history.figure(found, LIGHT)
    assert [one.name for one in drawn.frames] == [run.name for run in found.runs[1:]]
    assert len(drawn.layout.sliders[0].steps) == 8
    other = history.answer(faster, asked(show=FRONTIER, then="2026-01-15", now="2026-01-25")).result
    assert (other.then, other.now) == (1, 2)


def test_older_runs_stand_in_a_history_whatever_other_pages_rank(faster: Library) -> None:
    found = {runs: history.answer(faster, asked(runs=runs)).result.loads for runs in ("newest", "all")}
    assert found["newest"] == found["all"]


def test_a_link_names_the_loads_and_a_wrong_one_is_refused(faster: Library) -> None:
    assert history.complete(faster, asked()).option("load") == "4,16,64"
    assert history.complete(faster, asked(load="64,8")).option("load") == "8,64"
    assert [one.load for one in history.answer(faster, asked(load="8,64")).result.in_order] == [8, 64]
    for text in ("many", "0", "-4", "nan", "1,2,3,4,5,6,7,8,9"):
        with pytest.raises(UsageError, match="load="):
            history.complete(faster, asked(load=text))


def test_a_deployment_that_filters_leave_out_gives_way_but_in_a_link_that_is_whole(tmp_path: Path) -> None:
    library = held(tmp_path, runs(FASTER) + runs([1.0] * 5, accelerator="h200-sxm"))
    whole = history.complete(library, asked())
    other = next(
        code for code, _ in history.choices(library, whole)["deployment"] if code != whole.option("deployment")
    )
    assert history.answer(library, whole.with_options(deployment=other)).result.facts.accelerator == "h200-sxm"
    narrowed = View.of({"accelerator": ["h100-sxm"]}, {"deployment": other})
    assert history.complete(library, narrowed).option("deployment") == whole.option("deployment")
    with pytest.raises(UnknownName, match="deployment with a history"):
        history.complete(library, whole.with_where(accelerator=("h100-sxm",)).with_options(deployment=other))


def test_the_least_change_is_the_readers(faster: Library) -> None:
    assert all(not one.changes for one in history.answer(faster, asked(least="40")).result.loads)


def test_two_versions_measured_on_one_day_are_two_runs(tmp_path: Path) -> None:
    rows = runs([1.0] * 3) + [{**row, "engine_version": "0.18"} for row in runs([1.2] * 3, seed=2)]
    found = told(tmp_path, rows)
    assert [(one.name, one.version) for one in found.runs][:2] == [("2026-01-05", "0.17"), ("2026-01-05.2", "0.18")]


def test_nothing_measured_twice_says_so(tmp_path: Path) -> None:
    answer = history.answer(held(tmp_path, runs([1.0])), asked())
    assert headline(answer)[0] == "nothing"
    assert not answer.is_told
    assert answer.result.counted.of("once") == len(LEVELS)


@pytest.mark.parametrize(
    ("ratio", "words"),
    [(1.3, "30 % faster"), (0.79, "21 % slower"), (2.34, "2.34 times as fast"), (1.004, "as fast"), (0.995, "as fast")],
)
def test_speeds_in_words(ratio: float, words: str) -> None:
    assert speed(ratio) == words


RVLLM = View.of({"model": ["gemma-4-31b"], "engine": ["rvllm"], "accelerator": ["h100-sxm"]})


def test_the_article_of_two_methods_tells_no_speed(shipped: Library) -> None:
    """Between April and June its decode loop went from 100 to 40 iterations and to other routes, so it reads slower."""
    answer = history.answer(shipped, RVLLM)
    found = answer.result
    assert headline(answer)[0] == "method"
    assert all(not one.changes for one in found.loads)
    whole = history.answer(shipped, RVLLM.with_options(load="64,128,256"))
    read = {one.load: one.values[-1].value / one.values[0].value - 1 for one in whole.result.loads}
    assert read == pytest.approx({64: 2997 / 3265 - 1, 128: 5211 / 5802 - 1, 256: 7607 / 7808 - 1})
    assert {each.kind for one in whole.result.loads for each in one.values[-1].changes} == {"variant", "doubt"}
    doubts = {
        each.after or each.before
        for one in whole.result.loads
        for each in one.values[-1].changes
        if each.kind == "doubt"
    }
    assert any("100 iterations" in one and "40 after 8" in one for one in doubts)
    assert all(one.flags for one in statements(answer, "not_speed"))
