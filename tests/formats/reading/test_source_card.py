from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import InputError
from bench.formats import companions, recognise
from bench.formats.reading import SourceFile
from bench.formats.reading.source_card import SourceCard, read_card


def card(tmp_path: Path, text: str) -> SourceCard:
    (tmp_path / "t.source.toml").write_text(text)
    return read_card(SourceFile(tmp_path / "t.csv", (tmp_path / "t.source.toml",)))


def test_no_card_says_nothing(tmp_path: Path) -> None:
    assert read_card(SourceFile(tmp_path / "t.csv")) == SourceCard()
    assert SourceCard().about() == {}
    assert SourceCard().passport("ttft_ms_p99", "published").definition == "as catalogue"


def test_a_card_belongs_to_the_table_beside_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("model,tpot_ms_p50\na,1\n")
    module = recognise(SourceFile(tmp_path / "t.csv"))
    assert companions(module, tmp_path / "t.csv") == ()
    (tmp_path / "t.source.toml").write_text('slug = "mine"')
    assert companions(module, tmp_path / "t.csv") == (tmp_path / "t.source.toml",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("slug = ", "is not valid TOML"),
        ("slag = 'x'", "unknown entry 'slag'"),
        ("slug = 3", "slug must be a text"),
        ("slug = ''", "slug must be a text"),
        ("retrieved = 'yesterday'", "write a date as"),
        ("retrieved = 2026-03-02T10:00:00", "write a date as"),
        ("url = 'javascript:alert(1)'", "begins with https://"),
        ("[metric.speed]\nwindow = 'x'", "[metric.speed] is no metric of the catalogue"),
        ("[metric.tpot_ms_p50]\nwidow = 'x'", "unknown entry 'widow'"),
        ("metric = 3", "[metric.<key>]"),
        ("a = " + "[" * 5000, "is not valid TOML"),
    ],
)
def test_a_card_that_cannot_be_understood_is_refused_in_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        card(tmp_path, text)
    assert sentence in str(refused.value)
    assert "t.source.toml" in str(refused.value)
