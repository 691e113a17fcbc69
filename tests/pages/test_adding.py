"""Adding results on the Data page: nothing before it was looked through, facts once, nothing twice, and who may."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.exceptions import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.testing.v1 import AppTest

from bench.export import bundle
from bench.library import Library, report_by_file
from bench.library.facts import PRICE
from bench.view import View
from pages.parts.data import adding
from tests.library.files import ROW, entries, sweep, table
from tests.pages.drawn import Open, text_of

SAMPLES = Path(__file__).parents[1] / "samples"

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("at_this_machine", "in_this_process")]

DRIVEN = "adding.import"
FULL = {**ROW, "precision": "fp8"}
OPEN = {**FULL, "accelerator": None, "accelerators": None, "source": "open-lab"}


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read here, not in a child process; tests/library/importing has those, tests/e2e has them on a page."""
    monkeypatch.setattr(adding, "take_in", lambda library, paths, **more: library.add(paths, **more))


def said(at: AppTest) -> str:
    """What the page says, without the escapes of Markdown."""
    return text_of(at).replace("\\", "")


def dropped(at: AppTest, *paths: Path) -> AppTest:
    """The page after these files were dropped and looked through."""
    at.file_uploader[0].set_value([(path.name, path.read_bytes(), "") for path in paths]).run()
    return until(at, "Looking through")


def imported(at: AppTest) -> AppTest:
    """The page after Import was pressed and the import has ended."""
    return until(at.button(key=DRIVEN).click().run(), "Importing")


def until(at: AppTest, doing: str) -> AppTest:
    """The page once it no longer shows how far this is."""
    while any(doing in str(part.proto.text) for part in at.get("progress")):
        at = at.run()  # which waits for a moment
    assert not at.exception
    return at


def loaded(library: Path) -> int:
    """The points of the library's own sources."""
    return int(Library.open(library, shipped=False).fetch("SELECT count(*) FROM points")[0][0])


def test_files_are_looked_through_and_then_imported(opened: Open, own_library: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"model": [')
    partly = table(tmp_path / "partly.csv", {"concurrency": 1}, {"concurrency": "many"})
    packed = tmp_path / "runs.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(sweep(tmp_path, 1), "sweep1.csv")
        archive.writestr("README.md", "# What was measured\n")
        archive.writestr("chart.png", b"\x89PNG\r\n\x1a\n")
    at = dropped(opened("data"), packed, partly, broken)
    assert "2 of 3 files bring 4 points" in said(at)
    aside = "2 files beside the results are no results: README.md and chart.png."
    assert aside in said(at)
    rows = at.dataframe[0].value.set_index("file")
    assert rows.loc["runs.zip/sweep1.csv", "recognised"] == "Published table"
    assert rows.loc["partly.csv", "refused_rows"] == 1
    assert rows.loc["broken.json", "outcome"] == "Cannot be loaded"
    assert set(at.dataframe[1].value["file"]) == {"partly.csv", "broken.json"}
    assert not own_library.exists()
    at = imported(at)
    assert "4 points from 2 files are in the library now" in said(at)
    assert aside in said(at)
    assert loaded(own_library) == 4
    assert DRIVEN not in {button.key for button in at.button}


def test_a_cut_last_line_and_keys_nobody_knows_are_told_quietly(
    opened: Open, own_library: Path, tmp_path: Path
) -> None:
    levels = (SAMPLES / "sglang" / "sglang-oai-chat_1120_levels.jsonl").read_bytes()
    (tmp_path / "cut.jsonl").write_bytes(levels[:-300])
    known = json.loads((SAMPLES / "vllm" / "concurrency-4.json").read_bytes())
    (tmp_path / "more.json").write_text(json.dumps({**known, "rack_colour": "blue"}))
    at = dropped(opened("data"), tmp_path / "cut.jsonl", tmp_path / "more.json")
    assert any("last line of cut.jsonl is cut off" in line for line in quiet(at))
    assert "rack_colour" in set(at.dataframe[0].value["not_understood"])
    assert any("rack_colour" in line for line in quiet(imported(at)))


def quiet(at: AppTest) -> list[str]:
    """The quiet lines of the page, without the escapes of Markdown."""
    return [line for part in at.caption for line in str(part.value).replace("\\", "").split("  \n")]


def test_facts_are_asked_once_for_all_that_lack_them_and_kept(opened: Open, own_library: Path, tmp_path: Path) -> None:
    first = table(tmp_path / "one.csv", {"concurrency": 1}, {"concurrency": 2}, base=OPEN)
    second = table(tmp_path / "two.csv", {"concurrency": 4}, base=OPEN)
    third = table(tmp_path / "full.csv", {"concurrency": 1}, base=FULL)
    at = dropped(opened("data"), first, second, third)
    assert "2 of 3 sources do not say: accelerator and chips" in said(at)
    at = at.selectbox(key="adding.fact.1..accelerator").set_value("h200-sxm").run()
    at = at.number_input(key="adding.fact.1..accelerators").set_value(4).run()
    at = at.number_input(key=f"adding.fact.1..{PRICE}").set_value(2.5).run()
    assert at.dataframe[0].value.get("open") is None, "Nothing is open any more."
    at = at.multiselect(key="adding.about.1").set_value([id_of(at, "two.csv")]).run()
    (box,) = (box for box in at.selectbox if box.label == "Accelerator")
    at = box.set_value("b200-sxm").run()
    at = imported(at)
    points = Library.open(own_library, shipped=False).fetch(
        "SELECT file, accelerator, accelerators, count(*) FROM points JOIN sources USING (source_id)"
        " GROUP BY ALL ORDER BY file"
    )
    assert points == [("full.csv", "h100-sxm", 8, 1), ("one.csv", "h200-sxm", 4, 2), ("two.csv", "b200-sxm", 4, 1)]
    facts = entries(own_library / "facts.jsonl")
    assert len({fact["source_id"] for fact in facts}) == 3
    assert all(fact["facts"][PRICE] == 2.5 for fact in facts)


def test_files_that_follow_join_those_before_and_can_be_discarded(
    opened: Open, own_library: Path, tmp_path: Path
) -> None:
    at = dropped(opened("data"), sweep(tmp_path, 1))
    spool = at.session_state["adding"].spool.folder
    at = dropped(at, sweep(tmp_path, 2))
    assert "2 of 2 files bring 6 points" in said(at)
    at = at.button(key="adding.discard").click().run()
    assert "bring" not in said(at)
    assert not spool.exists()
    assert not own_library.exists()


def test_a_box_that_the_browser_still_tells_of_is_not_looked_through_again(
    opened: Open, own_library: Path, tmp_path: Path
) -> None:
    """A browser that is slow to draw tells of a box that is no longer on the page; Streamlit calls that a change."""
    at = opened("data")
    box = at.file_uploader[0].set_value(("sweep1.csv", sweep(tmp_path, 1).read_bytes(), ""))
    before = box._widget_state
    at = until(at.run(), "Looking through")
    look = at.session_state["adding"].look
    told = at._tree.get_widget_states()
    told.widgets.append(before)
    at._run(told)
    assert at.session_state["adding"].look is look
    assert loaded(own_library) == 0
    assert "1 file brings 3 points" in said(at)


def test_a_name_acts_nowhere(opened: Open, own_library: Path, tmp_path: Path) -> None:
    at = opened("data")
    content = sweep(tmp_path, 1).read_bytes()
    at.file_uploader[0].set_value([("../../**x** <b>[a](javascript:b) :red[c].csv", content, "")]).run()
    at = until(at, "Looking through")
    spool = at.session_state["adding"].spool
    (path,) = spool.paths
    assert path.is_relative_to(spool.folder)
    for acting in ("**x**", "<b>", "](javascript:", ":red["):
        assert acting not in text_of(at)
    at = imported(at)
    assert loaded(own_library) == 3
    assert not spool.folder.exists()


def test_who_may_no_longer_import_when_it_comes_to_it_imports_nothing(
    opened: Open, own_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = dropped(opened("data"), sweep(tmp_path, 1))
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    at = at.button(key=DRIVEN).click().run()
    assert not at.file_uploader
    assert "This server is read-only" in said(at)
    assert not own_library.exists()


def test_a_press_that_is_cut_off_by_the_next_one_loses_no_file(
    opened: Open, own_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit ends a run for the next one wherever the first asks it something, callbacks included."""
    at = dropped(opened("data"), sweep(tmp_path, 1))
    cut: list[bool] = []

    def headers(_: object) -> dict[str, str]:
        if not cut:
            cut.append(True)
            run = get_script_run_ctx()
            assert run
            raise RerunException(RerunData(page_script_hash=run.page_script_hash))
        return {"Host": "localhost:8501"}

    monkeypatch.setattr(type(st.context), "headers", property(headers))
    at = at.button(key=DRIVEN).click().run()
    assert cut
    imported(at)
    assert loaded(own_library) == 3


def id_of(at: AppTest, file: str) -> str:
    """The id that the source in this file would get."""
    look = at.session_state["adding"].look
    lines = report_by_file.by_file(look.report(), look.shown)
    return next(line.source_id for line in lines if line.file == file)


def test_what_a_bundle_brings_and_hides_is_told_before_it_is_imported(
    opened: Open, own_library: Path, tmp_path: Path
) -> None:
    theirs = Library.open(tmp_path / "theirs", shipped=False)
    theirs.add([sweep(tmp_path, 1)])
    hidden = theirs.fetch("SELECT point_id FROM points ORDER BY 1 LIMIT 1")[0][0]
    theirs.retract(hidden, "the *fan* was off")
    packed = tmp_path / "theirs.zip"
    packed.write_bytes(bundle.written(theirs, View()))
    words = 'theirs.zip: 1 point or score {} hidden, as it says, because: "the *fan* was off"'
    at = dropped(opened("data"), packed)
    assert words.format("would be") in said(at)
    at = imported(at)
    assert words.format("is") in said(at)
    assert loaded(own_library) == 2
