"""What the library holds, as tables and files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from bench import api
from bench.errors import BenchError, NotFound
from bench.holdings.originals import original
from bench.holdings.tables import counts, passports, passports_of, summary
from bench.library import Library
from bench.view import View
from tests.holdings.made import CARD, HEAD, source_of


def test_counts_and_the_sentence_that_tells_them(kept: Library, tmp_path: Path) -> None:
    assert counts(kept) == {"points": 5, "scores": 0, "sources": 2, "refusals": 1}
    for words in ("5 points", "2 sources", "2026-04-01", "1 row or file was refused"):
        assert words in summary(kept)
    assert "nothing was refused" in summary(Library.open(tmp_path / "none", shipped=False))


def test_health_is_version_and_counts_or_the_reason(kept: Library) -> None:
    assert api.health(lambda: kept) == (200, {"status": "ok", "library_version": kept.version, **counts(kept)})

    def unreadable() -> Library:
        raise BenchError("The library cannot be read.")

    assert api.health(unreadable) == (503, {"status": "failed", "reason": "The library cannot be read."})


def test_each_figure_of_a_point_has_a_passport(kept: Library) -> None:
    (id,) = kept.fetch("SELECT point_id FROM points WHERE concurrency = 16")[0]
    assert "ttft_ms_p50" in passports_of(kept, id)["metric"].tolist()
    assert "ttft_ms_p50" in passports(kept, View())["metric"].tolist()
    assert passports(kept, View.of({"model": ["nothing"]})).empty


def test_an_original_comes_as_it_was_with_its_companions(kept: Library) -> None:
    name, data = original(kept, source_of(kept, "theirs.csv"))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        held = {Path(entry).suffix: archive.read(entry).decode() for entry in archive.namelist()}
    assert name == "theirs.zip"
    assert held[".toml"] == CARD
    assert held[".csv"].startswith(HEAD)


@pytest.mark.parametrize("source_id", ["../../etc/passwd", "0" * 64, ""])
def test_what_is_no_source_has_no_original(source_id: str, kept: Library) -> None:
    with pytest.raises(NotFound):
        original(kept, source_id)
