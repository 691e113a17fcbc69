"""One source or one point, opened."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bench.errors import NotFound
from bench.holdings import opened
from bench.holdings.originals import original
from bench.holdings.tables import hidden
from bench.library import Library
from bench.library.ledger import person
from bench.library.rows import KEPT_KEYS
from tests.formats.damage import SAMPLES
from tests.holdings.made import point_of, source_of


def test_a_source_says_what_it_gave_and_who_brought_it(kept: Library) -> None:
    source = opened.source(kept, source_of(kept, "mine.csv"))
    assert source.sentence.endswith(
        "mine.csv gave 3 points of Llama 3.1 70B on H100 SXM, measured 2026-03-02; 1 row was refused."
    )
    assert source.brought is not None
    assert source.brought[0] == "importer"
    assert (source.hidden, source.tags, source.ships) == (None, (), False)
    assert source.files == ("mine.csv",)


def test_a_source_with_a_card_has_two_files(kept: Library) -> None:
    source = opened.source(kept, source_of(kept, "theirs.csv"))
    assert source.files == ("theirs.csv", "theirs.source.toml")
    assert source.row["licence"] == "CC-BY-4.0"
    assert original(kept, source.id)[0] == "theirs.zip"


def test_a_shipped_source_ships(kept: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.library.library.SHIPPED", kept.path)
    library = Library.open(tmp_path / "library")
    assert opened.source(library, source_of(library, "theirs.csv")).ships


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
    for count in (0, 30):
        more = {f"news_{number:02}": number for number in range(count)}
        (tmp_path / f"of{count}.json").write_text(json.dumps({**result, **more}))
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([tmp_path / f"of{count}.json" for count in (0, 30)])
    library.rebuild()
    rows = library.fetch("SELECT source_id, unread_keys, len(not_understood) FROM sources ORDER BY unread_keys")
    assert [row[1:] for row in rows] == [(0, 0), (30, KEPT_KEYS)]
    none, many = (opened.source(library, id).not_understood for id, *_ in rows)
    assert none == ""
    assert re.match(r"30 keys .*: news_00, news_01, .* and 18 more\.", many)


def test_a_deleted_source_says_who_and_why(library: Library) -> None:
    id = source_of(library, "mine.csv")
    library.purge(id, "was confidential", who="ada")
    with pytest.raises(NotFound, match=r"deleted for good by ada on .*: was confidential"):
        opened.source(library, id)
    assert list(hidden(library)["hidden"]) == ["deleted source"]


def test_a_point_is_told_by_its_first_figures_with_a_passport_for_each(kept: Library) -> None:
    point = opened.point(kept, point_of(kept, 16))
    assert point.sentence.startswith("Llama 3.1 70B, FP8, 4 x H100 SXM, vLLM 0.10.1")
    assert point.sentence.endswith("output throughput 840 tokens/s and median TTFT 96 ms.")
    rows = opened.figures(kept, point).set_index("metric")
    assert rows["value"]["output_tokens_per_s"] == 840
    assert rows["definition"]["ttft_ms_p50"] == "as catalogue"
    derived = rows.loc["output_tokens_per_s_per_accelerator"]
    assert derived["value"] == 210
    assert derived["definition"] == "derived: output tokens per second / accelerators"


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
    told = {id: opened.notes(library, id)[["text", "who"]].to_numpy().tolist() for id in (point, source)}
    assert told == {point: [["throttled", person()]], source: [["beside another job", "ada"]]}
    assert (opened.tags(library, source), opened.tags(library, point)) == (("rerun wanted",), ())
