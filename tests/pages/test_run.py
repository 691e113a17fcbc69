"""The page of a run: its result, its points, one point's requests, and what it says when there is none of that."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.endpoint import Settings, running
from bench.runs import point_story, story
from bench.runs.request import request_story
from bench.sweep.folder import Folder, listed
from bench.sweep.session.runner import run
from tests.pages.drawn import Open, headline, query_of, text_of
from tests.polling import until
from tests.sweep.sweeping import folder_for

pytestmark = pytest.mark.long

TOKEN = "a token of a test, long enough"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A small sweep with failures in it, measured by the real runner."""
    with running(Settings(step_ms=4, fail={"500": 0.1}, dialect="vllm")) as url:
        folder = folder_for(tmp_path_factory.mktemp("run"), url, loads__concurrency="1,4", point__requests="24")
        assert run(folder).state == "done"
    return folder


@pytest.fixture
def folder(measured: Folder, own_library: Path) -> Folder:
    """That sweep in the library the pages read."""
    shutil.copytree(measured.path, own_library / "sweeps" / measured.id)
    return Folder(own_library / "sweeps" / measured.id)


def told(text: str) -> str:
    return text.replace("\\", "")


def test_a_link_to_a_run_shows_its_result_its_points_and_where_they_come_from(folder: Folder, opened: Open) -> None:
    at = opened("run", run=folder.id)
    found = story(folder)
    assert not at.exception
    assert not at.warning
    assert told(headline(at)) == found.headline
    said = told(text_of(at))
    for caveat in found.caveats:
        assert caveat in said
    assert len(at.get("plotly_chart")) == 1
    (shown,) = (table.value for table in at.dataframe)
    assert shown["number"].tolist() == [1, 2]
    assert [part.label for part in at.expander][:2] == ["Plan", "Environment: what served, and what measured"]
    assert found.toml.strip() in [code.value.strip() for code in at.code]
    assert f"Client: cores: **{dict(found.environment)['Client: cores']}**" in said


def test_a_link_to_a_point_shows_its_requests(folder: Folder, opened: Open) -> None:
    at = opened("run", run=folder.id, point="2")
    point = point_story(folder, 2)
    assert not at.exception
    assert len(at.get("plotly_chart")) == 4
    said = told(text_of(at))
    assert "Point 2: concurrency 4, 32 in / 8 out" in said
    assert point.waterfall.said in said
    for flag in point.line.flags:
        assert flag.seen in said
    for failure in point.failures:
        assert failure.examples[0].error in said
    statistics = next(table.value for table in at.dataframe if "latency" in table.value)
    stated = point.line.metrics["ttft_ms_p50"]
    assert statistics["p50"].iloc[0] == pytest.approx(stated, rel=1.01e-3), "four digits"
    assert len(f"{statistics['p50'].iloc[0]:.9g}".replace(".", "")) <= 4


def test_another_point_is_picked_without_the_request_of_the_one_before_and_put_back(
    folder: Folder, opened: Open
) -> None:
    at = opened("run", run=folder.id, point="2", request="5")
    at = at.selectbox(key="run.point").select_index(0).run()
    assert at.query_params["point"] in ("1", ["1"])
    assert "request" not in at.query_params
    at = at.selectbox(key="run.point").set_value(None).run()
    assert "point" not in at.query_params
    assert len(at.get("plotly_chart")) == 1


@pytest.mark.parametrize("id", ["../../etc", "<b>x</b> [a](javascript:alert(1))"])
def test_an_id_that_is_no_run_lists_those_there_are(id: str, folder: Folder, opened: Open) -> None:
    at = opened("run", run=id)
    assert not at.exception
    assert [link.proto.query_string for link in at.get("page_link")] == [f"run={folder.id}"]
    assert "<b>" not in headline(at).replace("\\<", "")
    assert "](javascript" not in headline(at)


def test_without_any_sweep_the_next_step_is_to_make_one(own_library: Path, opened: Open) -> None:
    at = opened("run")
    assert not at.exception
    assert at.code[0].value.startswith("python -m bench sweep ")


@pytest.mark.parametrize("point", ["9", "x", "9" * 30])
def test_a_point_that_is_not_there_is_told(point: str, folder: Folder, opened: Open) -> None:
    at = opened("run", run=folder.id, point=point)
    assert not at.exception
    assert len(at.warning) == 1
    assert "it has points 1 to 2" in told(at.warning[0].value)
    assert told(headline(at)) == story(folder).headline


def test_lost_samples_leave_the_rest_of_the_page(folder: Folder, opened: Open) -> None:
    (folder.requests / "1.parquet").unlink()
    at = opened("run", run=folder.id, point="1")
    assert not at.exception
    assert "1.parquet" in told(text_of(at))
    assert len(at.get("plotly_chart")) == 1
    assert [table.value["number"].tolist() for table in at.dataframe] == [[1, 2]]


def test_an_interrupted_sweep_says_so_and_how_it_goes_on(folder: Folder, opened: Open) -> None:
    lines = folder.journal.read_bytes().splitlines(keepends=True)
    folder.journal.write_bytes(b"".join(lines[:2]))
    folder.tell({**folder.status, "state": "running"})
    at = opened("run", run=folder.id)
    assert not at.exception
    said = told(text_of(at))
    assert "It was interrupted after 1 point" in said
    assert "1 point of the plan is missing." in said
    assert f"python -m bench resume {folder.id}" in [code.value for code in at.code]


def test_what_an_endpoint_says_is_shown_as_text(folder: Folder, opened: Open) -> None:
    hostile = "<img src=x onerror=alert(1)> [a](javascript:alert(1)) $x$ :red[y]"
    lines = [json.loads(line) for line in folder.journal.read_text(encoding="utf-8").splitlines()]
    lines[0]["deployment"]["variant"] = hostile
    lines[0]["simulates"] = hostile
    lines[1]["flags"] = [{"kind": hostile, "seen": hostile, "why": hostile, "do": hostile}]
    folder.journal.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    status = folder.status
    folder.tell({**status, "checks": [{"name": "a", "passed": True, "said": hostile}]})
    at = opened("run", run=folder.id, point="1")
    assert not at.exception
    said = text_of(at)
    for acting in ("<img", "](javascript:", ":red[", "$x$"):
        assert acting not in said.replace("\\<", "").replace("\\$", "")
    assert hostile in told(said).replace("\u2060", "")


def test_who_may_not_launch_sees_no_button_and_who_may_measures_only_named_endpoints(
    folder: Folder, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "token")
    monkeypatch.setenv("KNEEPOINT_TOKEN", TOKEN)
    at = opened("run", run=folder.id)
    assert not {"resume", "retry"} & {button.key for button in at.button}
    assert "This needs the server's token." in told(text_of(at))
    at.session_state["token"] = TOKEN
    at = at.run().button(key="retry").click().run()
    assert not at.exception
    assert len(at.warning) == 1
    assert listed(folder.path.parents[1]) == [folder]


def test_points_that_failed_are_measured_again_in_a_sweep_of_their_own(
    own_library: Path, at_this_machine: None, opened: Open
) -> None:
    with running(Settings(step_ms=4, fail_at={40: "500"})) as url:
        folder = folder_for(own_library, url, loads__concurrency="1,4", point__requests="24")
        assert run(folder).state == "done"
        (failed,) = story(folder).again.failed
        at = opened("run", run=folder.id).button(key="retry").click().run()
        assert not at.exception
        assert not at.warning
        (begun,) = [one for one in listed(own_library) if one.id != folder.id]
        until(lambda: begun.read.points and not begun.held())
    (line,) = (line for line, _ in begun.read.points)
    assert (line.load, line.requests_failed) == (failed.load, 0)
    assert begun.plan.seed != folder.plan.seed
    assert any(f"job={begun.id}" == link.proto.query_string for link in at.get("page_link"))


def test_one_broken_sweep_takes_neither_the_list_nor_its_own_page_down(folder: Folder, opened: Open) -> None:
    broken = Folder(folder.path.with_name("20260101-000000-abcdef"))
    shutil.copytree(folder.path, broken.path)
    (broken.path / "plan.json").write_text("{}")
    listing = opened("jobs")
    assert not listing.exception
    assert told(headline(listing)) == "2 sweeps: 1 is done and 1 cannot be read."
    for page in (opened("jobs", job=broken.id), opened("run", run=broken.id)):
        assert not page.exception
        assert "plan.json is no plan" in told(text_of(page))


def test_a_link_to_a_request_shows_its_chunks_and_a_picker_opens_another(folder: Folder, opened: Open) -> None:
    at = opened("run", run=folder.id, point="2", request="5")
    point = point_story(folder, 2)
    assert not at.exception
    assert told(request_story(folder, point, 5).headline) in told(text_of(at))
    listed = next(table.value for table in at.dataframe if "due_s" in table.value)
    assert len(listed) == point.requests
    picker = at.selectbox(key="run.request")
    assert picker.value == 5
    assert "http" in picker.options[0], "those that failed come first"
    at = picker.select(picker.options[0]).run()
    assert f"request={at.selectbox(key='run.request').value}" in query_of(at)
    assert "request=5" not in query_of(at).split("&")
    at = at.button(key="close.request").click().run()
    assert "request" not in at.query_params


def test_a_request_that_is_not_there_is_told(folder: Folder, opened: Open) -> None:
    at = opened("run", run=folder.id, point="2", request="9" * 40)
    assert not at.exception
    assert "This point has no request" in at.warning[0].value
