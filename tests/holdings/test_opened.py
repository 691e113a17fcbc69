"""One source or one point, opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.errors import NotFound
from bench.holdings import hidden, opened, original
from bench.library import Library
from bench.library.facts import PRICE
from bench.library.ledger import person
from bench.library.rows import KEPT_KEYS
from tests.formats.damage import SAMPLES
from tests.holdings.made import made, point_of, source_of


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return made(tmp_path)


def test_a_source_says_what_it_gave_and_who_brought_it(library: Library) -> None:
    source = opened.source(library, source_of(library, "mine.csv"))
    assert source.sentence.endswith(
        "mine.csv gave 3 points of Llama 3.1 70B on H100 SXM, measured 2026-03-02; 1 row was refused."
    )
    assert source.brought is not None
    assert source.brought[0] == "importer"
    assert (source.hidden, source.tags, source.ships) == (None, (), False)
    assert source.files == ("mine.csv",)


def test_a_source_with_a_card_has_two_files(library: Library) -> None:
    source = opened.source(library, source_of(library, "theirs.csv"))
    assert source.files == ("theirs.csv", "theirs.source.toml")
    assert source.row["licence"] == "CC-BY-4.0"
    assert original(library, source.id)[0] == "theirs.zip"


def test_a_shipped_source_ships_until_it_is_imported_as_well(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library")
    held = library.fetch("SELECT source_id FROM sources WHERE file LIKE '%google-cloud-vs-local.csv'")[0][0]
    source = opened.source(library, held)
    assert source.ships
    assert source.brought is None


def test_what_a_hidden_source_gave_is_still_told(library: Library) -> None:
    id = source_of(library, "mine.csv")
    point = point_of(library, 16)
    library.retract(id, "wrong machine", who="ada")
    source = opened.source(library, id)
    assert source.hidden is not None
    assert (source.hidden.reason, source.hidden.who) == ("wrong machine", "ada")
    assert "3 points of Llama 3.1 70B" in source.sentence
    told = opened.point(library, point)
    assert told.hidden is not None
    assert told.hidden.id == id
    assert told.row["output_tokens_per_s"] == 840


def test_the_keys_a_format_did_not_read_are_told_after_a_rebuild_too(tmp_path: Path) -> None:
    result = json.loads((SAMPLES / "vllm" / "concurrency-4.json").read_text())
    for count in (0, 1, 30):
        more = {f"news_{number:02}": number for number in range(count)}
        (tmp_path / f"of{count}.json").write_text(json.dumps({**result, **more}))
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([tmp_path / f"of{count}.json" for count in (0, 1, 30)])
    library.rebuild()
    told = {
        file: opened.source(library, id).not_understood
        for file, id in library.fetch("SELECT file, source_id FROM sources")
    }
    assert told["of0.json"] == ""
    assert told["of1.json"] == "1 key was not understood: news_00."
    assert told["of30.json"].startswith("30 keys were not understood: news_00, news_01, ")
    assert told["of30.json"].endswith(", news_11 and 18 more.")
    ((many, names),) = library.fetch("SELECT unread_keys, not_understood FROM sources WHERE file = 'of30.json'")
    assert (many, len(names)) == (30, KEPT_KEYS)


def test_a_deleted_source_says_who_and_why(library: Library) -> None:
    id = source_of(library, "mine.csv")
    library.purge(id, "was confidential", who="ada")
    with pytest.raises(NotFound, match=r"deleted for good by ada on .*: was confidential"):
        opened.source(library, id)
    assert list(hidden(library)["hidden"]) == ["deleted source"]


def test_what_is_not_there_is_said(library: Library) -> None:
    with pytest.raises(NotFound):
        opened.source(library, "0" * 64)
    with pytest.raises(NotFound):
        opened.point(library, "0" * 16)


def test_a_point_is_told_by_its_first_figures_with_a_passport_for_each(library: Library) -> None:
    point = opened.point(library, point_of(library, 16))
    assert point.sentence.startswith("Llama 3.1 70B, FP8, 4 x H100 SXM, vLLM 0.10.1")
    assert point.sentence.endswith("output throughput 840 tokens/s and median TTFT 96 ms.")
    rows = opened.figures(library, point).set_index("metric")
    assert rows["value"]["output_tokens_per_s"] == 840
    assert rows["definition"]["ttft_ms_p50"] == "as catalogue"
    derived = rows.loc["output_tokens_per_s_per_accelerator"]
    assert derived["value"] == 210
    assert derived["definition"] == "derived: output tokens per second / accelerators"


def test_every_field_is_told_once_as_text(library: Library) -> None:
    rows = opened.fields(opened.point(library, point_of(library, 16))).set_index("field")["value"]
    assert rows.index.is_unique
    assert rows["variant"] == "=1+1"
    assert rows["locator"] == "row 3"
    assert "output_tokens_per_s" not in rows


def test_a_score_is_opened_like_a_point(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library")
    id = library.fetch("SELECT score_id FROM scores WHERE benchmark = 'gsm8k' ORDER BY score_id")[0][0]
    score = opened.point(library, id)
    assert score.kind == "score"
    assert "gsm8k" in score.sentence
    library.retract(id, "self-judged")
    again = opened.point(library, id)
    assert again.hidden is not None
    assert again.row["value"] == score.row["value"]
    assert list(hidden(library)["hidden"]) == ["score"]


def test_notes_and_tags_are_of_the_one_they_stand_on(library: Library) -> None:
    point, source = point_of(library, 16), source_of(library, "mine.csv")
    library.annotate(point, "throttled")
    library.annotate(source, "beside another job", who="ada")
    library.tag(source, "Rerun  wanted")
    assert list(opened.notes(library, point)["text"]) == ["throttled"]
    assert list(opened.notes(library, point)["who"]) == [person()]
    assert list(opened.notes(library, source)["who"]) == ["ada"]
    assert opened.tags(library, source) == ("rerun wanted",)
    assert opened.tags(library, point) == ()


def test_values_are_what_the_rows_say_now(library: Library) -> None:
    id = source_of(library, "mine.csv")
    assert opened.values(library, id, "accelerator") == [("h100-sxm", 3)]
    assert opened.values(library, id, "kv_precision") == []
    theirs = source_of(library, "theirs.csv")
    assert opened.values(library, theirs, "licence") == [("CC-BY-4.0", 2)]
    assert opened.values(library, theirs, PRICE) == []
    library.set_facts(theirs, {PRICE: 2.5})
    assert opened.values(library, theirs, PRICE) == [("2.5", 2)]
