"""Data: what is searched, sorted and opened is in the link; corrections are offered to who may, and kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bench.holdings import history
from bench.holdings import opened as of_one
from bench.library import Library
from tests.holdings.made import point_of, source_of, tables
from tests.pages.drawn import Open, headline, query_of, text_of, view_of

INFERENCEX = "6a2c00b1feaf5ac356f6ccd3749f93d689f6c013555e1add31def723386ac2ce"
CHANGES = {"Keep the note", "Add the tag", "State it", "Hide it", "Delete it for good", "Bring it back"}

pytestmark = pytest.mark.usefixtures("at_this_machine")


@pytest.fixture
def mine(own_library: Path, tmp_path: Path) -> Library:
    """A library with two tables of one's own."""
    library = Library.open(own_library)
    library.add(tables(tmp_path))
    return library


def said(at: AppTest) -> str:
    """All that the page says, what the last change did included, without the escapes of Markdown."""
    return "\n".join([text_of(at), *(str(part.value) for part in at.success)]).replace("\\", "")


def labels(at: AppTest) -> set[str]:
    return {button.label for button in at.button}


def press(at: AppTest, label: str) -> AppTest:
    next(button for button in at.button if button.label == label).click()
    at = at.run()
    assert not at.exception
    return at


def test_what_is_searched_and_sorted_is_in_the_link_and_a_link_shows_it(opened: Open) -> None:
    at = opened("data", tab="points", page="7")
    assert len(at.dataframe[0].value) == 100
    at.text_input(key="data.search").set_value("deepseek h200").run()
    at.selectbox(key="data.sort").select("output_tokens_per_s_per_accelerator").run()
    at.selectbox(key="data.order").select(True).run()
    assert not at.exception
    view = view_of(at, "data")
    assert view.option("sort") == "-output_tokens_per_s_per_accelerator"
    assert view.option("page") == "1"
    again = opened("data", **dict(view.pairs()))
    assert query_of(again) == query_of(at)
    for page in (at, again):
        rows = page.dataframe[0].value
        assert list(rows.columns[:2]) == ["model", "output_tokens_per_s_per_accelerator"]
        assert rows["output_tokens_per_s_per_accelerator"].is_monotonic_decreasing
        assert set(rows["accelerator"]) == {"H200 SXM"}


def test_nothing_found_says_why_and_how_to_go_on(opened: Open) -> None:
    at = opened("data", tab="points", search="nosuchthing", model="deepseek-r1")
    assert "'nosuchthing' and all of the filters above" in at.text[0].value
    at = press(at, "Search everything")
    assert len(at.dataframe[0].value) == 100


def test_a_source_opens_with_its_card_its_files_and_its_tables(opened: Open) -> None:
    at = opened("data", source_id=INFERENCEX)
    assert "gave 1,667 points of DeepSeek-R1 on 9 accelerators" in headline(at).replace("\\", "")
    for words in ("Licence:", "Attribution:", "ships with Kneepoint"):
        assert words in said(at)
    assert "Hide it" in labels(at)
    assert "Delete it for good" not in labels(at)
    (original,) = [one for one in at.get("download_button") if "Original file" in one.label]
    assert original.label == "Original files (2, zip)"
    assert [tab.label for tab in at.tabs] == ["Points", "Passports", "Changes"]
    assert not view_of(press(at, "All sources"), "data").option("source_id")


def test_a_point_opens_with_the_passport_of_each_figure(mine: Library, opened: Open) -> None:
    at = opened("data", point_id=point_of(mine, 16))
    assert headline(at).replace("\\", "").startswith("Llama 3.1 70B, FP8, 4 x H100 SXM")
    figures = at.dataframe[0].value.set_index("figure")
    assert figures["value"]["Output throughput"] == 840
    assert figures["definition"]["TTFT, median"] == "as catalogue"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"point_id": "0" * 16}, "There is no point 0000000000000000"),
        ({"source_id": "../../etc/passwd"}, "is not a source id"),
        ({"sort": "1;DROP TABLE points", "tab": "points"}, "There is no column named"),
    ],
)
def test_a_link_to_what_is_not_there_says_so(query: dict[str, str], told: str, opened: Open, own_library: Path) -> None:
    at = opened("data", **query)
    assert not at.exception
    assert told in said(at)


def test_who_may_not_sees_everything_and_is_offered_nothing(
    mine: Library, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    mine.retract(point_of(mine, 1), "wrong")
    mine.annotate(source_of(mine, "mine.csv"), "a note", who="ada")
    for query in (
        {"source_id": source_of(mine, "mine.csv")},
        {"point_id": point_of(mine, 16)},
        {"tab": "hidden"},
        {"tab": "changes"},
    ):
        at = opened("data", **query)
        assert not at.exception
        assert not CHANGES & labels(at)
        assert "read-only" in said(at)
        assert {"CSV", "CSV for Excel", "Parquet"} <= {one.label for one in at.get("download_button")}
    rows = at.dataframe[0].value
    assert list(rows["what"])[:3] == ["noted", "hid", "imported"]
    assert list(rows["detail"])[:2] == ["a note", "wrong"]
    assert rows["who"][0] == "ada"


def test_a_point_is_hidden_with_a_reason_and_brought_back(mine: Library, opened: Open) -> None:
    id = point_of(mine, 16)
    at = press(opened("data", point_id=id), "Hide it")
    assert "Give a reason" in said(at)
    at.text_input(key=f"correct.hide.reason.{id[:16]}").set_value("throttled")
    at = press(at, "Hide it")
    assert "in no answer: throttled (a reader (local)" in said(at)
    mine.refresh()
    assert not mine.fetch("SELECT 1 FROM points WHERE point_id = ?", (id,))
    press(at, "Bring it back")
    mine.refresh()
    assert mine.fetch("SELECT 1 FROM points WHERE point_id = ?", (id,))
    assert list(history.changes(mine)["what"])[:2] == ["brought back", "hid"]


def test_notes_tags_and_facts_are_kept_and_can_be_taken_back(mine: Library, opened: Open) -> None:
    id = source_of(mine, "mine.csv")
    at = opened("data", source_id=id)
    at.text_area(key=f"correct.note.text.{id[:16]}").set_value("beside another job")
    at = press(at, "Keep the note")
    assert "beside another job (a reader (local)" in said(at)
    at.text_input(key=f"correct.tag.text.{id[:16]}").set_value("Rerun wanted")
    at = press(at, "Add the tag")
    assert "**Tags:** rerun wanted" in said(at)
    at = press(at, "Take off rerun wanted")
    assert "**Tags:**" not in said(at)
    assert "Now H100 SXM (3 rows)" in said(at)
    at.selectbox(key=f"correct.fact.accelerator.{id[:16]}").select("h200-sxm")
    at = press(at, "State it")
    assert "on H200 SXM" in headline(at).replace("\\", "")
    at = press(at, "Take back Accelerator: h200\\-sxm")
    assert "on H100 SXM" in headline(at).replace("\\", "")


def test_deleting_for_good_wants_the_id_typed(mine: Library, opened: Open) -> None:
    id = source_of(mine, "mine.csv")
    at = opened("data", source_id=id)
    at.text_input(key=f"correct.purge.reason.{id[:16]}").set_value("confidential")
    at.text_input(key=f"correct.purge.typed.{id[:16]}").set_value("yes")
    at = press(at, "Delete it for good")
    assert f"type {id[:8]}; nothing was deleted" in said(at)
    at.text_input(key=f"correct.purge.typed.{id[:16]}").set_value(id[:8])
    at = press(at, "Delete it for good")
    assert "It is deleted for good" in said(at)
    assert view_of(at, "data").option("tab") == "hidden"
    assert "confidential" in said(opened("data", source_id=id))
    mine.refresh()
    assert not of_one.tags(mine, id)
    assert not (mine.path / "sources" / id).exists()
