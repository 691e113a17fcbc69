"""What the library holds, as tables and files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from bench import api
from bench.errors import BenchError, NotFound
from bench.holdings import counts, original, passports, passports_of, points, points_named, refusals, sources, summary
from bench.library import Library
from bench.view import View

TABLE = """\
model,precision,engine,accelerator,accelerators,isl,osl,load_kind,concurrency,output_tokens_per_s,ttft_ms_p50,evidence,date
Llama 3.1 70B,fp8,vllm,H100,4,1024,256,closed,1,70,38,measured,2026-03-02
Llama 3.1 70B,fp8,vllm,H100,4,1024,256,closed,16,840,96,measured,2026-03-04
Llama 3.1 70B,fp8,vllm,H200,4,1024,256,closed,16,-1,96,measured,2026-03-02
"""
CARD = 'title = "Four H100"\nlicence = "CC-BY-4.0"\n\n[metric.ttft_ms_p50]\ndefinition = "as catalogue"\n'


@pytest.fixture
def library(tmp_path: Path) -> Library:
    """One table of three rows, the last refused, with a card beside it; nothing shipped."""
    table = tmp_path / "results.csv"
    table.write_text(TABLE, encoding="utf-8")
    table.with_suffix(".source.toml").write_text(CARD, encoding="utf-8")
    opened = Library.open(tmp_path / "library", shipped=False)
    opened.add([table])
    return opened


def test_counts_and_the_sentence_that_tells_them(library: Library) -> None:
    assert counts(library) == {"points": 2, "scores": 0, "sources": 1, "refusals": 1}
    assert summary(library) == (
        "The whole library holds 2 points and 0 scores from 1 source, the newest measured on 2026-03-04;"
        " 1 row or file was refused."
    )


def test_an_empty_library_is_told_too(tmp_path: Path) -> None:
    nothing = Library.open(tmp_path / "none", shipped=False)
    assert summary(nothing) == "The whole library holds 0 points and 0 scores from 0 sources; nothing was refused."


def test_health_is_version_and_counts_or_the_reason(library: Library) -> None:
    assert api.health(lambda: library) == (200, {"status": "ok", "library_version": library.version, **counts(library)})

    def unreadable() -> Library:
        raise BenchError("The library cannot be read.")

    assert api.health(unreadable) == (503, {"status": "failed", "reason": "The library cannot be read."})


def test_a_source_says_its_licence_and_what_it_gave(library: Library) -> None:
    row = sources(library).iloc[0]
    assert (row["title"], row["licence"], row["points"], row["refusals"]) == ("Four H100", "CC-BY-4.0", 2, 1)


def test_points_of_a_view_have_no_empty_column(library: Library) -> None:
    found = points(library, View.of({"concurrency": [16]}))
    assert found["output_tokens_per_s"].tolist() == [840.0]
    assert "tp" not in found
    assert len(points(library, View(), limit=1)) == 1


def test_a_point_is_found_by_its_id_with_its_passports(library: Library) -> None:
    one = points(library, View()).iloc[0]
    assert points_named(library, [one["point_id"]])["ttft_ms_p50"].tolist() == [one["ttft_ms_p50"]]
    assert "ttft_ms_p50" in passports_of(library, one["point_id"])["metric"].tolist()
    assert "ttft_ms_p50" in passports(library, View())["metric"].tolist()
    assert passports(library, View.of({"model": ["nothing"]})).empty


def test_refusals_say_where(library: Library) -> None:
    row = refusals(library).iloc[0]
    assert (row["column"], row["value"]) == ("output_tokens_per_s", "-1")


def test_an_original_comes_as_it_was_with_its_companions(library: Library) -> None:
    name, data = original(library, sources(library).iloc[0]["source_id"])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        held = {entry: archive.read(entry).decode() for entry in archive.namelist()}
    assert name == "results.zip"
    assert sorted(held.values()) == sorted([TABLE, CARD])


@pytest.mark.parametrize("source_id", ["../../etc/passwd", "0" * 64, ""])
def test_what_is_no_source_has_no_original(library: Library, source_id: str) -> None:
    with pytest.raises(NotFound):
        original(library, source_id)
